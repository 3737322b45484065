// An array on the host is not made of one on a device.
// expect first: the array is on another place: move it with to\(place\)
import tessera;
using namespace tessera;

auto fetch(const Array<float, 1, GpuPlace>& device) { return Array<float, 1, CpuPlace>(device); }
