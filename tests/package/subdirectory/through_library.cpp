// Imports a room of Tessera, to which it is linked through a library only.
import tessera.core;

tessera::Dim<2> square(int n);

int first_extent(int n) { return static_cast<int>(square(n)[0]); }
