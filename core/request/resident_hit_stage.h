// Serves a request from an entry that is in the memory of the device that computes the model: the device verifies it
// and copies its blocks into the request's. No row passes through host memory.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/ports/device_residency.h"
#include "core/request/hit_stage.h"

namespace kvantage::inline requests {

/// The tier's entries in blocks, if this one is in those of the device that computes the model; null: its bytes are
/// read.
ResidentEntries* resident_entries(const ModelRuntime& runtime, StorageTier& tier, const Digest128& key);

/// Reads such an entry into an empty cache, as a hit does, and drops it: seconds until passes over it can begin.
/// Errors: those of the read, and no_space.
Expected<double> resident_seconds(ModelRuntime& runtime, ResidentEntries& entries, const Digest128& key,
                                  const Clock& clock);

class ResidentHitStage final : public HitStage {
 public:
  /// Null: load the hit. So for entries in another memory, of which a part is needed, or whose rows change after
  /// reading.
  static std::unique_ptr<ResidentHitStage> begin(RequestState& state, const CacheHit& hit);

  /// First the read, then the copy: one that finds no space is tried again without another read.
  RequestNeed needs() const override { return read_ ? RequestNeed::compute : RequestNeed::bytes; }
  Status poll(double wait_seconds, int layers) override;
  /// no_space: the device's memory for caches is full.
  Status compute() override;
  bool has_layer(int /*layer*/) const override { return next_ == Next::question; }
  bool reading() const override { return next_ == Next::this_stage; }
  void fill_in(CacheUse& use) override;

 private:
  ResidentHitStage(RequestState& state, const CacheHit& hit, ResidentEntries& entries)
      : HitStage(hit), state_(state), entries_(entries) {}
  /// Records that the request waited from then on: seconds.
  double waited_since(std::int64_t start_ns);

  RequestState& state_;
  ResidentEntries& entries_;
  std::optional<ResidentRead> read_;  // while its blocks are not the request's
  double device_seconds_ = 0;
};

}  // namespace kvantage::inline requests
