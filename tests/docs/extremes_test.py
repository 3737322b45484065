"""Every function that the pages explain is called with what has no value and with extreme numbers, or has a reason why not.

The tables of those calls are tests/*/{without_elements,empty_extents,extreme}*; the functions are those of docs/names.md that a page explains.
"""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLES = ("without_elements", "empty_extents", "extreme_")

GPU = "tests/device, tests/gpu: it takes memory and streams of a GPU"
NO_ARGUMENT = "it takes nothing that could be missing or too large"
TYPES = "it maps types and places, which are in range or do not exist"
HOOK = "templates call it: what they are called with is in the tables"
STRATEGY = "tests/memory/blocks/strategies_test.cpp; sizes are in extreme_sizes_test.cpp by the allocators that are made of it"
FILES = "tests/io/*/*_bad_input_test.cpp and safetensors_test.cpp: files that are none, cut at each byte, and with sizes of all kinds"
TENSORS = "tests/io/dlpack/dlpack_test.cpp: tensors and arrays that are refused"
SAVED = "tests/io/npy/npy_test.cpp, tests/io/zip/npz_test.cpp, tests/io/safetensors/safetensors_test.cpp: no elements, all ranks, strides that do not fit, bad names"
EXCEPTIONS = {
    "assign_name": HOOK,
    "evaluated_begin": HOOK,
    "submit_algorithm": HOOK,
    "viewed": HOOK,
    "assignable": TYPES,
    "kind": TYPES,
    "try_promote": TYPES,
    "device::name": TYPES,
    "run_on": "tests/gpu/op_place_test.cpp: arrays elsewhere, no arrays, and work that throws",
    "require_device": "tests/device/places/table_test.cpp: places that are there and not",
    "Array::layout": NO_ARGUMENT,
    "communication_time": "tests/collective/group/tracing_test.cpp: records, of which there may be none",
    "merge_chrome_traces": "tests/schedule/pictures/chrome_trace_test.cpp: traces, of which there may be none, and texts that are none",
    "shard_map": "tests/collective/sharded/sharded_test.cpp: more ranks than rows, and no rows",
    "device::compiler_architectures": NO_ARGUMENT,
    "device::compiler_version": NO_ARGUMENT,
    "device::isa": NO_ARGUMENT,
    "device::caches": NO_ARGUMENT,
    "device::kernel_folder": NO_ARGUMENT,
    "device::no_compiler_reason": NO_ARGUMENT,
    "memory::default_driver_memory": NO_ARGUMENT,
    "memory::default_strategy": NO_ARGUMENT,
    "memory::make_buddy": STRATEGY,
    "memory::make_segregated_fit": STRATEGY,
    "memory::make_upstream": STRATEGY,
    "memory::read_trace": "tests/memory/pool/watch_test.cpp: files that are none, and no file",
    "memory::stop_trace": NO_ARGUMENT,
    "random::philox": "any key and any counter have words",
    "Scheduler::counters": NO_ARGUMENT,
    "device::compile_kernel": GPU,
    "device::copy_async": GPU,
    "device::copy_bytes": GPU,
    "device::copy_rows_async": GPU,
    "device::fill_async": GPU,
    "device::find_kernel": GPU,
    "device::gpu_identity": "tests/device/with_driver/devices_test.cpp: GPUs that are there and not",
    "device::limit_isa": NO_ARGUMENT,
    "device_count": NO_ARGUMENT,
    "devices": NO_ARGUMENT,
    "no_device_reason": NO_ARGUMENT,
    "synchronize": NO_ARGUMENT,
    "memory::share": "tests/memory: a share of something is something",
    "random::block": "any key and any counter have a block",
    "Scheduler::shutdown": NO_ARGUMENT,
    "place_cast": TYPES,
    "promote": TYPES,
    "visit": TYPES,
    "var_of": "tests/schedule/replay/capture_test.cpp: parameters of a recording",
    "from_dlpack": TENSORS,
    "to_dlpack": TENSORS,
    "to_dlpack_versioned": TENSORS,
    "load": FILES,
    "load_safetensors": FILES,
    "open_safetensors": FILES,
    "io::load_npy": FILES,
    "io::load_npz": FILES,
    "io::load_safetensors": FILES,
    "io::map_npy": FILES,
    "io::save_npy": SAVED,
    "io::save_npz": SAVED,
    "io::save_safetensors": SAVED,
    "save": "tests/io/arrays/load_test.cpp: no storage, no folder; ranks and types in tests/io/npy/npy_test.cpp",
    "write_chrome_trace": "tests/schedule/pictures/chrome_trace_test.cpp: records, of which there may be none",
}


def explained():
    """Functions, constructors and members that a page explains."""
    rows = re.findall(r"^\| \[?(?:`|<code>)(.+?)(?:`|</code>)(?:\]\(\S+\))? \| (?:function|constructor) \|.*\]\(\S+\) \|$",
                      (ROOT / "docs/names.md").read_text(encoding="utf-8"), re.M)
    return list(dict.fromkeys(rows))


def called():
    """The text of the tables without comments."""
    paths = [path for path in ROOT.glob("tests/**/*.cpp") if path.name.startswith(TABLES)]
    return re.sub(r"//.*", "", "\n".join(path.read_text(encoding="utf-8") for path in paths))


def is_named(name, text):
    """Members are called without their class."""
    called_as = name.split("::")[-1] if name[0].isupper() else name
    return re.search(r"(?<!\w)" + re.escape(called_as) + r"(?!\w)", text) is not None


class Extremes(unittest.TestCase):
    def test_every_explained_function_is_in_a_table_or_has_a_reason(self):
        text = called()
        self.assertEqual([name for name in explained() if name not in EXCEPTIONS and not is_named(name, text)], [])

    def test_every_reason_is_needed(self):
        text, names = called(), explained()
        self.assertEqual([name for name in EXCEPTIONS if name not in names or is_named(name, text)], [])

    def test_the_index_is_read(self):
        self.assertGreater(len(explained()), 150)


unittest.main()
