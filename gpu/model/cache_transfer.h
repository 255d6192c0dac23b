// Rows between the ragged KvCache of the host and a sequence's cache on a device.
#pragma once

#include <array>

#include "core/kv/kv_cache.h"
#include "gpu/model/context_image.h"

namespace kvantage::gpu {

/// GpuModel::upload() layer by layer, each as soon as the host's cache has it: through two layers of page-locked
/// memory, gathered by the calling thread while the layer before is on its way. All three outlive it.
class CacheUpload {
 public:
  /// `to` is empty.
  CacheUpload(const KvCache& from, const DeviceStreams& streams, DeviceCache& to)
      : from_(from), streams_(streams), to_(to) {}
  /// Layers in their order. Errors: as GpuModel::upload(); the same layer may be tried again.
  Status next();
  bool done() const { return layer_ == to_.arena().layers(); }

 private:
  const KvCache& from_;
  const DeviceStreams& streams_;
  DeviceCache& to_;
  int layer_ = 0;
  std::array<at::Tensor, 2> staging_;
};

/// As GpuModel::upload().
Status upload_cache(const KvCache& from, const DeviceStreams& streams, DeviceCache& to);
/// As GpuModel::download().
Status download_rows(const DeviceCache& from, const DeviceStreams& streams, KvCache& to);
/// As GpuModel::load().
Status load_image(HostImage& image, const DeviceStreams& streams, DeviceCache& to, const FillLayer& fill);

}  // namespace kvantage::gpu
