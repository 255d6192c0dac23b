// A Transformer that computes on a device: PrefillTask and BatchDecodeTask give what they give on the processor, to the
// error of bf16; rows come back to the cache or stay there as asked; caches that share rows share them on the device;
// what is canceled leaves nothing behind; and gauges report what was copied.
#include "tests/gpu/model/device_models.h"

#include <array>
#include <atomic>
#include <thread>

#include "core/model/kernels/kernels.h"
#include "tests/gpu/model/model_variants.h"

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr int chunk = 48, window = 20;

/// The same weights three times: in bf16 and fp32 on the processor, in bf16 on the device.
struct Models : DeviceModels {
  std::unique_ptr<Transformer> wide;

  explicit Models(const std::filesystem::path& folder, const gpu::GpuModelOptions& options = small_options())
      : DeviceModels(folder, options), wide(loaded(folder, ComputeType::fp32)) {}
};

PrefillTask run_prefill(Transformer& model, KvCache& cache, const std::vector<std::int32_t>& tokens,
                        const PrefillOptions& options) {
  PrefillTask task(model, cache, tokens, cache.sequence_length(), options);
  must(task.run());
  return task;
}
std::vector<float> floats(const std::vector<std::byte>& bytes) {
  std::vector<float> numbers(bytes.size() / sizeof(Bf16));
  std::transform(reinterpret_cast<const Bf16*>(bytes.data()),
                 reinterpret_cast<const Bf16*>(bytes.data()) + numbers.size(), numbers.begin(),
                 [](Bf16 number) { return to_float(number); });
  return numbers;
}
std::vector<float> all_rows(const KvCache& cache) {
  std::vector<float> all;
  for (int layer = 0; layer < cache.shape().layers; ++layer)
    for (int h = 0; h < cache.shape().kv_heads; ++h) {
      const std::size_t bytes = static_cast<std::size_t>(cache.kept(layer, h)) *
                                static_cast<std::size_t>(cache.shape().head_dim) * sizeof(Bf16);
      std::vector<std::byte> keys(bytes), values(bytes);
      cache.gather_head(layer, h, keys.data(), values.data(), nullptr);
      for (const auto& numbers : {floats(keys), floats(values)}) all.insert(all.end(), numbers.begin(), numbers.end());
    }
  return all;
}
/// No farther from fp32 than core's bf16 is, here or in a pass before: a device rounds what it multiplies in every
/// pass, core in those of a prefill alone.
Distance near(std::span<const float> device, std::span<const float> core, std::span<const float> wide,
              const std::string& what, const Distance& before = {}) {
  Distance own = before, there;
  own.add(core, wide);
  there.add(device, wide);
  std::printf("  %-44s core bf16 to fp32 %.4f (mean %.5f), device %.4f (%.5f)\n", what.c_str(), own.largest, own.mean(),
              there.largest, there.mean());
  check(there.largest <= 2.5 * own.as_bf16().largest && there.mean() <= 1.5 * own.as_bf16().mean(),
        what + ": as near to fp32 as core's bf16");
  return own;
}

/// The same rows go from all caches: heads become of other lengths, with holes.
void evict_at_random(const std::array<KvCache*, 3>& caches) {
  Random random(7);
  for (int layer = 0; layer < caches[0]->shape().layers; ++layer) {
    KeptIndices dropped;
    for (int h = 0; h < caches[0]->shape().kv_heads; ++h) {
      auto& gone = dropped.emplace_back();
      for (std::int32_t i = 0; i < caches[0]->kept(layer, h); ++i)
        if (random.below(10) < static_cast<std::uint64_t>(2 + 3 * h)) gone.push_back(i);
    }
    for (KvCache* cache : caches) must(cache->evict(layer, dropped));
  }
}

