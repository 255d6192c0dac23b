// kvantage-cli sweep: a workload under every combination of policy, alpha, budget, rate and seed, locally or by
// workers.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <iterator>
#include <memory>

#include "app/cli/base/interrupts.h"
#include "app/cli/base/json_output.h"
#include "app/cli/base/progress_line.h"
#include "app/cli/commands.h"
#include "app/cli/report_output.h"
#include "app/cli/session_options.h"
#include "app/cli/sweep/sweep.h"
#include "app/cli/sweep/sweep_runner.h"
#include "app/cli/sweep/sweep_summary.h"
#include "app/wiring/parquet_module.h"
#include "app/wiring/ready_workload.h"
#include "app/wiring/resources.h"
#include "app/wiring/tier_notes.h"
#include "app/wiring/workload_opening.h"
#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/base/units.h"
#include "core/engine/settings_check.h"
#include "core/experiments/experiment_runner.h"
#include "core/model/fixed_load.h"
#include "core/runtime/model_runtime.h"
#include "core/sweep/sweep_table.h"

namespace kvantage::cli {

void say(const SweepArguments& arguments, const std::string& text) {
  if (!arguments.quiet) stderr_progress().say(text);
}

std::string text_of(const SweepCell& cell) {
  return cell.policy + (cell.uses_alpha ? " alpha " + alpha_text(cell) : "") + " budget " + cell.budget.text() +
         " rate " + dump_json(Json(cell.requests_per_second)) + " seed " + std::to_string(cell.seed);
}

namespace {

Expected<std::vector<double>> numbers_of(const char* option, const std::string& text) {
  std::vector<double> values;
  for (const std::string& word : split_list(text)) {
    double value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || !(value >= 0 && value <= 1e9))
      return fail(ErrorCode::usage,
                  std::string(option) + ": '" + word + "' is not a number from 0 to 10^9; write it like 0.1,1,10");
    values.push_back(value);
  }
  return values;
}

Status fill_plan(SweepArguments& arguments) {
  SweepPlan& plan = arguments.plan;
  if (plan.workload.empty()) return fail(ErrorCode::usage, "workload is required; give its folder or a sample's name");
  plan.methods = split_list(arguments.methods);
  KV_ASSIGN(plan.removed_fractions, removed_fractions_of(arguments.removed));
  plan.warm_every_context = !arguments.no_warmup;
  SweepGrid grid;
  for (const std::string& name : split_list(arguments.policies)) {
    KV_ASSIGN(const auto policy, make_servable_policy(name));
    grid.policies.push_back({policy->name(), policy->uses_alpha()});
  }
  KV_ASSIGN(const auto rates, numbers_of("--rate", arguments.rates));
  grid.rates = rates;
  if (!arguments.alpha_grid.empty() && !arguments.alphas.empty())
    return fail(ErrorCode::usage, "--alpha and --alpha-grid exclude each other; give one of them");
  KV_ASSIGN(const auto alphas, arguments.alpha_grid.empty()
                                   ? numbers_of("--alpha", arguments.alphas.empty() ? "1" : arguments.alphas)
                                   : parse_log_grid(arguments.alpha_grid));
  grid.alphas = alphas;
  for (const std::string& text : split_list(arguments.budgets)) {
    KV_ASSIGN(const auto budget, parse_budget_scale(text));
    grid.budgets.push_back(budget);
  }
  for (std::uint64_t i = 0; i < arguments.seeds; ++i) grid.seeds.push_back(arguments.first_seed + i);
  KV_ASSIGN(auto cells, cells_of(grid));
  plan.cells = std::move(cells);
  const std::filesystem::path model =
      plan.model.empty() ? default_model_directory() : std::filesystem::path(plan.model);
  KV_ASSIGN(const auto workload, ready_workload(plan.workload));
  SessionOptions options;
  options.model = model;
  options.workload = workload;
  options.tiers = plan.tiers;
  // Workers refuse what a plan must not choose: its owner learns that first.
  if (!arguments.workers.empty()) options.remotes.tier_source = UrlSource::file;
  for (const std::string& note : tier_name_notes(plan.tiers)) say(arguments, note);
  options.methods = plan.methods;
  options.removed_fractions = plan.removed_fractions;
  if (!plan.quality_metric.empty()) options.quality_metric = plan.quality_metric;
  if (plan.max_batch > 0) options.max_batch = plan.max_batch;
  KV_TRY(check_openable(options));  // before anything is written or published
  KV_ASSIGN(const auto opened, open_workload(workload, {model, 0, options.probes}));
  plan.workload_digest = opened.workload.digest().hex();
  KV_TRY(check_model_is_there(model));
  KV_ASSIGN(const auto runtime, ModelRuntime::load(model));
  plan.model_digest = runtime->digest().hex();
  plan.group = "sweep-" + std::to_string(SystemClock().utc_ns());
  return {};
}

/// ", about 12 min left", at the pace of the cells so far; empty before the first of them.
std::string left_text(double seconds, std::size_t served, std::size_t missing) {
  if (served == 0) return {};
  const double left = seconds / static_cast<double>(served) * static_cast<double>(missing);
  return left < 60 ? ", less than 1 min left" : ", about " + format_fixed(left / 60, 0) + " min left";
}

/// A warning where something else used the machine while cells were served.
void say_if_disturbed(const SweepArguments& arguments, const Calibration& machine) {
  if (machine.disturbed())
    say(arguments, "warning: other work disturbed this machine: a fixed load between the cells moved by " +
                       format_fixed(100 * machine.moved(), 0) + " % (bound " +
                       format_fixed(100 * Calibration::bound, 0) +
                       " %). Compare no times of different cells; run the sweep again at rest");
}

/// Serves the cells of a sweep in this process that have no result yet.
class SweepHere {
 public:
  SweepHere(const SweepArguments& arguments, const std::filesystem::path& database, SweepResults& results,
            SweepFailures& failures)
      : arguments_(arguments),
        results_(results),
        failures_(failures),
        runner_(arguments.plan, arguments.store.empty() ? arguments.out / "store" : arguments.store, database, {},
                arguments.threads, arguments.quiet, {UrlSource::user, arguments.allowed_remotes}),
        ids_(arguments.plan),
        begun_at_(clock_.seconds()) {
    for (const SweepCell& cell : arguments.plan.cells)
      if (!results.holds(ids_.of(cell))) missing_.push_back(&cell);
  }

