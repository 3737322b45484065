// Which GPUs a test can use: two on the fake driver, at least one on a real one. To be included after `import tessera;`.
#pragma once

/// The second GPU, or the first where there is no other. Tests that need two are in the suite "two GPUs".
inline tessera::GpuPlace other_gpu() { return {tessera::device_count() > 1 ? 1 : 0}; }

/// A GPU that is not there.
inline tessera::GpuPlace no_gpu() { return {tessera::device_count()}; }
