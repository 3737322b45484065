// tessera.memory: memory of every place: the Allocator concept, the system's allocators and adaptors of them, two strategies that
// cut chunks into blocks, the pool of each place, and Allocation, which owns or borrows a piece of it. It imports device (and
// through it core).
export module tessera.memory;

export import :allocator;
export import :upstream;
export import :system;
export import :adaptors;
export import :stream_allocator;
export import :strategy;
export import :debug_allocator;
export import :trace;
export import :pool;
export import :place_pool;
export import :stream_order;
export import :allocation;
export import :resource;
export import :picture;
