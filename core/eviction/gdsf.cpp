#include <algorithm>

#include "core/eviction/define_order.h"
#include "core/eviction/ranked_order.h"

namespace kvantage::inline eviction {
namespace {

/// GreedyDual-Size with frequency (Cao and Irani 1997, Cherkasova 1998), as libCacheSim's GDSF: H = L + requests * cost
/// / size. The lowest H is evicted and becomes L, which ages stale entries. Cost is the seconds that a hit saves. A
/// newcomer competes for its place.
template <class Key>
class GdsfOrder : public RankedOrder<GdsfOrder<Key>, Key> {
 public:
  static constexpr OrderTraits traits{.reads_requests = true, .reads_gain = true, .newcomers_compete = true};
  template <class Book>
  double rank(Key key, const Book& book) const {
    return inflation_ + book.gain(key);
  }
  // The maximum so far: pinned entries may cause a victim of higher rank to be evicted first.
  void evicted(double rank) { inflation_ = std::max(inflation_, rank); }

 private:
  double inflation_ = 0;
};

}  // namespace

KVANTAGE_DEFINE_EVICTION_ORDER(gdsf, GdsfOrder)

}  // namespace kvantage::inline eviction
