// A dynamic shape holds nine axes at most, which a static shape's rank shows at compile time.
// expect: Rank <= max_rank
import tessera;

tessera::DDim fine = tessera::Dim<9>{};
tessera::DDim wrong = tessera::Dim<10>{};
