// tessera.memory: memory of every place: the Allocator concept, the system's allocators, the pool of each place, and
// Allocation, which owns or borrows a piece of it. It imports device (and through it core).
export module tessera.memory;

export import :allocator;
export import :system;
export import :pool;
export import :place_pool;
export import :allocation;
