#include <ATen/ATen.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "core/compress/decode/eviction_methods.h"
#include "core/compress/scorers/scorers.h"

namespace kvantage::inline decode_eviction {
namespace {

/// Evicts whole pages (Chitty-Venkata et al. 2025, Algorithm 3): of all pages of a block table except the newest, the
/// one with the lowest mean of ||v|| / ||k||, until the excess is covered, and only when the newest page is full, which
/// is this method's cadence: the cache exceeds the budget by at most a page. As printed, the algorithm evicts one page
/// whenever one fills, whatever the budget (`page_full`). A table of several heads, or of the whole sequence, scores a
/// page by the mean over them. All heads drop the same number of rows; where holes leave pages unequally filled, the
/// last page is evicted in part. A page is a block of the pool, or `page` tokens, of which a block holds several or a
/// part. The prompt loses single tokens by the same score (Algorithm 2).
class PagedEviction final : public DecodeEviction {
 public:
  /// page: tokens; 0: the pool's block.
  PagedEviction(const EvictionSetting& setting, std::unique_ptr<Scorer> scorer, bool on_every_full_page, int page)
      : setting_(setting), scorer_(std::move(scorer)), on_every_full_page_(on_every_full_page), page_(page) {}
  EvictionNeeds needs() const override {
    return {.every_step = true,
            .below_budget = on_every_full_page_,
            .whole_sequence = setting_.table == BlockTableScope::sequence};
  }

  Expected<KeptIndices> victims(const StepView& step, int excess) override {
    const KeptIndices none(static_cast<std::size_t>(setting_.kv_heads));
    if (step.cache.head(step.layer, 0).used % page_tokens(step.cache.pool()) != 0) return none;
    const int wanted = on_every_full_page_ ? 1 : excess;
    if (setting_.table == BlockTableScope::sequence) return sequence_victims(step, wanted);
    KV_ASSIGN(const at::Tensor scores, scores_of(step, step.layer));
    KeptIndices victims;
    for (int h = 0; h < setting_.kv_heads; ++h)
      victims.push_back(
          rows_of(lowest_first(pages_of(step.cache.head(step.layer, h), scores[h].const_data_ptr<float>())), wanted));
    return equally_many(std::move(victims));
  }

  Expected<KeptIndices> prompt_victims(const StepView& step, int excess) override {
    KV_ASSIGN(const at::Tensor scores, scores_of(step, step.layer));
    std::vector<std::vector<float>> by_head;
    for (int h = 0; h < setting_.kv_heads; ++h) {
      const float* first = scores[h].const_data_ptr<float>();
      by_head.emplace_back(first, first + scores.size(1));
    }
    return lowest_rows(by_head, excess, 0, setting_.shared_heads());
  }

 private:
  struct Page {
    double sum = 0;
    std::vector<std::int32_t> rows;
    double mean() const { return sum / static_cast<double>(rows.size()); }
  };
  using Pages = std::map<std::int32_t, Page>;  // by index in the block table

  /// ||v|| / ||k||: [kv_heads, rows].
  Expected<at::Tensor> scores_of(const StepView& step, int layer) const {
    KV_ASSIGN(const auto view, view_layer(step.cache, layer, {}, scorer_->needs()));
    at::Tensor scores = scorer_->score(view);
    if (setting_.shared_heads()) scores = scores.mean(0, true).expand_as(scores).contiguous();
    return scores;
  }

  int page_tokens(const BlockPool& pool) const { return page_ > 0 ? page_ : pool.block_tokens(); }

  /// All but the newest, which is never evicted.
  Pages pages_of(const HeadView& head, const float* scores) const {
    Pages pages;
    for (int i = 0; i < head.kept; ++i) {
      Page& page = pages[head.slot(static_cast<std::size_t>(i)) / page_tokens(*head.pool)];
      page.sum += static_cast<double>(scores[i]);
      page.rows.push_back(i);
    }
    if (!pages.empty()) pages.erase(std::prev(pages.end()));
    return pages;
  }

