export module tessera.collective:mpi_wire;
import tessera.standard;
import :wire;

// The library that speaks MPI (collective/), opened at run time. TESSERA_MPI names another one than libtessera_mpi.so beside the program, in ../lib from
// there, or where the system finds libraries; "none" is none.
namespace tessera::collective {

/// Who may use a wire.
struct EngineThreads {
  bool is_one = false;   // only the thread that began the engine
  bool is_ours = false;  // the engine was begun here, and not by the program
};

/// Whether the program has begun MPI by itself.
bool program_has_begun_mpi() noexcept;

/// Begins MPI unless the program has done so. Throws CollectiveError without the library, and with MPI's words.
EngineThreads begin_mpi(const std::string& why, void (*before_end)());
/// Ends it if it was begun here: waits for all other processes to do so.
void end_mpi() noexcept;

/// All processes of the job. Waits for all of them. Throws CollectiveError.
std::unique_ptr<Wire> make_world_wire();

}  // namespace tessera::collective
