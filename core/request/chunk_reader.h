// Reads parts of an entry of token chunks, a layer at a time: first the keys of the probe heads, for all tokens, then
// chosen chunks with the keys of the other heads and the values of all. Parts that have a copy on a faster tier come
// from there; a copy that fails is read again from the entry. All bytes are verified.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/kv/token_chunks.h"
#include "core/ports/request_record.h"
#include "core/request/cache_hit.h"
#include "core/request/chunk_copies.h"

namespace kvantage::inline requests {

class ChunkReader {
 public:
  ChunkReader(const CacheHit& hit, BufferLender& lender);

  /// Reads the header. Nothing: it is not here yet. corrupt: it is damaged, or that of another entry.
  Expected<std::shared_ptr<const EntryHeader>> take_header();
  /// Call before everything below. probes: at most this many heads. Errors as TokenChunks::of().
  Status use(std::shared_ptr<const EntryHeader> header, int probes);
  const TokenChunks& chunks() const { return *chunks_; }
  int probes() const { return probes_; }

  void begin_probes(int layer);
  /// The keys of the probe heads, each [tokens, head_dim]. Nothing: not all of them are here.
  Expected<std::optional<std::vector<std::vector<std::byte>>>> take_probes(int layer);

  void begin_chunks(int layer, std::span<const TokenChunks::Run> runs);
  /// Whether all chosen chunks are here. An error: a read failed.
  Expected<bool> has_chunks();
  /// Appends the rows of one head's keys or values from all chosen chunks, in order of tokens; not for keys of probes.
  Status unpack(ExtentKind kind, int kv_head, std::vector<std::byte>& rows) const;
  /// The layer's rows were used, and these of its tokens were important: offers copies, and returns the buffers.
  void end_layer(std::span<const std::int32_t> important);

  /// Whether what was begun for the layer has ended; without a layer, the header.
  bool is_waiting(std::optional<int> layer) const;
  void pump(double seconds) { reads_.pump(seconds); }
  const RangeReads& reads() const { return reads_; }
  const ImportantReadsRecord& done() const { return done_; }
  /// Of the read that failed, as ReadFailure has it; empty: none did.
  const std::string& miss_reason() const { return miss_reason_; }

 private:
  /// Chunks from one place: ranges of the entry, or a copy, which is one chunk.
  struct Part {
    TokenChunks::Run run;
    bool is_copy = false;
    int batch = 0;
    std::size_t first_range = 0;
    bool is_verified = false;  // a copy
  };
  struct ProbeRead {
    int batch = 0;
    bool is_copy = false;
  };

  ChunkId id_of(int layer, int chunk) const { return {hit_.info.key, layer, chunk, probes_}; }
  std::uint64_t probe_bytes(int layer) const;
  ProbeRead read_probes(int layer, bool may_copy);
  void add_rows(TokenChunks::Run run, std::vector<RangeReads::Range>& ranges);
  bool read_copy(int chunk);
  bool is_good(const Part& copy) const;
  std::span<const std::byte> rows_of(const Part& part, std::size_t rows) const;
  std::vector<std::byte> copy_of(const Part& part, int chunk) const;
  tl::unexpected<Error> failed(const ReadFailure& failure);

  CacheHit hit_;
  RangeReads::Source entry_;
  ChunkCopies* copies_;  // null: none
  std::optional<int> header_batch_;
  std::shared_ptr<const EntryHeader> header_;
  std::optional<TokenChunks> chunks_;
  int probes_ = 0;                                     // heads
  std::vector<std::optional<ProbeRead>> probe_reads_;  // [layers]
  int layer_ = 0;                                      // of the parts
  std::vector<Part> parts_;                            // in order of tokens
  ImportantReadsRecord done_;
  std::string miss_reason_;
  RangeReads reads_;  // last: the others outlive what is in flight
};

}  // namespace kvantage::inline requests
