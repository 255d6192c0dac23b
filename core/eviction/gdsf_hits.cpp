#include <algorithm>

#include "core/eviction/define_order.h"
#include "core/eviction/ranked_order.h"

namespace kvantage::inline eviction {
namespace {

/// GDSF with a cost of 1, as libCacheSim's GDSF and as GDSF-Hits of Arlitt et al. 1999: H = L + requests / size. The
/// entry with the lowest H is evicted and its H becomes L. Space is freed before the newcomer enters.
template <class Key>
class GdsfHitsOrder : public RankedOrder<GdsfHitsOrder<Key>, Key> {
 public:
  static constexpr OrderTraits traits{.reads_requests = true};
  template <class Book>
  double rank(Key key, const Book& book) const {
    // libCacheSim's 1e6 scales H and L alike; it keeps the digits of both the same as here.
    return inflation_ + static_cast<double>(book.requests(key)) * 1e6 /
                            static_cast<double>(std::max<std::uint64_t>(book.size(key), 1));
  }
  void evicted(double rank) { inflation_ = std::max(inflation_, rank); }

 private:
  double inflation_ = 0;
};

}  // namespace

KVANTAGE_DEFINE_EVICTION_ORDER(gdsf_hits, GdsfHitsOrder)

}  // namespace kvantage::inline eviction
