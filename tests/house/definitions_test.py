"""Every function that an implementation unit x.cpp defines for others is declared in the interface x.cppm beside it.

Usage: definitions_test.py NM MODULES OBJECTS: the program nm, the folder of the sources, and the one in which the build keeps the object files
of the library.
"""

import pathlib
import re
import subprocess
import sys

MODULE = re.compile(r"@[\w.]+(:\w+)?")
SPECIAL = re.compile(r"^(vtable|typeinfo|guard variable|TLS|thread-local|construction|VTT|reference temporary|initializer for module)")


def symbols_of(nm, object_file):
    """Demangled names of the strong symbols that others see."""
    out = subprocess.run([nm, "-C", "--defined-only", "--extern-only", object_file], capture_output=True, text=True, check=True).stdout
    for line in out.splitlines():
        match = re.match(r"[0-9a-f]* ?([A-Za-z]) (.*)", line)
        if match and match.group(1) in "TDBR" and not SPECIAL.match(match.group(2)):
            yield MODULE.sub("", match.group(2)).replace("[abi:cxx11]", "")


def without_brackets(name):
    """The name without the arguments of templates."""
    depth, out = 0, []
    for position, character in enumerate(name):
        operator = name[:position].endswith("operator") or name[: position - 1].endswith("operator")
        depth += (character == "<") - (character == ">") if not operator else 0
        if depth == 0 and (character != ">" or operator):
            out.append(character)
    return "".join(out)


def declared_name(symbol):
    """The last part of a symbol's name, and that in front of it: ("write", "LabelCounts")."""
    symbol = without_brackets(symbol.replace("(anonymous namespace)", "anonymous")).split(" const", 1)[0]
    symbol = symbol.split("(", 2)[0] if "operator()" not in symbol else symbol.split("(", 1)[0] + "()"
    parts = symbol.split(" ")[-1].split("::")
    return parts[-1], parts[-2] if len(parts) > 1 else ""


def is_declared(name, scope, interface):
    """Whether the interface declares it: the name with a type in front of it, or of a constructor, destructor or conversion by itself."""
    if re.match(r"[A-Z]", scope) and not re.search(rf"\b(class|struct|union) [^;{{\n]*\b{scope}\b", " " + interface):
        return False
    if name.startswith("operator") or name.lstrip("~") == scope:
        return re.search(rf"^ *[^/\n]*(?<![\w.~]){re.escape(name)}(?!\w)", interface, re.M) is not None
    type_in_front = r"^ *(?!return|throw|co_return|//)(?:[\w:\[\]<>,*&()]| (?!=))+?(?:[>*&\w] |[*&])"
    variable = rf"^ *(?:export )?(?:extern|static) [^\n(]*\b{name}\b"
    return re.search(rf"{type_in_front}[*&]?{re.escape(name)}(?:<\w+>)?\(", interface, re.M) is not None or re.search(variable, interface, re.M) is not None


def main(nm, modules, objects):
    modules, objects = pathlib.Path(modules), pathlib.Path(objects)
    failures, seen = [], 0
    for body in sorted(modules.rglob("*.cpp")):
        relative = body.relative_to(modules)
        found = [path for path in [objects / f"{relative}.o"] if path.exists()]
        if len(found) != 1:
            failures.append(f"{relative}: {len(found)} object files")
            continue
        interface = body.with_suffix(".cppm").read_text()
        own = set(re.findall(r"^\s*(?:class|struct) (?:[\w:]+::)?(\w+)(?: final)?(?: : [^;{]*)? \{", body.read_text(), re.M))
        for symbol in symbols_of(nm, found[0]):
            seen += 1
            name, scope = declared_name(symbol)
            if scope in own:
                continue  # a member of a class of this file
            if not is_declared(name, scope, interface):
                failures.append(f"{relative}: {symbol} is not declared in {body.stem}.cppm")
    if seen < 1000:
        failures.append(f"only {seen} functions were looked at")
    if failures:
        sys.exit("\n".join(failures))
    print(f"{seen} functions are declared beside their definitions")


main(*sys.argv[1:])
