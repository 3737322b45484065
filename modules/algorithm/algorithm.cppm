// tessera.algorithm: what is built from expressions and arrays: random numbers, gathering. It imports expr.
export module tessera.algorithm;

export import :philox;
export import :device_random;
export import :random;
export import :device_gather;
export import :gather;
