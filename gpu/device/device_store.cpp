#include "gpu/device/device_store.h"

#include <atomic>
#include <chrono>
#include <cstring>
#include <deque>
#include <thread>
#include <vector>

#include "gpu/device/device_entry.h"
#include "gpu/device/piece_copies.h"
#include "gpu/device/staged_copy.h"

namespace kvantage::gpu {
namespace {

static_assert(DeviceEntry::summed_bytes == Staging::slot_bytes, "each piece of a write has one checksum");

using Instant = std::chrono::steady_clock::time_point;
Instant now() { return std::chrono::steady_clock::now(); }
double between(Instant start, Instant end) { return std::chrono::duration<double>(end - start).count(); }

// A part of an extent in flight.
struct Piece {
  std::size_t extent = 0;
  std::uint64_t offset = 0;  // from the start of the extent
  std::uint64_t bytes = 0;
  bool last = false;                // of its extent
  std::optional<std::size_t> slot;  // of the staging memory; none: directly into the caller's buffer
  PieceCopies copies;
};

// Issues the pieces of a read in order, as far ahead as buffers allow.
class PiecesAhead {
 public:
  PiecesAhead(DeviceMemory& memory, const DeviceEntry& entry, ReadSink& sink, Staging& staging)
      : memory_(memory), entry_(entry), sink_(sink), staging_(staging) {}

  bool empty() const { return in_flight_.empty(); }
  Piece& front() { return in_flight_.front(); }
  void pop_front() {
    const Piece& piece = in_flight_.front();
    if (piece.slot) --slots_taken_;
    bytes_ahead_ -= piece.bytes;
    in_flight_.pop_front();
  }
  Status fill() {
    while (extent_ < sink_.extents().size()) {
      const ReadExtent& extent = sink_.extents()[extent_];
      const std::span<std::byte> target = sink_.target(extent_).first(extent.bytes);
      const bool straight = memory_.pinned(target);
      const bool room = straight ? in_flight_.size() < DeviceStore::straight_ahead_copies &&
                                       bytes_ahead_ < DeviceStore::straight_ahead_bytes
                                 : slots_taken_ < Staging::slot_count;
      if (!room) return {};
      const std::uint64_t bytes = std::min<std::uint64_t>(Staging::slot_bytes, extent.bytes - offset_);
      std::optional<std::size_t> slot;
      if (!straight) slot = next_slot_++;
      KV_ASSIGN(auto copies,
                PieceCopies::out(memory_, entry_.runs(), extent.offset + offset_,
                                 slot ? staging_.slot(*slot).first(bytes) : target.subspan(offset_, bytes)));
      if (slot) ++slots_taken_;
      bytes_ahead_ += bytes;
      const bool last = offset_ + bytes == extent.bytes;
      in_flight_.push_back({extent_, offset_, bytes, last, slot, std::move(copies)});
      offset_ = last ? 0 : offset_ + bytes;
      if (last) ++extent_;
    }
    return {};
  }

 private:
  DeviceMemory& memory_;
  const DeviceEntry& entry_;
  ReadSink& sink_;
  Staging& staging_;
  std::deque<Piece> in_flight_;  // the destructor waits for the copies, so no buffer is returned early
  std::size_t extent_ = 0;       // of the next piece
  std::uint64_t offset_ = 0;
  std::size_t next_slot_ = 0, slots_taken_ = 0;  // slots are acquired and released in rotation
  std::uint64_t bytes_ahead_ = 0;
};

// Writes the pieces of an entry. Copying into staging memory and the checksums take a core several times as long as the
// device's copy, so a few threads do it, each with one slot; a piece's checksum is taken while the device copies it.
class PiecesIn {
 public:
  PiecesIn(DeviceMemory& memory, CopyMeter& meter, DeviceEntry& entry, std::span<const std::byte> bytes,
           Staging& staging, const std::atomic<bool>& cancelled)
      : memory_(memory),
        meter_(meter),
        entry_(entry),
        bytes_(bytes),
        staging_(staging),
        cancelled_(cancelled),
        count_((bytes.size() + Staging::slot_bytes - 1) / Staging::slot_bytes) {
    entry_.sums().resize(count_);
  }

