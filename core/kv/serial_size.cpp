// Sizes of entries before they are built.
#include "core/kv/serial_encoded.h"

namespace kvantage::inline kv {

using namespace serial;

namespace {

std::uint64_t entry_of(const KvShape& shape, std::size_t context_tokens, std::size_t text_bytes, bool is_encoded,
                       std::uint64_t layer_bytes, std::size_t window_query_bytes) {
  const std::size_t chunks = (context_tokens + extent_chunk_positions - 1) / extent_chunk_positions;
  const auto layers = static_cast<std::size_t>(shape.layers);
  const std::size_t extents = layers * (2 * (is_encoded ? 1 : chunks) + (window_query_bytes > 0 ? 1 : 0));
  return header_bytes(text_bytes, context_tokens, extents) + layer_bytes + layers * padded(window_query_bytes);
}

}  // namespace

std::uint64_t predicted_entry_bytes(const KvShape& shape, std::size_t context_tokens, std::size_t kept_per_head,
                                    std::size_t method_name_bytes, std::size_t window_query_bytes) {
  const std::size_t chunks = (context_tokens + extent_chunk_positions - 1) / extent_chunk_positions;
  const std::size_t rows = kept_per_head * static_cast<std::size_t>(shape.kv_heads);
  const std::uint64_t layer = padded(chunks * bitmaps_bytes(shape) + rows * shape.bytes_per_head_token());
  return entry_of(shape, context_tokens, method_name_bytes, false, static_cast<std::uint64_t>(shape.layers) * layer,
                  window_query_bytes);
}

std::optional<std::uint64_t> entry_bytes(const KvShape& shape, std::span<const int> kept, std::size_t context_tokens,
                                         std::size_t method_name_bytes, const Codec& codec,
                                         std::size_t window_query_bytes) {
  const std::size_t chunks = (context_tokens + extent_chunk_positions - 1) / extent_chunk_positions;
  const auto heads = static_cast<std::size_t>(shape.kv_heads);
  const bool is_encoded = !codec.is_identity();
  std::uint64_t layers = 0;
  for (int l = 0; l < shape.layers; ++l) {
    std::uint64_t layer = is_encoded ? encoded_frame_bytes(shape, context_tokens) : chunks * bitmaps_bytes(shape);
    for (const int count : kept.subspan(static_cast<std::size_t>(l) * heads, heads))
      for (const ExtentKind kind : {ExtentKind::keys, ExtentKind::values}) {
        const auto rows = codec.encoded_bytes({shape, l, kind, count});
        if (!rows) return std::nullopt;
        layer += *rows;
      }
    layers += padded(layer);
  }
  return entry_of(shape, context_tokens, method_name_bytes + (is_encoded ? codec.text().size() : 0), is_encoded, layers,
                  window_query_bytes);
}

Expected<std::uint64_t> entry_bytes(const KvCache& cache, std::size_t method_name_bytes, const Codec& codec,
                                    std::size_t window_query_bytes) {
  const KvShape& shape = cache.shape();
  const auto tokens = static_cast<std::size_t>(cache.sequence_length());
  std::vector<int> kept;
  for (int l = 0; l < shape.layers; ++l)
    for (int h = 0; h < shape.kv_heads; ++h) kept.push_back(cache.kept(l, h));
  if (const auto bytes = entry_bytes(shape, kept, tokens, method_name_bytes, codec, window_query_bytes)) return *bytes;
  std::vector<std::byte> layers;
  std::vector<Extent> extents;
  std::uint64_t bytes = 0;
  for (int l = 0; l < shape.layers; ++l) {
    layers.clear();
    KV_TRY(write_encoded_layer(cache, l, tokens, codec, layers, extents));
    bytes += layers.size();
  }
  return entry_of(shape, tokens, method_name_bytes + codec.text().size(), true, bytes, window_query_bytes);
}

std::uint64_t recoded_entry_bytes(const KvShape& shape, std::size_t context_tokens, std::size_t method_name_bytes,
                                  const Codec& codec, std::span<const std::uint64_t> encoded_layers,
                                  std::size_t window_query_bytes) {
  const std::size_t chunks = (context_tokens + extent_chunk_positions - 1) / extent_chunk_positions;
  const bool is_encoded = !codec.is_identity();
  std::uint64_t layers = 0;
  for (const std::uint64_t rows : encoded_layers)
    layers += padded(rows + (is_encoded ? encoded_frame_bytes(shape, context_tokens) : chunks * bitmaps_bytes(shape)));
  return entry_of(shape, context_tokens, method_name_bytes + (is_encoded ? codec.text().size() : 0), is_encoded, layers,
                  window_query_bytes);
}

}  // namespace kvantage::inline kv
