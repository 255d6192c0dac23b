#include "core/model/safetensors.h"

#include <algorithm>
#include <set>

#include "core/base/files.h"
#include "core/base/folders.h"
#include "core/base/json.h"
#include "core/base/units.h"
#include "core/model/gguf_model.h"

namespace kvantage::inline model {
namespace {

// Some 200,000 tensors. The format's reference reader takes 100 MB, which as parsed JSON would fill 1 GB of memory.
constexpr std::uint64_t longest_header = 25'000'000;

/// Bits of one element, 0 for an unknown type.
unsigned element_bits(const std::string& dtype) {
  static const std::map<std::string, unsigned> bits{
      {"BOOL", 8},  {"U8", 8},   {"I8", 8},   {"F8_E4M3", 8}, {"F8_E5M2", 8}, {"I16", 16}, {"U16", 16}, {"F16", 16},
      {"BF16", 16}, {"I32", 32}, {"U32", 32}, {"F32", 32},    {"I64", 64},    {"U64", 64}, {"F64", 64}};
  const auto found = bits.find(dtype);
  return found == bits.end() ? 0 : found->second;
}

tl::unexpected<Error> reject(const std::string& name, const std::string& reason) {
  return fail(ErrorCode::rejected_input, name + ": " + reason + "; fetch the file again");
}

Expected<StoredTensor> parse_tensor(const Json& entry, std::span<const std::byte> data, const std::string& name,
                                    const std::string& tensor) {
  const std::string what = "tensor '" + printable(tensor) + "' ";
  if (!entry.is_object()) return reject(name, what + "has no description in the header");
  const auto unsigned_list = [&](const char* key) -> Expected<std::vector<std::uint64_t>> {
    std::vector<std::uint64_t> list;
    if (!entry.contains(key) || !entry.at(key).is_array()) return reject(name, what + "lacks '" + key + "'");
    for (const Json& number : entry.at(key)) {
      if (!number.is_number_unsigned()) return reject(name, what + "has a bad number in '" + key + "'");
      list.push_back(number.get<std::uint64_t>());
    }
    return list;
  };
  StoredTensor result;
  if (!entry.contains("dtype") || !entry.at("dtype").is_string()) return reject(name, what + "lacks 'dtype'");
  result.dtype = entry.at("dtype").get<std::string>();
  const unsigned bits = element_bits(result.dtype);
  if (bits == 0) return reject(name, what + "has the unknown type '" + printable(result.dtype) + "'");
  KV_ASSIGN(auto shape, unsigned_list("shape"));
  KV_ASSIGN(auto offsets, unsigned_list("data_offsets"));

  // Also without the extents that are 0: libtorch multiplies the others to find where rows begin.
  constexpr std::uint64_t most = 1ULL << 60;
  std::uint64_t bytes = bits / 8, without_zeros = bytes;
  if (shape.size() > 8) return reject(name, what + "has more than 8 dimensions");
  for (const std::uint64_t extent : shape) {
    if (extent > most || __builtin_mul_overflow(without_zeros, std::max<std::uint64_t>(extent, 1), &without_zeros) ||
        without_zeros > most)
      return reject(name, what + "has an invalid shape");
    bytes *= extent;
    result.shape.push_back(static_cast<std::int64_t>(extent));
  }
  if (offsets.size() != 2 || offsets[0] > offsets[1])
    return reject(name, what + "has data_offsets that are not a range");
  if (offsets[1] > data.size())
    return reject(name, what + "ends at byte " + std::to_string(offsets[1]) + " of the data but the file holds " +
                            std::to_string(data.size()) + ": it is truncated or its header is wrong");
  if (offsets[1] - offsets[0] != bytes)
    return reject(name, what + "takes " + std::to_string(offsets[1] - offsets[0]) +
                            " bytes but its shape and type need " + std::to_string(bytes));
  result.bytes = data.subspan(offsets[0], bytes);
  return result;
}

}  // namespace

std::string StoredTensor::describe() const {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  return text + "] " + dtype;
}

Expected<std::map<std::string, StoredTensor>> parse_safetensors(std::span<const std::byte> bytes,
                                                                const std::string& name) {
  if (bytes.size() < 8) return reject(name, "too short for a safetensors file");
  std::uint64_t header_bytes = 0;
  for (std::size_t i = 0; i < 8; ++i) header_bytes |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
  if (header_bytes <= bytes.size() - 8 && header_bytes > longest_header)
    return reject(name, "its header has " + format_bytes(header_bytes) + ", and at most " +
                            format_bytes(longest_header) + " are read: it describes too many tensors");
  if (header_bytes > bytes.size() - 8)
    return reject(name, "the header claims " + std::to_string(header_bytes) + " bytes but the file holds " +
                            std::to_string(bytes.size()) + ": it is truncated, damaged or not a safetensors file");
  const auto header = bytes.subspan(8, header_bytes);
  const auto data = bytes.subspan(8 + header_bytes);
  KV_ASSIGN(auto json, parse_json({reinterpret_cast<const char*>(header.data()), header.size()}, name + " (header)"));
  if (!json.is_object()) return reject(name, "the header is not a JSON object");

  std::map<std::string, StoredTensor> tensors;
  std::vector<const StoredTensor*> in_order;
  for (const auto& [tensor, entry] : json.items()) {
    if (tensor == "__metadata__") continue;
    KV_ASSIGN(auto parsed, parse_tensor(entry, data, name, tensor));
    in_order.push_back(&(tensors[tensor] = std::move(parsed)));
  }
  // An empty tensor comes before the one that begins at the same byte.
  std::ranges::sort(in_order, {},
                    [](const StoredTensor* tensor) { return std::pair(tensor->bytes.data(), tensor->bytes.size()); });
  const std::byte* end = data.data();
  for (const StoredTensor* tensor : in_order) {  // every byte belongs to exactly one tensor
    if (tensor->bytes.data() != end) return reject(name, "tensors overlap or leave gaps");
    end += tensor->bytes.size();
  }
  if (end != data.data() + data.size()) return reject(name, "bytes follow the last tensor");
  return tensors;
}

Expected<WeightFiles> WeightFiles::open_gguf(const std::filesystem::path& path) {
  KV_ASSIGN(auto file, GgufFile::open(path));
  KV_ASSIGN(const auto config, config_of_gguf(*file));
  KV_ASSIGN(auto tensors, tensors_of_gguf(*file, config));
  WeightFiles files;
  files.gguf_ = std::move(file);
  files.tensors_ = std::move(tensors);
  return files;
}

Expected<WeightFiles> WeightFiles::open(const std::filesystem::path& folder) {
  std::error_code code;
  if (std::filesystem::is_regular_file(folder, code)) return open_gguf(folder);
  std::map<std::string, std::string> wanted;  // tensor -> shard, where there is an index
  std::set<std::string> names;
  const auto index_path = folder / "model.safetensors.index.json";
  if (std::filesystem::is_regular_file(folder / "model.safetensors", code)) {
    names.insert("model.safetensors");
  } else if (std::filesystem::is_regular_file(index_path, code)) {
    KV_ASSIGN(auto index, read_json_file(index_path));
    KV_ASSIGN(auto map, json_field<std::map<std::string, std::string>>(index, "weight_map", index_path.string()));
    wanted = std::move(map);
    for (const auto& [tensor, shard] : wanted) {
      if (shard.empty() || std::filesystem::path(shard).filename() != shard || shard == "." || shard == ".." ||
          shard.find('\0') != std::string::npos)
        return reject(index_path.string(), "shard '" + printable(shard) + "' is not a file name in this folder");
      names.insert(shard);
    }
  }
  for (const char* name : {"model.safetensors", "model.safetensors.index.json"})  // what it is, if not a file
    if (names.empty() && is_there(folder / name)) KV_TRY(open_regular_file(folder / name));
  if (names.empty())
    return fail(ErrorCode::rejected_input, folder.string() +
                                               ": neither model.safetensors nor model.safetensors.index.json; "
                                               "give the folder of a Hugging Face checkpoint");
  constexpr std::size_t most_tensors = 200'000;  // of all shards, which may be links to one file
  WeightFiles files;
  if (const auto config = folder / "config.json"; std::filesystem::is_regular_file(config, code)) {
    KV_ASSIGN(const auto json, read_json_file(config));
    KV_ASSIGN(files.quantization_, read_quantization(json, config.string()));
  }
  std::size_t described = 0;
  for (const std::string& name : names) {
    const auto path = folder / name;
    KV_ASSIGN(auto file, MappedFile::open(path));
    KV_ASSIGN(auto tensors, parse_safetensors(file->bytes(), (folder / printable(name)).string()));
    described += tensors.size();
    if (described > most_tensors)
      return reject(folder.string(), "its shards describe more than " + std::to_string(most_tensors) + " tensors");
    files.files_.push_back(std::move(file));
    for (auto& [tensor, stored] : tensors) {
      const auto entry = wanted.find(tensor);
      if (!wanted.empty() && (entry == wanted.end() || entry->second != name)) continue;  // the index takes precedence
      files.tensors_.emplace(tensor, std::move(stored));
    }
  }
  for (const auto& [tensor, shard] : wanted)
    if (!files.tensors_.contains(tensor))
      return reject((folder / printable(shard)).string(), "tensor '" + printable(tensor) + "' is missing");
  return files;
}

std::uint64_t WeightFiles::tensor_bytes() const {
  std::uint64_t sum = 0;
  for (const auto& [name, tensor] : tensors_) sum += tensor.bytes.size();
  return sum;
}

std::map<std::string, int> WeightFiles::stored_types() const {
  std::map<std::string, int> counts;
  for (const auto& [name, tensor] : tensors_) ++counts[tensor.dtype];
  return counts;
}

}  // namespace kvantage::inline model
