// Variables are the rows of a matrix.
// expect: each row of a matrix is a variable
import tessera;
using namespace tessera;

auto together(const Array<float, 1>& a) { return cov(a); }
