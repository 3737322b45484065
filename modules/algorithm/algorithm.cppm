// tessera.algorithm: what is built from expressions and arrays: random numbers, gathering, sorting, scanning, picking by a mask. It imports expr.
export module tessera.algorithm;

export import :philox;
export import :device_random;
export import :random;
export import :device_gather;
export import :gather;
export import :rows;
export import :device_kernels;
export import :device_work;
export import :sort_order;
export import :key_sorting;
export import :sorting;
export import :sort;
export import :scan_state;
export import :scanning;
export import :scan;
export import :compressing;
export import :compress;
export import :refusals;
