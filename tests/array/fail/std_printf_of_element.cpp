// Nor is it for the printf of the standard library.
// expect first: cannot pass non-trivial object
#include <cstdio>
import tessera;
using namespace tessera;

void print(Array<float, 1>& a) { std::printf("%f", a[0]); }
