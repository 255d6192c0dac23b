// A prompt of the test model, prefilled once for a whole executable, and copies of it in pools of their own that
// eviction methods decode behind.
#pragma once

#include <functional>

#include "core/base/random.h"
#include "core/compress/decode/eviction_loop.h"
#include "core/runtime/observing.h"
#include "tests/support/cache_copy.h"
#include "tests/support/test_model.h"

namespace kvantage::test {

inline constexpr int prompt_tokens = 300;

/// The model, a prompt's rows and all that eviction methods may ask for beside them.
struct Prefilled {
  std::unique_ptr<ModelRuntime> runtime;
  std::vector<std::int32_t> tokens;
  std::unique_ptr<KvCache> cache;
  std::vector<float> logits;  // of the last token
  Observation observed;
  EvictionSetting setting;

  Prefilled() {
    set_compute_threads(1);  // one row per step: waiting for a second thread costs more than it helps
    runtime = ModelRuntime::load(model_directory()).value();
    Random random(5);
    for (int i = 0; i < prompt_tokens; ++i) tokens.push_back(static_cast<std::int32_t>(16 + random.below(1500)));
    cache = std::make_unique<KvCache>(*runtime->pool);
    PrefillTask prefill(*runtime->model, *cache, tokens, 0,
                        {.chunk_tokens = 64, .window_queries = prompt_tokens, .logits = PrefillLogits::last});
    if (!prefill.run()) qFatal("prefill");
    logits.assign(prefill.logits().begin(), prefill.logits().end());
    observed = observation_of(*runtime, prefill.take_window_queries());
    if (!complete_observation(*runtime, *cache, tokens,
                              {.window_queries = 0, .repeat_pass = false, .calibration = true}, observed))
      qFatal("calibration");
    const ModelConfig& config = runtime->model->config();
    setting = {config.layers,
               config.kv_heads,
               config.heads,
               config.head_dim,
               {},
               {runtime->model->rope().begin(), runtime->model->rope().end()}};
  }
  int group() const { return setting.heads / setting.kv_heads; }
};

/// One generation behind the prompt.
struct Prompt {
  const Prefilled& from;
  EvictionSetting setting = from.setting;
  BlockPool pool;
  KvCache cache = copy_of(*from.cache, pool);
  std::vector<float> logits = from.logits;  // of the last token

  explicit Prompt(const Prefilled& prefilled, int block_tokens = 16)
      : from(prefilled), pool(prefilled.cache->shape(), block_tokens, std::size_t{16} << 20) {}

  /// a decode-time eviction method that has seen the prompt as it was prefilled.
  std::unique_ptr<DecodeEviction> eviction_method(const std::string& text) const {
    auto made = make_eviction(text, setting);
    if (!made) qFatal("%s", made.error().message.c_str());
    if (const auto begun = (*made)->begin(cache, from.observed); !begun) qFatal("%s", begun.error().message.c_str());
    return std::move(*made);
  }
  void step(std::int32_t token, DecodeHooks* hooks) {
    DecodeTask task(*from.runtime->model, cache, token, cache.sequence_length(), hooks);
    if (const auto ran = task.run(); !ran) qFatal("%s", ran.error().message.c_str());
    logits.assign(task.logits().begin(), task.logits().end());
  }
  /// Decodes `count` fixed tokens through the loop.
  EvictionCounts decode(const std::string& text, const EvictionOptions& options, int count,
                        const std::function<void(int step)>& each = {}) {
    const SystemClock clock;
    EvictionLoop loop(eviction_method(text), setting, options, clock);
    for (int i = 0; i < count; ++i) {
      step(static_cast<std::int32_t>(20 + i), &loop);
      if (each) each(i + 1);
    }
    return loop.counts();
  }
  std::vector<std::int32_t> positions(int layer, int head) const {
    std::vector<std::int32_t> found(static_cast<std::size_t>(cache.kept(layer, head)));
    cache.gather_head(layer, head, nullptr, nullptr, found.data());
    return found;
  }
};

}  // namespace kvantage::test
