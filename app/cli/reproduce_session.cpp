#include "app/cli/reproduce_session.h"

#include <cmath>

#include "app/cli/interrupts.h"
#include "app/wiring/resources.h"
#include "app/wiring/samples.h"
#include "core/engine/settings_check.h"
#include "core/report/recorded_run.h"

namespace kvantage::cli {

Expected<LiveSession> open_study(const ReproduceArguments& arguments, std::uint64_t seed,
                                 const std::vector<std::string>& methods, ConsoleSink& console) {
  SessionArguments session_arguments;
  session_arguments.options.model = arguments.model.empty() ? default_model_directory() : std::filesystem::path(arguments.model);
  session_arguments.options.workload = named_workload(arguments.workload.empty() ? "sensitivity-mix" : arguments.workload);
  session_arguments.options.store = arguments.store;
  session_arguments.options.database = arguments.database;
  session_arguments.options.seed = seed;
  session_arguments.options.warm_every_context = true;
  session_arguments.options.cold_start = true;
  if (!arguments.removed.empty()) session_arguments.removed_fractions = arguments.removed;
  KV_TRY(finish_session_options(session_arguments));
  SessionOptions& options = session_arguments.options;
  if (!methods.empty()) options.methods = methods;
  options.policy = "evicpress";
  options.environment["command"] = arguments.command;
  options.group = "reproduce-" + arguments.figure + "-" + std::to_string(SystemClock().utc_ns());
  if (!arguments.metric.empty()) options.quality_metric = arguments.metric;
  if (arguments.requests > 0) options.request_limit = arguments.requests;
  auto session = open_session(options, {&console});
  if (!session) return session;
  KV_TRY(wait_until_idle(*session->engine));
  session->engine->profile_all();
  KV_TRY(wait_until_idle(*session->engine));
  if (interrupted())
    return fail(ErrorCode::cancelled, "interrupted while profiling; the curves measured so far are kept, no figure is made");
  return session;
}

Expected<std::vector<double>> study_numbers(const std::string& text, const char* option) {
  std::vector<double> numbers;
  for (const std::string& item : split_list(text)) {
    char* end = nullptr;
    const double number = std::strtod(item.c_str(), &end);
    if (item.empty() || *end != '\0' || !std::isfinite(number) || number <= 0)
      return fail(ErrorCode::usage, std::string(option) + ": '" + item + "' is no number above 0; give a list such as 0.1,0.2");
    numbers.push_back(number);
  }
  return numbers;
}

std::vector<TierSetting> scaled_tiers(const Engine& engine, double budget_fraction) {
  std::vector<TierSetting> tiers = engine.settings().tiers;
  double bytes = 0, budgets = 0;
  for (const ContextState& context : engine.snapshot()->contexts) bytes += static_cast<double>(context.full_bytes);
  for (const TierSetting& tier : tiers) budgets += static_cast<double>(tier.budget_bytes);
  for (TierSetting& tier : tiers)
    tier.budget_bytes = static_cast<std::uint64_t>(budget_fraction * bytes * static_cast<double>(tier.budget_bytes) / budgets);
  return tiers;
}

Expected<std::vector<RequestRecord>> run_study(LiveSession& session, ConsoleSink& console, const SessionSettings& settings) {
  Engine& engine = *session.engine;
  KV_TRY(engine.apply(settings));
  console.expect_requests(session.warmup_requests + (settings.request_limit > 0 ? settings.request_limit : session.workload_requests),
                          settings.policy);
  engine.start();
  KV_TRY(wait_until_idle(engine));
  if (interrupted()) return fail(ErrorCode::cancelled, "interrupted; the runs so far are kept in the database");
  RunStore& runs = session.stores->runs();
  KV_TRY(runs.flush());
  const std::string id = engine.info().run_id;
  const auto summaries = runs.runs();
  if (!summaries) return tl::unexpected(summaries.error());
  for (const RunSummary& summary : *summaries) {
    if (summary.run_id != id) continue;
    auto journal = runs.events(id, report_event_types());
    if (!journal) return tl::unexpected(journal.error());
    std::vector<RequestRecord> records;
    for (PolicyRun& part : policy_runs_of({summary, std::move(*journal)}))
      for (RequestRecord& record : part.records) records.push_back(std::move(record));
    return records;
  }
  return fail(ErrorCode::internal, "run " + id + " was not recorded; look at the messages above");
}

Json study_settings(const ReproduceArguments& arguments, const Engine& engine) {
  const SessionInfo info = engine.info();
  const SessionSettings settings = engine.settings();
  Json json{{"model", info.model_name}, {"workload", info.workload_name}, {"device", info.device},
            {"contexts", info.contexts}, {"quality metric", settings.quality_metric}, {"command", arguments.command}};
  std::string tiers;
  for (const TierState& tier : engine.snapshot()->tiers)
    tiers += (tiers.empty() ? "" : "; ") + tier.name + (tier.shaped ? " (shaped)" : "");
  json["tiers"] = tiers;
  return json;
}

}  // namespace kvantage::cli
