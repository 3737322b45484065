module;
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif
module tessera.core;

// The flag of glibc. Others have none.
namespace tessera::core {

#if __has_include(<sys/single_threaded.h>)
constinit const char& has_one_thread = __libc_single_threaded;
#else
constexpr char unknown = 0;
constinit const char& has_one_thread = unknown;
#endif

}  // namespace tessera::core
