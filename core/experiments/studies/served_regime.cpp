#include "core/experiments/studies/served_regime.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/experiments/figure_text.h"
#include "core/experiments/regime_tiers.h"
#include "core/experiments/studies/study_cells.h"
#include "core/policy/frontier.h"
#include "core/policy/plan_text.h"

namespace kvantage::inline studies {
namespace {

/// Of the workload, if figures of that paper are served in it.
const Regime* regime_of(const Engine& engine, const std::string& figure) {
  const Regime* regime = regime_of_workload(engine.workload().name);
  return regime != nullptr && figure.starts_with(regime->figures) ? regime : nullptr;
}

/// The first of the figure's paper.
const Regime* regime_of_paper(const std::string& figure) {
  const auto all = paper_regimes();
  const auto found = std::ranges::find_if(all, [&](const Regime& one) { return figure.starts_with(one.figures); });
  return found == all.end() ? nullptr : &*found;
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

std::string title_of(const Regime& regime) {
  return "Regime " + std::string(regime.name) + ", and the sessions beside it";
}

std::vector<std::string> columns_of_rows() {
  return {"what", "regime", "here", "off %", "90th percentile off %", "farthest off %"};
}

/// Of one number, as `middle` measured it.
std::vector<Json> cells_of(const RegimeDeviation& middle, const RegimeDeviation& near_farthest,
                           const RegimeDeviation& farthest) {
  return {middle.what,
          number_or_unlimited(middle.wanted),
          number_or_unlimited(middle.measured),
          percent_or_nothing(middle.off_percent),
          percent_or_nothing(near_farthest.off_percent),
          percent_or_nothing(farthest.off_percent)};
}

/// "outside of evicpress-regime, 2 tiers instead of 3, 3 of 4 ratios off"; empty where all hold.
std::string limit_text(const Regime& regime, const std::vector<RegimeDeviation>& rows) {
  if (std::ranges::all_of(rows, &RegimeDeviation::holds)) return {};
  std::string text = "outside of " + std::string(regime.name);
  std::size_t ratios = 0, away = 0;
  for (const RegimeDeviation& row : rows) {
    if (row.what == tiers_row) {
      text += ", " + short_number(row.measured) + " tiers instead of " + short_number(row.wanted);
      continue;
    }
    ++ratios;
    away += row.holds ? 0 : 1;
  }
  return text + ", " + std::to_string(away) + " of " + std::to_string(ratios) + " ratios off";
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

std::vector<RegimeDeviation> deviations_now(const FigureArguments& arguments, const Engine& engine) {
  if (const Regime* inside = regime_of(engine, arguments.figure)) return regime_deviations(*inside, *engine.snapshot());
  const Regime* beside = regime_of_paper(arguments.figure);
  return beside == nullptr ? std::vector<RegimeDeviation>() : shared_deviations(*beside, *engine.snapshot());
}

void RegimeRecord::add(const FigureArguments& arguments, const Engine& engine, const std::string& condition,
                       std::vector<RegimeDeviation> rows) {
  if (const Regime* inside = regime_of(engine, arguments.figure))
    add_inside(*inside, std::move(rows));
  else if (const Regime* beside = regime_of_paper(arguments.figure))
    add_outside(*beside, std::move(rows), condition);
}

void RegimeRecord::add_inside(const Regime& regime, std::vector<RegimeDeviation> rows) {
  regime_ = &regime;
  is_inside_ = true;
  add(std::move(rows), {});
}

void RegimeRecord::add_outside(const Regime& regime, std::vector<RegimeDeviation> rows, const std::string& condition) {
  regime_ = &regime;
  is_inside_ = false;
  add(std::move(rows), condition);
}

void RegimeRecord::add(std::vector<RegimeDeviation> rows, const std::string& condition) {
  for (RegimeDeviation& row : rows) {
    auto known = std::ranges::find_if(rows_, [&](const Row& of) {
      return of.condition == condition && of.measured.front().what == row.what &&
             of.measured.front().wanted == row.wanted;
    });
    if (known == rows_.end()) known = rows_.insert(rows_.end(), Row{condition, {}});
    const auto place = std::ranges::upper_bound(known->measured, off(row), {}, &off);
    known->measured.insert(place, std::move(row));
  }
}

const RegimeDeviation& RegimeRecord::Row::middle() const { return measured[measured.size() / 2]; }

const RegimeDeviation& RegimeRecord::Row::near_farthest() const { return measured[(9 * measured.size() - 1) / 10]; }

RegimeDeviation RegimeRecord::Row::judged() const {
  if (!middle().holds || near_farthest().holds) return middle();
  RegimeDeviation row = near_farthest();
  row.what = "90th percentile of " + row.what;
  return row;
}

void RegimeRecord::tell(FigureResult& result) const {
  if (!is_inside_) {
    result.off_regime = "the workload is not in the paper's regime";
    return;
  }
  result.settings["regime"] = regime_->name;
  FigureTable table{title_of(*regime_), columns_of_rows(), {}};
  std::vector<RegimeDeviation> judged;
  judged.reserve(rows_.size());
  for (const Row& of : rows_) {
    table.rows.push_back(cells_of(of.middle(), of.near_farthest(), of.measured.back()));
    judged.push_back(of.judged());
  }
  result.tables.push_back(std::move(table));
  if (!is_in_regime(judged)) result.off_regime = withheld_text(judged);
}

void RegimeRecord::tell_limit(FigureResult& result, const std::string& condition) const {
  if (regime_ == nullptr) return;
  const auto is_judged = [&](const Row& of) { return is_inside_ || of.condition == condition; };
  std::vector<const Row*> rows;
  rows.reserve(rows_.size());
  for (const Row& of : rows_) rows.push_back(&of);
  // Cells are served in a random order.
  std::ranges::stable_sort(rows, {}, [&](const Row* of) { return std::pair(!is_judged(*of), of->condition); });
  FigureTable table{title_of(*regime_), columns_of_rows(), {}};
  table.columns.insert(table.columns.begin(), "condition");
  std::vector<RegimeDeviation> judged;
  for (const Row* of : rows) {
    auto cells = cells_of(of->middle(), of->near_farthest(), of->measured.back());
    cells.insert(cells.begin(), is_inside_ ? Json() : Json(of->condition));
    table.rows.push_back(std::move(cells));
    if (is_judged(*of)) judged.push_back(of->judged());
  }
  result.tables.push_back(std::move(table));
  result.limit = limit_text(*regime_, judged);
}

}  // namespace kvantage::inline studies
