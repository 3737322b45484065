// The host cannot walk over the elements of a device.
// expect: GpuPlace
import tessera;
using namespace tessera;

float* first(const Array<float, 1, GpuPlace>& device) { return &*device.begin(); }
