// Elements that are known to be on a GPU have no host iterators.
// expect: .begin.: constraints not satisfied
// expect: !std::same_as<tessera::GpuPlace, GpuPlace>
import tessera;

int main() {
  const auto fine = tessera::zeros<float>(tessera::Dim{3}, tessera::PinnedPlace{}).begin();
  const auto wrong = tessera::zeros<float>(tessera::Dim{3}, tessera::GpuPlace{0}).begin();
}
