module tessera.schedule;

// The context of each thread.
namespace tessera {

constinit thread_local ThreadContext context_of_thread{};

}  // namespace tessera
