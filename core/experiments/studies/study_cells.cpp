#include "core/experiments/studies/study_cells.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string_view>

#include "core/engine/settings_check.h"
#include "core/experiments/load_figures.h"
#include "core/experiments/measured_spans.h"
#include "core/experiments/studies/kept_runs.h"
#include "core/policy/plan_text.h"

namespace kvantage::inline studies {

StudyRun study_run_of(const RecordedRun& recorded) {
  StudyRun run;
  run.run_id = recorded.summary.run_id;
  for (PolicyRun& part : policy_runs_of(recorded)) {
    for (RequestRecord& record : part.records) run.records.push_back(std::move(record));
    if (!part.engine) continue;
    run.cost = {.busy_seconds = part.engine->busy_seconds,
                .reprofiling_seconds = part.engine->busy_seconds * part.engine->reprofiling_fraction,
                .drifts = part.engine->drifts,
                .curves = part.engine->reprofiles,
                .longest_step_seconds = part.engine->longest_profile_step_seconds,
                .longest_prefill_step_seconds = part.engine->longest_prefill_step_seconds};
  }
  run.serving = serving_cost(recorded.events, run.records);
  return run;
}

Expected<StudyRun> run_study(FigureSession& session, const SessionSettings& settings,
                             const std::function<void(SessionSettings&)>& midway) {
  KV_ASSIGN(const auto recorded, session.serve(settings, midway));
  return study_run_of(recorded);
}

std::vector<ServedTier> served_tiers(const Engine& engine) {
  const auto snapshot = engine.snapshot();
  std::vector<ServedTier> tiers;
  tiers.reserve(snapshot->tiers.size());
  for (const TierState& tier : snapshot->tiers) tiers.push_back({.name = tier.name, .throttled = tier.throttled});
  return tiers;
}

std::string tiers_text(const std::vector<ServedTier>& tiers) {
  std::string text;
  for (const ServedTier& tier : tiers)
    text += (text.empty() ? "" : "; ") + tier.name + (tier.throttled ? " (throttled)" : "");
  return text;
}

Expected<std::vector<TierConfig>> budgets_of_uncompressed(const Engine& engine, std::vector<TierConfig> tiers,
                                                          double fraction) {
  double bytes = 0, budgets = 0;
  for (const ContextState& context : engine.snapshot()->contexts) bytes += static_cast<double>(context.full_bytes);
  if (!(bytes > 0))
    return fail(ErrorCode::internal, "the uncompressed bytes of the contexts are not known; give budgets in bytes");
  for (const TierConfig& tier : tiers) {
    if (tier.budget.is_unlimited())
      return fail(ErrorCode::usage, "--budgets: tier '" + tier.name + "' is unlimited and has no share; give it bytes");
    budgets += static_cast<double>(tier.budget.bytes());
  }
  for (TierConfig& tier : tiers)
    tier.budget = static_cast<std::uint64_t>(fraction * bytes * static_cast<double>(tier.budget.bytes()) / budgets);
  return tiers;
}

namespace {

bool is_unloaded(const StudyCell& cell) { return cell.condition == unloaded_condition; }

/// Whether both prefill every context whatever the budget.
bool measure_the_same(const StudyCell& one, const StudyCell& other) {
  const auto only_prefills = [](const StudyCell& cell) {
    return cell.policy == "full_prefill" && !cell.change && !cell.midway && !cell.look;
  };
  return only_prefills(one) && only_prefills(other) && one.regime == other.regime && one.methods == other.methods &&
         one.condition == other.condition && one.extension == other.extension &&
         one.requests_per_second == other.requests_per_second;
}

/// Tiers of a regime by the share that the fastest one holds. All cells of a block meet the same bandwidths.
class TiersInRegime {
 public:
  /// `unloaded`: a regime's times are those of requests served one at a time. Among others that queue, loads share the
  /// link and the cores.
  TiersInRegime(FigureSession& session, const KeptRuns& kept, bool unloaded)
      : session_(session), kept_(kept), unloaded_(unloaded) {}
  /// `settings`: of a cell, but for the tiers. Before the first ones the workload is served without being counted: what
  /// a load takes beside its transfer, and how fast prefill can be, shows only then.
  Expected<std::vector<TierConfig>> of(const StudyCell& cell, SessionSettings settings) {
    std::vector<TierConfig>& tiers = tiers_[cell.budget_fraction];
    if (!tiers.empty()) return tiers;
    const auto by_fits = [&] { return regime_tiers(*cell.regime, cell.budget_fraction, session_.engine()); };
    settings.policy = cell.regime->policy;
    if (unloaded_) {
      settings.requests_per_second = 0;
      settings.max_batch = 1;
    }
    for (; rehearsals_ > 0; --rehearsals_) {
      settings.tiers = by_fits();
      KV_TRY(run_study(session_, settings));
    }
    std::vector<TierConfig> settled = by_fits();
    KV_TRY(kept_.settle_throttles(cell, settled));  // also those that were served before an interruption
    return tiers = std::move(settled);
  }