  Status write() {
    const std::size_t cores = std::max(2U, std::thread::hardware_concurrency()) / 2;  // the model needs some, too
    const std::size_t threads = std::min({count_, Staging::slot_count, cores});
    std::vector<Status> ended(threads);
    {
      std::vector<std::jthread> others;
      for (std::size_t slot = 1; slot < threads; ++slot)
        others.emplace_back([this, slot, &ended] { ended[slot] = write_from(slot); });
      if (threads > 0) ended[0] = write_from(0);
    }
    for (Status& status : ended) KV_TRY(std::move(status));
    return {};
  }

 private:
  Status write_from(std::size_t slot) {
    for (std::size_t piece = next_++; piece < count_ && !cancelled_ && !failed_; piece = next_++) {
      Status written = write_piece(piece, staging_.slot(slot));
      if (written) continue;
      failed_ = true;
      return written;
    }
    return {};
  }
  Status write_piece(std::size_t piece, std::span<std::byte> slot) {
    const std::uint64_t offset = piece * Staging::slot_bytes;
    const std::span<const std::byte> part =
        bytes_.subspan(offset, std::min<std::uint64_t>(Staging::slot_bytes, bytes_.size() - offset));
    const std::span<std::byte> staged = slot.first(part.size());
    memory_.note_host_access(staged, HostAccess::writes);
    copy_past_caches(staged, part);
    KV_ASSIGN(PieceCopies copies, PieceCopies::in(memory_, entry_.runs(), offset, staged));
    entry_.sums()[piece] = leaf_sum_of(part);
    return copies.wait(&meter_);
  }

