#include "gpu/model/served_model.h"

#include "gpu/model/cache_transfer.h"
#include "gpu/model/device_decode.h"
#include "gpu/model/device_prefill.h"
#include "gpu/model/pass_device.h"

namespace kvantage::gpu {
namespace {

class ServedSequence final : public GpuSequence {
 public:
  explicit ServedSequence(std::shared_ptr<CacheArena> arena) : cache(std::move(arena)) {}
  std::int32_t sequence_length() const override { return cache.sequence_length(); }
  int kept(int layer, int kv_head) const override { return cache.head(layer, kv_head).kept; }
  std::size_t held_bytes() const override { return cache.held_bytes(); }

  DeviceCache cache;
};

DeviceCache& cache_of(GpuSequence& sequence) { return static_cast<ServedSequence&>(sequence).cache; }
const DeviceCache& cache_of(const GpuSequence& sequence) { return static_cast<const ServedSequence&>(sequence).cache; }

class ServedModel final : public GpuModel {
 public:
  ServedModel(DeviceWeights weights, std::shared_ptr<CacheArena> arena, const GpuModelOptions& options,
              std::unique_ptr<DeviceStreams> streams)
      : given_back_(streams->device()),
        weights_(std::move(weights)),
        arena_(std::move(arena)),
        options_(options),
        streams_(std::move(streams)),
        decode_(weights_, *streams_, options.graphs),
        passes_(weights_, arena_, *streams_, decode_) {}
  ~ServedModel() override { (void)synchronize(); }

  const ModelConfig& config() const override { return weights_.config; }
  std::string description() const override { return passes_.description(); }
  std::uint64_t weight_bytes() const override { return weights_.bytes(); }
  std::uint64_t free_cache_bytes() const override { return arena_->free_blocks() * arena_->block_bytes(); }
  bool has_graphs() const override { return decode_.graphs(); }
  void use_graphs(bool use) override { decode_.use_graphs(use); }
  ModelDevice& passes() override { return passes_; }

  Expected<std::unique_ptr<GpuSequence>> new_sequence() override { return std::make_unique<ServedSequence>(arena_); }

  Expected<std::vector<float>> prefill(GpuSequence& sequence, std::span<const std::int32_t> tokens,
                                       PrefillLogits logits) override {
    std::vector<float> numbers;
    KV_TRY(streams_->compute([&]() -> Status {
      KV_ASSIGN(auto made,
                device_prefill(weights_, *streams_, cache_of(sequence), tokens, options_.chunk_tokens, logits));
      numbers = in_host_memory(made);
      return {};
    }));
    return numbers;
  }

  Expected<std::vector<std::int32_t>> decode(std::span<GpuSequence* const> sequences,
                                             std::span<const std::int32_t> tokens, int steps) override {
    std::vector<DeviceCache*> caches;
    for (GpuSequence* sequence : sequences) caches.push_back(&cache_of(*sequence));
    std::vector<std::int32_t> next;
    KV_TRY(streams_->compute([&]() -> Status {
      KV_ASSIGN(auto made, decode_.run(caches, tokens, steps));
      next = std::move(made);
      return {};
    }));
    return next;
  }

  Expected<std::vector<float>> decode_logits() override {
    std::vector<float> numbers;
    KV_TRY(streams_->compute([&]() -> Status {
      if (!decode_.logits().defined())
        return fail(ErrorCode::usage, "there are no logits of a decode step yet; decode first");
      numbers = in_host_memory(decode_.logits());
      return {};
    }));
    return numbers;
  }

  Status upload(const KvCache& cache, GpuSequence& sequence) override {
    return streams_->compute([&] { return upload_cache(cache, *streams_, cache_of(sequence)); });
  }
  Status download(const GpuSequence& sequence, KvCache& cache) override {
    return streams_->compute([&] { return download_rows(cache_of(sequence), *streams_, cache); });
  }
  Expected<std::unique_ptr<GpuContextImage>> image(const GpuSequence& sequence) override {
    std::unique_ptr<GpuContextImage> made;
    KV_TRY(streams_->compute([&]() -> Status {
      made = image_of(*streams_, cache_of(sequence));
      return {};
    }));
    return made;
  }
  Status load(GpuContextImage& image, GpuSequence& sequence, const FillLayer& fill) override {
    return streams_->compute(
        [&] { return load_image(static_cast<HostImage&>(image), *streams_, cache_of(sequence), fill); });
  }

  Status truncate(GpuSequence& sequence, std::int32_t position) override {
    DeviceCache& cache = cache_of(sequence);
    if (position < cache.computed_from() || position > cache.sequence_length())
      return fail(ErrorCode::usage,
                  "a sequence on the device can only be truncated to a position computed there, from " +
                      std::to_string(cache.computed_from()) + " to " + std::to_string(cache.sequence_length()) +
                      ", not to " + std::to_string(position) + "; copy the context again");
    if (position < cache.sequence_length()) cache.roll_back(cache.sequence_length() - position);
    return {};
  }

  Status synchronize() override {
    return device_guarded([&]() -> Status {
      streams_->synchronize();
      return {};
    });
  }

 private:
  MemoryGivenBack given_back_;  // the first member, so destroyed last
  DeviceWeights weights_;
  std::shared_ptr<CacheArena> arena_;
  GpuModelOptions options_;
  std::unique_ptr<DeviceStreams> streams_;
  DeviceDecode decode_;
  PassDevice passes_;
};

}  // namespace

Expected<std::unique_ptr<GpuModel>> open_served_model(const GpuModelSource& source, const GpuModelOptions& options,
                                                      at::Device device) {
  if ((source.model == nullptr) == (source.shape == nullptr))
    return fail(ErrorCode::internal, "model on a device: give either a loaded model or a shape");
  if (options.chunk_tokens < 1)
    return fail(ErrorCode::usage, "model on a device: chunks of a prefill have at least one token; correct the number");
  std::unique_ptr<GpuModel> model;
  KV_TRY(device_guarded([&]() -> Status {
    auto streams = std::make_unique<DeviceStreams>(device);
    const c10::OptionalStreamGuard guard(streams->computing());
    streams->meter().time_peaks(device, streams->computing());  // while there is free memory
    KV_ASSIGN(auto weights, source.model != nullptr ? copy_weights(*source.model, device)
                                                    : random_weights(*source.shape, device, source.seed));
    KV_ASSIGN(auto arena, CacheArena::make(weights.config, options.block_tokens, options.cache_bytes, device));
    model = std::make_unique<ServedModel>(std::move(weights), std::move(arena), options, std::move(streams));
    return {};
  }));
  return model;
}

}  // namespace kvantage::gpu
