// A sequence's cache from one in blocks of the same memory: an entry of a tier there, or another cache of the device.
#pragma once

#include <memory>

#include "gpu/model/device_cache.h"

namespace kvantage::gpu {

/// Copies the blocks in the copy stream, behind present work of the compute stream; copied[layer] marks their end.
/// The cache holds `stored`. rejected_input: it is in another memory, or has other blocks or heads; no_space: fewer
/// blocks are free.
Expected<std::shared_ptr<DeviceCache>> attached_cache(const std::shared_ptr<CacheArena>& arena,
                                                      const DeviceStreams& streams,
                                                      std::shared_ptr<const DeviceResidency> stored);

}  // namespace kvantage::gpu
