// What a Transformer hands its passes to: the model on a device, as core/model/model_device.h has it. A cache of the
// host has a DeviceCache elsewhere().
#pragma once

#include "core/model/model_device.h"
#include "gpu/model/device_decode.h"

namespace kvantage::gpu {

class PassDevice final : public ModelDevice {
 public:
  /// Weights, streams and `decode` outlive it. `description`: as GpuModel's.
  PassDevice(const DeviceWeights& weights, std::shared_ptr<CacheArena> arena, const DeviceStreams& streams,
             DeviceDecode& decode);

  std::string description() const override;
  int numerics_version() const override;
  std::unique_ptr<Prefill> prefill(KvCache& cache, std::vector<std::int32_t> tokens, std::int32_t first_position,
                                   const PrefillOptions& options) override;
  Expected<std::vector<float>> decode(std::span<const DecodeSequence> sequences) override;
  ModelDeviceGauges gauges() const override;

 private:
  /// What the device has of the sequence's cache, copied there where it has nothing, for one token more.
  Expected<std::shared_ptr<DeviceCache>> cache_behind(const DecodeSequence& sequence);

  const DeviceWeights& weights_;
  std::shared_ptr<CacheArena> arena_;
  const DeviceStreams& streams_;
  DeviceDecode& decode_;
  std::string name_;  // of the device
};

}  // namespace kvantage::gpu
