// A library that has Tessera in its interface.
import tessera;

tessera::Array<float, 1> doubled(const tessera::Array<float, 1>& a) { return 2.0f * a; }
