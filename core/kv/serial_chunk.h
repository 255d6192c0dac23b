// A range of tokens of an entry: chunks of 256 original positions, over which each layer's extents run in order. Chunks
// that follow each other lie together in their layer, so a range of tokens is one range of bytes a layer, verified by
// the checksums of its own extents. Not for coded entries: a codec works on a head as a whole.
#pragma once

#include "core/kv/serial.h"

namespace kvantage {

/// Extents of chunks [first, last) of a layer: keys and values in turn.
std::span<const Extent> chunk_extents(const EntryHeader& header, int layer, int first, int last);
/// The byte range [first, second) of the entry that holds them; not aligned.
std::pair<std::uint64_t, std::uint64_t> chunk_range(const EntryHeader& header, int layer, int first, int last);

/// Rows of one chunk of one layer, in the bytes they were read from.
struct ChunkRows {
  std::vector<std::vector<std::int32_t>> positions;  // [kv_heads][kept in the chunk]
  std::span<const std::byte> keys, values;           // all of them, head by head, [rows, head_dim]
};

/// Takes chunks [first, last) of a layer apart; `bytes` = the entry's chunk_range() of them and stays where it is.
/// corrupt: a checksum (with verify) or positions do not match.
Expected<std::vector<ChunkRows>> read_chunks(const EntryHeader& header, int layer, int first, int last,
                                             std::span<const std::byte> bytes, bool verify);
/// Appends them to a layer of `cache`. After no_space the layer holds some of them.
Status append_chunks(std::span<const ChunkRows> chunks, int layer, KvCache& cache);

}  // namespace kvantage
