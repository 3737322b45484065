export module tessera.collective:world;
import tessera.standard;
import :communicator;

// The group of all processes that a launcher has started together.
namespace tessera::collective {

/// The same one at each call. Begins MPI where there is more than this process; throws CollectiveError where that cannot be.
std::shared_ptr<Communicator> world_of_process();

/// A group of some ranks of another, which is known until the program ends.
std::shared_ptr<Communicator> part_of(Communicator& group, int color, std::string name);

}  // namespace tessera::collective
