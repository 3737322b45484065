"""Writes a source file with many different fused expressions, to measure what compiling them costs.

Usage: expressions.py [COUNT]; prints the file. No two expressions are the same tree over the same element types and ranks. They are
of the kind that programs have: 2 to 6 operations on 2 to 4 operands, of which some are broadcast; one in eight is reduced.
"""

import random
import re
import sys

SEED = 20251121
INFIX = ("+", "-", "*", "/")
BINARY = ("maximum", "minimum", "atan2", "hypot", "pow")
UNARY = ("exp", "log", "sqrt", "tanh", "sin", "cos", "abs", "sigmoid", "relu", "square", "log1p", "expm1", "floor", "erf")
INTEGER_INFIX = ("+", "-", "*", "/", "%", "&", "|", "^")
INTEGER_CALLS = ("maximum", "minimum")
INTEGER_UNARY = ("abs", "square", "sign")
COMPARISONS = ("<", "<=", ">", ">=")
DTYPES = ("float",) * 10 + ("double",) * 4 + ("float16", "bfloat16", "std::int32_t", "std::int64_t")


class Expression:
    """One random tree: its text, its signature (what makes its type), and the parameters it needs."""

    def __init__(self, rng):
        self.rng = rng
        self.dtype = rng.choice(DTYPES)
        self.integer = self.dtype.startswith("std::int")
        self.rank = rng.choice((1, 2, 2, 2, 3, 4))
        self.ranks = [self.rank] + [rng.choice((self.rank, self.rank, max(1, self.rank - 1))) for _ in range(rng.randint(1, 3))]
        self.body = self.operation(rng.randint(2, 6))
        self.axis = rng.randrange(self.rank) if rng.random() < 0.125 and self.rank > 1 else None

    def leaf(self):
        if self.rng.random() < 0.2:
            return f"{self.rng.randint(2, 9)}" if self.integer else f"{self.rng.randint(1, 99) / 8}"
        return self.operand()

    def operand(self):
        return f"a{self.rng.randrange(len(self.ranks))}"

    def operation(self, size):
        """A tree of `size` operations with at least one array in it."""
        if size == 0:
            return self.leaf()
        if size == 1:
            return f"({self.operand()} {self.rng.choice(INTEGER_INFIX if self.integer else INFIX)} {self.leaf()})"
        kind = self.rng.random()
        if kind < 0.35:
            function = self.rng.choice(INTEGER_UNARY if self.integer else UNARY)
            return f"{function}({self.operation(size - 1)})"
        left = self.rng.randint(1, size - 1)
        first, second = self.operation(left), self.operation(size - 1 - left)
        if kind < 0.45:
            return f"where({first} {self.rng.choice(COMPARISONS)} {second}, {self.operand()}, {self.operand()})"
        if kind < 0.55:
            return f"{self.rng.choice(INTEGER_CALLS if self.integer else BINARY)}({first}, {second})"
        return f"({first} {self.rng.choice(INTEGER_INFIX if self.integer else INFIX)} {second})"

    @property
    def signature(self):
        return self.dtype, tuple(self.ranks), self.body, self.axis

    def function(self, number):
        arrays = [f"const Array<{self.dtype}, {rank}>& a{index}" for index, rank in enumerate(self.ranks) if f"a{index}" in self.body]
        rank = self.rank - (self.axis is not None)
        full = self.body if "a0" in self.body else f"({self.body} + a0)"
        if "a0" not in self.body:
            arrays.insert(0, f"const Array<{self.dtype}, {self.rank}>& a0")
        value = full if self.axis is None else f"max<{self.axis}>({full})"
        return f"void expression_{number}(Array<{self.dtype}, {rank}>& y, {', '.join(arrays)}) {{ y = {value}; }}"


def source(count):
    rng, seen, functions = random.Random(SEED), set(), []
    while len(functions) < count:
        expression = Expression(rng)
        if expression.signature not in seen:
            seen.add(expression.signature)
            functions.append(expression.function(len(functions)))
    return "#include <cstdint>\n\nimport tessera;\n\nusing namespace tessera;\n\n" + "\n".join(functions) + "\n"


FACTORS = ("{0}", "{0}.T()", "relu({0})", "({0} - v)", "abs({0}) * 0.5f", "{0}(all, range(1, 9))")
EPILOGUES = ("relu({0} + v)", "{0} * v + u", "tanh({0}) - m", "maximum({0}, m) / 3.0f", "where({0} > 0.0f, m, v)", "exp(-abs({0}))", "sqrt(abs({0} + u)) * m",
             "sigmoid({0} + v) * u", "minimum({0} * 2.0f, m + v)", "log(abs({0}) + 1.0f) - u")


def products(count):
    """Matrix products, each with another epilogue or other factors."""
    rng, seen, functions = random.Random(SEED), set(), []
    while len(functions) < count:
        dtype = rng.choice(("float", "double"))
        product = f"dot({rng.choice(FACTORS).format('a')}, {rng.choice(FACTORS).format('b')})"
        body = f"y {rng.choice(('=', '=', '+='))} {rng.choice(EPILOGUES).format(product)};"
        if (dtype, body) in seen:
            continue
        seen.add((dtype, body))
        matrices = ", ".join(f"const Array<{dtype}, 2>& {name}" for name in ("a", "b", "m"))
        vectors = ", ".join(f"const Array<{dtype}, 1>& {name}" for name in ("u", "v"))
        functions.append(f"void product_{len(functions)}(Array<{dtype}, 2>& y, [[maybe_unused]] {matrices}, {vectors}) {{ {body} }}")
    return "import tessera;\n\nusing namespace tessera;\n\n" + "\n".join(functions).replace(", const", ", [[maybe_unused]] const") + "\n"


def dynamic(count):
    """Expressions of arrays whose types are known at run time, no two of the same form."""
    rng, seen, functions = random.Random(SEED), set(), []
    while len(functions) < count:
        body = Expression(rng).body
        form = re.sub(r"[\d.]+", "", body)
        if form in seen:
            continue
        seen.add(form)
        names = sorted(set(re.findall(r"a\d", body)))
        functions.append(f"void expression_{len(functions)}(DArray& y, {', '.join(f'const DArray& {name}' for name in names)}) {{ y = {body}; }}")
    return "import tessera;\n\nusing namespace tessera;\n\n" + "\n".join(functions) + "\n"


MOVED_ABOUT = """import tessera;

using namespace tessera;

DArray last_row(const DArray& x) { return x({-1, ellipsis}); }
DArray columns(const DArray& x) { return x.T().reshape({-1, 4}); }
void exchange(DArray& a, DArray& b) {
  const DArray kept = a;
  a = b;
  b = kept.to(b.place());
}
DArray made(const DDim& shape) { return make_darray(shape, DType::float32); }
"""


if __name__ == "__main__":
    sys.stdout.write(source(int(sys.argv[1]) if len(sys.argv) > 1 else 100))
