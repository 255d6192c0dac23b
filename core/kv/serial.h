// The serial form of a cache: stored by every tier and parsed by every reader (whole, layer-wise, partial).
//
//   [header: fixed part, identity, method, token ids, extent table, own checksum]   padded to 4 KiB
//   [layer 0 extents, packed][padding to 4 KiB][layer 1 extents] ...
//   [window queries of layer 0][padding to 4 KiB][of layer 1] ...                    only where they are kept
//
// An extent = (layer, chunk of 256 original positions, kind): for each KV head in turn the kept rows of that chunk. Key
// extents start with one 256-bit bitmap of kept positions per KV head. Every chunk of the context has its pair of
// extents, even when empty, so that an entry's size follows from counts alone. Encoded rows use one pair of extents per
// layer instead (serial_encoded.h), because a codec works on a head as a whole. Each extent has its own XXH3, so that
// any part can be read and verified separately. Window queries (for methods that score by the last queries) follow all
// layers: reading keys and values never reads them. All integers are little-endian.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/kv/codecs/codec.h"
#include "core/kv/context_key.h"
#include "core/kv/kv_cache.h"

namespace kvantage::inline kv {

inline constexpr int extent_chunk_positions = 256;
inline constexpr std::size_t entry_alignment = 4096;

struct Extent {
  std::uint16_t layer = 0;
  std::uint16_t chunk = 0;  // original positions [256*chunk, 256*chunk+256)
  ExtentKind kind = ExtentKind::keys;
  std::uint8_t codec = 0;    // 0 = not encoded (bf16 or fp32), 1 = by EntryHeader::codec
  std::uint64_t offset = 0;  // from the start of the entry
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;
};

struct EntryCompression {
  std::string method = "none";  // text form
  std::string codec;            // text form of the codec of the rows; empty: not encoded
  double removed_fraction = 0;
};

/// What an entry is of.
struct EntryContent {
  CacheIdentity identity;
  KvShape shape;
  EntryCompression compression;
  std::vector<std::int32_t> token_ids;  // the whole context, compared on a hit
};

/// Where its bytes are.
struct EntryLayout {
  std::vector<Extent> extents;  // keys and values by layer, chunk, kind; then window queries by layer
  int query_heads = 0;          // window queries: [query_heads, query_window, head_dim] per layer, or none
  int query_window = 0;
  std::uint64_t header_bytes = 0;  // padded
  std::uint64_t entry_bytes = 0;   // everything, padding included
  std::uint64_t kept_rows = 0;     // sum over layers and heads
};

struct EntryHeader : EntryContent, EntryLayout {
  ContextKey context() const { return context_key(identity, token_ids); }
  Digest128 key() const { return entry_key(context(), compression.method, compression.removed_fraction); }
  int chunks() const {
    return static_cast<int>((token_ids.size() + extent_chunk_positions - 1) / extent_chunk_positions);
  }
  bool has_window_queries() const { return query_window > 0; }
  bool is_encoded() const { return !compression.codec.empty(); }
  /// serial_inputs.h
  bool holds_layer_inputs() const { return compression.codec.starts_with(layer_inputs_codec); }
  /// Extents of a layer's keys and values.
  std::size_t extents_per_layer() const {
    return 2 * (is_encoded() ? std::size_t{1} : static_cast<std::size_t>(chunks()));
  }
  /// Keys and values of one layer: its extents and the byte range [first, second) of the entry that holds them
  /// (aligned to 4 KiB).
  std::span<const Extent> layer_extents(int layer) const;
  std::pair<std::uint64_t, std::uint64_t> layer_range(int layer) const;
  /// The extent and byte range of one layer's window queries; empty when the entry has none.
  std::span<const Extent> window_queries_extents(int layer) const;
  std::pair<std::uint64_t, std::uint64_t> window_queries_range(int layer) const;
};

/// Queries of the last tokens of a context, stored with an original so that any later method can score it: per layer
/// [heads, window, head_dim] fp32, after RoPE.
struct WindowQueries {
  int heads = 0;
  int window = 0;
  std::vector<std::vector<float>> layers;
  bool empty() const { return layers.empty(); }
};

/// Size of an entry of unencoded rows before it is built: header, payload and padding, for a plan's accounting. Exact
/// when every head of every layer keeps kept_per_head tokens. window_query_bytes: of one layer, query heads * window *
/// head_dim * 4.
std::uint64_t predicted_entry_bytes(const KvShape& shape, std::size_t context_tokens, std::size_t kept_per_head,
                                    std::size_t method_name_bytes, std::size_t window_query_bytes = 0);

/// Exact bytes of an entry whose heads keep `kept` tokens, [layers * kv_heads], under `codec`; nullopt where that
/// depends on the row values.
std::optional<std::uint64_t> entry_bytes(const KvShape& shape, std::span<const int> kept, std::size_t context_tokens,
                                         std::size_t method_name_bytes, const Codec& codec,
                                         std::size_t window_query_bytes = 0);
/// Exact bytes of the entry of `cache` under `codec`; encodes all rows where counts are not enough.
Expected<std::uint64_t> entry_bytes(const KvCache& cache, std::size_t method_name_bytes, const Codec& codec,
                                    std::size_t window_query_bytes = 0);
/// The same from the bytes of each layer's encoded rows, as returned by recode().
std::uint64_t recoded_entry_bytes(const KvShape& shape, std::size_t context_tokens, std::size_t method_name_bytes,
                                  const Codec& codec, std::span<const std::uint64_t> encoded_layers,
                                  std::size_t window_query_bytes = 0);

class LayerInputRows;  // serial_inputs.h

/// The whole entry as bytes, in whole 4 KiB pages. Fills in header: shape, extents, query_heads, query_window,
/// header_bytes, entry_bytes, kept_rows. Rows are encoded by header.compression.codec, whose text becomes canonical
/// (empty for unencoded rows); usage error for an unknown one. The cache must hold exactly the context of
/// header.token_ids (sequence_length() equal to their number). inputs: needed by the codec layer_inputs, which stores
/// no window queries.
Expected<std::vector<std::byte>> serialize(const KvCache& cache, EntryHeader& header, const WindowQueries* queries,
                                           const LayerInputRows* inputs = nullptr);

/// The header as it is stored, padded: the first part of the entry that it describes.
std::vector<std::byte> header_block(const EntryHeader& header);

/// Parses a header from the first bytes of an entry. corrupt when magic, version, length or checksum do not match or
/// the table is not a well-formed entry; never reads outside `bytes`, never uses an unchecked length.
Expected<EntryHeader> parse_entry_header(std::span<const std::byte> bytes);
/// Length of the header, from the first 4 KiB, so that a reader knows how much to fetch.
Expected<std::uint64_t> entry_header_bytes(std::span<const std::byte> first_block);

/// Verifies and appends one layer to `cache`, whose sequence_length() becomes at least the context's. `bytes` = the
/// entry's layer_range(layer). corrupt on a bad checksum; any error leaves the layer unchanged. Not for entries of
/// layer inputs (internal), which need the model. verify = false: checksums were checked before (by a tier on its own
/// thread). With leave_encoded, rows whose codec supports ranges become the cache's encoded rows without decoding; the
/// layer must hold no others. on_threads: for rows that take long to copy or decode (row_filling.h).
Status restore_layer(const EntryHeader& header, int layer, std::span<const std::byte> bytes, bool verify,
                     KvCache& cache, bool leave_encoded = false, const RunTasks& on_threads = {});
/// The window queries of one layer, [query_heads, query_window, head_dim]; not_found when the entry has none. `bytes` =
/// the entry's window_queries_range(layer); always verified.
Expected<std::vector<float>> restore_window_queries(const EntryHeader& header, int layer,
                                                    std::span<const std::byte> bytes);

}  // namespace kvantage::inline kv
