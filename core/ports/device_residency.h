// Where a cache is, for those that copy caches within a device's memory. Live caches on a device and entries of a
// tier in its memory have the same blocks, so that one becomes another by copies of blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/digest.h"
#include "core/base/error.h"

namespace kvantage::inline ports {

/// A block of one KV head: bf16 keys [block_tokens, head_dim], values of the same shape, and int32 positions
/// [block_tokens], as in gpu/kernels/paged_heads.h.
struct CacheBlockForm {
  int block_tokens = 0, head_dim = 0;
  std::uint64_t block_bytes = 0;                  // a multiple of 64
  std::uint64_t values_at = 0, positions_at = 0;  // from its start

  bool operator==(const CacheBlockForm&) const = default;
};

/// The blocks of a device's caches. Where `memory` is equal, addresses of one are valid for the other.
struct DeviceBlocks {
  std::string memory;
  CacheBlockForm form;

  bool operator==(const DeviceBlocks&) const = default;
};

/// A whole cache in blocks of a device's memory.
class DeviceResidency {
 public:
  DeviceResidency() = default;
  DeviceResidency(const DeviceResidency&) = delete;
  DeviceResidency& operator=(const DeviceResidency&) = delete;
  virtual ~DeviceResidency() = default;

  /// Of the device whose memory holds it.
  virtual const DeviceBlocks& blocks() const = 0;
  /// Memory that it holds, alone or with copies of it.
  virtual std::size_t held_bytes() const = 0;
  /// The next token's original position.
  virtual std::int32_t sequence_length() const = 0;
  /// Rows of every head: [layers * kv_heads].
  virtual std::vector<int> kept() const = 0;
  /// Addresses of a layer's blocks, head after head: as many for each as its rows need, dense.
  virtual std::vector<std::uint64_t> addresses(int layer) const = 0;
};

/// A read of a whole entry that stays where it is.
struct ResidentRead {
  std::shared_ptr<const DeviceResidency> cache;  // null: it failed
  Status status;
  std::string miss_reason = {};  // of a failed read: its key in TierStatistics::misses
  double device_seconds = 0;     // of the verification
};

/// Entries of a tier that are in blocks of a device's memory.
class ResidentEntries {
 public:
  virtual ~ResidentEntries() = default;
  /// The entry, unchanged while it is held, whatever becomes of it on the tier. Null: it is not in blocks. Never waits.
  virtual std::shared_ptr<const DeviceResidency> residency(const Digest128& key) const = 0;
  /// The same, once the device has verified every block by its checksum, which the caller waits for. Counts as a read.
  /// An entry that changed is dropped.
  virtual ResidentRead read_resident(const Digest128& key) = 0;
};

}  // namespace kvantage::inline ports
