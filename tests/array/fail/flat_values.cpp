// Values of a matrix stand in two pairs of braces.
// expect first: values in braces
import tessera;
using namespace tessera;

Array<float, 2> matrix = {1, 2};
