// The serial form of a cache: what every tier stores and every reader (whole, layer-wise, partial) parses.
//
//   [header: fixed part, identity, method, token ids, extent table, own checksum]   padded to 4 KiB
//   [layer 0 extents, packed][padding to 4 KiB][layer 1 extents] ...
//
// An extent = (layer, chunk of 256 original positions, kind): for each KV head in turn the kept rows of that chunk.
// Key extents begin with one 256-bit bitmap of kept positions per KV head. Each extent has its own XXH3, so that any
// part can be read and verified alone. Kinds besides keys and values (window queries for methods that score by the
// last queries) live beside them. All integers little-endian.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/kv/context_key.h"
#include "core/kv/kv_cache.h"

namespace kvantage {

enum class ExtentKind : std::uint8_t { keys = 0, values = 1, window_queries = 2 };
inline constexpr int extent_chunk_positions = 256;
inline constexpr std::size_t entry_alignment = 4096;

struct Extent {
  std::uint16_t layer = 0;
  std::uint16_t chunk = 0;  // original positions [256*chunk, 256*chunk+256)
  ExtentKind kind = ExtentKind::keys;
  std::uint8_t codec = 0;    // 0 = as held (bf16 or fp32)
  std::uint64_t offset = 0;  // from the start of the entry
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;
};

struct EntryHeader {
  CacheIdentity identity;
  KvShape shape;
  std::string method = "none";  // text form of the compression method
  double removed_fraction = 0;
  std::vector<std::int32_t> token_ids;  // the whole context, for comparison on a hit
  std::vector<Extent> extents;          // ascending by layer, then chunk, then kind
  std::uint64_t header_bytes = 0;       // padded
  std::uint64_t entry_bytes = 0;        // everything, padding included
  std::uint64_t kept_rows = 0;          // sum over layers and heads

  ContextKey context() const { return context_key(identity, token_ids); }
  Digest128 key() const { return entry_key(context(), method, removed_fraction); }
  /// Extents of one layer and the byte range [first, second) of the entry that holds them (aligned to 4 KiB).
  std::span<const Extent> layer_extents(int layer) const;
  std::pair<std::uint64_t, std::uint64_t> layer_range(int layer) const;
};

/// Queries of the last tokens of a context, kept beside an original so that any later method can score it:
/// per layer [heads, window, head_dim] fp32, after RoPE.
struct WindowQueries {
  int heads = 0;
  int window = 0;
  std::vector<std::vector<float>> layers;
  bool empty() const { return layers.empty(); }
};

/// Bytes of an entry before it is made: header, payload and padding, for a plan's accounting (exact).
std::uint64_t predicted_entry_bytes(const KvShape& shape, std::size_t context_tokens, std::size_t kept_per_head,
                                    std::size_t method_name_bytes);

/// The whole entry as one 4 KiB-aligned byte string. Fills header.extents, header_bytes, entry_bytes, kept_rows.
Expected<std::vector<std::byte>> serialize(const KvCache& cache, EntryHeader& header, const WindowQueries* queries);

/// Reads a header from the first bytes of an entry. corrupt when magic, version, length or checksum do not fit;
/// never reads outside `bytes` and never trusts a length it has not checked.
Expected<EntryHeader> parse_entry_header(std::span<const std::byte> bytes);
/// Length of the header, from the first 4 KiB, so that a reader knows how much to fetch.
Expected<std::uint64_t> entry_header_bytes(std::span<const std::byte> first_block);

/// Verifies and appends one layer to `cache`. `bytes` = the entry's layer_range(layer). corrupt on a bad checksum.
/// With verify = false checksums were checked before (a tier that verified on its own thread).
Status restore_layer(const EntryHeader& header, int layer, std::span<const std::byte> bytes, bool verify,
                     KvCache& cache);
/// The window queries of one layer, [heads, window, head_dim]; not_found when the entry carries none.
Expected<std::vector<float>> restore_window_queries(const EntryHeader& header, int layer,
                                                    std::span<const std::byte> bytes);

}  // namespace kvantage
