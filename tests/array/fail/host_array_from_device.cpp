// Moving to the host is asked for.
// expect first: is on another place than the array: move it with to\(place\)
import tessera;
using namespace tessera;

void fetch(const Array<float, 1, GpuPlace>& device) { Array<float, 1, CpuPlace> host(device * 2); }
