#include "core/store/cache_store.h"

#include <utility>

#include "core/base/units.h"
#include "core/compress/method.h"
#include "core/ports/placement_reasons.h"
#include "core/ports/tier_config.h"

namespace kvantage::inline store {

CacheStore::CacheStore(ModelRuntime& runtime, Catalog& catalog, BufferLender& lender, EventBus& events,
                       const Clock& clock, std::vector<std::unique_ptr<StorageTier>> tiers,
                       std::unique_ptr<StorageTier> archive)
    : runtime_(runtime),
      catalog_(catalog),
      lender_(lender),
      events_(events),
      clock_(clock),
      entries_(runtime, catalog),
      tiers_(std::move(tiers)),
      background_(clock),
      originals_(runtime, catalog, lender, events, background_, std::move(archive)),
      inventory_(catalog, tiers_, writes_),
      chunk_copies_(tiers_, catalog, clock) {}

CacheStore::~CacheStore() { finish_writes(); }

void CacheStore::recover() {
  originals_.recover();
  for (std::size_t t = 0; t < tiers_.count(); ++t) {
    inventory_.recover(t);
    publish_occupancy(static_cast<int>(t));
  }
}

bool CacheStore::sync(std::size_t tier) {
  if (!inventory_.sync(tier)) return false;
  publish_occupancy(static_cast<int>(tier));
  return true;
}

void CacheStore::clear() {
  finish_writes();
  chunk_copies_.clear();
  for (std::size_t t = 0; t < tiers_.count(); ++t) {
    for (const EntryInfo& info : tiers_[t].entries()) (void)tiers_[t].erase(info.key);
    publish_occupancy(static_cast<int>(t));
  }
  for (std::size_t c = 0; c < catalog_.size(); ++c) catalog_.clear_placement(c);
  (void)originals_.forget();
}

std::optional<CacheHit> CacheStore::find(std::span<const std::int32_t> tokens) {
  const auto hit = catalog_.prefixes().longest(tokens, [this](const Digest128& key) {
    const auto context = catalog_.index_of(key);
    return context && catalog_.residency(*context).placement.stored();
  });
  if (!hit) return std::nullopt;
  const std::size_t context = *catalog_.index_of(hit->key);
  const ContextResidency& state = catalog_.residency(context);
  StorageTier& tier = tiers_[static_cast<std::size_t>(state.placement.tier)];
  const TierDescription description = tier.describe();
  const PlacementWrite* const write = writes_.of(context);
  const bool may_have_copies =
      state.placement.tier > 0 && static_cast<std::size_t>(state.placement.tier) >= chunk_copies_.tiers();
  return CacheHit{.place = {.tier = &tier,
                            .tier_name = description.name,
                            .throttled = description.throttled,
                            .bytes_in_flight = write != nullptr ? write->entry.bytes : nullptr,
                            .copies = may_have_copies ? &chunk_copies_ : nullptr},
                  .info = write != nullptr ? write->entry.info : catalog_.details(context).entry,
                  .header = write != nullptr ? write->entry.header : catalog_.details(context).header,
                  .method = state.placement.method,
                  .removed_fraction = state.placement.removed_fraction,
                  .context = context,
                  .prefix_tokens = hit->tokens,
                  .kept_map = write != nullptr ? nullptr : catalog_.details(context).kept_map,
                  .on_loss = [this, context, read = state.placement](const ReadFailure& failure) {
                    if (catalog_.residency(context).placement == read) drop(context, failure);
                  }};
}

void CacheStore::drop(std::size_t context, const ReadFailure& failure) {
  const ContextResidency& state = catalog_.residency(context);
  if (!state.placement.stored()) return;
  const int tier = state.placement.tier;
  const auto index = static_cast<std::size_t>(tier);
  const bool away = failure.may_be_found_again() || !tiers_[index].reachable();
  const bool dropped = away || failure.entry_is_lost();
  events_.publish(events::ReadFailed{catalog_.facts(context).key, catalog_.snapshot().tiers[index].name,
                                     std::string(to_string(failure.error.code)) + ": " + failure.error.message,
                                     dropped});
  if (!dropped) return;
  if (away)
    tiers_.mark_unseen(index);
  else
    (void)tiers_[index].erase(catalog_.details(context).entry.key);
  catalog_.clear_placement(context);
  publish_occupancy(tier);
}

// The stored entry unchanged, for a move between tiers without recompression.
tl::expected<SerializedEntry, ReadFailure> CacheStore::read_entry(std::size_t context) {
  const ContextResidency& state = catalog_.residency(context);
  StorageTier& tier = tiers_[static_cast<std::size_t>(state.placement.tier)];
  const EntryInfo& info = catalog_.details(context).entry;
  // Layer inputs cannot be made from the keys and values that they give.
  if (const auto method = parse_stored_method(state.placement.method);
      method && (*method)->codec() != nullptr && (*method)->codec()->layer_input_share() > 0) {
    LoadTask load(tier, info, nullptr, lender_, false);
    KV_ASSIGN(auto copy, copy_whole(load, stop_));
    return SerializedEntry{info, std::move(copy.header), std::move(copy.bytes)};
  }
  KvCache cache(*runtime_.pool);
  KV_TRY(load_whole(tier, info, lender_, false, cache, stop_));
  auto entry = entries_.serialize(context, cache, nullptr, state.placement);
  if (!entry) return tl::unexpected(ReadFailure{entry.error(), {}});
  return std::move(*entry);
}

Expected<SerializedEntry> CacheStore::make_entry(std::size_t context, const Configuration& configuration) {
  const Configuration& from = catalog_.residency(context).placement;
  if (originals_.cached(context) == nullptr && from.stored() && from.method == configuration.method &&
      from.removed_fraction == configuration.removed_fraction) {
    if (const PlacementWrite* const write = writes_.of(context)) return write->entry;
    auto entry = read_entry(context);
    if (entry) return std::move(*entry);
    if (entry.error().error.code == ErrorCode::cancelled) return tl::unexpected(entry.error().error);
    drop(context, entry.error());
  }
  KV_ASSIGN(Original* const original, originals_.get(context, stop_));
  return entries_.compress(context, *original, configuration, stop_);
}

// Erases the old entry first, so that no tier ever exceeds its budget. This is safe: a compressed entry has its
// original in the archive, and an uncompressed one is in memory in `entry`.
Status CacheStore::commit(const PlacementAction& action, Backlog backlog) {
  const auto found = catalog_.index_of(action.context);
  if (!found) return fail(ErrorCode::internal, "placement of an unknown context");
  const std::size_t context = *found;
  const ContextResidency& state = catalog_.residency(context);
  PlacementWrite write{.context = context, .action = action, .start_ns = clock_.monotonic_ns(), .entry = {}};
  const auto note_present = [&] {
    write.action.from = state.placement;
    write.action.bytes_before = state.stored_bytes;
    write.action.bytes_after = 0;
  };
  note_present();
  Status status;
  if (is_held_up(action) && backlog == Backlog::refuse) {
    status = fail(ErrorCode::no_space, "more than " + format_bytes(writes_.max_bytes()) + " are still being written");
  } else if (action.to.stored()) {
    if (auto entry = make_entry(context, action.to))
      write.entry = std::move(*entry);
    else
      status = tl::unexpected(entry.error());
  }
  if (status) {
    writes_.supersede(context);
    wait_until([this, context] { return writes_.of(context) == nullptr; });
    note_present();  // the placement is empty if the superseded write failed
  }
  if (const int tier = state.placement.tier; status && state.placement.stored()) {
    status = tiers_[static_cast<std::size_t>(tier)].erase(catalog_.details(context).entry.key);
    catalog_.clear_placement(context);
    publish_occupancy(tier);
  }
  if (!status || !action.to.stored()) {
    publish_outcome(write, status);
    return status;
  }
  write.action.bytes_after = write.entry.info.bytes;
  wait_until([this] { return writes_.has_room(); });
  this->write(std::move(write));
  return {};
}

void CacheStore::write(PlacementWrite placement) {
  const Configuration to = placement.action.to;
  const SerializedEntry& entry = placement.entry;
  placement.tier = &tiers_[static_cast<std::size_t>(to.tier)];
  ContextResidency& state = catalog_.residency(placement.context);
  state.placement = to;
  state.stored_bytes = entry.info.bytes;
  ContextDetails& details = catalog_.details(placement.context);
  details.entry = entry.info;
  details.header = entry.header;
  details.kept_map = entry.kept_map;
  const Ticket ticket = placement.tier->submit_write(entry.info, entry.bytes, background_);
  writes_.add(ticket, std::move(placement));
}

void CacheStore::publish_outcome(const PlacementWrite& write, const Status& status) {
  const std::string& id = catalog_.facts(write.context).id;
  PlacementAction action = write.action;
  if (status) {
    const double seconds = static_cast<double>(clock_.monotonic_ns() - write.start_ns) * 1e-9;
    events_.publish(events::PlacementCommitted{action, id, seconds});
  } else {
    action.bytes_after = 0;
    events_.publish(
        events::PlacementFailed{action, id, status.error().message, catalog_.residency(write.context).placement});
  }
  if (action.to.stored()) publish_occupancy(action.to.tier);
}

void CacheStore::take(const Completion& completion) {
  const auto write = writes_.take(completion.ticket);
  if (!write) {
    (void)originals_.take(completion);
    return;
  }
  if (!completion.status) {
    // A previous version that was unreachable for a while may still exist on the tier: sync it again.
    if (write->tier->contains(catalog_.details(write->context).entry.key))
      tiers_.mark_unseen(static_cast<std::size_t>(write->action.to.tier));
    catalog_.clear_placement(write->context);
    if (!write->superseded) failed_writes_.push_back(catalog_.facts(write->context).key);
  }
  const bool given_up = write->superseded && !completion.status;
  publish_outcome(*write, given_up ? fail(ErrorCode::cancelled, std::string(superseded_reason)) : completion.status);
}

Status CacheStore::write_and_wait(StorageTier& tier, const SerializedEntry& entry) {
  CompletionQueue completions(clock_);
  const Ticket ticket = tier.submit_write(entry.info, entry.bytes, completions);
  for (bool cancelled = false;;) {
    for (Completion& completion : completions.wait(0.05))
      if (completion.last) return std::move(completion.status);
    if (!cancelled && stop_ && stop_()) {
      tier.cancel(ticket);
      cancelled = true;
    }
  }
}

void CacheStore::poll() {
  for (const Completion& completion : background_.poll()) take(completion);
  if (!chunk_copies_.poll()) return;
  for (int tier = 0; tier + 1 < static_cast<int>(tiers_.count()); ++tier) publish_occupancy(tier);
}

void CacheStore::wait_until(const std::function<bool()>& over) {
  bool cancelled = false;
  while (!over()) {
    for (const Completion& completion : background_.wait(0.05)) take(completion);
    if (cancelled || !stop_ || !stop_()) continue;
    writes_.give_up_all();
    cancelled = true;
  }
}

void CacheStore::finish_writes(bool give_up) {
  if (give_up) writes_.give_up_all();
  wait_until([this] { return !originals_.is_writing() && writes_.empty(); });
}

void CacheStore::publish_occupancy(int tier) {
  const auto index = static_cast<std::size_t>(tier);
  if (index >= catalog_.snapshot().tiers.size()) return;
  const TierState& state = catalog_.snapshot().tiers[index];
  std::uint64_t scratch = 0, placed = 0;
  do {  // again where a scratch entry appeared in between
    scratch = tiers_.scratch_bytes(index);
    placed = writes_.bytes_placed(tiers_[index]);
  } while (scratch != tiers_.scratch_bytes(index));
  events_.publish(events::TierOccupancy{state.name, placed - scratch, TierBudget(state.budget_bytes).capacity_bytes(),
                                        catalog_.bytes_by_method(tier)});
}

}  // namespace kvantage::inline store
