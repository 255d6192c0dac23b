#include <ATen/ATen.h>

#include <algorithm>
#include <map>

#include "core/compress/decode/eviction_methods.h"
#include "core/compress/scorers/scorers.h"

namespace kvantage::inline decode_eviction {
namespace {

/// Evicts whole pages (Chitty-Venkata et al. 2025, Algorithm 3): of a head's pages except the newest, the one with the
/// lowest mean of ||v|| / ||k||, until the excess is covered. Only above budget, and only when the newest page is full,
/// which is this method's cadence: the cache exceeds the budget by at most a page. With shared heads a page's score is
/// the mean over heads. All heads drop the same number of rows; where holes leave pages unequally filled, the last page
/// is evicted in part.
class PagedEviction final : public DecodeEviction {
 public:
  PagedEviction(const EvictionSetting& setting, std::unique_ptr<Scorer> scorer)
      : setting_(setting), scorer_(std::move(scorer)) {}
  EvictionNeeds needs() const override { return {.every_step = true}; }

  Expected<KeptIndices> victims(const StepView& step, int excess) override {
    KeptIndices none(static_cast<std::size_t>(setting_.kv_heads));
    const int page = step.cache.pool().block_tokens();
    const HeadView first = step.cache.head(step.layer, 0);
    if (first.used % page != 0) return none;
    KV_ASSIGN(const auto view, view_layer(step.cache, step.layer, {}, scorer_->needs()));
    at::Tensor scores = scorer_->score(view);  // ||v|| / ||k||: [kv_heads, rows]
    if (setting_.shared_heads) scores = scores.mean(0, true).expand_as(scores).contiguous();
    KeptIndices victims;
    std::size_t fewest = SIZE_MAX;
    for (int h = 0; h < setting_.kv_heads; ++h) {
      victims.push_back(lowest_pages(step.cache.head(step.layer, h), scores[h].const_data_ptr<float>(), excess));
      fewest = std::min(fewest, victims.back().size());
    }
    for (auto& rows : victims) {
      rows.resize(fewest);
      std::ranges::sort(rows);
    }
    return victims;
  }

 private:
  /// Rows of the lowest pages, page by page.
  static std::vector<std::int32_t> lowest_pages(const HeadView& head, const float* scores, int excess) {
    struct Page {
      double sum = 0;
      std::vector<std::int32_t> rows;
      double mean() const { return sum / static_cast<double>(rows.size()); }
    };
    std::map<std::int32_t, Page> pages;  // by index in the block table
    for (int i = 0; i < head.kept; ++i) {
      Page& page = pages[head.slot(static_cast<std::size_t>(i)) / head.pool->block_tokens()];
      page.sum += static_cast<double>(scores[i]);
      page.rows.push_back(i);
    }
    pages.erase(std::prev(pages.end()));  // the newest is never evicted
    std::vector<const Page*> order;
    for (const auto& [place, page] : pages) order.push_back(&page);
    std::ranges::stable_sort(order, {}, [](const Page* page) { return page->mean(); });
    std::vector<std::int32_t> rows;
    for (const Page* page : order) {
      if (rows.size() >= static_cast<std::size_t>(excess)) break;
      rows.insert(rows.end(), page->rows.begin(), page->rows.end());
    }
    return rows;
  }

  EvictionSetting setting_;
  std::unique_ptr<Scorer> scorer_;
};

}  // namespace

Expected<std::unique_ptr<DecodeEviction>> make_paged_decode_eviction(const Parameters& parameters,
                                                                     const EvictionSetting& setting) {
  KV_ASSIGN(auto scorer, make_paged_eviction(parameters));
  return std::make_unique<PagedEviction>(setting, std::move(scorer));
}

}  // namespace kvantage::inline decode_eviction
