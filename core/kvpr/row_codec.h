// Tier format of keys and values of a block of tokens: plain, or encoded (KVPR, paper 004, section 4.4: 4 bits per
// number in groups). An encoded block is a single wide head, its KV heads concatenated, keys before values.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/kv/codecs/codec.h"

namespace kvantage::inline kvpr {

class RowCodec {
 public:
  /// codec: null for plain rows. usage where the encoded length depends on the values, as block offsets are fixed in
  /// advance.
  static Expected<RowCodec> make(const KvShape& shape, std::shared_ptr<const Codec> codec);

  /// Bytes of keys and values of so many tokens of one layer, without padding.
  std::size_t bytes(int tokens) const;

  /// keys, values: [tokens, kv_heads, head_dim]; out: bytes(tokens) long.
  Status encode(int layer, std::span<const std::byte> keys, std::span<const std::byte> values, int tokens,
                std::span<std::byte> out) const;
  struct Rows {
    std::span<const std::byte> keys, values;  // [tokens, kv_heads, head_dim]
  };
  /// Decodes the output of encode(); valid as long as `bytes` and until the next call. Errors: the codec's, `corrupt`.
  Expected<Rows> decode(int layer, std::span<const std::byte> bytes, int tokens);

 private:
  RowCodec(const KvShape& shape, std::shared_ptr<const Codec> codec);
  CodecRows rows(int layer, ExtentKind kind, int tokens) const { return {wide_, layer, kind, tokens}; }
  std::size_t encoded(ExtentKind kind, int tokens) const {
    return static_cast<std::size_t>(*codec_->encoded_bytes(rows(0, kind, tokens)));
  }

  KvShape wide_;  // one head with the channels of all
  std::shared_ptr<const Codec> codec_;
  std::vector<std::byte> keys_, values_;
};

}  // namespace kvantage::inline kvpr
