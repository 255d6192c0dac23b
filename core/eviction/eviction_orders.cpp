#include "core/eviction/eviction_orders.h"

#include <algorithm>

namespace kvantage::inline eviction {
namespace {

#define KVANTAGE_EVICTION_ORDER(name, is_policy, is_stateful, victim_text, summary, source, color, is_shown) \
  {#name,  is_policy, is_stateful, victim_text,         summary,                                             \
   source, color,     is_shown,    make_##name##_order, make_##name##_cache},
constexpr EvictionOrderInfo table[] = {
#include "core/eviction/orders.inl"
};
#undef KVANTAGE_EVICTION_ORDER

}  // namespace

std::span<const EvictionOrderInfo> eviction_orders() { return table; }

const EvictionOrderInfo* find_eviction_order(std::string_view name) {
  const auto at = std::ranges::find(table, name, &EvictionOrderInfo::name);
  return at == std::end(table) ? nullptr : at;
}

std::string eviction_choices() {
  std::string text;
  for (const EvictionOrderInfo& order : table)
    if (order.is_policy) text += (text.empty() ? "" : "|") + std::string(order.name);
  return text;
}

}  // namespace kvantage::inline eviction
