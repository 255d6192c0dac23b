// The state of a decode from a slower tier between two of its layers; private to offloaded_decode.cpp and
// offloaded_pass.cpp.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/kvpr/offloaded_decode.h"
#include "core/kvpr/offloaded_sequence.h"

namespace kvantage::inline kvpr {

struct OffloadedDecode::State {
  /// A position within a step: the order is the same in all steps.
  struct Place {
    int layer = 0;
    std::size_t sequence = 0;
    bool weights_come = false, weights_go = false;  // with this layer's rows; after its compute
  };

  /// A pass between two of its layers.
  struct Running {
    Running() {}                              // not implicit: State is not complete where an optional asks for it
    std::vector<DecodeTask> decodes = {};     // one a sequence
    std::optional<PrefillTask> prefill = {};  // of tokens that are fed
    int tokens = 1;                           // a sequence
    std::size_t place = 0;                    // next to compute
    OffloadedStep step = {};
    double waited = 0;  // by the stream before the pass, as all of these
    std::uint64_t inputs = 0, keys_values = 0, matrices = 0;
  };

  State(Transformer& transformer, StorageTier& tier, BufferLender& lender, const RowCodec& codec,
        const OffloadedDecodeOptions& settings)
      : model(transformer),
        options(settings),
        shape(recompute_shape(transformer, codec, settings.chunk_tokens)),
        recompute(transformer, std::max(settings.chunk_tokens, settings.page_tokens)),
        pool(transformer.kv_shape(), 64, pool_bytes(transformer)),
        cache(pool),
        rows(codec),
        stream(tier, lender),
        clock(tier.clock()),
        estimate(settings.profile.recompute, settings.profile.rest_seconds) {}

  // After an error, matrices of a layer may still be lent from buffers that end with this.
  ~State() {
    for (int layer = 0; weights != nullptr && layer < layers(); ++layer) weights->lent().release(layer);
  }

  double waited_seconds() const { return stream.waited_seconds() + (column ? column->waited_seconds() : 0); }
  std::uint64_t weight_bytes() const { return stream.weight_bytes() + (column ? column->weight_bytes() : 0); }

  /// One layer of the longest sequence that the model allows.
  static std::size_t pool_bytes(const Transformer& model) {
    const auto rows =
        static_cast<std::size_t>(model.config().max_positions + 64) * static_cast<std::size_t>(model.config().kv_heads);
    return rows * (model.kv_shape().bytes_per_head_token() + 64) + (std::size_t{16} << 20);
  }

  int layers() const { return model.config().layers; }
  std::size_t places() const { return static_cast<std::size_t>(layers()) * sequences.size(); }
  Place place(std::size_t at) const;
  RecomputeCosts costs() const;
  LayerSeconds of_peers() const { return peers ? peers->others() : LayerSeconds(); }
  double predicted_seconds(const LayerRequest& request) const;
  void learn(const OffloadedStep& step);
  void add_sequence(PrefilledPrompt prefilled, const std::string& name);
  KeptInputs kept_inputs(const OffloadedPrompt& prompt) const;
  Status request_next();
  Status receive(const Place& at, OffloadedStep& step);
  Status lend_shared(const Place& at, WeightPart part, OffloadedStep& step);
  Status append_resident(const Place& at, OffloadedStep& step);
  Status begin(std::span<const std::int32_t> tokens, Pass kind);
  Status run_layer();
  Status compute(const Place& at);
  Status end();
  void take_down(OffloadedStep& step, OffloadedSpan::What what, const Place& at, double begin, double end,
                 std::size_t bytes = 0) const;

  Transformer& model;
  OffloadedDecodeOptions options;
  RecomputeShape shape;
  KvRecompute recompute;
  BlockPool pool;
  KvCache cache;  // one layer of one sequence at a time
  RowCodec rows;
  std::shared_ptr<OffloadedWeights> weights;        // null: resident
  std::vector<StreamedBlock> lent;                  // weights of the current layer
  std::unique_ptr<OffloadedColumn::Member> column;  // null: at its own pace
  std::unique_ptr<OffloadedPeers::Member> peers;    // null: alone, or in a column
  std::shared_ptr<MatrixRead> lent_by_column;       // as `lent`
  std::vector<std::unique_ptr<OffloadedSequence>> sequences;
  LayerStream stream;
  const Clock& clock;
  std::vector<OffloadedStep> steps;
  RecomputeEstimate estimate;
  std::size_t next_place = 0;  // next to be requested
  double step_began = 0;
  std::optional<Running> running;
};

}  // namespace kvantage::inline kvpr
