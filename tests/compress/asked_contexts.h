// Five contexts of the default model and 210 questions on them, with the answers that the uncompressed caches give.
#pragma once

#include "core/compress/rerotate.h"
#include "core/kv/serial.h"
#include "core/model/generate.h"
#include "core/runtime/observing.h"
#include "tests/compress/random_context.h"
#include "tests/support/cache_copy.h"
#include "tests/support/small_workload.h"
#include "tests/support/test_model.h"

namespace kvantage::test {

struct AskedContext {
  KvCache cache;
  std::vector<std::int32_t> tokens;
  Observation observed;
  std::vector<std::vector<std::int32_t>> questions, answers;  // answers: at most answer_tokens, or up to a stop token
};

struct AskedContexts {
  static constexpr int answer_tokens = 3;
  std::unique_ptr<ModelRuntime> runtime;
  std::vector<AskedContext> contexts;
  int questions = 0;

  AskedContexts() {
    set_compute_threads(1);  // a question is short: a second thread would be waited for more than it helps
    runtime = ModelRuntime::load(model_directory()).value();
    const Workload workload = small_workload(5, 42, 21, /*ask_every=*/1);
    for (std::size_t c = 0; c < workload.contexts.size(); ++c) {
      AskedContext one{KvCache(*runtime->pool), runtime->prompt->encode_context(workload.contexts[c].text), {}, {}, {}};
      prefill(one.cache, one.tokens);
      const ObservationNeeds all{.window_queries = every_query,
                                 .repeat_pass = true,
                                 .calibration = true,
                                 .hidden_states = true,
                                 .output_norms = true};
      if (!complete_observation(*runtime, one.cache, one.tokens, all, one.observed)) qFatal("observe");
      for (const WorkloadQuestion& question : workload.questions) {
        if (question.context != c) continue;
        one.questions.push_back(runtime->prompt->encode_question(question.question));
        one.answers.push_back(answer(one.cache, one.questions.back()));
        ++questions;
      }
      contexts.push_back(std::move(one));
    }
  }

  void prefill(KvCache& cache, std::span<const std::int32_t> tokens) const {
    PrefillTask task(*runtime->model, cache, {tokens.begin(), tokens.end()}, 0,
                     {.chunk_tokens = runtime->chunk_tokens(), .logits = PrefillLogits::none});
    if (!task.run()) qFatal("prefill");
  }
  /// exactly: that many tokens, whether the model would stop or not.
  std::vector<std::int32_t> answer(const KvCache& cache, std::span<const std::int32_t> question,
                                   int exactly = 0) const {
    GenerateOptions options;
    options.max_tokens = exactly > 0 ? exactly : answer_tokens;
    if (exactly == 0) options.stop_tokens = runtime->stop_ids();
    options.chunk_tokens = runtime->chunk_tokens();
    KvCache asked = cache.share();
    return generate(*runtime->model, asked, question, options).value().tokens;
  }

  /// The whole way of a compressed context at removed fraction 0, nothing of it shared with the original: scores,
  /// keep() of every row of a copy, an entry as tiers store it, and a cache read back from that.
  KvCache kept_stored_and_read(const AskedContext& context, const Method& method, BlockPool& pool) const {
    const auto scores = method.scores(context.cache, context.observed);
    if (!scores) qFatal("%s", scores.error().message.c_str());
    const auto kept = method.keep_for(*scores, 0);
    KvCache copy = copy_of(context.cache, pool);
    for (int l = 0; l < copy.shape().layers; ++l)
      if (!copy.keep(l, kept[static_cast<std::size_t>(l)])) qFatal("keep");
    EntryHeader header;
    header.compression.method = method.text();
    header.token_ids = context.tokens;
    const auto entry = serialize(copy, header, nullptr);
    if (!entry) qFatal("%s", entry.error().message.c_str());
    const auto parsed = parse_entry_header(*entry).value();
    KvCache restored(pool);
    for (int l = 0; l < copy.shape().layers; ++l) {
      const auto [begin, end] = parsed.layer_range(l);
      if (!restore_layer(parsed, l, std::span(*entry).subspan(begin, end - begin), true, restored)) qFatal("restore");
    }
    restored.set_sequence_length(static_cast<std::int32_t>(context.tokens.size()));
    return method.info().rerotates ? rerotated(restored, runtime->model->rope()).value() : std::move(restored);
  }

  /// Asks every question of the caches that went all the way under `method`; how many. wrong: those answered otherwise.
  int ask_all_under(const Method& method, std::vector<std::string>& wrong) const {
    int asked = 0;
    for (const AskedContext& context : contexts) {
      BlockPool pool(context.cache.shape(), 16, std::size_t{64} << 20);
      const KvCache cache = kept_stored_and_read(context, method, pool);
      for (std::size_t q = 0; q < context.questions.size(); ++q, ++asked)
        if (answer(cache, context.questions[q]) != context.answers[q])
          wrong.push_back("question " + std::to_string(asked));
    }
    return asked;
  }
};

}  // namespace kvantage::test
