export module tessera.io:load;
import tessera.standard;
import tessera.core;
import tessera.darray;
import :mapping;
import :safetensors_header;
import :stored;
import :zip_writer;

// Arrays from files, and into them.
namespace tessera {

/// Arrays by their names.
export using NamedArrays = std::unordered_map<std::string, DArray>;

/// The array of a .npy file, in memory, in the machine's byte order; one in Fortran order has column-major strides. Everything is
/// checked before any memory is taken. Throws FormatError with the file, the byte, what was expected and what was found;
/// std::system_error where the system refuses; OutOfMemory.
export DArray load(const std::string& path);

/// The array of a .npy file with the file as its storage: the time does not depend on the size, and only what is touched is read. It
/// only reads, unless it is opened MapMode::copy_on_write: then writing changes this array and never the file. The file must keep its
/// length meanwhile. Throws what load throws, and FormatError for elements of the other byte order or that are not aligned.
export DArray open(const std::string& path, io::MapMode mode = io::MapMode::read_only);

/// Writes a .npy file, row-major, after the ops that are pending on the array; elements on a GPU are copied first. The file appears
/// under its name when it is complete and on the disk; when that fails, what was there before is still there. Throws std::system_error,
/// ShapeError for an array without storage.
export void save(const std::string& path, const DArray& array);

/// All arrays of a .npz file. Throws what load throws.
export NamedArrays load_npz(const std::string& path);
/// Writes a .npz file, as save does; deflated if that is asked for. Throws std::invalid_argument for names that no file could have.
export void save_npz(const std::string& path, const NamedArrays& arrays,
                     io::Compression compression = io::Compression::stored);

/// All tensors of a .safetensors file, or of all files that an index names whose path ends in .json. Throws what load throws.
export NamedArrays load_safetensors(const std::string& path);
/// The same, mapped as by open.
export NamedArrays open_safetensors(const std::string& path, io::MapMode mode = io::MapMode::read_only);
/// Writes a .safetensors file, as save does. Throws DTypeError for complex128, which the format has not, std::invalid_argument for
/// names that it cannot have.
export void save_safetensors(const std::string& path, const NamedArrays& arrays,
                             const io::SafetensorsMetadata& metadata = {});

}  // namespace tessera
