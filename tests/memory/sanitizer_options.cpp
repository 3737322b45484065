// Lets allocations that are too large fail under the sanitizers too, instead of ending the program.
extern "C" [[gnu::weak]] const char* __asan_default_options() { return "allocator_may_return_null=1"; }
extern "C" [[gnu::weak]] const char* __tsan_default_options() { return "allocator_may_return_null=1"; }
