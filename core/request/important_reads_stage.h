// Serves a request from a context that is stored whole in chunks of tokens, as IMPRESS does (Chen et al., FAST 2025).
// Layer by layer: the keys of a few probe heads are read, the question's queries say which tokens are important, and
// only the chunks that hold some of these are read. The question and the answer see the important tokens alone, at
// their original positions. Probe keys of the next layer are read while a layer is computed.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/request/chunk_reader.h"
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
  bool wants_queries(int layer) const override { return layer == restored_ && !probe_keys_.empty() && !chosen_; }
  Status take_queries(int layer, std::span<const float> queries) override;
  bool reading() const override { return reader_ != nullptr; }
  void fill_in(CacheUse& use) override;

 private:
  ImportantReadsStage(RequestState& state, const CacheHit& hit, BufferLender& lender, ImportantTokensRule rule);
  int layers() const { return hit_.header->shape.layers; }
  bool must_wait() const;
  void begin_reads();
  Status take_arrived();
  Status use_header();
  Status restore_layer();
  Status append_heads();
  std::vector<std::size_t> places_in_chunks() const;
  void note_arrivals();
  void note_unpacked(std::int64_t start_ns);

  RequestState& state_;
  ImportantTokensRule rule_;
  std::unique_ptr<ChunkReader> reader_;
  int restored_ = 0;  // layers
  // Of the layer that follows these.
  std::vector<std::vector<std::byte>> probe_keys_;   // [probe heads][tokens, head_dim]; empty: not here
  std::optional<std::vector<std::int32_t>> chosen_;  // important tokens, ascending
  std::vector<TokenChunks::Run> runs_;               // the chunks that hold them
  int whole_layers_ = 0;
  std::size_t noted_arrivals_ = 0;
  std::int64_t waiting_since_ns_ = 0;
};

}  // namespace kvantage::inline requests
