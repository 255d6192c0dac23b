// The device that a Transformer delegates its passes to: the model on a device, implementing core/model/model_device.h.
// A host cache has its DeviceCache in device_rows().
#pragma once

#include "core/model/model_device.h"
#include "gpu/model/device_decode.h"

namespace kvantage::gpu {

class PassDevice final : public ModelDevice {
 public:
  /// Weights, streams and `decode` must outlive it. `description`: as GpuModel's.
  PassDevice(const DeviceWeights& weights, std::shared_ptr<CacheArena> arena, const DeviceStreams& streams,
             DeviceDecode& decode);

  std::string description() const override;
  int numerics_version() const override;
  std::unique_ptr<Prefill> prefill(KvCache& cache, std::vector<std::int32_t> tokens, std::int32_t first_position,
                                   const PrefillOptions& options) override;
  Expected<std::vector<float>> decode(std::span<const DecodeSequence> sequences) override;
  std::optional<DeviceBlocks> blocks() const override { return arena_->blocks(); }
  Status attach(std::shared_ptr<const DeviceResidency> stored, KvCache& cache) override;
  ModelDeviceGauges gauges() const override;

 private:
  /// The device's cache for the sequence, uploaded if absent, with space for one more token.
  Expected<std::shared_ptr<DeviceCache>> cache_behind(const DecodeSequence& sequence);

  const DeviceWeights& weights_;
  std::shared_ptr<CacheArena> arena_;
  const DeviceStreams& streams_;
  DeviceDecode& decode_;
  std::string name_;  // of the device
};

}  // namespace kvantage::gpu
