// Networks in files: everything comes back, PyTorch's names and shapes, and a sentence for each file that does not fit.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <vector>

#include "../messages.hpp"
#include "../temporary_folder.hpp"
#include "errors.hpp"
#include "options.hpp"

import tessera;
import digits.network;
import digits.checkpoint;

using namespace tessera;
using digits::Checkpoint;
using digits::Network;
using digits::Restored;

namespace {

const std::vector<std::int64_t> widths{5, 4, 3};
const digits::Settings facts{{"seed", "7"}, {"epochs_done", "2"}};

/// One step on made-up images, the same ones each time.
template <class T>
void step(Network<T>& network) {
  const Array<T, 2> images = cast<T>(random::uniform<float>(random::Key{3}, Dim{6, 5}));
  const Array<std::int64_t, 1> labels = make_array(std::vector<std::int64_t>{0, 1, 2, 2, 1, 0});
  digits::WorkTimes times;
  network.step(images, digits::one_hot<T>(labels, 3), labels, {}, times);
}

/// A network that has momentum.
template <class T>
Network<T> stepped() {
  Network<T> network(widths, random::Key{1});
  step(network);
  return network;
}

/// Copies of all that a step hands to the next, by name.
template <class T>
NamedArrays state_of(Network<T>& network) {
  NamedArrays state;
  network.each_state([&](const std::string& name, const auto& array) { state.emplace(name, array.clone()); });
  return state;
}

/// The names whose arrays differ in a bit.
std::set<std::string> differences(const NamedArrays& a, const NamedArrays& b) {
  std::set<std::string> names;
  for (const auto& [name, array] : a)
    if (!b.contains(name) || !static_cast<bool>(all_of(array == b.at(name)))) names.insert(name);
  return names;
}

/// What is said of a file with these tensors when weights are read from it.
std::string complaint(const NamedArrays& tensors) {
  const TemporaryFolder folder;
  save_safetensors((folder / "w.safetensors").string(), tensors);
  return message_of<digits::DataError>([&] {
    Network<float> network(widths, random::Key{2});
    Checkpoint(folder / "w.safetensors").restore(network, Restored::weights);
  });
}

/// The tensors of a file that is as it should be.
NamedArrays good_tensors() {
  const TemporaryFolder folder;
  Network<float> network = stepped<float>();
  digits::save_checkpoint(folder / "w.safetensors", network, facts);
  return load_safetensors((folder / "w.safetensors").string());
}

}  // namespace

TEST_CASE_TEMPLATE("a network comes back with the bits of all that one step hands to the next", T, float, double,
                   bfloat16) {
  const TemporaryFolder folder;
  Network<T> network = stepped<T>();
  digits::save_checkpoint(folder / "w.safetensors", network, facts);
  Network<T> again(widths, random::Key{2});
  REQUIRE(differences(state_of(network), state_of(again)).size() > 4);  // otherwise the next line says nothing
  Checkpoint(folder / "w.safetensors").restore(again, Restored::run);
  CHECK(differences(state_of(network), state_of(again)).empty());
  again.each_state([](const std::string& name, const auto& array) {
    INFO(name);
    CHECK(array.is_contiguous());
  });
  step(network);
  step(again);
  CHECK(differences(state_of(network), state_of(again)).empty());
}

TEST_CASE("weights have the names and shapes of torch.nn.Sequential, and metadata says so") {
  const TemporaryFolder folder;
  Network<float> network = stepped<float>();
  digits::save_checkpoint(folder / "w.safetensors", network, facts);
  const NamedArrays tensors = load_safetensors((folder / "w.safetensors").string());
  std::set<std::string> names;
  for (const auto& [name, unused] : tensors) names.insert(name);
  CHECK(names == std::set<std::string>{"0.weight", "0.bias", "2.weight", "2.bias", "momentum.0.weight",
                                       "momentum.0.bias", "momentum.2.weight", "momentum.2.bias"});
  CHECK(tensors.at("0.weight").shape() == make_ddim({4, 5}));
  CHECK(tensors.at("momentum.2.weight").shape() == make_ddim({3, 4}));
  const auto& weight = get<Array<float, 2>>(tensors.at("0.weight"));
  CHECK(weight(3, 1) == network.weights(0)(1, 3));
  CHECK(array_equal(weight.T(), network.weights(0)));
  const io::SafetensorsFile file((folder / "w.safetensors").string());
  CHECK(file.metadata() == io::SafetensorsMetadata{{"format", "pt"}, {"seed", "7"}, {"epochs_done", "2"}});
}

TEST_CASE("weights alone are read without the momentum") {
  const TemporaryFolder folder;
  Network<float> network = stepped<float>();
  digits::save_checkpoint(folder / "w.safetensors", network, facts);
  Network<float> other = stepped<float>();
  step(other);
  const NamedArrays before = state_of(other);
  Checkpoint(folder / "w.safetensors").restore(other, Restored::weights);
  CHECK(differences(state_of(network), state_of(other)) ==
        std::set<std::string>{"momentum.0.weight", "momentum.0.bias", "momentum.2.weight", "momentum.2.bias"});
  CHECK(differences(before, state_of(other)) == std::set<std::string>{"0.weight", "0.bias", "2.weight", "2.bias"});
}

