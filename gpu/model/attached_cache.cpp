#include "gpu/model/attached_cache.h"

#include <algorithm>
#include <cstring>

#include "gpu/kernels/gather_paged.h"

namespace kvantage::gpu {
namespace {

/// Host numbers on the device, by the current stream. Page-locked before, so that the thread does not wait.
template <class T>
at::Tensor there(const std::vector<T>& numbers, at::ScalarType type, at::Device device) {
  const at::Tensor host =
      at::empty({static_cast<std::int64_t>(numbers.size())}, at::TensorOptions(type).pinned_memory(device.is_cuda()));
  if (!numbers.empty()) std::memcpy(host.mutable_data_ptr(), numbers.data(), numbers.size() * sizeof(T));
  return host.to(device, type, true);
}

}  // namespace

Expected<std::shared_ptr<DeviceCache>> attached_cache(const std::shared_ptr<CacheArena>& arena,
                                                      const DeviceStreams& streams,
                                                      std::shared_ptr<const DeviceResidency> stored) {
  const std::vector<int> kept = stored->kept();
  if (stored->blocks() != arena->blocks() ||
      kept.size() != static_cast<std::size_t>(arena->layers() * arena->kv_heads()))
    return fail(ErrorCode::rejected_input,
                "the stored cache is in another memory or of another model than this device's; load its bytes");
  auto cache = std::make_shared<DeviceCache>(arena);
  KV_TRY(cache->lay_out(kept, stored->sequence_length()));
  std::vector<std::uint64_t> from;
  std::vector<std::int32_t> to;
  for (int layer = 0; layer < arena->layers(); ++layer) {
    const std::vector<std::uint64_t> sources = stored->addresses(layer);
    from.insert(from.end(), sources.begin(), sources.end());
    for (int h = 0; h < arena->kv_heads(); ++h)
      to.insert(to.end(), cache->head(layer, h).blocks.begin(), cache->head(layer, h).blocks.end());
  }
  if (from.size() != to.size())
    return fail(ErrorCode::internal, "the stored cache has " + std::to_string(from.size()) + " blocks for " +
                                         std::to_string(to.size()) + " that its rows need");
  cache->hold(std::move(stored));
  streams.copies_wait();
  const c10::OptionalStreamGuard guard(streams.copying());
  const at::Tensor sources = there(from, at::kLong, arena->device()), targets = there(to, at::kInt, arena->device());
  const auto* const source = reinterpret_cast<const std::uint64_t*>(sources.const_data_ptr<std::int64_t>());
  const auto* const target = targets.const_data_ptr<std::int32_t>();
  KV_TRY(launch_copy_blocks({source, target, static_cast<int>(from.size())}, arena->planes().arena,
                            arena->block_bytes(), streams.copy_handle()));
  for (CopyMark& mark : cache->copied) mark.record(streams);
  return cache;
}

}  // namespace kvantage::gpu
