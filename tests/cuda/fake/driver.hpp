// What the parts of the fake driver share.
#pragma once

#include "machine.hpp"

namespace fake {

/// The GPU whose context is current in this thread.
extern thread_local Gpu* current;

/// Whether the next copy or allocation fails, as a test has wished.
bool fails_now();

/// Whether work can be given to the stream in this thread's context.
int check_stream(Machine& machine, const Stream* stream);

}  // namespace fake
