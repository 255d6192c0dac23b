// Key layout of a remote store, or of one of its buckets in a cluster (tiers/remote/redis_slots.h). All keys contain
// the hash tag {TAG}, so that in a cluster they share one slot and scripts may access several of them. TAG: the prefix,
// in a cluster PREFIX#N. SCOPE: entries of one model and workload, separate from others.
//
//   {TAG}:v1:SCOPE:sequence       counter: number of the next version, starts at the time in microseconds
//                    :changes     counter: incremented by every commit and erase
//                    :index       hash KEY -> "SEQUENCE CHUNK_BYTES CHUNKS" of the visible version
//                    :headers     hash KEY -> its store header (tiers/store_header.h)
//                    :holders     hash KEY:SEQUENCE -> workbenches that hold it, separated by spaces
//                    :unfinished  hash KEY:SEQUENCE -> "WORKBENCH CHUNKS": chunks without an index entry
//                    :workbenches sorted set: workbench -> end of its lease, server time in milliseconds
//                    :c:KEY:SEQUENCE:I  chunk I of that version
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/digest.h"

namespace kvantage::inline remote {

struct RedisKeys {
  RedisKeys(const std::string& tag, const std::string& scope) : base("{" + tag + "}:v1:" + scope) {}

  std::string base;
  std::string sequence = base + ":sequence";
  std::string changes = base + ":changes";
  std::string index = base + ":index";
  std::string headers = base + ":headers";
  std::string holders = base + ":holders";
  std::string unfinished = base + ":unfinished";
  std::string workbenches = base + ":workbenches";

  static std::string version(const Digest128& key, std::uint64_t sequence) {
    return key.hex() + ":" + std::to_string(sequence);
  }
  /// `version`: the result of version().
  std::string chunk(const std::string& version, std::uint64_t number) const {
    return base + ":c:" + version + ":" + std::to_string(number);
  }
  /// Matches every chunk, in SCAN's pattern syntax.
  std::string chunk_pattern() const {
    std::string pattern;
    for (const char letter : base) {
      if (std::string_view("*?[]\\^").find(letter) != std::string_view::npos) pattern += '\\';
      pattern += letter;
    }
    return pattern + ":c:*";
  }
};

/// Per entry; enough for 63 GiB in the longest chunks.
inline constexpr std::uint64_t max_chunks = std::uint64_t{1} << 16;

/// The index value of a version.
struct RedisVersion {
  std::uint64_t sequence = 0;
  std::uint64_t chunk_bytes = 0;
  std::uint64_t chunks = 0;

  std::string text() const {
    return std::to_string(sequence) + " " + std::to_string(chunk_bytes) + " " + std::to_string(chunks);
  }
  /// Nothing for malformed values: other programs may have written them.
  static std::optional<RedisVersion> parse(std::string_view text) {
    constexpr std::uint64_t max_chunk_bytes = std::uint64_t{64} << 20;
    RedisVersion version;
    const char* at = text.data();
    const char* const end = at + text.size();
    for (std::uint64_t* field : {&version.sequence, &version.chunk_bytes, &version.chunks}) {
      const auto [next, code] = std::from_chars(at, end, *field);
      if (code != std::errc{} || (next != end && *next != ' ')) return std::nullopt;
      at = next == end ? end : next + 1;
    }
    if (at != end || version.chunk_bytes == 0 || version.chunk_bytes > max_chunk_bytes || version.chunks == 0 ||
        version.chunks > max_chunks)
      return std::nullopt;
    return version;
  }
};

}  // namespace kvantage::inline remote
