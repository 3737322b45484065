"""Random expressions of dynamic arrays beside the same ones of static arrays: ratios of their times.

    random_trees.py BUILD [--seed 1] [--count 5] [--elements 1000000] [--type float]

BUILD is a build folder with the library. Each tree has two to eight operands, functions and scalars. Both are timed in turns by one program, which is
compiled for the purpose; the ratio is the median of those of 15 pairs, each long enough to be measured.
"""

import argparse
import pathlib
import random
import subprocess
import tempfile

BINARY = ["({0} + {1})", "({0} - {1})", "({0} * {1})", "maximum({0}, {1})", "minimum({0}, {1})", "({0} / (abs({1}) + 1))"]
UNARY = ["abs({0})", "tanh({0})", "exp(minimum({0}, 2))", "relu({0})", "sqrt(abs({0}))", "({0} * 3)", "(0.5 + {0})"]

PROGRAM = """
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <vector>
import tessera;
using namespace tessera;
using T = {type};

template <class F>
double seconds(const F& work, int repetitions) {{
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < repetitions; ++i) work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / repetitions;
}}

template <class Static, class Dynamic>
void compare(const char* name, const Static& fixed, const Dynamic& any) {{
  const int repetitions = std::max(1, static_cast<int>(3e-3 / seconds(fixed, 3)));
  std::vector<double> ratios, times;
  for (int i = 0; i < 15; ++i) {{
    const double a = seconds(fixed, repetitions), b = seconds(any, repetitions);
    ratios.push_back(b / a);
    times.push_back(b);
  }}
  std::ranges::sort(ratios);
  std::ranges::sort(times);
  std::printf("%6.3f  %10.3f us  %s\\n", ratios[7], times[7] * 1e6, name);
}}

int main() {{
  set_num_threads(1);
  const std::ptrdiff_t n = {elements};
  std::vector<Array<T, 1>> s;
  std::vector<DArray> d;
  for (int k = 0; k < 8; ++k) {{
    s.push_back(random::uniform<T>(random::Key{{static_cast<std::uint64_t>(k)}}, Dim{{n}}) - T(0.5));
    d.push_back(s.back());
  }}
  Array<T, 1> r(Dim{{n}});
  DArray q(make_ddim({{n}}), dtype_of<T>);
  const Array<T, 1> &s0 = s[0], &s1 = s[1], &s2 = s[2], &s3 = s[3], &s4 = s[4], &s5 = s[5], &s6 = s[6], &s7 = s[7];
  const DArray &d0 = d[0], &d1 = d[1], &d2 = d[2], &d3 = d[3], &d4 = d[4], &d5 = d[5], &d6 = d[6], &d7 = d[7];
{body}
}}
"""


def tree(draw, leaves):
    """A random expression whose operands are @<k> for each of the leaves."""
    parts = ["@" + str(k) for k in leaves]
    while len(parts) > 1:
        a = parts.pop(draw.randrange(len(parts)))
        b = parts.pop(draw.randrange(len(parts)))
        parts.append(draw.choice(BINARY).format(a, b))
        if draw.random() < 0.3:
            parts[-1] = draw.choice(UNARY).format(parts[-1])
    return parts[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=5)
    parser.add_argument("--elements", type=int, default=1_000_000)
    parser.add_argument("--type", default="float", choices=["float", "double"])
    parser.add_argument("--compiler", default="clang++-22")
    options = parser.parse_args()
    draw = random.Random(options.seed)
    lines = []
    for _ in range(options.count):
        text = tree(draw, draw.sample(range(8), draw.randint(2, 8)))
        shown, fixed, any_type = (text.replace("@", letter) for letter in "xsd")
        lines.append(f'  compare("{shown}", [&] {{ r = {fixed}; }}, [&] {{ q = {any_type}; }});')
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "trees.cpp"
        source.write_text(PROGRAM.format(type=options.type, elements=options.elements, body="\n".join(lines)), encoding="utf-8")
        program = source.with_suffix("")
        subprocess.run([options.compiler, "-std=c++20", "-O2", f"-fprebuilt-module-path={options.build}/modules/CMakeFiles/tessera.dir", "-c", source, "-o",
                        source.with_suffix(".o")], check=True)
        subprocess.run([options.compiler, source.with_suffix(".o"), options.build / "modules/libtessera.a", "-ltbb", "-lz", "-lpthread", "-ldl", "-o",
                        program], check=True)
        print(f"dynamic / static, {options.elements} elements of {options.type}, one thread, seed {options.seed}")
        subprocess.run([program], check=True)


if __name__ == "__main__":
    main()
