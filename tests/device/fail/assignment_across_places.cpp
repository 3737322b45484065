// An expression on a GPU is not assigned to an array on the host: moving is explicit.
// expect first: is on another place than the array: move it with to\(place\)
import tessera;

using namespace tessera;

int main() {
  auto host = zeros<float>(Dim{3}, CpuPlace{});
  const auto gpu = zeros<float>(Dim{3}, GpuPlace{0});
  host = gpu + 1.0f;
}
