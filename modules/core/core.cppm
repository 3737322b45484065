// tessera.core: element types, shapes, checked size arithmetic and errors. The ground floor: it imports no other room.
export module tessera.core;

export import :standard_names;
export import :error;
export import :explain;
export import :checked;
export import :small_vector;
export import :float16;
export import :bfloat16;
export import :dtype;
export import :promote;
export import :single_threaded;
export import :dim;
export import :ddim;
export import :time;
