#include "gpu/model/pass_device.h"

#include "core/base/units.h"
#include "gpu/kernels/device.h"
#include "gpu/model/attached_cache.h"
#include "gpu/model/cache_transfer.h"
#include "gpu/model/device_prefill.h"

namespace kvantage::gpu {
namespace {

/// Increment on any change of the device's results.
constexpr int revision = 2;
/// Beyond the range of CPU numerics versions.
constexpr int of_devices = 1 << 30;

using SharedCache = std::shared_ptr<DeviceCache>;

/// Null: it has none there.
SharedCache device_cache_of(const KvCache& host) { return std::dynamic_pointer_cast<DeviceCache>(host.device_rows()); }

/// A writable cache owned by the host cache: copies that share the rows keep them.
SharedCache to_write(KvCache& host, const DeviceStreams& streams) {
  SharedCache there = device_cache_of(host);
  if (!host.shares_device_rows()) return there;
  there = there->fork(streams);
  host.set_own_device_rows(there);
  return there;
}

class DevicePass final : public ModelDevice::Prefill {
 public:
  DevicePass(const DeviceWeights& weights, std::shared_ptr<CacheArena> arena, const DeviceStreams& streams,
             KvCache& host, std::vector<std::int32_t> tokens, std::int32_t first_position,
             const PrefillOptions& options)
      : weights_(weights),
        arena_(std::move(arena)),
        streams_(streams),
        host_(host),
        tokens_(std::move(tokens)),
        first_position_(first_position),
        options_(options) {}

  // Host layers are copied as the steps of the first chunk reach them. The chunk's computed rows follow at once: its
  // tables need every head of every layer.
  Status step(int layer, int chunk) override {
    return streams_.compute([&]() -> Status {
      const int layers = weights_.config.layers;
      if (pass_ == nullptr && upload_ == nullptr) KV_TRY(find_rows());
      if (upload_ != nullptr && !upload_->done()) {
        KV_TRY(upload_->next());
        if (!upload_->done()) return {};
        there_->set_length(first_position_);
        host_.set_device_rows(std::exchange(there_, nullptr));
      }
      if (pass_ == nullptr) KV_TRY(begin());
      // A step without space for the rows it copies back is retried.
      for (; computed_ <= chunk * layers + layer; ++computed_) KV_TRY(pass_->step());
      if (pass_->done()) return finish();
      if (layer + 1 == layers) streams_.synchronize();
      return {};
    });
  }

  std::vector<float> take_logits() override { return std::move(logits_); }
  WindowQueries take_window_queries() override { return std::move(window_); }

 private:
  Status find_rows() {
    if (const SharedCache known = device_cache_of(host_)) {
      if (known->sequence_length() == first_position_) return {};
      return fail(ErrorCode::internal, "a pass at position " + std::to_string(first_position_) +
                                           " over a device's cache of " + std::to_string(known->sequence_length()) +
                                           " tokens");
    }
    there_ = std::make_shared<DeviceCache>(arena_);
    if (first_position_ > 0 || host_.kept_rows() > 0)
      upload_ = std::make_unique<CacheUpload>(host_, streams_, *there_);
    else
      host_.set_own_device_rows(std::exchange(there_, nullptr));
    return {};
  }
  Status begin() {
    cache_ = to_write(host_, streams_);
    auto pass = std::make_unique<DevicePrefill>(weights_, streams_, *cache_, options_);
    KV_TRY(pass->begin(tokens_));
    pass_ = std::move(pass);
    return {};
  }
  // Logits first: the caller waits for them.
  Status finish() {
    if (logits_.empty()) logits_ = in_host_memory(pass_->logits());
    if (window_.empty()) window_ = pass_->take_window_queries();
    if (options_.rows_may_stay) {
      host_.set_sequence_length(cache_->sequence_length());
      streams_.synchronize();
      return {};
    }
    KV_TRY(download_rows(*cache_, streams_, host_));
    host_.set_own_device_rows(cache_);  // the change dropped it, but it matches the host cache again
    return {};
  }