/// Context with a window, then two questions over copies of it, then a batch of both.
void answers_over_copies(const Models& models, const std::vector<std::int32_t>& context,
                         const std::array<std::vector<std::int32_t>, 2>& questions) {
  const std::uint64_t at_rest = models.device->free_cache_bytes();
  const PrefillOptions whole{.chunk_tokens = chunk, .window_queries = window, .logits = PrefillLogits::none};
  HostCache core(*models.core), wide(*models.wide), there(*models.there);
  auto core_task = run_prefill(*models.core, core.cache, context, whole),
       wide_task = run_prefill(*models.wide, wide.cache, context, whole),
       there_task = run_prefill(*models.there, there.cache, context, whole);
  check(there.cache.sequence_length() == core.cache.sequence_length() &&
            there.cache.kept_rows() == core.cache.kept_rows(),
        "a context's rows come back");
  check(!there_task.rows_stay() && there.cache.device_rows() != nullptr, "and stay on the device as well");
  near(all_rows(there.cache), all_rows(core.cache), all_rows(wide.cache), "rows");
  const WindowQueries core_window = core_task.take_window_queries(), wide_window = wide_task.take_window_queries(),
                      there_window = there_task.take_window_queries();
  check(there_window.heads == core_window.heads && there_window.window == window &&
            there_window.layers.size() == core_window.layers.size(),
        "a window's shape");
  for (std::size_t layer = 0; layer < core_window.layers.size(); ++layer)
    near(there_window.layers[layer], core_window.layers[layer], wide_window.layers[layer],
         "queries of layer " + std::to_string(layer));

  evict_at_random({&core.cache, &wide.cache, &there.cache});
  check(there.cache.device_rows() == nullptr && models.device->free_cache_bytes() == at_rest,
        "a change drops the device's rows");

  const PrefillOptions question{
      .chunk_tokens = chunk, .window_queries = 0, .logits = PrefillLogits::all, .rows_may_stay = true};
  const std::size_t rows_before = there.cache.kept_rows();
  struct Asked {
    KvCache core, wide, there;
    std::vector<float> logits;
  };
  std::vector<Asked> asked;
  std::uint64_t after_first = 0;
  Distance own;
  for (const auto& tokens : questions) {
    Asked& one = asked.emplace_back(Asked{core.cache.share(), wide.cache.share(), there.cache.share(), {}});
    const auto a = run_prefill(*models.core, one.core, tokens, question),
               b = run_prefill(*models.wide, one.wide, tokens, question);
    const auto c = run_prefill(*models.there, one.there, tokens, question);
    own = near(c.logits(), a.logits(), b.logits(), "a question's logits", own);
    check(c.rows_stay() && one.there.kept_rows() == rows_before &&
              one.there.sequence_length() == one.core.sequence_length(),
          "a question's rows stay");
    one.logits.assign(a.logits().end() - models.core->config().vocab_size, a.logits().end());
    if (asked.size() == 1) after_first = models.device->free_cache_bytes();
  }
  const std::uint64_t context_bytes = at_rest - after_first, second = after_first - models.device->free_cache_bytes();
  check(second < context_bytes, "the second question's copy shares the context's blocks");
  for (int step = 0; step < 5; ++step) {
    std::vector<DecodeSequence> core_batch, wide_batch, there_batch;
    for (Asked& one : asked) {
      const std::int32_t token = greedy_token(one.logits), position = one.core.sequence_length();
      core_batch.push_back({&one.core, token, position});
      wide_batch.push_back({&one.wide, token, position});
      there_batch.push_back({&one.there, token, position});
    }
    BatchDecodeTask a(*models.core, core_batch), b(*models.wide, wide_batch), c(*models.there, there_batch);
    for (BatchDecodeTask* task : {&a, &b, &c}) must(task->run());
    std::vector<float> ours, cores, exact;
    for (std::size_t s = 0; s < asked.size(); ++s) {
      ours.insert(ours.end(), c.logits(s).begin(), c.logits(s).end());
      cores.insert(cores.end(), a.logits(s).begin(), a.logits(s).end());
      exact.insert(exact.end(), b.logits(s).begin(), b.logits(s).end());
      asked[s].logits.assign(a.logits(s).begin(), a.logits(s).end());
      check(asked[s].there.sequence_length() == asked[s].core.sequence_length(), "a decoded token counts");
    }
    near(ours, cores, exact, "a decode step of two, after " + std::to_string(step), own);
  }
  asked.clear();
  check(there.cache.kept_rows() == rows_before, "copies leave the context as it was");
  there.cache.clear();
  check(models.device->free_cache_bytes() == at_rest, "all blocks come back");
}

