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

/// How far the session is now from the regime of its workload where that is one of the figure's paper, else the numbers
/// that it shares with the paper's first regime. Empty for a figure of a paper without one.
std::vector<RegimeDeviation> deviations_now(const FigureArguments& arguments, const Engine& engine);

/// How far sessions were from a regime, over several of them: of each row the one in the middle, as a single timing may
/// be disturbed, the 90th percentile (nearest rank), and the farthest.
class RegimeRecord {
 public:
  /// Rows of deviations_now(), of this session or of an earlier one that served a cell of the same figure. Nothing for
  /// a figure of a paper without a regime.
  void add(const FigureArguments& arguments, const Engine& engine, const std::string& condition,
           std::vector<RegimeDeviation> rows);
  /// A session in the regime: its regime_deviations().
  void add_inside(const Regime& regime, std::vector<RegimeDeviation> rows);
  /// A session in none, under a condition of its figure: its shared_deviations() from the regime.
  void add_outside(const Regime& regime, std::vector<RegimeDeviation> rows, const std::string& condition);

  /// A table of the rows, and why claims get no verdict: in the middle or at the 90th percentile a row is more than
  /// regime_tolerance off, or the sessions were in no regime of a paper.
  void tell(FigureResult& result) const;
  /// For a figure with conditions of its own, which gives verdicts on any workload: a table of the rows, and the limit
  /// that `condition` puts on each verdict (FigureResult::limit) where a row is as far off.
  void tell_limit(FigureResult& result, const std::string& condition) const;

 private:
  /// Of one number of the regime.
  struct Row {
    std::string condition;
    std::vector<RegimeDeviation> measured;  // nearest to the regime first
    const RegimeDeviation& middle() const;
    const RegimeDeviation& near_farthest() const;  // the 90th percentile
    /// The first of these two that is too far off, named so; else the middle.
    RegimeDeviation judged() const;
  };
  void add(std::vector<RegimeDeviation> rows, const std::string& condition);

  const Regime* regime_ = nullptr;
  bool is_inside_ = false;
  std::vector<Row> rows_;
};

}  // namespace kvantage::inline studies
