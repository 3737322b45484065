module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "errors.hpp"
#include "options.hpp"
#include "text.hpp"
module digits.checkpoint;
import tessera;
import digits.network;

// What a file of weights has, and sentences for what it has not.
namespace digits {

namespace {

DArray array_of(io::StoredArray stored) {
  const auto owner = std::make_shared<const io::StoredArray>(std::move(stored));
  return adopt(owner->buffer->data(), owner->dtype, owner->shape, CpuPlace{}, owner);
}

std::string described(DType dtype, const DDim& shape) {
  return std::string(tessera::name(dtype)) + " " + to_string(shape);
}

}  // namespace

Checkpoint::Checkpoint(const std::filesystem::path& file) : file_(file) {
  const io::SafetensorsFile stored(file.string());
  facts_.insert(stored.metadata().begin(), stored.metadata().end());
  for (const std::string& name : stored.names()) tensors_.emplace(name, array_of(stored.load(name)));
}

const std::string& Checkpoint::fact(const std::string& key) const {
  const auto found = facts_.find(key);
  if (found == facts_.end())
    refuse("there is no " + in_quotes(key) + " in its metadata, which --resume needs; --load takes weights alone");
  return found->second;
}

std::string Checkpoint::fact_or(const std::string& key, const std::string& otherwise) const {
  const auto found = facts_.find(key);
  return found == facts_.end() ? otherwise : found->second;
}

Settings Checkpoint::shape() const {
  std::vector<std::int64_t> outputs;
  for (std::string name = "0.weight"; outputs.empty() || tensors_.contains(name);
       name = std::to_string(2 * outputs.size()) + ".weight") {
    const DArray& weights = tensor(name);
    if (weights.rank() != 2) refuse_tensor(name, "two axes");
    outputs.push_back(weights.shape()[0]);
  }
  outputs.pop_back();  // the classes
  return {{"widths", joined(outputs, ",")}, {"dtype", std::string(digits::name(precision()))}};
}

const DArray& Checkpoint::tensor(const std::string& name) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) refuse("there is no tensor " + in_quotes(name) + " among its " + list_of_tensors());
  return found->second;
}

const DArray& Checkpoint::tensor_like(const std::string& name, const DArray& wanted) const {
  const DArray& found = tensor(name);
  if (found.dtype() != wanted.dtype() || found.shape() != wanted.shape())
    refuse_tensor(name, described(wanted.dtype(), wanted.shape()));
  return found;
}

void Checkpoint::require_known(const std::set<std::string>& names) const {
  for (const auto& [name, unused] : tensors_)
    if (!names.contains(name) && !name.starts_with(momentum_prefix))
      refuse("the network has no tensor " + in_quotes(name));
}

Precision Checkpoint::precision() const {
  switch (tensor("0.weight").dtype()) {
    case DType::float32: return Precision::f32;
    case DType::float64: return Precision::f64;
    case DType::bfloat16: return Precision::bf16;
    default: refuse_tensor("0.weight", "float32, float64 or bfloat16");
  }
}

/// How many there are, and the first of their names.
std::string Checkpoint::list_of_tensors() const {
  constexpr std::size_t most = 6;
  std::set<std::string> names;
  for (const auto& [name, unused] : tensors_) names.insert(name);
  std::string text = std::to_string(names.size()) + (names.size() == 1 ? " tensor" : " tensors");
  std::size_t listed = 0;
  for (const std::string& name : names) {
    if (listed == most) return text + ", ...";
    text += (listed++ == 0 ? ": " : ", ") + in_quotes(name);
  }
  return text;
}

void Checkpoint::refuse_tensor(const std::string& name, const std::string& expected) const {
  const DArray& found = tensor(name);
  refuse("tensor " + in_quotes(name) + " is " + described(found.dtype(), found.shape()) + ", expected " + expected);
}

void Checkpoint::refuse(const std::string& problem) const {
  throw DataError(in_quotes(file_.string()) + ": " + problem);
}

}  // namespace digits
