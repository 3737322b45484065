module;
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <unordered_map>

#include "options.hpp"
export module digits.checkpoint;
import tessera;
import digits.network;

// Networks in safetensors files: torch.nn.Sequential's names and shapes, so that PyTorch reads them, and what a run needs to go on.
namespace digits {

using namespace tessera;

/// What of a network is read from a file.
export enum class Restored {
  weights,  ///< for a new run; files of any program have them
  run       ///< the momentum too
};

/// The array as PyTorch has it: a layer's weights are outputs x inputs there.
template <class T, int Rank>
Array<T, Rank> outputs_first(const Array<T, Rank>& array) {
  if constexpr (Rank == 2) {
    return array.T();
  } else {
    return array;
  }
}

/// Writes weights and momentum with facts of the run as metadata. The file appears when it is complete; until then, and when that fails,
/// there is what was there before. Throws std::system_error.
export template <class T>
void save_checkpoint(const std::filesystem::path& file, Network<T>& network, const Settings& facts) {
  // --8<-- [start:save]
  NamedArrays tensors;
  network.each_state([&](const std::string& name, const auto& array) { tensors.emplace(name, outputs_first(array)); });
  io::SafetensorsMetadata metadata{{"format", "pt"}};
  metadata.insert(metadata.end(), facts.begin(), facts.end());
  save_safetensors(file.string(), tensors, metadata);
  // --8<-- [end:save]
}

/// A safetensors file with a network, read at once: a run that saves it meanwhile does no harm.
export class Checkpoint {
 public:
  /// Throws FormatError, with the byte, for a file that is none; std::system_error where the system refuses.
  explicit Checkpoint(const std::filesystem::path& file);

  /// What the file says of its run. Throws DataError where it says nothing.
  const std::string& fact(const std::string& key) const;
  /// The same, but of what not every file has.
  std::string fact_or(const std::string& key, const std::string& otherwise) const;

  /// Widths of the hidden layers and the type of the weights, as settings. Throws DataError where that cannot be seen from the tensors.
  Settings shape() const;

  /// Gives a network what the file has. Throws DataError for tensors that are missing, of another type or shape, or not the network's;
  /// it may have changed some of the network by then.
  template <class T>
  void restore(Network<T>& network, Restored what) const {
    std::set<std::string> known;
    network.each_state([&]<class V, int Rank>(const std::string& name, Array<V, Rank>& array) {
      known.insert(name);
      if (what == Restored::weights && name.starts_with(momentum_prefix)) return;
      const DArray stored = tensor_like(name, outputs_first(array));
      array = outputs_first(get<Array<V, Rank>>(stored)).clone().to(array.place());
    });
    require_known(known);
  }

 private:
  const DArray& tensor(const std::string& name) const;
  /// The tensor of this name if its type and shape are those of `wanted`.
  const DArray& tensor_like(const std::string& name, const DArray& wanted) const;
  /// All tensors have these names, or are momentum that is not read.
  void require_known(const std::set<std::string>& names) const;
  Precision precision() const;
  std::string list_of_tensors() const;
  [[noreturn]] void refuse_tensor(const std::string& name, const std::string& expected) const;
  [[noreturn]] void refuse(const std::string& problem) const;

  std::filesystem::path file_;
  std::map<std::string, std::string> facts_;
  NamedArrays tensors_;
};

}  // namespace digits
