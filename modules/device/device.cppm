// tessera.device: where memory and work can be: places, the device table, the CUDA driver opened at run time, streams and
// kernels, the CPU's instruction sets. It imports core only.
export module tessera.device;

// places/: places, the device table, the driver
export import :place;
export import :cpu;
export import :caches;
export import :library;
export import :table;
export import :driver;
export import :driver_pool;
export import :gpu_identity;

// streams/: queues of a GPU's work, and copies as such work
export import :stream;
export import :copy;
export import :stream_trace;
export import :stream_uses;
export import :launch_graph;

// kernels/: CUDA kernels from text, where they are kept, and what they are given
export import :items;
export import :quotients;
export import :tiles;
export import :arguments;
export import :kernel;
export import :find_kernel;
