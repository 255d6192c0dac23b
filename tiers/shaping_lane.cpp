#include "tiers/shaping_lane.h"

#include <pthread.h>

#include <algorithm>

#include "core/base/thread_rank.h"
#include "core/ports/transfer_error.h"

namespace kvantage {
namespace {

constexpr std::size_t shaping_samples = 256;

std::chrono::steady_clock::duration duration_of(double seconds) {
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace

ShapingLane::ShapingLane(const std::string& name, TierShape shape, bool write)
    : shape_(shape), write_(write), thread_([this] { loop(); }) {
  ::pthread_setname_np(thread_.native_handle(), name.substr(0, 15).c_str());
}

ShapingLane::~ShapingLane() {
  {
    const std::lock_guard lock(mutex_);
    std::vector<Ticket> tickets;
    for (auto& [ticket, flight] : flights_) {
      flight.cancelled = true;
      tickets.push_back(ticket);
    }
    std::sort(tickets.begin(), tickets.end());
    for (const Ticket ticket : tickets) release_cancelled(ticket);
    stopping_ = true;
    wake_.notify_one();
  }
  thread_.join();
}

void ShapingLane::set_shape(TierShape shape) {
  const std::lock_guard lock(mutex_);
  shape_ = shape;
  samples_.clear();
}

void ShapingLane::expect(Ticket ticket, TimePoint submitted, const std::vector<std::uint64_t>& bytes,
                         CompletionQueue& completions) {
  const std::lock_guard lock(mutex_);
  flights_.emplace(ticket, Flight{&completions, submitted, shape_, false, 0, 0});
  for (const std::uint64_t size : bytes) transfers_.push_back({ticket, size, std::nullopt, {}});
  wake_.notify_one();
}

void ShapingLane::arrive(Completion completion) {
  const std::lock_guard lock(mutex_);
  const Ticket ticket = completion.ticket;
  // A ticket's completions come in order, so this one belongs to its first transfer that still waits for one.
  const auto waiting = std::find_if(transfers_.begin(), transfers_.end(), [ticket](const Transfer& transfer) {
    return transfer.ticket == ticket && !transfer.arrived.has_value();
  });
  if (waiting == transfers_.end()) return;
  waiting->arrived = std::move(completion);
  waiting->arrival = std::chrono::steady_clock::now();
  if (flights_.at(ticket).cancelled) release_cancelled(ticket);
  wake_.notify_one();
}

void ShapingLane::cancel(Ticket ticket) {
  const std::lock_guard lock(mutex_);
  const auto found = flights_.find(ticket);
  if (found == flights_.end()) return;
  found->second.cancelled = true;
  release_cancelled(ticket);
  wake_.notify_one();
}

void ShapingLane::release_cancelled(Ticket ticket) {
  for (auto it = transfers_.begin(); it != transfers_.end();) {
    if (it->ticket != ticket) {
      ++it;
      continue;
    }
    if (!it->arrived.has_value()) return;  // keeps the order: the rest follows when it arrives
    Transfer transfer = std::move(*it);
    it = transfers_.erase(it);
    if (!write_ && transfer.arrived->status) {
      transfer.arrived->buffer.reset();
      transfer.arrived->status = fail(ErrorCode::cancelled, "shaped tier: cancelled");
      transfer.arrived->miss_reason = to_string(MissReason::cancelled);
    }
    deliver(std::move(transfer), 0);
  }
}

void ShapingLane::loop() {
  rank_this_thread(ThreadRank::transfers);
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (!step(lock)) wake_.wait(lock, [this] { return stopping_ || !transfers_.empty(); });
  }
}

bool ShapingLane::step(std::unique_lock<std::mutex>& lock) {
  if (transfers_.empty()) return false;
  const Transfer& head = transfers_.front();
  const Flight& flight = flights_.at(head.ticket);
  const TimePoint begin = std::max({free_at_, delivered_at_, flight.submitted});  // no moment is counted twice
  const TimePoint flowing = std::max(free_at_, flight.submitted + duration_of(flight.shape.latency_seconds));
  const double bandwidth = flight.shape.bandwidth_bytes_per_second;
  const double transfer_seconds = bandwidth > 0 ? static_cast<double>(head.bytes) / bandwidth : 0.0;
  const TimePoint due = flowing + duration_of(transfer_seconds);
  const bool failed = head.arrived.has_value() && !head.arrived->status;
  if (!head.arrived.has_value()) {
    wake_.wait(lock);
    return true;
  }
  if (!failed && std::chrono::steady_clock::now() < due) {
    wake_.wait_until(lock, due);
    return true;  // looked at afresh: it may have been cancelled
  }
  Transfer transfer = std::move(transfers_.front());
  transfers_.pop_front();
  // The lane was busy until the bytes were due or, if the tier below is slower, until they arrived: no credit is saved.
  const TimePoint now = std::chrono::steady_clock::now();
  if (!failed) {
    free_at_ = std::max(due, transfer.arrival);
    delivered_at_ = now;
  }
  const double seconds = std::chrono::duration<double>(now - begin).count();
  deliver(std::move(transfer), failed ? 0 : seconds);
  return true;
}

void ShapingLane::deliver(Transfer transfer, double device_seconds) {
  Completion& completion = *transfer.arrived;
  completion.device_seconds = device_seconds;
  const auto found = flights_.find(transfer.ticket);
  Flight& flight = found->second;
  CompletionQueue& completions = *flight.completions;
  flight.bytes += transfer.bytes;
  flight.seconds += device_seconds;
  if (completion.last) {
    if (completion.status) {
      samples_.push_back({flight.bytes, flight.seconds, write_});
      if (samples_.size() > shaping_samples) samples_.pop_front();
    }
    flights_.erase(found);
  }
  completions.push(std::move(completion));
}

std::vector<TransferSample> ShapingLane::samples() const {
  const std::lock_guard lock(mutex_);
  return {samples_.begin(), samples_.end()};
}

}  // namespace kvantage
