// Draws how buddies split and merge, for the page "From malloc to a pool per place", and compares with the pictures that it shows:
// buddies FOLDER; "buddies FOLDER draw" writes them.
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>
import tessera;

using namespace tessera;

namespace {

constexpr std::ptrdiff_t granule = 64 << 10;

/// A chunk of sixteen granules: after each step its picture.
std::vector<std::string> draw() {
  std::vector<std::string> pictures;
  // --8<-- [start:buddies]
  memory::Pool pool(memory::CpuSystemAllocator{},
                    {.strategy = memory::StrategyKind::buddy, .layout = {.granule = granule}});
  const auto picture = [&] { pictures.push_back(memory::MemoryMap(pool).svg()); };
  void* five = pool.allocate(5 * granule);
  picture();
  void* one = pool.allocate(granule);
  void* two = pool.allocate(2 * granule);
  picture();
  pool.deallocate(five);
  picture();
  pool.deallocate(one);
  pool.deallocate(two);
  picture();
  // --8<-- [end:buddies]
  return pictures;
}

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) return std::fprintf(stderr, "usage: buddies FOLDER [draw]\n"), 2;
  const bool writes = count > 2 && std::string_view(arguments[2]) == "draw";
  const std::vector<std::string> pictures = draw();
  int different = 0;
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    const std::string path = std::string(arguments[1]) + "/buddies-" + std::to_string(i + 1) + ".svg";
    if (writes) std::ofstream(path, std::ios::binary) << pictures[i];
    if (contents(path) == pictures[i]) continue;
    std::fprintf(stderr, "%s is not what the code draws:\n%s", path.c_str(), pictures[i].c_str());
    ++different;
  }
  return different == 0 ? 0 : 1;
}
