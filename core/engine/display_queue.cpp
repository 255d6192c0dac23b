#include "core/engine/display_queue.h"

#include <algorithm>

namespace kvantage::inline engine {
namespace {

// Merges `event` into `last` where both report the same state. Occupancy is merged only without a commit in between, so
// that a chart has one point per change.
bool merged(Event& last, const Event& event) {
  if (auto* before = std::get_if<events::TokenEmitted>(&last.payload)) {
    const auto* now = std::get_if<events::TokenEmitted>(&event.payload);
    if (now == nullptr || now->request != before->request) return false;
    before->text += now->text;
    return true;
  }
  if (auto* before = std::get_if<events::Progress>(&last.payload)) {
    const auto* now = std::get_if<events::Progress>(&event.payload);
    if (now == nullptr || now->what != before->what) return false;
    last = event;
    return true;
  }
  if (auto* before = std::get_if<events::TierOccupancy>(&last.payload)) {
    const auto* now = std::get_if<events::TierOccupancy>(&event.payload);
    if (now == nullptr || now->tier != before->tier) return false;
    last = event;
    return true;
  }
  return false;
}

}  // namespace

void DisplayQueue::publish(const Event& event) {
  const std::lock_guard lock(mutex_);
  if (!events_.empty() && merged(events_.back(), event)) return;
  events_.push_back(event);
}

std::vector<Event> DisplayQueue::drain(std::size_t limit) {
  const std::lock_guard lock(mutex_);
  const auto count = static_cast<std::ptrdiff_t>(std::min(limit, events_.size()));
  std::vector<Event> taken(std::make_move_iterator(events_.begin()), std::make_move_iterator(events_.begin() + count));
  events_.erase(events_.begin(), events_.begin() + count);
  return taken;
}

}  // namespace kvantage::inline engine
