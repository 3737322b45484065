// A task is no value before it is awaited.
// expect first: a Task is no value: print what co_await gives
#include <iostream>
import tessera;
using namespace tessera;

void print(const Task<int>& task) { std::cout << task; }