  /// Seed after seed, as another seed needs another session: a seed is a block of its cells. What is disturbed is not
  /// served again, as a cell may take long: a warning says it.
  Status run() {
    if (missing_.empty()) return {};
    KV_TRY(runner_.open(missing_.front()->seed));
    ExperimentRunner blocks(machine_, {.repeats = 0});
    std::vector<std::uint64_t> seeds;
    for (const SweepCell* cell : missing_)
      if (std::ranges::find(seeds, cell->seed) == seeds.end()) seeds.push_back(cell->seed);
    for (const std::uint64_t seed : seeds) {
      std::vector<const SweepCell*> cells;
      std::ranges::copy_if(missing_, std::back_inserter(cells),
                           [&](const SweepCell* cell) { return cell->seed == seed; });
      KV_TRY(blocks.run_block(cells.size(), seed, [&](std::size_t c, int) { return serve(*cells[c]); }));
    }
    say_if_disturbed(arguments_, machine_);
    return {};
  }

 private:
  Expected<ExperimentRunner::Keep> serve(const SweepCell& cell) {
    const std::size_t all = arguments_.plan.cells.size(), left = all - results_.size() - failures_.size();
    say(arguments_, "cell " + std::to_string(results_.size() + 1) + " of " + std::to_string(all) + ": " +
                        text_of(cell) + left_text(clock_.seconds() - begun_at_, served_, left));
    auto result = runner_.run(cell);
    ++served_;
    if (!result && result.error().code == ErrorCode::cancelled) return tl::unexpected(result.error());
    const std::string id = ids_.of(cell);
    if (!result) {
      report_error(result.error());
      return [this, id, why = result.error().message] {
        failures_[id] = Json{{"failed", why}, {"worker", ""}, {"attempts", 1}};
        return Status();
      };
    }
    (*result)["cell"] = to_json(cell);
    return [this, id, served = *std::move(result)]() -> Status {
      KV_TRY(runner_.keep_calibration(served.value("run_id", ""), machine_.around_cell()));
      KV_TRY(results_.add(id, served));
      return {};
    };
  }

