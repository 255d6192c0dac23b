#include "core/runtime/answer_task.h"

#include <algorithm>

#include "core/model/sampling.h"

namespace kvantage::inline runtime {

AnswerTask::AnswerTask(ModelRuntime& runtime, const KvCache& over, std::vector<Question> questions)
    : runtime_(runtime), over_(over), stop_ids_(runtime.stop_ids()) {
  for (Question& question : questions) asked_.push_back({std::move(question), {}, std::nullopt, 0});
}

bool AnswerTask::anybody_decodes() const {
  return std::ranges::any_of(asked_, [](const Asked& asked) { return asked.cache.has_value(); });
}

void AnswerTask::take_token(Asked& asked, std::span<const float> logits) {
  asked.next_token = greedy_token(logits);
  asked.answer.ended = std::ranges::binary_search(stop_ids_, asked.next_token);
  if (!asked.answer.ended) asked.answer.tokens.push_back(asked.next_token);
  if (asked.answer.ended || static_cast<int>(asked.answer.tokens.size()) >= asked.question.max_answer_tokens ||
      asked.cache->sequence_length() >= runtime_.model->config().max_positions)
    asked.cache.reset();
}

Status AnswerTask::step() {
  if (prefilled_ < asked_.size()) {
    Asked& asked = asked_[prefilled_];
    if (prefill_ == nullptr) {
      asked.cache = over_.share();
      prefill_ =
          std::make_unique<PrefillTask>(*runtime_.model, *asked.cache, asked.question.tokens, over_.sequence_length(),
                                        PrefillOptions{.chunk_tokens = runtime_.chunk_tokens(),
                                                       .window_queries = 0,
                                                       .logits = PrefillLogits::last,
                                                       .rows_may_stay = true});
    }
    KV_TRY(prefill_->step());
    if (!prefill_->done()) return {};
    take_token(asked, prefill_->logits());
    prefill_.reset();
    ++prefilled_;
    return {};
  }
  if (!batch_) {
    std::vector<DecodeSequence> sequences;
    members_.clear();
    for (std::size_t i = 0; i < asked_.size(); ++i) {
      if (!asked_[i].cache) continue;
      members_.push_back(i);
      sequences.push_back({&*asked_[i].cache, asked_[i].next_token, asked_[i].cache->sequence_length()});
    }
    if (sequences.empty()) return {};
    batch_.emplace(*runtime_.model, std::move(sequences));
  }
  KV_TRY(batch_->step());
  if (!batch_->done()) return {};
  for (std::size_t i = 0; i < members_.size(); ++i) take_token(asked_[members_[i]], batch_->logits(i));
  batch_.reset();
  return {};
}

std::vector<AnswerTask::Answer> AnswerTask::take_answers() {
  std::vector<Answer> answers;
  for (Asked& asked : asked_) answers.push_back(std::move(asked.answer));
  return answers;
}

}  // namespace kvantage::inline runtime
