#include "core/request/range_reads.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace kvantage::inline requests {

RangeReads::~RangeReads() {
  for (const auto& [ticket, read] : in_flight_) read.tier->cancel(ticket);
  std::optional<ReadFailure> lost;
  while (!in_flight_.empty())
    for (const Completion& completion : completions_.wait(0.1)) {
      const auto read = in_flight_.find(completion.ticket);
      if (read == in_flight_.end()) continue;
      const bool is_copy = read->second.is_copy;
      if (completion.last) in_flight_.erase(read);
      if (lost || is_copy || completion.status || completion.status.error().code == ErrorCode::cancelled) continue;
      const ReadFailure failure{completion.status.error(), completion.miss_reason};
      if (failure.miss_reason != cancelled_reason && failure.entry_is_lost()) lost = failure;
    }
  if (lost && on_loss_) on_loss_(*lost);
}

int RangeReads::begin(const Source& source, std::vector<Range> ranges, int layer) {
  const int number = next_batch_++;
  Batch& batch = batches_[number];
  batch.ranges = std::move(ranges);
  batch.in_memory = source.in_memory;
  batch.layer = layer;
  if (batch.in_memory != nullptr || batch.ranges.empty()) {
    for (const Range& range : batch.ranges) bytes_read_ += range.bytes();
    return number;
  }
  std::vector<ReadExtent> extents;
  extents.reserve(batch.ranges.size());
  batch.order.resize(batch.ranges.size());
  std::iota(batch.order.begin(), batch.order.end(), std::size_t{0});
  std::ranges::stable_sort(batch.order, {}, [&batch](std::size_t index) { return batch.ranges[index].begin; });
  for (const std::size_t index : batch.order) {
    const Range& range = batch.ranges[index];
    extents.push_back({.offset = range.begin, .bytes = range.bytes(), .pieces = {}});
  }
  auto buffers = buffers_for(*source.tier, source.key, extents, lender_);
  if (!buffers) {
    batch.failure = ReadFailure{buffers.error(), no_buffer_reason};
    return number;
  }
  batch.left = batch.ranges.size();
  batch.arrived.resize(batch.left);
  batch.submitted_ns = source.tier->clock().monotonic_ns();
  const Ticket ticket = source.tier->submit_read(source.key, std::move(extents), std::move(*buffers), completions_);
  in_flight_[ticket] = {source.tier, number, source.is_copy};
  return number;
}

void RangeReads::pump(double seconds) {
  if (in_flight_.empty()) return;
  for (Completion& completion : seconds > 0 ? completions_.wait(seconds) : completions_.poll()) {
    const auto read = in_flight_.find(completion.ticket);
    if (read == in_flight_.end()) continue;
    const auto at = batches_.find(read->second.batch);
    if (completion.last) in_flight_.erase(read);
    device_seconds_ += completion.device_seconds;
    if (at != batches_.end()) take(at->second, completion);
  }
}

void RangeReads::take(Batch& batch, Completion& completion) {
  if (batch.left > 0) --batch.left;
  if (completion.status) {
    const std::size_t range = batch.order.at(completion.index);
    const std::uint64_t bytes = batch.ranges[range].bytes();
    bytes_read_ += bytes;
    arrivals_.push_back({batch.layer, batch.submitted_ns, completion.pushed_ns, completion.device_seconds, bytes});
    batch.arrived[range] = ArrivedBytes(completion);
  } else if (!batch.failure) {
    batch.failure = ReadFailure{completion.status.error(), completion.miss_reason};
  }
  if (!completion.last || batch.left == 0) return;
  batch.left = 0;  // no tier should do that; who waits for the rest would wait forever
  if (!batch.failure)
    batch.failure = ReadFailure{{ErrorCode::io, "a read ended without all of its bytes; it is a miss"}, {}};
}

std::span<const std::byte> RangeReads::bytes(int batch, std::size_t range) const {
  const Batch& of = batches_.at(batch);
  const Range& wanted = of.ranges.at(range);
  if (of.in_memory != nullptr) return std::span(*of.in_memory).subspan(wanted.begin, wanted.bytes());
  return of.arrived.at(range).bytes().first(wanted.bytes());
}

}  // namespace kvantage::inline requests