  DeviceMemory& memory_;
  CopyMeter& meter_;
  DeviceEntry& entry_;
  std::span<const std::byte> bytes_;
  Staging& staging_;
  const std::atomic<bool>& cancelled_;
  std::size_t count_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> failed_ = false;
};

}  // namespace

Expected<std::unique_ptr<EntryStore>> DeviceStore::open(std::string name, std::shared_ptr<DeviceMemory> memory,
                                                        std::shared_ptr<DevicePool> pool,
                                                        std::shared_ptr<CopyMeter> meter,
                                                        std::optional<ResidentPool> resident) {
  std::unique_ptr<DeviceStore> store(
      new DeviceStore(std::move(name), std::move(memory), std::move(pool), std::move(meter), std::move(resident)));
  for (std::unique_ptr<Staging>* staging : {&store->writing_, &store->reading_}) {
    KV_ASSIGN(auto opened, Staging::open(*store->memory_));
    *staging = std::move(opened);
  }
  return store;
}

TierDescription DeviceStore::describe() const {
  std::string note = memory_->info().name;
  if (!writing_->pinned()) note += "; host memory could not be pinned, copies are slower";
  return {name_, "device memory", false, std::move(note)};
}

Expected<std::shared_ptr<StoredEntry>> DeviceStore::put(const EntryInfo& info, std::span<const std::byte> bytes,
                                                        const std::atomic<bool>& cancelled) {
  if (resident_)
    if (auto image = BlockImage::of(bytes, resident_->blocks.form))
      return put_resident(info, bytes, std::move(*image), cancelled);
  auto runs = pool_->allocate(bytes.size());
  if (!runs) return tl::unexpected(said(std::move(runs).error()));
  auto entry = std::make_shared<DeviceEntry>(info, pool_, std::move(*runs));
  PiecesIn pieces(*memory_, *meter_, *entry, bytes, *writing_, cancelled);
  const Status written = pieces.write();
  if (cancelled) return fail(ErrorCode::cancelled, name_ + ": cancelled");
  if (!written) return tl::unexpected(said(written.error()));
  return entry;
}

Expected<std::shared_ptr<StoredEntry>> DeviceStore::put_resident(const EntryInfo& info,
                                                                 std::span<const std::byte> bytes, BlockImage image,
                                                                 const std::atomic<bool>& cancelled) {
  auto runs = resident_->pool->allocate(ResidentEntry::held_bytes_of(image));
  if (!runs) return tl::unexpected(said(std::move(runs).error()));
  auto entry = std::make_shared<ResidentEntry>(info, *resident_, std::move(*runs), std::move(image));
  const Status written = write_resident({*memory_, *meter_, *writing_}, *entry, bytes, cancelled);
  if (cancelled) return fail(ErrorCode::cancelled, name_ + ": cancelled");
  if (!written) return tl::unexpected(said(written.error()));
  return entry;
}

std::shared_ptr<const DeviceResidency> DeviceStore::residency(const std::shared_ptr<StoredEntry>& entry) const {
  return std::dynamic_pointer_cast<const ResidentEntry>(entry);
}

TransferStatus DeviceStore::read(const StoredEntry& stored, ReadSink& sink) {
  if (const auto* const resident = dynamic_cast<const ResidentEntry*>(&stored))
    return read_as_bytes({*memory_, *meter_, *reading_}, *resident, sink, name_);
  const auto& entry = static_cast<const DeviceEntry&>(stored);
  const auto failed = [&](const Error& error) {
    return fail_transfer(MissReason::device, error.code, said(error).message);
  };
  PiecesAhead pieces(*memory_, entry, sink, *reading_);
  Instant before = now();
  if (const Status begun = pieces.fill(); !begun) return failed(begun.error());
  while (!pieces.empty()) {
    Piece& piece = pieces.front();
    if (const Status landed = piece.copies.wait(meter_.get()); !landed) return failed(landed.error());
    const ReadExtent& extent = sink.extents()[piece.extent];
    const std::span<std::byte> target = sink.target(piece.extent).first(extent.bytes);
    if (piece.slot) {
      const std::span<std::byte> staged = reading_->slot(*piece.slot).first(piece.bytes);
      memory_->note_host_access(staged, HostAccess::reads);
      std::memcpy(target.data() + piece.offset, staged.data(), staged.size());
    }
    const bool whole = piece.last;
    const std::size_t index = piece.extent;
    pieces.pop_front();
    if (const Status begun = pieces.fill(); !begun) return failed(begun.error());
    if (sink.cancelled()) return fail_transfer(MissReason::cancelled, ErrorCode::cancelled, name_ + ": cancelled");
    if (!whole) continue;
    const Instant there = now();
    memory_->note_host_access(target, HostAccess::reads);
    if (!entry.intact(extent, target))
      return fail_transfer(MissReason::checksum, ErrorCode::corrupt,
                           name_ + ": entry " + entry.info().key.hex() + ": the bytes read differ from those written");
    sink.finish(index, between(before, there), between(there, now()));
    before = there;
  }
  return {};
}

TransferStatus DeviceStore::verify(const StoredEntry& stored) {
  const auto changed = [&] {
    return fail_transfer(MissReason::checksum, ErrorCode::corrupt,
                         name_ + ": entry " + stored.info().key.hex() + ": its device memory changed unexpectedly");
  };
  if (const auto* const resident = dynamic_cast<const ResidentEntry*>(&stored)) {
    const auto blocks = memory_->changed_blocks(resident->checked());
    if (!blocks) return fail_transfer(MissReason::device, blocks.error().code, said(blocks.error()).message);
    return *blocks == 0 ? TransferStatus() : changed();
  }
  const auto& entry = static_cast<const DeviceEntry&>(stored);
  const std::uint64_t bytes = entry.info().bytes;
  for (std::uint64_t offset = 0; offset < bytes; offset += DeviceEntry::summed_bytes) {
    const auto sum =
        leaf_sum_on_device(*memory_, entry.runs(), offset, std::min(DeviceEntry::summed_bytes, bytes - offset));
    if (!sum) return fail_transfer(MissReason::device, sum.error().code, said(sum.error()).message);
    if (*sum != entry.sum_at(offset)) return changed();
  }
  return {};
}

PoolCounts DeviceStore::counts() const {
  return resident_ ? pool_->counts() + resident_->pool->counts() : pool_->counts();
}

std::uint64_t DeviceStore::reusable_bytes() const {
  const PoolCounts all = counts();
  return all.held - all.used;
}

std::optional<DeviceGauges> DeviceStore::device_gauges() const { return gauges_of(*memory_, counts(), *meter_); }

DeviceGauges gauges_of(const DeviceMemory& memory, const PoolCounts& counts, const CopyMeter& meter) {
  DeviceGauges gauges;
  gauges.memory_bytes = memory.info().memory_bytes;
  gauges.free_bytes = memory.free_bytes();
  gauges.held_bytes = counts.held;
  gauges.used_bytes = counts.used;
  meter.fill(gauges);
  return gauges;
}

}  // namespace kvantage::gpu
