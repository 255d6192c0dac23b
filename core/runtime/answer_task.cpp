#include "core/runtime/answer_task.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "core/model/batch/batch_prefill.h"
#include "core/model/sampling.h"

namespace kvantage::inline runtime {

AnswerTask::AnswerTask(ModelRuntime& runtime, int step_rows)
    : runtime_(runtime),
      step_rows_(step_rows),
      most_together_(std::numeric_limits<std::size_t>::max()),
      together_(prefills_together(*runtime.model)),
      stop_ids_(runtime.stop_ids()) {
  if (!together_) most_together_ = 1;
}

AnswerTask::AnswerTask(ModelRuntime& runtime, const KvCache& over, std::vector<Question> questions)
    : AnswerTask(runtime) {
  ask(over, std::move(questions));
}

void AnswerTask::ask(const KvCache& over, std::vector<Question> questions) {
  for (Question& question : questions)
    asked_.push_back({std::move(question), &over, {}, Stage::waits, std::nullopt, 0});
}

void AnswerTask::withdraw(std::size_t count) {
  const std::size_t left = asked_.size() - std::min(count, asked_.size());
  std::erase_if(wave_, [left](const Prefilling& one) { return one.asked >= left; });
  for (std::size_t i = 0; batch_ && i < members_.size(); ++i)
    if (members_[i] >= left) batch_->leave(i);
  while (asked_.size() > left) asked_.pop_back();
  if (!anybody_decodes()) batch_.reset();
}

bool AnswerTask::done() const {
  return std::ranges::all_of(asked_, [](const Asked& asked) { return asked.stage == Stage::ended; });
}

bool AnswerTask::anybody_decodes() const {
  return std::ranges::any_of(asked_, [](const Asked& asked) { return asked.stage == Stage::decodes; });
}

void AnswerTask::take_token(Asked& asked, std::span<const float> logits) {
  asked.next_token = greedy_token(logits);
  asked.answer.ended = std::ranges::binary_search(stop_ids_, asked.next_token);
  if (!asked.answer.ended) asked.answer.tokens.push_back(asked.next_token);
  asked.stage = Stage::decodes;
  if (asked.answer.ended || static_cast<int>(asked.answer.tokens.size()) >= asked.question.max_answer_tokens ||
      asked.cache->sequence_length() >= runtime_.model->config().max_positions) {
    asked.stage = Stage::ended;
    asked.cache.reset();
  }
}

Status AnswerTask::step() {
  if (done()) return {};
  if (wave_.empty() && !batch_ && !decodes_first_) begin_wave();
  return wave_.empty() ? decode_layer() : prefill_layer();
}

// The next questions in order; none where all are prefilled.
void AnswerTask::begin_wave() {
  int rows = 0;
  for (std::size_t i = 0; i < asked_.size() && wave_.size() < most_together_; ++i) {
    Asked& asked = asked_[i];
    if (asked.stage != Stage::waits) continue;
    const int more = std::min(static_cast<int>(asked.question.tokens.size()), runtime_.chunk_tokens());
    if (!wave_.empty() && rows + more > step_rows_) break;
    rows += more;
    asked.stage = Stage::prefills;
    asked.cache = asked.over->share();
    wave_.push_back({i, std::make_unique<PrefillTask>(*runtime_.model, *asked.cache, asked.question.tokens,
                                                      asked.over->sequence_length(),
                                                      PrefillOptions{.chunk_tokens = runtime_.chunk_tokens(),
                                                                     .window_queries = 0,
                                                                     .logits = PrefillLogits::last,
                                                                     .rows_may_stay = true})});
  }
}

Status AnswerTask::prefill_layer() {
  std::vector<PrefillTask*> tasks;
  tasks.reserve(wave_.size());
  for (const Prefilling& one : wave_) tasks.push_back(one.task.get());
  const std::vector<Status> stepped = step_together(tasks);
  const auto failed = std::ranges::find_if(stepped, [](const Status& status) { return !status.has_value(); });
  if (failed != stepped.end()) {
    if (failed->error().code == ErrorCode::no_space && frees_memory()) return {};
    if (wave_.size() > 1) put_wave_back();  // the others have advanced
    return *failed;
  }
  for (const Prefilling& one : wave_)
    if (one.task->done()) take_token(asked_[one.asked], one.task->logits());
  std::erase_if(wave_, [](const Prefilling& one) { return one.task->done(); });
  return {};
}

// Fewer questions at once; where that is one, after those that decode. Only where they would be together: alone, the
// same step is retried.
bool AnswerTask::frees_memory() {
  if (wave_.size() > 1) {
    most_together_ = wave_.size() / 2;
  } else if (together_ && anybody_decodes()) {
    decodes_first_ = true;
  } else {
    return false;
  }
  put_wave_back();
  return true;
}

void AnswerTask::put_wave_back() {
  for (Prefilling& one : wave_) {
    one.task.reset();
    asked_[one.asked].cache.reset();
    asked_[one.asked].stage = Stage::waits;
  }
  wave_.clear();
}

// Else it has left the batch: it was withdrawn, maybe for another question, or waits.
bool AnswerTask::still_decodes(std::size_t question) const {
  return question < asked_.size() && asked_[question].stage == Stage::decodes;
}

// The last answer in progress gives its memory to the others and begins again after them.
bool AnswerTask::put_last_back() {
  const auto last = std::find_if(members_.rbegin(), members_.rend(), [this](auto one) { return still_decodes(one); });
  if (!together_ || last == members_.rend() ||
      std::none_of(std::next(last), members_.rend(), [this](auto one) { return still_decodes(one); }))
    return false;
  batch_->leave(static_cast<std::size_t>(std::distance(last, members_.rend())) - 1);
  Asked& asked = asked_[*last];
  asked.cache.reset();
  asked.answer = {};
  asked.stage = Stage::waits;
  decodes_first_ = true;
  return true;
}

Status AnswerTask::decode_layer() {
  if (!batch_) {
    std::vector<DecodeSequence> sequences;
    members_.clear();
    for (std::size_t i = 0; i < asked_.size(); ++i) {
      Asked& asked = asked_[i];
      if (asked.stage != Stage::decodes) continue;
      members_.push_back(i);
      sequences.push_back({&*asked.cache, asked.next_token, asked.cache->sequence_length()});
    }
    if (sequences.empty()) {
      decodes_first_ = false;
      return {};
    }
    batch_.emplace(*runtime_.model, std::move(sequences));
  }
  if (const Status stepped = batch_->step(); !stepped)
    return stepped.error().code == ErrorCode::no_space && put_last_back() ? Status() : stepped;
  if (!batch_->done()) return {};
  for (std::size_t i = 0; i < members_.size(); ++i)
    if (still_decodes(members_[i])) take_token(asked_[members_[i]], batch_->logits(i));
  batch_.reset();
  if (!anybody_decodes()) decodes_first_ = false;
  return {};
}

}  // namespace kvantage::inline runtime