  static std::vector<const Page*> lowest_first(const Pages& pages) {
    std::vector<const Page*> order;
    for (const auto& [place, page] : pages) order.push_back(&page);
    std::ranges::stable_sort(order, {}, [](const Page* page) { return page->mean(); });
    return order;
  }

  /// Rows of the first pages, page by page, until there are `wanted`.
  static std::vector<std::int32_t> rows_of(const std::vector<const Page*>& pages, int wanted) {
    std::vector<std::int32_t> rows;
    for (const Page* page : pages) {
      if (rows.size() >= static_cast<std::size_t>(std::max(0, wanted))) break;
      rows.insert(rows.end(), page->rows.begin(), page->rows.end());
    }
    return rows;
  }

  static KeptIndices equally_many(KeptIndices victims) {
    std::size_t fewest = SIZE_MAX;
    for (const auto& rows : victims) fewest = std::min(fewest, rows.size());
    for (auto& rows : victims) {
      rows.resize(fewest);
      std::ranges::sort(rows);
    }
    return victims;
  }

  /// The same pages in every layer. They are chosen when the first layer asks.
  Expected<KeptIndices> sequence_victims(const StepView& step, int wanted) {
    if (step.layer == 0) KV_TRY(choose_for_sequence(step, wanted));
    KeptIndices victims(static_cast<std::size_t>(setting_.kv_heads));
    for (int h = 0; h < setting_.kv_heads; ++h) {
      const HeadView head = step.cache.head(step.layer, h);
      for (int i = 0; i < head.kept; ++i)
        if (chosen_.contains(head.slot(static_cast<std::size_t>(i)) / page_tokens(*head.pool)))
          victims[static_cast<std::size_t>(h)].push_back(i);
    }
    return equally_many(std::move(victims));
  }

  Status choose_for_sequence(const StepView& step, int wanted) {
    std::map<std::int32_t, double> sums;  // of page means over the layers
    Pages pages;                          // of the last layer: one table, so every layer has these
    for (int layer = 0; layer < setting_.layers; ++layer) {
      KV_ASSIGN(const at::Tensor scores, scores_of(step, layer));
      pages = pages_of(step.cache.head(layer, 0), scores[0].const_data_ptr<float>());
      for (const auto& [place, page] : pages) sums[place] += page.mean();
    }
    std::vector<std::int32_t> order;
    for (const auto& [place, sum] : sums) order.push_back(place);
    std::ranges::stable_sort(order, {}, [&sums](std::int32_t place) { return sums[place]; });
    chosen_.clear();
    int rows = 0;
    for (const std::int32_t place : order) {
      if (rows >= wanted) break;
      chosen_.insert(place);
      rows += static_cast<int>(pages[place].rows.size());
    }
    return {};
  }

  EvictionSetting setting_;
  std::unique_ptr<Scorer> scorer_;
  bool on_every_full_page_;
  int page_;
  std::set<std::int32_t> chosen_;  // pages that the sequence drops in this step
};

}  // namespace

Expected<std::unique_ptr<DecodeEviction>> make_paged_eviction_eviction(const Parameters& parameters,
                                                                       const EvictionSetting& setting) {
  KV_ASSIGN(auto scorer, make_paged_eviction(parameters));
  KV_ASSIGN(const auto when, parameters.word("evict_when", {"above_budget", "page_full"}));
  KV_ASSIGN(const int page, parameters.integer("page", 0, 4096));
  // Other sizes would neither divide a block nor be made of blocks.
  if (page != 0 && (page < 4 || !std::has_single_bit(static_cast<unsigned>(page))))
    return fail(ErrorCode::usage,
                "method 'paged_eviction': page=" + std::to_string(page) +
                    " is not a power of two of at least 4; give one, like 16, or 0 for the pool's block");
  return std::make_unique<PagedEviction>(setting, std::move(scorer), when == "page_full", page);
}

}  // namespace kvantage::inline decode_eviction
