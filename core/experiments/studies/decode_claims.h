// What cells of answers under decode-time eviction measure of the papers' claims. Budgets are shares of the prompt here
// and tokens in the papers: a budget of a paper is represented by the measured one nearest to its share there.
#pragma once

#include <initializer_list>
#include <set>
#include <string_view>
#include <vector>

#include "core/experiments/studies/decode_cells.h"
#include "core/report/figure.h"

namespace kvantage::inline studies {

class DecodeClaims {
 public:
  using Spans = std::vector<MeasuredSpan>;
  using Methods = std::initializer_list<const char*>;

  /// The full cache first. `cells` must outlive this.
  explicit DecodeClaims(const std::vector<DecodeCell>& cells);

  const std::vector<DecodeCell>& cells() const { return cells_; }
  const std::set<double>& budgets() const { return budgets_; }  // of the eviction methods
  const std::set<int>& pages() const { return pages_; }
  const DecodeCell& full() const { return cells_.front(); }
  int first_page() const { return full().page_tokens; }
  /// The measured one nearest to a share of the prompt by its ratio; a share above 1 is the whole prompt.
  double nearest_budget(double share) const;
  /// Null: not measured.
  const DecodeCell* cell_of(std::string_view method, double budget, int page,
                            CompactionKind compaction = CompactionKind::repack) const;

  /// paged_eviction's scores / each other method's, at a budget; the gains are these - 1.
  Spans score_ratios(Methods others, double budget) const;
  Spans score_gains(Methods others, double budget) const;
  /// Tokens per second of paged_eviction / those of each other method, over all budgets.
  Spans speeds(Methods others, const std::set<int>& pages) const;

 private:
  const std::vector<DecodeCell>& cells_;
  std::set<double> budgets_;
  std::set<int> pages_;
};

}  // namespace kvantage::inline studies
