// The body of a loop takes its index.
// expect: constraints not satisfied
// expect: is_invocable_v
import tessera;

int main() {
  tessera::parallel_for(3, [](long) {});
  tessera::parallel_for(3, [] {});
}
