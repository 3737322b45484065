// A dynamic shape holds nine axes at most, which a static shape's rank shows at compile time.
// expect first: a shape of at most max_rank axes
import tessera;

tessera::DDim fine = tessera::Dim<9>{};
tessera::DDim wrong = tessera::Dim<10>{};
