#include "app/cli/sweep/sweep_runner.h"

#include <unistd.h>

#include <algorithm>

#include "app/cli/base/interrupts.h"
#include "app/cli/base/served_run.h"
#include "app/cli/sweep/scaled_budgets.h"
#include "app/wiring/program_facts.h"
#include "app/wiring/ready_workload.h"
#include "app/wiring/resources.h"
#include "app/wiring/workload_opening.h"
#include "core/engine/settings_check.h"
#include "core/ports/run_calibration.h"
#include "core/report/recorded_run.h"
#include "core/runtime/model_runtime.h"
#include "profiles/run_file.h"

namespace kvantage::cli {

SweepRunner::SweepRunner(SweepPlan plan, std::filesystem::path folder, std::filesystem::path database,
                         std::filesystem::path model, int threads, bool quiet, RemoteConsent remotes)
    : plan_(std::move(plan)), console_(quiet) {
  options_.model = !model.empty()        ? std::move(model)
                   : plan_.model.empty() ? default_model_directory()
                                         : std::filesystem::path(plan_.model);
  options_.workload = plan_.workload;
  options_.store = std::move(folder);
  options_.database = std::move(database);
  options_.tiers = plan_.tiers;
  options_.remotes = std::move(remotes);
  options_.methods = plan_.methods;
  options_.removed_fractions = plan_.removed_fractions;
  if (!plan_.quality_metric.empty()) options_.quality_metric = plan_.quality_metric;
  options_.warm_every_context = plan_.warm_every_context;
  options_.cold_start = true;
  options_.whole_curves_by_default = true;  // cells have other alphas and budgets than the session
  options_.threads = threads;
  options_.environment = environment_of_this_machine();
  options_.environment["command"] = "kvantage-cli sweep";
  options_.group = plan_.group;
  if (plan_.max_batch > 0) options_.max_batch = plan_.max_batch;
  if (!plan_.prompt_form.empty()) options_.prompt_form = plan_.prompt_form;
  options_.max_model_len = plan_.max_model_len;
  if (!plan_.products.empty()) options_.products = plan_.products;
}

SweepRunner::~SweepRunner() = default;

Status SweepRunner::check_model() {
  if (model_checked_ || plan_.model_digest.empty()) return {};
  KV_TRY(check_model_is_there(options_.model));
  ModelRuntimeOptions form;
  form.prompt.form = prompt_form_of(plan_.prompt_form);
  form.load.max_model_len = plan_.max_model_len;
  KV_ASSIGN(const auto runtime, ModelRuntime::load(options_.model, form));
  if (const std::string digest = runtime->digest().hex(); digest != plan_.model_digest)
    return fail(ErrorCode::rejected_input, options_.model.string() + ": is another model (" + digest.substr(0, 8) +
                                               ") than in the plan (" + plan_.model_digest.substr(0, 8) +
                                               "); give the same model with --model");
  model_checked_ = true;
  return {};
}

Status SweepRunner::open(std::uint64_t seed) {
  if (session_ && options_.seed == seed) return {};
  session_.reset();
  options_.seed = seed;
  // The local path must be the plan's workload.
  KV_ASSIGN(const auto ready, ready_workload(options_.workload));
  KV_ASSIGN(const auto opened,
            open_workload(ready, {options_.model, options_.context_tokens, options_.probes, options_.max_model_len}));
  if (const std::string digest = opened.workload.digest().hex();
      !plan_.workload_digest.empty() && digest != plan_.workload_digest)
    return fail(ErrorCode::rejected_input, plan_.workload + ": is another workload here (" + digest.substr(0, 8) +
                                               ") than in the plan (" + plan_.workload_digest.substr(0, 8) +
                                               "); copy the same files here");
  KV_TRY(check_model());
  KV_ASSIGN(auto session, open_session(options_, {&console_}));
  session_.emplace(std::move(session));
  profiled_ = false;
  if (Status loaded = wait_until_idle(*session_->engine, stop_); !loaded) {
    session_.reset();
    return loaded;
  }
  base_ = session_->engine->settings();
  return {};
}

Expected<SessionSettings> SweepRunner::settings_of(const SweepCell& cell) const {
  SessionSettings settings = base_;
  settings.policy = cell.policy;
  settings.alpha = cell.alpha;
  settings.requests_per_second = cell.requests_per_second;
  settings.request_limit = plan_.request_limit;
  if (!cell.methods.empty()) settings.methods = cell.methods;
  if (!cell.decode_eviction.empty()) settings.decode_eviction = cell.decode_eviction;
  KV_ASSIGN(settings.tiers, scaled_budgets(*session_->engine, std::move(settings.tiers), cell.budget));
  return settings;
}

Expected<Json> SweepRunner::run(const SweepCell& cell) {
  auto result = serve(cell);
  if (!result) session_.reset();
  return result;
}

Expected<std::string> SweepRunner::run_text(const std::string& run_id) {
  RunStore& store = session_->stores->runs();
  KV_TRY(store.flush());
  auto summary = store.run(run_id);
  if (!summary && summary.error().code == ErrorCode::not_found)
    return fail(ErrorCode::internal, "run " + run_id + " was not recorded; see the messages above");
  if (!summary) return tl::unexpected(std::move(summary).error());
  KV_ASSIGN(auto events, store.events(run_id, {}));
  return run_to_text({*std::move(summary), std::move(events)});
}

Status SweepRunner::keep_calibration(const std::string& run_id, const std::vector<double>& seconds) {
  return session_->stores->runs().save_result(run_id, calibration_result, seconds);
}

Expected<Json> SweepRunner::serve(const SweepCell& cell) {
  KV_TRY(open(cell.seed));
  Engine& engine = *session_->engine;
  KV_ASSIGN(const auto policy, make_servable_policy(cell.policy));
  if (policy->is_planner() && !profiled_) {
    engine.profile_all();
    KV_TRY(wait_until_idle(engine, stop_));
    profiled_ = true;
  }
  KV_ASSIGN(const auto settings, settings_of(cell));
  KV_ASSIGN(auto recorded, serve_run(*session_, console_, settings, {}, stop_));
  const std::int64_t began = recorded.summary.started_utc_ns, ended = recorded.summary.finished_utc_ns;
  const std::string id = engine.info().run_id;
  const RunReport report = report_of_runs({std::move(recorded)});
  if (report.rows.empty())
    return fail(ErrorCode::internal, "run " + id + " has no metrics; inspect it with kvantage-cli report");
  const PolicyRow& row = report.rows.back();
  double hits = 0, loaded = 0;
  for (const SourceShare& source : row.sources) {
    if (source.source == "prefill") continue;
    hits += source.request_rate;
    loaded += static_cast<double>(source.bytes);
  }
  char host[256] = "host";
  ::gethostname(host, sizeof host - 1);
  const auto quality = row.quality.find(settings.quality_metric);
  Json result{{"requests", row.requests},
              {"run_id", id},
              {"host", host},
              {"hardware", options_.environment.value("hardware", "")},
              {"began_utc_ns", began},
              {"ended_utc_ns", ended},
              {"provenance", to_string(row.ttft_service_seconds.provenance)},
              {"quality_metric", settings.quality_metric},
              {"ttft_service_seconds", row.ttft_service_seconds.mean},
              {"ttft_seconds", row.ttft_seconds.mean},
              {"ttft_p95_seconds", row.ttft_seconds.p95},
              {"queue_seconds", row.queue_seconds.mean},
              {"quality", quality == row.quality.end() ? 0 : quality->second.mean},
              {"hit_rate", hits},
              {"lp_gap", row.lp_gap ? Json(*row.lp_gap) : Json(nullptr)},
              {"requests_per_second", row.requests_per_second ? row.requests_per_second->value : 0},
              {"loaded_bytes", loaded}};
  if (const std::string note = engine.info().model_note; !note.empty()) result["model_note"] = note;
  return result;
}

}  // namespace kvantage::cli
