// Decoding with keys, values and layer inputs on a slower tier (KVPR, paper 004, mode decode-offload). Every step
// streams each layer's cache through two sets of buffers, recomputes the keys and values of the first l tokens from
// their layer inputs, and drops them once the layer is computed. A step's output equals that of a plain decode,
// bit for bit, unless the tier uses a lossy codec: then loaded rows are the decoded ones, and recomputed rows are
// exact.
//
// l is solved in each step (core/policy/partial_recompute.h, column schedule: inputs are shipped), in whole chunks of
// the prefill and whole later pages, from the timings of the newest steps (recompute_estimate.h). If none of them
// recomputed anything, one chunk is recomputed. Tokens after the prompt join the offloaded ones in pages
// (decoded_pages.h), with their layer inputs unless nothing is ever recomputed. Until a page is full and written, their
// keys and values stay in memory. l reaches at most the first page without inputs: those of decoded tokens are
// kept where a decode step reads them in the compute type (reports_decoded_inputs()). Elsewhere they are fp32, with
// multi-head attention as long as a key and a value of bf16, and rounded ones would give other bits.
//
// Several tokens may be fed after the prompt, in passes of a chunk, as a prefill of them would: a question. A pass may
// be run layer by layer (begin_pass(), step_layer()), so that others compute while its bytes are in flight.
//
// With resident rows (the row schedule), the front of the only prompt is in memory and nothing is read for it: its
// layer inputs are recomputed, l of them, or its keys and values are copied. If these are the inputs of the whole
// prompt, those of later tokens stay in memory as well.
//
// A batch decodes in one of two orders. Column: all sequences go through a layer before the next one, so that streamed
// weights are loaded once per step. Row: each sequence goes through all layers, and weights are loaded again for each.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/kvpr/layer_stream.h"
#include "core/kvpr/offloaded_column.h"
#include "core/kvpr/offloaded_peers.h"
#include "core/kvpr/prefilled_prompt.h"
#include "core/kvpr/resident_rows.h"
#include "core/policy/partial_recompute.h"

