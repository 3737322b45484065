// There is no rank below 0.
// expect: -1 >= 0
import tessera;
using namespace tessera;

Array<float, -1> nothing;
