// An element on any place is no float for C.
// expect first: write float\(a\[i\]\)
#include <cstdio>
import tessera;
using namespace tessera;

void print(Array<float, 1>& a) { printf("%f", a[0]); }
