"""Trains on several processes under mpirun: the same weights on any number of them, resumed on another number, and after some were killed.

Usage: ranks_test.py DIGITS MPIRUN [KILLS]
KILLS: how often a process is killed at a random moment; 50 is a thorough run.
"""

import json
import os
import pathlib
import random
import signal
import struct
import subprocess
import sys
import tempfile
import time

DIGITS, MPIRUN = sys.argv[1], sys.argv[2]
KILLS = int(sys.argv[3]) if len(sys.argv) > 3 else 2
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
               "OMPI_MCA_mpi_yield_when_idle": "1"}
EPOCHS = 12
TRAINING = ["--epochs", str(EPOCHS), "--batch", "50", "--widths", "40,30", "--reproducible=6", "--quiet"]  # 1437 images: the last batch is of 37


def command(ranks, folder, *options):
    return [MPIRUN, "-np", str(ranks), DIGITS, "--report", str(folder / "report.html"), "--json", str(folder / "out.json"), *options]


def train(ranks, folder, *options):
    done = subprocess.run(command(ranks, folder, *options), env=ENVIRONMENT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, f"{ranks} ranks {options}: exit status {done.returncode}\n{done.stdout}{done.stderr}"
    return json.loads((folder / "out.json").read_text())


def outcome(result):
    return result["checksum"], result["accuracy"], result["test_loss"], result["train_loss"], result["train_accuracy"]


def metadata(file):
    """Of a safetensors file that is whole: its header says where every tensor ends."""
    data = file.read_bytes()
    size, = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + size])
    facts = header.pop("__metadata__")
    assert max(tensor["data_offsets"][1] for tensor in header.values()) == len(data) - 8 - size, "the checkpoint is cut short"
    return facts


def steps(facts):
    return int(facts["epochs_done"]) * 29 + -(-int(facts.get("images_done", 0)) // 50)


def programs_under(launcher):
    """Process ids of the ranks, which some launchers start by helpers of their own."""
    parents, programs = {}, []
    for status in pathlib.Path("/proc").glob("[0-9]*/status"):
        try:
            text = status.read_text()
            parents[int(status.parent.name)] = int(text.split("PPid:")[1].split()[0])
            if text.startswith("Name:\tdigits"):
                programs.append(int(status.parent.name))
        except (OSError, IndexError):
            continue

    def is_under(process):
        while process in parents:
            process = parents[process]
            if process == launcher:
                return True
        return False

    return [process for process in programs if is_under(process)]


def same_weights_on_any_number(folder):
    expected = outcome(train(1, folder, *TRAINING))
    for ranks in (2, 3):
        assert outcome(train(ranks, folder, *TRAINING)) == expected, f"{ranks} ranks differ from one"
    assert outcome(train(2, folder, *TRAINING, "--threads", "2")) == expected, "2 threads differ from one"
    return expected


def traces_are_merged(folder):
    trace = folder / "trace.json"
    result = train(2, folder, *TRAINING, "--trace", str(trace))
    assert result["processes"] == 2
    events = json.loads(trace.read_text())["traceEvents"]
    names = {event["args"]["name"] for event in events if event["name"] == "process_name"}
    assert names == {"rank 0 of world", "rank 1 of world"}, names
    of_rank = {event["pid"] for event in events if event["name"].startswith("all_reduce")}
    assert len(of_rank) == 2, "both ranks have exchanged"
    html = (folder / "report.html").read_text()
    assert 'id="communication"' in html


def resumed_on_another_number(folder, expected):
    file = folder / "part.safetensors"
    train(2, folder, *TRAINING, "--save", str(file), "--stop-after", "2")
    assert metadata(file)["epochs_done"] == "2"
    assert outcome(train(3, folder, "--resume", str(file), "--quiet")) == expected, "resumed on 3 ranks"
    assert outcome(train(1, folder, "--resume", str(file), "--quiet")) == expected, "resumed on 1"


def killed(folder, expected, random_moment, number):
    """One of the processes is killed at a random moment. The checkpoint is whole, is at most as old as it may be, and leads to the same weights.

    The moment is a number of steps and then a part of one: how long the run takes depends on the machine.
    """
    file = folder / f"killed{number}.safetensors"
    ranks = random_moment.choice((2, 3))
    slow = [*TRAINING, "--save", str(file), "--save-every", "5"]
    launched = subprocess.Popen(command(ranks, folder, *slow), env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    begin = time.monotonic()
    moment = random_moment.randrange(29 * EPOCHS * 3 // 4)
    while (not file.exists() or steps(metadata(file)) < moment) and time.monotonic() - begin < 30 and launched.poll() is None:
        time.sleep(0.0005)
    time.sleep(random_moment.uniform(0, 0.01))
    seen_before = steps(metadata(file))
    victims = programs_under(launched.pid)
    if victims:
        os.kill(random_moment.choice(victims), signal.SIGKILL)
    try:
        launched.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        launched.kill()
        raise AssertionError("the others have not ended")
    facts = metadata(file)
    assert steps(facts) >= seen_before, f"steps are lost: {steps(facts)} < {seen_before}"
    others = random_moment.choice((1, 2, 3))
    found = outcome(train(others, folder, "--resume", str(file), "--quiet"))
    if int(facts["epochs_done"]) == EPOCHS:  # nothing was left to be trained, and nothing is said of that
        found, expected = found[:3], expected[:3]
    assert found == expected, f"{ranks} ranks, killed after {steps(facts)} steps, resumed on {others}: {found}, expected {expected}"
    left_over = [name for name in os.listdir(folder) if name.startswith(file.name) and name != file.name]
    for name in left_over:  # of a rank that was killed while it wrote
        (folder / name).unlink()
    return bool(victims), steps(facts)


def main():
    seed = int(os.environ.get("TESSERA_TEST_SEED", time.time_ns() % 1_000_000))
    print(f"TESSERA_TEST_SEED={seed}")
    random_moment = random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        expected = same_weights_on_any_number(folder)
        traces_are_merged(folder)
        resumed_on_another_number(folder, expected)
        runs = []
        while sum(was for was, _ in runs) < KILLS and len(runs) < 5 * KILLS:
            runs.append(killed(folder, expected, random_moment, len(runs)))
        assert KILLS == 0 or any(was for was, _ in runs), "no run was killed: all had ended before"
        print(f"{sum(was for was, _ in runs)} of {len(runs)} runs killed, at steps {sorted(step for _, step in runs)} of {29 * EPOCHS}")


main()
