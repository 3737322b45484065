module;
#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>
module tessera.io;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;
import tessera.darray;

// Between what files hold and dynamic arrays.
namespace tessera {

namespace {

DArray array_of(const io::StoredArray& stored, bool is_read_only = false) {
  const dynamic::DLayout layout = [&] {
    dynamic::DLayout made{.rank = stored.shape.rank()};
    std::ranges::copy(stored.shape.extents(), made.extents.begin());
    std::ranges::copy(stored.strides, made.strides.begin());
    return made;
  }();
  return {stored.buffer, stored.dtype, layout, CpuPlace{}, is_read_only};
}

/// Arrays on the host that are complete, and how they lie.
class ReadyArrays {
 public:
  /// `name` is that of the array in messages. Throws ShapeError for an array without storage.
  void add(const std::string& name, const DArray& array) {
    if (!array.has_storage()) {
      throw ShapeError(to_string(Failure{.operation = "save",
                                         .problem = "the array '" + name + "' has no storage",
                                         .advice = "give it some: zeros(dtype, shape)"}));
    }
    array.wait(schedule::Purpose::read);
    const DArray& here = kept_.emplace_back(array.place().on_host() ? array : array.to(CpuPlace{}));
    described_.push_back({name, {here.data(), here.dtype(), here.shape(), {}}});
  }
  /// In the order of their names, so that equal arrays make equal files.
  void add(const NamedArrays& arrays) {
    std::vector<std::string> names;
    for (const auto& [name, array] : arrays) names.push_back(name);
    std::ranges::sort(names);
    for (const std::string& name : names) add(name, arrays.at(name));
  }

  /// Valid as long as this, and until the next array is added.
  std::span<const io::NamedArrayToSave> all() {
    for (std::size_t k = 0; k < kept_.size(); ++k) described_[k].array.strides = kept_[k].strides();
    return described_;
  }

 private:
  std::vector<DArray> kept_;
  std::vector<io::NamedArrayToSave> described_;
};

NamedArrays arrays_of(std::vector<io::NamedStoredArray> stored) {
  NamedArrays arrays;
  for (io::NamedStoredArray& one : stored) arrays.emplace(std::move(one.name), array_of(one.array));
  return arrays;
}

template <class File, class Read>
NamedArrays each_of(const File& file, const Read& read) {
  NamedArrays arrays;
  for (const std::string& name : file.names()) arrays.emplace(name, read(file, name));
  return arrays;
}

/// Calls `read` for each tensor of a file, or of the files of an index.
template <class Read>
NamedArrays tensors_of(const std::string& path, const Read& read) {
  if (path.ends_with(".json")) return each_of(io::ShardedSafetensors(path), read);
  return each_of(io::SafetensorsFile(path), read);
}

}  // namespace

DArray load(const std::string& path) { return array_of(io::load_npy(path)); }

DArray open(const std::string& path, io::MapMode mode) {
  return array_of(io::map_npy(path, mode), mode == io::MapMode::read_only);
}

void save(const std::string& path, const DArray& array) {
  ReadyArrays ready;
  ready.add(path, array);
  io::save_npy(path, ready.all()[0].array);
}

NamedArrays load_npz(const std::string& path) { return arrays_of(io::load_npz(path)); }

void save_npz(const std::string& path, const NamedArrays& arrays, io::Compression compression) {
  ReadyArrays ready;
  ready.add(arrays);
  io::save_npz(path, ready.all(), compression);
}

NamedArrays load_safetensors(const std::string& path) {
  return tensors_of(path, [](const auto& file, const std::string& name) { return array_of(file.load(name)); });
}

NamedArrays open_safetensors(const std::string& path, io::MapMode mode) {
  return tensors_of(path, [mode](const auto& file, const std::string& name) {
    return array_of(file.map(name, mode), mode == io::MapMode::read_only);
  });
}

void save_safetensors(const std::string& path, const NamedArrays& arrays, const io::SafetensorsMetadata& metadata) {
  ReadyArrays ready;
  ready.add(arrays);
  io::save_safetensors(path, ready.all(), metadata);
}

}  // namespace tessera