 private:
  FigureSession& session_;
  const KeptRuns& kept_;
  const bool unloaded_;
  int rehearsals_ = 3;
  std::map<double, std::vector<TierConfig>> tiers_;
};

// "evicpress, alpha 0.3 s, 20 % of the bytes, 4 requests/s, seed 2"
std::string session_text(const StudyCell& cell, std::uint64_t seed) {
  std::string words = cell.policy;
  for (const std::string& more : {cell.condition, cell.extension})
    if (!more.empty()) words += ", " + more;
  if (cell.alpha > 0) words += ", alpha " + short_number(cell.alpha) + " s";
  if (cell.budget_fraction > 0)
    words += ", " + short_number(100 * cell.budget_fraction) +
             (cell.regime != nullptr ? " % of the bytes in the fastest tier" : " % of the bytes");
  if (cell.requests_per_second > 0) words += ", " + short_number(cell.requests_per_second) + " requests/s";
  return words + ", seed " + std::to_string(seed);
}

/// The cells of one seed, on its session: a block.
class StudyBlock {
 public:
  StudyBlock(const FigureArguments& arguments, FigureSession& session, std::uint64_t seed,
             const std::vector<StudyCell>& cells)
      : arguments_(arguments),
        session_(session),
        seed_(seed),
        cells_(cells),
        as_(measured_as(cells)),
        kept_(arguments, seed, KeptRuns::identity_of(session.engine())),
        unloaded_(std::ranges::any_of(cells, is_unloaded)),
        session_settings_(session.engine().settings()),
        in_regime_(session, kept_, unloaded_) {}

  /// The result's outcomes are parallel to the cells.
  Status run(StudyOutcomes& result) {
    const auto measure = [&](std::size_t c, int) -> Expected<ExperimentRunner::Keep> {
      KV_ASSIGN(auto measured, serve(cells_[c]));
      const auto run = std::make_shared<const StudyRun>(std::move(measured));
      return [this, c, &result, run] { return keep(c, run, result); };
    };
    const auto take_kept = [&](std::size_t c, int) { return as_[c] != c || take_over(c, result); };
    KV_TRY(arguments_.host->runner().run_block(cells_.size(), seed_, measure, 0, take_kept));
    for (std::size_t c = 0; c < cells_.size(); ++c)
      if (as_[c] != c) add_run(*runs_.at(as_[c]), result.outcomes[c]);
    if (tiers_.empty()) tiers_ = served_tiers(session_.engine());
    result.tiers.clear();
    for (const ServedTier& tier : tiers_) {
      result.tiers.push_back(tier.name);
      result.throttled = result.throttled || tier.throttled;
    }
    result.settings = study_settings(arguments_, session_.engine());
    result.settings["tiers"] = tiers_text(tiers_);  // of cells that were taken over, the session's may be others
    result.settings["seeds"] = arguments_.seeds;
    result.settings["requests per run"] = counted_requests(session_settings_);
    result.taken_over += taken_over_;
    return {};
  }

