#include "core/quality/answer_readings.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/model/batch/batch_prefill.h"

namespace kvantage::inline quality {
namespace {

constexpr std::size_t max_logit_bytes = std::size_t{64} << 20;  // of the answers that are read together

int tokens_of(const CatalogQuestion& question) {
  return static_cast<int>(question.tokens.size() + question.reference_tokens.size());
}

}  // namespace

AnswerReadings::AnswerReadings(ModelRuntime& runtime, const KvCache& original, Limits limits)
    : runtime_(runtime), original_(original), limits_(limits) {}

void AnswerReadings::begin(std::vector<Item> items) {
  items_ = std::move(items);
  metrics_.clear();
  wave_.clear();
  passing_.clear();
  together_ = prefills_together(*runtime_.model);
}

void AnswerReadings::withdraw(std::size_t count) {
  items_.resize(items_.size() - std::min(count, items_.size()));
  metrics_.resize(std::min(metrics_.size(), items_.size()));
  std::erase_if(wave_, [this](const Reading& reading) { return reading.item >= items_.size(); });
}

// Logits of all tokens are kept until an answer is read, and are the greater part of the work of the last layer.
int AnswerReadings::rows_together() const {
  const std::size_t row = static_cast<std::size_t>(runtime_.model->config().vocab_size) * sizeof(float);
  return std::min(limits_.step_rows, static_cast<int>(max_logit_bytes / row));
}

void AnswerReadings::begin_wave() {
  passing_.clear();
  std::set<std::size_t> of_original;  // questions
  int rows = 0;
  for (std::size_t item = metrics_.size(); item < items_.size(); ++item) {
    const Item& of = items_[item];
    const bool reads_original = !of_original_.contains(of.index) && !of_original.contains(of.index);
    rows += tokens_of(*of.question) * (reads_original ? 2 : 1);
    if (!wave_.empty() && (!together_ || rows > rows_together())) return;
    if (reads_original) {
      wave_.push_back({.item = item, .of_original = true});
      of_original.insert(of.index);
    }
    wave_.push_back({.item = item, .of_original = false});
  }
}

std::unique_ptr<ForcedReadTask> AnswerReadings::task_of(const Reading& reading) const {
  const Item& item = items_[reading.item];
  return std::make_unique<ForcedReadTask>(runtime_, reading.of_original ? original_ : *item.form, item.question->tokens,
                                          item.question->reference_tokens, item.question->reference_ended);
}

// A reading that has ended is taken in a step of its own, where there are several: it computes probabilities of the
// whole vocabulary for each token.
Status AnswerReadings::step() {
  if (done()) return {};
  if (wave_.empty()) begin_wave();
  KV_TRY(step_wave());
  if (!wave_.empty() && wave_.front().task->pass() == nullptr) take_first();
  return {};
}

// A layer of all readings that have not ended; of the first alone where they are not together.
Status AnswerReadings::step_wave() {
  std::vector<PrefillTask*> passes;
  for (Reading& reading : wave_) {
    if (reading.task == nullptr) reading.task = task_of(reading);
    if (PrefillTask* const pass = reading.task->pass()) passes.push_back(pass);
    if (!together_) break;
  }
  if (passes.empty()) return {};
  const std::vector<Status> stepped = step_together(passes);
  const auto failed = std::ranges::find_if(stepped, [](const Status& status) { return !status.has_value(); });
  if (failed == stepped.end()) return {};
  if (passes.size() == 1) return *failed;  // the same step can be retried
  wave_.clear();
  if (failed->error().code != ErrorCode::no_space) return *failed;
  together_ = false;  // until begin()
  return {};
}

void AnswerReadings::take_first() {
  Reading first = std::move(wave_.front());
  wave_.pop_front();
  const std::size_t index = items_[first.item].index;
  first.task->settle();
  ForcedReading reading = first.task->take();
  if (first.of_original) {
    const std::size_t bytes = reading.log_probabilities.size() * sizeof(float);
    const bool kept = reading.positions == 0 || bytes_ + bytes <= limits_.kept_bytes;
    if (kept) bytes_ += bytes;
    (kept ? of_original_ : passing_).emplace(index, std::move(reading));
    return;
  }
  const auto known = of_original_.find(index);
  metrics_.push_back(compare_readings(known == of_original_.end() ? passing_.at(index) : known->second, reading));
}

}  // namespace kvantage::inline quality
