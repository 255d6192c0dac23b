#include "core/request/resident_hit_stage.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/compress/method.h"
#include "core/model/model_device.h"

namespace kvantage::inline requests {

ResidentEntries* resident_entries(const ModelRuntime& runtime, StorageTier& tier, const Digest128& key) {
  const ModelDevice* const device = runtime.model->device();
  ResidentEntries* const entries = device == nullptr ? nullptr : tier.resident();
  if (entries == nullptr) return nullptr;
  const auto blocks = device->blocks();
  const auto cache = entries->residency(key);
  return blocks && cache != nullptr && cache->blocks() == *blocks ? entries : nullptr;
}

Expected<double> resident_seconds(ModelRuntime& runtime, ResidentEntries& entries, const Digest128& key,
                                  const Clock& clock) {
  KvCache target(*runtime.pool);
  const std::int64_t start = clock.monotonic_ns();
  const ResidentRead read = entries.read_resident(key);
  KV_TRY(read.status);
  KV_TRY(runtime.model->device()->attach(read.cache, target));
  return static_cast<double>(clock.monotonic_ns() - start) * 1e-9;
}

std::unique_ptr<ResidentHitStage> ResidentHitStage::begin(RequestState& state, const CacheHit& hit) {
  if (state.runtime.model->device() == nullptr) return nullptr;
  if (hit.choice != nullptr || hit.header == nullptr || hit.place.bytes_in_flight != nullptr) return nullptr;
  if (state.input.decode_eviction != nullptr || state.input.decode_offload != nullptr) return nullptr;
  if (!std::ranges::equal(hit.header->token_ids, state.input.context_tokens)) return nullptr;
  const auto method = parse_stored_method(hit.method);
  if (!method || (*method)->info().rerotates || state.runtime.model->config().has_windows()) return nullptr;
  ResidentEntries* const entries = resident_entries(state.runtime, *hit.place.tier, hit.info.key);
  if (entries == nullptr) return nullptr;
  return std::unique_ptr<ResidentHitStage>(new ResidentHitStage(state, hit, *entries));
}

Status ResidentHitStage::poll(double /*wait_seconds*/, int /*layers*/) {
  const std::int64_t start = state_.clock.monotonic_ns();
  ResidentRead read = entries_.read_resident(hit_.info.key);
  device_seconds_ = waited_since(start);
  if (read.status)
    read_ = std::move(read);
  else
    miss({read.status.error(), read.miss_reason});
  return {};
}

// When it ends, copies within the device are still in flight, beside whatever computes there.
Status ResidentHitStage::compute() {
  const std::int64_t start = state_.clock.monotonic_ns();
  const Status attached = state_.runtime.model->device()->attach(read_->cache, state_.cache);
  const double seconds = waited_since(start);
  if (!attached && attached.error().code == ErrorCode::no_space) return attached;  // not a fault of the entry
  if (!attached) {
    miss({attached.error(), {}});
    return {};
  }
  device_seconds_ += seconds;
  const std::vector<int> kept = read_->cache->kept();
  state_.resident.emplace(
      ResidentContext{state_.cache.share(), std::accumulate(kept.begin(), kept.end(), std::size_t{0})});
  read_.reset();
  next_ = Next::question;
  return {};
}

double ResidentHitStage::waited_since(std::int64_t start_ns) {
  const std::int64_t end = state_.clock.monotonic_ns();
  state_.timing().load_seconds += state_.spans.add(RequestSpan::Kind::wait, start_ns, end);
  return static_cast<double>(end - start_ns) * 1e-9;
}

void ResidentHitStage::fill_in(CacheUse& use) {
  use.source = hit_.place.tier_name;
  use.miss_reason.clear();
  use.method = hit_.method;
  use.removed_fraction = hit_.removed_fraction;
  use.bytes_loaded = hit_.header->entry_bytes - hit_.header->header_bytes;
  use.timing.device_seconds = device_seconds_;
  use.prefix_hit_tokens = static_cast<int>(hit_.prefix_tokens);
  use.provenance = Provenance::measured;
  load_sample_ = {.bytes = use.bytes_loaded,
                  .kept_tokens = use.kept_tokens,
                  .device_seconds = device_seconds_,
                  .decode_seconds = 0};
}

}  // namespace kvantage::inline requests
