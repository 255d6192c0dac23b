// The regimes of the papers' evaluations: how much of the KV each tier holds, how long loads take beside prefill, how
// requests come, and which alphas are tried. Everything is relative to the machine, the model and the contexts, so that
// any of them can be put into a regime; regime_facts.h measures whether it is in one.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace kvantage::inline regimes {

struct RegimeTier {
  std::string_view name;
  double times_first = 1;       // budget / that of the fastest tier; 0: unlimited
  double load_per_prefill = 1;  // seconds to load a token uncompressed / seconds to prefill it
};

/// Alphas are multiples of a median over contexts: of the TTFT from the last tier uncompressed, or of prefill.
enum class AlphaUnit { last_tier_load, prefill };

/// A number of a regime: where the paper prints it, or what it follows from.
struct RegimeSource {
  std::string_view number, source;
};

struct Regime {
  std::string_view name, paper, description;
  std::string_view figures;            // their names begin so: verdicts of these hold in the regime
  std::vector<double> first_percents;  // budgets of the fastest tier to try, of all contexts' uncompressed KV
  double preset_percent = 0;           // the one that the preset starts with
  std::vector<RegimeTier> tiers;       // fastest first
  AlphaUnit alpha_unit = AlphaUnit::last_tier_load;
  std::vector<double> alpha_factors;
  bool each_context_first = false;  // every context once, in order, and then uniform draws; else uniform draws alone
  double requests_per_prefill = 0;  // Poisson arrivals within the mean prefill of a context; 0: closed loop
  std::string_view policy;
  std::vector<std::string_view> methods;
  std::vector<double> removed_fractions;
  std::vector<RegimeSource> sources;
};

/// evicpress-regime, authors-simulator, adaptcache-regime.
std::span<const Regime> paper_regimes();
/// Null: no regime has this name.
const Regime* regime_named(std::string_view name);
/// That of a workload: the one of its name, or for the presets "adaptcache-regime-code" and "adaptcache-regime-tasks",
/// which have other contexts, adaptcache-regime. Null for all other names, "evicpress-regime-mine" too.
const Regime* regime_of_workload(std::string_view name);
/// usage error that lists the names, with a near miss if there is one.
Expected<const Regime*> find_regime(std::string_view name);

/// Its tiers as for --tier, the fastest with so many percent: "dram=2%,bandwidth=prefill/0.09", "remote=unlimited,...".
std::vector<std::string> tier_texts(const Regime& regime, double first_percent);

}  // namespace kvantage::inline regimes
