// A range of tokens of an entry: chunks of 256 original positions, in whose order each layer's extents are stored.
// Consecutive chunks are contiguous in their layer, so a range of tokens is one range of bytes per layer, verified by
// its own extents' checksums. Not for encoded entries: a codec works on a head as a whole.
#pragma once

#include "core/kv/serial.h"

namespace kvantage::inline kv {

/// Extents of chunks [first, last) of a layer: keys and values alternate.
std::span<const Extent> chunk_extents(const EntryHeader& header, int layer, int first, int last);
/// The byte range [first, second) of the entry that holds them; not aligned.
std::pair<std::uint64_t, std::uint64_t> chunk_range(const EntryHeader& header, int layer, int first, int last);

/// Rows of one chunk of one layer, as views of the read bytes.
struct ChunkRows {
  std::vector<std::vector<std::int32_t>> positions;  // [kv_heads][kept in the chunk]
  std::span<const std::byte> keys, values;           // of all heads, head by head, [rows, head_dim]
};

/// Parses chunks [first, last) of a layer; `bytes` = the entry's chunk_range() of them, which must outlive the result.
/// corrupt: a checksum (with verify) or positions do not match.
Expected<std::vector<ChunkRows>> read_chunks(const EntryHeader& header, int layer, int first, int last,
                                             std::span<const std::byte> bytes, bool verify);
/// Appends them to a layer of `cache`, where it is worth it `on_threads` (row_filling.h). After no_space the layer
/// holds some of them, undefined.
Status append_chunks(std::span<const ChunkRows> chunks, int layer, KvCache& cache, const RunTasks& on_threads = {});

}  // namespace kvantage::inline kv