 private:
  Expected<SessionSettings> settings_of(const StudyCell& cell) {
    SessionSettings settings = session_settings_;
    settings.policy = cell.policy;
    settings.compute_or_load = "off";  // the papers' systems load whatever is stored
    settings.reprofile = false;        // curves come from profile questions only: held-out ones evaluate
    if (cell.alpha > 0) settings.alpha = cell.alpha;
    settings.requests_per_second = cell.requests_per_second;
    if (arguments_.max_batch > 0) settings.max_batch = arguments_.max_batch;
    if (!cell.methods.empty()) settings.methods = cell.methods;
    if (cell.regime != nullptr) {
      KV_ASSIGN(settings.tiers, in_regime_.of(cell, settings));
    } else if (cell.budget_fraction > 0) {
      KV_ASSIGN(settings.tiers,
                budgets_of_uncompressed(session_.engine(), session_settings_.tiers, cell.budget_fraction));
    }
    if (cell.change) cell.change(settings);
    return settings;
  }

  std::uint64_t counted_requests(const SessionSettings& settings) const {
    return settings.request_limit > 0 ? settings.request_limit : session_.workload_requests();
  }

  Expected<StudyRun> serve(const StudyCell& cell) {
    KV_ASSIGN(const auto settings, settings_of(cell));
    arguments_.lines->begin_cell(session_text(cell, seed_), session_.warmup_requests() + counted_requests(settings));
    return run_study(session_, settings, cell.midway);
  }

  void add_run(const StudyRun& run, PolicyOutcome& outcome) {
    ++outcome.seeds;
    add_records(outcome, run.records, session_settings_.quality_metric);
    outcome.costs.push_back(run.cost);
    if (run.serving) outcome.serving.push_back(*run.serving);
  }

  void add(std::size_t c, const std::shared_ptr<const StudyRun>& run, std::vector<RegimeDeviation> regime,
           StudyOutcomes& result) {
    const StudyCell& cell = cells_[c];
    result.runs.push_back(run->run_id);
    add_run(*run, result.outcomes[c]);
    if (std::ranges::count(as_, c) > 1) runs_[c] = run;
    if (!unloaded_ || is_unloaded(cell))
      result.regime.add(arguments_, session_.engine(), cell.condition, std::move(regime));
    arguments_.lines->end_cell(run->run_id);
  }

  Status keep(std::size_t c, const std::shared_ptr<const StudyRun>& run, StudyOutcomes& result) {
    if (cells_[c].look) cells_[c].look(*session_.engine().snapshot());
    const auto regime = deviations_now(arguments_, session_.engine());
    tiers_ = served_tiers(session_.engine());
    add(c, run, regime, result);
    return kept_.keep(cells_[c], {run->run_id, arguments_.host->calibration().around_cell(), regime, tiers_});
  }

  /// What an interrupted command served of the cell. What it looked at is not recorded.
  bool take_over(std::size_t c, StudyOutcomes& result) {
    const auto kept = cells_[c].look ? std::nullopt : kept_.find(cells_[c]);
    if (!kept) return false;
    const auto recorded = session_.recorded(kept->run_id);
    if (!recorded) return false;
    arguments_.host->calibration().take_over(kept->calibration);
    tiers_ = kept->tiers;
    add(c, std::make_shared<const StudyRun>(study_run_of(*recorded)), kept->regime, result);
    ++taken_over_;
    return true;
  }

