// kvantage-cli sweep: a workload under every combination of policy, alpha, budget, rate and seed, locally or by
// workers, which SLURM may start.
#include <charconv>
#include <cstdio>
#include <memory>
#include <optional>

#include "app/cli/base/interrupts.h"
#include "app/cli/base/json_output.h"
#include "app/cli/base/method_file_option.h"
#include "app/cli/base/model_options.h"
#include "app/cli/base/progress_line.h"
#include "app/cli/base/progress_options.h"
#include "app/cli/commands.h"
#include "app/cli/report_output.h"
#include "app/cli/session_options.h"
#include "app/cli/sweep/local_sweep.h"
#include "app/cli/sweep/sweep.h"
#include "app/cli/sweep/sweep_plan_file.h"
#include "app/cli/sweep/sweep_runner.h"
#include "app/cli/sweep/sweep_summary.h"
#include "app/wiring/parquet_module.h"
#include "core/engine/settings_check.h"
#include "core/ports/decode_eviction.h"
#include "core/sweep/sweep_table.h"

namespace kvantage::cli {
namespace {

/// Of an option: "0.1,1,10".
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

}  // namespace

Expected<std::vector<double>> alphas_of(const std::string& alphas, const std::string& grid) {
  if (!grid.empty() && !alphas.empty())
    return fail(ErrorCode::usage, "--alpha and --alpha-grid exclude each other; give one of them");
  return grid.empty() ? numbers_of("--alpha", alphas.empty() ? "1" : alphas) : parse_log_grid(grid);
}

void say(const SweepArguments& arguments, const std::string& text) {
  if (!arguments.quiet) stderr_progress().say(text);
}

void say_command(const SweepArguments& arguments, const std::string& text) {
  if (!arguments.quiet) stderr_progress().say_whole(text);
}

void say_cells(const SweepArguments& arguments, std::size_t done, const char* key, const Json& value) {
  stderr_progress().say_json(
      dump_json(OrderedJson{{"cells_done", done}, {"cells", arguments.plan.cells.size()}, {key, OrderedJson(value)}}));
}

namespace {

/// Tiers of a plan from a file are not the user's own words.
RemoteConsent remotes_of(const SweepArguments& arguments) {
  return {arguments.plan_file.empty() ? UrlSource::user : UrlSource::file, arguments.allowed_remotes};
}

PlanCheck check_of(const SweepArguments& arguments) {
  PlanCheck check{remotes_of(arguments), {}, [&arguments](const std::string& note) { say(arguments, note); }};
  // Workers refuse what a plan must not choose: its owner learns that first.
  if (!arguments.workers.empty()) check.remotes = {UrlSource::file, {}};
  return check;
}

/// Canonical text of a method, "none" or "planned".
Expected<std::string> decode_eviction_of(const std::string& text) {
  if (text == planned_decode_eviction) return text;
  KV_ASSIGN(const auto parsed, parse_decode_eviction(text));
  return parsed ? parsed->text() : std::string("none");
}

/// The plan of --plan; a model given beside it is where it is on this machine.
Status read_plan(SweepArguments& arguments) {
  if (!arguments.plan.workload.empty())
    return fail(ErrorCode::usage, "WORKLOAD and --plan exclude each other; the plan names its workload");
  if (!arguments.plan.prompt_form.empty())
    return fail(ErrorCode::usage, "--prompt-form and --plan exclude each other; the plan has its prompt form");
  if (arguments.plan.max_model_len > 0)
    return fail(ErrorCode::usage, "--max-model-len and --plan exclude each other; the plan has its maximum length");
  if (!arguments.plan.products.empty())
    return fail(ErrorCode::usage, "--products and --plan exclude each other; the plan has its matrix products");
  PlanCheck check = check_of(arguments);
  check.model = arguments.plan.model;
  KV_ASSIGN(auto plan, read_plan_file(arguments.plan_file, check));
  arguments.plan = std::move(plan);
  return {};
}

Status fill_plan(SweepArguments& arguments) {
  if (!arguments.plan_file.empty()) return read_plan(arguments);
  SweepPlan& plan = arguments.plan;
  if (plan.workload.empty()) return fail(ErrorCode::usage, "workload is required; give its folder or a sample's name");
  const std::vector<std::vector<std::string>> method_sets = parse_method_sets(arguments.methods);
  plan.methods = all_methods_of(method_sets);
  KV_ASSIGN(plan.removed_fractions, removed_fractions_of(arguments.removed));
  plan.warm_every_context = !arguments.no_warmup;
  SweepGrid grid;
  for (const std::string& name : split_policies(arguments.policies)) {
    KV_ASSIGN(const auto policy, make_servable_policy(name));
    grid.policies.push_back({policy->name(), policy->uses_alpha(), policy->is_planner()});
  }
  KV_ASSIGN(const auto rates, numbers_of("--rate", arguments.rates));
  grid.rates = rates;
  KV_ASSIGN(const auto alphas, alphas_of(arguments.alphas, arguments.alpha_grid));
  grid.alphas = alphas;
  for (const std::string& text : split_list(arguments.budgets)) {
    KV_ASSIGN(const auto budget, parse_budget_scale(text));
    grid.budgets.push_back(budget);
  }
  for (std::uint64_t i = 0; i < arguments.seeds; ++i) grid.seeds.push_back(arguments.first_seed + i);
  grid.method_sets = method_sets;
  for (const std::string& text : split_list(arguments.decode_evictions)) {
    KV_ASSIGN(auto method, decode_eviction_of(text));
    grid.decode_evictions.push_back(std::move(method));
  }
  KV_ASSIGN(auto cells, cells_of(grid));
  plan.cells = std::move(cells);
  return complete_plan(plan, check_of(arguments));
}

/// Serves the cells of a sweep in this process that have no result yet.
Status run_here(const SweepArguments& arguments, const std::filesystem::path& database, SweepResults& results,
                SweepFailures& failures) {
  SweepRunner runner(arguments.plan, arguments.store.empty() ? arguments.out / "store" : arguments.store, database, {},
                     arguments.threads, arguments.quiet, remotes_of(arguments));
  LocalSweepHooks hooks;
  hooks.say = [&arguments](const std::string& text) { say(arguments, text); };
  hooks.failed = [](const Error& error) { report_error(error); };
  const auto say_now = [&](const char* key, const Json& value) {
    say_cells(arguments, results.size() + failures.size(), key, value);
  };
  hooks.begun = [&](const SweepCell& cell) { say_now("cell", text_of(cell)); };
  hooks.kept = [&](const std::string&, const Json& result) {
    const auto run = result.find("run_id");
    say_now("run", run == result.end() ? Json(nullptr) : *run);
  };
  return LocalSweep(arguments.plan, runner, results, failures, std::move(hooks)).run();
}

Error no_out() {
  return {ErrorCode::usage,
          "--out is required: the folder of results; give a new folder, or an existing one with --resume"};
}

/// What contradicts itself, before anything is read.
Status check_options(SweepArguments& arguments) {
  const bool has_queue = !arguments.workers.empty() || arguments.slurm.submit;
  if (arguments.worker && arguments.slurm.submit)
    return fail(ErrorCode::usage, "--worker and --slurm exclude each other; --slurm starts workers itself");
  if (!arguments.slurm.submit && (!arguments.slurm.sbatch.empty() || arguments.slurm.tasks > 0))
    return fail(ErrorCode::usage, "--sbatch and --slurm-tasks are for --slurm; add it");
  if (!arguments.worker && has_queue && arguments.out.empty()) return tl::unexpected(no_out());
  if (arguments.slurm.submit && arguments.workers.empty()) arguments.workers = folder_workers;
  return {};
}

/// Cells by workers or here, then results, runs and failures in `to`.
Status serve_cells(const SweepCollection& to, SweepQueue* queue) {
  if (queue != nullptr) return run_elsewhere(to, *queue);
  if (to.arguments.resume) KV_TRY(collect_left(to));
  return run_here(to.arguments, to.database, to.results, to.failures);
}

void print_table(const SweepArguments& arguments, const SweepTable& table) {
  if (arguments.json)
    print_json(to_json(table));
  else
    std::printf("%s", arguments.details ? to_text(table).c_str() : sweep_summary(table).c_str());
  std::fflush(stdout);
}

/// The sweep of an owner, or of this process alone. `encode` may be empty.
int own_sweep(SweepArguments& arguments, const EncodeTable& encode) {
  if (const Status filled = fill_plan(arguments); !filled) return report_error(filled.error());
  if (arguments.out.empty()) return report_error(no_out());
  std::unique_ptr<SweepQueue> queue;  // before anything is written
  if (!arguments.workers.empty()) {
    auto joined = join_queue(arguments);
    if (!joined) return report_error(joined.error());
    queue = std::move(*joined);
  }
  // While its cells are served here, or results are collected from it.
  const bool locks = queue == nullptr || arguments.workers == folder_workers;
  std::optional<DirectoryLock> lock;
  const auto take_lock = [&]() -> Status {
    KV_ASSIGN(lock, lock_sweep(arguments.out));
    return {};
  };
  std::error_code ignored;
  if (locks && arguments.resume && std::filesystem::is_directory(arguments.out, ignored))  // before its plan changes
    if (const Status taken = take_lock(); !taken) return report_error(taken.error());
  auto results = SweepResults::open(arguments.out, arguments.plan, arguments.resume);
  if (!results) return report_error(results.error());
  if (locks && !lock)
    if (const Status taken = take_lock(); !taken) return report_error(taken.error());
  const std::filesystem::path database =
      arguments.database.empty() ? arguments.out / "kvantage.db" : arguments.database;
  SweepFailures failures;
  const Status status = serve_cells({arguments, database, *results, failures}, queue.get());
  auto all = results->read();
  if (!all) return report_error(all.error());
  all->insert(failures.begin(), failures.end());
  const SweepTable table = make_sweep_table(arguments.plan, *all);
  if (const Status written = write_tables(table, *all, arguments.out, encode); !written)
    return report_error(written.error());
  print_table(arguments, table);
  if (!status) return report_error(status.error());
  if (failures.empty()) return 0;
  return report_error(
      {ErrorCode::io, std::to_string(failures.size()) + " of " + std::to_string(table.plan.cells.size()) +
                          " cells could not be served (" +
                          json_field_or<std::string>(failures.begin()->second, "failed", "", "").value_or("") +
                          "); run them again with --resume"});
}

int run_sweep(SweepArguments& arguments) {
  note_interrupts();
  if (const Status checked = check_options(arguments); !checked) return report_error(checked.error());
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
  return own_sweep(arguments, encode);
}

/// Where cells are served: by workers, and by those that SLURM starts.
void add_worker_options(CLI::App& command, SweepArguments& a) {
  command.add_option("--workers", a.workers,
                     "redis://HOST:PORT[/db] or rediss://: distribute the cells to worker processes through this "
                     "server; or folder: through --out on a shared file system");
  command.add_flag("--worker", a.worker, "Run as a worker: take cells from --workers until all are done");
  command.add_option("--name", a.name, "Name of the sweep on the server")->capture_default_str();
  command
      .add_option("--lease", a.lease_seconds, "Seconds without a heartbeat after which a cell goes to another worker")
      ->check(CLI::Range(0.1, 86'400.0))
      ->capture_default_str();
  command.add_option("--wait", a.wait_seconds, "Seconds a worker waits for the sweep to appear")
      ->check(CLI::Range(0.0, 86'400.0))
      ->capture_default_str();
  command.add_flag(
      "--slurm", a.slurm.submit,
      "Submit a SLURM job array whose tasks are the workers, and wait; without --workers they share --out");
  command.add_option("--slurm-tasks", a.slurm.tasks, "Tasks of the array (default: 8, at most one per cell)")
      ->check(CLI::Range(1, max_slurm_tasks));
  command
      .add_option("--sbatch", a.slurm.sbatch,
                  "Options for sbatch, like '--partition=long --time=2:00:00 --exclusive'; repeatable")
      ->allow_extra_args(false);
  command
      .add_option("--slurm-wait", a.slurm.wait,
                  "Wait for the cells of the job; no: end once it is submitted, and --resume --slurm collects results")
      ->check(one_of({"yes", "no"}))
      ->capture_default_str();
}

}  // namespace

void add_sweep(CLI::App& parent, CommandResult& result) {
  auto arguments = std::make_shared<SweepArguments>();
  SweepArguments& a = *arguments;
  CLI::App& command = *parent.add_subcommand(
      "sweep",
      "Run a workload under every combination of policies, alphas, budgets, rates and seeds: one table, one frontier");
  command.add_option("WORKLOAD", a.plan.workload, "Folder of the workload, or a sample's name");
  command.add_option("--out", a.out,
                     "Folder of results: sweep.json, sweep.csv, cells.csv, sweep.sqlite, a file for each cell");
  command.add_flag("--resume", a.resume, "Resume from --out (and the server): skip cells that have results");
  command.add_option("--policy", a.policies, "Policies")->capture_default_str();
  command.add_option("--alpha", a.alphas,
                     "Alphas, like 0.1,1,10 (default: 1); policies that do not use alpha run once");
  command.add_option("--alpha-grid", a.alpha_grid, "FIRST:LAST:COUNT, spaced logarithmically");
  command
      .add_option("--budgets", a.budgets,
                  "Total tier budgets, split as in the session: factors of the session's, or shares of the "
                  "uncompressed bytes like 10%,20%,33%; budgets of single tiers like dram=10%+ssd=40%")
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
  add_prompt_form_option(command, a.plan.prompt_form);
  add_max_model_len_option(command, a.plan.max_model_len);
  add_products_option(command, a.plan.products);
  command.add_option("--tier", a.plan.tiers,
                     "As in run: dram=40%,ssd=400%; repeatable (default: the workload's session.json)");
  command.add_option("--allow-remote", a.allowed_remotes, "As in run; for a worker: a server that the plan names");
  command.add_option("--methods", a.methods,
                     "Candidate compression methods; sets of them separated by | are one more list: 'keydiff|snapkv'");
  add_method_file_option(command);
  command.add_option("--decode-eviction", a.decode_evictions,
                     "Decode-time eviction methods, like none,knorm(budget=25%) (default: the session's)");
  command.add_option("--plan", a.plan_file,
                     "plan.json of a sweep or of an experiment of the window, in place of WORKLOAD and the lists");
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
  add_worker_options(command, a);
  command.add_flag("--parquet", a.parquet, "Also write sweep.parquet and cells.parquet");
  add_details_option(command, a.details);
  add_json_option(command, a.json);
  add_progress_options(command, a.quiet);
  command.callback([arguments, &command, &result] {
    arguments->method_files = command.get_option("--method-file")->results();
    result.exit_code = run_sweep(*arguments);
  });
}

}  // namespace kvantage::cli
