// The body of a loop takes its index.
// expect first: the body takes the index of an iteration
import tessera;

int main() {
  tessera::parallel_for(3, [](long) {});
  tessera::parallel_for(3, [] {});
}
