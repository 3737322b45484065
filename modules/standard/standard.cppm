// tessera.standard: what the other rooms' interfaces use of the C++ standard library. It imports nothing, and nobody re-exports it.
export module tessera.standard;

export import :names;
