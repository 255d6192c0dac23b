// Iteration-level batching: each turn of the engine takes bytes that have arrived, decodes one layer of the next token
// of all requests that are answering, and computes one layer of one chunk for the oldest that is not that far. Requests
// come and go between two tokens; none waits for another's end.
#include <algorithm>

#include "core/engine/engine_worker.h"

namespace kvantage {
namespace {

constexpr double patience_seconds = 0.001;  // for bytes, when there is nothing else to do

}  // namespace

bool Engine::Worker::anybody(RequestTask::Need need) const {
  return std::ranges::any_of(running_, [need](const Running& request) { return request.task->needs() == need; });
}

void Engine::Worker::serve_step() {
  const bool only_bytes = !anybody(RequestTask::Need::compute) && !anybody(RequestTask::Need::token);
  double patience = only_bytes && !(may_profile() && profile_wanted()) ? patience_seconds : 0;
  for (std::size_t place = 0; place < running_.size(); ++place) {
    Running& request = running_[place];
    const bool waited = std::exchange(request.waited_beside_profiling, false);
    if (request.task->needs() != RequestTask::Need::bytes) continue;
    const Status status = request.task->poll(std::exchange(patience, 0));
    if (!status) return give_way(place, status);
    if (waited && request.task->needs() != RequestTask::Need::bytes) request.held_up = true;
  }
  decode_step();
  compute_step();
  for (std::size_t place = 0; place < running_.size();) {
    if (running_[place].task->done())
      finish_request(place);
    else
      ++place;
  }
  if (!running_.empty()) prefetch_next();
}

void Engine::Worker::decode_step() {
  if (!batch_) {
    std::vector<DecodeSequence> sequences;
    std::vector<std::uint64_t> members;
    for (Running& request : running_) {
      if (request.task->needs() != RequestTask::Need::token) continue;
      sequences.push_back(request.task->next_decode());
      members.push_back(request.arrived.id);
    }
    if (sequences.empty()) return;
    batch_.emplace(Batch{BatchDecodeTask(*runtime_->model, std::move(sequences)), std::move(members)});
  }
  const int layer = batch_->task.next_layer();
  const std::int64_t start = serving_clock_.monotonic_ns();
  const Status status = batch_->task.step();
  const std::int64_t end = serving_clock_.monotonic_ns();
  counted_.serving_seconds += static_cast<double>(end - start) * 1e-9;
  if (status)
    for (Running& request : running_)
      if (std::ranges::find(batch_->members, request.arrived.id) != batch_->members.end())
        request.task->note_decoding(start, end, layer, batch_->members.size());
  if (!status && status.error().code == ErrorCode::no_space) return give_way(running_.size() - 1, status);
  if (status && !batch_->task.done()) return;
  const Batch step = std::move(*batch_);
  batch_.reset();
  for (std::size_t i = 0; i < step.members.size(); ++i) {
    const auto request = std::ranges::find(running_, step.members[i], [](const Running& r) { return r.arrived.id; });
    if (request == running_.end()) continue;
    if (status)
      request->task->take_decoded(step.task.logits(i));
    else
      give_way(static_cast<std::size_t>(request - running_.begin()), status);
  }
}

void Engine::Worker::compute_step() {
  const auto request =
      std::ranges::find(running_, RequestTask::Need::compute, [](const Running& r) { return r.task->needs(); });
  if (request == running_.end()) return;
  look_again(*request);
  if (request->task->needs() != RequestTask::Need::compute) return;  // it reads what has been stored meanwhile
  const std::int64_t start = serving_clock_.monotonic_ns();
  const bool reading = request->task->reading();
  const Status status = request->task->compute();
  const double took = static_cast<double>(serving_clock_.monotonic_ns() - start) * 1e-9;
  counted_.serving_seconds += took;
  counted_.longest_prefill_step_seconds = std::max(counted_.longest_prefill_step_seconds, took);
  if (!status) return give_way(static_cast<std::size_t>(request - running_.begin()), status);
  if (reading && !request->task->reading()) repin(request->entry);
  if (request->task->decoding() && batch_limit() > 1) note_served(*request);
}

// Blocks that ran out are not the fault of whom it strikes: first goes what is only kept at hand, then the youngest
// begins again later. Any other error is the end of this request.
void Engine::Worker::give_way(std::size_t place, const Status& status) {
  if (status.error().code == ErrorCode::no_space) {
    const bool freed = free_blocks();
    const bool half_read = running_[place].task->needs() == RequestTask::Need::bytes;  // rows of an entry are lost
    if (freed && !half_read) return;
    if (freed || running_.size() > 1) return requeue(half_read ? place : running_.size() - 1);
  }
  events_.publish(events::Message{"error", "request failed: " + status.error().message});
  cancel_request(place);
}

bool Engine::Worker::free_blocks() {
  bool freed = store_->forget_original();
  if (profile_ != nullptr) {
    end_profile();
    profile_lacks_room_ = true;
    freed = true;
  }
  return inspector_->make_room() || freed;
}

void Engine::Worker::requeue(std::size_t place) {
  Running request = take_out(place);
  Arrived arrived = request.arrived;
  arrived.shown_bytes = std::max(arrived.shown_bytes, *request.shown_bytes);
  request.task.reset();
  repin(request.entry);
  requeued_.push_front(arrived);
  ++counted_.requeued;
  hold_until_one_ends_ = true;
}

}  // namespace kvantage
