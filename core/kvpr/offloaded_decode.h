// Decoding with keys, values and layer inputs on a slower tier (KVPR, paper 004, mode decode-offload): every step
// streams each layer's cache through two sets of buffers, computes the keys and values of the first l prompt tokens
// anew from their layer inputs, and drops them again once the layer is computed. What the step answers is what a plain
// decode answers, bit for bit, unless keys and values lie on the tier in a codec that loses: then those that are loaded
// are what it gives back, those computed anew the very ones.
//
// l is solved anew each step (core/policy/partial_recompute.h, column by column: inputs are shipped), in whole chunks
// of the prefill, by what the newest steps took (recompute_estimate.h); where none of them computed anything anew, one
// chunk is. Tokens that are decoded join the offloaded ones in pages of a chunk's length; until then, and until a page
// is written, their keys and values are held in memory. Their layer inputs are not kept: a decode step computes them in
// fp32, twice as long as what a prefill projects. So l ends with the prompt.
//
// Several sequences decode side by side in one of two orders: column by column, all of them through a layer before the
// next one, so that weights that are streamed come once a step; or row by row, each through all layers, weights coming
// for each of them anew.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/kvpr/layer_stream.h"
#include "core/policy/partial_recompute.h"

namespace kvantage {

enum class SplitMode { solved, load_only, recompute_only };

/// What the scheduler goes by; core/kvpr/recompute_profile.h measures it.
struct RecomputeProfile {
  TierModel link;
  RecomputeRate recompute;
  double rest_seconds = 0;  // what a layer of a step computes besides, taking its rows in included
};

enum class BatchOrder { column, row };

struct OffloadedDecodeOptions {
  int chunk_tokens = 64;  // of prefill, blocks and pages
  SplitMode mode = SplitMode::solved;
  RecomputeProfile profile;
  std::string name = "decode";                   // of its entries on the tier
  std::shared_ptr<const Codec> codec = nullptr;  // of keys and values on the tier; null: as held
  WeightLoading weights =
      WeightLoading::resident;  // else matrices lie on the tier, too, and come each step; the prefill has them resident
  bool frozen = false;          // splits go by `profile` alone: no time that is measured meanwhile enters
  BatchOrder order = BatchOrder::column;
  bool spans = false;  // steps tell when what was under way
};

/// What of a step was under way when; the first three on the link, the others on the processor.
struct OffloadedSpan {
  enum class What { weights, layer_inputs, keys_values, recomputation, layer } what = What::layer;
  int layer = 0, sequence = 0;
  double begin = 0, end = 0;  // seconds since the step began: what the step before asked for begins before 0
};

/// One step as it went, all sequences together.
struct OffloadedStep {
  int streamed_tokens = 0;    // offloaded when its layers were asked for
  int recomputed_tokens = 0;  // of each layer, of them
  std::uint64_t input_bytes = 0, kv_bytes = 0,
                weight_bytes =
                    0;  // asked for by this step, padding included; it asks for layers of the next step as well
  double seconds = 0;
  double predicted_seconds = 0;  // of all layers, by the profile and what layers took so far besides
  double waited_seconds = 0;     // for the tier
  double recompute_seconds = 0;
  std::vector<OffloadedSpan> spans = {};
};

class OffloadedDecode {
 public:
  /// Prefills `prompt`, writes it to `tier` and asks for the first layers. model, tier and lender outlive this. Errors:
  /// those of the prefill and of the tier; usage where `mode` is solved and shipping layer inputs cannot pay.
  static Expected<std::unique_ptr<OffloadedDecode>> begin(Transformer& model, StorageTier& tier, BufferLender& lender,
                                                          const std::vector<std::int32_t>& prompt,
                                                          const OffloadedDecodeOptions& options);
  /// Of one sequence or more.
  static Expected<std::unique_ptr<OffloadedDecode>> begin(Transformer& model, StorageTier& tier, BufferLender& lender,
                                                          const std::vector<std::vector<std::int32_t>>& prompts,
                                                          const OffloadedDecodeOptions& options);
  ~OffloadedDecode();
  OffloadedDecode(const OffloadedDecode&) = delete;
  OffloadedDecode& operator=(const OffloadedDecode&) = delete;

  /// The next token of each sequence, at the position after its last. usage: as many tokens as sequences are asked for;
  /// after any other error nothing more can be decoded.
  Expected<OffloadedStep> step(std::span<const std::int32_t> tokens);
  Expected<OffloadedStep> step(std::int32_t token) { return step(std::span(&token, 1)); }
  /// Of a sequence's last token: [vocab_size].
  std::span<const float> logits(std::size_t sequence = 0) const;
  const std::vector<OffloadedStep>& steps() const;
  /// On the tier now, and keys and values of decoded tokens that are still held in memory.
  std::uint64_t offloaded_bytes() const;
  std::uint64_t held_bytes() const;

 private:
  struct State;
  explicit OffloadedDecode(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// The scheduler's view of a model's layer. `codec`, of chunks of so many tokens: what keys and values take on the
/// tier.
RecomputeShape recompute_shape(const Transformer& model);
RecomputeShape recompute_shape(const Transformer& model, const RowCodec& codec, int chunk_tokens);

/// A prompt that was prefilled in chunks and written with its layer inputs, and the logits [vocab_size] behind it.
struct PrefilledPrompt {
  std::unique_ptr<OffloadedPrompt> prompt;
  std::vector<float> logits;
};
Expected<PrefilledPrompt> prefill_offloaded(Transformer& model, StorageTier& tier,
                                            const std::vector<std::int32_t>& prompt, int chunk_tokens,
                                            const std::string& name, std::shared_ptr<const Codec> codec = nullptr);

}  // namespace kvantage
