#include "core/scheduler/request_batch.h"

#include <algorithm>
#include <utility>

#include "core/model/batch/batch_prefill.h"
#include "core/request/prefill_group.h"

namespace kvantage::inline scheduler {

bool RequestBatch::Decoding::has(std::uint64_t id) const {
  return std::ranges::find(members, id, &Member::id) != members.end();
}

void RequestBatch::add(ServedRequest request) {
  requests_.push_back(std::move(request));
  counters_.note_running(requests_.size());
}

ServedRequest RequestBatch::take_out(std::size_t place) {
  ServedRequest request = std::move(requests_[place]);
  requests_.erase(requests_.begin() + static_cast<std::ptrdiff_t>(place));
  if (decoding_)
    for (const Member& member : decoding_->members)
      for (std::size_t row = 0; member.id == request.arrival.id && row < member.rows; ++row)
        decoding_->task.leave(member.first + row);
  if (requests_.empty()) decoding_.reset();
  return request;
}

std::optional<std::size_t> RequestBatch::place_of(std::uint64_t id) const {
  const auto request = std::ranges::find(requests_, id, [](const ServedRequest& r) { return r.arrival.id; });
  if (request == requests_.end()) return std::nullopt;
  return static_cast<std::size_t>(request - requests_.begin());
}

bool RequestBatch::anybody(RequestTask::Need need) const {
  return std::ranges::any_of(requests_, [need](const ServedRequest& request) { return request.task->needs() == need; });
}

bool RequestBatch::between_tokens() const {
  return !decoding_ && !anybody(RequestTask::Need::compute) && !anybody(RequestTask::Need::bytes);
}

std::optional<RequestBatch::Failure> RequestBatch::take_bytes(double patience_seconds) {
  for (ServedRequest& request : requests_) {
    const bool waited = std::exchange(request.waited_beside_profiling, false);
    if (request.task->needs() != RequestTask::Need::bytes) continue;
    if (const Status status = request.task->poll(std::exchange(patience_seconds, 0)); !status)
      return Failure{request.arrival.id, status.error()};
    if (waited && request.task->needs() != RequestTask::Need::bytes) request.held_up = true;
  }
  return std::nullopt;
}

// No drafts beside a request without its first token: each layer of a longer pass would delay it.
bool RequestBatch::begin_token() {
  const bool may_draft = !anybody(RequestTask::Need::compute) && !anybody(RequestTask::Need::bytes);
  std::vector<Member> members;
  std::vector<DecodeStage*> stages;
  std::vector<DraftOffer> offers;
  members.reserve(requests_.size());
  stages.reserve(requests_.size());
  offers.reserve(requests_.size());
  for (ServedRequest& request : requests_) {
    if (request.task->needs() != RequestTask::Need::token) continue;
    members.push_back({.id = request.arrival.id});
    stages.push_back(&request.task->decode());
    offers.push_back(stages.back()->offer_drafts(pace_.setting(), may_draft));
  }
  if (members.empty()) return false;
  const std::vector<int> drafts = pace_.choose(offers);
  std::vector<DecodeSequence> sequences;
  sequences.reserve(members.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    const std::vector<DecodeSequence> rows = stages[i]->next_rows(drafts[i]);
    members[i].first = sequences.size();
    members[i].rows = rows.size();
    sequences.insert(sequences.end(), rows.begin(), rows.end());
  }
  const auto all = static_cast<int>(sequences.size() - members.size());
  decoding_.emplace(
      Decoding{BatchDecodeTask(*services_.runtime.model, std::move(sequences)), std::move(members), all, may_draft});
  return true;
}

// Drafts are never worth another request's place.
bool RequestBatch::drop_drafts() {
  if (decoding_->drafts == 0) return false;
  for (Member& member : decoding_->members) {
    for (; member.rows > 1; --member.rows) decoding_->task.leave(member.first + member.rows - 1);
    if (const auto place = place_of(member.id)) requests_[*place].task->decode().drop_drafts();
  }
  decoding_->drafts = 0;
  decoding_->teaches = false;
  return true;
}

std::vector<RequestBatch::Failure> RequestBatch::decode_layer() {
  if (!decoding_ && !begin_token()) return {};
  const int layer = decoding_->task.next_layer();
  const std::int64_t start = serving_clock_.monotonic_ns();
  const Status status = decoding_->task.step();
  const std::int64_t end = serving_clock_.monotonic_ns();
  const double seconds = static_cast<double>(end - start) * 1e-9;
  counters_.note_serving(seconds);
  decoding_->seconds += seconds;
  if (status)
    for (ServedRequest& request : requests_)
      if (decoding_->has(request.arrival.id))
        request.task->decode().note_layer(start, end, layer, decoding_->members.size());
  if (!status && status.error().code == ErrorCode::no_space) {
    if (drop_drafts()) return {};
    return {{requests_.back().arrival.id, status.error()}};
  }
  if (status && !decoding_->task.done()) return {};
  return end_token(status);
}

std::vector<RequestBatch::Failure> RequestBatch::end_token(const Status& status) {
  const Decoding step = std::move(*decoding_);
  decoding_.reset();
  if (status) counters_.note_decode_step(step.seconds);
  if (status && step.teaches) pace_.note_pass(step.members.size(), step.drafts, step.seconds);
  std::vector<Failure> failures;
  for (const Member& member : step.members) {
    const auto place = place_of(member.id);
    if (!place) continue;
    if (status)
      pace_.note_outcome(requests_[*place].task->decode().take_rows(step.task, member.first));
    else
      failures.push_back({member.id, status.error()});
  }
  return failures;
}

std::optional<std::size_t> RequestBatch::next_to_compute() const {
  const auto request =
      std::ranges::find(requests_, RequestTask::Need::compute, [](const ServedRequest& r) { return r.task->needs(); });
  if (request == requests_.end()) return std::nullopt;
  return static_cast<std::size_t>(request - requests_.begin());
}

std::vector<std::size_t> RequestBatch::computed_together(std::size_t oldest, const MayBegin& may_begin) {
  std::vector<std::size_t> places{oldest};
  if (prefill_batch_tokens_ == 0 || !prefills_together(*services_.runtime.model)) return places;
  PrefillGroup group(serving_clock_, prefill_batch_tokens_);
  if (!group.take(*requests_[oldest].task)) return places;
  for (std::size_t place = oldest + 1; place < requests_.size(); ++place) {
    ServedRequest& request = requests_[place];
    if (!group.fits(*request.task)) continue;
    if (request.task->may_take_hit() && !may_begin(request)) continue;
    if (group.take(*request.task)) places.push_back(place);
  }
  return places;
}

std::vector<RequestBatch::Failure> RequestBatch::compute(std::span<const std::size_t> places) {
  std::vector<Failure> failures;
  if (places.size() == 1) {
    ServedRequest& request = requests_[places.front()];
    if (const Status status = compute(request); !status) failures.push_back({request.arrival.id, status.error()});
    return failures;
  }
  const std::int64_t start = serving_clock_.monotonic_ns();
  PrefillGroup group(serving_clock_, prefill_batch_tokens_);
  std::vector<std::uint64_t> ids;
  for (const std::size_t place : places)
    if (group.take(*requests_[place].task)) ids.push_back(requests_[place].arrival.id);
  const std::vector<PrefillGroup::Outcome> outcomes = group.compute();
  counters_.note_prefill_step(static_cast<double>(serving_clock_.monotonic_ns() - start) * 1e-9);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const Status& status = outcomes[i].status;
    if (status) continue;
    const bool later = i > 0 && !outcomes[i].computed && status.error().code == ErrorCode::no_space;
    if (!later) failures.push_back({ids[i], status.error()});
  }
  return failures;
}

Status RequestBatch::compute(ServedRequest& request) {
  const std::int64_t start = serving_clock_.monotonic_ns();
  const Status status = request.task->compute();
  counters_.note_prefill_step(static_cast<double>(serving_clock_.monotonic_ns() - start) * 1e-9);
  return status;
}

}  // namespace kvantage::inline scheduler
