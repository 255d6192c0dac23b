// The reading half of SsdStore: requests to the device, copies out of the scratch buffer, checksums.
#include <algorithm>
#include <chrono>
#include <cstring>

#include "tiers/file_entry.h"
#include "tiers/read_plan.h"
#include "tiers/ssd_tier.h"

namespace kvantage {
namespace {

using SteadyClock = std::chrono::steady_clock;
constexpr std::size_t straight_step = std::size_t{8} << 20;  // how often a cancel is looked for

double seconds_between(SteadyClock::time_point from, SteadyClock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

TransferError transfer_error(const Error& error) {
  switch (error.code) {
    case ErrorCode::not_found:
      return {MissReason::missing, error};
    case ErrorCode::corrupt:
      return {MissReason::truncated, error};
    case ErrorCode::cancelled:
      return {MissReason::cancelled, error};
    default:
      return {MissReason::device, error};
  }
}

bool matches(std::span<const std::byte> bytes, std::uint64_t checksum) {
  return checksum_of(bytes) == checksum;
}

/// The caller's pieces, and what the store itself knows: the sum of the entry's header and, where the caller gave no
/// pieces, of the whole entry.
bool extent_is_intact(const ReadExtent& extent, std::span<const std::byte> bytes, const StoreHeader& header) {
  for (const ReadExtent::Piece& piece : extent.pieces)
    if (!matches(bytes.subspan(piece.offset - extent.offset, piece.bytes), piece.checksum)) return false;
  if (extent.offset != 0) return true;
  if (extent.pieces.empty() && extent.bytes == header.info.bytes) return matches(bytes, header.entry_checksum);
  if (extent.bytes >= header.info.header_bytes)
    return matches(bytes.first(header.info.header_bytes), header.header_checksum);
  return true;
}

}  // namespace

TransferStatus SsdStore::read(const StoredEntry& stored, ReadSink& sink) {
  const auto& entry = static_cast<const FileEntry&>(stored);
  const std::span<const ReadExtent> extents = sink.extents();
  std::vector<std::span<std::byte>> targets;
  for (std::size_t i = 0; i < extents.size(); ++i) targets.push_back(sink.target(i));
  const auto cancelled = [&] {
    return fail_transfer(MissReason::cancelled, ErrorCode::cancelled, name_ + ": cancelled");
  };

  auto start = SteadyClock::now();
  if (sink.cancelled()) return cancelled();
  auto file = device_->open(entry.path(), false);
  if (!file) return tl::unexpected(transfer_error(file.error()));
  const std::span<std::byte> scratch = read_scratch_.bytes();

  for (const ReadGroup& group : plan_reads(extents, targets, ReadPlanLimits{.scratch_bytes = scratch.size()})) {
    for (std::uint64_t at = group.begin; at < group.end;) {
      if (sink.cancelled()) return cancelled();
      const std::size_t step = std::min<std::uint64_t>(group.end - at, group.straight ? straight_step : scratch.size());
      const std::span<std::byte> into =
          group.straight ? targets[group.first].subspan(at - group.begin, step) : scratch.first(step);
      if (const Status got = (*file)->read(entry.data_offset() + at, into); !got)
        return tl::unexpected(transfer_error(got.error()));
      for (std::size_t i = group.first; !group.straight && i < group.first + group.count; ++i) {
        const std::uint64_t from = std::max(at, extents[i].offset);
        const std::uint64_t to = std::min(at + step, extents[i].offset + extents[i].bytes);
        if (from < to)
          std::memcpy(targets[i].data() + (from - extents[i].offset), scratch.data() + (from - at), to - from);
      }
      at += step;
    }
    const auto arrived = SteadyClock::now();
    std::uint64_t group_bytes = 0;
    for (const ReadExtent& extent : extents.subspan(group.first, group.count)) group_bytes += extent.bytes;
    auto verified = arrived;
    for (std::size_t i = group.first; i < group.first + group.count; ++i) {
      const auto verify_start = verified;
      if (!extent_is_intact(extents[i], targets[i].first(extents[i].bytes), entry.header()))
        return fail_transfer(MissReason::checksum, ErrorCode::corrupt,
                             name_ + ": entry " + entry.info().key.hex() + ": wrong checksum in extent " +
                                 std::to_string(i) + "; it is dropped and computed again");
      verified = SteadyClock::now();
      // The time of a shared request is shared by bytes.
      const double share = static_cast<double>(extents[i].bytes) / static_cast<double>(group_bytes);
      sink.finish(i, seconds_between(start, arrived) * share, seconds_between(verify_start, verified));
    }
    start = SteadyClock::now();
  }
  return {};
}

TransferStatus SsdStore::verify(const StoredEntry& stored) {
  const auto& entry = static_cast<const FileEntry&>(stored);
  auto memory = MappedMemory::map(entry.info().bytes, false);
  if (!memory) return tl::unexpected(TransferError{MissReason::rejected, memory.error()});
  auto file = device_->open(entry.path(), false);
  if (!file) return tl::unexpected(transfer_error(file.error()));
  if (const Status got = (*file)->read(entry.data_offset(), memory->bytes()); !got)
    return tl::unexpected(transfer_error(got.error()));
  if (!matches(memory->bytes().first(entry.info().bytes), entry.header().entry_checksum))
    return fail_transfer(MissReason::checksum, ErrorCode::corrupt,
                         name_ + ": entry " + entry.info().key.hex() + ": wrong checksum");
  return {};
}

}  // namespace kvantage
