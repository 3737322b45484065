// tessera.device: where memory and work can be: places, the device table, the CUDA driver opened at run time, streams and
// kernels, the CPU's instruction sets. It imports core only.
export module tessera.device;

export import :place;
export import :table;
export import :driver;
export import :stream;
export import :stream_uses;
export import :stream_trace;
export import :copy;
export import :kernel;
export import :cpu;
