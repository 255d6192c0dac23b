// Serves a request from a context that is stored whole in chunks of tokens, as IMPRESS does (Chen et al., FAST 2025).
// Layer by layer: the keys of a few probe heads are read, the question's queries say which tokens are important, and
// only the chunks that hold some of these are read. The question and the answer see the important tokens alone, at
// their original positions. Probe keys of the next layer are read while a layer is computed. Parts that have a copy on
// a faster tier come from there.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/kv/token_chunks.h"
#include "core/request/chunk_copies.h"
#include "core/request/hit_stage.h"

namespace kvantage::inline requests {

class ImportantReadsStage final : public HitStage {
 public:
  /// Null: load the hit as a whole. So without a rule in the request's input, for another form than a whole context in
  /// chunks, for a prefix of the context, under decode-time eviction, and where a device computes the model.
  static std::unique_ptr<ImportantReadsStage> begin(RequestState& state, const CacheHit& hit, BufferLender& lender);

  Status poll(double wait_seconds, int layers) override;
  bool has_layer(int layer) const override { return layer < restored_; }
  bool takes_queries() const override { return true; }
  bool wants_queries(int layer) const override { return layer == restored_ && has_probed_ && !chosen_; }
  Status take_queries(int layer, std::span<const float> queries) override;
  bool reading() const override { return reads_ != nullptr; }
  void fill_in(CacheUse& use) override;

 private:
  /// Chunks of a layer from one place: ranges of the entry, or a copy, which is one chunk.
  struct Part {
    TokenChunks::Run run;
    bool is_copy = false;
    int batch = 0;
    std::size_t first_range = 0;
  };
  struct Choice {
    std::vector<std::int32_t> tokens;  // important ones, ascending
    std::vector<TokenChunks::Run> runs;
    std::vector<Part> parts;  // in order of tokens; empty: not submitted
  };
  struct ProbeRead {
    int batch = 0;
    bool is_copy = false;
  };

  ImportantReadsStage(RequestState& state, const CacheHit& hit, BufferLender& lender, ImportantTokensRule rule);
  int layers() const { return hit_.header->shape.layers; }
  int probes() const;
  ChunkId id_of(int layer, int chunk) const { return {hit_.info.key, layer, chunk, probes()}; }
  bool awaited_is_here() const;
  void submit();
  ProbeRead read_probes(int layer, bool may_copy);
  void read_chunks();
  void add_rows(TokenChunks::Run run, std::vector<RangeReads::Range>& ranges);
  bool read_copy(int chunk);
  void read_again(Part& part);
  Status take_arrived();
  Status use_header();
  Status take_probes();
  Status take_chunks();
  Status restore_layer();
  Status append_heads();
  void offer_copies() const;
  std::span<const std::byte> rows_of(const Part& part, std::size_t rows) const;
  Status failed(const ReadFailure& failure);
  void note_arrivals();

  RequestState& state_;
  ImportantTokensRule rule_;
  std::unique_ptr<RangeReads> reads_;
  RangeReads::Source entry_;
  std::optional<int> header_batch_;
  std::optional<TokenChunks> chunks_;             // once the header is known
  std::vector<std::optional<ProbeRead>> probes_;  // [layers]
  // Of the layer that follows the restored ones.
  std::vector<std::vector<std::byte>> probe_keys_;  // [probe heads][tokens, head_dim]
  bool has_probed_ = false;
  std::optional<Choice> chosen_;
  int restored_ = 0;  // layers
  ImportantReadsRecord done_;
  std::string miss_reason_;  // of a read that failed
  std::size_t noted_arrivals_ = 0;
  std::int64_t waiting_since_ns_ = 0;
};

}  // namespace kvantage::inline requests