namespace kvantage::inline kvpr {

/// Inputs of the scheduler; measured by core/kvpr/recompute_profile.h.
struct RecomputeProfile {
  TierModel link;
  RecomputeRate recompute;
  double rest_seconds = 0;  // other compute of a layer in a step, including intake of its rows
};

enum class BatchOrder { column, row };

struct OffloadedDecodeOptions {
  int chunk_tokens = 64;  // of prefill and blocks
  int page_tokens = 0;    // of pages of decoded tokens; 0: chunk_tokens
  SplitMode mode = SplitMode::solved;
  RecomputeProfile profile;
  std::string name = "decode";                      // name prefix of its entries on the tier
  std::shared_ptr<const Codec> codec = nullptr;     // of keys and values on the tier; null: not encoded
  WeightLoading weights = WeightLoading::resident;  // otherwise matrices are on the tier, too, and are streamed each
                                                    // step; they stay resident for the prefill
  bool frozen = false;                              // splits use only `profile`: no time measured later enters, and
                                                    // pages are on the tier when their step ends
  BatchOrder order = BatchOrder::column;
  bool spans = false;                                      // record timelines of the steps
  std::shared_ptr<const ResidentRows> resident = nullptr;  // of the only sequence; null: none
  /// Over a prompt that is on its tier: matrices that are on it as well, for streaming; null: none.
  std::shared_ptr<OffloadedWeights> shared_weights = nullptr;
  std::shared_ptr<OffloadedColumn> column = nullptr;  // likewise: those that read shared_weights together; null: alone
  std::shared_ptr<OffloadedPeers> peers = nullptr;    // likewise, without column: those that decode over the tier at
                                                      // the same time; null: none
};

/// A span of a step's timeline; the first three kinds are on the link, the others on the CPU.
struct OffloadedSpan {
  enum class What { weights, layer_inputs, keys_values, recomputation, layer } what = What::layer;
  int layer = 0, sequence = 0;
  double begin = 0, end = 0;  // seconds since the step began: requests of the previous step start before 0
  std::uint64_t bytes = 0;    // on the link, without padding
};

/// Results of one step, all sequences together.
struct OffloadedStep {
  int streamed_tokens = 0;    // offloaded when its layers were requested
  int recomputed_tokens = 0;  // of these, per layer
  std::uint64_t input_bytes = 0, kv_bytes = 0,
                weight_bytes = 0;  // requested by this step, padding included; includes layers of the next step
  double seconds = 0;
  double predicted_seconds = 0;  // of all layers, by the profile and the measured other compute; of its whole column,
                                 // or beside its peers
  double waited_seconds = 0;     // blocked by the tier
  double busy_seconds = 0;       // computing and copying rows, recomputation included
  double recompute_seconds = 0;
  std::vector<OffloadedSpan> spans = {};
};

class OffloadedDecode {
 public:
  /// Prefills `prompt`, writes it to `tier` and requests the first layers. model, tier and lender must outlive this.
  /// Errors: those of the prefill and of the tier; usage where `mode` is solved and shipping layer inputs cannot pay
  /// off.
  static Expected<std::unique_ptr<OffloadedDecode>> begin(Transformer& model, StorageTier& tier, BufferLender& lender,
                                                          const std::vector<std::int32_t>& prompt,
                                                          const OffloadedDecodeOptions& options);
  /// For one or more sequences.
  static Expected<std::unique_ptr<OffloadedDecode>> begin(Transformer& model, StorageTier& tier, BufferLender& lender,
                                                          const std::vector<std::vector<std::int32_t>>& prompts,
                                                          const OffloadedDecodeOptions& options);
  /// Over a prompt that is on its tier, encoded by its own codec. logits(): after feed().
  static Expected<std::unique_ptr<OffloadedDecode>> begin(Transformer& model, BufferLender& lender,
                                                          std::unique_ptr<OffloadedPrompt> prompt,
                                                          const OffloadedDecodeOptions& options);
  ~OffloadedDecode();
  OffloadedDecode(const OffloadedDecode&) = delete;
  OffloadedDecode& operator=(const OffloadedDecode&) = delete;

  /// The next token of each sequence, at the position after its last. usage: the number of tokens must equal the number
  /// of sequences; after any other error decoding cannot continue.
  Expected<OffloadedStep> step(std::span<const std::int32_t> tokens);
  Expected<OffloadedStep> step(std::int32_t token) { return step(std::span(&token, 1)); }
  /// Tokens of the only sequence after its last, as a prefill in chunks appends them. usage: several sequences, or no
  /// token.
  Status feed(std::span<const std::int32_t> tokens);

  /// The same layer by layer. A pass is of one token per sequence, or of at most a chunk of tokens fed to the only one.
  enum class Pass { decode, feed };
  Status begin_pass(std::span<const std::int32_t> tokens, Pass pass);
  bool in_pass() const;
  /// Whether step_layer() would not wait for the tier; waits up to `seconds` for it.
  bool layer_arrived(double seconds);
  bool may_step() const;  // nobody of its column is behind it: if it does not step then, all others wait
  /// The next layer of the next sequence. The last one ends the pass and adds to steps().
  Status step_layer();

  /// Of a sequence's last token: [vocab_size].
  std::span<const float> logits(std::size_t sequence = 0) const;
  const std::vector<OffloadedStep>& steps() const;
  /// Bytes on the tier now, and in memory: resident rows, and rows of later tokens.
  std::uint64_t offloaded_bytes() const;
  std::uint64_t held_bytes() const;
  /// Of held_bytes() those that stay: resident rows, and layer inputs of later tokens beside these.
  std::uint64_t resident_bytes() const;

 private:
  struct State;
  explicit OffloadedDecode(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kvantage::inline kvpr
