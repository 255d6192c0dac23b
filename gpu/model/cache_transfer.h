// Rows between the ragged KvCache of the host and a sequence's cache on a device.
#pragma once

#include "core/kv/kv_cache.h"
#include "gpu/model/context_image.h"

namespace kvantage::gpu {

/// As GpuModel::upload(): through two layers of page-locked memory, gathered by the calling thread while the layer before is on its way.
Status upload_cache(const KvCache& from, const DeviceStreams& streams, DeviceCache& to);
/// As GpuModel::download().
Status download_rows(const DeviceCache& from, const DeviceStreams& streams, KvCache& to);
/// As GpuModel::load().
Status load_image(HostImage& image, const DeviceStreams& streams, DeviceCache& to, const FillLayer& fill);

}  // namespace kvantage::gpu
