#include <algorithm>

#include "core/eviction/define_order.h"
#include "core/eviction/ranked_order.h"

namespace kvantage {
namespace {

/// GreedyDual-Size with frequency (Cao and Irani 1997, Cherkasova 1998), as libCacheSim's GDSF: H = L + requests * cost
/// / size, the lowest H leaves and becomes L, so that what is no longer asked for is overtaken. Cost is the seconds
/// that a hit saves. A newcomer competes.
template <class Key>
class GdsfOrder : public RankedOrder<GdsfOrder<Key>, Key> {
 public:
  static constexpr OrderTraits traits{.reads_requests = true, .reads_gain = true, .newcomers_compete = true};
  template <class Book>
  double rank(Key key, const Book& book) const {
    return inflation_ + book.gain(key);
  }
  // The highest so far: pinned entries may let a victim of a later rank go first.
  void evicted(double rank) { inflation_ = std::max(inflation_, rank); }

 private:
  double inflation_ = 0;
};

}  // namespace

KVANTAGE_DEFINE_EVICTION_ORDER(gdsf, GdsfOrder)

}  // namespace kvantage
