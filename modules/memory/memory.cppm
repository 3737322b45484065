// tessera.memory: memory of every place: the Allocator concept, the system's allocators and adaptors of them, two strategies that
// cut chunks into blocks, the pool of each place, and Allocation, which owns or borrows a piece of it. It imports device (and
// through it core).
export module tessera.memory;

// blocks/: how chunks of memory are cut into blocks
export import :allocator;
export import :upstream;
export import :strategy;
export import :buddy;
export import :segregated_fit;
export import :system;

// checks/: watching and checking allocations
export import :trace;
export import :debug_allocator;
export import :adaptors;

// pool/: a pool in front of the system, one a place
export import :pool;
export import :place_pool;
export import :picture;

// use/: memory with an owner, and in the order of streams
export import :allocation;
export import :resource;
export import :stream_order;
