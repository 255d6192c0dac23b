#include "core/workload/presets.h"

#include <algorithm>
#include <utility>

#include "core/base/did_you_mean.h"
#include "core/base/json.h"
#include "core/workload/regimes/regimes.h"

namespace kvantage::inline workload {
namespace {

// Tiers scaled to the sample model's caches (3 KiB per token): with the speed ratio of host memory to an SSD for a
// large model.
std::vector<std::string> two_tiers(const std::string& dram, const std::string& ssd) {
  return {"dram=" + dram + ",bandwidth=540MB/s,latency=0.2ms", "ssd=" + ssd + ",bandwidth=180MB/s,latency=1ms"};
}

WorkloadPreset quickstart() {
  WorkloadPreset preset;
  MakeWorkloadOptions& o = preset.options;
  o.name = "quickstart";
  o.description = "Seven kinds of text, two tiers that hold a third of them: start here.";
  o.seed = 2026;
  o.families = {"registry", "inventory", "news", "story", "meeting", "config", "fewshot"};
  o.profile_questions = 16;
  o.arrivals = {.requests_per_second = 0, .zipf_exponent = 0.9, .requests = 200};
  preset.session.tiers = two_tiers("12MiB", "28MiB");
  // Tuned on seeds 1 to 3: with a codec among them, alone and after two token-dropping methods, the best plan is faster
  // than any single form at its quality (docs/results.md).
  preset.session.alpha = 3;
  preset.session.methods = {"kivi4", "keydiff", "keydiff+kivi4", "streaming_llm+kivi4"};
  // Its questions do not drift. At a low alpha some contexts fall short of their curves and would be re-profiled on the
  // few questions asked since. The frontier would then depend on the path of the slider, not on its position.
  preset.session.reprofile = false;
  return preset;
}

WorkloadPreset sensitivity_mix() {
  WorkloadPreset preset;
  MakeWorkloadOptions& o = preset.options;
  o.name = "sensitivity-mix";
  o.description =
      "Every kind of text, from one that tolerates almost any compression to one that tolerates none: the best method "
      "differs.";
  o.seed = 31;
  o.families = {"registry", "inventory", "news", "story", "meeting", "config", "fewshot", "needle", "ledger"};
  o.contexts_per_family = 2;
  o.min_tokens = 1200;
  o.max_tokens = 1800;
  o.answer_tokens = 128;  // intentionally long, but every profile point answers them all
  o.profile_questions = 12;
  o.arrivals = {.requests_per_second = 0, .zipf_exponent = 0.6, .requests = 160};
  preset.session.tiers = two_tiers("8MiB", "20MiB");
  return preset;
}

WorkloadPreset drifting_questions() {
  WorkloadPreset preset;
  MakeWorkloadOptions& o = preset.options;
  o.name = "drifting-questions";
  o.description =
      "After a while other questions are asked, about the part of each text that compression hurts most: profiles go "
      "stale.";
  o.seed = 41;
  o.mixes = {"story+registry", "fewshot+registry", "story+inventory"};
  o.contexts_per_family = 4;
  o.min_tokens = 1400;
  o.max_tokens = 1800;
  o.arrivals = {.requests_per_second = 0, .zipf_exponent = 0.5, .requests = 240};
  o.arrivals.drift = Drift{.begin = 0.4, .end = 0.6, .one_by_one = true};
  preset.session.tiers = two_tiers("8MiB", "12MiB");
  return preset;
}

// Figure 10 of EvicPress: so many questions after the drift that re-profiling does not use them up.
WorkloadPreset azure_drift() {
  WorkloadPreset preset = drifting_questions();
  preset.is_sample = false;
  MakeWorkloadOptions& o = preset.options;
  o.name = "azure-drift";
  o.description =
      "Questions that drift, as in drifting-questions, at the arrival times of Azure's trace of conversations.";
  o.license = "CC0-1.0; arrival times CC-BY-4.0, Azure Public Dataset";
  o.profile_questions = 1;
  o.held_out_questions = 16;  // a story of half a context has 14 to 18
  o.drifted_questions = 32;
  o.recorded_arrivals = "azure-conversations";
  o.arrivals.requests = 960;
  return preset;
}

WorkloadPreset bursts() {
  WorkloadPreset preset;
  MakeWorkloadOptions& o = preset.options;
  o.name = "bursts";
  o.description = "Bursts of requests, each about two texts: recent requests predict more than frequent ones.";
  o.seed = 51;
  o.families = {"registry", "inventory", "news", "story", "meeting", "config", "fewshot"};
  o.contexts_per_family = 3;
  o.arrivals = {.requests_per_second = 1, .zipf_exponent = 0.6, .requests = 200};
  o.arrivals.bursts = Bursts{.factor = 6, .mean_requests = 20, .mean_quiet_requests = 12, .contexts = 2};
  preset.session.tiers = two_tiers("10MiB", "20MiB");
  return preset;
}

WorkloadPreset long_tail() {
  WorkloadPreset preset;
  MakeWorkloadOptions& o = preset.options;
  o.name = "long-tail";
  o.description =
      "Many texts; few are popular, half of the requests choose any text: how much is a rarely requested text worth?";
  o.seed = 61;
  o.families = {"registry", "inventory", "news", "story", "meeting", "config"};
  o.contexts_per_family = 12;
  o.min_tokens = 400;
  o.max_tokens = 1000;
  o.profile_questions = 6;
  o.held_out_questions = 4;
  o.arrivals = {.requests_per_second = 0, .zipf_exponent = 1.2, .requests = 400, .tail_share = 0.5};
  preset.session.tiers = two_tiers("10MiB", "25MiB");
  return preset;
}

WorkloadPreset tier_pressure() {
  WorkloadPreset preset;
  MakeWorkloadOptions& o = preset.options;
  o.name = "tier-pressure";
  o.description = "Seven times more KV than both tiers hold: policies must choose what to compress, demote or drop.";
  o.seed = 71;
  o.families = {"registry", "news", "story", "meeting", "config", "fewshot"};
  o.contexts_per_family = 5;
  o.min_tokens = 1600;
  o.max_tokens = 2000;
  o.arrivals = {.requests_per_second = 0, .zipf_exponent = 0.7, .requests = 300};
  preset.session.tiers = two_tiers("8MiB", "14MiB");
  return preset;
}

// Lengths that reference-mha was trained on; the default model was not.
WorkloadPreset long_contexts() {
  WorkloadPreset preset;
  MakeWorkloadOptions& o = preset.options;
  o.name = "long-contexts";
  o.description =
      "Texts of 4,000 to 7,500 tokens, for the model reference-mha: computing one takes far longer than loading it.";
  o.seed = 81;
  o.families = {"registry", "inventory", "news", "story", "meeting", "config", "fewshot", "needle"};
  o.contexts_per_family = 1;
  o.min_tokens = 4000;
  o.max_tokens = 7500;
  o.profile_questions = 8;
  o.arrivals = {.requests_per_second = 0, .zipf_exponent = 0.7, .requests = 80};
  preset.session.tiers = two_tiers("48MiB", "96MiB");
  return preset;
}

// Enough contexts of a family, and questions about each, to see how one family varies. Three splits: for profiles, for
// evaluation, and for a drift, whose questions no profile of before has seen. The first two are drawn from the whole
// text, whatever the third one is.
WorkloadPreset sensitivity_large() {
  WorkloadPreset preset = sensitivity_mix();
  preset.is_sample = false;
  MakeWorkloadOptions& o = preset.options;
  o.name = "sensitivity-large";
  o.description =
      "Twenty texts of every kind, each with thirty questions for its profile: how one kind varies; later questions "
      "are about the beginning of each text.";
  o.seed = 33;
  o.contexts_per_family = 20;
  o.min_tokens = 2600;  // a story of fewer has no sixty questions
  o.max_tokens = 2900;
  o.profile_questions = o.held_out_questions = 30;
  o.drifted_questions = 30;  // as many as a text has beside these sixty
  o.arrivals = {.requests_per_second = 0, .zipf_exponent = 0.6, .requests = 720};
  o.arrivals.drift = Drift{.begin = 0.4, .end = 0.6};
  preset.session.tiers = two_tiers("80MiB", "200MiB");
  return preset;
}

// A regime of a paper. All have the same texts and questions, so that quality curves are measured once.
WorkloadPreset of_regime(const Regime& regime) {
  WorkloadPreset preset;
  preset.is_sample = false;
  MakeWorkloadOptions& o = preset.options;
  o.name = regime.name;
  o.description = regime.description;
  o.seed = 91;
  o.families = {"registry", "inventory", "news", "story", "meeting", "config", "fewshot", "needle", "ledger"};
  o.contexts_per_family = 6;  // a fiftieth of the KV is then one context
  o.min_tokens = 600;
  o.max_tokens = 1000;
  o.answer_tokens = 128;
  o.arrivals = {.requests_per_second = 0, .zipf_exponent = 0, .requests = 216};
  o.arrivals.each_context_first = regime.each_context_first;
  // Half of what a machine serves that prefills a context in 0.13 s; session_in() has the rate for another one.
  if (regime.requests_per_prefill > 0) o.arrivals.requests_per_second = 4;
  preset.session.policy = regime.policy;
  // The regime's middle on such a machine, to which regime_facts.h fits its alphas.
  preset.session.alpha = regime.alpha_unit == AlphaUnit::prefill ? 0.1 : 0.5;
  preset.session.tiers = tier_texts(regime, regime.preset_percent);
  preset.session.methods.assign(regime.methods.begin(), regime.methods.end());
  preset.session.removed_fractions = regime.removed_fractions;
  preset.session.reprofile = false;        // the questions do not drift
  preset.session.compute_or_load = "off";  // the papers' systems load whatever is stored
  return preset;
}

// Arrivals and session of AdaptCache's regime, on other texts. It is no part of the regime's own workload, whose
// contexts and requests stay as they are. regime_of_workload() lists its name.
WorkloadPreset in_adaptcache_regime(const char* name, std::vector<std::string> families,
                                    std::size_t contexts_per_family) {
  WorkloadPreset preset = of_regime(*regime_named("adaptcache-regime"));
  MakeWorkloadOptions& o = preset.options;
  o.name = name;
  o.families = std::move(families);
  o.contexts_per_family = contexts_per_family;
  o.arrivals.requests = 4 * o.families.size() * contexts_per_family;  // four a context, as in the regime
  return preset;
}

// The coding part of AdaptCache's evaluation: code alone.
WorkloadPreset code_in_regime() {
  WorkloadPreset preset = in_adaptcache_regime("adaptcache-regime-code", {"code"}, 18);
  preset.options.description =
      "Modules of Python, asked for their next line; in the regime of AdaptCache, for the quality metric "
      "code_bleu and the model reference-mha.";
  return preset;
}

// All three tasks of AdaptCache's evaluation, each with a metric of its own: short answers of two families, long
// answers in place of summaries, and code. Long answers are short enough for the regime's rate.
WorkloadPreset tasks_in_regime() {
  WorkloadPreset preset = in_adaptcache_regime("adaptcache-regime-tasks", {"registry", "news", "ledger", "code"}, 14);
  preset.options.description =
      "Questions with short answers, with long ones, and about code; in the regime of AdaptCache, for the quality "
      "metric by_task and the model reference-mha.";
  preset.options.answer_tokens = 64;
  return preset;
}

}  // namespace

std::span<const WorkloadPreset> workload_presets() {
  static const std::vector<WorkloadPreset> presets = [] {
    std::vector<WorkloadPreset> all{quickstart(),        sensitivity_mix(), drifting_questions(), bursts(),
                                    long_tail(),         tier_pressure(),   long_contexts(),      azure_drift(),
                                    sensitivity_large(), code_in_regime(),  tasks_in_regime()};
    for (const Regime& regime : paper_regimes()) all.push_back(of_regime(regime));
    return all;
  }();
  return presets;
}

Expected<const WorkloadPreset*> find_workload_preset(std::string_view name) {
  std::string names;
  std::vector<std::string_view> known;
  for (const WorkloadPreset& preset : workload_presets()) {
    if (preset.options.name == name) return &preset;
    known.push_back(preset.options.name);
    names += (names.empty() ? "" : ", ") + preset.options.name;
  }
  return fail(ErrorCode::usage,
              "unknown preset '" + printable(name) + "'; " + did_you_mean(name, known, "choose from " + names));
}

}  // namespace kvantage::inline workload
