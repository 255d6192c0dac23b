// The part of StoreManager that writes: placements go to the tiers while requests are served. Between the submission
// and its completion a context counts as placed, so that policies decide on what will be; its readers are served from
// memory.
#include <algorithm>

#include "core/base/units.h"
#include "core/engine/store_manager.h"
#include "core/ports/placement_reasons.h"

namespace kvantage {

const StoreManager::Placing* StoreManager::placing_of(std::size_t context) const {
  for (const auto& [ticket, placing] : placing_)
    if (placing.context == context) return &placing;
  return nullptr;
}

const StoreManager::Archiving* StoreManager::archiving_of(std::size_t context) const {
  for (const auto& [ticket, archiving] : archiving_)
    if (archiving.context == context) return &archiving;
  return nullptr;
}

std::uint64_t StoreManager::bytes_being_placed() const {
  std::uint64_t bytes = 0;
  for (const auto& [ticket, placing] : placing_) bytes += placing.entry.info.bytes;
  return bytes;
}

bool StoreManager::is_held_up(const PlacementAction& action) const {
  return action.to.stored() && bytes_being_placed() >= most_bytes_under_way_;
}

void StoreManager::supersede(std::size_t context) {
  for (auto& [ticket, placing] : placing_) {
    if (placing.context != context) continue;
    placing.superseded = true;
    placing.tier->cancel(ticket);
  }
  wait_until([this, context] { return placing_of(context) == nullptr; });
}

Status StoreManager::commit(const PlacementAction& action, Backlog backlog) {
  const auto found = catalogue_.index_of(action.context);
  if (!found) return fail(ErrorCode::internal, "placement of an unknown context");
  const std::size_t context = *found;
  const std::int64_t start = clock_.monotonic_ns();
  PlacementAction done = action;
  done.from = catalogue_.state(context).placement;
  done.bytes_before = catalogue_.state(context).stored_bytes;
  done.bytes_after = 0;

  Status status;
  SerializedEntry blob;
  if (is_held_up(action) && backlog == Backlog::refuse) {
    status = fail(ErrorCode::no_space, "more than " + format_bytes(most_bytes_under_way_) + " are still being written");
  } else if (action.to.stored()) {
    auto made = make_blob(context, action.to);
    if (made) {
      blob = std::move(*made);
    } else {
      status = tl::unexpected(made.error());
    }
  }
  if (status) {
    supersede(context);
    done.from = catalogue_.state(context).placement;  // nothing, if that write did not come about
    done.bytes_before = catalogue_.state(context).stored_bytes;
  }
  // The old entry goes first: a tier never holds both, so its budget holds at every moment. It is safe because every
  // compressed entry has its original in the archive, and an uncompressed one is at hand in `blob`.
  const Configuration before = done.from;
  if (status && before.stored()) {
    status = tiers_[static_cast<std::size_t>(before.tier)]->erase(catalogue_.details(context).entry.key);
    unplace(context);
    publish_occupancy(before.tier);
  }
  if (!status || !action.to.stored()) {
    placed({.context = context, .action = done, .start_ns = start, .tier = nullptr, .entry = {}}, status);
    return status;
  }
  done.bytes_after = blob.info.bytes;
  wait_until([this] { return bytes_being_placed() < most_bytes_under_way_; });
  StorageTier* const tier = tiers_[static_cast<std::size_t>(action.to.tier)].get();
  ContextState& state = catalogue_.state(context);
  state.placement = action.to;
  state.stored_bytes = blob.info.bytes;
  catalogue_.details(context).entry = blob.info;
  catalogue_.details(context).header = blob.header;
  catalogue_.details(context).kept_map = blob.kept_map;
  placing_[tier->submit_write(blob.info, blob.bytes, background_)] = {
      .context = context, .action = done, .start_ns = start, .tier = tier, .entry = blob};
  return {};
}

// What the tier holds and what is on its way there: room that is taken, as contexts count as placed.
std::uint64_t StoreManager::bytes_placed(std::size_t tier) const {
  const StorageTier& storage = *tiers_[tier];
  for (std::uint64_t held = storage.used_bytes();;) {
    std::uint64_t on_its_way = 0;
    for (const auto& [ticket, placing] : placing_)
      if (placing.tier == &storage && !storage.contains(catalogue_.details(placing.context).entry.key))
        on_its_way += placing.action.bytes_after;
    const std::uint64_t now = storage.used_bytes();
    if (now == held) return held + on_its_way;
    held = now;  // something arrived in between
  }
}

void StoreManager::placed(const Placing& placing, const Status& status) {
  const std::string& id = catalogue_.state(placing.context).id;
  PlacementAction action = placing.action;
  if (status) {
    const double seconds = static_cast<double>(clock_.monotonic_ns() - placing.start_ns) * 1e-9;
    events_.publish(events::PlacementCommitted{action, id, seconds});
  } else {
    action.bytes_after = 0;
    events_.publish(
        events::PlacementFailed{action, id, status.error().message, catalogue_.state(placing.context).placement});
  }
  if (action.to.stored()) publish_occupancy(action.to.tier);
}

void StoreManager::take(const Completion& completion) {
  if (const auto job = placing_.find(completion.ticket); job != placing_.end()) {
    const Placing placing = job->second;
    placing_.erase(job);
    if (!completion.status) {
      // An earlier version that was out of reach for a while may lie there still: to be found again.
      if (placing.tier->contains(catalogue_.details(placing.context).entry.key))
        seen_generations_[static_cast<std::size_t>(placing.action.to.tier)] = placing.tier->generation() - 1;
      unplace(placing.context);
      if (!placing.superseded) failed_writes_.push_back(catalogue_.state(placing.context).key);
    }
    const bool given_up = placing.superseded && !completion.status;
    placed(placing, given_up ? fail(ErrorCode::cancelled, std::string(superseded_reason)) : completion.status);
    return;
  }
  const auto job = archiving_.find(completion.ticket);
  if (job == archiving_.end()) return;
  if (!completion.status) {
    ContextState& state = catalogue_.state(job->second.context);
    state.archived = false;
    say_archive_refuses(state.id, completion.status.error());
  } else if (std::exchange(archive_refusal_, std::nullopt)) {
    events_.publish(events::Message{"info", "originals are archived again"});
  }
  archiving_.erase(job);
}

// Once, until one is archived again or the reason is another: a full disk refuses every one.
void StoreManager::say_archive_refuses(const std::string& id, const Error& error) {
  if (!archive_->reachable() || error.code == ErrorCode::cancelled) return;  // an absent server is said already
  if (std::exchange(archive_refusal_, error.code) == error.code) return;
  events_.publish(events::Message{"warning", "original of context '" + id + "' not archived: " + error.message +
                                                 "; said once, until originals are archived again"});
}

void StoreManager::poll() {
  for (const Completion& completion : background_.poll()) take(completion);
}

void StoreManager::wait_until(const std::function<bool()>& over) {
  bool cancelled = false;
  while (!over()) {
    for (const Completion& completion : background_.wait(0.05)) take(completion);
    if (cancelled || !stop_ || !stop_()) continue;
    give_up_placing();
    cancelled = true;
  }
}

void StoreManager::give_up_placing() {
  for (const auto& [ticket, placing] : placing_) placing.tier->cancel(ticket);
}

void StoreManager::finish_writes() {
  wait_until([this] { return archiving_.empty() && placing_.empty(); });
}

}  // namespace kvantage
