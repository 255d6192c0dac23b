// What figures about answers under decode-time eviction measure of the claims about them. Budgets are shares of the
// prompt here and tokens in the papers: the largest of at most half the prompt stands for PagedEviction's 1,024 tokens,
// the largest of all for its 4,096.
#include <algorithm>
#include <array>
#include <iterator>
#include <set>

#include "core/base/form_text.h"
#include "core/base/statistics.h"
#include "core/experiments/figures/decode_cells.h"
#include "core/experiments/measured_spans.h"

namespace kvantage::inline figures {
namespace {

constexpr double small_budget = 0.5;  // at most

class Claims {
 public:
  Claims(const std::vector<DecodeCell>& cells, FigureResult& result) : cells_(cells), result_(result) {
    for (const DecodeCell& cell : cells) {
      pages_.insert(cell.page_tokens);
      if (!cell.eviction_method.empty()) budgets_.insert(cell.budget_fraction);
    }
  }

  void add() {
    if (budgets_.empty()) return;
    if (result_.figure == "pagedeviction/fig2") {
      add_scores_at_1024();
      add_scores_at_4096();
    } else if (result_.figure == "pagedeviction/fig3") {
      add_claim(result_, "pagedeviction/throughput-all-budgets", speeds({"knorm", "keydiff"}, pages_), true);
    } else if (result_.figure == "pagedeviction/fig4") {
      add_page_sizes();
    } else if (result_.figure == "decode") {
      add_answers();
    } else {
      add_claim(result_, "compaction/hole-filling-copies", copy_ratios());
    }
  }

 private:
  using Spans = std::vector<MeasuredSpan>;
  using Methods = std::initializer_list<const char*>;

  /// Null: not measured.
  const DecodeCell* cell_of(std::string_view method, double budget, int page,
                            CompactionKind compaction = CompactionKind::repack) const {
    const auto found = std::ranges::find_if(cells_, [&](const DecodeCell& cell) {
      const DecodeMethodInfo* info = find_decode_method(FormText::name_of(cell.eviction_method));
      return info != nullptr && info->name == method && cell.budget_fraction == budget && cell.page_tokens == page &&
             cell.compaction == compaction;
    });
    return found == cells_.end() ? nullptr : &*found;
  }
  const DecodeCell& full() const { return cells_.front(); }
  int first_page() const { return full().page_tokens; }
  double budget_of_1024() const {
    const auto above = budgets_.upper_bound(small_budget);
    return above == budgets_.begin() ? *above : *std::prev(above);
  }

  /// paged_eviction's scores / each other method's, at a budget.
  Spans score_ratios(Methods others, double budget) const {
    Spans all;
    const DecodeCell* paged = cell_of("paged_eviction", budget, first_page());
    for (const char* other : others)
      if (const DecodeCell* cell = cell_of(other, budget, first_page()); paged != nullptr && cell != nullptr)
        if (const auto ratio = paired_ratio(paged->rouge, cell->rouge)) all.push_back(*ratio);
    return all;
  }
  Spans score_gains(Methods others, double budget) const {
    Spans all = score_ratios(others, budget);
    for (MeasuredSpan& one : all) one = scaled(one, 1, -1);
    return all;
  }

  void add_scores_at_1024() {
    const double budget = budget_of_1024();
    add_claim(result_, "pagedeviction/govreport-1024", score_gains({"streaming_llm", "keydiff"}, budget));
    add_claim(result_, "pagedeviction/multinews-1024", score_gains({"knorm", "streaming_llm"}, budget));
    add_claim(result_, "pagedeviction/accuracy-vs-others", score_gains({"streaming_llm"}, budget));
    Spans small;
    for (const double one : budgets_) {
      if (one > budget) continue;
      const Spans ratios = score_ratios({"streaming_llm", "knorm", "keydiff"}, one);
      small.insert(small.end(), ratios.begin(), ratios.end());
    }
    add_claim(result_, "pagedeviction/small-budgets", small);
    const DecodeCell *paged = cell_of("paged_eviction", budget, first_page()),
                     *knorm = cell_of("knorm", budget, first_page());
    if (paged == nullptr) return;
    if (knorm != nullptr)
      add_claim(result_, "pagedeviction/multinews-vs-knorm",
                scaled(paired_difference(paged->rouge, knorm->rouge), 100));
    add_claim(result_, "pagedeviction/points-below-full", scaled(paired_difference(full().rouge, paged->rouge), 100));
  }

