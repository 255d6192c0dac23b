#include "core/experiments/studies/study_cells.h"

#include <map>

#include "core/engine/settings_check.h"
#include "core/experiments/blocks.h"
#include "core/policy/plan_text.h"

namespace kvantage::inline studies {

Expected<StudyRun> run_study(FigureSession& session, const SessionSettings& settings,
                             const std::function<void(SessionSettings&)>& midway) {
  KV_ASSIGN(const auto recorded, session.serve(settings, midway));
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

/// Measures a cell, and again while something else used the machine before or after it.
Expected<StudyRun> run_at_rest(const FigureArguments& arguments, const std::string& what, std::uint64_t requests,
                               const std::function<Expected<StudyRun>()>& measure) {
  for (int left = Calibration::repeats;; --left) {
    arguments.lines->begin_cell(what, requests);
    KV_ASSIGN(auto run, measure());
    arguments.lines->leave_cell();
    Calibration& machine = arguments.host->calibration();
    if (left == 0 || !machine.may_repeat()) {
      arguments.lines->end_cell(run.run_id);
      return run;
    }
    machine.forget_cell();
  }
}

/// Tiers of a regime by the share that the fastest one holds. All cells of a block meet the same bandwidths.
class TiersInRegime {
 public:
  explicit TiersInRegime(FigureSession& session) : session_(session) {}
  /// `settings`: of a cell, but for the tiers. Before the first ones the workload is served without being counted: what
  /// a load takes beside its transfer, and how fast prefill can be, shows only then.
  Expected<std::vector<TierConfig>> of(const StudyCell& cell, SessionSettings settings) {
    std::vector<TierConfig>& tiers = tiers_[cell.budget_fraction];
    if (!tiers.empty()) return tiers;
    const auto by_fits = [&] { return regime_tiers(*cell.regime, cell.budget_fraction, session_.engine()); };
    settings.policy = cell.regime->policy;
    for (; rehearsals_ > 0; --rehearsals_) {
      settings.tiers = by_fits();
      KV_TRY(run_study(session_, settings));
    }
    return tiers = by_fits();
  }

 private:
  FigureSession& session_;
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

}  // namespace

Expected<StudyOutcomes> run_cells(const FigureArguments& arguments, const std::vector<std::string>& methods,
                                  const std::function<Expected<std::vector<StudyCell>>(const Engine&)>& cells) {
  StudyOutcomes result;
  std::vector<StudyCell> asked;
  for (int seed = 0; seed < arguments.seeds; ++seed) {
    KV_ASSIGN(const auto session,
              arguments.host->open_session(arguments, arguments.seed + static_cast<std::uint64_t>(seed), methods));
    Engine& engine = session->engine();
    const SessionSettings session_settings = engine.settings();
    TiersInRegime in_regime(*session);
    if (seed == 0) {
      KV_ASSIGN(asked, cells(engine));
      arguments.lines->expect_cells(asked.size() * static_cast<std::size_t>(arguments.seeds));
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
    // A seed is a block of all cells.
    for (const std::size_t c : drawn_order(asked.size(), arguments.seed + static_cast<std::uint64_t>(seed))) {
      const StudyCell& cell = asked[c];
      SessionSettings settings = session_settings;
      settings.policy = cell.policy;
      settings.compute_or_load = "off";  // the papers' systems load whatever is stored
      settings.reprofile = false;        // curves come from profile questions only: held-out ones evaluate
      if (cell.alpha > 0) settings.alpha = cell.alpha;
      settings.requests_per_second = cell.requests_per_second;
      if (arguments.max_batch > 0) settings.max_batch = arguments.max_batch;
      if (!cell.methods.empty()) settings.methods = cell.methods;
      if (cell.regime != nullptr) {
        KV_ASSIGN(settings.tiers, in_regime.of(cell, settings));
      } else if (cell.budget_fraction > 0) {
        KV_ASSIGN(auto tiers, budgets_of_uncompressed(engine, session_settings.tiers, cell.budget_fraction));
        settings.tiers = std::move(tiers);
      }
      if (cell.change) cell.change(settings);
      const std::uint64_t counted = settings.request_limit > 0 ? settings.request_limit : session->workload_requests();
      const std::string what = session_text(cell, arguments.seed + static_cast<std::uint64_t>(seed));
      KV_ASSIGN(const auto run, run_at_rest(arguments, what, session->warmup_requests() + counted,
                                            [&] { return run_study(*session, settings, cell.midway); }));
      result.runs.push_back(run.run_id);
      PolicyOutcome& outcome = result.outcomes[c];
      ++outcome.seeds;
      add_records(outcome, run.records, settings.quality_metric);
      outcome.costs.push_back(run.cost);
      if (run.serving) outcome.serving.push_back(*run.serving);
      if (cell.look) cell.look(*engine.snapshot());
      result.regime.add(arguments, engine);
    }
    result.tiers.clear();
    for (const TierState& tier : engine.snapshot()->tiers) {
      result.tiers.push_back(tier.name);
      result.throttled = result.throttled || tier.throttled;
    }
    result.settings = study_settings(arguments, engine);
    result.settings["seeds"] = arguments.seeds;
    result.settings["requests per run"] =
        session_settings.request_limit > 0 ? session_settings.request_limit : session->workload_requests();
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
  std::string tiers;
  for (const TierState& tier : engine.snapshot()->tiers)
    tiers += (tiers.empty() ? "" : "; ") + tier.name + (tier.throttled ? " (throttled)" : "");
  json["tiers"] = tiers;
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

void add_study(FigureResult& result, const StudyOutcomes& study) {
  result.settings.update(study.settings);
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
