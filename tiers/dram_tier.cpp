#include "tiers/dram_tier.h"

#include <algorithm>
#include <cstring>

namespace kvantage::inline tiers {
namespace {

constexpr std::size_t copy_step = std::size_t{4} << 20;  // interval of cancellation checks

/// The extent's bytes; empty where they are not contiguous, or outside.
std::span<const std::byte> in_one_run(const PageArena::Runs& runs, const ReadExtent& extent) {
  std::uint64_t begin = 0;
  for (const std::span<std::byte> run : runs) {
    const bool starts = extent.offset >= begin && extent.offset - begin < run.size();
    if (starts && extent.bytes > run.size() - (extent.offset - begin)) return {};
    if (starts) return run.subspan(extent.offset - begin, extent.bytes);
    begin += run.size();
  }
  return {};
}

}  // namespace

Expected<std::shared_ptr<StoredEntry>> DramStore::put(const EntryInfo& info, std::span<const std::byte> bytes,
                                                      const std::atomic<bool>& cancelled) {
  KV_ASSIGN(auto runs, arena_->allocate(bytes.size()));
  auto entry = std::make_shared<DramEntry>(info, arena_, std::move(runs));
  std::span<const std::byte> rest = bytes;
  for (const std::span<std::byte> run : entry->runs()) {
    if (cancelled) return fail(ErrorCode::cancelled, name_ + ": cancelled");
    const std::span<const std::byte> part = rest.first(std::min(run.size(), rest.size()));
    std::memcpy(run.data(), part.data(), part.size());
    entry->checksums().push_back(checksum_of(part));
    if (checksum_of(run.first(part.size())) != entry->checksums().back())
      return fail(ErrorCode::io, name_ + ": its memory differs from what was written; test the memory");
    rest = rest.subspan(part.size());
  }
  return entry;
}

bool DramStore::lends(const StoredEntry& entry, const ReadExtent& extent) const {
  return !in_one_run(static_cast<const DramEntry&>(entry).runs(), extent).empty();
}

TransferStatus DramStore::copy_out(const PageArena::Runs& runs, const ReadExtent& extent, std::span<std::byte> target,
                                   const ReadSink& sink) const {
  std::uint64_t run_begin = 0;
  for (const std::span<std::byte> run : runs) {
    // Copies this run's part of [extent.offset, extent.offset + extent.bytes).
    std::uint64_t from = std::max(run_begin, extent.offset);
    const std::uint64_t to = std::min(run_begin + run.size(), extent.offset + extent.bytes);
    while (from < to) {
      if (sink.cancelled()) return fail_transfer(MissReason::cancelled, ErrorCode::cancelled, name_ + ": cancelled");
      const std::uint64_t step = std::min<std::uint64_t>(copy_step, to - from);
      std::memcpy(target.data() + (from - extent.offset), run.data() + (from - run_begin), step);
      from += step;
    }
    run_begin += run.size();
  }
  return {};
}

TransferStatus DramStore::read(const StoredEntry& entry, ReadSink& sink) {
  const auto& runs = static_cast<const DramEntry&>(entry).runs();
  const std::span<const ReadExtent> extents = sink.extents();
  for (std::size_t index = 0; index < extents.size(); ++index) {
    const double start = sink.clock().seconds();
    const ReadExtent& extent = extents[index];
    LentBytes lent;
    if (!sink.is_borrowed(index)) {
      KV_TRY(copy_out(runs, extent, sink.target(index), sink));
    } else if (lent.bytes = in_one_run(runs, extent); lent.bytes.empty()) {
      // Its entry was replaced, since lends() was asked, by one in several runs.
      const auto copy = std::make_shared<std::vector<std::byte>>(extent.bytes);
      KV_TRY(copy_out(runs, extent, *copy, sink));
      lent = {*copy, copy};
    }
    if (sink.cancelled()) return fail_transfer(MissReason::cancelled, ErrorCode::cancelled, name_ + ": cancelled");
    if (sink.is_borrowed(index))
      sink.lend(index, std::move(lent));
    else
      sink.finish(index, sink.clock().seconds() - start, 0);
  }
  return {};
}

TransferStatus DramStore::verify(const StoredEntry& entry) {
  const auto& stored = static_cast<const DramEntry&>(entry);
  std::uint64_t rest = stored.info().bytes;
  for (std::size_t i = 0; i < stored.runs().size(); ++i) {
    const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(stored.runs()[i].size(), rest));
    if (checksum_of(stored.runs()[i].first(part)) != stored.checksums()[i])
      return fail_transfer(MissReason::checksum, ErrorCode::corrupt,
                           name_ + ": entry " + stored.info().key.hex() + ": its memory changed unexpectedly");
    rest -= part;
  }
  return {};
}

}  // namespace kvantage::inline tiers
