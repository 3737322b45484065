// A name on the host does not become one of a device.
// expect first: the source is on another place than the array: move it with to\(place\)
import tessera;
using namespace tessera;

void fetch(Array<float, 1, CpuPlace>& host, const Array<float, 1, GpuPlace>& device) { host = device; }
