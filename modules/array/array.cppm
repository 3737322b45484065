// tessera.array: arrays that know where they live: shared storage, handles with shape and strides, views, slicing,
// iteration, printing. It imports memory and schedule; evaluating expressions is the next room's work.
export module tessera.array;

export import :reference;
export import :assigned;
export import :concepts;
export import :members;
export import :layout;
export import :index;
export import :slicing;
export import :footprint;
export import :buffer;
export import :view_vars;
export import :pointer;
export import :strided_copy;
export import :device_copy;
export import :device_items;
export import :device_tiles;
export import :iterator;
export import :view;
export import :elements;
export import :compound;
export import :handle;
export import :settled;
export import :array_parameter;
export import :viewed;
export import :scalar_parameter;
export import :named_axes;
export import :reshaping;
export import :axes;
export import :windows;
export import :factories;
export import :make_array;
export import :print;
