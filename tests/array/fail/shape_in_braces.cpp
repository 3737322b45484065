// Braces hold values, and those of a matrix stand in two pairs.
// expect first: a shape is written Dim{2, 3}
import tessera;
using namespace tessera;

Array<float, 2> matrix({2, 3});
