#include "tiers/transfer_jobs.h"

namespace kvantage::inline tiers {

void WriteJob::succeed(double device_seconds) {
  entry_.reset();
  Completion completion;
  completion.ticket = ticket();
  completion.last = true;
  completion.device_seconds = device_seconds;
  push(std::move(completion));
}

void WriteJob::fail_rest(const TransferError& failure) {
  entry_.reset();
  Completion completion;
  completion.ticket = ticket();
  completion.last = true;
  completion.status = tl::unexpected(failure.error);
  push(std::move(completion));
}

Status ReadJob::check(std::uint64_t entry_bytes) const {
  const auto inside = [](std::uint64_t offset, std::uint64_t bytes, std::uint64_t from, std::uint64_t size) {
    return offset >= from && bytes <= size && offset - from <= size - bytes;
  };
  if (extents_.empty()) return fail(ErrorCode::rejected_input, "read: no extent given");
  if (buffers_.size() != extents_.size())
    return fail(ErrorCode::rejected_input, "read: " + std::to_string(extents_.size()) + " extents but " +
                                               std::to_string(buffers_.size()) + " buffers");
  for (std::size_t i = 0; i < extents_.size(); ++i) {
    const ReadExtent& extent = extents_[i];
    if (extent.bytes == 0 || !inside(extent.offset, extent.bytes, 0, entry_bytes))
      return fail(ErrorCode::rejected_input, "read: extent " + std::to_string(i) + " (" +
                                                 std::to_string(extent.offset) + " + " + std::to_string(extent.bytes) +
                                                 ") is outside the entry's " + std::to_string(entry_bytes) + " bytes");
    if (buffers_[i] == nullptr ? !lending_ : buffers_[i]->bytes().size() < extent.bytes)
      return fail(ErrorCode::rejected_input, "read: buffer " + std::to_string(i) + " is smaller than its extent");
    for (const ReadExtent::Piece& piece : extent.pieces)
      if (!inside(piece.offset, piece.bytes, extent.offset, extent.bytes))
        return fail(ErrorCode::rejected_input, "read: a piece of extent " + std::to_string(i) + " is outside it");
  }
  return {};
}

std::uint64_t ReadJob::total_bytes() const {
  std::uint64_t total = 0;
  for (const ReadExtent& extent : extents_) total += extent.bytes;
  return total;
}

std::uint64_t ReadJob::bytes_into_buffers() const {
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < extents_.size(); ++i)
    if (buffers_[i] != nullptr) total += extents_[i].bytes;
  return total;
}

void ReadJob::finish(std::size_t index, double device_seconds, double verify_seconds) {
  device_seconds_ += device_seconds;
  Completion completion;
  completion.buffer = std::move(buffers_[index]);
  completion.device_seconds = device_seconds;
  completion.verify_seconds = verify_seconds;
  complete(index, std::move(completion));
}

void ReadJob::lend(std::size_t index, LentBytes lent) {
  if (lent.owner == nullptr) lent.owner = pinned_;
  Completion completion;
  completion.lent = std::move(lent);
  complete(index, std::move(completion));
}

void ReadJob::complete(std::size_t index, Completion completion) {
  finished_ = index + 1;
  completion.ticket = ticket();
  completion.index = index;
  completion.last = finished_ == extents_.size();
  if (completion.last && before_success_) before_success_();
  push(std::move(completion));
}

void ReadJob::fail_rest(const TransferError& failure) {
  buffers_.clear();
  const std::size_t count = extents_.empty() ? 1 : extents_.size();
  for (std::size_t index = finished_; index < count; ++index) {
    Completion completion;
    completion.ticket = ticket();
    completion.index = index;
    completion.last = index + 1 == count;
    completion.status = tl::unexpected(failure.error);
    completion.miss_reason = to_string(failure.reason);
    push(std::move(completion));
  }
  finished_ = count;
}

}  // namespace kvantage::inline tiers
