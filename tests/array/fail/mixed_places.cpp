// Elements move between places only when that is asked for.
// expect first: is on another place than the array: move it with to\(place\)
import tessera;
using namespace tessera;

void assign_from_device(const Array<float, 2, CpuPlace>& host, const Array<float, 1, GpuPlace>& device) {
  host(0) = device;
}
