#include "core/experiments/model/decode_study.h"

#include <algorithm>
#include <array>

#include "core/base/form_text.h"
#include "core/compress/decode/quest.h"
#include "core/compress/method.h"
#include "core/model/generate.h"
#include "core/runtime/observing.h"

namespace kvantage::inline model_experiments {
namespace {

double seconds_between(std::int64_t start, std::int64_t end) { return static_cast<double>(end - start) * 1e-9; }

/// The prompt's cache, cut to the budget, with an eviction method that has observed the cut.
Expected<std::unique_ptr<DecodeEviction>> cut_prompt(ModelRuntime& runtime, KvCache& cache, Observation& observed,
                                                     std::span<const std::int32_t> tokens,
                                                     const DecodeStudySetting& setting, const EvictionSetting& model) {
  KV_ASSIGN(auto eviction_method, make_eviction(setting.eviction_method, model));
  const std::string cut =
      "absolute(" + setting.eviction_method + ",tokens=" + std::to_string(setting.eviction.budget_tokens) + ")";
  KV_ASSIGN(const auto method, parse_method(cut));
  ObservationNeeds needs = method->info().needs;
  needs.calibration |= eviction_method->needs().calibration;
  KV_TRY(complete_observation(runtime, cache, tokens, needs, observed));
  KV_TRY(eviction_method->begin(cache, observed));
  if (static_cast<int>(tokens.size()) <= setting.eviction.budget_tokens) return eviction_method;
  KV_ASSIGN(const auto scores, method->scores(cache, observed));
  const auto kept = method->keep_for(scores, 0.5);  // any fraction above 0: the budget is a number of tokens
  for (int l = 0; l < cache.shape().layers; ++l) {
    const KeptIndices dropped = other_rows(cache, l, kept[static_cast<std::size_t>(l)]);
    KV_TRY(cache.keep(l, kept[static_cast<std::size_t>(l)]));
    eviction_method->dropped(l, dropped);
  }
  return eviction_method;
}

bool is_quest(std::string_view text) { return FormText::name_of(text) == "quest"; }

}  // namespace

Status check_decode_study(const std::string& eviction_method) {
  if (is_quest(eviction_method)) {
    KV_TRY(read_quest(eviction_method));
    return {};
  }
  KV_TRY(make_eviction(eviction_method, {}));
  return {};
}

Expected<DecodeStudyAnswer> answer_with_eviction(ModelRuntime& runtime, const std::string& context,
                                                 const std::string& question, const DecodeStudySetting& setting,
                                                 const Clock& clock, const std::function<bool()>& stop) {
  if (setting.eviction.budget_tokens < 1 || setting.eviction.cadence < 1 || setting.eviction.compact_every < 1)
    return fail(ErrorCode::usage, "eviction: budget, cadence and steps between compactions are at least 1");
  const PromptParts parts = runtime.prompt->encode(context, question);
  std::vector<std::int32_t> tokens = parts.context;
  tokens.insert(tokens.end(), parts.question.begin(), parts.question.end());
  const ModelConfig& config = runtime.model->config();
  BlockPool pool(runtime.model->kv_shape(), setting.page_tokens,
                 runtime.pool->capacity_blocks() * runtime.pool->block_bytes());
  KvCache cache(pool);
  DecodeStudyAnswer answer;
  answer.prompt_tokens = static_cast<int>(tokens.size());
  answer.block_bytes = pool.block_bytes();
  const auto stopped = [&] { return stop && stop(); };

  std::int64_t start = clock.monotonic_ns();
  int window = 0;
  const bool evicts = !setting.eviction_method.empty() && !is_quest(setting.eviction_method);
  if (evicts) {
    KV_ASSIGN(const auto method, parse_method(setting.eviction_method));
    // h2o sums attention over the prompt even if it is not cut.
    window = std::min(answer.prompt_tokens, method->info().needs.window_queries);
  }
  PrefillTask prefill(
      *runtime.model, cache, tokens, 0,
      {.chunk_tokens = runtime.chunk_tokens(), .window_queries = window, .logits = PrefillLogits::last});
  while (!prefill.done()) {
    if (stopped()) return fail(ErrorCode::cancelled, "answering was stopped");
    KV_TRY(prefill.step());
  }
  std::vector<float> logits(prefill.logits().begin(), prefill.logits().end());
  std::unique_ptr<EvictionLoop> loop;
  std::unique_ptr<QuestSelector> quest;
  if (is_quest(setting.eviction_method)) {
    KV_ASSIGN(auto selecting, read_quest(setting.eviction_method));
    selecting.budget_tokens = setting.eviction.budget_tokens;
    quest = std::make_unique<QuestSelector>(selecting, config.heads / config.kv_heads);
  } else if (evicts) {
    Observation observed = observation_of(runtime, prefill.take_window_queries());
    const EvictionSetting model =
        eviction_setting(*runtime.model, setting.shared_heads ? BlockTableScope::layer : BlockTableScope::head);
    KV_ASSIGN(auto eviction_method, cut_prompt(runtime, cache, observed, tokens, setting, model));
    loop = std::make_unique<EvictionLoop>(std::move(eviction_method), model, setting.eviction, clock);
  }
  answer.prompt_seconds = seconds_between(start, clock.monotonic_ns());

  GenerateOptions options;
  options.max_tokens = setting.max_tokens;
  if (!setting.whole_length) options.stop_tokens = runtime.stop_ids();
  options.hooks = loop != nullptr ? static_cast<DecodeHooks*>(loop.get()) : quest.get();
  start = clock.monotonic_ns();
  answer.peak_blocks = pool.live_blocks();
  const auto watch = [&](std::int32_t) {
    answer.peak_blocks = std::max(answer.peak_blocks, pool.live_blocks());
    return !stopped();
  };
  KV_ASSIGN(const auto decoded, decode_from(*runtime.model, cache, std::move(logits), options, watch));
  if (decoded.reason == FinishReason::cancelled) return fail(ErrorCode::cancelled, "answering was stopped");
  answer.decode_seconds = seconds_between(start, clock.monotonic_ns());
  answer.answer_tokens = static_cast<int>(decoded.tokens.size());
  answer.text = runtime.tokenizer->decode(decoded.tokens);
  answer.gauges = pool_gauges(pool, std::array<const KvCache*, 1>{&cache});
  if (loop != nullptr) answer.counts = loop->counts();
  if (quest != nullptr) {
    answer.page_summary_bytes = quest->metadata_bytes();
    if (quest->rows_held() > 0)
      answer.rows_read_fraction = static_cast<double>(quest->rows_read()) / static_cast<double>(quest->rows_held());
  }
  return answer;
}

}  // namespace kvantage::inline model_experiments
