// Memory has one owner: an allocation moves and is not copied.
// expect: deleted copy constructor of .*Allocation
import tessera;

int main() {
  const tessera::memory::Allocation owner(tessera::CpuPlace{}, 64);
  const tessera::memory::Allocation copy = owner;
}
