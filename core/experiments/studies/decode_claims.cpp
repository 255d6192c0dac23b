#include "core/experiments/studies/decode_claims.h"

#include <algorithm>
#include <cmath>

#include "core/base/form_text.h"
#include "core/experiments/measured_spans.h"

namespace kvantage::inline studies {

DecodeClaims::DecodeClaims(const std::vector<DecodeCell>& cells) : cells_(cells) {
  for (const DecodeCell& cell : cells) {
    pages_.insert(cell.page_tokens);
    if (!cell.eviction_method.empty()) budgets_.insert(cell.budget_fraction);
  }
}

double DecodeClaims::nearest_budget(double share) const {
  const double wanted = std::min(share, 1.0);
  return *std::ranges::min_element(budgets_, {},
                                   [wanted](double budget) { return std::abs(std::log(budget / wanted)); });
}

const DecodeCell* DecodeClaims::cell_of(std::string_view method, double budget, int page,
                                        CompactionKind compaction) const {
  const auto found = std::ranges::find_if(cells_, [&](const DecodeCell& cell) {
    const DecodeMethodInfo* info = find_decode_method(FormText::name_of(cell.eviction_method));
    return info != nullptr && info->name == method && cell.budget_fraction == budget && cell.page_tokens == page &&
           cell.compaction == compaction;
  });
  return found == cells_.end() ? nullptr : &*found;
}

DecodeClaims::Spans DecodeClaims::score_ratios(Methods others, double budget) const {
  Spans all;
  const DecodeCell* paged = cell_of("paged_eviction", budget, first_page());
  for (const char* other : others)
    if (const DecodeCell* cell = cell_of(other, budget, first_page()); paged != nullptr && cell != nullptr)
      if (const auto paged_over_other = paired_ratio(paged->rouge, cell->rouge)) all.push_back(*paged_over_other);
  return all;
}

DecodeClaims::Spans DecodeClaims::score_gains(Methods others, double budget) const {
  Spans all = score_ratios(others, budget);
  for (MeasuredSpan& one : all) one = scaled(one, 1, -1);
  return all;
}

DecodeClaims::Spans DecodeClaims::speeds(Methods others, const std::set<int>& pages) const {
  Spans all;
  for (const int page : pages)
    for (const double budget : budgets_)
      for (const char* other : others) {
        const DecodeCell *paged = cell_of("paged_eviction", budget, page), *cell = cell_of(other, budget, page);
        if (paged != nullptr && cell != nullptr)
          all.push_back(measured_ratio(cell->token_seconds, paged->token_seconds));
      }
  return all;
}

}  // namespace kvantage::inline studies
