// Times reading, mapping and writing files: bench_io_files ACTION PATH [REPEATS]. Prints the seconds of each repeat; the first one of a process finds
// memory that nobody has touched, the later ones what the pool has kept.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>
import tessera;
import tessera.io;

using namespace tessera;

namespace {

io::ArrayToSave view_of(const io::StoredArray& array) {
  return {array.buffer->data(), array.dtype, array.shape,
          std::span<const std::ptrdiff_t>(array.strides).first(static_cast<std::size_t>(array.shape.rank()))};
}

void time(int repeats, const std::function<void()>& action, const std::string& made = {}) {
  for (int i = 0; i < repeats; ++i) {
    if (!made.empty()) std::remove(made.c_str());  // freeing what a file had takes a fifth of a second
    const auto begin = std::chrono::steady_clock::now();
    action();
    std::printf("%.6f\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
}

/// Saving what `from` holds, beside it.
void time_saving(const std::string& from, int repeats,
                 const std::function<void(const std::string&, const io::NamedArrayToSave&)>& save) {
  const io::StoredArray array = io::load_npy(from);
  const io::NamedArrayToSave named{"a", view_of(array)};
  time(repeats, [&] { save(from + ".saved", named); }, from + ".saved");
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) return 2;
  const std::string action = arguments[1];
  const std::string path = arguments[2];
  const int repeats = count > 3 ? std::atoi(arguments[3]) : 3;
  try {
    if (action == "load") time(repeats, [&] { io::load_npy(path); });
    if (action == "map") time(repeats, [&] { io::map_npy(path); });
    if (action == "load_npz") time(repeats, [&] { io::load_npz(path); });
    if (action == "load_safetensors") time(repeats, [&] { io::load_safetensors(path); });
    if (action == "save")
      time_saving(path, repeats, [](const std::string& to, const auto& named) { io::save_npy(to, named.array); });
    if (action == "save_transposed") {
      time_saving(path, repeats, [](const std::string& to, const auto& named) {
        io::ArrayToSave array = named.array;
        const std::ptrdiff_t side = 16384;
        const std::vector<std::ptrdiff_t> strides{1, side};
        array.shape = make_ddim({side, product(array.shape) / side});
        array.strides = strides;
        io::save_npy(to, array);
      });
    }
    if (action == "save_npz")
      time_saving(path, repeats, [](const std::string& to, const auto& named) { io::save_npz(to, {&named, 1}); });
    if (action == "save_safetensors")
      time_saving(path, repeats,
                  [](const std::string& to, const auto& named) { io::save_safetensors(to, {&named, 1}); });
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
