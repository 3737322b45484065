"""./dev bench gpu on the fake driver: every kernel's result, what is refused, and how figures are judged."""
import json
import os
import pathlib
import re
import stat
import subprocess
import sys
import tempfile
import unittest

BENCH, PROGRAMS = (pathlib.Path(argument) for argument in sys.argv[1:3])
sys.path.insert(0, str(BENCH))

import formulas  # noqa: E402
import judge  # noqa: E402
import programs  # noqa: E402
import report  # noqa: E402
import rows  # noqa: E402


def run(*options, folder=PROGRAMS, **environment):
    return subprocess.run([sys.executable, "-B", BENCH / "run.py", folder, *map(str, options)], capture_output=True, text=True, timeout=300,
                          stdin=subprocess.DEVNULL, env={**os.environ, **environment})


class Runs(unittest.TestCase):
    """The programs through run.py."""

    def test_all_kernels_compute_what_they_should(self):
        with tempfile.TemporaryDirectory() as output:
            done = run("--quick", "--output", output)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            result = json.loads((pathlib.Path(output) / "gpu.json").read_text())
        self.assertEqual(result["problems"], [])
        self.assertIn("Fake GPU 0", result["facts"]["device"])
        kernels = {(record["kernel"], record["dtype"]) for record in result["rows"]}
        self.assertEqual(kernels, {(row.kernel, row.dtype) for row in rows.ALL_ROWS if row.kernel != rows.ARITHMETIC.kernel})
        for record in result["rows"]:
            self.assertGreater(record["ns"], 0, record["title"])
            self.assertIn(record["title"] if record["kernel"] != "launch" else "## Enqueuing", done.stdout)
        small = {"total f32 1x5000": 1, "row_sums f32 3x640": 3, "column_sums f32 301x3": 3}  # results of so few elements
        for answer in result["answers"]:
            count = len(answer["rounds"]["1"]["values"])
            if answer["row"] in small:
                self.assertEqual(count, small[answer["row"]], answer["row"])
            else:
                self.assertGreater(count, 40, answer["row"])
        self.assertEqual([len(record) for record in result["compiling"]], [6] * 4)
        self.assertIn("of the copy's bandwidth, at least 92.0 %", done.stdout)

    def test_a_wrong_result_is_found_and_left_out(self):
        with tempfile.TemporaryDirectory() as folder:
            liar = self.wrapper(folder, 'answer["values"][7] *= 1.001')
            done = run("--quick", "--only", "sgd", folder=liar)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("compared element 7 is", done.stdout)
        self.assertIn("| failed |", done.stdout)

    def test_all_that_are_there_take_turns(self):
        with tempfile.TemporaryDirectory() as folder:
            wrapped = self.wrapper(folder, "pass", device="Imagined GPU")
            self.script(pathlib.Path(folder) / "gpu_by_hand", f"""
if sys.argv[1] == "about":
    print(json.dumps({{"compiler": "nvcc 0", "cub": "1", "cublaslt": "2"}}))
else:
    sys.exit(subprocess.run([{str(PROGRAMS / 'gpu_tessera')!r}, *sys.argv[1:]]).returncode)
""")
            page = pathlib.Path(folder) / "gpu.md"
            done = run("--quick", "--only", "sort,launch", "--rounds", 2, "--python", "/bin/false", "--page", page, folder=wrapped)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertFalse(page.exists())  # of a quick run
        self.assertIn("Imagined GPU", done.stdout)
        self.assertIn("nvcc 0, CUB 1, cuBLASLt 2", done.stdout)
        self.assertRegex(done.stdout, r"sort, [^|]*\|[^|]*\|[^|]*elements/s \|  \| [\d.]+ \| by hand \| [\d.]+ of the time by hand")
        self.assertEqual(done.stderr.count("round 2"), 4)

    def test_a_program_that_ends_is_reported_and_started_again(self):
        with tempfile.TemporaryDirectory() as folder:
            quitter = self.wrapper(folder, 'if "sgd bf16" in line: sys.exit(3)')
            done = run("--quick", "--only", "sgd,bias_relu", folder=quitter)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("the program ended with status 3", done.stdout)
        self.assertEqual(done.stdout.count("| failed |"), 1)

    def test_no_page_of_a_fake_gpu(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "gpu.md"
            done = run("--page", page)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn("Fake GPU 0", done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1)
            self.assertFalse(page.exists())

    def test_without_a_gpu_the_drivers_reason_is_said(self):
        done = run("--quick", TESSERA_CUDA_DRIVER="/no/such/libcuda.so")
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn("/no/such/libcuda.so", done.stderr)

    def test_an_unknown_kernel_is_refused(self):
        done = run("--quick", "--only", "sdg")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no such kernel: sdg", done.stderr)

    @unittest.skipUnless((PROGRAMS / "gpu_by_hand").exists(), "built without nvcc")
    def test_the_kernels_by_hand_are_there(self):
        program = programs.Program(rows.HAND, [PROGRAMS / "gpu_by_hand"], 0)
        wanted = [row for row in rows.ALL_ROWS if any(goal.kind == "hand" for goal in row.goals)]
        self.assertEqual([row.key for row in wanted if not program.has(row)], [])
        self.assertTrue(program.has(rows.ARITHMETIC))

    def script(self, path, text):
        path.write_text(f"#!{sys.executable}\nimport json, subprocess, sys\n{text}")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def wrapper(self, folder, change, device="Fake GPU 0"):
        """A folder with a gpu_tessera that does something to the real one's answers, and calls its GPU by that name."""
        self.script(pathlib.Path(folder) / "gpu_tessera", f"""
if sys.argv[1] in ("list", "about", "compile"):
    said = subprocess.run([{str(PROGRAMS / 'gpu_tessera')!r}, *sys.argv[1:]], stdout=subprocess.PIPE, text=True)
    print(said.stdout.replace("Fake GPU 0", {device!r}), end="")
    sys.exit(said.returncode)
real = subprocess.Popen([{str(PROGRAMS / 'gpu_tessera')!r}, *sys.argv[1:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
for line in sys.stdin:
    real.stdin.write(line)
    real.stdin.flush()
    answer = json.loads(real.stdout.readline())
    {change}
    print(json.dumps(answer), flush=True)
""")
        (pathlib.Path(folder) / "gpu_reference").symlink_to(PROGRAMS / "gpu_reference")
        return folder


class Judging(unittest.TestCase):
    """Shares, ratios and verdicts of made-up times."""

    table = [rows.tiny(row) for row in rows.ALL_ROWS]
    by_kernel = {row.kernel: row for row in reversed(table)}

    def figures(self, times):
        """{(library, kernel): [nanoseconds a round]}"""
        figures = judge.Figures()
        for (library, kernel), series in times.items():
            for number, ns in enumerate(series):
                figures.add(number, library, self.by_kernel[kernel], {"ns": ns, "values": [1.0]}, [1.0])
        return figures

    def verdicts(self, kernel, times):
        record = judge.evaluate(self.figures(times), [self.by_kernel[kernel]], self.table)[0]
        return [goal["met"] for goal in record["goals"]]

    def test_a_share_is_of_the_fastest_copy_of_the_same_round(self):
        copy, sgd = self.by_kernel["copy"], self.by_kernel["sgd"]
        times = {(rows.OURS, "copy"): [copy.bytes / 100, copy.bytes / 50], (rows.HAND, "copy"): [copy.bytes / 90, copy.bytes / 80],
                 (rows.OURS, "sgd"): [sgd.bytes / 92, sgd.bytes / 73.6]}
        self.assertAlmostEqual(judge.share(self.figures(times), rows.OURS, sgd, copy), 0.92)
        self.assertEqual(self.verdicts("sgd", times), [True, None])
        times[rows.OURS, "sgd"] = [sgd.bytes / 91.9, sgd.bytes / 73.5]
        self.assertEqual(self.verdicts("sgd", times), [False, None])

    def test_the_best_peer_is_the_fastest(self):
        times = {(rows.OURS, "sgd"): [100, 100], ("CuPy", "sgd"): [101, 99], ("PyTorch", "sgd"): [200, 200]}
        record = judge.evaluate(self.figures(times), [self.by_kernel["sgd"]], self.table)[0]
        self.assertEqual((record["best"], list(record["peers"])), ("CuPy", ["CuPy", "PyTorch"]))
        self.assertEqual(self.verdicts("sgd", times)[1], True)
        times["CuPy", "sgd"] = [99.8, 99.8]  # as fast, to two places
        self.assertEqual(self.verdicts("sgd", times)[1], True)
        times["CuPy", "sgd"] = [99, 99]
        self.assertEqual(self.verdicts("sgd", times)[1], False)

    def test_a_limit_by_hand_holds_two_percent(self):
        for ours, met in ((102, True), (103, False)):
            self.assertEqual(self.verdicts("sort", {(rows.OURS, "sort"): [ours], (rows.HAND, "sort"): [100], ("CuPy", "sort"): [10]}), [met])
        self.assertEqual(self.verdicts("sort", {(rows.OURS, "sort"): [100]}), [None])

    def test_black_scholes_is_held_to_the_slower_of_memory_and_arithmetic(self):
        copy, price = self.by_kernel["copy"], self.by_kernel["black_scholes"]
        times = {(rows.OURS, "copy"): [copy.bytes], (rows.OURS, "black_scholes"): [2 * price.bytes]}
        self.assertEqual(self.verdicts("black_scholes", times)[0], None)  # the arithmetic has not been measured
        times[rows.HAND, "black_scholes_arithmetic"] = [1.9 * price.bytes]
        self.assertEqual(self.verdicts("black_scholes", times)[0], True)
        times[rows.HAND, "black_scholes_arithmetic"] = [1.5 * price.bytes]
        self.assertEqual(self.verdicts("black_scholes", times)[0], False)

    def test_a_wrong_result_counts_as_none(self):
        figures = self.figures({(rows.OURS, "sgd"): [100]})
        figures.add(1, "CuPy", self.by_kernel["sgd"], {"ns": 1, "values": [1.1]}, [1.0])
        figures.add(1, "PyTorch", self.by_kernel["sgd"], {"ns": 1, "values": [None]}, [1.0])
        figures.add(1, "CuPy fuse", self.by_kernel["sgd"], {"ns": 1, "values": []}, [1.0])
        self.assertEqual(figures.libraries(self.by_kernel["sgd"]), [rows.OURS])
        self.assertEqual(len(figures.problems), 3)

    def test_the_enqueuing_of_six_microseconds_is_met(self):
        self.assertEqual([self.verdicts("launch", {(rows.OURS, "launch"): [ns]}) for ns in (6000, 6010)], [[True], [False]])

    def test_first_uses_are_judged_apart(self):
        times = {"cold": [{"first": 70, "later": [50, 61, 40]}], "disk": [{"first": 1, "later": [1, 3, 3]}]}
        self.assertEqual([record["met"] for record in judge.compile_goals(times)], [False, True, True, False])

    def test_work_is_counted(self):
        self.assertEqual(self.by_kernel["sgd"].bytes, 3 * 4 * 5000)
        self.assertAlmostEqual(rows.PRODUCTS[0].rate(1e9), 2 * 8192**3 / 1e12)  # TFLOP/s when it takes a second
        self.assertEqual(rows.COPY.bytes, 2 << 30)

    def test_a_page_names_the_gpu_and_counts_goals(self):
        times = {(rows.OURS, "copy"): [100], (rows.OURS, "sort"): [103], (rows.HAND, "sort"): [100]}
        figures = self.figures(times)
        page = report.page({"facts": {"date": "2030-01-01", "device": "A real one", "compute": "9.0", "multiprocessors": 132, "bytes": 1 << 37,
                                      "l2_bytes": 50 << 20, "driver": "1.2", "compiler": "clang", "cublas": "none", "peers": ["nvcc"]},
                            "rounds": 3, "is_tiny": False, "milliseconds": 200, "batch": 64, "copy": 4000.0, "problems": [],
                            "rows": judge.evaluate(figures, [self.by_kernel["sort"], self.by_kernel["copy"]], self.table),
                            "compiling": [], "epochs": {"Tessera": {"seconds": 1.0, "accuracy": 0.9},
                                                        "PyTorch eager": {"seconds": 2.0, "accuracy": 0.9}}})
        self.assertIn("2030-01-01, A real one", page)
        self.assertIn("0 of 1 met.", page)
        self.assertIn("1.03 of the time by hand, at most 1.02: **missed**", page)
        self.assertIn("| Tessera | 1.000 s | 60,000 | 90.0 % | 0.50 |", page)


class Sharing(unittest.TestCase):
    def test_both_languages_have_the_same_constants(self):
        header = (BENCH / "numbers.hpp").read_text()
        constants = dict(re.findall(r"constexpr float (\w+) = ([\d.]+)f;", header))
        self.assertEqual({name: float(value) for name, value in constants.items()},
                         {"rate": formulas.RATE, "decay": formulas.DECAY, "momentum": formulas.MOMENTUM, "interest": formulas.INTEREST,
                          "volatility": formulas.VOLATILITY})
        self.assertEqual([int(word, 16) for word in re.findall(r"0x([0-9A-F]{8})u", header)], list(formulas.HASH))
        for name, (offset, factor) in {"price": formulas.PRICE, "years": formulas.YEARS}.items():
            self.assertIn(f"{name}_of(float x) {{ return {offset}f + {factor}f * x; }}", header)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