  const DeviceWeights& weights_;
  std::shared_ptr<CacheArena> arena_;
  const DeviceStreams& streams_;
  KvCache& host_;
  std::vector<std::int32_t> tokens_;
  std::int32_t first_position_;
  PrefillOptions options_;
  SharedCache there_;  // while its rows are being copied
  SharedCache cache_;
  std::unique_ptr<CacheUpload> upload_;
  std::unique_ptr<DevicePrefill> pass_;
  int computed_ = 0;  // layers, over all chunks
  std::vector<float> logits_;
  WindowQueries window_;
};

}  // namespace

PassDevice::PassDevice(const DeviceWeights& weights, std::shared_ptr<CacheArena> arena, const DeviceStreams& streams,
                       DeviceDecode& decode)
    : weights_(weights),
      arena_(std::move(arena)),
      streams_(streams),
      decode_(decode),
      name_(device_name(std::max<int>(0, weights.device.index()))) {
  if (name_.empty()) name_ = weights_.device.str();
}

ModelDeviceGauges PassDevice::gauges() const {
  return {name_, arena_->held_bytes(), arena_->total_bytes(), streams_.meter().gauge(CopyDirection::to_device),
          streams_.meter().gauge(CopyDirection::from_device)};
}

std::string PassDevice::description() const {
  return "bf16 on " + weights_.device.str() + ", " + format_bytes(weights_.bytes()) + " of weights, decode " +
         (decode_.graphs() ? "in graphs" : "step by step");
}

int PassDevice::numerics_version() const { return of_devices + revision * 2 + (weights_.device.is_cuda() ? 1 : 0); }

std::unique_ptr<ModelDevice::Prefill> PassDevice::prefill(KvCache& cache, std::vector<std::int32_t> tokens,
                                                          std::int32_t first_position, const PrefillOptions& options) {
  return std::make_unique<DevicePass>(weights_, arena_, streams_, cache, std::move(tokens), first_position, options);
}

Expected<std::vector<float>> PassDevice::decode(std::span<const DecodeSequence> sequences) {
  std::vector<float> logits;
  const Status status = streams_.compute([&]() -> Status {
    std::vector<SharedCache> held;
    std::vector<DeviceCache*> caches;
    std::vector<std::int32_t> tokens;
    for (const DecodeSequence& sequence : sequences) {
      KV_ASSIGN(auto cache, cache_behind(sequence));
      caches.push_back(held.emplace_back(std::move(cache)).get());
      tokens.push_back(sequence.token);
    }
    KV_TRY(decode_.run(caches, tokens, 1));
    logits = in_host_memory(decode_.logits());
    for (const DecodeSequence& sequence : sequences) sequence.cache->set_sequence_length(sequence.position + 1);
    return {};
  });
  KV_TRY(status);
  return logits;
}

Status PassDevice::attach(std::shared_ptr<const DeviceResidency> stored, KvCache& cache) {
  if (cache.kept_rows() > 0 || cache.encoded() != nullptr || cache.device_rows() != nullptr)
    return fail(ErrorCode::usage, "a stored cache can only be attached to an empty one; use a new one");
  return streams_.compute([&]() -> Status {
    KV_ASSIGN(auto there, attached_cache(arena_, streams_, std::move(stored)));
    cache.set_sequence_length(there->sequence_length());
    cache.set_own_device_rows(std::move(there));
    return {};
  });
}

Expected<std::shared_ptr<DeviceCache>> PassDevice::cache_behind(const DecodeSequence& sequence) {
  KvCache& host = *sequence.cache;
  if (device_cache_of(host) == nullptr) {
    auto there = std::make_shared<DeviceCache>(arena_);
    KV_TRY(upload_cache(host, streams_, *there));
    there->set_length(sequence.position);
    host.set_device_rows(std::move(there));
  }
  SharedCache cache = to_write(host, streams_);
  if (cache->sequence_length() == sequence.position) return cache;
  return fail(ErrorCode::internal, "a token at position " + std::to_string(sequence.position) +
                                       " behind a device's cache of " + std::to_string(cache->sequence_length()) +
                                       " tokens");
}

}  // namespace kvantage::gpu
