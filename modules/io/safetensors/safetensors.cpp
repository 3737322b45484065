module;
#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>
module tessera.io;
import tessera.core;

// Reading, mapping and writing safetensors files.
namespace tessera::io {

namespace {

[[noreturn]] void refuse_name(const std::string& source, std::string_view name) {
  throw IndexError(to_string(Failure{.operation = "reading " + source,
                                     .problem = "there is no tensor " + quoted(name),
                                     .advice = "names() has all that are there"}));
}

void check_texts(std::span<const NamedArrayToSave> tensors, const SafetensorsMetadata& metadata) {
  const auto refuse = [](const char* what, std::string_view text, const char* fault) {
    throw std::invalid_argument(
        to_string(Failure{.operation = "save_safetensors", .problem = what + quoted(text) + fault}));
  };
  std::unordered_set<std::string_view> names;
  for (const NamedArrayToSave& tensor : tensors) {
    if (tensor.name == "__metadata__") refuse("the name ", tensor.name, " is the format's own");
    if (find_broken_utf8(tensor.name)) refuse("the name ", tensor.name, " is not UTF-8");
    if (!names.insert(tensor.name).second) refuse("the name ", tensor.name, " is there twice");
  }
  std::unordered_set<std::string_view> keys;
  for (const auto& [key, value] : metadata) {
    if (find_broken_utf8(key)) refuse("the key ", key, " of the metadata is not UTF-8");
    if (find_broken_utf8(value)) refuse("the value ", value, " of the metadata is not UTF-8");
    if (!keys.insert(key).second) refuse("the key ", key, " of the metadata is there twice");
  }
}

/// A name of a file in the same folder, and nothing else.
bool is_plain_file_name(std::string_view name) {
  return fault_of_entry_name(name).empty() && name != "." && name.find_first_of("/\\") == std::string_view::npos;
}

struct Index {
  std::vector<std::pair<std::string, std::string>> files;  // by names of tensors
};

Index read_index(const InputFile& file) {
  const auto refuse = [&](std::string expected, std::string found) {
    Refusal{.source = file.name(), .expected = std::move(expected), .found = std::move(found)}.raise();
  };
  if (file.size() > longest_safetensors_header) {
    refuse("an index of at most " + count_of_bytes(longest_safetensors_header), count_of_bytes(file.size()));
  }
  std::string text(static_cast<std::size_t>(file.size()), '\0');
  file.read(0, std::as_writable_bytes(std::span<char>(text)));
  JsonReader reader(file.name(), 0, text);
  Index index;
  bool has_map = false;
  reader.object("the index", [&](const std::string& key) {
    if (key != "weight_map") return reader.skip_value();
    has_map = true;
    reader.object("'weight_map'", [&](const std::string& name) {
      const std::string shard = reader.string("the file of tensor " + quoted(name));
      if (!is_plain_file_name(shard)) {
        reader.refuse("the name of a file in the index's folder for tensor " + quoted(name), quoted(shard));
      }
      index.files.emplace_back(name, shard);
    });
  });
  reader.require_end();
  if (!has_map) refuse("an index with the key 'weight_map'", "none");
  return index;
}

}  // namespace

SafetensorsFile::SafetensorsFile(const std::string& path)
    : file_(std::make_unique<const InputFile>(path)), header_(read_safetensors_header(*file_)) {
  for (const SafetensorsEntry& tensor : header_.tensors) {
    places_.emplace(tensor.name, names_.size());
    names_.push_back(tensor.name);
  }
}

SafetensorsFile::~SafetensorsFile() = default;

bool SafetensorsFile::contains(std::string_view name) const { return places_.contains(std::string(name)); }

ElementsInFile SafetensorsFile::elements_of(std::string_view name) const {
  const auto found = places_.find(std::string(name));
  if (found == places_.end()) refuse_name(file_->name(), name);
  const SafetensorsEntry& tensor = header_.tensors[found->second];
  return {
      .source = file_->name(), .at = tensor.begin, .bytes = tensor.bytes, .dtype = tensor.dtype, .shape = tensor.shape};
}

StoredArray SafetensorsFile::load(std::string_view name) const { return read_elements(*file_, elements_of(name)); }

StoredArray SafetensorsFile::map(std::string_view name, MapMode mode) const {
  const ElementsInFile elements = elements_of(name);
  const std::lock_guard lock(mutex_);
  auto& mapping = mappings_[mode == MapMode::read_only ? 1 : 0];
  if (mapping == nullptr) mapping = std::make_shared<const FileMapping>(*file_, mode);
  return map_elements(mapping, elements);
}

std::vector<NamedStoredArray> load_safetensors(const std::string& path) {
  const SafetensorsFile file(path);
  std::vector<NamedStoredArray> tensors;
  tensors.reserve(file.names().size());
  for (const std::string& name : file.names()) tensors.push_back({name, file.load(name)});
  return tensors;
}

void save_safetensors(const std::string& path, std::span<const NamedArrayToSave> tensors,
                      const SafetensorsMetadata& metadata) {
  check_texts(tensors, metadata);
  std::vector<const NamedArrayToSave*> order;
  for (const NamedArrayToSave& tensor : tensors) {
    checked_byte_count(tensor.array, "save_safetensors");
    order.push_back(&tensor);
  }
  std::ranges::sort(order, [](const NamedArrayToSave* a, const NamedArrayToSave* b) {
    const int first = safetensors_rank(a->array.dtype);
    const int second = safetensors_rank(b->array.dtype);
    return first != second ? first < second : a->name < b->name;
  });
  for (const NamedArrayToSave* tensor : order)
    static_cast<void>(safetensors_rank(tensor->array.dtype));  // one alone was not compared
  const std::string header = safetensors_header_text(order, metadata);
  if (std::ssize(header) - 8 > longest_safetensors_header) {
    throw std::invalid_argument(to_string(
        Failure{.operation = "save_safetensors",
                .problem = "the header would have " + count_of_bytes(std::ssize(header)) + ", 100 MB are allowed",
                .advice = "write several files"}));
  }
  OutputFile file(path);
  file.write(header);
  for (const NamedArrayToSave* tensor : order) {
    for_each_block(tensor->array, [&](std::span<const std::byte> block) { file.write(block); });
  }
  file.commit();
}

ShardedSafetensors::ShardedSafetensors(const std::string& index_path) {
  const InputFile index_file(index_path);
  index_name_ = index_file.name();
  const std::string folder = index_path.substr(0, index_path.find_last_of('/') + 1);  // none without '/'
  std::unordered_map<std::string, std::shared_ptr<const SafetensorsFile>> shards;
  for (const auto& [name, shard] : read_index(index_file).files) {
    std::shared_ptr<const SafetensorsFile>& file = shards[shard];
    if (file == nullptr) file = std::make_shared<const SafetensorsFile>(folder + shard);
    if (!file->contains(name)) {
      Refusal{.source = index_name_,
              .expected = "tensor " + quoted(name) + " in " + quoted(shard),
              .found = "no such tensor there"}
          .raise();
    }
    names_.push_back(name);
    files_.emplace(name, file);
  }
}

const SafetensorsFile& ShardedSafetensors::file_of(std::string_view name) const {
  const auto found = files_.find(std::string(name));
  if (found == files_.end()) refuse_name(index_name_, name);
  return *found->second;
}

}  // namespace tessera::io
