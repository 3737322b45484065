// Lets allocations that are too large fail under the sanitizers too, instead of ending the program.
#if __has_feature(address_sanitizer)
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }
#elif __has_feature(thread_sanitizer)
extern "C" const char* __tsan_default_options() { return "allocator_may_return_null=1"; }
#endif
