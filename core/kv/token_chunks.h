// Entries of whole contexts in chunks of tokens, as IMPRESS stores them (Chen et al., FAST 2025): the codec
// token_chunks without token eviction. Every head keeps every token, so the place of a chunk follows from its number,
// and any chunk of any head can be read and verified alone.
//
//   one head's keys or values of a layer: for each chunk [rows, head_dim][XXH3]
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/kv/serial.h"

namespace kvantage::inline kv {

class TokenChunks {
 public:
  /// Chunks [first, last).
  struct Run {
    int first = 0, last = 0;
    bool operator==(const Run&) const = default;
  };

  /// rejected_input: the entry is not of this codec, or does not keep every token. corrupt: its extents have other
  /// lengths.
  static Expected<TokenChunks> of(const EntryHeader& header);

  int tokens() const { return tokens_; }
  int count() const { return (tokens_ + length_ - 1) / length_; }
  int chunk_of(std::int32_t token) const { return token / length_; }
  int first_token(int chunk) const { return chunk * length_; }
  int tokens_in(Run run) const;

  /// The chunks that hold any of these tokens, which ascend; neighbors are one run.
  std::vector<Run> runs_of(std::span<const std::int32_t> tokens) const;
  Run all() const { return {0, count()}; }

  /// The bytes [first, second) of the entry that hold a run of one head's keys or values, with their checksums.
  std::pair<std::uint64_t, std::uint64_t> range(int layer, ExtentKind kind, int kv_head, Run run) const;
  /// Appends the rows in `bytes`, the range() of `run`. corrupt: a chunk fails its checksum, or bytes are missing.
  Status unpack(Run run, std::span<const std::byte> bytes, std::vector<std::byte>& rows) const;

 private:
  struct LayerStart {
    std::uint64_t keys = 0, values = 0;  // of the first head's bytes, after their length
  };
  std::uint64_t head_bytes() const;

  int tokens_ = 0, length_ = 1;
  std::size_t row_bytes_ = 0;
  std::vector<LayerStart> layers_;
};

}  // namespace kvantage::inline kv