/// A question over a cache whose layers arrive between its steps, as a load brings them.
void follows_a_load(const Models& models, const std::vector<std::int32_t>& context,
                    const std::vector<std::int32_t>& question) {
  HostCache whole(*models.core), all(*models.there), arriving(*models.there);
  run_prefill(*models.core, whole.cache, context,
              {.chunk_tokens = chunk, .window_queries = 0, .logits = PrefillLogits::none});
  const PrefillOptions options{
      .chunk_tokens = chunk, .window_queries = 0, .logits = PrefillLogits::last, .rows_may_stay = true};
  const auto start = static_cast<std::int32_t>(context.size());
  PrefillTask task(*models.there, arriving.cache, question, start, options);
  const auto copy_layer = [&](int layer, KvCache& to) {
    for (int h = 0; h < to.shape().kv_heads; ++h) {
      const auto kept = static_cast<std::size_t>(whole.cache.kept(layer, h));
      const std::size_t bytes = kept * static_cast<std::size_t>(to.shape().head_dim) * sizeof(Bf16);
      std::vector<std::byte> keys(bytes), values(bytes);
      std::vector<std::int32_t> positions(kept);
      whole.cache.gather_head(layer, h, keys.data(), values.data(), positions.data());
      must(to.append_head(layer, h, keys, values, positions));
    }
  };
  for (int layer = 0; layer < models.core->config().layers; ++layer) {
    check(task.next_layer() == layer, "a step a layer");
    copy_layer(layer, arriving.cache);
    copy_layer(layer, all.cache);
    must(task.step());
  }
  must(task.run());
  const auto at_once = run_prefill(*models.there, all.cache, question, options);
  check(std::ranges::equal(task.logits(), at_once.logits()),
        "a cache that arrives layer by layer gives the logits of one that is there");
}

void leaves_nothing_behind(const Models& models, const std::vector<std::int32_t>& context) {
  const std::uint64_t at_rest = models.device->free_cache_bytes();
  HostCache there(*models.there), full(*models.there);
  {
    PrefillTask task(*models.there, there.cache, context, 0,
                     {.chunk_tokens = chunk, .window_queries = 0, .logits = PrefillLogits::last});
    for (int step = 0; step < models.core->config().layers + 1; ++step) must(task.step());
  }
  there.cache.truncate(0);
  check(models.device->free_cache_bytes() == at_rest && there.cache.kept_rows() == 0, "a prefill that is given up");

  // Others hold nearly all of the device's memory; once they let go, the same step continues.
  std::vector<std::unique_ptr<gpu::GpuSequence>> others;
  std::vector<std::int32_t> one(context.begin(), context.begin() + 30);
  for (;;) {
    others.push_back(value_of(models.device->new_sequence()));
    if (!models.device->prefill(*others.back(), one, PrefillLogits::none)) break;
  }
  PrefillTask task(*models.there, full.cache, context, 0,
                   {.chunk_tokens = chunk, .window_queries = 0, .logits = PrefillLogits::last});
  const Status refused = task.step();
  check(!refused && refused.error().code == ErrorCode::no_space, "a device that is full says so");
  others.clear();
  must(task.run());
  HostCache plain(*models.there);
  const auto again = run_prefill(*models.there, plain.cache, context,
                                 {.chunk_tokens = chunk, .window_queries = 0, .logits = PrefillLogits::last});
  check(std::ranges::equal(task.logits(), again.logits()), "and continues once it is not");
  const auto refused_token =
      PrefillTask(*models.there, plain.cache, {models.core->config().vocab_size}, plain.cache.sequence_length()).run();
  check(!refused_token && refused_token.error().code == ErrorCode::rejected_input,
        "a token outside the vocabulary is refused");
}

