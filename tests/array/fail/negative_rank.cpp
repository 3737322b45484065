// There is no rank below 0.
// expect first: -1 >= 0
import tessera;
using namespace tessera;

Array<float, -1> nothing;
