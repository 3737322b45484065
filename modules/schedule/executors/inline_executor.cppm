export module tessera.schedule:inline_executor;
import tessera.standard;
import :op_state;
import :executor;

// An executor that runs ops on the thread that makes them ready.
namespace tessera {

std::shared_ptr<Executor> make_inline_executor(Engine& engine);

}  // namespace tessera
