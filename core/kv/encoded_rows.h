// Encoded rows of a context, for attention that decodes them while reading: a stored cache that was loaded but not
// decoded. In memory it takes as much as its entry; each pass decodes it again.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/kv/codecs/codec.h"

namespace kvantage::inline kv {

class EncodedRows {
 public:
  struct Head {
    std::vector<std::byte> keys, values;  // as written by Codec::encode()
    int rows = 0;
  };

  /// The codec must support ranges (Codec::ranges()).
  EncodedRows(std::shared_ptr<const Codec> codec, const KvShape& shape);

  /// Stores the heads [kv_heads] of a layer. corrupt, and nothing is stored, when the codec cannot have produced the
  /// bytes.
  Status put(int layer, std::vector<Head> heads);
  int rows(int layer, int kv_head) const { return at(layer, kv_head).rows; }
  /// Decoded rows [first, first + count): keys and values [count, head_dim] of the shape's type.
  void decode(int layer, int kv_head, int first, int count, std::byte* keys, std::byte* values) const;

  /// Bytes of all stored layers.
  std::size_t bytes() const;
  std::size_t total_rows() const;  // summed over layers and heads

 private:
  const Head& at(int layer, int kv_head) const {
    return heads_[static_cast<std::size_t>(layer * shape_.kv_heads + kv_head)];
  }
  CodecRows rows_of(int layer, int kv_head, ExtentKind kind) const {
    return {shape_, layer, kind, rows(layer, kv_head)};
  }

  std::shared_ptr<const Codec> codec_;
  KvShape shape_;
  std::vector<Head> heads_;  // [layers * kv_heads]
};

}  // namespace kvantage::inline kv
