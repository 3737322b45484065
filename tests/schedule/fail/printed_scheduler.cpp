// A scheduler is no value.
// expect first: a Scheduler has nothing to print
#include <iostream>
import tessera;
using namespace tessera;

void print(const Scheduler& scheduler) { std::cout << scheduler; }
