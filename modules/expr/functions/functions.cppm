export module tessera.expr:functions;

// The elementwise functions, one partition a group.
export import :arithmetic;
export import :exponentials;
export import :angles;
export import :rounding;
export import :classification;
export import :complex;
export import :special;
