export module tessera.expr:conversion_tables;
import tessera.standard;
import tessera.core;
import :function;

// The functions by their names, and tables of conversions: casts inside a program, and the ways from memory to values and back.
namespace tessera::dynamic {

/// The function of that name.
export const Function& function(Name name);

/// The conversion of values into elements of that type, as cast<T>() does it. What it returns is in the type's compute type.
export const Function& cast_to(DType to);

/// The kernel from elements to values in their compute type; null where that is the same.
Variant load_of(DType element);
/// The kernel from values to elements, converted as an assignment converts; null where the types are the same, or an assignment does
/// not convert.
Variant store_of(DType value, DType element);

}  // namespace tessera::dynamic
