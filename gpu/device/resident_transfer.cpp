#include "gpu/device/resident_transfer.h"

#include <array>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "gpu/device/piece_copies.h"
#include "gpu/device/staged_copy.h"

namespace kvantage::gpu {
namespace {

/// Copies bytes into an entry, in order: one slot of the staging memory is filled while others are copied.
class StagedWrites {
 public:
  StagedWrites(const StagedDevice& device, const DeviceRuns& runs) : device_(device), runs_(runs) {}

  Status add(std::uint64_t offset, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const std::size_t slot = next_++ % Staging::slot_count;
      KV_TRY(finish(slot));
      const auto part = bytes.first(std::min(Staging::slot_bytes, bytes.size()));
      const std::span<std::byte> staged = device_.staging.slot(slot).first(part.size());
      device_.memory.note_host_access(staged, HostAccess::writes);
      copy_past_caches(staged, part);
      KV_ASSIGN(auto copies, PieceCopies::in(device_.memory, runs_, offset, staged));
      in_flight_[slot].emplace(std::move(copies));
      offset += part.size();
      bytes = bytes.subspan(part.size());
    }
    return {};
  }
  Status finish() {
    for (std::size_t slot = 0; slot < in_flight_.size(); ++slot) KV_TRY(finish(slot));
    return {};
  }

 private:
  Status finish(std::size_t slot) {
    if (!in_flight_[slot]) return {};
    Status landed = in_flight_[slot]->wait(&device_.meter);
    in_flight_[slot].reset();
    return landed;
  }

  const StagedDevice& device_;
  const DeviceRuns& runs_;
  std::array<std::optional<PieceCopies>, Staging::slot_count> in_flight_;
  std::size_t next_ = 0;
};

/// Bytes [offset, offset + target.size()) of an entry, with as many pieces in flight as there are slots.
Status fetch(const StagedDevice& device, const DeviceRuns& runs, std::uint64_t offset, std::span<std::byte> target) {
  std::array<std::optional<PieceCopies>, Staging::slot_count> in_flight;
  const auto piece = [&](std::size_t index) {
    const std::size_t at = index * Staging::slot_bytes;
    return target.subspan(at, std::min(Staging::slot_bytes, target.size() - at));
  };
  const std::size_t pieces = (target.size() + Staging::slot_bytes - 1) / Staging::slot_bytes;
  std::size_t begun = 0;
  for (std::size_t landed = 0; landed < pieces; ++landed) {
    for (; begun < pieces && begun < landed + Staging::slot_count; ++begun) {
      const std::span<std::byte> staged = device.staging.slot(begun).first(piece(begun).size());
      KV_ASSIGN(auto copies, PieceCopies::out(device.memory, runs, offset + begun * Staging::slot_bytes, staged));
      in_flight[begun % Staging::slot_count].emplace(std::move(copies));
    }
    auto& copies = in_flight[landed % Staging::slot_count];
    KV_TRY(copies->wait(&device.meter));
    copies.reset();
    const std::span<std::byte> part = piece(landed), staged = device.staging.slot(landed).first(part.size());
    device.memory.note_host_access(staged, HostAccess::reads);
    std::memcpy(part.data(), staged.data(), part.size());
  }
  return {};
}

/// The bytes of an entry as others store it: made from its blocks, the layer that was read last kept.
class EntryBytes {
 public:
  EntryBytes(const StagedDevice& device, const ResidentEntry& entry, const Clock& clock)
      : device_(device), entry_(entry), clock_(clock) {}

  /// Copies the entry's bytes from `offset` on. io: the device failed; corrupt: blocks differ from those written.
  Status copy(std::uint64_t offset, std::span<std::byte> target) {
    const EntryHeader& header = entry_.image().header();
    if (offset < header.header_bytes) take(0, header_block(header), offset, target);
    for (int layer = 0; layer < header.shape.layers; ++layer) {
      const auto range = header.layer_range(layer);
      if (range.second <= offset || range.first >= offset + target.size()) continue;
      KV_TRY(read_layer(layer));
      take(range.first, bytes_, offset, target);
    }
    return {};
  }
  /// Since the last call.
  double take_verify_seconds() { return std::exchange(verify_seconds_, 0); }

