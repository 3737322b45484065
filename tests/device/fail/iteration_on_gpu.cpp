// Elements that are known to be on a GPU have no host iterators.
// expect first: the host cannot iterate over elements on a GPU: copy them with to
import tessera;

int main() {
  const auto fine = tessera::zeros<float>(tessera::Dim{3}, tessera::PinnedPlace{}).begin();
  const auto wrong = tessera::zeros<float>(tessera::Dim{3}, tessera::GpuPlace{0}).begin();
}
