// Codecs: the kept rows of one KV head of one layer in fewer bytes, keys and values apart.
//
// A codec works behind a token evictor: it sees the rows that are kept, oldest first, whatever their positions, and
// nothing of other heads, because heads may keep different tokens. Its bytes are what an entry stores and what a plan
// counts. Where they follow from counts alone, encoded_bytes() says how many, to the byte; entropy coders can only be
// asked by encoding. Decoding trusts nothing: whatever the bytes, it answers with rows or with `corrupt`, and touches
// no memory but its own.
//
// One codec = one file and one line in registry.cpp. Text forms: `kivi4(residual=64)`, `cachegen(level=2)`,
// `kivi4+zstd`; `zstd` alone packs the rows as they are held.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/kv/codecs/extent_kind.h"
#include "core/kv/codecs/shape.h"

namespace kvantage {

/// Which rows: [count, shape.head_dim] of shape.type, one KV head of `layer` (0 ... shape.layers-1).
struct CodecRows {
  KvShape shape;
  int layer = 0;
  ExtentKind kind = ExtentKind::keys;  // keys or values
  int count = 0;

  std::size_t elements() const { return static_cast<std::size_t>(count) * static_cast<std::size_t>(shape.head_dim); }
  /// Bytes as held.
  std::size_t bytes() const { return elements() * bytes_of(shape.type); }
};

/// What a codec adds whose rows can be read from the middle, without those before them.
class RowRanges {
 public:
  virtual ~RowRanges() = default;
  /// corrupt when `bytes` is nothing that encode() makes of such rows. Afterwards every range of them decodes.
  virtual Status check(const CodecRows& rows, std::span<const std::byte> bytes) const = 0;
  /// Rows [first, first + count) into `data`, the very bits that Codec::decode() gives them. The bytes were checked.
  virtual void decode(const CodecRows& rows, std::span<const std::byte> bytes, int first, int count,
                      std::span<std::byte> data) const = 0;
};

class Codec {
 public:
  virtual ~Codec() = default;

  /// Canonical text: parse_codec(text()) is the same codec; only what differs from the defaults stands in it.
  virtual std::string text() const = 0;
  /// Whether encoded rows are the rows as held.
  virtual bool is_identity() const { return false; }
  /// Whether decoded rows are those that were encoded, bit for bit.
  virtual bool is_lossless() const { return is_identity(); }
  /// Null where rows can only be decoded from the first to the last.
  virtual const RowRanges* ranges() const { return nullptr; }
  /// Exact size of the encoded rows; nullopt where it depends on their values.
  virtual std::optional<std::uint64_t> encoded_bytes(const CodecRows& rows) const = 0;
  /// No encoding of such rows is longer. A reader takes no length above it for true.
  virtual std::uint64_t most_bytes(const CodecRows& rows) const = 0;
  /// Appends the encoding of `data` (rows.bytes() long) to `out`.
  virtual Status encode(const CodecRows& rows, std::span<const std::byte> data, std::vector<std::byte>& out) const = 0;
  /// Fills `data` (rows.bytes() long) from what encode() appended for the same `rows`. corrupt when `bytes` is nothing
  /// that encode() makes; `data` is unspecified then.
  virtual Status decode(const CodecRows& rows, std::span<const std::byte> bytes, std::span<std::byte> data) const = 0;
};

/// What a list of codecs shows.
struct CodecInfo {
  std::string_view name;
  std::string_view parameters;  // with their defaults, "residual=128,group=32", or empty
  std::string_view summary;
  std::string_view source;
  std::string_view bits_per_element;  // of the coded part, scales included; bf16 has 16
};

std::span<const CodecInfo> known_codecs();

/// The codec of a text form: a name with parameters, optionally followed by `+zstd`. usage error with a near miss for
/// unknown names and parameters.
Expected<std::shared_ptr<const Codec>> parse_codec(std::string_view text);

}  // namespace kvantage
