// Names of the tensors of GGUF files.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/architectures/weight_names.h"

namespace kvantage::inline model_gguf {

/// What a tensor of a file is in a Hugging Face folder.
struct GgufTarget {
  enum class Heads { none, query, key };

  std::vector<std::string> names;  // of the tensor, or of the tensors of each expert, of a stack
  bool stack = false;
  Heads heads = Heads::none;  // whose rows it has, where it has no others
};

/// The tensors of one model, by the names that its architecture has in a folder.
class GgufNames {
 public:
  explicit GgufNames(const ModelConfig& config) : with_experts_(config), config_(config) {
    config_.form.experts.count = 0;
  }

  /// "blk.3.attn_q.bias" -> "model.layers.3.self_attn.q_proj.bias"; nothing where the architecture has no such tensor.
  std::optional<GgufTarget> find(std::string_view name) const;

 private:
  std::optional<GgufTarget> find_in_layer(int layer, std::string_view inner, std::string_view kind) const;

  ModelConfig with_experts_;
  ModelConfig config_;  // without: their names are many, and few tensors need them
};

}  // namespace kvantage::inline model_gguf
