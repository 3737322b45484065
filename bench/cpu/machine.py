"""Which machine and which versions a measurement is of."""

import datetime
import os
import pathlib
import re
import subprocess

CPUINFO = pathlib.Path("/proc/cpuinfo")


def field(name):
    found = re.search(rf"^{name}\s*: (.*)$", CPUINFO.read_text(), re.M) if CPUINFO.exists() else None
    return found.group(1) if found else ""


def has(isa):
    flags = field("flags").split()
    return {"avx2": "avx2", "avx512": "avx512dq"}[isa] in flags


def warn_if_busy():
    load = os.getloadavg()[0]
    if load > 0.5:
        print(f"the machine is busy (load {load:.1f}): the times will be too long, their ratios less so")


def first_line(*command):
    try:
        return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True).stdout.splitlines()[0]
    except (OSError, IndexError):
        return ""


def compiler(build):
    """Name and version of the compiler that the build in this folder uses."""
    cache = build / "CMakeCache.txt"
    found = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.*)$", cache.read_text(), re.M) if cache.exists() else None
    version = re.search(r"clang version [\d.]+", first_line(found.group(1), "--version")) if found else None
    return version.group(0).replace(" version", "") if version else "unknown compiler"


def package(name):
    """Upstream version of a Debian package; nothing where there is none."""
    version = first_line("dpkg-query", "-W", "-f=${Version}\n", name)
    return re.sub(r"^\d+:|-[^-]*$", "", version)


def describe(build):
    peers = (("Eigen", "libeigen3-dev"), ("xtensor", "libxtensor-dev"), ("g++", "g++-12"))
    versions = [f"{name} {version}" for name, debian in peers if (version := package(debian))]
    cores = len(os.sched_getaffinity(0))
    return {"date": str(datetime.date.today()), "compiler": compiler(build), "peers": ", ".join(versions),
            "machine": f"{field('model name')} (family {field('cpu family')}), {cores} cores"}
