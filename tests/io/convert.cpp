// Reads a file and writes its arrays again, for tests with other programs: convert [load|map] FROM TO, where the ends of the names say what
// they are: .npy, .npz (z.npz is deflated), .safetensors or .index.json.
#include <cstdio>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
import tessera;
import tessera.io;

using namespace tessera;

namespace {

struct Named {
  std::string name;
  io::StoredArray array;
};

std::vector<Named> read(const std::string& path, bool maps) {
  std::vector<Named> arrays;
  if (path.ends_with(".npz")) {
    for (auto& [name, array] : io::load_npz(path)) arrays.push_back({name, std::move(array)});
  } else if (path.ends_with(".safetensors")) {
    const io::SafetensorsFile file(path);
    for (const std::string& name : file.names()) arrays.push_back({name, maps ? file.map(name) : file.load(name)});
  } else if (path.ends_with(".json")) {
    const io::ShardedSafetensors file(path);
    for (const std::string& name : file.names()) arrays.push_back({name, maps ? file.map(name) : file.load(name)});
  } else {
    arrays.push_back({"a", maps ? io::map_npy(path) : io::load_npy(path)});
  }
  return arrays;
}

io::ArrayToSave view_of(const io::StoredArray& array) {
  return {array.buffer->data(), array.dtype, array.shape,
          std::span<const std::ptrdiff_t>(array.strides).first(static_cast<std::size_t>(array.shape.rank()))};
}

void write(const std::string& path, const std::vector<Named>& arrays) {
  std::vector<io::NamedArrayToSave> list;
  for (const Named& one : arrays) list.push_back({one.name, view_of(one.array)});
  if (path.ends_with(".npz"))
    return io::save_npz(path, list, path.ends_with("z.npz") ? io::Compression::deflated : io::Compression::stored);
  if (path.ends_with(".safetensors")) return io::save_safetensors(path, list, {{"format", "test"}});
  io::save_npy(path, list.at(0).array);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) return 2;
  try {
    write(arguments[3], read(arguments[2], std::string_view(arguments[1]) == "map"));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
