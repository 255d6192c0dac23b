#include "core/scheduler/arrival_queue.h"

#include <algorithm>
#include <span>

#include "core/workload/arrivals.h"

namespace kvantage::inline scheduler {

// Requests every context once, so that no policy is judged by compulsory misses. Contexts without a held-out question
// are skipped.
void ArrivalQueue::add_warmup() {
  for (std::uint64_t i = 0; i < options_.warmup && i < workload_.contexts.size(); ++i)
    for (std::size_t q = 0; q < workload_.questions.size(); ++q) {
      const WorkloadQuestion& question = workload_.questions[q];
      if (question.context != i || question.split != QuestionSplit::held_out) continue;
      sequence_.push_back({.context = i, .question = q, .arrival_seconds = 0});
      break;
    }
}

void ArrivalQueue::begin(std::uint64_t limit, double rate) {
  rate_ = rate;
  round_ = 0;
  next_ = 0;
  again_.clear();
  sequence_.clear();
  add_warmup();
  warmup_ = sequence_.size();
  warming_up_ = warmup_ > 0;
  const auto requests = workload_.requests(limit, options_.seed);
  sequence_.insert(sequence_.end(), requests.begin(), requests.end());
  space_requests(std::span(sequence_).subspan(warmup_), rate, options_.seed);
}

void ArrivalQueue::change_rate(double rate) {
  rate_ = rate;
  if (exhausted()) return;
  const std::size_t from = warming_up_ ? std::max(next_, warmup_) : next_;
  space_requests(std::span(sequence_).subspan(from), rate, options_.seed);
  start_clock();
}

bool ArrivalQueue::restart(std::uint64_t limit) {
  if (!options_.endless) return false;
  ++round_;
  sequence_ = workload_.requests(limit, options_.seed + round_);
  space_requests(sequence_, rate_, options_.seed + round_);
  next_ = 0;
  start_clock();
  return true;
}

// Otherwise the first requests of the sequence would queue behind the rest of the warm-up.
void ArrivalQueue::end_warmup() {
  warming_up_ = false;
  start_clock();
}

bool ArrivalQueue::is_due() const {
  if (exhausted()) return true;
  if (warming_up_ && next_ >= warmup_) return false;
  return rate() <= 0 || seconds_until_next() <= 0;
}

double ArrivalQueue::seconds_until_next() const {
  return sequence_[next_].arrival_seconds - static_cast<double>(serving_clock_.monotonic_ns() - start_ns_) * 1e-9;
}

std::size_t ArrivalQueue::next_context() const {
  return *catalog_.index_of_id(workload_.contexts[sequence_[next_].context].id);
}

Arrival ArrivalQueue::front() const {
  if (!again_.empty()) return again_.front();
  const WorkloadRequest& next = sequence_[next_];
  Arrival arrival;
  arrival.context = next_context();
  const auto& questions = catalog_.details(arrival.context).questions;
  const auto asked = std::ranges::find(questions, workload_.questions[next.question].question, &CatalogQuestion::text);
  arrival.question = static_cast<std::size_t>(asked - questions.begin());
  if (rate() > 0) arrival.arrival_ns = start_ns_ + static_cast<std::int64_t>(next.arrival_seconds * 1e9);
  return arrival;
}

void ArrivalQueue::pop() {
  if (!again_.empty())
    again_.pop_front();
  else
    ++next_;
}

}  // namespace kvantage::inline scheduler
