module;
#include <cstdlib>
#include <string>
module tessera.collective;

// Reading the environment that a launcher has made.
namespace tessera::collective {

LaunchedJob launched_job() {
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", "PMI_RANK"}) {
    const char* const value = std::getenv(variable);
    if (value != nullptr) return {.is_launched = true, .said_by = std::string(variable) + "=" + value};
  }
  return {};
}

}  // namespace tessera::collective
