// tessera.array: arrays that know where they live: shared storage, handles with shape and strides, views, slicing,
// iteration, printing. It imports memory and schedule; evaluating expressions is the next room's work.
export module tessera.array;

// layout/: where elements lie, without memory
export import :layout;
export import :index;
export import :named_axes;
export import :slicing;
export import :footprint;

// handle/: storage, and the types that see it
export import :pointer;
export import :reference;
export import :concepts;
export import :assigned;
export import :iterator;
export import :members;
export import :picking;
export import :elements;
export import :buffer;
export import :strided_copy;
export import :view;
export import :handle;
export import :owning_reference;
export import :stream_work;
export import :compound;
export import :array_parameter;
export import :scalar_parameter;
export import :ready;

// views/: the same elements in another shape, and what schedulers know of that
export import :viewed;
export import :reshaping;
export import :axes;
export import :windows;
export import :view_vars;
export import :view_submission;

// copy/: copies in which a GPU takes part
export import :device_copy_kernel;
export import :device_copy;

// make/: new arrays, and arrays as text
export import :factories;
export import :make_array;
export import :adopt;
export import :number_text;
export import :print;
