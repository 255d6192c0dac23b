#include "core/request/decode_stage.h"

#include <algorithm>
#include <utility>

#include "core/base/statistics.h"
#include "core/model/sampling.h"

namespace kvantage::inline requests {

DecodeStage::DecodeStage(RequestState& state, TextCallback on_text, DecodeEvictionStage* eviction)
    : state_(state),
      eviction_(eviction),
      on_text_(std::move(on_text)),
      stream_(state.runtime.tokenizer),
      stop_ids_(state.runtime.stop_ids()) {}

void DecodeStage::take_token(std::span<const float> logits) {
  has_begun_ = true;
  const std::int64_t now = state_.clock.monotonic_ns();
  DecodingRecord& decoding = state_.record.decoding;
  decoding.held_bytes = state_.cache.held_bytes();
  decoding.peak_bytes = std::max(decoding.peak_bytes, decoding.held_bytes);
  const std::int32_t token = greedy_token(logits);
  const bool stop = std::ranges::binary_search(stop_ids_, token);
  if (!stop) {  // a stop token is not part of the answer, so it has no inter-token latency
    if (last_token_ns_ != 0)
      state_.timing().token_gaps_seconds.push_back(static_cast<double>(now - last_token_ns_) * 1e-9);
    last_token_ns_ = now;
    answer_.push_back(token);
    on_text_(stream_.push(token));
  }
  answer_ended_ = stop;
  if (stop || static_cast<int>(answer_.size()) >= state_.input.max_answer_tokens ||
      state_.cache.sequence_length() >= state_.runtime.model->config().max_positions)
    return finish();
  next_token_ = token;
}

void DecodeStage::note_layer(std::int64_t start_ns, std::int64_t end_ns, int layer, std::size_t together) {
  state_.spans.add(RequestSpan::Kind::decode, start_ns, end_ns,
                   {.layer = static_cast<std::int16_t>(layer),
                    .step = static_cast<std::int32_t>(answer_.size()),
                    .tokens = static_cast<std::int32_t>(together)});
}

void DecodeStage::finish() {
  if (const std::string rest = stream_.finish(); !rest.empty()) on_text_(rest);
  RequestRecord& record = state_.record;
  record.answer = state_.runtime.tokenizer->decode(answer_);
  record.answer_tokens = static_cast<int>(answer_.size());
  record.timing.mean_itl_seconds = mean_of(record.timing.token_gaps_seconds);
  record.timing.e2e_seconds = record.timing.queue_seconds + state_.seconds_since(state_.service_start_ns);
  if (eviction_ != nullptr) eviction_->fill_in(record.decoding);
  state_.keep_context_only(state_.cache);
  done_ = true;
}

}  // namespace kvantage::inline requests
