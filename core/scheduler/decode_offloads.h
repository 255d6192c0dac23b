// What requests under decode_offload share: the setting, its codec, and the model's matrices on the tier where they are
// streamed.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/request/offloaded_decode_stage.h"
#include "core/request/request_state.h"
#include "core/store/engine_services.h"

namespace kvantage::inline scheduler {

class DecodeOffloads {
 public:
  explicit DecodeOffloads(const EngineServices& services) : services_(services) {}

  /// setting: valid, names a tier. frozen: splits use no measured time.
  void use(const std::string& setting, bool frozen);
  /// What is on the tier may be gone, or damaged: the next request writes the matrices again.
  void forget_weights();
  /// Sets decode_offload of a request, or its record of why it is served without. again: a try with it has failed.
  void apply(bool again, RequestInput& input);

 private:
  std::shared_ptr<OffloadedColumn> column(StorageTier& tier);
  /// Why the matrices are not there; empty: they are, or are not needed.
  std::string write_weights(StorageTier& tier);

  EngineServices services_;
  std::optional<DecodeOffloadSetting> setting_;
  std::shared_ptr<const Codec> codec_;
  std::shared_ptr<OffloadedWeights> weights_;  // of all requests, written for the first of them
  std::shared_ptr<OffloadedColumn> column_;    // of the requests that decode together; null: not yet, or separate
  std::shared_ptr<OffloadedPeers> peers_ = std::make_shared<OffloadedPeers>();  // of those that decode separately
  std::string refusal_;  // the last write failed: not tried again until something changes
  bool frozen_ = false;
};

}  // namespace kvantage::inline scheduler
