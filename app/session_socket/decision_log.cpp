#include "app/session_socket/decision_log.h"

#include <algorithm>
#include <variant>

namespace kvantage::inline session_socket {
namespace {

bool is_decision(const EventPayload& payload) {
  return std::holds_alternative<events::PlacementCommitted>(payload) ||
         std::holds_alternative<events::PlacementFailed>(payload) ||
         std::holds_alternative<events::PlanMade>(payload) || std::holds_alternative<events::SettingChanged>(payload) ||
         std::holds_alternative<events::RunStarted>(payload) || std::holds_alternative<events::RunFinished>(payload);
}

}  // namespace

void DecisionLog::publish(const Event& event) {
  if (!is_decision(event.payload)) return;
  Event copy = event;
  if (auto* started = std::get_if<events::RunStarted>(&copy.payload)) started->settings = nullptr;  // asked for apart
  const std::lock_guard lock(mutex_);
  kept_.push_back(std::move(copy));
  if (kept_.size() <= max_kept) return;
  kept_.pop_front();
  ++first_;
}

DecisionLog::Page DecisionLog::since(std::uint64_t number) const {
  const std::lock_guard lock(mutex_);
  Page page;
  page.lost = number < first_;
  const std::uint64_t end = first_ + kept_.size(), from = std::clamp(number, first_, end);
  page.next = std::min(end, from + max_page);
  page.events.reserve(page.next - from);
  for (std::uint64_t at = from; at < page.next; ++at)
    page.events.push_back(to_json(kept_[static_cast<std::size_t>(at - first_)]));
  return page;
}

}  // namespace kvantage::inline session_socket
