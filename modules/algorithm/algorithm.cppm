// tessera.algorithm: what is built from expressions and arrays: random numbers, gathering, sorting, scanning, picking by a mask,
// searching, sets, counting, statistics, differences. It imports expr.
export module tessera.algorithm;

// rows/: arrays row by row, and the compiled kernels
export import :rows;
export import :instruction_sets;
export import :device_kernels;
export import :device_work;

// scan/: running sums and products
export import :scan_state;
export import :scanning;
export import :scan;

// select/: picking by index and by mask; operands of algorithms that run on the host alone
export import :gather;
export import :compressing;
export import :compress;
export import :host_elements;
export import :repeats;

// index/: positions as arrays, picking and writing along an axis, diagonals
export import :index_positions;
export import :along_axis;
export import :diagonals;

// sort/: sorting, by value and into positions
export import :sort_order;
export import :radix_sort;
export import :merge_sort;
export import :sorting;
export import :sort;
export import :complex_sort;

// search/: searching sorted vectors, membership
export import :keys;
export import :searching;
export import :membership;
export import :search;

// sets/: different elements, and arrays as sets
export import :distinct;
export import :sets;

// counting/: counts and sums by label, bin and segment
export import :counting;
export import :histograms;
export import :counts;
export import :segments;

// selection/: ranks, partial orders, quantiles
export import :key_rows;
export import :key_samples;
export import :ranks;
export import :row_splitting;
export import :selecting;
export import :partition;
export import :quantiles;
export import :quantile;

// statistics/: averages, covariances, reductions without NaN
export import :nan_reductions;
export import :averages;

// differences/: running extreme values, scans with options; differences, slopes, areas, convolution, interpolation
export import :running;
export import :running_scans;
export import :differences;
export import :filtering;
export import :filters;

// einsum/: sums of products over named axes
export import :subscripts;
export import :contract;
export import :einsum;
export import :tensor_products;

// random/: random numbers from keys
export import :philox;
export import :device_random;
export import :random;
export import :device_rejection;
export import :rejection;
export import :distributions;
export import :gamma;
export import :discrete;
export import :multivariate;

// refusals/: what functions say to operands that they do not take
export import :refusals;
