// tessera: everything, by one import.
export module tessera;

export import tessera.core;
export import tessera.device;
export import tessera.memory;
export import tessera.schedule;
export import tessera.array;
export import tessera.expr;
export import tessera.algorithm;
export import tessera.darray;
export import tessera.io;
export import tessera.collective;
