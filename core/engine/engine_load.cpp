#include <algorithm>
#include <cstdlib>

#include "core/engine/engine_worker.h"

namespace kvantage {
namespace {

std::string reference_key(const ProfileScope& scope) { return "reference_answers/" + scope.model.hex() + "/" + scope.workload.hex(); }

}  // namespace

Engine::Worker::Worker(Engine& engine)
    : engine_(engine), clock_(engine.clock_), journal_(engine.runs_), events_(engine.clock_, [&] {
        std::vector<EventSink*> sinks{&engine.display_, &journal_};
        sinks.insert(sinks.end(), engine.sinks_.begin(), engine.sinks_.end());
        return sinks;
      }()), settings_(engine.config_.settings) {}

void Engine::Worker::progress(const std::string& what, std::uint64_t done, std::uint64_t total) {
  // One thing at a time is under way: the next one ends the one before, whatever it got to.
  if (!under_way_.empty() && under_way_ != what) events_.publish(events::Progress{under_way_, 1, 1});
  under_way_ = done == total ? std::string() : what;
  events_.publish(events::Progress{what, done, total});
}

Status Engine::Worker::load() {
  EngineConfig& config = engine_.config_;
  constexpr std::uint64_t stages = 5;
  set_compute_threads(config.threads);
  progress("Loading the model", 0, stages);
  auto runtime = ModelRuntime::load(config.model, config.runtime);
  if (!runtime) return tl::unexpected(runtime.error());
  runtime_ = std::move(*runtime);
  if (interrupted()) return fail(ErrorCode::cancelled, "closed while loading");

  progress("Reading the contexts", 1, stages);
  auto catalogue = Catalogue::build(config.workload, *runtime_);
  if (!catalogue) return tl::unexpected(catalogue.error());
  catalogue_ = std::move(*catalogue);

  progress("Opening the tiers", 2, stages);
  auto opened = config.open_tiers(runtime_->digest(), settings_);
  if (!opened) return tl::unexpected(opened.error());
  opened_ = std::move(*opened);
  Snapshot& snapshot = catalogue_->snapshot();
  snapshot.alpha = settings_.alpha;
  for (std::size_t t = 0; t < opened_.tiers.size(); ++t) {
    opened_.tiers[t]->set_capacity(settings_.tiers[t].budget_bytes);
    snapshot.tiers.push_back({.name = settings_.tiers[t].name,
                              .budget_bytes = settings_.tiers[t].budget_bytes,
                              .model = {},
                              .shaped = opened_.tiers[t]->describe().shaped});
  }
  store_ = std::make_unique<StoreManager>(*runtime_, *catalogue_, *opened_.lender, events_, clock_,
                                          std::move(opened_.tiers), std::move(opened_.archive));
  store_->recover();
  auto policy = make_policy(settings_.policy);
  if (!policy) return tl::unexpected(policy.error());
  policy_ = *policy;
  if (interrupted()) return fail(ErrorCode::cancelled, "closed while loading");

  progress("Timing the model and the tiers", 3, stages);
  KV_TRY(time_model_and_tiers());
  progress("Reading the quality profiles", 4, stages);
  KV_TRY(load_profiles());

  {
    const std::lock_guard lock(engine_.mutex_);
    engine_.scope_ = scope_;
    const ModelConfig& model = runtime_->model->config();
    engine_.info_ = {.model_name = runtime_->name,
                     .workload_name = config.workload.name,
                     .run_id = {},
                     .layers = model.layers,
                     .kv_heads = model.kv_heads,
                     .head_dim = model.head_dim,
                     .parameters = model.parameters(),
                     .device = runtime_->model->path_description(),
                     .contexts = catalogue_->size(),
                     .questions = config.workload.questions.size()};
  }
  progress("Ready", stages, stages);
  publish_snapshot();
  return {};
}

Status Engine::Worker::load_profiles() {
  scope_ = {.model = runtime_->digest(),
            .workload = engine_.config_.workload.digest(),
            .quality_metric = settings_.quality_metric};
  if (engine_.profiles_ == nullptr) return {};
  auto cells = engine_.profiles_->load_profiles(scope_);
  if (!cells) return tl::unexpected(cells.error());
  if (cells->empty() && engine_.config_.import_profile) {
    for (const auto& file : engine_.config_.shipped_profiles) {
      if (!std::filesystem::exists(file)) continue;
      KV_TRY(engine_.config_.import_profile(*engine_.profiles_, file));
    }
    cells = engine_.profiles_->load_profiles(scope_);
    if (!cells) return tl::unexpected(cells.error());
  }
  for (ProfileCell& cell : *cells)
    if (const auto context = catalogue_->index_of(cell.context)) cells_[*context].push_back(std::move(cell));
  for (const auto& [context, ignored] : cells_) {
    use_profile(context);
    const ContextState& state = catalogue_->state(context);
    events_.publish(events::ContextProfiled{state.key, state.id, state.family, *state.profile, 0.0, true});
  }
  const auto references = engine_.profiles_->load_value(reference_key(scope_));
  if (!references) return tl::unexpected(references.error());
  if (references->has_value() && (*references)->is_object()) {
    for (std::size_t c = 0; c < catalogue_->size(); ++c)
      for (CatalogueQuestion& question : catalogue_->details(c).questions) {
        const std::string key = catalogue_->state(c).id + "\n" + question.text;
        if (const auto found = (*references)->find(key); found != (*references)->end() && found->is_string())
          question.reference_answer = found->get<std::string>();
      }
  }
  return {};
}

// Prefills parts of the longest context once each: costs of prefill and question by length, and entries of three sizes
// to load from every tier. All of it is measured anew at each start: it takes less than a second.
Status Engine::Worker::time_model_and_tiers() {
  if (catalogue_->size() == 0) return {};
  std::size_t longest = 0;
  for (std::size_t c = 1; c < catalogue_->size(); ++c)
    if (catalogue_->state(c).tokens > catalogue_->state(longest).tokens) longest = c;
  const std::vector<std::int32_t>& tokens = catalogue_->details(longest).tokens;
  const std::vector<std::int32_t> question = runtime_->prompt->encode_question("?");
  std::vector<std::size_t> lengths;
  for (const std::size_t part : {std::size_t{8}, std::size_t{2}, std::size_t{1}})
    if (tokens.size() / part > 0) lengths.push_back(tokens.size() / part);

  std::vector<double> kept, question_seconds, prefill_tokens, prefill_seconds;
  for (int round = 0; round < 2; ++round) {  // the first round warms caches and threads up and is not counted
    kept.clear(), question_seconds.clear(), prefill_tokens.clear(), prefill_seconds.clear();
    for (const std::size_t length : lengths) {
      if (round == 0 && length != lengths.front()) continue;
      if (interrupted()) return fail(ErrorCode::cancelled, "closed while loading");
      KvCache cache(*runtime_->pool);
      PrefillTask prefill(*runtime_->model, cache, {tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(length)}, 0,
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
  for (std::size_t tier = 0; tier < store_->tier_count(); ++tier) KV_TRY(time_tier(tier, lengths));
  return {};
}

Status Engine::Worker::time_tier(std::size_t tier, const std::vector<std::size_t>& lengths) {
  std::size_t longest = 0;
  for (std::size_t c = 1; c < catalogue_->size(); ++c)
    if (catalogue_->state(c).tokens > catalogue_->state(longest).tokens) longest = c;
  const std::vector<std::int32_t>& tokens = catalogue_->details(longest).tokens;
  StorageTier& storage = store_->tier(tier);
  const std::uint64_t capacity = storage.capacity();
  storage.set_capacity(0);  // the probe is erased at once and does not compete with entries
  TierFit fit;
  for (const std::size_t length : lengths) {
    // What the keys hold does not matter for time; zeros take the same bytes.
    KvCache cache(*runtime_->pool);
    const KvShape shape = runtime_->model->kv_shape();
    const std::vector<std::byte> rows(length * static_cast<std::size_t>(shape.kv_heads) *
                                      static_cast<std::size_t>(shape.head_dim) * bytes_of(shape.type));
    std::vector<std::int32_t> positions(length);
    for (std::size_t i = 0; i < length; ++i) positions[i] = static_cast<std::int32_t>(i);
    for (int layer = 0; layer < shape.layers; ++layer) KV_TRY(cache.append(layer, rows, rows, positions));
    cache.set_sequence_length(static_cast<std::int32_t>(length));
    EntryHeader header;
    header.identity = runtime_->identity;
    header.method = "timing";
    header.token_ids.assign(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(length));
    auto bytes = serialize(cache, header, nullptr);
    if (!bytes) return tl::unexpected(bytes.error());
    const EntryInfo info{.key = header.key(), .bytes = header.entry_bytes, .header_bytes = header.header_bytes, .label = "timing"};
    CompletionQueue completions;
    storage.submit_write(info, std::make_shared<const std::vector<std::byte>>(std::move(*bytes)), completions);
    Status written;
    for (bool last = false; !last;)
      for (Completion& completion : completions.wait(0.1)) {
        written = std::move(completion.status);
        last = completion.last;
      }
    if (!written) {
      storage.set_capacity(capacity);
      return fail(written.error().code, "tier '" + settings_.tiers[tier].name + "': " + written.error().message);
    }
    const auto known = std::make_shared<const EntryHeader>(header);
    for (int repeat = 0; repeat < 3; ++repeat) {
      KvCache target(*runtime_->pool);
      LoadTask load(storage, info, known, *opened_.lender, false);
      double waited = 0, restored = 0;
      for (int layer = 0; layer < shape.layers;) {
        std::int64_t start = clock_.monotonic_ns();
        KV_TRY(load.pump(0.001));
        waited += static_cast<double>(clock_.monotonic_ns() - start) * 1e-9;
        start = clock_.monotonic_ns();
        while (layer < shape.layers && load.layer_arrived(layer)) KV_TRY(load.restore(layer++, target));
        restored += static_cast<double>(clock_.monotonic_ns() - start) * 1e-9;
      }
      if (repeat > 0) fit.add(static_cast<double>(load.bytes()), static_cast<double>(length), waited, restored);
    }
    (void)storage.erase(info.key);
  }
  storage.set_capacity(capacity);
  TierState& state = catalogue_->snapshot().tiers[tier];
  state.model = fit.model();
  state.shaped = storage.describe().shaped;
  store_->set_fit(tier, fit);
  events_.publish(events::TierFitted{state.name, state.model, fit.samples(), state.shaped});
  return {};
}

}  // namespace kvantage
