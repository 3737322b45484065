// tessera.standard: the names of the C++ standard library that the other rooms' interfaces use. It imports nothing.
//
// The declarations of each header that an interface includes are in its BMI, and whoever imports the library reads all copies and merges
// them. So interfaces import the large headers from here. Small ones that also have macros (cstddef, cstdint, cstring, new) and cmath they
// include. A name that is missing here is added to the group of its header; implementation units include what they like.
//
// No room re-exports it, because clang 19 then refuses headers below the import. What users may name without a header is in core's
// standard_names.cppm.
export module tessera.standard;

export import :values;
export import :threads;
