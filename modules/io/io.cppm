// tessera.io: arrays in files: .npy, .npz and safetensors, read into memory or mapped. It imports tessera.darray and the rooms above.
export module tessera.io;

export import :stored;
export import :refusal;
export import :input_file;
export import :output_file;
export import :byte_order;
export import :mapping;
export import :npy_literal;
export import :npy_header;
export import :npy;
export import :zip_records;
export import :zip_directory;
export import :zip_entry_reader;
export import :zip_writer;
export import :npz;
export import :safetensors_json;
export import :safetensors_header;
export import :safetensors;
export import :load;
export import :dlpack;
