#include "core/request/decode_stage.h"

#include <algorithm>
#include <utility>

#include "core/base/statistics.h"
#include "core/model/model_device.h"
#include "core/model/sampling.h"

namespace kvantage::inline requests {

DecodeStage::DecodeStage(RequestState& state, TextCallback on_text, DecodeEvictionStage* eviction)
    : state_(state),
      eviction_(eviction),
      on_text_(std::move(on_text)),
      stream_(state.runtime.tokenizer),
      stop_ids_(state.runtime.stop_ids()) {}

void DecodeStage::take_token(std::span<const float> logits) {
  take(greedy_token(logits), state_.cache.sequence_length());
}

void DecodeStage::take(std::int32_t token, std::int32_t length) {
  has_begun_ = true;
  const std::int64_t now = state_.clock.monotonic_ns();
  DecodingRecord& decoding = state_.record.decoding;
  decoding.held_bytes = state_.cache.held_bytes();
  decoding.peak_bytes = std::max(decoding.peak_bytes, decoding.held_bytes);
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
      length >= state_.runtime.model->config().max_positions)
    return finish();
  next_token_ = token;
}

SpeculationRecord& DecodeStage::speculation(const SpeculationSetting& setting) {
  auto& record = state_.record.decoding.speculation;
  const ModelDevice* device = state_.runtime.model->device();
  if (!record) record.emplace().setting = setting.text();
  record->not_applied = device != nullptr && !device->verifies_drafts() ? "the model runs on a device"
                        : eviction_ != nullptr && eviction_->hooks() != nullptr
                            ? "decode-time eviction works token by token"
                            : "";
  return *record;
}

DraftOffer DecodeStage::offer_drafts(const SpeculationSetting& setting, bool may_draft) {
  draft_ = {};
  if (!setting.is_on() || !speculation(setting).used() || !may_draft) return {};
  if (lookup_ == nullptr) {
    lookup_ = std::make_unique<NgramLookup>(setting.match_tokens);
    lookup_->append(state_.input.context_tokens);
    lookup_->append(state_.input.question_tokens);
  }
  const std::size_t prompt = state_.input.context_tokens.size() + state_.input.question_tokens.size();
  lookup_->append(std::span(answer_).subspan(lookup_->size() - prompt));
  // The last row of a pass may give the last token of the answer, or fill the model's last position.
  const int left = state_.input.max_answer_tokens - static_cast<int>(answer_.size()) - 1,
            room = state_.runtime.model->config().max_positions - state_.cache.sequence_length() - 1;
  draft_ = lookup_->next(std::min({setting.draft_tokens, left, room}));
  // Whether the answer stops is known without a row for the stop token.
  const auto stop = std::ranges::find_if(
      draft_.tokens, [this](std::int32_t token) { return std::ranges::binary_search(stop_ids_, token); });
  draft_.tokens.erase(stop, draft_.tokens.end());
  return {draft_.tokens.empty() ? 0 : draft_.matched, static_cast<int>(draft_.tokens.size())};
}

std::vector<DecodeSequence> DecodeStage::next_rows(int drafts) {
  std::vector<DecodeSequence> rows{next_decode()};
  pass_position_ = rows.front().position;
  drafted_ = static_cast<std::size_t>(drafts);
  rows.reserve(drafted_ + 1);
  for (std::size_t i = 0; i < drafted_; ++i)
    rows.push_back({&state_.cache, draft_.tokens[i], rows.back().position + 1, nullptr});
  return rows;
}

void DecodeStage::drop_drafts() {
  if (std::exchange(drafted_, 0) > 0) state_.cache.truncate(pass_position_ + 1);
}

DraftOutcome DecodeStage::take_rows(const BatchDecodeTask& pass, std::size_t first) {
  DecodingRecord& decoding = state_.record.decoding;
  std::vector<std::int32_t> tokens;
  tokens.reserve(drafted_ + 1);
  for (std::size_t row = 0; row <= drafted_; ++row) {
    tokens.push_back(greedy_token(pass.logits(first + row)));
    if (row < drafted_ && tokens.back() != draft_.tokens[row]) break;
  }
  if (drafted_ > 0) {
    decoding.peak_bytes = std::max(decoding.peak_bytes, state_.cache.held_bytes());  // rejected drafts included
    state_.cache.truncate(pass_position_ + static_cast<std::int32_t>(tokens.size()));
  }
  if (decoding.speculation) {
    ++decoding.speculation->passes;
    decoding.speculation->drafted += static_cast<int>(drafted_);
    decoding.speculation->accepted += static_cast<int>(tokens.size()) - 1;
  }
  const auto known = std::min(tokens.size(), draft_.tokens.size());
  const auto other =
      std::mismatch(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(known), draft_.tokens.begin());
  DraftOutcome outcome{known == 0 ? 0 : draft_.matched, static_cast<int>(other.first - tokens.begin()), false};
  outcome.differed = outcome.agreed < static_cast<int>(known);
  for (std::int32_t row = 0; row < static_cast<std::int32_t>(tokens.size()); ++row)
    take(tokens[static_cast<std::size_t>(row)], pass_position_ + row + 1);
  return outcome;
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
