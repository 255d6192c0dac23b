// Chooses the tokens of an answer; the batch runs the passes that decode them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/model/batch_decode.h"
#include "core/ports/speculation.h"
#include "core/request/decode_eviction_stage.h"
#include "core/request/ngram_lookup.h"
#include "core/request/request_state.h"
#include "core/text/token_decoder.h"

namespace kvantage::inline requests {

/// What a request can draft for its next pass.
struct DraftOffer {
  int matched = 0;  // tokens that its place in the prompt or answer shares with the answer's end; 0: nothing is offered
  int tokens = 0;
};

/// How an offer compares with the tokens that were decoded.
struct DraftOutcome {
  int matched = 0;        // of the offer
  int agreed = 0;         // its first tokens that the answer has as well
  bool differed = false;  // whether its next one is known to be another
};

class DecodeStage {
 public:
  using TextCallback = std::function<void(const std::string& text)>;
  /// eviction: null: none; must outlive this.
  DecodeStage(RequestState& state, TextCallback on_text, DecodeEvictionStage* eviction = nullptr);

  /// Chooses the next token from logits [vocab_size]. It ends the answer if it is a stop token, or at the maximum
  /// answer length or the model's last position.
  void take_token(std::span<const float> logits);
  bool has_begun() const { return has_begun_; }
  /// Whether the request's steps after the first token change the cache of its context.
  bool changes_context() const { return eviction_ != nullptr && eviction_->applies(); }
  /// Tokens per head that decode-time eviction keeps; nothing where none is evicted.
  std::optional<int> budget() const { return eviction_ != nullptr ? eviction_->kept_tokens() : std::nullopt; }
  /// Null: the answer is decoded without eviction.
  DecodeEvictionStage* eviction() const { return eviction_; }
  /// The record has the whole answer, and the cache holds only the context again.
  bool done() const { return done_; }
  /// The next token to decode, between has_begun() and done(); its logits go to take_token().
  DecodeSequence next_decode() const {
    return {&state_.cache, next_token_, state_.cache.sequence_length(),
            eviction_ != nullptr ? eviction_->hooks() : nullptr};
  }
  /// What follows the answer's end elsewhere, cut to what the answer may still have. Nothing without speculation, with
  /// decode hooks, on a device that cannot verify drafts, or where this pass may not draft.
  DraftOffer offer_drafts(const SpeculationSetting& setting, bool may_draft = true);
  /// next_decode(), and so many of the offered tokens after it. A pass decodes them together.
  std::vector<DecodeSequence> next_rows(int drafts);
  /// Within such a pass, after its task left their rows: the cache has no row of a draft any more.
  void drop_drafts();
  /// After the pass: takes the tokens that its rows give, up to the first draft that is not the token before it. Row 0
  /// is sequence `first` of the pass. Rows of other drafts are truncated.
  DraftOutcome take_rows(const BatchDecodeTask& pass, std::size_t first);
  /// One layer of the pass that decodes next_decode(), batched with `together` - 1 other requests.
  void note_layer(std::int64_t start_ns, std::int64_t end_ns, int layer, std::size_t together);

  const std::vector<std::int32_t>& answer_tokens() const { return answer_; }
  /// Whether a stop token ended the answer.
  bool answer_ended() const { return answer_ended_; }

 private:
  /// length: of the cache, drafts left out, when this token was chosen.
  void take(std::int32_t token, std::int32_t length);
  void finish();
  SpeculationRecord& speculation(const SpeculationSetting& setting);

  RequestState& state_;
  DecodeEvictionStage* eviction_;
  TextCallback on_text_;
  StreamDecoder stream_;
  std::vector<std::int32_t> stop_ids_, answer_;
  std::int32_t next_token_ = 0;  // chosen, but not in the cache yet
  std::int64_t last_token_ns_ = 0;
  std::unique_ptr<NgramLookup> lookup_;  // null: not needed yet
  DraftTokens draft_;                    // the latest offer
  std::size_t drafted_ = 0;              // of its tokens, in the pass
  std::int32_t pass_position_ = 0;       // of the pass's first row
  bool has_begun_ = false, answer_ended_ = false, done_ = false;
};

}  // namespace kvantage::inline requests