  const SweepArguments& arguments_;
  SweepResults& results_;
  SweepFailures& failures_;
  SweepRunner runner_;
  const CellIds ids_;
  const SystemClock clock_;
  const double begun_at_;
  Calibration machine_{clock_, run_fixed_load};
  std::vector<const SweepCell*> missing_;
  std::size_t served_ = 0;
};

/// sweep.json, sweep.csv, and sweep.parquet where there is an `encode`.
Status write_table(const SweepTable& table, const std::filesystem::path& folder, const EncodeTable& encode) {
  KV_TRY(write_text_file(folder / "sweep.json", dump_json(to_json(table), 1) + "\n"));
  KV_TRY(write_text_file(folder / "sweep.csv", to_csv(table)));
  if (!encode) return {};
  KV_ASSIGN(const auto bytes, encode(to_columns(table)));
  return write_text_file(folder / "sweep.parquet", bytes);
}

int run_sweep(SweepArguments& arguments) {
  note_interrupts();
  if (arguments.worker) {
    const Status status = work(arguments);
    return status ? 0 : report_error(status.error());
  }
  EncodeTable encode;
  if (arguments.parquet) {  // before anything is served
    auto opened = open_parquet_module();
    if (!opened) return report_error(opened.error());
    encode = *std::move(opened);
  }
  if (const Status filled = fill_plan(arguments); !filled) return report_error(filled.error());
  if (arguments.out.empty())
    return report_error(
        {ErrorCode::usage,
         "--out is required: the folder of results; give a new folder, or an existing one with --resume"});
  std::unique_ptr<SweepQueue> queue;  // before anything is written
  if (!arguments.workers.empty()) {
    auto joined = join_server(arguments);
    if (!joined) return report_error(joined.error());
    queue = std::move(*joined);
  }
  auto results = SweepResults::open(arguments.out, arguments.plan, arguments.resume);
  if (!results) return report_error(results.error());
  const std::filesystem::path database =
      arguments.database.empty() ? arguments.out / "kvantage.db" : arguments.database;
  SweepFailures failures;
  const Status status = queue ? run_elsewhere(arguments, database, *queue, *results, failures)
                              : SweepHere(arguments, database, *results, failures).run();
  auto all = results->read();
  if (!all) return report_error(all.error());
  all->insert(failures.begin(), failures.end());
  const SweepTable table = make_sweep_table(arguments.plan, *all);
  if (const Status written = write_table(table, arguments.out, encode); !written) return report_error(written.error());
  if (arguments.json) {
    print_json(to_json(table));
  } else {
    std::printf("%s", arguments.details ? to_text(table).c_str() : sweep_summary(table).c_str());
  }
  std::fflush(stdout);
  if (!status) return report_error(status.error());
  if (failures.empty()) return 0;
  return report_error(
      {ErrorCode::io, std::to_string(failures.size()) + " of " + std::to_string(table.plan.cells.size()) +
                          " cells could not be served (" +
                          json_field_or<std::string>(failures.begin()->second, "failed", "", "").value_or("") +
                          "); run them again with --resume"});
}

}  // namespace

