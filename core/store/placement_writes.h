// Writes in flight. From submission to completion a context counts as placed, so that policies decide on the future
// state; readers use the memory that is being written.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "core/base/clock.h"
#include "core/policy/actions.h"
#include "core/ports/storage_tier.h"
#include "core/store/serialized_entry.h"

namespace kvantage::inline store {

struct PlacementWrite {
  std::size_t context = 0;
  PlacementAction action;
  std::int64_t start_ns = 0;
  StorageTier* tier = nullptr;
  SerializedEntry entry;
  bool superseded = false;
};

class PlacementWrites {
 public:
  /// Limit of bytes in memory.
  void set_max_bytes(std::uint64_t bytes) { max_bytes_ = bytes; }
  std::uint64_t max_bytes() const { return max_bytes_; }
  bool empty() const { return writes_.empty(); }
  void add(Ticket ticket, PlacementWrite write) { writes_[ticket] = std::move(write); }
  /// Removes and returns the write of a completed ticket; nothing if it is not one of these.
  std::optional<PlacementWrite> take(Ticket ticket);
  /// At most one per context; null: none.
  const PlacementWrite* of(std::size_t context) const;

  std::uint64_t bytes() const;
  bool has_room() const { return bytes() < max_bytes_; }
  /// Bytes on a tier, including writes in flight, since their contexts count as placed.
  std::uint64_t bytes_placed(const StorageTier& tier) const;

  /// Cancels the write because another placement of the context replaces it.
  void supersede(std::size_t context);
  void give_up_all();

 private:
  std::map<Ticket, PlacementWrite> writes_;
  std::uint64_t max_bytes_ = std::uint64_t{256} << 20;
};

}  // namespace kvantage::inline store