  void add_scores_at_4096() {
    const auto share = [this](double budget) -> Spans {
      const DecodeCell* paged = cell_of("paged_eviction", budget, first_page());
      const auto ratio = paged == nullptr ? std::nullopt : paired_ratio(paged->rouge, full().rouge);
      return ratio ? Spans{*ratio} : Spans{};
    };
    for (const char* claim : {"pagedeviction/govreport-4096", "pagedeviction/multinews-4096"})
      add_claim(result_, claim, share(*budgets_.rbegin()));
    Spans large;
    for (const double budget : budgets_)
      if (const Spans one = share(budget); budget > small_budget) large.insert(large.end(), one.begin(), one.end());
    add_claim(result_, "pagedeviction/large-budgets", large);
  }

  /// Tokens per second of paged_eviction / those of each other method, over all budgets.
  Spans speeds(Methods others, const std::set<int>& pages) const {
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

  void add_page_sizes() {
    Spans above_full, paged_losses, other_losses;
    for (const DecodeCell& cell : cells_) {
      if (cell.eviction_method.empty()) continue;
      const std::string_view method = find_decode_method(FormText::name_of(cell.eviction_method))->name;
      const bool paged = method == "paged_eviction";
      const DecodeCell& whole = full_cache_of(cells_, cell);
      if (paged) above_full.push_back(measured_ratio(whole.token_seconds, cell.token_seconds));
      const auto ratio = paired_ratio(cell.rouge, whole.rouge);
      if (!ratio || (!paged && method != "knorm" && method != "keydiff")) continue;
      (paged ? paged_losses : other_losses).push_back(scaled(*ratio, -1, 1));
    }
    if (!above_full.empty())  // "up to"
      add_claim(result_, "pagedeviction/throughput-page-sizes", largest_of(above_full), true);
    std::set<int> sizes;
    for (const int page : {16, 32})
      if (pages_.contains(page)) sizes.insert(page);
    add_claim(result_, "pagedeviction/page-sizes-vs-streaming-llm", speeds({"streaming_llm"}, sizes), true);
    add_claim(result_, "pagedeviction/page-sizes-score", paged_losses);
    add_claim(result_, "pagedeviction/page-sizes-knorm-keydiff", other_losses);
  }

  void add_answers() {
    Spans memory;
    for (const double budget : budgets_)
      if (const DecodeCell* quest = cell_of("quest", budget, first_page()))
        memory.push_back(exactly(quest->peak_bytes / full().peak_bytes));
    add_claim(result_, "compaction/quest-memory", memory);
    const double least = *budgets_.begin();
    for (const auto& [method, claims] :
         {std::pair{"r_kv", std::array{"compaction/aime-2024-r-kv", "compaction/aime-2025-r-kv"}},
          std::pair{"triattention",
                    std::array{"compaction/aime-2024-triattention", "compaction/aime-2025-triattention"}}})
      if (const DecodeCell* cell = cell_of(method, least, first_page()))
        if (const auto share = paired_ratio(cell->rouge, full().rouge))
          for (const char* claim : claims) add_claim(result_, claim, *share);
    const DecodeCell* best = nullptr;
    for (const DecodeCell& cell : cells_) {
      const DecodeMethodInfo* info = find_decode_method(FormText::name_of(cell.eviction_method));
      if (info == nullptr || info->selects || cell.budget_fraction != least || cell.page_tokens != first_page())
        continue;
      if (best == nullptr || mean_of(cell.rouge) > mean_of(best->rouge)) best = &cell;
    }
    if (best != nullptr)
      add_claim(result_, "compaction/loss-at-2048", scaled(paired_difference(full().rouge, best->rouge), 100));
  }

  /// Copies a pass, hole filling / repack, where repack copies some.
  Spans copy_ratios() const {
    Spans all;
    for (const DecodeCell& repack : cells_) {
      if (repack.eviction_method.empty() || repack.compaction != CompactionKind::repack) continue;
      const DecodeMethodInfo* info = find_decode_method(FormText::name_of(repack.eviction_method));
      const DecodeCell* filling =
          cell_of(info->name, repack.budget_fraction, repack.page_tokens, CompactionKind::hole_fill);
      if (filling == nullptr || repack.counts.slot_copies == 0 || filling->counts.passes == 0) continue;
      const auto a_pass = [](const EvictionCounts& counts) {
        return static_cast<double>(counts.slot_copies) / static_cast<double>(counts.passes);
      };
      all.push_back(exactly(a_pass(filling->counts) / a_pass(repack.counts)));
    }
    return all;
  }

  const std::vector<DecodeCell>& cells_;
  FigureResult& result_;
  std::set<double> budgets_;
  std::set<int> pages_;
};

}  // namespace

void add_decode_claims(const std::vector<DecodeCell>& cells, FigureResult& result) { Claims(cells, result).add(); }

}  // namespace kvantage::inline figures
