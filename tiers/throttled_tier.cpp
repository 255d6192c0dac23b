#include "tiers/throttled_tier.h"

#include <algorithm>
#include <limits>

#include "core/base/units.h"

namespace kvantage::inline tiers {

ThrottledTier::ThrottledTier(std::unique_ptr<StorageTier> inner, TierLimits limits)
    : inner_(std::move(inner)),
      executor_(inner_->executor()),
      arrived_(executor_.clock()),
      limits_(limits),
      reads_(executor_, "throttle-read", limits, false),
      writes_(executor_, "throttle-write", limits, true),
      router_(executor_.start("throttle-router", ThreadPriority::transfers, [this] { route(); })) {}

ThrottledTier::~ThrottledTier() {
  std::vector<Ticket> tickets;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [ticket, lane] : lane_of_) tickets.push_back(ticket);
  }
  std::sort(tickets.begin(), tickets.end());
  for (const Ticket ticket : tickets) cancel(ticket);
  inner_.reset();               // completes everything in flight
  arrived_.push(Completion{});  // ticket 0: the end marker
  router_.reset();
}

Status ThrottledTier::set_limits(TierLimits limits) {
  const std::lock_guard lock(mutex_);
  limits_ = limits;
  reads_.set_limits(limits);
  writes_.set_limits(limits);
  return {};
}

TierDescription ThrottledTier::describe() const {
  TierDescription description = inner_->describe();
  const std::lock_guard lock(mutex_);
  if (!is_throttling(limits_)) return description;
  std::string note = "throttled:";
  if (limits_.bandwidth_bytes_per_second > 0)
    note.append(" ").append(format_fixed(limits_.bandwidth_bytes_per_second / 1e6, 1)).append(" MB/s");
  if (limits_.latency_seconds > 0) note.append(" + ").append(format_seconds(limits_.latency_seconds));
  description.throttled = true;
  description.note = description.note.empty() ? note : note + "; " + description.note;
  return description;
}

Ticket ThrottledTier::submit_write(EntryInfo info, std::shared_ptr<const std::vector<std::byte>> entry,
                                   CompletionQueue& completions) {
  const std::uint64_t bytes = info.bytes;
  const std::lock_guard lock(mutex_);  // the router waits until the lane knows the ticket
  if (!is_throttling(limits_)) return inner_->submit_write(std::move(info), std::move(entry), completions);
  const std::int64_t submitted_ns = clock().monotonic_ns();
  const Ticket ticket = inner_->submit_write(std::move(info), std::move(entry), arrived_);
  writes_.expect(ticket, submitted_ns, {bytes}, completions);
  lane_of_.emplace(ticket, &writes_);
  return ticket;
}

Ticket ThrottledTier::submit_read(const Digest128& key, std::vector<ReadExtent> extents,
                                  std::vector<std::unique_ptr<LeasedBuffer>> buffers, CompletionQueue& completions) {
  std::vector<std::uint64_t> bytes;
  for (const ReadExtent& extent : extents) bytes.push_back(extent.bytes);
  if (bytes.empty()) bytes.push_back(0);  // rejected below, with one completion
  const std::lock_guard lock(mutex_);
  if (!is_throttling(limits_)) return inner_->submit_read(key, std::move(extents), std::move(buffers), completions);
  const std::int64_t submitted_ns = clock().monotonic_ns();  // a quick read is complete when submit_read returns
  const Ticket ticket = inner_->submit_read(key, std::move(extents), std::move(buffers), arrived_);
  reads_.expect(ticket, submitted_ns, bytes, completions);
  lane_of_.emplace(ticket, &reads_);
  return ticket;
}

ResidentEntries* ThrottledTier::resident() {
  const std::lock_guard lock(mutex_);
  return is_throttling(limits_) ? nullptr : inner_->resident();
}

void ThrottledTier::cancel(Ticket ticket) {
  inner_->cancel(ticket);
  const std::lock_guard lock(mutex_);
  // Only the right lane knows the ticket, and for longer than the router does.
  reads_.cancel(ticket);
  writes_.cancel(ticket);
}

void ThrottledTier::route() {
  while (true) {
    for (Completion& completion : arrived_.wait(std::numeric_limits<double>::infinity())) {
      if (completion.ticket == 0) return;
      const std::lock_guard lock(mutex_);
      const auto found = lane_of_.find(completion.ticket);
      if (found == lane_of_.end()) continue;
      ThrottleLane& lane = *found->second;
      if (completion.last) lane_of_.erase(found);
      lane.arrive(std::move(completion));
    }
  }
}

TierStatistics ThrottledTier::statistics() const {
  TierStatistics statistics = inner_->statistics();
  const std::lock_guard lock(mutex_);
  if (!is_throttling(limits_)) return statistics;
  statistics.samples = reads_.samples();
  for (const TransferSample& sample : writes_.samples()) statistics.samples.push_back(sample);
  return statistics;
}

}  // namespace kvantage::inline tiers
