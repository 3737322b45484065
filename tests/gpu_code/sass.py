"""Reads what nvdisasm prints of a kernel: what its instructions load and store, how many there are, and how many loads are under way at once."""
import re

INSTRUCTION = re.compile(r"^\s*/\*([0-9a-f]{4,})\*/\s+(?:(@!?U?P\w+)\s+)?([A-Z][A-Z0-9_.]*)\s*(.*?)\s*;")
LABEL = re.compile(r"^(\.L_x_\d+):")
REGISTER = re.compile(r"\bR(\d+)\b")
WIDTHS = {"U8": 8, "S8": 8, "U16": 16, "S16": 16, "64": 64, "128": 128}
BRANCHES = ("BRA", "BRX", "JMP", "JMX", "CALL", "BSSY")


class Instruction:
    def __init__(self, predicate, name, operands):
        self.predicate = predicate
        self.name = name  # LDG
        self.modifiers = name.split(".")[1:]
        self.opcode = name.split(".")[0]
        self.operands = operands

    def width(self):
        """Bits of memory that one thread moves."""
        return next((WIDTHS[word] for word in self.modifiers if word in WIDTHS), 32)

    def target(self):
        """The label that a branch goes to."""
        found = re.search(r"`\((\.L_x_\d+)\)", self.operands)
        return found.group(1) if found and self.opcode == "BRA" else None

    def loaded(self):
        """The registers that a load fills."""
        first = REGISTER.match(self.operands)
        if not first:
            return set()
        begin = int(first.group(1))
        return set(range(begin, begin + max(1, self.width() // 32)))

    def read(self):
        """Registers that the instruction names beyond its first operand; of what has no result, all."""
        stores = self.opcode in ("STG", "STS", "STL", "ST", "RED", "ATOMG", "ATOMS")
        rest = self.operands if stores else self.operands.partition(",")[2]
        registers = set()
        for found in REGISTER.finditer(rest):
            registers.add(int(found.group(1)))
            if ".64" in rest[found.end():found.end() + 3]:
                registers.add(int(found.group(1)) + 1)
        if self.opcode == "STG":
            value = REGISTER.search(self.operands.rpartition(",")[2])
            if value:
                registers |= set(range(int(value.group(1)), int(value.group(1)) + max(1, self.width() // 32)))
        return registers


def code_of(listing):
    """(instructions, labels) of the one kernel of a listing: labels are the numbers of the instructions behind them."""
    begin = listing.index("\n.text.tessera_kernel:")
    instructions, labels = [], {}
    for line in listing[begin:].splitlines():
        if line.startswith("//-----") or line.lstrip().startswith(".section"):
            break
        label = LABEL.match(line)
        if label:
            labels[label.group(1)] = len(instructions)
            continue
        found = INSTRUCTION.match(line)
        if found:
            instructions.append(Instruction(found.group(2), found.group(3), found.group(4)))
    while instructions and instructions[-1].opcode in ("NOP", "BRA"):  # what fills the rest of the section
        instructions.pop()
    return instructions, labels


def loops_of(instructions, labels):
    """The instructions of each loop, without those of loops within."""
    loops = []
    for number, instruction in enumerate(instructions):
        target = instruction.target()
        if target is not None and labels.get(target, number + 1) <= number:
            loops.append((labels[target], number))
    bodies = []
    for loop in loops:
        within = [other for other in loops if other != loop and loop[0] <= other[0] and other[1] <= loop[1]]
        bodies.append([instructions[number] for number in range(loop[0], loop[1] + 1)
                       if not any(first <= number <= last for first, last in within)])
    return bodies


def moved(instructions, opcode):
    return sum(i.width() for i in instructions if i.opcode == opcode) // 8


def loads_together(instructions, labels):
    """The most loads from global memory that are issued before the first of them is used."""
    starts = {labels[i.target()] for n, i in enumerate(instructions) if i.target() in labels and labels[i.target()] <= n}
    most, pending, count = 0, set(), 0
    for number, instruction in enumerate(instructions):
        if number in starts or (pending & instruction.read()):
            most, pending, count = max(most, count), set(), 0
        if instruction.opcode == "LDG":
            pending |= instruction.loaded()
            count += 1
    return max(most, count)


def elements_of(instructions, read, written):
    """How many elements are stored; of what stores none, how many are loaded."""
    stored = moved(instructions, "STG")
    if written and stored:
        return stored / written
    return moved(instructions, "LDG") / read if read else 0


def measure(listing, read, written):
    """What a kernel's code shows. `read` and `written`: bytes of memory that one element takes of each."""
    instructions, labels = code_of(listing)
    body = instructions
    working = [loop for loop in loops_of(instructions, labels) if moved(loop, "LDG") + moved(loop, "STG") > 0]
    if working:
        body = max(working, key=lambda loop: moved(loop, "LDG") + moved(loop, "STG"))
    elements = elements_of(body, read, written)
    if elements < 1 and body is not instructions:  # a loop that moves other things than elements
        body = instructions
        elements = elements_of(body, read, written)
    widths = {opcode: [i.width() for i in instructions if i.opcode == opcode] for opcode in ("LDG", "STG")}
    return {"instructions": len(instructions),
            "main": len(body),
            "elements": elements,
            "each": round(len(body) / elements, 1) if elements else float(len(body)),
            "branches": sum(i.opcode in BRANCHES for i in body),
            "load": max(widths["LDG"], default=0),
            "store": max(widths["STG"], default=0),
            "loads": len(widths["LDG"]),
            "stores": len(widths["STG"]),
            "together": loads_together(instructions, labels)}
