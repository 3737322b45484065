// Prints the number of GPUs, why there are no more, and what an array on GPU 0, on GPU 1 and on pinned memory is told.
#include <exception>
#include <iostream>
import tessera;

using namespace tessera;

namespace {

void try_place(Place place) {
  try {
    const Array<float, 1> array = zeros<float>(Dim{3}, place);
    std::cout << place << ": " << array.size() << " elements\n";
  } catch (const DeviceError& error) {
    std::cout << "DeviceError: " << error.what() << '\n';
  } catch (const std::exception& error) {
    std::cout << "another error: " << error.what() << '\n';
  }
}

}  // namespace

int main() {
  std::cout << "count " << device_count() << '\n' << "reason [" << no_device_reason() << "]\n";
  for (const Place place : {Place(GpuPlace{0}), Place(GpuPlace{1}), Place(PinnedPlace{})}) try_place(place);
}
