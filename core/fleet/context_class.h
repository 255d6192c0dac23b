// What contexts of a fleet may become: their forms on each tier, and what each form is worth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kvantage::inline fleet {

inline constexpr std::size_t max_fleet_tiers = 5;  // of an engine, the shared store included, which is the last

struct ClassOption {
  std::uint32_t tier = 0;
  double bytes = 0;  // above 0
  double value = 0;  // utility of one request: alpha * quality - ttft
};

/// Contexts that differ only in how often they are requested: one quality curve and one length.
struct ContextClass {
  double unstored = 0;  // utility of one request that prefills the context
  std::vector<ClassOption> options;
};

/// Keeps the forms that are best at some prices: on each tier those on the concave hull of value over bytes, from the
/// unstored context at 0 bytes. A price per byte held or loaded shears the hull and does not change what is on it.
/// The rest is ascending by value.
void keep_priced_forms(ContextClass& one);

}  // namespace kvantage::inline fleet
