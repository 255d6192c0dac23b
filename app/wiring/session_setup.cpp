#include "app/wiring/session_setup.h"

#include <algorithm>
#include <set>
#include <utility>

#include "app/wiring/chosen_settings.h"
#include "app/wiring/default_database.h"
#include "app/wiring/gpu_passes.h"
#include "app/wiring/last_settings.h"
#include "app/wiring/method_files.h"
#include "app/wiring/model_facts_reader.h"
#include "app/wiring/ready_workload.h"
#include "app/wiring/resources.h"
#include "app/wiring/samples.h"
#include "app/wiring/session_calibration.h"
#include "app/wiring/session_tiers.h"
#include "app/wiring/workload_opening.h"
#include "core/base/files.h"
#include "core/base/folders.h"
#include "core/base/json.h"
#include "core/model/fixed_load.h"
#include "core/ports/decode_eviction.h"
#include "core/workload/arrivals_json.h"
#include "profiles/profile_file.h"

namespace kvantage::inline wiring {
namespace {

// Whether a session.json sets the request rate; otherwise the workload's own arrivals apply.
bool sets_rate(const std::filesystem::path& file) {
  if (!is_there(file)) return false;
  const auto json = read_json_file(file);
  return json && json->is_object() && json->contains("requests_per_second");
}

/// Whether it has a list of tiers, even an empty one, which is a mistake. A file that cannot be read is refused later.
bool has_tiers(const std::filesystem::path& file) {
  if (!is_there(file)) return false;
  const auto json = read_json_file(file);
  return !json || !json->is_object() || json->contains("tiers");
}

// Besides seeds, this determines the request sequence: the process, and the schedule if there is one.
Json recorded_arrivals(const Workload& workload) {
  Json json = Json::parse(dump_json(arrivals_to_json(workload.arrivals)));
  if (!workload.schedule.empty()) json["schedule"] = schedule_digest(workload).hex();
  return json;
}

// Another workload under the same name would be a different run.
Status check_workload(const RepeatedRun& repeated, const Workload& workload) {
  const std::string digest = workload.digest().hex();
  if (!repeated.workload_digest.empty() && repeated.workload_digest != digest)
    return fail(ErrorCode::rejected_input, "run " + repeated.run_id + ": its workload had the digest " +
                                               repeated.workload_digest + ", '" + workload.name + "' has " + digest +
                                               "; give the folder with the same contexts and questions");
  if (repeated.arrivals.is_object() && repeated.arrivals != recorded_arrivals(workload))
    return fail(ErrorCode::rejected_input,
                "run " + repeated.run_id + ": the arrivals of '" + printable(workload.name) +
                    "' have changed since, so requests would differ; restore its workload.json and schedule.jsonl");
  return {};
}

// Read and checked before anything is opened.
struct SessionPlan {
  OpenedWorkload opened;
  SessionSettings settings;
  ChosenTiers chosen;
  std::shared_ptr<Accelerator> accelerator;  // where a tier is in its memory
  bool own_text_defaults = false;            // as in LiveSession
};

Expected<SessionPlan> plan_session(SessionOptions options) {
  KV_ASSIGN(options.workload, ready_workload(options.workload));
  KV_ASSIGN(auto opened, open_workload(options.workload,
                                       {options.model, options.context_tokens, options.probes, options.max_model_len}));
  keep_profile_questions(opened.workload, options.profile_questions);
  if (options.repeats) KV_TRY(check_workload(*options.repeats, opened.workload));
  if (!options.repeats && !options.last && !options.requests_per_second &&
      !sets_rate(options.workload / "session.json"))
    options.requests_per_second = opened.workload.arrivals.requests_per_second;
  const bool has_file = is_there(options.workload / "session.json");
  const bool own_text_defaults = opened.own_text && !has_file && !options.alpha && !options.last && !options.repeats &&
                                 options.imported_settings.is_null();
  const bool needs_tiers = !options.repeats && options.tiers.empty() && !options.imported_settings.contains("tiers") &&
                           !has_tiers(options.workload / "session.json");
  if (needs_tiers) {
    if (opened.suggested_tiers.empty()) {
      KV_ASSIGN(opened.suggested_tiers, default_tiers(opened.workload, options.model, options.max_model_len));
      opened.notes.push_back(default_tiers_note(opened.suggested_tiers));
    }
    options.tiers = options.last ? with_last_budgets(opened.suggested_tiers, *options.last) : opened.suggested_tiers;
  }
  KV_ASSIGN(auto settings, settings_of_session(options, needs_tiers));
  if (options.frozen && settings.decode_eviction == planned_decode_eviction)
    return fail(ErrorCode::usage,
                "--freeze: planned decode-time eviction chooses by measured latencies; give one method or none with "
                "--decode-eviction");
  KV_ASSIGN(auto chosen, choose_tiers(options.tiers, settings, options.remotes.tier_source));
  KV_ASSIGN(auto accelerator, accelerator_for(chosen));
  return SessionPlan{std::move(opened), std::move(settings), std::move(chosen), std::move(accelerator),
                     own_text_defaults};
}

}  // namespace

Status check_openable(const SessionOptions& options) {
  KV_TRY(plan_session(options));
  return {};
}

Status check_loadable(const SessionOptions& options) {
  KV_TRY(check_model(options.model));
  return check_openable(options);
}

std::vector<std::string> remotes_to_ask(const SessionOptions& options) {
  SessionOptions named = options;
  named.workload = named_workload(options.workload);
  const auto settings = session_settings(named);
  const auto chosen = settings ? choose_tiers(options.tiers, *settings, options.remotes.tier_source)
                               : Expected<ChosenTiers>(tl::unexpected(settings.error()));
  return chosen ? remotes_to_ask(*chosen, options.remotes) : std::vector<std::string>();  // open_session reports other
                                                                                          // errors
}

namespace {

Status make_tier_folders(const ChosenTiers& chosen) {
  std::vector<TierConfig> in_folders = chosen.tiers;
  in_folders.push_back(chosen.archive);
  for (const TierConfig& config : in_folders)
    if (const std::string& path = config.option("path"); !path.empty())
      if (const Status writable = make_writable_folder(path); !writable)
        return fail(writable.error().code, "tier " + config.name + ": " + writable.error().message);
  return {};
}

/// Opens the session's stores, with the notes to show before it starts.
Expected<LiveSession> open_stores_of(const SessionOptions& options, const SessionPlan& plan) {
  LiveSession session;
  session.notes = plan.opened.notes;
  if (options.last && !options.repeats)
    if (std::string left = faults_left_out(plan.settings, *options.last); !left.empty())
      session.notes.push_back(std::move(left));
  if (options.last && !options.repeats)
    if (std::string left = unloaded_files_text(*options.last); !left.empty()) session.notes.push_back(std::move(left));
  KV_TRY(check_model_is_there(options.model));
  KV_TRY(make_writable_folder(store_folder(options)));
  session.database = options.database.empty() ? default_database(options) : options.database;
  KV_ASSIGN(session.stores, open_stores(session.database, StoreAccess::read_write, machine_clock()));
  return session;
}

std::uint64_t contexts_with_requests(const Workload& workload) {
  std::set<std::size_t> askable;
  for (const WorkloadQuestion& question : workload.questions)
    if (question.split == QuestionSplit::held_out) askable.insert(question.context);
  return askable.size();
}

ModelRuntimeOptions runtime_options(const SessionOptions& options) {
  ModelRuntimeOptions runtime;
  if (options.prompt_form) runtime.prompt.form = prompt_form_of(*options.prompt_form);
  runtime.load.max_model_len = options.max_model_len;
  if (const ShippedModel* shipped = shipped_model_at(options.model)) {
    runtime.name = shipped->name;
    runtime.note = shipped->note;
  }
  if (!options.gpu) return runtime;
  runtime.prefill_chunk_tokens = gpu_chunk_tokens;
  runtime.open_device =
      options.open_device ? options.open_device : [bytes = options.gpu_cache_bytes](const Transformer& model) {
        return open_gpu_passes(model, bytes);
      };
  return runtime;
}

// With concurrency, the order of requests depends on timing.
std::string one_at_a_time_note(const SessionOptions& options, int max_batch) {
  return "frozen: one request at a time, where " +
         std::string(options.repeats ? "the recorded run had" : "the workload's session.json asks for") + " up to " +
         std::to_string(max_batch);
}

// Includes the inputs for `run --from`; a report shows their digests instead.
Json run_facts(const SessionOptions& options, const Workload& workload, Json environment) {
  std::error_code code;
  const auto absolute = [&](const std::filesystem::path& path) {
    return std::filesystem::absolute(path, code).string();
  };
  Json facts{{"environment", std::move(environment)},
             {"group", options.group},
             {"repeat",
              {{"workload", absolute(named_workload(options.workload))},
               {"model", absolute(options.model)},
               {"arrivals", recorded_arrivals(workload)},
               {"context_tokens", options.context_tokens},
               {"probes", options.probes},
               {"threads", options.threads},
               {"warmup", options.warm_every_context}}}};
  if (options.profile_questions > 0) facts["repeat"]["profile_questions"] = options.profile_questions;
  if (options.gpu) facts["repeat"]["gpu"] = true;
  if (options.prompt_form) facts["repeat"]["prompt_form"] = *options.prompt_form;
  if (options.max_model_len > 0) facts["repeat"]["max_model_len"] = options.max_model_len;
  if (options.repeats) facts["repeats"] = options.repeats->run_id;
  return facts;
}

/// Opens the plan's tiers below a folder per model and workload.
auto tier_opener(const SessionOptions& options, const SessionPlan& plan, Executor& executor) {
  return [chosen = plan.chosen, accelerator = plan.accelerator, store = store_folder(options),
          workload = plan.opened.workload.digest(), &executor, separate = options.separate_store_if_busy,
          tell = options.on_separate_store,
          repeats = options.repeats](const Digest128& model, const SessionSettings& resolved,
                                     const std::function<bool()>& stop) mutable -> Expected<OpenedTiers> {
    for (std::size_t t = 0; t < chosen.tiers.size(); ++t) chosen.tiers[t].budget = resolved.tiers[t].budget;
    if (repeats && !repeats->model_digest.empty() && repeats->model_digest != model.hex())
      return fail(ErrorCode::rejected_input, "run " + repeats->run_id + ": its model had the digest " +
                                                 repeats->model_digest + ", this one has " + model.hex() +
                                                 "; give the same model with --model");
    const auto folder = store / (model.hex().substr(0, 12) + "-" + workload.hex().substr(0, 12));
    if (!separate) return open_tiers(chosen, accelerator, folder, stop, executor);
    auto opened = open_free_tiers(chosen, accelerator, folder, stop, executor);
    if (opened && tell)  // in place of the session's own message
      for (const std::string& note : std::exchange(opened->notes, {})) tell(note);
    return opened;
  };
}

/// Everything except the workload, which the plan keeps.
EngineConfig engine_config(const SessionOptions& options, const SessionPlan& plan) {
  const Workload& workload = plan.opened.workload;
  EngineConfig config;
  config.executor = options.executor != nullptr ? options.executor : &system_executor();
  config.model = options.model;
  config.runtime = runtime_options(options);
  share_blocks(config.runtime, plan.accelerator);
  config.runtime.load.batch_invariant = plan.settings.products == batch_invariant_products;
  config.settings = plan.settings;
  config.seed = options.seed;
  config.warmup = options.warm_every_context ? workload.contexts.size() : 0;
  config.cold_start = options.cold_start;
  config.run_timing.model_each_run = options.cold_start && !options.endless;
  config.endless = options.endless;
  config.leave_out_idle = options.leave_out_idle;
  config.threads = options.threads;
  config.leave_core = options.leave_core;
  config.displayed = options.displayed;
  if (options.calibrate_runs)
    config.run_timing.calibration = std::make_shared<SessionCalibration>(config.executor->clock(), run_fixed_load);
  config.frozen = options.frozen;
  config.frozen_costs = options.frozen_costs;
  config.open_tiers = tier_opener(options, plan, *config.executor);
  config.shipped.files = {program_home() / "resources" / "profiles" / (workload.name + ".profile.json")};
  config.shipped.import = [digest = workload.digest()](ProfileStore& profiles,
                                                       const std::filesystem::path& file) -> Status {
    KV_TRY(import_profile(profiles, file, digest));
    return {};
  };
  return config;
}

}  // namespace

Expected<LiveSession> open_session(const SessionOptions& options, std::vector<EventSink*> sinks) {
  KV_ASSIGN(auto plan, plan_session(options));
  KV_TRY(check_consent(plan.chosen, options.remotes));
  KV_TRY(make_tier_folders(plan.chosen));
  KV_ASSIGN(LiveSession session, open_stores_of(options, plan));
  Workload& workload = plan.opened.workload;
  session.warmup_requests = options.warm_every_context ? contexts_with_requests(workload) : 0;
  session.workload_requests = workload.arrivals.requests;
  session.own_text_defaults = plan.own_text_defaults;
  EngineConfig config = engine_config(options, plan);
  Json environment = options.environment;
  if (std::string files = method_files_text(config.settings); !files.empty())
    environment["method_files"] = std::move(files);
  if (options.frozen && config.settings.max_batch > 1) {
    const std::string note = one_at_a_time_note(options, config.settings.max_batch);
    session.notes.push_back(note);
    environment["note"] = note;
    config.settings.max_batch = 1;
  }
  config.run_facts = run_facts(options, workload, std::move(environment));
  config.workload = std::move(workload);
  session.engine = std::make_unique<Engine>(std::move(config), &session.stores->profiles(), &session.stores->runs(),
                                            std::move(sinks));
  return session;
}

}  // namespace kvantage::inline wiring
