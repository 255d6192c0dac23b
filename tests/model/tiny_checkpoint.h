// Small checkpoints written by formula, and the goldens of tests/parity/make_logits_goldens.py that belong to them.
#pragma once

#include <QDir>
#include <QTemporaryDir>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/random.h"
#include "core/kv/codecs/elements.h"
#include "core/model/kernels/kernels.h"

namespace kvantage::test {

struct NamedTensor {
  std::vector<std::int64_t> shape;
  std::vector<float> numbers;
};
using NamedTensors = std::map<std::string, NamedTensor>;

/// Bytes of a .safetensors file of `dtype`, whose numbers `convert` makes from fp32.
template <class Convert>
std::string safetensors_bytes_of(const NamedTensors& tensors, const char* dtype, const Convert& convert) {
  OrderedJson header;
  std::string data;
  for (const auto& [name, tensor] : tensors) {
    const std::size_t begin = data.size();
    for (const float number : tensor.numbers) {
      const auto stored = convert(number);
      data.append(reinterpret_cast<const char*>(&stored), sizeof(stored));
    }
    header[name] = {{"dtype", dtype}, {"shape", tensor.shape}, {"data_offsets", {begin, data.size()}}};
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  std::string length(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) length[i] = static_cast<char>(text.size() >> (8 * i) & 0xff);
  return length + text + data;
}

/// bf16 rounds, fp32 keeps.
inline std::string safetensors_bytes(const NamedTensors& tensors, bool bf16) {
  if (bf16) return safetensors_bytes_of(tensors, "BF16", [](float number) { return to_bf16(number); });
  return safetensors_bytes_of(tensors, "F32", [](float number) { return number; });
}

inline void write_file(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// One golden case.
struct GoldenCase {
  std::string name;
  std::filesystem::path packed;  // tensors in a quantized format, if there is such a file
  Json json;
  std::vector<std::int32_t> tokens;
  std::vector<float> logits;  // [tokens, vocab] or of the last tokens alone, transformers in fp32
  int vocab_size = 0;
  double bf16_difference = 0;  // of transformers' own bf16 logits to its fp32 ones, the largest

  static std::filesystem::path folder() { return std::filesystem::path(KVANTAGE_SOURCE_DIR) / "tests/goldens/models"; }
  /// Of longer texts, which pass every window; only the logits of their last tokens.
  static std::filesystem::path architectures() { return folder().parent_path() / "architectures"; }
  static std::vector<std::string> names(const std::filesystem::path& from = folder()) {
    std::vector<std::string> list;
    for (const auto& entry : std::filesystem::directory_iterator(from))
      if (std::filesystem::exists(entry.path() / "case.json")) list.push_back(entry.path().filename());
    std::sort(list.begin(), list.end());
    return list;
  }

  explicit GoldenCase(const std::string& case_name, const std::filesystem::path& from = folder())
      : name(case_name), packed(from / case_name / "packed.safetensors") {
    json = *read_json_file(from / name / "case.json");
    tokens = json["tokens"].get<std::vector<std::int32_t>>();
    vocab_size = json["config"]["vocab_size"];
    bf16_difference = json["bf16_difference"];
    const std::string bytes = *read_text_file(from / name / "logits.bin");
    logits.resize(bytes.size() / sizeof(float));
    std::memcpy(logits.data(), bytes.data(), bytes.size());
  }

  NamedTensors tensors() const {
    NamedTensors result;
    for (const Json& entry : json["tensors"]) {
      if (entry.contains("packed")) continue;
      NamedTensor tensor;
      tensor.shape = entry["shape"].get<std::vector<std::int64_t>>();
      std::int64_t count = 1;
      for (const std::int64_t extent : tensor.shape) count *= extent;
      Random random(entry["seed"].get<std::uint64_t>());
      const double half_width = entry["half_width"], mean = entry["mean"];
      for (std::int64_t i = 0; i < count; ++i) {
        const double u = static_cast<double>(random.next() >> 40) * 0x1.0p-23 - 1.0;
        tensor.numbers.push_back(to_float(to_bf16(static_cast<float>(u * half_width + mean))));
      }
      result[entry["name"]] = std::move(tensor);
    }
    return result;
  }

  /// Writes config.json and the weights, in as many shards as the case has.
  void write(const std::filesystem::path& target, bool bf16) const {
    Json config = json["config"];
    for (const char* key : {"dtype", "torch_dtype"})
      if (config.contains(key)) config[key] = bf16 ? "bfloat16" : "float32";
    write_file(target / "config.json", config.dump());
    const NamedTensors all = tensors();
    const int shards = json["shards"];
    if (std::filesystem::exists(packed)) return write_beside_packed(target, all, bf16);
    if (!bf16 && json["config"].value("dtype", "") == "float16") {
      write_file(target / "config.json", json["config"].dump());
      return write_file(target / "model.safetensors", safetensors_bytes_of(all, "F16", to_half));
    }
    if (shards == 1) return write_file(target / "model.safetensors", safetensors_bytes(all, bf16));
    std::vector<NamedTensors> parts(static_cast<std::size_t>(shards));
    Json map;
    std::size_t index = 0;
    for (const auto& [tensor, numbers] : all) {
      const std::size_t shard = index++ % parts.size();
      parts[shard][tensor] = numbers;
      map[tensor] = "part" + std::to_string(shard) + ".safetensors";
    }
    for (std::size_t s = 0; s < parts.size(); ++s)
      write_file(target / ("part" + std::to_string(s) + ".safetensors"), safetensors_bytes(parts[s], bf16));
    write_file(target / "model.safetensors.index.json", Json{{"weight_map", map}}.dump());
  }

 private:
  void write_beside_packed(const std::filesystem::path& target, const NamedTensors& plain, bool bf16) const {
    Json map;
    for (const auto& [tensor, numbers] : plain) map[tensor] = "plain.safetensors";
    const std::string bytes = *read_text_file(packed);
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), sizeof(length));
    const Json header = Json::parse(bytes.substr(sizeof(length), length));
    for (const auto& [tensor, entry] : header.items())
      if (tensor != "__metadata__") map[tensor] = "packed.safetensors";
    write_file(target / "plain.safetensors", safetensors_bytes(plain, bf16));
    write_file(target / "packed.safetensors", bytes);
    write_file(target / "model.safetensors.index.json", Json{{"weight_map", map}}.dump());
  }
};

}  // namespace kvantage::test
