#include "core/experiments/studies/served_regime.h"

#include <algorithm>
#include <cmath>

#include "core/experiments/figure_text.h"
#include "core/experiments/regime_tiers.h"
#include "core/experiments/studies/study_cells.h"
#include "core/policy/frontier.h"

namespace kvantage::inline studies {
namespace {

/// Of the workload, if figures of that paper are served in it.
const Regime* regime_of(const Engine& engine, const std::string& figure) {
  const Regime* regime = regime_of_workload(engine.workload().name);
  return regime != nullptr && figure.starts_with(regime->figures) ? regime : nullptr;
}

std::vector<std::string> papers_pool(const Regime& regime, const std::vector<std::string>& all) {
  std::vector<std::string> pool;
  for (const std::string& method : all)
    if (std::ranges::find(regime.methods, method) != regime.methods.end()) pool.push_back(method);
  return pool.empty() ? all : pool;
}

double off(const RegimeDeviation& row) { return std::abs(row.off_percent); }

/// To hundredths.
Json percent_or_nothing(double percent) {
  return std::isfinite(percent) ? Json(std::round(100 * percent) / 100 + 0.0) : Json();
}

}  // namespace

Expected<std::optional<ServedRegime>> served_regime(const FigureArguments& arguments, const Engine& engine) {
  const Regime* regime = regime_of(engine, arguments.figure);
  if (regime == nullptr) return std::optional<ServedRegime>();
  const auto snapshot = engine.snapshot();
  if (snapshot->tiers.size() != regime->tiers.size())
    return fail(ErrorCode::usage, "regime " + std::string(regime->name) + " has " +
                                      std::to_string(regime->tiers.size()) + " tiers, the session " +
                                      std::to_string(snapshot->tiers.size()) + "; leave out --tier");
  ServedRegime served{.regime = regime,
                      .facts = facts_of(*snapshot),
                      .session = {},
                      .methods = papers_pool(*regime, engine.settings().methods)};
  KV_ASSIGN(served.session, session_in(*regime, served.facts));
  return std::optional(std::move(served));
}

std::vector<TierConfig> regime_tiers(const Regime& regime, double first_share, const Engine& engine) {
  return tiers_in(regime, 100 * first_share, *engine.snapshot(), engine.settings().tiers);
}

Expected<std::vector<double>> study_shares(const FigureArguments& arguments, const std::optional<ServedRegime>& served,
                                           bool all, const std::string& otherwise) {
  if (!arguments.budgets.empty()) return study_numbers(arguments.budgets, "--budgets");
  if (!served) return study_numbers(otherwise, "--budgets");
  if (!all) return std::vector<double>{served->regime->preset_percent / 100};
  std::vector<double> shares = served->regime->first_percents;
  for (double& share : shares) share /= 100;
  return shares;
}

Expected<std::vector<double>> study_alphas(const FigureArguments& arguments, const Engine& engine,
                                           const std::optional<ServedRegime>& served) {
  if (!arguments.alphas.empty()) return study_numbers(arguments.alphas, "--alpha");
  if (served) return served->session.alphas;
  std::vector<double> alphas;
  const AlphaScale scale = alpha_scale(*engine.snapshot());
  for (const double factor : {0.03, 0.1, 0.3, 1.0, 3.0}) alphas.push_back(scale.middle * factor);
  return alphas;
}

void RegimeRecord::add(const FigureArguments& arguments, const Engine& engine) {
  regime_ = regime_of(engine, arguments.figure);
  if (regime_ == nullptr) return;
  for (RegimeDeviation& row : regime_deviations(*regime_, *engine.snapshot())) {
    auto known = std::ranges::find_if(
        rows_, [&](const auto& of) { return of.front().what == row.what && of.front().wanted == row.wanted; });
    if (known == rows_.end()) known = rows_.emplace(rows_.end());
    const auto place = std::ranges::upper_bound(*known, std::abs(row.off_percent), {}, &off);
    known->insert(place, std::move(row));
  }
}

std::vector<RegimeDeviation> RegimeRecord::middle() const {
  std::vector<RegimeDeviation> rows;
  rows.reserve(rows_.size());
  for (const auto& of : rows_) rows.push_back(of[of.size() / 2]);
  return rows;
}

void RegimeRecord::tell(FigureResult& result) const {
  if (regime_ == nullptr) {
    result.off_regime = "the workload is not in the paper's regime";
    return;
  }
  result.settings["regime"] = regime_->name;
  FigureTable table{"Regime " + std::string(regime_->name) + ", and the sessions beside it",
                    {"what", "regime", "here", "off %", "farthest off %"},
                    {}};
  for (const auto& of : rows_) {
    const RegimeDeviation& row = of[of.size() / 2];
    table.rows.push_back({row.what, number_or_unlimited(row.wanted), number_or_unlimited(row.measured),
                          percent_or_nothing(row.off_percent), percent_or_nothing(of.back().off_percent)});
  }
  result.tables.push_back(std::move(table));
  const auto rows = middle();
  if (!is_in_regime(rows)) result.off_regime = withheld_text(rows);
}

}  // namespace kvantage::inline studies
