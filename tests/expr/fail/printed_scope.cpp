// A scope has nothing to print.
// expect first: an Async scope has nothing to print
#include <iostream>
import tessera;
using namespace tessera;

void print(const Async& scope) { std::cout << scope; }
