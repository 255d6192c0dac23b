#include <algorithm>
#include <cstdlib>

#include "core/engine/engine_worker.h"
#include "core/model/bert_encoder.h"
#include "core/model/compute_cores.h"
#include "core/policy/types_json.h"

namespace kvantage {
Engine::Worker::Worker(Engine& engine)
    : engine_(engine),
      clock_(engine.clock_),
      journal_(engine.runs_),
      events_(engine.clock_,
              [&] {
                std::vector<EventSink*> sinks{&engine.display_, &journal_};
                sinks.insert(sinks.end(), engine.sinks_.begin(), engine.sinks_.end());
                return sinks;
              }()),
      settings_(engine.config_.settings),
      meter_([]() -> Expected<std::unique_ptr<Embedder>> {
        auto encoder = BertEncoder::load(embedding_model_directory());
        if (!encoder) return tl::unexpected(encoder.error());
        return std::unique_ptr<Embedder>(std::move(*encoder));
      }) {}

void Engine::Worker::progress(const std::string& what, std::uint64_t done, std::uint64_t total) {
  // One thing at a time is under way: the next one ends the one before, whatever it got to.
  if (!under_way_.empty() && under_way_ != what) events_.publish(events::Progress{under_way_, 1, 1});
  under_way_ = done == total ? std::string() : what;
  events_.publish(events::Progress{what, done, total});
}

Status Engine::Worker::load() {
  EngineConfig& config = engine_.config_;
  constexpr std::uint64_t stages = 5;
  use_compute_cores(choose_compute_cores(allowed_cores(), config.threads, config.leave_core));
  progress("Loading the model", 0, stages);
  auto runtime = ModelRuntime::load(config.model, config.runtime);
  if (!runtime) return tl::unexpected(runtime.error());
  runtime_ = std::move(*runtime);
  if (interrupted()) return fail(ErrorCode::cancelled, "closed while loading");

  progress("Reading the contexts", 1, stages);
  auto catalogue = Catalogue::build(config.workload, *runtime_);
  if (!catalogue) return tl::unexpected(catalogue.error());
  catalogue_ = std::move(*catalogue);
  for (const std::string& line : resolve_budgets(settings_.tiers, catalogue_->full_bytes()))
    events_.publish(events::Message{"note", line});
  {
    const std::lock_guard lock(engine_.mutex_);
    engine_.full_bytes_ = catalogue_->full_bytes();
    resolve_budgets(engine_.settings_.tiers, engine_.full_bytes_);
  }

  progress("Opening the tiers", 2, stages);
  auto opened = config.open_tiers(runtime_->digest(), settings_, [this] { return interrupted(); });
  if (!opened) return tl::unexpected(opened.error());
  opened_ = std::move(*opened);
  Snapshot& snapshot = catalogue_->snapshot();
  snapshot.alpha = settings_.alpha;
  for (std::size_t t = 0; t < opened_.tiers.size(); ++t) {
    opened_.tiers[t]->set_capacity(settings_.tiers[t].budget.capacity_bytes());
    snapshot.tiers.push_back({.name = settings_.tiers[t].name,
                              .budget_bytes = settings_.tiers[t].budget.bytes(),
                              .model = {},
                              .shaped = opened_.tiers[t]->describe().shaped});
  }
  store_ = std::make_unique<StoreManager>(*runtime_, *catalogue_, *opened_.lender, events_, clock_,
                                          std::move(opened_.tiers), std::move(opened_.archive));
  store_->set_stop([this] { return interrupted(); });
  store_->recover();
  services_.emplace(EngineServices{.runtime = *runtime_,
                                   .catalogue = *catalogue_,
                                   .store = *store_,
                                   .lender = *opened_.lender,
                                   .events = events_,
                                   .clock = clock_,
                                   .interrupted = [this] { return interrupted(); }});
  costs_ = std::make_unique<CostModel>(*services_);
  quality_ =
      std::make_unique<AnswerQuality>(*services_, serving_clock_, meter_, engine_.profiles_, config.max_answer_tokens);
  inspector_ =
      std::make_unique<ContextInspector>(*services_, serving_clock_, engine_.inspections_, config.max_answer_tokens);
  auto policy = make_policy(settings_.policy);
  if (!policy) return tl::unexpected(policy.error());
  policy_ = *policy;
  if (interrupted()) return fail(ErrorCode::cancelled, "closed while loading");

  progress("Timing the model and the tiers", 3, stages);
  KV_TRY(costs_->time_all(settings_));
  KV_TRY(freeze_costs());
  progress("Reading the quality profiles", 4, stages);
  KV_TRY(load_profiles());
  KV_TRY(load_frequencies());

  {
    const std::lock_guard lock(engine_.mutex_);
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
  inject_all_faults();
  progress("Ready", stages, stages);
  publish_snapshot();
  return {};
}

Status Engine::Worker::load_profiles() {
  scope_ = {.model = runtime_->answering_digest(engine_.config_.max_answer_tokens),
            .workload = engine_.config_.workload.digest(),
            .quality_metric = settings_.quality_metric};
  if (const QualityMetric* metric = find_quality_metric(settings_.quality_metric)) {
    const auto embedder = meter_.digest(*metric);  // vectors of different embedders do not compare
    if (!embedder) return tl::unexpected(embedder.error());
    if (*embedder != Digest128{})
      scope_.model =
          DigestBuilder().add(scope_.model.high).add(scope_.model.low).add(embedder->high).add(embedder->low).finish();
  }
  cells_.clear();
  quality_->use_metric(settings_.quality_metric);
  unprofilable_.clear();
  first_cells_.clear();
  drift_.reset(catalogue_->size());
  for (std::size_t c = 0; c < catalogue_->size(); ++c) catalogue_->state(c).profile = nullptr;
  {
    const std::lock_guard lock(engine_.mutex_);
    engine_.scope_ = scope_;
  }
  if (engine_.profiles_ == nullptr) return {};
  KV_TRY(quality_->load(scope_));
  auto cells = engine_.profiles_->load_profiles(scope_);
  if (!cells) return tl::unexpected(cells.error());
  if (cells->empty() && engine_.config_.import_profile) {
    for (const auto& file : engine_.config_.shipped_profiles) {
      if (std::error_code ignored; !std::filesystem::exists(file, ignored)) continue;
      KV_TRY(engine_.config_.import_profile(*engine_.profiles_, file));
    }
    cells = engine_.profiles_->load_profiles(scope_);
    if (!cells) return tl::unexpected(cells.error());
  }
  // A context's key holds the instruction set and the kernels' revision, because they decide the last bits; quality
  // does not hang on those. Cells of another processor (a shipped profile) serve where there are none of this one.
  std::map<std::size_t, std::vector<ProfileCell>> of_others;
  for (ProfileCell& cell : *cells) {
    if (const auto context = catalogue_->index_of(cell.context)) {
      cells_[*context].push_back(std::move(cell));
    } else if (const auto named = catalogue_->index_of_id(cell.context_id)) {
      auto& others = of_others[*named];
      if (others.empty() || others.front().context == cell.context) others.push_back(std::move(cell));
    }
  }
  cells_.merge(of_others);
  pool_qualities();
  for (const auto& [context, ignored] : cells_) {
    use_profile(context);
    const ContextState& state = catalogue_->state(context);
    events_.publish(events::ContextProfiled{state.key, state.id, state.family, *state.profile, 0.0, true});
  }
  return {};
}

}  // namespace kvantage
