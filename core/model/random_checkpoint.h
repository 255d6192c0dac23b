// A checkpoint of random weights in the making: for experiments about time, whose answers mean nothing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/random.h"

namespace kvantage {

/// Tensors of bf16 one behind the other, as model.safetensors.
class RandomCheckpoint {
 public:
  explicit RandomCheckpoint(std::uint64_t seed) : random_(seed) {}
  /// Numbers between mean - half_width and mean + half_width.
  void add(const std::string& name, std::vector<std::int64_t> extents, double half_width, double mean = 0);
  /// [out, in], as wide as keeps a vector's length.
  void add_matrix(const std::string& name, std::int64_t out, std::int64_t in);
  /// Writes config.json and model.safetensors into `folder`. Errors: those of writing.
  Status write(const std::filesystem::path& folder, const Json& config) const;

 private:
  Random random_;
  OrderedJson header_;
  std::string data_;
};

}  // namespace kvantage
