// tessera.algorithm: what is built from expressions and arrays: random numbers, gathering, sorting, scanning, picking by a mask. It imports expr.
export module tessera.algorithm;

// rows/: arrays row by row, and the compiled kernels
export import :rows;
export import :device_kernels;
export import :device_work;

// random/: random numbers from keys
export import :philox;
export import :device_random;
export import :random;

// sort/: sorting, by value and into positions
export import :sort_order;
export import :radix_sort;
export import :merge_sort;
export import :sorting;
export import :sort;

// scan/: running sums and products
export import :scan_state;
export import :scanning;
export import :scan;

// select/: picking by index and by mask; refusals of all functions
export import :device_gather;
export import :gather;
export import :compressing;
export import :compress;
export import :refusals;

// index/: positions as arrays, picking and writing along an axis, diagonals
export import :index_positions;
export import :along_axis;
export import :diagonals;

// einsum/: sums of products over named axes
export import :subscripts;
export import :contract;
export import :einsum;