/// Bytes that crossed are those of the rows, memory held is that of the caches that live; whoever asks meanwhile sees
/// them grow.
void gauges_tell(const Models& models, const std::vector<std::int32_t>& context,
                 const std::vector<std::int32_t>& question) {
  const ModelDevice& device = models.device->passes();
  const ModelDeviceGauges before = device.gauges();
  check(!before.device.empty() && before.cache_held_bytes == 0 &&
            before.cache_total_bytes == models.device->free_cache_bytes(),
        "a device at rest holds nothing");
  check(before.uploaded.peak_bytes_per_second > 0 && before.downloaded.peak_bytes_per_second > 0,
        "peaks are known from the start");
  std::atomic<bool> done{false};
  std::uint64_t seen = 0;
  bool grew = true;
  std::thread watching([&] {
    while (!done) {
      const std::uint64_t now = device.gauges().uploaded.bytes;
      grew = grew && now >= seen;
      seen = now;
    }
  });

  const ModelConfig& config = models.core->config();
  const auto row_bytes = static_cast<std::uint64_t>(config.layers * config.kv_heads) *
                         (2 * static_cast<std::uint64_t>(config.head_dim) * sizeof(Bf16) + sizeof(std::int32_t));
  HostCache there(*models.there);
  run_prefill(*models.there, there.cache, context,
              {.chunk_tokens = chunk, .window_queries = 0, .logits = PrefillLogits::none});
  ModelDeviceGauges computed = device.gauges().since(before);
  check(computed.downloaded.bytes == context.size() * row_bytes && computed.uploaded.bytes == 0,
        "what was computed there came back");
  check(computed.cache_held_bytes == context.size() * row_bytes, "its rows are held");
  const auto dropped_rows = static_cast<std::size_t>(small_options().block_tokens);
  for (int layer = 0; layer < config.layers; ++layer) {
    std::vector<std::int32_t> first(dropped_rows);
    for (std::size_t i = 0; i < first.size(); ++i) first[i] = static_cast<std::int32_t>(i);
    must(there.cache.evict(layer, KeptIndices(static_cast<std::size_t>(config.kv_heads), first)));
  }
  check(device.gauges().cache_held_bytes == 0, "a cache that changed holds nothing there");

  run_prefill(*models.there, there.cache, question,
              {.chunk_tokens = chunk, .window_queries = 0, .logits = PrefillLogits::last, .rows_may_stay = true});
  done = true;
  watching.join();
  const ModelDeviceGauges asked = device.gauges().since(before);
  check(grew && seen <= asked.uploaded.bytes, "what others see never shrinks");
  check(asked.uploaded.bytes == (context.size() - dropped_rows) * row_bytes &&
            asked.uploaded.copies == static_cast<std::uint64_t>(config.layers),
        "a cache's rows went there once");
  check(asked.downloaded.bytes == computed.downloaded.bytes && asked.cache_held_bytes > asked.uploaded.bytes,
        "a question's rows stay there");
  check(asked.uploaded.seconds > 0 && asked.uploaded.waited_seconds >= 0 && asked.downloaded.hidden_share() == 0,
        "copies take time");
  const double hidden = asked.uploaded.hidden_share();
  check(hidden >= 0 && hidden <= 1 && asked.uploaded.peak_share() > 0 && asked.uploaded.peak_share() <= 1,
        "shares are within 0 and 1");
  std::printf("  %s: %.2f of %.2f GB/s to it, %.2f of %.2f from it, %.0f %% hidden\n", asked.device.c_str(),
              asked.uploaded.bytes_per_second() / 1e9, asked.uploaded.peak_bytes_per_second / 1e9,
              asked.downloaded.bytes_per_second() / 1e9, asked.downloaded.peak_bytes_per_second / 1e9, 100 * hidden);
  there.cache.clear();
  check(device.gauges().cache_held_bytes == 0, "and nothing once it is gone");
}

}  // namespace

int main() {
  const ScratchFolder scratch;
  Random random(3);
  for (const auto& [name, folder] : all_variants(scratch)) {
    std::printf("%s\n", name.c_str());
    const Models models(folder);
    const int vocab = models.core->config().vocab_size;
    const auto context = random_tokens(random, 131, vocab);
    answers_over_copies(models, context, {random_tokens(random, 17, vocab), random_tokens(random, 60, vocab)});
    follows_a_load(models, context, random_tokens(random, 9, vocab));
  }
  gpu::GpuModelOptions small = small_options();
  small.cache_bytes = std::uint64_t{4} << 20;
  const auto folder = scratch.make("small");
  must(write_variant(folder, {.name = "", .architecture = "LlamaForCausalLM"}, 29));
  const Models models(folder, small);
  leaves_nothing_behind(models, random_tokens(random, 131, models.core->config().vocab_size));
  const Models gauged(folder);
  gauges_tell(gauged, random_tokens(random, 96, gauged.core->config().vocab_size),
              random_tokens(random, 9, gauged.core->config().vocab_size));
  return end();
}
