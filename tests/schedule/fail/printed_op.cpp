// An op is no value.
// expect first: an Op has nothing to print: print what it writes
#include <iostream>
import tessera;
using namespace tessera;

void print(const Op& op) { std::cout << op; }
