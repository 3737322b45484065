module;
#include <cstdlib>
#include <string>
#include <string_view>
module tessera.collective;

// Reading the environment that a launcher has made.
namespace tessera::collective {

LaunchedJob launched_job() {
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", "PMI_RANK"}) {
    const char* const value = std::getenv(variable);
    if (value == nullptr) continue;
    const std::string said = value;
    return {.is_launched = true,
            .is_one = said == "1" && std::string_view(variable).ends_with("SIZE"),
            .said_by = variable + ("=" + said)};
  }
  return {};
}

}  // namespace tessera::collective
