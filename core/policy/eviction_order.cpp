#include "core/policy/eviction_order.h"

namespace kvantage {

std::string_view victim_words(Eviction eviction) {
  switch (eviction) {
    case Eviction::lru:
      return "least recently used";
    case Eviction::lfu:
      return "least frequently used";
    case Eviction::s3fifo:
      return "next in its queue and not asked for again";
    case Eviction::gdsf:
      return "saves the least for its bytes";
    case Eviction::importance:
      return "lowest importance times frequency";
  }
  return "";
}

std::unique_ptr<EvictionOrder> make_eviction_order(Eviction eviction) {
  switch (eviction) {
    case Eviction::lru:
      return make_lru_order();
    case Eviction::lfu:
      return make_lfu_order();
    case Eviction::s3fifo:
      return make_s3fifo_order();
    case Eviction::gdsf:
      return make_gdsf_order();
    case Eviction::importance:
      return make_importance_order();
  }
  return make_lru_order();
}

}  // namespace kvantage
