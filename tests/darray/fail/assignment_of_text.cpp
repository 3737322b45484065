// What is assigned is an array, an expression or a number.
// expect first: no viable overloaded '='
import tessera;
using namespace tessera;

void fill(DArray& x) { x = "text"; }
