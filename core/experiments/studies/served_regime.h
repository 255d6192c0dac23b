// A session on a workload in a paper's regime, as the paper's figures serve it: budgets, alphas, rate and pool of
// methods of the regime in the numbers of this machine. What such sessions measure is held against the regime.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/engine/engine.h"
#include "core/experiments/studies/figure_arguments.h"
#include "core/report/figure.h"
#include "core/workload/regimes/regime_facts.h"

namespace kvantage::inline studies {

struct ServedRegime {
  const Regime* regime = nullptr;
  RegimeFacts facts;
  RegimeSession session;
  std::vector<std::string> methods;  // the paper's pool, of those of the session; all where it has none of them
};

/// Of the session's workload, which is in a regime if it has its name; nothing for other workloads, and for a regime of
/// another paper than the figure's. usage error where the session has another number of tiers, or nothing was timed.
Expected<std::optional<ServedRegime>> served_regime(const FigureArguments& arguments, const Engine& engine);

/// The session's tiers in the regime, the fastest one with this share of all KV, by the session's present fits.
std::vector<TierConfig> regime_tiers(const Regime& regime, double first_share, const Engine& engine);

/// Shares as given by --budgets: of the fastest tier in a regime, else of all tiers together. Where none are given,
/// those of the regime (all, or the preset's alone), else `otherwise`. usage error for others than numbers above 0.
Expected<std::vector<double>> study_shares(const FigureArguments& arguments, const std::optional<ServedRegime>& served,
                                           bool all, const std::string& otherwise);
/// As given by --alpha, else those of the regime, else five scaled to the profiles of the session.
Expected<std::vector<double>> study_alphas(const FigureArguments& arguments, const Engine& engine,
                                           const std::optional<ServedRegime>& served = {});

/// How far sessions were from a regime, over several of them: of each row the one in the middle, as a single timing may
/// be disturbed, and how far the farthest was.
class RegimeRecord {
 public:
  /// Nothing for a session in no regime of the figure's paper.
  void add(const FigureArguments& arguments, const Engine& engine);
  /// A table of the rows, and why claims get no verdict: sessions were off, or in no regime of a paper.
  void tell(FigureResult& result) const;

 private:
  std::vector<RegimeDeviation> middle() const;

  const Regime* regime_ = nullptr;

  std::vector<std::vector<RegimeDeviation>> rows_;  // of each what was measured, nearest to the regime first
};

}  // namespace kvantage::inline studies
