// Imports Tessera, to which only the library is linked that it uses: fails if the two of them do not agree.
import tessera;

tessera::Array<float, 1> doubled(const tessera::Array<float, 1>& a);

int main() {
  using namespace tessera;
  const Array<float, 1> a = zeros<float>(Dim{3}) + 1.5f;
  return doubled(a)[{2}] == 3.0f ? 0 : 1;
}
