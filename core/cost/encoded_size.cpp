#include "core/cost/encoded_size.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/kv/serial.h"
#include "core/runtime/windowed_rows.h"

namespace kvantage::inline cost {
namespace {

constexpr int longest_period = 512;  // rows, of a codec's sawtooth
constexpr int slope_span = 1 << 16;  // tokens between the sizes that a slope is of
constexpr double page_bytes = 4096;  // to which the header and each layer of an entry are padded

/// Of a head's keys and values.
std::optional<std::uint64_t> head_bytes(const KvShape& shape, int layer, int rows, const Codec& codec) {
  const auto keys = codec.encoded_bytes({shape, layer, ExtentKind::keys, rows});
  const auto values = codec.encoded_bytes({shape, layer, ExtentKind::values, rows});
  if (!keys || !values) return std::nullopt;
  return *keys + *values;
}

/// Of at most so many rows, the number that takes most: that of the last tooth, or all.
int largest_rows(const KvShape& shape, int layer, int max_rows, const Codec& codec) {
  int largest = max_rows;
  for (int rows = std::max(1, max_rows - longest_period); rows < max_rows; ++rows)
    if (head_bytes(shape, layer, rows, codec) > head_bytes(shape, layer, largest, codec)) largest = rows;
  return largest;
}

}  // namespace

std::optional<EncodedSize> line_above(const BytesOfTokens& entry, int layers, int period) {
  EncodedSize size;
  // Over a whole period, some length is no lower on its tooth after the span than before it: the slope is not below
  // that of the teeth. In the first period, the newest rows that a codec leaves plain are not all there yet.
  for (int tokens = period + 1; tokens <= 2 * period; ++tokens) {
    const auto bytes = entry(tokens), later = entry(tokens + slope_span);
    if (!bytes || !later) return std::nullopt;
    const double more = static_cast<double>(*later) - static_cast<double>(*bytes);
    size.bytes_per_token = std::max(size.bytes_per_token, more / slope_span);
  }
  for (int tokens = 1; tokens <= 2 * period; ++tokens) {
    const auto bytes = static_cast<double>(entry(tokens).value_or(0));
    size.fixed_bytes = std::max(size.fixed_bytes, bytes - size.bytes_per_token * tokens);
  }
  size.fixed_bytes += (layers + 1) * page_bytes;  // a tooth may be at any place of a page
  return size;
}

std::optional<EncodedSize> encoded_size(const KvShape& shape, std::span<const int> max_rows, const Method& method) {
  const Codec* const codec = method.codec();
  if (codec == nullptr) return std::nullopt;
  // As long as all rows are plain, sizes do not say what later ones take.
  const CodecRows plain{shape, 0, ExtentKind::keys, longest_period};
  const auto encoded = head_bytes(shape, 0, longest_period, *codec);
  if (!encoded || *encoded >= 2 * plain.bytes()) return std::nullopt;
  std::vector<int> full(static_cast<std::size_t>(shape.layers), 0);
  for (std::size_t layer = 0; layer < max_rows.size(); ++layer)
    if (max_rows[layer] > 0) full[layer] = largest_rows(shape, static_cast<int>(layer), max_rows[layer], *codec);
  const auto heads = static_cast<std::size_t>(shape.kv_heads);
  std::vector<int> kept(full.size() * heads);
  const auto entry = [&](int tokens) {
    for (std::size_t i = 0; i < kept.size(); ++i) kept[i] = full[i / heads] > 0 ? full[i / heads] : tokens;
    return entry_bytes(shape, kept, static_cast<std::size_t>(tokens), method.text().size(), *codec);
  };
  return line_above(entry, shape.layers, longest_period);
}

std::optional<EncodedSize> encoded_size(const ModelRuntime& runtime, const Method& method) {
  const Codec* const codec = method.codec();
  if (codec == nullptr) return std::nullopt;
  const KvShape shape = runtime.model->kv_shape();
  const double share = codec->layer_input_share();
  if (share <= 0) return encoded_size(shape, max_original_rows(runtime), method);
  const auto entry = [&](int tokens) { return runtime.bytes_with_inputs(*codec, static_cast<std::size_t>(tokens)); };
  // Tokens become inputs in whole chunks.
  return line_above(entry, shape.layers, static_cast<int>(std::ceil(runtime.chunk_tokens() / share)));
}

}  // namespace kvantage::inline cost
