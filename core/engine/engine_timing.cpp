#include <algorithm>

#include "core/compress/method.h"
#include "core/engine/engine_worker.h"

namespace kvantage {
namespace {

constexpr std::size_t timed_parts[] = {8, 2, 1};  // of the longest context: lengths apart enough for a slope

/// Lifts a tier's budget while its probe is written, and leaves nothing of it behind whatever happens.
class Probe {
 public:
  explicit Probe(StorageTier& tier) : tier_(tier), capacity_(tier.capacity()) { tier_.set_capacity(0); }
  ~Probe() {
    erase();
    tier_.set_capacity(capacity_);
  }
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;
  void written(const Digest128& key) { key_ = key; }
  void erase() {
    if (key_) (void)tier_.erase(*key_);
    key_.reset();
  }

 private:
  StorageTier& tier_;
  std::uint64_t capacity_;
  std::optional<Digest128> key_;
};

/// Seconds to decode all rows of a cache as a reader of its entry does.
Expected<double> decode_seconds(const KvCache& cache, const Codec& codec, const Clock& clock) {
  const KvShape& shape = cache.shape();
  double seconds = 0;
  std::vector<std::byte> keys, values, coded, decoded;
  for (int layer = 0; layer < shape.layers; ++layer)
    for (int head = 0; head < shape.kv_heads; ++head) {
      CodecRows rows{shape, layer, ExtentKind::keys, cache.kept(layer, head)};
      keys.resize(rows.bytes());
      values.resize(rows.bytes());
      decoded.resize(rows.bytes());
      cache.gather_head(layer, head, keys.data(), values.data(), nullptr);
      for (const ExtentKind kind : {ExtentKind::keys, ExtentKind::values}) {
        rows.kind = kind;
        coded.clear();
        KV_TRY(codec.encode(rows, kind == ExtentKind::keys ? keys : values, coded));
        const std::int64_t start = clock.monotonic_ns();
        KV_TRY(codec.decode(rows, coded, decoded));
        seconds += static_cast<double>(clock.monotonic_ns() - start) * 1e-9;
      }
    }
  return seconds;
}

}  // namespace

std::size_t Engine::Worker::longest_context() const {
  std::size_t longest = 0;
  for (std::size_t c = 1; c < catalogue_->size(); ++c)
    if (catalogue_->state(c).tokens > catalogue_->state(longest).tokens) longest = c;
  return longest;
}

// Prefills parts of the longest context once each: costs of prefill and question by length, and entries of three sizes
// to load from every tier. All of it is measured anew at each start: it takes less than a second.
Status Engine::Worker::time_model_and_tiers() {
  if (catalogue_->size() == 0) return {};
  const std::vector<std::int32_t>& tokens = catalogue_->details(longest_context()).tokens;
  const std::vector<std::int32_t> question = runtime_->prompt->encode_question("?");
  std::vector<std::size_t> lengths;
  for (const std::size_t part : timed_parts)
    if (tokens.size() / part > 0) lengths.push_back(tokens.size() / part);

  std::vector<double> kept, question_seconds, prefill_tokens, prefill_seconds;
  for (int round = 0; round < 2; ++round) {  // the first round warms caches and threads up and is not counted
    kept.clear(), question_seconds.clear(), prefill_tokens.clear(), prefill_seconds.clear();
    for (const std::size_t length : lengths) {
      if (round == 0 && length != lengths.front()) continue;
      if (interrupted()) return fail(ErrorCode::cancelled, "closed while loading");
      KvCache cache(*runtime_->pool);
      PrefillTask prefill(
          *runtime_->model, cache, {tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(length)}, 0,
          {.chunk_tokens = runtime_->chunk_tokens(), .window_queries = 0, .logits = PrefillLogits::none});
      std::int64_t start = clock_.monotonic_ns();
      KV_TRY(prefill.run());
      prefill_tokens.push_back(static_cast<double>(length));
      prefill_seconds.push_back(static_cast<double>(clock_.monotonic_ns() - start) * 1e-9);
      for (int repeat = 0; repeat < 3; ++repeat) {
        PrefillTask ask(*runtime_->model, cache, question, static_cast<std::int32_t>(length),
                        {.chunk_tokens = runtime_->chunk_tokens(), .window_queries = 0, .logits = PrefillLogits::last});
        start = clock_.monotonic_ns();
        KV_TRY(ask.run());
        kept.push_back(static_cast<double>(length));
        question_seconds.push_back(static_cast<double>(clock_.monotonic_ns() - start) * 1e-9);
        cache.truncate(static_cast<std::int32_t>(length));
        cache.set_sequence_length(static_cast<std::int32_t>(length));
      }
    }
  }
  catalogue_->snapshot().prefill = fit_prefill(prefill_tokens, prefill_seconds);
  catalogue_->snapshot().question = fit_question(kept, question_seconds);
  time_intake();
  for (std::size_t tier = 0; tier < store_->tier_count(); ++tier) KV_TRY(time_tier(tier));
  return time_codecs();
}

// What decoding costs beyond unpacking rows as held, by the rows of a prefilled text: entropy coders take as long as
// the rows are surprising.
Status Engine::Worker::time_codecs() {
  std::vector<std::shared_ptr<const Method>> coding;
  for (const std::string& text : settings_.methods)
    if (const auto method = parse_method(text); method && (*method)->codec() != nullptr) coding.push_back(*method);
  catalogue_->snapshot().codec_costs.clear();
  if (coding.empty()) return {};
  constexpr std::size_t most_tokens = 512;
  const std::vector<std::int32_t>& tokens = catalogue_->details(longest_context()).tokens;
  KvCache cache(*runtime_->pool);
  PrefillTask prefill(
      *runtime_->model, cache,
      {tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(std::min(tokens.size(), most_tokens))}, 0,
      {.chunk_tokens = runtime_->chunk_tokens(), .window_queries = 0, .logits = PrefillLogits::none});
  KV_TRY(prefill.run());
  for (const auto& method : coding) {
    const auto seconds = decode_seconds(cache, *method->codec(), clock_);
    if (!seconds) return tl::unexpected(seconds.error());
    catalogue_->snapshot().codec_costs.push_back({method->text(), *seconds / cache.kept(0, 0)});
  }
  return {};
}

// An entry of zeros as long as a part of the longest context: what the keys hold does not matter for time.
Expected<SerializedEntry> Engine::Worker::timing_entry(std::size_t length) const {
  const KvShape shape = runtime_->model->kv_shape();
  KvCache cache(*runtime_->pool);
  const std::vector<std::byte> rows(length * static_cast<std::size_t>(shape.kv_heads) *
                                    static_cast<std::size_t>(shape.head_dim) * bytes_of(shape.type));
  std::vector<std::int32_t> positions(length);
  for (std::size_t i = 0; i < length; ++i) positions[i] = static_cast<std::int32_t>(i);
  for (int layer = 0; layer < shape.layers; ++layer) KV_TRY(cache.append(layer, rows, rows, positions));
  cache.set_sequence_length(static_cast<std::int32_t>(length));
  EntryHeader header;
  header.identity = runtime_->identity;
  header.method = "timing";
  const auto& tokens = catalogue_->details(longest_context()).tokens;
  header.token_ids.assign(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(length));
  auto bytes = serialize(cache, header, nullptr);
  if (!bytes) return tl::unexpected(bytes.error());
  return SerializedEntry{
      {.key = header.key(), .bytes = header.entry_bytes, .header_bytes = header.header_bytes, .label = "timing"},
      std::make_shared<const EntryHeader>(std::move(header)),
      std::make_shared<const std::vector<std::byte>>(std::move(*bytes))};
}

Status Engine::Worker::time_loads(StorageTier& storage, const SerializedEntry& entry, TierFit& fit) {
  constexpr int repeats = 3;  // the first wakes threads up and is not counted
  const std::size_t length = entry.header->token_ids.size();
  for (int repeat = 0; repeat < repeats; ++repeat) {
    KvCache target(*runtime_->pool);
    LoadTask load(storage, entry.info, entry.header, *opened_.lender, false);
    double restored = 0;
    for (int layer = 0; layer < entry.header->shape.layers;) {
      if (interrupted()) return fail(ErrorCode::cancelled, "timing of the tiers was stopped");
      KV_TRY(load.pump(0.001));
      const std::int64_t start = clock_.monotonic_ns();
      while (layer < entry.header->shape.layers && load.layer_arrived(layer)) KV_TRY(load.restore(layer++, target));
      restored += static_cast<double>(clock_.monotonic_ns() - start) * 1e-9;
    }
    if (repeat > 0)
      fit.add(static_cast<double>(load.bytes()), static_cast<double>(length), load.device_seconds(), restored, true);
  }
  return {};
}

// Loads entries of three sizes. A tier shaped so slow that this would hold requests up starts with its shape as the
// model, which live loads then correct.
Status Engine::Worker::time_tier(std::size_t tier) {
  const TierSetting& setting = settings_.tiers[tier];
  StorageTier& storage = store_->tier(tier);
  // Until it answers it has no model of its own, which no plan finds fast: the default one moves a byte a second.
  if (!storage.reachable()) return {};
  const bool shaped = storage.describe().shaped;
  TierFit fit(shaped ? TierFit::Limits{setting.shaped_bytes_per_second, setting.shaped_latency_seconds}
                     : TierFit::Limits{});
  constexpr double patience_seconds = 0.1;  // for one transfer
  Status timed;
  {
    Probe probe(storage);
    for (const std::size_t part : timed_parts) {
      const std::size_t length = catalogue_->details(longest_context()).tokens.size() / part;
      if (length == 0) continue;
      const auto entry = timing_entry(length);
      if (!entry) return tl::unexpected(entry.error());
      const auto bytes = static_cast<double>(entry->info.bytes);
      const bool slow =
          setting.shaped_latency_seconds > patience_seconds ||
          (setting.shaped_bytes_per_second > 0 && bytes > patience_seconds * setting.shaped_bytes_per_second);
      if (shaped && slow) break;
      timed = store_->write_and_wait(storage, *entry);
      if (timed) {
        probe.written(entry->info.key);
        timed = time_loads(storage, *entry, fit);
      }
      probe.erase();
      if (!timed) break;
    }
  }
  // Also when it was stopped: a fit of the tier's old speed would be worse than what there is.
  if (shaped || fit.samples() > 0) {
    TierState& state = catalogue_->snapshot().tiers[tier];
    if (!costs_frozen_) state.model = fit.model();
    state.shaped = shaped;
    events_.publish(events::TierFitted{state.name, state.model, fit.samples(), state.shaped});
    store_->set_fit(tier, std::move(fit));
  }
  if (!timed && !storage.reachable()) return {};  // it went away under the probe
  // A full or failing disk still serves what it can; loads that come by make up for the times that are missing.
  if (!timed && (timed.error().code == ErrorCode::no_space || timed.error().code == ErrorCode::io)) {
    events_.publish(
        events::Message{"warning", "tier '" + setting.name + "' could not be timed: " + timed.error().message});
    return {};
  }
  if (!timed) return fail(timed.error().code, "tier '" + setting.name + "': " + timed.error().message);
  return {};
}

}  // namespace kvantage
