#include "core/store/original_archive.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/ports/tier_config.h"
#include "core/runtime/observing.h"
#include "core/runtime/windowed_rows.h"

namespace kvantage::inline store {

Digest128 OriginalArchive::key(std::size_t context) const {
  return entry_key({catalog_.facts(context).key}, "none", 0.0);
}

const OriginalArchive::Write* OriginalArchive::write_of(std::size_t context) const {
  for (const auto& [ticket, write] : writes_)
    if (write.context == context) return &write;
  return nullptr;
}

std::uint64_t OriginalArchive::bytes_on_their_way() const {
  std::uint64_t bytes = 0;
  for (const auto& [ticket, write] : writes_) bytes += write.entry.info.bytes;
  return bytes;
}

void OriginalArchive::look() {
  std::set<std::size_t> on_their_way;
  for (const auto& [ticket, write] : writes_) on_their_way.insert(write.context);
  for (std::size_t c = 0; c < catalog_.size(); ++c)
    catalog_.residency(c).archived = on_their_way.contains(c) || archive_->contains(key(c));
}

void OriginalArchive::recover() {
  if (archive_ == nullptr) return;
  seen_generation_ = archive_->generation();
  look();
}

bool OriginalArchive::sync() {
  if (archive_ == nullptr || archive_->generation() == seen_generation_ || !archive_->reachable()) return false;
  seen_generation_ = archive_->generation();
  look();
  return true;
}

void OriginalArchive::keep(std::size_t context, KvCache cache, WindowQueries queries, bool archived,
                           std::shared_ptr<const LayerInputs> inputs) {
  (void)evict_unseen_rows(runtime_, cache);  // refused only for rows that are not there
  original_ = std::make_unique<Original>(
      Original{std::move(cache), observation_of(runtime_, std::move(queries)), std::move(inputs)});
  original_context_ = context;
  if (archived && archive_ != nullptr && !catalog_.residency(context).archived) archive(context);
}

void OriginalArchive::archive(std::size_t context) {
  const ContextFacts& facts = catalog_.facts(context);
  ContextResidency& residency = catalog_.residency(context);
  if (bytes_on_their_way() >= max_bytes_in_flight_)
    return say_refusal(facts.id, {ErrorCode::no_space, "it is slower than computing contexts"});
  auto entry = entries_.serialize(context, original_->cache, &original_->observed.queries,
                                  {.tier = 0, .method = "none", .removed_fraction = 0});
  if (!entry) {
    events_.publish(events::Message{"warning", "original not archived: " + entry.error().message});
    return;
  }
  const Ticket ticket = archive_->submit_write(entry->info, entry->bytes, completions_);
  writes_[ticket] = {context, std::move(*entry)};
  residency.archived = true;  // in memory until then; reverted if the write fails
}

std::optional<EntryInfo> OriginalArchive::archived_entry(std::size_t context) const {
  if (archive_ == nullptr || !archive_->reachable() || write_of(context) != nullptr) return std::nullopt;
  const auto entries = archive_->entries();
  const auto info = std::ranges::find(entries, key(context), &EntryInfo::key);
  if (info == entries.end()) return std::nullopt;
  return *info;
}

Expected<std::unique_ptr<LoadTask>> OriginalArchive::load_of(std::size_t context) {
  const ContextFacts& facts = catalog_.facts(context);
  ContextResidency& residency = catalog_.residency(context);
  if (archive_ == nullptr || !residency.archived)
    return fail(ErrorCode::not_found, "context '" + facts.id + "': its original is not archived");
  if (const Write* const write = write_of(context))
    return std::make_unique<LoadTask>(write->entry.bytes, write->entry.header, true);
  const auto entries = archive_->entries();
  const auto info = std::ranges::find(entries, key(context), &EntryInfo::key);
  if (info != entries.end()) return std::make_unique<LoadTask>(*archive_, *info, nullptr, lender_, true);
  residency.archived = false;
  return fail(ErrorCode::not_found, "context '" + facts.id + "': its original is no longer in the archive");
}

Expected<Original*> OriginalArchive::get(std::size_t context, const std::function<bool()>& stop) {
  if (original_ != nullptr && original_context_ == context) return original_.get();
  KV_ASSIGN(const auto load, load_of(context));
  auto read = std::make_unique<Original>(Original{KvCache(*runtime_.pool), observation_of(runtime_, {})});
  original_.reset();  // at most one original in memory next to the running requests
  auto loaded = load_whole(*load, read->cache, true, stop);
  if (!loaded) {
    if (loaded.error().error.code != ErrorCode::cancelled) note_failed_read(context, loaded.error());
    return tl::unexpected(loaded.error().error);
  }
  KV_TRY(evict_unseen_rows(runtime_, read->cache));  // of an entry that an earlier version stored whole
  read->observed.queries = std::move(loaded->queries);
  original_ = std::move(read);
  original_context_ = context;
  return original_.get();
}

void OriginalArchive::note_failed_read(std::size_t context, const ReadFailure& failure) {
  const ContextFacts& facts = catalog_.facts(context);
  ContextResidency& residency = catalog_.residency(context);
  if (failure.entry_is_lost()) (void)archive_->erase(key(context));
  if (failure.may_be_found_again()) seen_generation_ = archive_->generation() - 1;  // syncs it again
  residency.archived = failure.lacked_room();
  events_.publish(
      events::ReadFailed{facts.key, std::string(archive_name), failure.error.message, !failure.lacked_room()});
}

bool OriginalArchive::take(const Completion& completion) {
  const auto write = writes_.find(completion.ticket);
  if (write == writes_.end()) return false;
  if (!completion.status) {
    const std::size_t context = write->second.context;
    catalog_.residency(context).archived = false;
    say_refusal(catalog_.facts(context).id, completion.status.error());
  } else if (std::exchange(refusal_, std::nullopt)) {
    events_.publish(events::Message{"info", "originals are archived again"});
  }
  writes_.erase(write);
  return true;
}

// Reported once, until a write succeeds or the reason changes: a full disk would repeat it for every original.
void OriginalArchive::say_refusal(const std::string& id, const Error& error) {
  if (!archive_->reachable() || error.code == ErrorCode::cancelled) return;  // unreachability is already reported
  if (std::exchange(refusal_, error.code) == error.code) return;
  events_.publish(
      events::Message{"warning", "original of context '" + id + "' not archived: " + error.message +
                                     "; further failures are not reported until originals are archived again"});
}

}  // namespace kvantage::inline store
