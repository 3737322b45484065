// Nor does an expression over a device's elements fit into a host array.
// expect first: is on another place than the array: move it with to\(place\)
import tessera;
using namespace tessera;

void assign_from_device(Array<float, 1, CpuPlace>& host, const Array<float, 1, GpuPlace>& device) { host = device * 2; }
