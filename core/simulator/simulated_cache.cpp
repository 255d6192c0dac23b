#include "core/simulator/simulated_cache.h"

#include "core/base/json.h"
#include "core/simulator/tiered_cache.h"

namespace kvantage {
namespace {

using MadeOrder = std::unique_ptr<SimulatedCache>;
template <class Order>
MadeOrder make_cache(std::span<const std::uint64_t> capacities) {
  return std::make_unique<TieredCache<Order>>(capacities);
}

struct NamedOrder {
  std::string_view name;
  MadeOrder (*make)(std::span<const std::uint64_t> capacities);
};
constexpr std::array<NamedOrder, 5> orders{{{"lru", make_cache<LruOrder>},
                                            {"fifo", make_cache<FifoOrder>},
                                            {"lfu", make_cache<LfuOrder>},
                                            {"gdsf", make_cache<GdsfOrder>},
                                            {"s3fifo", make_cache<S3FifoOrder>}}};
constexpr auto order_names = [] {
  std::array<std::string_view, orders.size()> all{};
  for (std::size_t i = 0; i < orders.size(); ++i) all[i] = orders[i].name;
  return all;
}();

}  // namespace

std::span<const std::string_view> cache_orders() { return order_names; }

Expected<MadeOrder> make_simulated_cache(std::string_view order, std::span<const std::uint64_t> capacities) {
  if (capacities.empty() || capacities.size() > most_simulated_tiers)
    return fail(ErrorCode::usage, "a simulated cache has 1 to 8 tiers, not " + std::to_string(capacities.size()) +
                                      "; give them fastest first");
  for (const NamedOrder& one : orders)
    if (one.name == order) return one.make(capacities);
  return fail(ErrorCode::usage,
              "'" + printable(order) + "' is no order of eviction; choose one of lru, fifo, lfu, gdsf, s3fifo");
}

}  // namespace kvantage
