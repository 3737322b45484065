// The line that says where a file was included from is one of the first five.
// expect first: In file included from .*error_in_included_file.cpp
// expect first: error: use of undeclared identifier 'nothing'
#include "undeclared.h"
