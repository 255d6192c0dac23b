// Transfers rows between the host's ragged KvCache and a sequence's cache on a device.
#pragma once

#include <array>

#include "core/kv/kv_cache.h"
#include "gpu/model/context_image.h"

namespace kvantage::gpu {

/// GpuModel::upload() layer by layer, each as soon as it is in the host's cache: through two page-locked layer buffers,
/// gathered by the calling thread while the previous layer is copied. All three must outlive it.
class CacheUpload {
 public:
  /// `to` must be empty.
  CacheUpload(const KvCache& from, const DeviceStreams& streams, DeviceCache& to)
      : from_(from), streams_(streams), to_(to) {}
  /// Uploads the next layer, in order. Errors: as GpuModel::upload(); the same layer can be retried.
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
