"""Compares the inner loops of the hand-written update and of the fused one, as the compiler made them.

Usage: assembly.py OBJDUMP BY_HAND.o TESSERA.o TEXT [--write]. Passes if both loops, and those in TEXT, which the page shows, do the
same work for each vector that they store: loads, multiplications, additions. --write writes TEXT instead.
"""

import collections
import pathlib
import re
import subprocess
import sys

BY_HAND = re.compile(r"update_by_hand")
FUSED = re.compile(r"KernelOf.*MapPlan.*11rows_avx512")
HEADINGS = ("written by hand", "w = -eta * (g + lambda * w)")
WIDTH = 44  # of a column of the text


def functions(objdump, path):
    """{symbol: [(address, instruction)]}"""
    listing = subprocess.run([objdump, "-d", "--no-show-raw-insn", path], capture_output=True, text=True, check=True).stdout
    found, lines = {}, None
    for line in listing.splitlines():
        if symbol := re.match(r"[0-9a-f]+ <(.*)>:$", line):
            lines = found.setdefault(symbol.group(1), [])
        elif instruction := re.match(r"\s*([0-9a-f]+):\s+(.*\S)", line):
            lines.append((int(instruction.group(1), 16), instruction.group(2)))
    return found


def loops(code):
    """The instructions of every loop that has no other one in it: from the target of a jump backwards to the jump."""
    jumps = [(int(jump.group(1), 16), address, instruction) for address, instruction in code
             if (jump := re.match(r"j\w+\s+(?:0x)?([0-9a-f]+)\b", instruction)) and int(jump.group(1), 16) < address]
    for target, address, instruction in jumps:
        if any(target <= inner and end < address for inner, end, _ in jumps):
            continue
        yield [*(text for at, text in code if target <= at < address), re.sub(r"^(j\w+).*", r"\1    loop", instruction)]


def is_store(instruction):
    return re.match(r"vmov\w+\s+%zmm\d+,\S*\(", instruction) is not None


def inner_loop(objdump, path, name):
    """The loop with the most vector stores in the functions of that name."""
    candidates = [loop for symbol, code in functions(objdump, path).items() if name.search(symbol) for loop in loops(code)]
    best = max(candidates, key=lambda loop: sum(map(is_store, loop)), default=[])
    if not any(map(is_store, best)):
        sys.exit(f"{path} has no vectorised loop in a function that matches {name.pattern}")
    return [tidy(instruction) for instruction in best]


def tidy(instruction):
    mnemonic, *operands = re.sub(r"\s*[#<].*", "", instruction).split(None, 1)
    return " ".join([f"{mnemonic:<7}", *operands]).rstrip()


def work(loop):
    """How often a vector is loaded, multiplied, added for each one that is stored."""
    count = collections.Counter()
    for instruction in loop:
        if "%zmm" not in instruction:
            continue
        store = is_store(instruction)
        count["stores"] += store
        count["loads"] += "(" in instruction and not store
        count["multiplications"] += instruction.startswith("vmul")
        count["additions"] += instruction.startswith("vadd")
        count["fused multiply-adds"] += re.match(r"vfn?m", instruction) is not None
    return {name: number / count["stores"] for name, number in sorted(count.items()) if number and name != "stores"}


def text_of(left, right):
    rows = [HEADINGS, tuple("-" * len(heading) for heading in HEADINGS)]
    length = max(len(left), len(right))
    rows += zip(left + [""] * (length - len(left)), right + [""] * (length - len(right)))
    return "".join(f"{a:<{WIDTH}}{b}".rstrip() + "\n" for a, b in rows)


def columns(text):
    lines = text.splitlines()[2:]
    return [line[:WIDTH].strip() for line in lines], [line[WIDTH:].strip() for line in lines]


def main():
    objdump, by_hand, tessera, page = sys.argv[1:5]
    left, right = inner_loop(objdump, by_hand, BY_HAND), inner_loop(objdump, tessera, FUSED)
    page = pathlib.Path(page)
    if sys.argv[5:] == ["--write"]:
        page.write_text(text_of(left, right))
    shown_left, shown_right = columns(page.read_text())
    results = {"by hand": work(left), "fused": work(right), "by hand, on the page": work(shown_left), "fused, on the page": work(shown_right)}
    for name, counts in results.items():
        print(f"{name + ':':<22}", ", ".join(f"{number:g} {what}" for what, number in counts.items()), "for each stored vector")
    if any(counts != results["by hand"] for counts in results.values()):
        print(text_of(left, right))
        sys.exit("the loops do not do the same work")


main()
