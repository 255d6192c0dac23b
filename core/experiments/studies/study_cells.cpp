#include "core/experiments/studies/study_cells.h"

#include <algorithm>
#include <map>
#include <memory>

#include "core/engine/settings_check.h"
#include "core/experiments/load_figures.h"
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

bool is_unloaded(const StudyCell& cell) { return cell.condition == unloaded_condition; }

/// Tiers of a regime by the share that the fastest one holds. All cells of a block meet the same bandwidths.
class TiersInRegime {
 public:
  /// `unloaded`: a regime's times are those of requests served one at a time. Among others that queue, loads share the
  /// link and the cores.
  TiersInRegime(FigureSession& session, bool unloaded) : session_(session), unloaded_(unloaded) {}
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
    return tiers = by_fits();
  }

 private:
  FigureSession& session_;
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
        unloaded_(std::ranges::any_of(cells, is_unloaded)),
        session_settings_(session.engine().settings()),
        in_regime_(session, unloaded_) {}

  /// The result's outcomes are parallel to the cells.
  Status run(StudyOutcomes& result) {
    const auto measure = [&](std::size_t c, int) -> Expected<ExperimentRunner::Keep> {
      KV_ASSIGN(auto measured, serve(cells_[c]));
      const auto run = std::make_shared<const StudyRun>(std::move(measured));
      return [this, &cell = cells_[c], &outcome = result.outcomes[c], &result, run] {
        keep(cell, *run, outcome, result);
        return Status();
      };
    };
    KV_TRY(arguments_.host->runner().run_block(cells_.size(), seed_, measure));
    result.tiers.clear();
    for (const TierState& tier : session_.engine().snapshot()->tiers) {
      result.tiers.push_back(tier.name);
      result.throttled = result.throttled || tier.throttled;
    }
    result.settings = study_settings(arguments_, session_.engine());
    result.settings["seeds"] = arguments_.seeds;
    result.settings["requests per run"] = counted_requests(session_settings_);
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

  void keep(const StudyCell& cell, const StudyRun& run, PolicyOutcome& outcome, StudyOutcomes& result) {
    result.runs.push_back(run.run_id);
    ++outcome.seeds;
    add_records(outcome, run.records, session_settings_.quality_metric);
    outcome.costs.push_back(run.cost);
    if (run.serving) outcome.serving.push_back(*run.serving);
    if (cell.look) cell.look(*session_.engine().snapshot());
    if (!unloaded_ || is_unloaded(cell)) result.regime.add(arguments_, session_.engine(), cell.condition);
    arguments_.lines->end_cell(run.run_id);
  }

  const FigureArguments& arguments_;
  FigureSession& session_;
  const std::uint64_t seed_;
  const std::vector<StudyCell>& cells_;
  const bool unloaded_;  // where some cells are, these alone tell how far the sessions are from a regime
  const SessionSettings session_settings_;
  TiersInRegime in_regime_;
};

}  // namespace

Expected<StudyOutcomes> run_cells(const FigureArguments& arguments, const std::vector<std::string>& methods,
                                  const std::function<Expected<std::vector<StudyCell>>(const Engine&)>& cells) {
  StudyOutcomes result;
  std::vector<StudyCell> asked;
  for (int place = 0; place < arguments.seeds; ++place) {
    const std::uint64_t seed = arguments.seed + static_cast<std::uint64_t>(place);
    KV_ASSIGN(const auto session, arguments.host->open_session(arguments, seed, methods));
    if (place == 0) {
      KV_ASSIGN(asked, cells(session->engine()));
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
