// Codecs: encode the kept rows of one KV head of one layer in fewer bytes, keys and values separately.
//
// A codec runs after token eviction: it sees the kept rows, oldest first, regardless of positions, and nothing of other
// heads, because heads may keep different tokens. Its bytes are what an entry stores and what a plan counts.
// encoded_bytes() is exact where the size follows from counts alone; entropy coders must encode to know it. Decoding
// trusts nothing: for any bytes it returns rows or `corrupt`, and stays within its own memory.
//
// One codec = one file and one row in registry.cpp. Text forms: `kivi4(residual=64)`, `cachegen(level=2)`,
// `kivi4+zstd`; `zstd` alone compresses plain rows.
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

namespace kvantage::inline codecs {

/// The rows: [count, shape.head_dim] of shape.type, one KV head of `layer` (0 ... shape.layers-1).
struct CodecRows {
  KvShape shape;
  int layer = 0;
  ExtentKind kind = ExtentKind::keys;  // keys or values
  int count = 0;

  std::size_t elements() const { return static_cast<std::size_t>(count) * static_cast<std::size_t>(shape.head_dim); }
  /// Bytes before encoding.
  std::size_t bytes() const { return elements() * bytes_of(shape.type); }
};

/// Random access: a codec whose rows can be decoded from the middle.
class RowRanges {
 public:
  virtual ~RowRanges() = default;
  /// corrupt when encode() cannot have produced `bytes` for such rows. Afterwards every range of them decodes.
  virtual Status check(const CodecRows& rows, std::span<const std::byte> bytes) const = 0;
  /// Decodes rows [first, first + count) into `data`, bit-identical to Codec::decode(). The bytes must be checked.
  virtual void decode(const CodecRows& rows, std::span<const std::byte> bytes, int first, int count,
                      std::span<std::byte> data) const = 0;
};

class Codec {
 public:
  virtual ~Codec() = default;

  /// Canonical text: parse_codec(text()) is the same codec; it contains only non-default parameters.
  virtual std::string text() const = 0;
  /// Whether encoded rows are the plain rows.
  virtual bool is_identity() const { return false; }
  /// Whether decoded rows equal the encoded ones, bit for bit.
  virtual bool is_lossless() const { return is_identity(); }
  /// Share of a context, from its front, that is stored as layer inputs instead of rows (core/kv/serial_inputs.h).
  virtual double layer_input_share() const { return 0; }
  /// Kept tokens that are stored together, so that a reader can take some of them alone (core/kv/token_chunks.h); 0:
  /// not in chunks.
  virtual int chunk_tokens() const { return 0; }
  /// Key channels of head_dim that it drops; and the last tokens whose queries choose them before it encodes, 0: keys
  /// alone choose (core/compress/channels.h).
  virtual int pruned_channels(int /*head_dim*/) const { return 0; }
  virtual int channel_window() const { return 0; }
  /// Null where rows can only be decoded sequentially.
  virtual const RowRanges* ranges() const { return nullptr; }
  /// Exact size of the encoded rows; nullopt where it depends on their values.
  virtual std::optional<std::uint64_t> encoded_bytes(const CodecRows& rows) const = 0;
  /// Upper bound of the encoded size. A reader rejects larger lengths.
  virtual std::uint64_t max_bytes(const CodecRows& rows) const = 0;
  /// Appends the encoding of `data` (rows.bytes() long) to `out`.
  virtual Status encode(const CodecRows& rows, std::span<const std::byte> data, std::vector<std::byte>& out) const = 0;
  /// Fills `data` (rows.bytes() long) from what encode() appended for the same `rows`. corrupt when encode() cannot
  /// have produced `bytes`; `data` is unspecified then.
  virtual Status decode(const CodecRows& rows, std::span<const std::byte> bytes, std::span<std::byte> data) const = 0;
};

/// Name of the codec of entries that hold layer inputs.
inline constexpr std::string_view layer_inputs_codec = "layer_inputs";
/// Whether a method or policy in text form stores such entries.
inline bool names_layer_inputs(std::string_view text) { return text.find(layer_inputs_codec) != text.npos; }

/// Name of the codec of entries whose chunks of tokens can be read alone.
inline constexpr std::string_view token_chunks_codec = "token_chunks";
/// Whether a method in text form stores such entries.
inline bool names_token_chunks(std::string_view text) { return text.find(token_chunks_codec) != text.npos; }

/// A codec's description for lists.
struct CodecInfo {
  std::string_view name;
  std::string_view parameters;  // with their defaults, "residual=128,group=32", or empty
  std::string_view summary;
  std::string_view source;
  std::string_view bits_per_element;  // of the quantized part, scales included; bf16 has 16
};

std::span<const CodecInfo> known_codecs();

/// Parses a codec: a name with parameters, optionally followed by `+zstd`. usage error with a near miss for unknown
/// names and parameters.
Expected<std::shared_ptr<const Codec>> parse_codec(std::string_view text);

}  // namespace kvantage::inline codecs
