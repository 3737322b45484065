export module tessera.core:single_threaded;

// Whether there are threads at all.
namespace tessera::core {

/// Not 0 while the process has one thread, as the C library says; always 0 where it cannot say.
extern const char& has_one_thread;

/// The process has one thread, so that it may count without locked instructions.
export inline bool is_single_threaded() noexcept { return has_one_thread != 0; }

}  // namespace tessera::core