TEST_CASE("a file of bare weights is enough for weights, and not for a run") {
  const TemporaryFolder folder;
  NamedArrays tensors = good_tensors();
  std::erase_if(tensors, [](const auto& tensor) { return tensor.first.starts_with("momentum"); });
  save_safetensors((folder / "w.safetensors").string(), tensors);
  const Checkpoint checkpoint(folder / "w.safetensors");
  Network<float> network(widths, random::Key{2});
  checkpoint.restore(network, Restored::weights);
  CHECK(array_equal(network.weights(0).T(), get<Array<float, 2>>(tensors.at("0.weight"))));
  check_contains(message_of<digits::DataError>([&] { checkpoint.restore(network, Restored::run); }),
                 "there is no tensor 'momentum.0.weight' among its 4 tensors: '0.bias', '0.weight', '2.bias', "
                 "'2.weight'");
  check_contains(message_of<digits::DataError>([&] { static_cast<void>(checkpoint.fact("seed")); }),
                 "w.safetensors': there is no 'seed' in its metadata");
}

TEST_CASE("facts are what was saved") {
  const TemporaryFolder folder;
  Network<float> network = stepped<float>();
  digits::save_checkpoint(folder / "w.safetensors", network, facts);
  CHECK(Checkpoint(folder / "w.safetensors").fact("seed") == "7");
  CHECK(Checkpoint(folder / "w.safetensors").fact("epochs_done") == "2");
}

TEST_CASE("widths and type follow from the weights") {
  const TemporaryFolder folder;
  Network<bfloat16> network(std::vector<std::int64_t>{6, 5, 4, 3}, random::Key{1});
  digits::save_checkpoint(folder / "w.safetensors", network, {});
  CHECK(Checkpoint(folder / "w.safetensors").shape() == digits::Settings{{"widths", "5,4"}, {"dtype", "bf16"}});
}

TEST_CASE("tensors that do not fit are refused with file, name, type and shape") {
  NamedArrays tensors = good_tensors();
  tensors["2.weight"] = zeros(DType::float32, make_ddim({3, 5}));
  check_contains(complaint(tensors), "w.safetensors': tensor '2.weight' is float32 (3, 5), expected float32 (3, 4)");
  tensors["2.weight"] = zeros(DType::float64, make_ddim({3, 4}));
  check_contains(complaint(tensors), "tensor '2.weight' is float64 (3, 4), expected float32 (3, 4)");
  tensors["2.weight"] = zeros(DType::float32, make_ddim({12}));
  check_contains(complaint(tensors), "tensor '2.weight' is float32 (12,), expected float32 (3, 4)");
  tensors.erase("2.weight");
  check_contains(complaint(tensors), "there is no tensor '2.weight' among its 7 tensors: '0.bias', '0.weight', ");
  tensors = good_tensors();
  tensors["4.weight"] = zeros(DType::float32, make_ddim({2, 3}));
  check_contains(complaint(tensors), "the network has no tensor '4.weight'");
  check_contains(complaint({}), "there is no tensor '0.weight' among its 0 tensors");
}

TEST_CASE("what is no network has no widths and no type") {
  const TemporaryFolder folder;
  const auto complaint_of_shape = [&](const NamedArrays& tensors) {
    save_safetensors((folder / "w.safetensors").string(), tensors);
    return message_of<digits::DataError>([&] { static_cast<void>(Checkpoint(folder / "w.safetensors").shape()); });
  };
  check_contains(complaint_of_shape({{"weight", make_darray({1.f})}}),
                 "there is no tensor '0.weight' among its 1 tensor: 'weight'");
  check_contains(complaint_of_shape({{"0.weight", make_darray({1.f, 2.f})}}),
                 "tensor '0.weight' is float32 (2,), expected two axes");
  check_contains(complaint_of_shape({{"0.weight", zeros(DType::float16, make_ddim({2, 3}))}}),
                 "tensor '0.weight' is float16 (2, 3), expected float32, float64 or bfloat16");
}

TEST_CASE("a file that is none is refused, and so is one that is not there") {
  const TemporaryFolder folder;
  put(folder / "w.safetensors", "accuracy 97 %");
  check_contains(message_of<FormatError>([&] { Checkpoint(folder / "w.safetensors"); }), "w.safetensors");
  check_contains(message_of<std::system_error>([&] { Checkpoint(folder / "none.safetensors"); }),
                 "none.safetensors\": No such file");
}

TEST_CASE("a file that cannot be replaced stays as it was") {
  const TemporaryFolder folder;
  Network<float> network = stepped<float>();
  digits::save_checkpoint(folder / "w.safetensors", network, facts);
  const std::string before = content_of(folder / "w.safetensors");
  CHECK_THROWS(digits::save_checkpoint(folder / "w.safetensors", network, {{"seed", "\xff"}}));  // metadata is UTF-8
  CHECK(content_of(folder / "w.safetensors") == before);
  CHECK(folder.entries() == 1);
}
