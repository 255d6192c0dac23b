// The result of a successful lookup.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/kv/serial.h"
#include "core/ports/storage_tier.h"
#include "core/request/load_task.h"

namespace kvantage::inline requests {

class ChunkCopies;
struct ComputeOrLoadChoice;

/// Source of a hit's bytes.
struct HitPlace {
  StorageTier* tier = nullptr;
  std::string tier_name;
  bool throttled = false;
  /// Set while the entry is being written: its bytes are read from here instead of the tier.
  std::shared_ptr<const std::vector<std::byte>> bytes_in_flight = {};
  ChunkCopies* copies = nullptr;  // of its chunks on faster tiers; null: none
};

/// A stored entry that serves a request: the whole context or a prefix of it.
struct CacheHit {
  HitPlace place;
  EntryInfo info;
  std::shared_ptr<const EntryHeader> header;  // null: not read yet
  std::string method = "none";
  double removed_fraction = 0;
  std::size_t context = 0;  // owner of the entry; a prefix hit belongs to another context than the requested one
  std::size_t prefix_tokens = 0;
  std::shared_ptr<const std::vector<std::byte>> kept_map = {};  // as in ContextDetails
  std::shared_ptr<const ComputeOrLoadChoice> choice = {};       // hybrid prefill; null: load it alone
  /// As LoadTask::on_loss.
  std::function<void(const ReadFailure&)> on_loss = {};
  std::unique_ptr<LoadTask> load(BufferLender& lender) const;
};

}  // namespace kvantage::inline requests
