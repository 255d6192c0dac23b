// A request whose context is on a slower tier while its answer is decoded (KVPR, docs/architecture/kvpr.md). After the
// context's prefill, its cache and layer inputs are written to the tier, and its blocks are returned to the pool.
// Question and answer then run over the tier, one layer at a time: each layer's rows are loaded or recomputed, and
// dropped afterwards. Tokens equal those of a decode in memory, bit for bit. The destructor erases the entries.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/kv/codecs/codec.h"
#include "core/kvpr/offloaded_decode.h"
#include "core/ports/decode_offload.h"
#include "core/request/decode_stage.h"
#include "core/request/request_state.h"

namespace kvantage::inline requests {

/// Miss reason of a context that is stored, or was: decode_offload prefills it, because it needs layer inputs.
inline constexpr const char* decode_offload_reason = "decode_offload";

/// For one request: the tier, which must outlive it, and what the split is solved from.
struct DecodeOffload {
  DecodeOffloadSetting setting;
  std::shared_ptr<const Codec> codec = nullptr;  // of the setting; null: none
  StorageTier* tier = nullptr;
  RecomputeProfile profile;
  std::shared_ptr<OffloadedWeights> weights = nullptr;  // on the tier; null: not streamed
  std::shared_ptr<OffloadedColumn> column = nullptr;    // of the requests that decode together; null: each on its own
  std::shared_ptr<OffloadedPeers> peers = nullptr;      // then: of those that share the tier's link; null: none
  bool frozen = false;                                  // splits use only `profile`
};

/// Null: none. usage error where there is no such codec, or its bytes have no fixed length.
Expected<std::shared_ptr<const Codec>> offload_codec(const DecodeOffloadSetting& setting);

/// A profile from the session's fits: recomputation takes the share of a layer's prefill that its products have, other
/// compute what a question takes.
RecomputeProfile offload_profile(const Transformer& model, const TierModel& link, const PrefillModel& prefill,
                                 const QuestionModel& question, std::size_t tokens);
/// Why a split cannot pay off on this model, with the sizes; empty: it can.
std::string split_refusal_of(const Transformer& model);
/// Why stored entries cannot hold layer inputs: the same, or a GPU computes the model; empty: they can.
std::string layer_inputs_refusal_of(const Transformer& model);

class OffloadedDecodeStage {
 public:
  /// decode: takes the tokens. offload: as decode must outlive this. The CPU computes the model.
  OffloadedDecodeStage(RequestState& state, DecodeStage& decode, BufferLender& lender, const DecodeOffload& offload);

  /// Receives the layer inputs of the context's prefill.
  LayerInputSink& inputs() { return *inputs_; }
  /// After the context's prefill. False: it gave up.
  bool begin();
  /// The tier did not take the context, which is still in the cache: the request continues without decode_offload.
  bool gave_up() const { return phase_ == Phase::gave_up; }

  /// bytes (of a read or write) or compute, until the answer is complete; nothing while others of its column are
  /// behind.
  RequestNeed needs() const;
  /// Takes what arrived or was written, waiting up to `wait_seconds` for the first. Errors as in compute().
  Status poll(double wait_seconds);
  /// One layer: packed for the tier, or of a pass. Errors: of the tier or the lender, once the context is no longer in
  /// memory. The request then cannot be continued; without decode_offload it can be served.
  Status compute();

  /// The context is complete, and all of it is still in the cache: its last use before its blocks are returned.
  bool leaves_memory() const { return phase_ == Phase::writing; }
  /// The pool holds nothing of the context.
  bool is_offloaded() const { return phase_ == Phase::asking || phase_ == Phase::answering; }
  /// compute() or poll() failed.
  bool failed() const { return failed_; }

 private:
  enum class Phase { prefill, writing, gave_up, asking, answering, done };
  Status write_layer();
  void give_up(const std::string& reason);
  std::shared_ptr<const ResidentRows> resident_front() const;
  Status begin_decode();
  Status begin_question_chunk();
  Status end_pass();
  Status take_token();
  Status checked(Status status);
  void count(const OffloadedStep& step);
  void add_spans(const OffloadedStep& step);
  void note_waiting();
  bool all_packed() const;

  RequestState& state_;
  DecodeStage& answer_;
  BufferLender& lender_;
  const DecodeOffload& offload_;
  Phase phase_ = Phase::prefill;
  std::unique_ptr<LayerInputs> inputs_;      // until the context is on the tier
  std::unique_ptr<OffloadedPrompt> prompt_;  // while it is written
  std::unique_ptr<OffloadedDecode> decode_;
  std::size_t asked_ = 0;  // tokens of the question in earlier passes or in this one
  int answered_ = 0;       // tokens decoded in passes that ended
  bool arrived_ = false;   // the next layer of the pass
  bool failed_ = false;
  std::int64_t begun_ns_ = 0, waiting_since_ns_ = 0;
};

}  // namespace kvantage::inline requests
