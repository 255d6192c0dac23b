// Shape of a model's KV cache; core/kv and core/compress use these units throughout.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kvantage::inline codecs {

enum class KvType : std::uint8_t { bf16 = 0, fp32 = 1 };

inline std::size_t bytes_of(KvType type) { return type == KvType::bf16 ? 2 : 4; }
inline const char* to_string(KvType type) { return type == KvType::bf16 ? "bf16" : "fp32"; }

struct KvShape {
  int layers = 0;
  int kv_heads = 0;
  int head_dim = 0;
  KvType type = KvType::bf16;

  /// The key or the value of one token in one KV head of one layer.
  std::size_t bytes_per_row() const { return static_cast<std::size_t>(head_dim) * bytes_of(type); }
  /// Keys and values of one token in one KV head of one layer.
  std::size_t bytes_per_head_token() const { return 2 * bytes_per_row(); }
  /// Keys and values of one token over all layers and heads (the default model: 3,072).
  std::size_t bytes_per_token() const {
    return bytes_per_head_token() * static_cast<std::size_t>(layers) * static_cast<std::size_t>(kv_heads);
  }
  bool operator==(const KvShape&) const = default;
};

}  // namespace kvantage::inline codecs
