#include "core/experiments/figures/model_comparison.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/experiments/claims.h"
#include "core/experiments/paper_figures.h"

namespace kvantage::inline figures {
namespace {

/// Columns of the table that settle_claims() adds.
struct SettledColumn {
  enum : std::size_t { claim, paper, unit, here, interval, verdict, count };
};

/// Rows of a model's claims, by claim.
using ClaimRows = std::map<std::string, std::vector<Json>>;

/// `order` takes the claims that are new.
ClaimRows claim_rows(const std::vector<FigureResult>& results, std::vector<std::string>& order) {
  ClaimRows rows;
  for (const FigureResult& result : results)
    for (const FigureTable& table : result.tables) {
      if (table.title != claims_title) continue;
      for (const auto& row : table.rows) {
        if (row.size() != SettledColumn::count) continue;
        const std::string id = figure_cell_text(row[SettledColumn::claim]);
        if (std::ranges::find(order, id) == order.end()) order.push_back(id);
        rows[id] = row;
      }
    }
  return rows;
}

/// "agrees", "contradicts" or "cannot tell"; empty: withheld, or not measured.
std::string verdict_in(const std::vector<Json>& row) {
  const std::string text = figure_cell_text(row[SettledColumn::verdict]);
  for (const char* verdict : {"agrees", "contradicts", "cannot tell"})
    if (text.starts_with(verdict)) return verdict;
  return {};
}

}  // namespace

void name_model(FigureResult& result, const std::string& model) {
  result.title += " (" + model + ")";
  result.settings["model name"] = model;
}

FigureResult compare_models(const std::string& figure, const std::vector<ModelResults>& models) {
  FigureResult compared = begin_figure(figure);
  std::string names;
  std::vector<std::string> order;
  std::vector<ClaimRows> rows;
  rows.reserve(models.size());
  for (const ModelResults& one : models) {
    names += (names.empty() ? "" : ", ") + one.model;
    for (const FigureResult& result : one.results)
      compared.provenance = std::max(compared.provenance, result.provenance);  // the least direct
    rows.push_back(claim_rows(one.results, order));
  }
  compared.title += " (" + names + ")";
  compared.settings = {{"models", names}};
  FigureTable table{model_claims_title, {"claim", "model", "paper", "unit", "here", "interval", "verdict"}, {}};
  table.rows.reserve(order.size() * models.size());
  std::size_t comparable = 0, different = 0;
  std::string differing;
  for (const std::string& id : order) {
    std::multiset<std::string> verdicts;
    for (std::size_t m = 0; m < models.size(); ++m) {
      const auto found = rows[m].find(id);
      if (found == rows[m].end()) {
        table.rows.push_back({id, models[m].model, Json(), Json(), Json(), Json(), "not measured"});
        continue;
      }
      const std::vector<Json>& row = found->second;
      table.rows.push_back({id, models[m].model, row[SettledColumn::paper], row[SettledColumn::unit],
                            row[SettledColumn::here], row[SettledColumn::interval], row[SettledColumn::verdict]});
      if (std::string verdict = verdict_in(row); !verdict.empty()) verdicts.insert(std::move(verdict));
    }
    if (verdicts.size() < 2) continue;
    ++comparable;
    if (*verdicts.begin() == *verdicts.rbegin()) continue;
    ++different;
    differing += (differing.empty() ? ": " : ", ") + id;
  }
  if (comparable == 0)
    compared.findings.emplace_back("no claim of the paper is compared between the models");
  else
    compared.findings.push_back("models: the verdicts differ on " + std::to_string(different) + " of " +
                                std::to_string(comparable) + " claims with a verdict on two or more models" +
                                differing);
  if (!order.empty()) compared.tables.push_back(std::move(table));
  return compared;
}

}  // namespace kvantage::inline figures
