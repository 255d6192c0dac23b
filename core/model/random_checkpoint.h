// Builds a checkpoint of random weights: for timing experiments, whose answers are meaningless.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/random.h"

namespace kvantage::inline model {

/// Contiguous bf16 tensors, as model.safetensors.
class RandomCheckpoint {
 public:
  explicit RandomCheckpoint(std::uint64_t seed) : random_(seed) {}
  /// Numbers between mean - half_width and mean + half_width.
  void add(const std::string& name, std::vector<std::int64_t> extents, double half_width, double mean = 0);
  /// [out, in], scaled to preserve a vector's norm.
  void add_matrix(const std::string& name, std::int64_t out, std::int64_t in);
  /// Writes config.json and model.safetensors into `folder`. Errors: write errors.
  Status write(const std::filesystem::path& folder, const Json& config) const;

 private:
  Random random_;
  OrderedJson header_;
  std::string data_;
};

}  // namespace kvantage::inline model
