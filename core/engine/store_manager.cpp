#include "core/engine/store_manager.h"

#include <algorithm>
#include <set>

#include "core/base/json.h"
#include "core/compress/method.h"
#include "core/engine/observing.h"

namespace kvantage {
namespace {

// What a tier keeps beside an entry so that a restart can place it without reading it.
std::string entry_label(const Digest128& context, const std::string& method, double removed_fraction) {
  return Json{{"context", context.hex()}, {"method", method}, {"removed_fraction", removed_fraction}}.dump();
}

struct ParsedLabel {
  Digest128 context;
  std::string method;
  double removed_fraction = 0;
};
std::optional<ParsedLabel> parse_label(const std::string& label) {
  const auto json = parse_json(label, "entry label");
  if (!json) return std::nullopt;
  const auto context = json_field<std::string>(*json, "context", "entry label");
  const auto method = json_field<std::string>(*json, "method", "entry label");
  const auto removed = json_field<double>(*json, "removed_fraction", "entry label");
  if (!context || !method || !removed) return std::nullopt;
  const auto digest = Digest128::from_hex(*context);
  if (!digest) return std::nullopt;
  return ParsedLabel{*digest, *method, *removed};
}

}  // namespace

StoreManager::StoreManager(ModelRuntime& runtime, Catalogue& catalogue, BufferLender& lender, EventBus& events,
                           const Clock& clock, std::vector<std::unique_ptr<StorageTier>> tiers,
                           std::unique_ptr<StorageTier> archive)
    : runtime_(runtime),
      catalogue_(catalogue),
      lender_(lender),
      events_(events),
      clock_(clock),
      tiers_(std::move(tiers)),
      archive_(std::move(archive)),
      fits_(tiers_.size()),
      seen_generations_(tiers_.size()) {}

StoreManager::~StoreManager() { finish_writes(); }

void StoreManager::recover() {
  if (archive_ != nullptr) {
    seen_archive_generation_ = archive_->generation();
    look_into_archive();
  }
  for (std::size_t t = 0; t < tiers_.size(); ++t) {
    seen_generations_[t] = tiers_[t]->generation();
    for (const EntryInfo& info : tiers_[t]->entries()) place_found(t, info);
    publish_occupancy(static_cast<int>(t));
  }
}

void StoreManager::look_into_archive() {
  std::set<std::size_t> on_their_way;
  for (const auto& [ticket, archiving] : archiving_) on_their_way.insert(archiving.context);
  for (std::size_t c = 0; c < catalogue_.size(); ++c)
    catalogue_.state(c).archived = on_their_way.contains(c) || archive_->contains(original_key(c));
}

bool StoreManager::take_in_archive() {
  if (archive_ == nullptr || archive_->generation() == seen_archive_generation_ || !archive_->reachable()) return false;
  seen_archive_generation_ = archive_->generation();
  look_into_archive();
  return true;
}

Digest128 StoreManager::original_key(std::size_t context) const {
  return entry_key({catalogue_.state(context).key}, "none", 0.0);
}

void StoreManager::place_found(std::size_t tier, const EntryInfo& info) {
  const auto label = parse_label(info.label);
  const auto context = label ? catalogue_.index_of(label->context) : std::nullopt;
  if (!context || catalogue_.state(*context).placement.stored()) {
    (void)tiers_[tier]->erase(info.key);
    return;
  }
  ContextState& state = catalogue_.state(*context);
  state.placement = {static_cast<int>(tier), label->method, label->removed_fraction};
  state.stored_bytes = info.bytes;
  // It was worth keeping to whoever stored it: without a count of its own the next plan would throw it away.
  state.frequency = std::max(state.frequency, 1.0);
  catalogue_.details(*context).entry = info;
  catalogue_.details(*context).forget_header();
}

bool StoreManager::take_in(std::size_t tier) {
  StorageTier& storage = *tiers_[tier];
  const std::uint64_t generation = storage.generation();
  if (generation == seen_generations_[tier] || !storage.reachable()) return false;
  seen_generations_[tier] = generation;
  std::map<Digest128, std::size_t> placed;  // entry to context
  std::uint64_t bytes = 0;
  for (std::size_t c = 0; c < catalogue_.size(); ++c)
    if (catalogue_.state(c).placement.stored() && catalogue_.state(c).placement.tier == static_cast<int>(tier)) {
      placed[catalogue_.details(c).entry.key] = c;
      catalogue_.details(c).forget_header();  // of a version that others may have replaced
      bytes += catalogue_.state(c).stored_bytes;
    }
  for (const EntryInfo& info : storage.entries()) {
    if (const auto known = placed.find(info.key); known != placed.end()) {
      // Others may have written another version, of another length. What is on its way from here is newer.
      if (placing_of(known->second) != nullptr) continue;
      bytes += info.bytes - catalogue_.state(known->second).stored_bytes;
      catalogue_.state(known->second).stored_bytes = info.bytes;
      catalogue_.details(known->second).entry = info;
      continue;
    }
    // A plan counts what is placed: what goes beyond the budget, or is there twice, is left to the others.
    if (storage.capacity() != 0 && bytes + info.bytes > storage.capacity()) {
      (void)storage.erase(info.key);
      continue;
    }
    place_found(tier, info);
    if (storage.contains(info.key)) bytes += info.bytes;
  }
  publish_occupancy(static_cast<int>(tier));
  return true;
}

void StoreManager::clear() {
  finish_writes();
  for (std::size_t t = 0; t < tiers_.size(); ++t) {
    for (const EntryInfo& info : tiers_[t]->entries()) (void)tiers_[t]->erase(info.key);
    publish_occupancy(static_cast<int>(t));
  }
  for (std::size_t c = 0; c < catalogue_.size(); ++c) unplace(c);
  original_.reset();
}

void StoreManager::unplace(std::size_t context) {
  catalogue_.state(context).placement = {};
  catalogue_.state(context).stored_bytes = 0;
  catalogue_.details(context).entry = {};
  catalogue_.details(context).forget_header();
}

std::optional<CacheHit> StoreManager::find(std::span<const std::int32_t> tokens) {
  const auto hit = catalogue_.prefixes().longest(tokens, [this](const Digest128& key) {
    const auto context = catalogue_.index_of(key);
    return context && catalogue_.state(*context).placement.stored();
  });
  if (!hit) return std::nullopt;
  const std::size_t context = *catalogue_.index_of(hit->key);
  const ContextState& state = catalogue_.state(context);
  StorageTier& tier = *tiers_[static_cast<std::size_t>(state.placement.tier)];
  const TierDescription description = tier.describe();
  const Placing* const placing = placing_of(context);
  return CacheHit{.tier = &tier,
                  .tier_name = description.name,
                  .info = placing != nullptr ? placing->entry.info : catalogue_.details(context).entry,
                  .header = placing != nullptr ? placing->entry.header : catalogue_.details(context).header,
                  .method = state.placement.method,
                  .removed_fraction = state.placement.removed_fraction,
                  .context = context,
                  .prefix_tokens = hit->tokens,
                  .shaped = description.shaped,
                  .at_hand = placing != nullptr ? placing->entry.bytes : nullptr,
                  .kept_map = placing != nullptr ? nullptr : catalogue_.details(context).kept_map};
}

void StoreManager::drop(std::size_t context, const ReadFailure& failure) {
  const ContextState& state = catalogue_.state(context);
  if (!state.placement.stored()) return;
  const int tier = state.placement.tier;
  const auto index = static_cast<std::size_t>(tier);
  StorageTier& storage = *tiers_[index];
  const bool away = failure.may_be_found_again() || !storage.reachable();
  const bool dropped = away || failure.entry_is_lost();
  events_.publish(events::ReadFailed{state.key, catalogue_.snapshot().tiers[index].name,
                                     std::string(to_string(failure.error.code)) + ": " + failure.error.message,
                                     dropped});
  if (!dropped) return;
  if (away)
    seen_generations_[index] = storage.generation() - 1;  // to be found again
  else
    (void)storage.erase(catalogue_.details(context).entry.key);
  unplace(context);
  publish_occupancy(tier);
}

TierReport StoreManager::report(std::size_t index) const {
  const StorageTier& tier = *tiers_[index];
  TierReport report{tier.describe(), tier.reachable(), fits_[index].report(), tier.statistics()};
  report.statistics.samples.clear();
  return report;
}

void StoreManager::keep_original(std::size_t context, KvCache cache, WindowQueries queries, bool archive) {
  original_ = std::make_unique<Original>(Original{std::move(cache), observation_of(runtime_, std::move(queries))});
  original_context_ = context;
  if (!archive || archive_ == nullptr || catalogue_.state(context).archived) return;
  std::uint64_t on_their_way = 0;
  for (const auto& [ticket, archiving] : archiving_) on_their_way += archiving.entry.info.bytes;
  if (on_their_way >= most_bytes_under_way_) {
    say_archive_refuses(catalogue_.state(context).id, {ErrorCode::no_space, "it is slower than contexts are computed"});
    return;
  }
  auto blob = serialize_blob(context, original_->cache, &original_->observed.queries,
                             {.tier = 0, .method = "none", .removed_fraction = 0});
  if (!blob) {
    events_.publish(events::Message{"warning", "original not archived: " + blob.error().message});
    return;
  }
  const Ticket ticket = archive_->submit_write(blob->info, blob->bytes, background_);
  archiving_[ticket] = {context, std::move(*blob)};
  catalogue_.state(context).archived = true;  // at hand until then; taken back if the write fails
}

std::optional<EntryInfo> StoreManager::archived_entry(std::size_t context) const {
  if (archive_ == nullptr || !archive_->reachable() || archiving_of(context) != nullptr) return std::nullopt;
  const auto entries = archive_->entries();
  const auto info = std::ranges::find(entries, original_key(context), &EntryInfo::key);
  if (info == entries.end()) return std::nullopt;
  return *info;
}

Expected<StoreManager::Original*> StoreManager::original(std::size_t context) {
  if (original_ != nullptr && original_context_ == context) return original_.get();
  if (archive_ == nullptr || !catalogue_.state(context).archived)
    return fail(ErrorCode::not_found, "context '" + catalogue_.state(context).id + "': its original is not archived");
  const Digest128 key = original_key(context);
  std::optional<LoadTask> load;
  if (const Archiving* const archiving = archiving_of(context)) {
    load.emplace(archiving->entry.bytes, archiving->entry.header, true);
  } else {
    const auto entries = archive_->entries();
    const auto info = std::ranges::find(entries, key, &EntryInfo::key);
    if (info == entries.end()) {
      catalogue_.state(context).archived = false;
      return fail(ErrorCode::not_found,
                  "context '" + catalogue_.state(context).id + "': its original left the archive");
    }
    load.emplace(*archive_, *info, nullptr, lender_, true);
  }
  auto read = std::make_unique<Original>(Original{KvCache(*runtime_.pool), observation_of(runtime_, {})});
  original_.reset();  // at most one original in memory beside the running request
  auto loaded = load_whole(*load, read->cache, true);
  if (!loaded) {
    const ReadFailure& failure = loaded.error();
    if (failure.entry_is_lost()) (void)archive_->erase(key);
    if (failure.may_be_found_again()) seen_archive_generation_ = archive_->generation() - 1;  // to be found again
    catalogue_.state(context).archived = failure.lacked_room();
    events_.publish(events::ReadFailed{catalogue_.state(context).key, "archive", failure.error.message});
    return tl::unexpected(failure.error);
  }
  if (archiving_of(context) == nullptr) archive_bytes_read_ += loaded->bytes;
  read->observed.queries = std::move(loaded->queries);
  original_ = std::move(read);
  original_context_ = context;
  return original_.get();
}

Expected<SerializedEntry> StoreManager::serialize_blob(std::size_t context, const KvCache& cache,
                                                       const WindowQueries* queries,
                                                       const Configuration& configuration) const {
  EntryHeader header;
  header.identity = runtime_.identity;
  header.method = configuration.method;
  header.removed_fraction = configuration.removed_fraction;
  if (const auto method = parse_method(configuration.method); method && (*method)->codec() != nullptr)
    header.codec = (*method)->info().codec;
  header.token_ids = catalogue_.details(context).tokens;
  auto bytes = serialize(cache, header, queries != nullptr && !queries->empty() ? queries : nullptr);
  if (!bytes) return tl::unexpected(bytes.error());
  SerializedEntry blob;
  blob.info = {.key = header.key(),
               .bytes = header.entry_bytes,
               .header_bytes = header.header_bytes,
               .label = entry_label(catalogue_.state(context).key, header.method, header.removed_fraction)};
  blob.kept_map = kept_map_of(cache, header);
  blob.header = std::make_shared<EntryHeader>(std::move(header));
  blob.bytes = std::make_shared<std::vector<std::byte>>(std::move(*bytes));
  return blob;
}

std::shared_ptr<const std::vector<std::byte>> StoreManager::kept_map_of(const KvCache& cache,
                                                                        const EntryHeader& header) {
  const KvShape& shape = header.shape;
  const std::size_t all =
      header.token_ids.size() * static_cast<std::size_t>(shape.layers) * static_cast<std::size_t>(shape.kv_heads);
  if (header.is_coded() || header.kept_rows == all) return nullptr;
  const KeptMap map = KeptMap::of(cache);
  return map.fits(header) ? std::make_shared<const std::vector<std::byte>>(map.bytes(header)) : nullptr;
}

// The stored entry as it is, for a move between tiers without recompression.
tl::expected<SerializedEntry, ReadFailure> StoreManager::read_blob(std::size_t context) {
  const ContextState& state = catalogue_.state(context);
  StorageTier& tier = *tiers_[static_cast<std::size_t>(state.placement.tier)];
  KvCache cache(*runtime_.pool);
  auto loaded = load_whole(tier, catalogue_.details(context).entry, lender_, false, cache);
  if (!loaded) return tl::unexpected(loaded.error());
  auto blob = serialize_blob(context, cache, nullptr, state.placement);
  if (!blob) return tl::unexpected(ReadFailure{blob.error(), {}});
  return std::move(*blob);
}

Expected<SerializedEntry> StoreManager::make_blob(std::size_t context, const Configuration& configuration) {
  const Configuration& from = catalogue_.state(context).placement;
  const bool at_hand = original_ != nullptr && original_context_ == context;
  if (!at_hand && from.stored() && from.method == configuration.method &&
      from.removed_fraction == configuration.removed_fraction) {
    if (const Placing* const placing = placing_of(context)) return placing->entry;
    auto blob = read_blob(context);
    if (blob) return std::move(*blob);
    drop(context, blob.error());
  }
  auto source = original(context);
  if (!source) return tl::unexpected(source.error());
  if (configuration.method == "none") return serialize_blob(context, (*source)->cache, nullptr, configuration);
  const auto method = parse_method(configuration.method);
  if (!method) return tl::unexpected(method.error());
  Original& found = **source;
  KV_TRY(complete_observation(runtime_, found.cache, catalogue_.details(context).tokens, (*method)->info().needs,
                              found.observed, stop_));
  const auto scores = (*method)->scores(found.cache, found.observed);
  if (!scores) return tl::unexpected(scores.error());
  auto compressed = compressed_copy(found.cache, *scores, **method, configuration.removed_fraction);
  if (!compressed) return tl::unexpected(compressed.error());
  return serialize_blob(context, *compressed, nullptr, configuration);
}

Status StoreManager::write_and_wait(StorageTier& tier, const SerializedEntry& entry) {
  CompletionQueue completions;
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

void StoreManager::publish_occupancy(int tier) {
  const auto index = static_cast<std::size_t>(tier);
  if (index >= catalogue_.snapshot().tiers.size()) return;
  const TierState& state = catalogue_.snapshot().tiers[index];
  events_.publish(
      events::TierOccupancy{state.name, bytes_placed(index), state.budget_bytes, catalogue_.bytes_by_method(tier)});
}

}  // namespace kvantage
