// kvantage-cli run: serves a workload under one or several policies, in an order drawn from the seed, and prints one
// row per policy in the given order.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <utility>

#include "app/cli/base/drawing.h"
#include "app/cli/base/interrupts.h"
#include "app/cli/base/json_output.h"
#include "app/cli/base/progress_line.h"
#include "app/cli/base/recorded_runs.h"
#include "app/cli/report_output.h"
#include "app/cli/run/run_from.h"
#include "app/cli/run/run_options.h"
#include "app/cli/run/starting_policy.h"
#include "app/session_socket/session_socket.h"
#include "app/wiring/program_facts.h"
#include "core/base/clock.h"
#include "core/base/counted.h"
#include "core/base/executor.h"
#include "core/base/folders.h"
#include "core/base/random.h"
#include "core/engine/settings_check.h"
#include "core/experiments/experiment_runner.h"
#include "core/model/fixed_load.h"
#include "core/policy/plan_text.h"
#include "core/ports/decode_eviction.h"
#include "core/ports/reprofile_rule.h"
#include "core/ports/run_calibration.h"
#include "core/report/compare_runs.h"
#include "core/report/formats/report_files.h"
#include "core/report/recorded_run.h"
#include "core/report/report_bounds.h"
#include "core/workload/regimes/regime_facts.h"
#include "profiles/run_notes.h"
#include "tiers/remote/redis_url.h"

namespace kvantage::cli {
namespace {

/// For a workload in a paper's regime: how far this session is from it, and whether that withholds a verdict.
void say_regime(const Engine& engine) {
  const Regime* regime = regime_of_workload(engine.workload().name);
  if (regime == nullptr) return;
  const auto text = [](double value) { return std::isinf(value) ? std::string("unlimited") : short_number(value); };
  const auto rows = regime_deviations(*regime, *engine.snapshot());
  for (const RegimeDeviation& row : rows)
    stderr_progress().say(row.what + ": " + text(row.measured) + ", in the regime " + text(row.wanted));
  if (const std::string withheld = withheld_text(rows); !withheld.empty())
    stderr_progress().say("warning: " + withheld);
}

// Defaults for missing options: the recorded run's or the session's, else the general ones.
Expected<std::vector<std::string>> choose(RunArguments& arguments) {
  SessionOptions& options = arguments.options;
  options.frozen = arguments.freeze;
  if (arguments.freeze && arguments.keep_store)
    return fail(ErrorCode::usage,
                "--freeze: existing entries in the tiers would affect decisions; leave --keep-store out");
  const CLI::Option* batch = arguments.command->get_option_no_throw("--max-batch");
  if (arguments.freeze && batch != nullptr && batch->count() > 0 && batch->as<std::string>() != "1")
    return fail(ErrorCode::usage,
                "--freeze: serves one request at a time, since the order of concurrent requests depends on timing; "
                "leave --max-batch out");
  options.policy.reset();
  options.warm_every_context = !arguments.no_warmup;
  options.cold_start = !arguments.keep_store;
  if (arguments.from.empty()) {
    if (options.workload.empty())
      return fail(
          ErrorCode::usage,
          "workload is required; give its folder, or a recorded run with --from; try 'kvantage-cli run --help'");
    const bool is_given = arguments.command->get_option("--policy")->count() > 0;
    if (!arguments.from_serving.empty()) {
      KV_ASSIGN(const auto policy, start_from_serving(arguments.from_serving, arguments));
      if (!is_given && !policy.empty()) return std::vector{policy};
    }
    if (std::string policy = is_given ? std::string() : starting_policy(options.workload); !policy.empty())
      return std::vector{std::move(policy)};
    return split_policies(arguments.policies);
  }
  if (!arguments.from_serving.empty())
    return fail(ErrorCode::usage, "--from-serving: the run of --from has settings of its own; leave one of them out");
  KV_ASSIGN(const auto choices, repeat_run(arguments.from, *arguments.command, arguments));
  if (!arguments.no_warmup) options.warm_every_context = choices.warm_every_context;
  if (!arguments.keep_store) options.cold_start = choices.cold_start || arguments.freeze;
  return arguments.command->get_option("--policy")->count() > 0 ? split_policies(arguments.policies) : choices.policies;
}

/// What is served: in each block every policy once. Its place in the report is by block, then as the policies are
/// given.
struct ServingPlan {
  std::vector<std::string> policies;
  std::uint64_t blocks = 1, seed = 0;
  bool interleaved = true;  // false: policy after policy, as given

