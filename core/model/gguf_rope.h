// Rotary position embeddings in GGUF files.
#pragma once

#include <string_view>

#include "core/model/config.h"
#include "core/model/gguf/gguf_keys.h"

namespace kvantage::inline model {

/// ARCHITECTURE.rope.* and the tensors below into config.rope, whose head_dim and max_positions are set. partly: the
/// architecture may rotate a part of each head. rejected_input: a scaling that is not supported.
Status read_gguf_rope(const GgufKeys& keys, bool partly, ModelConfig& config);

/// Whether a tensor is part of the rotation, and of no layer.
bool is_rope_tensor(std::string_view name);

}  // namespace kvantage::inline model
