// Part of a library that has Tessera's shapes in its interface.
import tessera.core;

tessera::Dim<2> square(int n) { return {n, n}; }
