// The host cannot walk over the elements of a device in a loop either.
// expect first: the host cannot iterate over elements on a GPU: copy them with to
import tessera;
using namespace tessera;

float total(const Array<float, 1, GpuPlace>& device) {
  float sum = 0;
  for (const float x : device) sum += x;
  return sum;
}
