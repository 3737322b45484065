// Memory has one owner: an allocation moves and is not copied.
// expect first: memory has one owner: an Allocation moves
import tessera;

int main() {
  const tessera::memory::Allocation owner(tessera::CpuPlace{}, 64);
  const tessera::memory::Allocation copy = owner;
}
