#include "core/experiments/model/offload_study.h"

#include <algorithm>

namespace kvantage::inline model_experiments {
namespace {

template <class Of>
double sum(const std::vector<OffloadedStep>& steps, Of&& of) {
  double all = 0;
  for (const OffloadedStep& step : steps) all += of(step);
  return all;
}

std::int32_t most_likely(std::span<const float> logits) {
  return static_cast<std::int32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

}  // namespace

double OffloadedRun::seconds() const {
  return sum(steps, [](const OffloadedStep& s) { return s.seconds; });
}
double OffloadedRun::predicted_seconds() const {
  return sum(steps, [](const OffloadedStep& s) { return s.predicted_seconds; });
}
double OffloadedRun::waited_seconds() const {
  return sum(steps, [](const OffloadedStep& s) { return s.waited_seconds; });
}
double OffloadedRun::recompute_seconds() const {
  return sum(steps, [](const OffloadedStep& s) { return s.recompute_seconds; });
}
double OffloadedRun::input_bytes() const {
  return sum(steps, [](const OffloadedStep& s) { return static_cast<double>(s.input_bytes); });
}
double OffloadedRun::kv_bytes() const {
  return sum(steps, [](const OffloadedStep& s) { return static_cast<double>(s.kv_bytes); });
}

double OffloadedRun::weight_bytes() const {
  return sum(steps, [](const OffloadedStep& s) { return static_cast<double>(s.weight_bytes); });
}

Expected<std::vector<OffloadedRun>> compare_offloaded(Transformer& model, StorageTier& tier, BufferLender& lender,
                                                      const std::vector<std::vector<std::int32_t>>& prompts,
                                                      int generated, const OffloadStudyOptions& options) {
  const bool lossless = !options.codec || options.codec->is_lossless();
  std::vector<OffloadedRun> runs;
  for (const SplitMode mode : options.modes) {
    KV_ASSIGN(auto decode, OffloadedDecode::begin(model, tier, lender, prompts,
                                                  {.chunk_tokens = options.chunk_tokens,
                                                   .mode = mode,
                                                   .profile = options.profile,
                                                   .codec = options.codec,
                                                   .weights = options.weights,
                                                   .order = options.order,
                                                   .spans = options.spans}));
    OffloadedRun& run = runs.emplace_back();
    run.mode = mode;
    for (int step = 0; step <= generated; ++step) {
      if (options.stop && options.stop()) return fail(ErrorCode::cancelled, "decoding from a slower tier: cancelled");
      for (std::size_t s = 0; s < prompts.size(); ++s) run.tokens.push_back(most_likely(decode->logits(s)));
      const std::vector<std::int32_t>& answered = lossless ? run.tokens : runs.front().tokens;
      KV_ASSIGN(auto took, decode->step(std::span(answered).subspan(static_cast<std::size_t>(step) * prompts.size(),
                                                                    prompts.size())));
      if (step > 0) run.steps.push_back(std::move(took));
    }
    run.offloaded_bytes = decode->offloaded_bytes();
    if (lossless && run.tokens != runs.front().tokens)
      return fail(ErrorCode::internal,
                  "decoding from a slower tier: recomputed and loaded rows give different tokens; report it");
  }
  return runs;
}

}  // namespace kvantage::inline model_experiments
