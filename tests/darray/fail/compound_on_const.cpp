// A const dynamic array is read only.
// expect first: no viable overloaded '[+]='
import tessera;
using namespace tessera;

void add(const DArray& fixed) { fixed += 1; }