  /// "lru", or "lru in block 2".
  std::string name(std::size_t place) const {
    return policies[place % policies.size()] +
           (blocks > 1 ? " in block " + std::to_string(place / policies.size() + 1) : "");
  }
  /// Block after block, each in an order drawn for it, so that what happens to the machine in the meantime does not
  /// always hit the same policy.
  std::vector<std::size_t> drawn_places() const {
    std::vector<std::size_t> places;
    places.reserve(blocks * policies.size());
    for (std::size_t policy = 0; !interleaved && policy < policies.size(); ++policy)
      for (std::uint64_t block = 0; block < blocks; ++block) places.push_back(block * policies.size() + policy);
    if (!interleaved) return places;
    for (std::uint64_t block = 0; block < blocks; ++block)
      for (const std::size_t policy : drawn_order(policies.size(), derive_seed(seed, block)))
        places.push_back(block * policies.size() + policy);
    return places;
  }
};

struct ServedRun {
  std::size_t place = 0;
  std::string run_id = {};
};

/// `served`: in the order of service, the last one interrupted.
void say_what_is_missing(const std::vector<RecordedRun>& recorded, const ServingPlan& plan,
                         const std::vector<ServedRun>& served) {
  std::vector<std::size_t> places;
  places.reserve(served.size());
  for (const ServedRun& one : served) places.push_back(one.place);
  const std::size_t stopped = places.back();
  std::size_t answered = 0;
  for (const RecordedRun& run : recorded)
    if (run.summary.run_id == served.back().run_id) answered = answered_requests(run);
  std::string text = "interrupted: '" + plan.name(stopped) + "' was stopped after " + counted(answered, "request");
  bool first = true;
  for (std::size_t place = 0; place < plan.blocks * plan.policies.size(); ++place) {
    if (std::ranges::find(places, place) != places.end()) continue;
    text += (std::exchange(first, false) ? "; not run: " : ", ") + plan.name(place);
  }
  stderr_progress().say(text + "; the report covers the answered requests");
}

/// What a recorded run has beside its journal. Of a run that was not recorded, read_own_run() says it.
Status save_results(RunStore& runs, const ServingPlan& plan, const ServedRun& served,
                    const std::vector<double>& calibration) {
  KV_TRY(runs.flush());
  Status kept = runs.save_result(served.run_id, calibration_result, calibration);
  if (!kept && kept.error().code == ErrorCode::not_found) return {};
  KV_TRY(kept);
  KV_TRY(runs.save_result(served.run_id, place_result, served.place));
  if (plan.blocks == 1) return {};
  const RunNotes notes{
      .text = "block " + std::to_string(served.place / plan.policies.size() + 1) + " of " + std::to_string(plan.blocks),
      .tags = {}};
  return runs.save_result(served.run_id, notes_result_name, json_from(notes));
}

/// Each policy of each block, as a cell of its own, until interrupted. In the order of service.
Expected<std::vector<ServedRun>> serve_policies(LiveSession& session, ConsoleSink& console, const ServingPlan& plan) {
  const SystemClock clock;
  Calibration machine(clock, run_fixed_load);
  // Threads of the model that wait for work may still turn: the fastest of some is what this machine can do.
  for (int i = 0; i < 3; ++i) machine.time(1);
  ExperimentRunner cells(machine, {.rounds = 8, .repeats = 0});
  Engine& engine = *session.engine;
  std::vector<ServedRun> served;
  const std::vector<std::size_t> places = plan.drawn_places();
  for (const std::size_t place : places) {
    const auto serve_cell = [&]() -> Expected<ExperimentRunner::Keep> {
      SessionSettings settings = engine.settings();
      settings.policy = plan.policies[place % plan.policies.size()];
      KV_TRY(engine.apply(settings));
      const std::uint64_t each =
          session.warmup_requests + (settings.request_limit > 0 ? settings.request_limit : session.workload_requests);
      console.expect_requests({.before = each * served.size(), .total = each * places.size()}, plan.name(place));
      engine.start();
      KV_TRY(wait_until_idle(engine));
      return [&, place]() -> Status {
        served.push_back({place, engine.info().run_id});
        return save_results(session.stores->runs(), plan, served.back(), machine.around_cell());
      };
    };
    KV_TRY(cells.run_cell(serve_cell));
    if (interrupted()) break;
  }
  return served;
}

/// In the order of the report.
Expected<std::vector<RecordedRun>> read_served(RunStore& runs, std::vector<ServedRun> served) {
  std::ranges::sort(served, {}, &ServedRun::place);
  std::vector<RecordedRun> recorded;
  recorded.reserve(served.size());
  for (const ServedRun& one : served) {
    KV_ASSIGN(auto run, read_own_run(runs, one.run_id));
    recorded.push_back(std::move(run));
  }
  return recorded;
}

/// Of --listen; null without it. In a frozen run, settings that come at some time would enter decisions.
Expected<std::unique_ptr<SessionSocket>> socket_of(const RunArguments& arguments, Engine& engine,
                                                   const DecisionLog& decisions) {
  if (arguments.listen.empty()) return nullptr;
  ServedSession served{engine, &engine, decisions, request_interrupt, program_version()};
  if (arguments.freeze) served.settings_refusal = "the run is frozen; leave --freeze out to change them";
  KV_ASSIGN(auto socket, SessionSocket::listen(arguments.listen, std::move(served), system_executor()));
  if (!arguments.quiet) stderr_progress().say("listening on " + arguments.listen.string());
  return socket;
}

struct ServedReport {
  RunReport report;
  std::optional<RunReport> summary = {};  // shown instead: with the repetitions of a policy as one
};

Expected<ServedReport> run_policies(RunArguments& arguments) {
  KV_TRY(finish_session_options(arguments));
  SessionOptions& options = arguments.options;
  KV_ASSIGN(const auto chosen, choose(arguments));
  const std::vector<std::string>& policies = chosen;
  if (policies.empty()) return fail(ErrorCode::usage, "--policy: names no policy; try --policy evicpress");
  if (policies.size() * arguments.repeats > max_report_runs)
    return fail(ErrorCode::usage, "--repeat: makes more than the " + std::to_string(max_report_runs) +
                                      " runs that a report shows; give fewer repetitions or policies");
  bool any_plans = false;
  for (const std::string& name : policies) {
    KV_ASSIGN(const auto policy, make_servable_policy(name));
    any_plans = any_plans || policy->is_planner();
  }
  options.policy = policies.front();
  options.alpha = arguments.alpha_value;
  options.requests_per_second = arguments.rate_value;
  options.max_batch = arguments.max_batch_value;
  options.prefill_batch_tokens = arguments.prefill_batch_tokens;
  if (arguments.no_reprofile) options.reprofile = false;
  options.compute_or_load = arguments.compute_or_load;
  options.attend_quantized = arguments.attend_quantized;
  options.decode_eviction = arguments.decode_eviction;
  options.decode_offload = arguments.decode_offload;
  options.speculation = arguments.speculation;
  if (arguments.reprofile_when) {
    KV_ASSIGN(options.reprofile_when, parse_reprofile_rule(*arguments.reprofile_when));
  }
  if (arguments.assume_loss) options.assume_loss = *arguments.assume_loss == "on";
  options.reprofile_share = arguments.reprofile_share;
  if (arguments.former_threshold)
    options.reprofile_when = ReprofileRule::relative(std::min(*arguments.former_threshold, 1.0));
  if (arguments.limit_value > 0) options.request_limit = arguments.limit_value;
  std::string command = "kvantage-cli";
  for (const std::string& word : arguments.command_line) command += " " + word;
  options.environment["command"] = command;
  options.group = "run-" + std::to_string(SystemClock().utc_ns());
  // Checked up front.
  if (!arguments.report_directory.empty()) KV_TRY(make_writable_folder(arguments.report_directory));

  ConsoleSink console(arguments.quiet);
  DecisionLog decisions;
  std::vector<EventSink*> sinks{&console};
  if (!arguments.listen.empty()) sinks.push_back(&decisions);
  KV_ASSIGN(auto session, open_session(options, sinks));
  say_notes(session, arguments.quiet);
  Engine& engine = *session.engine;
  KV_ASSIGN(const auto socket, socket_of(arguments, engine, decisions));
  KV_TRY(wait_until_idle(engine));
  // Planning policies need quality curves, planned decoding its options; nothing is measured twice.
  if (any_plans || engine.settings().decode_eviction == planned_decode_eviction) {
    engine.profile_all();
    KV_TRY(wait_until_idle(engine));
    if (interrupted())
      return fail(ErrorCode::cancelled,
                  "interrupted while profiling; the curves measured so far are kept, no policy was run");
  }
  if (!arguments.quiet) say_regime(engine);
  const ServingPlan plan{policies, arguments.repeats, options.seed, !arguments.one_by_one};
  KV_ASSIGN(const auto served, serve_policies(session, console, plan));
  KV_ASSIGN(const auto recorded, read_served(session.stores->runs(), served));
  if (interrupted()) say_what_is_missing(recorded, plan, served);
  ServedReport made{report_of_runs(recorded)};
  if (plan.blocks > 1 && !arguments.json && !arguments.details)
    made.summary = build_report(made.report.settings, made.report.environment, joined_policy_runs(recorded));
  return made;
}

int run(RunArguments& arguments) {
  note_interrupts();
  const auto served = run_policies(arguments);
  if (!served) return report_error(served.error());
  if (arguments.json) {
    print_json(to_report_json(served->report), 2);
  } else {
    // For whoever reads along: the numbers are not lost.
    const std::string more = ::isatty(STDOUT_FILENO) != 0 ? details_command(database_of(arguments.options)) : "";
    const RunReport& shown = served->summary ? *served->summary : served->report;
    std::printf("%s", report_output(shown, arguments.details, more).c_str());
  }
  if (!arguments.report_directory.empty()) {
    const auto written = write_report_files(served->report, arguments.report_directory,
                                            split_list(default_report_formats()), report_drawing());
    if (!written) return report_error(written.error());
    std::fflush(stdout);  // the table first, also when both streams go into one file
    if (!arguments.quiet)
      for (const auto& path : *written) stderr_progress().say("report: " + path.string());
  }
  return interrupted() ? interrupted_exit_code : 0;
}

}  // namespace

void add_run(CLI::App& parent, CommandResult& result) {
  auto arguments = std::make_shared<RunArguments>();
  CLI::App& command = *parent.add_subcommand("run", "Serve a workload under one or several policies");
  arguments->command = &command;
  add_run_options(command, *arguments);
  command.callback([arguments, &command, &result] {
    arguments->command_line = {"run"};
    for (const CLI::Option* option : command.parse_order()) {
      if (option->get_positional()) {
        for (const std::string& value : option->results()) arguments->command_line.push_back(value);
        continue;
      }
      arguments->command_line.push_back(option->get_name());
      if (option->get_expected_min() == 0) continue;  // a flag
      // Recorded with the run: must not contain a password.
      for (const std::string& value : option->results())
        arguments->command_line.push_back("'" + without_credentials(value) + "'");
    }
    result.exit_code = run(*arguments);
  });
}

}  // namespace kvantage::cli
