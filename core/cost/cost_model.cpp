#include "core/cost/cost_model.h"

#include <algorithm>

#include "core/base/digest.h"
#include "core/cost/encoded_size.h"
#include "core/kvpr/stored_inputs.h"
#include "core/request/load_task.h"
#include "core/request/resident_hit_stage.h"

namespace kvantage::inline cost {
namespace {

constexpr int load_repeats = 3;  // of each: the first one wakes up threads and is not counted
constexpr std::size_t question_repeats = 3;
constexpr std::size_t timed_parts[] = {8, 2, 1};  // of the longest context: far enough apart to fit a slope

/// Lifts a tier's budget while its probe is written; the destructor always removes the probe.
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

/// Seconds to decode all rows of a cache, as a reader of its entry does.
Expected<double> decode_seconds(const KvCache& cache, const Codec& codec, const Clock& clock) {
  const KvShape& shape = cache.shape();
  double seconds = 0;
  std::vector<std::byte> keys, values, encoded, decoded;
  for (int layer = 0; layer < shape.layers; ++layer)
    for (int head = 0; head < shape.kv_heads; ++head) {
      CodecRows rows{shape, layer, ExtentKind::keys, cache.kept(layer, head)};
      keys.resize(rows.bytes());
      values.resize(rows.bytes());
      decoded.resize(rows.bytes());
      cache.gather_head(layer, head, keys.data(), values.data(), nullptr);
      for (const ExtentKind kind : {ExtentKind::keys, ExtentKind::values}) {
        rows.kind = kind;
        encoded.clear();
        KV_TRY(codec.encode(rows, kind == ExtentKind::keys ? keys : values, encoded));
        const std::int64_t start = clock.monotonic_ns();
        KV_TRY(codec.decode(rows, encoded, decoded));
        seconds += static_cast<double>(clock.monotonic_ns() - start) * 1e-9;
      }
    }
  return seconds;
}

/// Loads of an entry that is in the memory of the computing device.
Status time_resident(ModelRuntime& runtime, ResidentEntries& entries, const SerializedEntry& entry, const Clock& clock,
                     TierFit& fit) {
  const auto bytes = static_cast<double>(entry.header->entry_bytes - entry.header->header_bytes);
  for (int repeat = 0; repeat < load_repeats; ++repeat) {
    KV_ASSIGN(const double seconds, resident_seconds(runtime, entries, entry.info.key, clock));
    if (repeat > 0) fit.add(bytes, static_cast<double>(entry.header->token_ids.size()), seconds, 0, true);
  }
  return {};
}

/// Failures of a device or of what it stores: requests take them as misses, so timing must not end a session for them.
bool is_storage_failure(ErrorCode code) {
  return code == ErrorCode::corrupt || code == ErrorCode::not_found || code == ErrorCode::io ||
         code == ErrorCode::no_space;
}

}  // namespace

void SampleWindow::add(double x, double seconds) {
  x_.push_back(x);
  seconds_.push_back(seconds);
  if (x_.size() <= max) return;
  x_.pop_front();
  seconds_.pop_front();
}

const std::vector<std::int32_t>& CostModel::longest_tokens() const {
  return services_.catalog.details(services_.catalog.longest()).tokens;
}

double CostModel::seconds_since(std::int64_t start_ns) const {
  return static_cast<double>(services_.clock.monotonic_ns() - start_ns) * 1e-9;
}

Status CostModel::time_all(const CostScope& scope) {
  if (services_.catalog.size() == 0) return {};
  for (std::size_t tier = 0; tier < services_.store.tiers().count(); ++tier) KV_TRY(time_tier(tier, scope.tiers[tier]));
  KV_TRY(time_model());  // after the tiers: a window is being made at the beginning, and takes a core
  time_intake();
  snapshot().codec_costs.clear();
  return time_codecs(scope.methods);
}

Status CostModel::time_model() {
  if (snapshot().prefill_at_rest && prefills_.is_empty() && questions_.is_empty()) return {};
  const std::size_t longest = longest_tokens().size();
  std::vector<double> tokens, seconds, kept, question_seconds;
  for (const std::size_t part : timed_parts)
    if (const std::size_t some = longest / part; some > 0) tokens.push_back(static_cast<double>(some));
  if (tokens.empty()) return {};
  // Warms up caches and threads, and is not counted.
  KV_TRY(time_prefill(static_cast<std::size_t>(tokens.front()), kept, question_seconds));
  kept.clear(), question_seconds.clear();
  // Contexts that are stored are not prefilled again, so a disturbed fit would last: the fastest of some counts.
  constexpr int rounds = 3;
  constexpr double patience_seconds = 1;
  const std::int64_t began = services_.clock.monotonic_ns();
  const auto is_worthwhile = [&](int round) {
    const double so_far = seconds_since(began);
    return round == 0 || (so_far > 0 && so_far < patience_seconds);  // in virtual time, computing may take none
  };
  for (int round = 0; round < rounds && is_worthwhile(round); ++round)
    for (std::size_t at = 0; at < tokens.size(); ++at) {
      KV_ASSIGN(const double taken, time_prefill(static_cast<std::size_t>(tokens[at]), kept, question_seconds));
      if (round == 0)
        seconds.push_back(taken);
      else
        seconds[at] = std::min(seconds[at], taken);
    }
  snapshot().prefill = fit_prefill(tokens, seconds);
  const auto slower = [length = static_cast<double>(longest)](const PrefillModel& a, const PrefillModel& b) {
    return a.seconds(length) < b.seconds(length);
  };
  timed_at_rest_.insert(std::ranges::upper_bound(timed_at_rest_, snapshot().prefill, slower), snapshot().prefill);
  snapshot().prefill_at_rest = timed_at_rest_[(timed_at_rest_.size() - 1) / 2];
  snapshot().question = question_of(kept, question_seconds);
  prefills_ = questions_ = {};
  return {};
}

Expected<double> CostModel::time_prefill(std::size_t length, std::vector<double>& kept,
                                         std::vector<double>& question_seconds) {
  if (services_.interrupted()) return fail(ErrorCode::cancelled, "closed while loading");
  const std::vector<std::int32_t>& tokens = longest_tokens();
  KvCache cache(*services_.runtime.pool);
  PrefillTask prefill(
      *services_.runtime.model, cache, {tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(length)}, 0,
      {.chunk_tokens = services_.runtime.chunk_tokens(), .window_queries = 0, .logits = PrefillLogits::none});
  std::int64_t start = services_.clock.monotonic_ns();
  KV_TRY(prefill.run());
  const double taken = seconds_since(start);
  const auto ask = [&](const std::vector<std::int32_t>& question) -> Expected<double> {
    PrefillTask asked(
        *services_.runtime.model, cache, question, static_cast<std::int32_t>(length),
        {.chunk_tokens = services_.runtime.chunk_tokens(), .window_queries = 0, .logits = PrefillLogits::last});
    start = services_.clock.monotonic_ns();
    const Status done = asked.run();
    const double seconds = seconds_since(start);
    cache.truncate(static_cast<std::int32_t>(length));
    cache.set_sequence_length(static_cast<std::int32_t>(length));
    KV_TRY(done);
    return seconds;
  };
  // How long a question is decides most of its time, so the context's own are asked. One that does not fit beside its
  // context is refused to requests, and must not keep the session from opening.
  const std::vector<CatalogQuestion>& known = services_.catalog.details(services_.catalog.longest()).questions;
  for (std::size_t repeat = 0; repeat < question_repeats; ++repeat) {
    Expected<double> seconds = fail(ErrorCode::not_found, "no question");
    if (!known.empty()) seconds = ask(known[repeat % known.size()].tokens);
    if (!seconds) {
      KV_ASSIGN(const auto shortest, services_.runtime.prompt->try_encode_question("?"));
      seconds = ask(shortest);
    }
    KV_TRY(seconds);
    kept.push_back(static_cast<double>(length));
    question_seconds.push_back(*seconds);
  }
  return taken;
}

// A layer of the question is computed as soon as it is loaded.
QuestionModel CostModel::question_of(std::span<const double> kept_tokens, std::span<const double> seconds) const {
  QuestionModel question = fit_question(kept_tokens, seconds);
  question.following_layers = services_.runtime.model->config().layers;
  return question;
}

Status CostModel::time_codecs(const std::vector<std::string>& methods) {
  if (frozen_) return {};
  std::vector<std::shared_ptr<const Method>> of_rows, of_inputs;
  const auto is_timed = [this](const std::string& text) {
    return std::ranges::find(snapshot().codec_costs, text, &CodecCost::method) != snapshot().codec_costs.end();
  };
  for (const std::string& text : methods) {
    const auto method = parse_method(text);
    if (!method || (*method)->codec() == nullptr || is_timed((*method)->text())) continue;
    ((*method)->codec()->layer_input_share() > 0 ? of_inputs : of_rows).push_back(*method);
  }
  if (!of_rows.empty()) KV_TRY(time_row_codecs(of_rows));
  for (const auto& method : of_inputs) KV_TRY(time_inputs_codec(*method));
  return {};
}

// Decode cost beyond unpacking plain rows, measured on prefilled rows, because an entropy coder's time depends on them.
Status CostModel::time_row_codecs(const std::vector<std::shared_ptr<const Method>>& methods) {
  constexpr std::size_t max_tokens = 512;
  const std::vector<std::int32_t>& tokens = longest_tokens();
  KvCache cache(*services_.runtime.pool);
  PrefillTask prefill(
      *services_.runtime.model, cache,
      {tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(std::min(tokens.size(), max_tokens))}, 0,
      {.chunk_tokens = services_.runtime.chunk_tokens(), .window_queries = 0, .logits = PrefillLogits::none});
  KV_TRY(prefill.run());
  for (const auto& method : methods) {
    KV_ASSIGN(const auto seconds, decode_seconds(cache, *method->codec(), services_.clock));
    snapshot().codec_costs.push_back({.method = method->text(),
                                      .seconds_per_token = seconds / cache.kept(0, 0),
                                      .encoded = encoded_size(services_.runtime, *method)});
  }
  return {};
}

// A whole entry, as requests restore it: products of a warm cache alone take half of that.
Status CostModel::time_inputs_codec(const Method& method) {
  const std::size_t length = longest_tokens().size();
  KV_ASSIGN(const SerializedEntry entry, timing_entry(length, method.codec()->text()));
  KV_ASSIGN(const double seconds, restore_seconds(*services_.runtime.model, *services_.runtime.pool, *entry.header,
                                                  *entry.bytes, services_.clock));
  snapshot().codec_costs.push_back({.method = method.text(),
                                    .seconds_per_token = seconds / static_cast<double>(length),
                                    .overlapped_layers = services_.runtime.model->config().layers,
                                    .encoded = encoded_size(services_.runtime, method)});
  return {};
}

// An entry of zeros for a part of the longest context: the content does not affect the time.
Expected<SerializedEntry> CostModel::timing_entry(std::size_t length, const std::string& codec) const {
  const KvShape shape = services_.runtime.model->kv_shape();
  KvCache cache(*services_.runtime.pool);
  const std::vector<std::byte> rows(length * static_cast<std::size_t>(shape.kv_heads) *
                                    static_cast<std::size_t>(shape.head_dim) * bytes_of(shape.type));
  std::vector<std::int32_t> positions(length);
  for (std::size_t i = 0; i < length; ++i) positions[i] = static_cast<std::int32_t>(i);
  for (int layer = 0; layer < shape.layers; ++layer) KV_TRY(cache.append(layer, rows, rows, positions));
  cache.set_sequence_length(static_cast<std::int32_t>(length));
  EntryHeader header;
  header.identity = services_.runtime.identity;
  header.compression = {.method = "timing", .codec = codec, .removed_fraction = 0};
  const auto& tokens = longest_tokens();
  header.token_ids.assign(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(length));
  const LayerInputs inputs(*services_.runtime.model, codec.empty() ? 0 : static_cast<int>(length));
  KV_ASSIGN(auto bytes, serialize(cache, header, nullptr, codec.empty() ? nullptr : &inputs));
  return SerializedEntry{
      {.key = header.key(), .bytes = header.entry_bytes, .header_bytes = header.header_bytes, .label = "timing"},
      std::make_shared<const EntryHeader>(std::move(header)),
      std::make_shared<const std::vector<std::byte>>(std::move(bytes))};
}

Status CostModel::time_loads(StorageTier& storage, const SerializedEntry& entry, TierFit& fit) {
  if (ResidentEntries* const resident = resident_entries(services_.runtime, storage, entry.info.key))
    return time_resident(services_.runtime, *resident, entry, services_.clock, fit);
  const std::size_t length = entry.header->token_ids.size();
  for (int repeat = 0; repeat < load_repeats; ++repeat) {
    KvCache target(*services_.runtime.pool);
    LoadTask load(storage, entry.info, entry.header, services_.lender, false);
    double restored = 0;
    for (int layer = 0; layer < entry.header->shape.layers;) {
      if (services_.interrupted()) return fail(ErrorCode::cancelled, "timing of the tiers was stopped");
      KV_TRY(load.pump(0.001));
      const std::int64_t start = services_.clock.monotonic_ns();
      while (layer < entry.header->shape.layers && load.layer_arrived(layer)) KV_TRY(load.restore(layer++, target));
      restored += static_cast<double>(services_.clock.monotonic_ns() - start) * 1e-9;
    }
    if (repeat > 0)
      fit.add(static_cast<double>(load.bytes()), static_cast<double>(length), load.device_seconds(), restored, true);
  }
  return {};
}

Status CostModel::time_sizes(StorageTier& storage, const TierConfig& setting, TierFit& fit) {
  constexpr double patience_seconds = 0.1;  // per transfer
  constexpr int max_attempts = 3;           // per size
  const bool throttled = storage.describe().throttled;
  Probe probe(storage);
  for (const std::size_t part : timed_parts) {
    const std::size_t length = longest_tokens().size() / part;
    if (length == 0) continue;
    KV_ASSIGN(const auto entry, timing_entry(length));
    const auto bytes = static_cast<double>(entry.info.bytes);
    const bool slow =
        setting.throttle.latency_seconds > patience_seconds ||
        (setting.throttle.bytes_per_second > 0 && bytes > patience_seconds * setting.throttle.bytes_per_second);
    if (throttled && slow) return {};
    for (int attempt = 1;; ++attempt) {
      KV_TRY(services_.store.write_and_wait(storage, entry));  // again: a tier drops what it finds damaged
      probe.written(entry.info.key);
      Status loaded = time_loads(storage, entry, fit);
      probe.erase();
      if (loaded) break;
      if (attempt == max_attempts || !is_storage_failure(loaded.error().code) || !storage.reachable()) return loaded;
      services_.events.publish(events::Message{
          "warning", "tier '" + setting.name + "' is timed again: a read failed: " + loaded.error().message});
    }
  }
  return {};
}

Status CostModel::time_tier(std::size_t tier, const TierConfig& setting) {
  StorageTier& storage = services_.store.tiers()[tier];
  // Until it responds it keeps the default model of 1 byte/s, so slow that no plan uses it.
  if (!storage.reachable()) return {};
  const bool throttled = storage.describe().throttled;
  TierFit fit(throttled ? TierFit::Limits{setting.throttle.bytes_per_second, setting.throttle.latency_seconds}
                        : TierFit::Limits{});
  const Status timed = time_sizes(storage, setting, fit);
  // Even after a cancellation: a fit of the tier's old speed would be worse.
  if (throttled || fit.samples() > 0) {
    TierState& state = snapshot().tiers[tier];
    if (!frozen_) state.model = fit.model();
    state.throttled = throttled;
    state.added_latency_seconds = throttled ? setting.throttle.latency_seconds : 0;
    services_.events.publish(events::TierFitted{state.name, state.model, fit.samples(), state.throttled});
    services_.store.tiers().set_fit(tier, std::move(fit));
  }
  if (!timed && !storage.reachable()) return {};  // became unreachable during the probe
  // A full or failing disk still serves reads; live loads provide the missing samples.
  if (!timed && is_storage_failure(timed.error().code)) {
    services_.events.publish(
        events::Message{"warning", "tier '" + setting.name + "' could not be timed: " + timed.error().message});
    return {};
  }
  if (!timed) return fail(timed.error().code, "tier '" + setting.name + "': " + timed.error().message);
  return {};
}

// Transfers need no CPU time, but verifying their checksums takes a pass over the bytes.
void CostModel::time_intake() {
  const std::vector<std::byte> bytes(std::size_t{4} << 20, std::byte{1});
  double least = 0;
  for (int repeat = 0; repeat < 3; ++repeat) {
    const std::int64_t start = services_.clock.monotonic_ns();
    volatile std::uint64_t sum = checksum_of(bytes);
    (void)sum;
    const double seconds = seconds_since(start);
    if (repeat == 0 || seconds < least) least = seconds;
  }
  intake_seconds_per_byte_ = least / static_cast<double>(bytes.size());
}

void CostModel::learn_load(const LoadSample& sample, const Configuration& served_from) {
  const auto tier = static_cast<std::size_t>(served_from.tier);
  TierFit& fit = services_.store.tiers().fit(tier);
  // Only the tier's share: decode cost is counted per method.
  double unpacking = sample.decode_seconds;
  for (const CodecCost& cost : snapshot().codec_costs)
    if (cost.method == served_from.method)
      unpacking = std::max(0.0, unpacking - cost.seconds_per_token * sample.kept_tokens);
  fit.add(static_cast<double>(sample.bytes), sample.kept_tokens, sample.device_seconds, unpacking);
  TierState& state = snapshot().tiers[tier];
  if (!frozen_) state.model = fit.model();
  if (fit.samples() % 16 == 0)
    services_.events.publish(events::TierFitted{state.name, state.model, fit.samples(), state.throttled});
}

void CostModel::learn(const RequestTask& task, const Configuration& served_from) {
  const CacheUse& use = task.record();
  const int context_tokens = task.record().context_tokens;
  if (const auto& sample = task.load_sample(); sample && served_from.stored()) learn_load(*sample, served_from);
  // Steps that other requests shared say nothing of the time that such a prefill takes alone.
  const SharedPrefill shared = use.timing.shared_prefill.value_or(SharedPrefill{});
  // Before the first token (decode_offload) there is no question yet, and then it does not run in memory.
  if (!use.source.empty() && shared.question.steps == 0)
    questions_.add(use.kept_tokens, use.timing.question_prefill_seconds);
  if (questions_.is_enough() && !frozen_) snapshot().question = question_of(questions_.x(), questions_.seconds());
  const bool computed_though_stored = use.compute_or_load.computed_tokens == context_tokens && use.bytes_loaded == 0;
  const bool computed_whole =
      task.computed_original() || (use.source == "prefill" && task.evicted_unseen_rows());  // where nothing is stored
  if (!computed_though_stored && !(computed_whole && use.prefix_hit_tokens == 0)) return;
  if (shared.context.steps > 0) return;
  prefills_.add(context_tokens, use.timing.context_prefill_seconds);
  if (prefills_.is_enough() && !frozen_) snapshot().prefill = fit_prefill(prefills_.x(), prefills_.seconds());
}

}  // namespace kvantage::inline cost