  const FigureArguments& arguments_;
  FigureSession& session_;
  const std::uint64_t seed_;
  const std::vector<StudyCell>& cells_;
  const std::vector<std::size_t> as_;  // measured_as()
  const KeptRuns kept_;
  std::map<std::size_t, std::shared_ptr<const StudyRun>> runs_;  // that stand for other cells, too
  std::size_t taken_over_ = 0;
  std::vector<ServedTier> tiers_;  // of the last cell
  const bool unloaded_;            // where some cells are, these alone tell how far the sessions are from a regime
  const SessionSettings session_settings_;
  TiersInRegime in_regime_;
};

}  // namespace

std::vector<std::size_t> measured_as(const std::vector<StudyCell>& cells) {
  std::vector<std::size_t> as(cells.size());
  for (std::size_t c = 0; c < cells.size(); ++c)
    as[c] = static_cast<std::size_t>(
        std::ranges::find_if(cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(c),
                             [&](const StudyCell& one) { return measure_the_same(one, cells[c]); }) -
        cells.begin());
  return as;
}

Expected<StudyOutcomes> run_cells(const FigureArguments& arguments, const std::vector<std::string>& methods,
                                  const std::function<Expected<std::vector<StudyCell>>(const Engine&)>& cells) {
  StudyOutcomes result;
  std::vector<StudyCell> asked;
  for (int place = 0; place < arguments.seeds; ++place) {
    const std::uint64_t seed = arguments.seed + static_cast<std::uint64_t>(place);
    KV_ASSIGN(const auto session, arguments.host->open_session(arguments, seed, methods));
    if (place == 0) {
      KV_ASSIGN(asked, cells(session->engine()));
      KV_TRY(KeptRuns(arguments, seed, KeptRuns::identity_of(session->engine())).settle_numbers(asked));
      const std::vector<std::size_t> as = measured_as(asked);
      const std::set<std::size_t> served(as.begin(), as.end());
      arguments.lines->expect_cells(served.size() * static_cast<std::size_t>(arguments.seeds));
      for (const StudyCell& cell : asked)
        result.outcomes.push_back({cell.policy,
                                   cell.alpha,
                                   cell.budget_fraction,
                                   0,
                                   {},
                                   cell.requests_per_second,
                                   cell.condition,
                                   cell.extension});
    }
    KV_TRY(StudyBlock(arguments, *session, seed, asked).run(result));
  }
  return result;
}

Json study_settings(const FigureArguments& arguments, const Engine& engine) {
  const SessionInfo info = engine.info();
  const SessionSettings settings = engine.settings();
  Json json{{"model", info.model_name},
            {"workload", info.workload_name},
            {"device", info.device},
            {"contexts", info.contexts},
            {"quality metric", settings.quality_metric},
            {"command", arguments.command}};
  json["tiers"] = tiers_text(served_tiers(engine));
  if (engine.leaves_out_idle()) json["idle time"] = "left out";
  if (arguments.max_batch > 0) json["max concurrency"] = arguments.max_batch;
  if (arguments.profile_questions > 0) json["profile questions per context"] = arguments.profile_questions;
  return json;
}

Status add_cells(const std::string& policy, const std::vector<double>& alphas, const StudyCell& like,
                 std::vector<StudyCell>& cells) {
  KV_ASSIGN(const auto made, make_servable_policy(policy));
  for (const double alpha : made->uses_alpha() ? alphas : std::vector<double>{0}) {
    StudyCell cell = like;
    cell.policy = policy;
    cell.alpha = alpha;
    cells.push_back(std::move(cell));
  }
  return {};
}

namespace {

/// That the requests were about, over which the intervals of served figures are.
std::size_t contexts_of(const StudyOutcomes& study) {
  std::set<std::string_view> contexts;
  for (const PolicyOutcome& outcome : study.outcomes)
    for (const PolicySample& sample : outcome.samples) contexts.insert(sample.context);
  return contexts.size();
}

}  // namespace

void add_study(FigureResult& result, const StudyOutcomes& study) {
  result.settings.update(study.settings);
  if (study.taken_over > 0) result.settings["cells of an interrupted command"] = study.taken_over;
  set_sample_size(result, contexts_of(study));
  result.runs = study.runs;
  result.provenance = study.throttled ? Provenance::throttled : Provenance::measured;
}

void add_study_in_regime(FigureResult& result, const StudyOutcomes& study) {
  add_study(result, study);
  study.regime.tell(result);
}

Expected<std::vector<FigureResult>> run_study_figure(
    const FigureArguments& arguments, const std::function<Expected<std::vector<StudyCell>>(const Engine&)>& cells,
    const std::function<FigureResult(const StudyOutcomes& study)>& make) {
  KV_ASSIGN(const auto study, run_cells(arguments, split_list(arguments.methods), cells));
  FigureResult result = make(study);
  add_study(result, study);
  return std::vector<FigureResult>{std::move(result)};
}

}  // namespace kvantage::inline studies
