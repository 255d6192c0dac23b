// How keys and values of a block of tokens lie on the tier: as the cache holds them, or coded (KVPR, paper 004,
// section 4.4: 4 bits a number in groups). A coded block is one of a single wide head, its KV heads side by side, keys
// before values.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/kv/codecs/codec.h"

namespace kvantage {

class RowCodec {
 public:
  /// codec: null as held. usage where the length of its bytes depends on what they hold, as blocks are placed
  /// beforehand.
  static Expected<RowCodec> make(const KvShape& shape, std::shared_ptr<const Codec> codec);

  /// Of keys and values of so many tokens of one layer, without padding.
  std::size_t bytes(int tokens) const;

  /// keys, values: [tokens, kv_heads, head_dim]; out: bytes(tokens) long.
  Status encode(int layer, std::span<const std::byte> keys, std::span<const std::byte> values, int tokens,
                std::span<std::byte> out) const;
  struct Rows {
    std::span<const std::byte> keys, values;  // [tokens, kv_heads, head_dim]
  };
  /// Of what encode() wrote; valid as long as `bytes` and until the next call. Errors: the codec's, `corrupt`.
  Expected<Rows> decode(int layer, std::span<const std::byte> bytes, int tokens);

 private:
  RowCodec(const KvShape& shape, std::shared_ptr<const Codec> codec);
  CodecRows rows(int layer, ExtentKind kind, int tokens) const { return {wide_, layer, kind, tokens}; }
  std::size_t coded(ExtentKind kind, int tokens) const {
    return static_cast<std::size_t>(*codec_->encoded_bytes(rows(0, kind, tokens)));
  }

  KvShape wide_;  // one head with the numbers of all
  std::shared_ptr<const Codec> codec_;
  std::vector<std::byte> keys_, values_;
};

}  // namespace kvantage
