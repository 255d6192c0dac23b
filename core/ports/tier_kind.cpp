#include "core/ports/tier_kind.h"

#include <algorithm>

namespace kvantage::inline ports {
namespace {

std::deque<TierKind>& kind_registry() {
  static std::deque<TierKind> kinds = [] {
    std::deque<TierKind> rows;
#define KVANTAGE_TIER_KIND(name, ...) rows.push_back(TierKind{.id = #name, __VA_ARGS__});
#include "core/ports/tier_kinds.inl"
#undef KVANTAGE_TIER_KIND
    return rows;
  }();
  return kinds;
}

}  // namespace

const TierOption* TierKind::find_option(std::string_view key) const {
  const auto at = std::ranges::find(options, key, &TierOption::key);
  return at == options.end() ? nullptr : &*at;
}

const std::deque<TierKind>& tier_kinds() { return kind_registry(); }

const TierKind* find_tier_kind(std::string_view id) {
  const auto at = std::ranges::find(kind_registry(), id, &TierKind::id);
  return at == kind_registry().end() ? nullptr : &*at;
}

const TierOption* find_tier_option(std::string_view key) {
  for (const TierKind& kind : kind_registry())
    if (const TierOption* option = kind.find_option(key)) return option;
  return nullptr;
}

Status add_tier_kind(TierKind kind) {
  if (kind.id.empty() || kind.noun.empty() || kind.place.empty() || kind.summary.empty())
    return fail(ErrorCode::usage,
                "tier kind '" + kind.id + "': its row is not whole; give id, noun, place and summary");
  if (kind.is_default)
    return fail(ErrorCode::usage, "tier kind '" + kind.id + "': there is a default kind; leave is_default out");
  if (find_tier_kind(kind.id) != nullptr)
    return fail(ErrorCode::usage, "tier kind '" + kind.id + "': the id is taken; choose another one");
  kind_registry().push_back(std::move(kind));
  return {};
}

}  // namespace kvantage::inline ports
