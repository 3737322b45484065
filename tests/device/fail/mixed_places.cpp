// Operands whose places are known and different cannot meet in one expression.
// expect first: operands_are_on_different_places__move_one_with_to_place
#include <utility>
import tessera;

using namespace tessera;

int main() {
  const auto host = zeros<float>(Dim{3}, CpuPlace{});
  const auto gpu = zeros<float>(Dim{3}, GpuPlace{0});
  const auto fine = host + host;
  const auto mixed = host + gpu;
}
