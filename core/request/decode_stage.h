// Chooses the tokens of an answer, from the first one on. The passes that decode them are those of the batch. A method
// that drops rows while an answer is decoded attaches here: take_token() has the cache between two tokens.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/model/batch_decode.h"
#include "core/request/request_state.h"
#include "core/text/token_decoder.h"

namespace kvantage::inline requests {

class DecodeStage {
 public:
  using TextCallback = std::function<void(const std::string& text)>;
  DecodeStage(RequestState& state, TextCallback on_text);

  /// The next token, chosen from [vocab_size] logits. It ends the answer where it is a stop token, and where the
  /// answer has its most tokens or the model its last position.
  void take_token(std::span<const float> logits);
  bool has_begun() const { return has_begun_; }
  /// The cache holds the context alone again, and the record the whole answer.
  bool done() const { return done_; }
  /// What is to be decoded next, between has_begun() and done(); take_token() gets the logits that it leads to.
  DecodeSequence next_decode() const { return {&state_.cache, next_token_, state_.cache.sequence_length()}; }
  /// One layer of the pass that decodes next_decode(), together with those of `together` - 1 other requests.
  void note_layer(std::int64_t start_ns, std::int64_t end_ns, int layer, std::size_t together);

  const std::vector<std::int32_t>& answer_tokens() const { return answer_; }
  /// A stop token ended the answer.
  bool answer_ended() const { return answer_ended_; }

 private:
  void finish();

  RequestState& state_;
  TextCallback on_text_;
  StreamDecoder stream_;
  std::vector<std::int32_t> stop_ids_, answer_;
  std::int32_t next_token_ = 0;  // chosen and not yet in the cache
  std::int64_t last_token_ns_ = 0;
  bool has_begun_ = false, answer_ended_ = false, done_ = false;
};

}  // namespace kvantage::inline requests
