"""The digits program as a user runs it: results, repeatability, and one clear line for every bad input."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

program = sys.argv[1]
failures = []


def run(*arguments, cwd):
    return subprocess.run([program, *map(str, arguments)], cwd=cwd, capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL)


def check(condition, what):
    print(("ok    " if condition else "FAILED ") + what)
    if not condition:
        failures.append(what)


def refused(arguments, expected, cwd, what):
    before = sorted(p.name for p in cwd.iterdir())
    result = run(*arguments, cwd=cwd)
    lines = result.stderr.strip().splitlines()
    check(result.returncode == 2, f"{what}: exit code {result.returncode}, expected 2")
    check(len(lines) == 1 and expected in lines[0], f"{what}: one line with '{expected}', got {lines}")
    check(sorted(p.name for p in cwd.iterdir()) == before, f"{what}: nothing is left behind")


with tempfile.TemporaryDirectory() as folder:
    cwd = pathlib.Path(folder)
    result = run("--json", "a.json", cwd=cwd)
    check(result.returncode == 0, f"the default run succeeds: {result.stderr}")
    figures = json.loads((cwd / "a.json").read_text())
    print(figures)
    check(figures["accuracy"] >= 0.97, f"test accuracy {figures['accuracy']} is at least 0.97")
    report = (cwd / "report.html").read_text()
    check("<svg" in report and "http://" not in report.replace("http://www.w3.org", ""), "the report is self-contained")
    map_of_memory = re.search(r'<svg class="tessera-memory".*?</svg>', report, re.S)
    live = [int(n) for n in re.findall(r"live, (\d+) bytes asked for", map_of_memory.group(0))] if map_of_memory else []
    check(len(live) > 3 and sum(live) >= 0.9 * figures["peak_bytes"],
          f"the report maps the memory at its peak: {len(live)} live pieces of {sum(live)} bytes, peak {figures['peak_bytes']}")
    check("epoch 40/40" in result.stdout, "a plain line is printed for every epoch when the output is no terminal")

    sums = set()
    for threads in (1, 2, 4):
        run("--epochs", 4, "--threads", threads, "--json", "t.json", "--quiet", cwd=cwd)
        sums.add(json.loads((cwd / "t.json").read_text())["checksum"])
    check(len(sums) == 1, f"weights are bit-identical with 1, 2 and 4 threads: {sums}")
    for threads in (1, 2, 4):
        result = run("--async", "--epochs", 4, "--threads", threads, "--json", "t.json", "--quiet", cwd=cwd)
        check(result.returncode == 0, f"--async with {threads} threads succeeds: {result.stderr}")
        sums.add(json.loads((cwd / "t.json").read_text())["checksum"])
    check(len(sums) == 1, f"weights are bit-identical with --async: {sums}")
    report = (cwd / "report.html").read_text()
    check("tessera-timeline" in report and "tessera-graph" in report, "the report shows the timeline and the graph of a step")
    for arguments in (["--epochs", 1, "--batch", 1437], ["--epochs", 2, "--batch", 700], ["--dtype", "bf16", "--epochs", 2]):
        for mode in ([], ["--async"]):
            run(*mode, *arguments, "--json", f"{len(mode)}.json", "--quiet", cwd=cwd)
        both = [json.loads((cwd / f"{n}.json").read_text())["checksum"] for n in (0, 1)]
        check(both[0] == both[1], f"--async {arguments} gives the same weights: {both}")
    run("--epochs", 4, "--seed", 2, "--json", "t.json", "--quiet", cwd=cwd)
    check(json.loads((cwd / "t.json").read_text())["checksum"] not in sums, "another seed gives other weights")
    for dtype in ("f64", "bf16"):
        run("--dtype", dtype, "--json", "t.json", "--quiet", cwd=cwd)
        accuracy = json.loads((cwd / "t.json").read_text())["accuracy"]
        check(accuracy >= 0.96, f"{dtype}: test accuracy {accuracy} is at least 0.96")
    check(run("--help", cwd=cwd).stdout.count("--") > 10, "--help lists the options")

with tempfile.TemporaryDirectory() as folder:
    cwd = pathlib.Path(folder)
    refused(["--epochs", "0"], "--epochs", cwd, "no epochs")
    refused(["--lr", "nan"], "--lr", cwd, "a learning rate that is no number")
    refused(["--batch", "99999999"], "--batch", cwd, "a batch larger than the data")
    refused(["--what"], "--what", cwd, "an unknown option")
    refused(["--report", "no/such/folder/r.html"], "no/such/folder", cwd, "an unwritable report")
    refused(["--json", "no/such/folder/r.json"], "no/such/folder", cwd, "an unwritable JSON file")
    refused(["--fashion=" + folder], "train-images", cwd, "missing Fashion-MNIST files")
    for part in ("train-images-idx3", "train-labels-idx1", "t10k-images-idx3", "t10k-labels-idx1"):
        (cwd / f"{part}-ubyte.gz").write_bytes(b"\x1f\x8b not gzip at all")
    refused(["--fashion=" + folder], "gzip", cwd, "a broken Fashion-MNIST file")

print(f"{len(failures)} failed")
sys.exit(1 if failures else 0)
