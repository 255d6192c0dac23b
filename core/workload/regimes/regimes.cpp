#include "core/workload/regimes/regimes.h"

#include <algorithm>
#include <array>

#include "core/base/did_you_mean.h"
#include "core/base/duration.h"
#include "core/base/json.h"

namespace kvantage::inline regimes {
namespace {

// Seconds a token of Qwen3-30B-A3B in the authors' profiles: prefill 3.95e-5; DRAM 3.40e-6, SSD 1.77e-5, a remote store
// of 0.5 GB/s 1.878e-4. They are 0.086, 0.448 and 4.754 of prefill.
std::vector<RegimeTier> evicpress_tiers() { return {{"dram", 1, 0.09}, {"ssd", 10, 0.45}, {"remote", 0, 4.75}}; }

Regime evicpress_regime() {
  return {
      .name = "evicpress-regime",
      .paper = "EvicPress, arXiv 2512.14946",
      .description =
          "Many texts asked about equally often; DRAM holds a fiftieth of their KV, SSD a fifth, and a "
          "remote tier all of it.",
      .figures = "evicpress/",
      .first_percents = {2, 5, 8, 11},
      .preset_percent = 2,
      .tiers = evicpress_tiers(),
      .alpha_unit = AlphaUnit::last_tier_load,
      .alpha_factors = {0.1, 0.3, 1, 3, 10},
      .policy = "evicpress(quality=raw)",  // section 4.4; without it, qualities are pooled, which is ours
      .methods = {"keydiff", "knorm", "snapkv"},
      .removed_fractions = {0.2, 0.4, 0.6, 0.8, 0.9},
      .sources = {
          {"DRAM 2, 5, 8, 11 %",
           "not printed: 80 GB (section 6.1) of 555 contexts (section 6) of 13,175 tokens, the mean of table 1, are "
           "2.1 % for LongChat, 5.6 % for Qwen2.5-14B, 8.3 % for Llama-3.1-8B and Mistral-7B, 11.1 % for "
           "Qwen3-30B-A3B"},
          {"SSD 10 x DRAM", "section 6.1: 80 GB of DRAM, 800 GB of SSD"},
          {"remote unlimited", "sections 4.1 and 6.1"},
          {"load / prefill 0.09, 0.45, 4.75",
           "not printed: seconds a token in the authors' profiles of Qwen3-30B-A3B, 3.40e-6, 1.77e-5, 1.878e-4 "
           "/ 3.95e-5"},
          {"alpha = median remote TTFT x 0.1, 0.3, 1, 3, 10",
           "not printed: the authors' simulator; the paper names alpha = 1 in section 4.2 and figure 11"},
          {"uniform requests", "section 6.1: 50 test questions on each context"},
          {"keydiff, knorm, snapkv", "section 6.1"},
          {"removed fractions", "not printed; ours"}}};
}

Regime authors_simulator() {
  Regime regime = evicpress_regime();
  regime.name = "authors-simulator";
  regime.description =
      "The same with DRAM for two fifths of the KV, as in the simulator of EvicPress's authors: little is left to "
      "choose.";
  regime.first_percents = {40};
  regime.preset_percent = 40;
  regime.sources.front() = {"DRAM 40 %", "not printed: the authors' simulator"};
  regime.sources[1] = {"SSD 10 x DRAM", "the authors' simulator, and section 6.1"};
  return regime;
}

Regime adaptcache_regime() {
  return {
      .name = "adaptcache-regime",
      .paper = "AdaptCache, arXiv 2509.00105",
      .description =
          "Every text is asked about once, then any of them equally often; SSD holds four times what "
          "DRAM does, and a load from it takes as long as prefill.",
      .figures = "adaptcache/",
      .first_percents = {5, 6, 7, 8, 10},
      .preset_percent = 7,
      .tiers = {{"dram", 1, 0.07}, {"ssd", 4, 1.0}},
      .alpha_unit = AlphaUnit::prefill,
      .alpha_factors = {0.1, 1, 2, 10},
      .each_context_first = true,
      .requests_per_prefill = 0.5,
      .policy = "adaptcache(pool=paper)",
      .methods = {"kivi8", "kivi4", "kivi2", "streaming_llm"},
      .removed_fractions = {0.2714, 0.5143, 0.6286},
      .sources = {
          {"DRAM : SSD = 1 : 4", "section 3: 100 GB of DRAM, 400 GB of SSD"},
          {"DRAM 5 - 10 %",
           "not printed: 100 GB of 1,100 contexts of 131,072 bytes a token are 5.3 % at 13,175 tokens (the mean of "
           "EvicPress's table 1) and 10 % at 6,940"},
          {"SSD load / prefill 1.0",
           "follows from section 3, where prefill and offloading have the same TTFT beside AdaptCache's (56 % "
           "less); its 1 GB/s are 1.31e-4 s a token, 1.11 of the 1.18e-4 of the authors' prefill line"},
          {"DRAM load / prefill 0.07", "not printed: the authors' lines, 8.55e-6 / 1.18e-4 s a token"},
          {"Poisson arrivals", "section 3; no rate is printed: one request in two mean prefills is ours"},
          {"each context once, then uniform", "not printed: the authors' code"},
          {"alpha = median prefill x 0.1, 1, 2, 10",
           "not printed: 1 / the weights 10, 1, 0.5, 0.1 of delay in the authors' code, whose prefill of 10,000 "
           "tokens takes 1.04 s"},
          {"KIVI and StreamingLLM at three rates", "section 3 names both; the rates are those of the authors' code"}}};
}

/// Presets with other contexts in the regime of another preset (core/workload/presets.cpp).
struct Variant {
  std::string_view workload, regime;
};
constexpr auto variants = std::to_array<Variant>(
    {{"adaptcache-regime-code", "adaptcache-regime"}, {"adaptcache-regime-tasks", "adaptcache-regime"}});

}  // namespace

std::span<const Regime> paper_regimes() {
  static const std::vector<Regime> regimes{evicpress_regime(), authors_simulator(), adaptcache_regime()};
  return regimes;
}

const Regime* regime_named(std::string_view name) {
  for (const Regime& regime : paper_regimes())
    if (regime.name == name) return &regime;
  return nullptr;
}

const Regime* regime_of_workload(std::string_view name) {
  const auto variant = std::ranges::find(variants, name, &Variant::workload);
  return regime_named(variant == variants.end() ? name : variant->regime);
}

Expected<const Regime*> find_regime(std::string_view name) {
  if (const Regime* regime = regime_named(name)) return regime;
  std::string names;
  std::vector<std::string_view> known;
  for (const Regime& regime : paper_regimes()) {
    known.push_back(regime.name);
    names.append(names.empty() ? "" : ", ").append(regime.name);
  }
  return fail(ErrorCode::usage,
              "unknown regime '" + printable(name) + "'; " + did_you_mean(name, known, "choose from " + names));
}

std::vector<std::string> tier_texts(const Regime& regime, double first_percent) {
  std::vector<std::string> texts;
  texts.reserve(regime.tiers.size());
  for (const RegimeTier& tier : regime.tiers)
    texts.push_back(std::string(tier.name) + "=" +
                    (tier.times_first > 0 ? shortest_number(first_percent * tier.times_first) + "%" : "unlimited") +
                    ",bandwidth=prefill/" + shortest_number(tier.load_per_prefill));
  return texts;
}

}  // namespace kvantage::inline regimes
