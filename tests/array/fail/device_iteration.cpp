// The host cannot walk over the elements of a device.
// expect first: the host cannot iterate over elements on a GPU: copy them with to
import tessera;
using namespace tessera;

float* first(const Array<float, 1, GpuPlace>& device) { return &*device.begin(); }
