// The header of error_in_included_file.cpp.
inline int value = nothing;
