#include "core/eviction/define_order.h"
#include "core/eviction/ranked_order.h"

namespace kvantage::inline eviction {
namespace {

/// Least frequently used, as libCacheSim's LFU: counts requests since the entry was last stored; ties are broken by
/// LRU. An entry evicted from the last tier restarts at one.
template <class Key>
class LfuOrder : public RankedOrder<LfuOrder<Key>, Key> {
 public:
  static constexpr OrderTraits traits{.reads_requests = true};
  template <class Book>
  double rank(Key key, const Book& book) const {
    return static_cast<double>(book.requests(key));
  }
};

}  // namespace

KVANTAGE_DEFINE_EVICTION_ORDER(lfu, LfuOrder)

}  // namespace kvantage::inline eviction
