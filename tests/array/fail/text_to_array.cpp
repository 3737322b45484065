// A text is no value of an array.
// expect first: the right side of = is an array, an expression, a scalar, or values in braces
import tessera;
using namespace tessera;

void name(Array<float, 2>& matrix) { matrix = "identity"; }
