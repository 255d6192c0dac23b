// Loads a stored entry layer by layer, with the question's prefill following. A prefix of the context is loaded
// completely before the rest is computed.
#pragma once

#include <memory>

#include "core/request/hit_stage.h"

namespace kvantage::inline requests {

class LoadStage final : public HitStage {
 public:
  /// load: reads the hit's entry.
  LoadStage(RequestState& state, CacheHit hit, std::unique_ptr<LoadTask> load);

  Status poll(double wait_seconds, int layers) override;
  bool has_layer(int layer) const override { return layer < restored_layers_; }
  bool reading() const override { return load_ != nullptr; }
  void fill_in(CacheUse& use) override;

 private:
  Status use_header();
  void use_prefix();
  void note_unseen_rows(std::uint64_t held, std::size_t tokens);
  Status restore_arrived(int layers);
  void note_arrivals();

  RequestState& state_;
  InputsReader inputs_;
  std::unique_ptr<LoadTask> load_;
  int restored_layers_ = 0;
  std::size_t noted_arrivals_ = 0;  // of load_, already recorded
  std::int64_t waiting_since_ns_ = 0;
};

}  // namespace kvantage::inline requests
