// The least that imports the library: programs that must not compile are compiled as this is.
import tessera;
