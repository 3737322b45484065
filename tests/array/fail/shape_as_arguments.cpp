// A shape is a Dim.
// expect first: a shape is written Dim{2, 3}
import tessera;
using namespace tessera;

Array<float, 2> matrix(2, 3);