 private:
  /// What `bytes`, which begin at `from` of the entry, and the target have in common.
  static void take(std::uint64_t from, std::span<const std::byte> bytes, std::uint64_t offset,
                   std::span<std::byte> target) {
    const std::uint64_t begin = std::max(from, offset), end = std::min(from + bytes.size(), offset + target.size());
    if (begin < end) std::memcpy(target.data() + (begin - offset), bytes.data() + (begin - from), end - begin);
  }
  Status read_layer(int layer) {
    if (held_ == layer) return {};
    const BlockImage& image = entry_.image();
    const std::uint64_t block = image.form().block_bytes;
    std::vector<std::byte> blocks(image.blocks(layer) * block);
    KV_TRY(fetch(device_, entry_.runs(), image.first_block(layer) * block, blocks));
    const double landed = clock_.seconds();
    KV_ASSIGN(bytes_, image.layer_bytes(layer, blocks));
    held_ = layer;
    verify_seconds_ += clock_.seconds() - landed;
    return {};
  }

  const StagedDevice& device_;
  const ResidentEntry& entry_;
  const Clock& clock_;
  int held_ = -1;
  std::vector<std::byte> bytes_;
  double verify_seconds_ = 0;
};

}  // namespace

Status write_resident(const StagedDevice& device, const ResidentEntry& entry, std::span<const std::byte> bytes,
                      const std::atomic<bool>& cancelled) {
  const BlockImage& image = entry.image();
  const std::uint64_t block = image.form().block_bytes;
  std::vector<std::uint64_t> sums;
  sums.reserve(image.blocks());
  StagedWrites writes(device, entry.runs());
  for (int layer = 0; layer < image.header().shape.layers && !cancelled; ++layer) {
    KV_ASSIGN(const auto blocks, image.layer_blocks(layer, bytes));
    for (std::size_t at = 0; at < blocks.size(); at += block)
      sums.push_back(checksum_of(std::span(blocks).subspan(at, block)));
    KV_TRY(writes.add(image.first_block(layer) * block, blocks));
  }
  if (!cancelled) KV_TRY(writes.add(entry.sums_at(), std::as_bytes(std::span(sums))));
  return writes.finish();
}

TransferStatus read_as_bytes(const StagedDevice& device, const ResidentEntry& entry, ReadSink& sink,
                             const std::string& tier_name) {
  const std::string name = tier_name + ": ";
  const auto changed = [&] {
    return fail_transfer(MissReason::checksum, ErrorCode::corrupt,
                         name + "entry " + entry.info().key.hex() + ": the bytes read differ from those written");
  };
  EntryBytes bytes(device, entry, sink.clock());
  for (std::size_t index = 0; index < sink.extents().size(); ++index) {
    const double start = sink.clock().seconds();
    const ReadExtent& extent = sink.extents()[index];
    const std::span<std::byte> target = sink.target(index).first(extent.bytes);
    if (sink.cancelled()) return fail_transfer(MissReason::cancelled, ErrorCode::cancelled, name + "cancelled");
    if (const Status copied = bytes.copy(extent.offset, target); !copied) {
      if (copied.error().code == ErrorCode::corrupt) return changed();
      return fail_transfer(MissReason::device, copied.error().code, name + copied.error().message);
    }
    const double there = sink.clock().seconds(), verified = bytes.take_verify_seconds();
    for (const ReadExtent::Piece& piece : extent.pieces)
      if (checksum_of(target.subspan(piece.offset - extent.offset, piece.bytes)) != piece.checksum) return changed();
    sink.finish(index, there - start - verified, verified + (sink.clock().seconds() - there));
  }
  return {};
}

}  // namespace kvantage::gpu