void add_sweep(CLI::App& parent, CommandResult& result) {
  auto arguments = std::make_shared<SweepArguments>();
  SweepArguments& a = *arguments;
  CLI::App& command = *parent.add_subcommand(
      "sweep",
      "Run a workload under every combination of policies, alphas, budgets, rates and seeds: one table, one frontier");
  command.add_option("WORKLOAD", a.plan.workload, "Folder of the workload, or a sample's name");
  command.add_option("--out", a.out, "Folder of results: sweep.json, sweep.csv, a file for each cell");
  command.add_flag("--resume", a.resume, "Resume from --out (and the server): skip cells that have results");
  command.add_option("--policy", a.policies, "Policies")->capture_default_str();
  command.add_option("--alpha", a.alphas,
                     "Alphas, like 0.1,1,10 (default: 1); policies that do not use alpha run once");
  command.add_option("--alpha-grid", a.alpha_grid, "FIRST:LAST:COUNT, spaced logarithmically");
  command
      .add_option("--budgets", a.budgets,
                  "Total tier budgets, split as in the session: factors of the session's, or shares of the "
                  "uncompressed bytes like 10%,20%,33%")
      ->capture_default_str();
  command.add_option("--rate", a.rates, "Requests per second (Poisson), like 0,2,8; 0: closed loop")
      ->capture_default_str();
  command.add_option("--seeds", a.seeds, "Number of seeds")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{10'000}))
      ->capture_default_str();
  command.add_option("--seed", a.first_seed, "First seed")->check(whole_number(1'000'000'000))->capture_default_str();
  command.add_option("--limit", a.plan.request_limit, "Requests per cell; 0: the workload's")
      ->check(whole_number(10'000'000))
      ->capture_default_str();
  command.add_option("--max-batch", a.plan.max_batch, "Maximum concurrent requests (default: the session's)")
      ->check(CLI::Range(1, max_batch));
  command.add_flag("--no-warmup", a.no_warmup, "Skip the warm-up request of every context");
  command
      .add_option("--model", a.plan.model,
                  "Hugging Face folder or GGUF file of the model, or reference-mha; if not given: the default model. "
                  "With --worker: its path on this machine")
      ->transform(shipped_model());
  command.add_option("--tier", a.plan.tiers,
                     "As in run: dram=40%,ssd=400%; repeatable (default: the workload's session.json)");
  command.add_option("--allow-remote", a.allowed_remotes, "As in run; for a worker: a server that the plan names");
  command.add_option("--methods", a.methods, "Candidate compression methods");
  command.add_option("--removed", a.removed, "Candidate removed fractions");
  command.add_option("--quality-metric", a.plan.quality_metric, "Quality metric of the utility and the table");
  command.add_option(
      "--store", a.store,
      "Folder of the stores (default: inside --out); for a worker in the cache folder, removed at its end");
  command.add_option("--db", a.database,
                     "Database of profiles and runs, also those of workers (default: kvantage.db inside --out; for a "
                     "worker: inside its store)");
  command.add_option("--threads", a.threads, "Compute threads; 0: one per core")
      ->check(CLI::Range(0, max_threads))
      ->capture_default_str();
  command.add_option(
      "--workers", a.workers,
      "redis://HOST:PORT[/db] or rediss://: distribute the cells to worker processes through this server");
  command.add_flag("--worker", a.worker, "Run as a worker: take cells from --workers until all are done");
  command.add_option("--name", a.name, "Name of the sweep on the server")->capture_default_str();
  command
      .add_option("--lease", a.lease_seconds, "Seconds without a heartbeat after which a cell goes to another worker")
      ->check(CLI::Range(0.1, 86'400.0))
      ->capture_default_str();
  command.add_option("--wait", a.wait_seconds, "Seconds a worker waits for the sweep to appear")
      ->check(CLI::Range(0.0, 86'400.0))
      ->capture_default_str();
  command.add_flag("--parquet", a.parquet, "Also write the table as sweep.parquet");
  add_details_option(command, a.details);
  add_json_option(command, a.json);
  command.add_flag("--quiet", a.quiet, "No progress");
  command.callback([arguments, &result] { result.exit_code = run_sweep(*arguments); });
}

}  // namespace kvantage::cli
