#include <algorithm>
#include <cstdlib>

#include "core/engine/engine_worker.h"
#include "core/model/bert_encoder.h"
#include "core/model/compute_cores.h"
#include "core/policy/types_json.h"

namespace kvantage {
namespace {

std::string reference_key(const ProfileScope& scope) {
  return "reference_answers/" + scope.model.hex() + "/" + scope.workload.hex();
}
std::string chance_key(const ProfileScope& scope) {
  return "quality_chance/" + scope.quality_metric + "/" + scope.model.hex() + "/" + scope.workload.hex();
}

}  // namespace

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

  progress("Opening the tiers", 2, stages);
  auto opened = config.open_tiers(runtime_->digest(), settings_, [this] { return interrupted(); });
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
  store_->set_stop([this] { return interrupted(); });
  store_->recover();
  auto policy = make_policy(settings_.policy);
  if (!policy) return tl::unexpected(policy.error());
  policy_ = *policy;
  if (interrupted()) return fail(ErrorCode::cancelled, "closed while loading");

  progress("Timing the model and the tiers", 3, stages);
  KV_TRY(time_model_and_tiers());
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
  chances_.clear();
  measured_chances_.clear();
  unprofilable_.clear();
  first_cells_.clear();
  drift_.reset(catalogue_->size());
  for (std::size_t c = 0; c < catalogue_->size(); ++c) catalogue_->state(c).profile = nullptr;
  {
    const std::lock_guard lock(engine_.mutex_);
    engine_.scope_ = scope_;
  }
  if (engine_.profiles_ == nullptr) return {};
  KV_TRY(load_references());
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

// Reference answers do not hang on the metric; chance of metrics of predictions does, and took model runs, too.
Status Engine::Worker::load_references() {
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
  const auto chances = engine_.profiles_->load_value(chance_key(scope_));
  if (!chances) return tl::unexpected(chances.error());
  if (!chances->has_value() || !(*chances)->is_object()) return {};
  for (const auto& [id, values] : (*chances)->items()) {
    ProfileChance chance;
    const auto context = catalogue_->index_of_id(id);
    if (context && json_into(values, chance, "chance of " + id)) measured_chances_[*context] = chance;
  }
  return {};
}

Status Engine::Worker::save_references() {
  if (engine_.profiles_ == nullptr) return {};
  Json references = Json::object(), chances = Json::object();
  for (std::size_t c = 0; c < catalogue_->size(); ++c)
    for (const CatalogueQuestion& question : catalogue_->details(c).questions)
      if (question.reference_answer)
        references[catalogue_->state(c).id + "\n" + question.text] = *question.reference_answer;
  for (const auto& [context, chance] : measured_chances_) chances[catalogue_->state(context).id] = json_from(chance);
  KV_TRY(engine_.profiles_->save_value(reference_key(scope_), references));
  return engine_.profiles_->save_value(chance_key(scope_), chances);
}

}  // namespace kvantage
