module;
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#define TESSERA_SAYS_THREADS 1
#else
#define TESSERA_SAYS_THREADS 0
#endif
export module tessera.core:single_threaded;

// Whether there are threads at all.
namespace tessera::core {

/// The process has one thread, so that it may count without locked instructions. False where the C library cannot say.
export inline bool is_single_threaded() noexcept {
#if TESSERA_SAYS_THREADS
  return __libc_single_threaded != 0;
#else
  return false;
#endif
}

}  // namespace tessera::core
