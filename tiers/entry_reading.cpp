#include "tiers/entry_reading.h"

#include <algorithm>
#include <cstring>

#include "tiers/extent_check.h"

namespace kvantage::inline tiers {

EntryReading::EntryReading(const StoreHeader& header, std::uint64_t data_offset, ReadSink& sink,
                           std::span<std::byte> scratch, const std::string& tier_name)
    : header_(header),
      data_offset_(data_offset),
      sink_(sink),
      tier_name_(tier_name),
      scratch_(scratch),
      mark_(sink.clock().seconds()) {
  for (std::size_t i = 0; i < sink.extents().size(); ++i) targets_.push_back(sink.target(i));
  groups_ = plan_reads(sink.extents(), targets_, ReadPlanLimits{.scratch_bytes = ScratchSlots::slot_bytes});
  if (!groups_.empty()) at_ = groups_.front().begin;
}

std::optional<Transfer> EntryReading::next() {
  if (failure_ || group_next_ == groups_.size() || sink_.cancelled()) return std::nullopt;
  const ReadGroup& group = groups_[group_next_];
  if (!group.straight && !scratch_.has_free()) return std::nullopt;
  // Direct reads are split into steps, too: their first pieces are verified while the rest is in flight.
  const std::size_t step = std::min<std::uint64_t>(group.end - at_, ScratchSlots::slot_bytes);
  const std::span<std::byte> bytes =
      group.straight ? targets_[group.first].subspan(at_ - group.begin, step) : scratch_.take().first(step);
  issued_.push_back({group_next_, at_, bytes});
  const Transfer transfer{data_offset_ + at_, bytes};
  at_ += step;
  if (at_ == group.end && ++group_next_ < groups_.size()) at_ = groups_[group_next_].begin;
  return transfer;
}

Status EntryReading::done(std::size_t /*index*/) {
  const double arrived = sink_.clock().seconds();
  const Issued issued = issued_.front();
  issued_.pop_front();
  const ReadGroup& group = groups_[issued.group];
  if (!group.straight) {
    copy_out(issued);
    scratch_.give_back();
  }
  if (sink_.cancelled()) return stop(MissReason::cancelled, ErrorCode::cancelled, ": cancelled");
  const std::uint64_t until = issued.begin + issued.bytes.size();
  if (group.count == 1) {
    const ReadExtent& extent = sink_.extents()[group.first];
    const double start = sink_.clock().seconds();
    const bool intact = verify_arrived(extent, targets_[group.first], until);
    verify_seconds_ += sink_.clock().seconds() - start;
    if (!intact) return stop_corrupt(group.first);
  }
  if (until < group.end) return {};
  const double device_seconds = arrived - mark_;
  mark_ = arrived;
  return finish_group(group, device_seconds);
}

void EntryReading::copy_out(const Issued& issued) {
  const ReadGroup& group = groups_[issued.group];
  for (std::size_t i = group.first; i < group.first + group.count; ++i) {
    const ReadExtent& extent = sink_.extents()[i];
    const std::uint64_t from = std::max(issued.begin, extent.offset);
    const std::uint64_t to = std::min(issued.begin + issued.bytes.size(), extent.offset + extent.bytes);
    if (from < to)
      std::memcpy(targets_[i].data() + (from - extent.offset), issued.bytes.data() + (from - issued.begin), to - from);
  }
}

bool EntryReading::verify_arrived(const ReadExtent& extent, std::span<const std::byte> bytes, std::uint64_t until) {
  for (; pieces_verified_ < extent.pieces.size(); ++pieces_verified_) {
    const ReadExtent::Piece& piece = extent.pieces[pieces_verified_];
    if (piece.offset + piece.bytes > until) break;
    if (checksum_of(bytes.subspan(piece.offset - extent.offset, piece.bytes)) != piece.checksum) return false;
  }
  return true;
}

bool EntryReading::verify_rest(const ReadExtent& extent, std::span<const std::byte> bytes) {
  return verify_arrived(extent, bytes, extent.offset + extent.bytes) && stored_sums_match(extent, bytes, header_);
}

Status EntryReading::finish_group(const ReadGroup& group, double device_seconds) {
  std::uint64_t group_bytes = 0;
  for (std::size_t i = group.first; i < group.first + group.count; ++i) group_bytes += sink_.extents()[i].bytes;
  for (std::size_t i = group.first; i < group.first + group.count; ++i) {
    const ReadExtent& extent = sink_.extents()[i];
    const double start = sink_.clock().seconds();
    if (!verify_rest(extent, targets_[i].first(extent.bytes))) return stop_corrupt(i);
    verify_seconds_ += sink_.clock().seconds() - start;
    // The time of a merged request is divided by bytes.
    const double share = static_cast<double>(extent.bytes) / static_cast<double>(group_bytes);
    sink_.finish(i, device_seconds * share, verify_seconds_);
    pieces_verified_ = 0;
    verify_seconds_ = 0;
  }
  ++group_done_;
  return {};
}

Status EntryReading::stop_corrupt(std::size_t extent) {
  return stop(MissReason::checksum, ErrorCode::corrupt,
              ": entry " + header_.info.key.hex() + ": wrong checksum in extent " + std::to_string(extent) +
                  "; it is dropped and recomputed");
}

Status EntryReading::stop(MissReason reason, ErrorCode code, const std::string& what) {
  failure_ = TransferError{reason, Error{code, tier_name_ + what}};
  return tl::unexpected(failure_->error);
}

}  // namespace kvantage::inline tiers
