#include "tiers/throttle_lane.h"

#include <algorithm>
#include <limits>

#include "core/ports/transfer_error.h"

namespace kvantage::inline tiers {
namespace {

constexpr std::size_t throttled_samples = 256;

std::int64_t nanoseconds(double seconds) { return static_cast<std::int64_t>(seconds * 1e9); }

}  // namespace

ThrottleLane::ThrottleLane(Executor& executor, const std::string& name, TierLimits limits, bool write)
    : clock_(executor.clock()),
      limits_(limits),
      write_(write),
      thread_(executor.start(name, ThreadPriority::transfers, [this] { loop(); })) {}

ThrottleLane::~ThrottleLane() {
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
    changed();
  }
  thread_.reset();
}

void ThrottleLane::set_limits(TierLimits limits) {
  const std::lock_guard lock(mutex_);
  limits_ = limits;
  samples_.clear();
}

void ThrottleLane::expect(Ticket ticket, std::int64_t submitted_ns, const std::vector<std::uint64_t>& bytes,
                          CompletionQueue& completions) {
  const std::lock_guard lock(mutex_);
  flights_.emplace(ticket, Flight{&completions, submitted_ns, limits_, false, 0, 0});
  for (const std::uint64_t size : bytes) transfers_.push_back({ticket, size, std::nullopt, {}});
  changed();
}

void ThrottleLane::arrive(Completion completion) {
  const std::lock_guard lock(mutex_);
  const Ticket ticket = completion.ticket;
  // A ticket's completions come in order, so this one belongs to its first transfer still without one.
  const auto waiting = std::find_if(transfers_.begin(), transfers_.end(), [ticket](const Transfer& transfer) {
    return transfer.ticket == ticket && !transfer.arrived.has_value();
  });
  if (waiting == transfers_.end()) return;
  waiting->arrived = std::move(completion);
  waiting->arrival_ns = clock_.monotonic_ns();
  if (flights_.at(ticket).cancelled) release_cancelled(ticket);
  changed();
}

void ThrottleLane::cancel(Ticket ticket) {
  const std::lock_guard lock(mutex_);
  const auto found = flights_.find(ticket);
  if (found == flights_.end()) return;
  found->second.cancelled = true;
  release_cancelled(ticket);
  changed();
}

void ThrottleLane::release_cancelled(Ticket ticket) {
  for (auto it = transfers_.begin(); it != transfers_.end();) {
    if (it->ticket != ticket) {
      ++it;
      continue;
    }
    if (!it->arrived.has_value()) return;  // preserves the order: the rest follows when it arrives
    Transfer transfer = std::move(*it);
    it = transfers_.erase(it);
    if (!write_ && transfer.arrived->status) {
      transfer.arrived->buffer.reset();
      transfer.arrived->lent = {};
      transfer.arrived->status = fail(ErrorCode::cancelled, "throttled tier: cancelled");
      transfer.arrived->miss_reason = to_string(MissReason::cancelled);
    }
    deliver(std::move(transfer), 0);
  }
}

void ThrottleLane::loop() {
  std::unique_lock lock(mutex_);
  while (!stopping_) step(lock);
}

void ThrottleLane::await_change(std::unique_lock<std::mutex>& lock, double seconds) {
  const std::uint64_t seen = changes_;
  clock_.wait(lock, wake_, seconds, [this, seen] { return changes_ != seen; });
}

void ThrottleLane::step(std::unique_lock<std::mutex>& lock) {
  if (transfers_.empty() || !transfers_.front().arrived.has_value())
    return await_change(lock, std::numeric_limits<double>::infinity());
  const Transfer& head = transfers_.front();
  const Flight& flight = flights_.at(head.ticket);
  const std::int64_t begin = std::max({free_at_ns_, delivered_at_ns_, flight.submitted_ns});  // avoids counting time
                                                                                              // twice
  const std::int64_t flowing = std::max(free_at_ns_, flight.submitted_ns + nanoseconds(flight.limits.latency_seconds));
  const double bandwidth = flight.limits.bandwidth_bytes_per_second;
  const double transfer_seconds = bandwidth > 0 ? static_cast<double>(head.bytes) / bandwidth : 0.0;
  const std::int64_t due = flowing + nanoseconds(transfer_seconds);
  const bool failed = !head.arrived->status;
  const std::int64_t now = clock_.monotonic_ns();
  // Re-examined afterwards: it may have been canceled.
  if (!failed && now < due) return await_change(lock, static_cast<double>(due - now) * 1e-9);
  Transfer transfer = std::move(transfers_.front());
  transfers_.pop_front();
  // The lane was busy until the bytes were due or, if the tier below is slower, until they arrived: no credit
  // accumulates.
  if (!failed) {
    free_at_ns_ = std::max(due, transfer.arrival_ns);
    delivered_at_ns_ = now;
  }
  deliver(std::move(transfer), failed ? 0 : static_cast<double>(now - begin) * 1e-9);
}

void ThrottleLane::deliver(Transfer transfer, double device_seconds) {
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
      if (samples_.size() > throttled_samples) samples_.pop_front();
    }
    flights_.erase(found);
  }
  completions.push(std::move(completion));
}

std::vector<TransferSample> ThrottleLane::samples() const {
  const std::lock_guard lock(mutex_);
  return {samples_.begin(), samples_.end()};
}

}  // namespace kvantage::inline tiers
