// Hybrid prefill of a stored context: its front is computed, one layer of one chunk per step, while a thread loads its
// back (core/load/load_or_compute.h).
#pragma once

#include <memory>
#include <optional>

#include "core/load/load_or_compute.h"
#include "core/request/hit_stage.h"

namespace kvantage::inline requests {

class HybridPrefillStage final : public HitStage {
 public:
  /// Starts both sides. Null: load the hit instead, because it was not chosen or cannot start; loading then reports the
  /// reason.
  static std::unique_ptr<HybridPrefillStage> begin(RequestState& state, const CacheHit& hit, BufferLender& lender);

  RequestNeed needs() const override;
  Status poll(double wait_seconds, int layers) override;
  Status compute() override;
  bool has_layer(int /*layer*/) const override { return next_ == Next::question; }
  bool reading() const override { return task_ != nullptr; }
  void fill_in(CacheUse& use) override;

 private:
  HybridPrefillStage(RequestState& state, const CacheHit& hit, std::unique_ptr<HybridPrefillTask> task,
                     std::int64_t start_ns);
  Status wait_for_bytes(double wait_seconds);
  Status unpack_piece();
  void end();
  Status give_up(const Status& status);
  void fill_in_computed(CacheUse& use) const;
  LoadSample sample_of(const CacheUse& use) const;

  RequestState& state_;
  std::unique_ptr<HybridPrefillTask> task_;
  ComputedOrLoaded result_;  // after completion
  std::int64_t start_ns_;
  std::int64_t waiting_since_ns_ = 0;
};

}  // namespace kvantage::inline requests
