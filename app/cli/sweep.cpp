// kvantage-cli sweep: a workload under every combination of policy, alpha, budget, rate and seed, here or by workers.
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>

#include "app/cli/commands.h"
#include "app/cli/interrupts.h"
#include "app/cli/sweep_queue.h"
#include "app/cli/sweep_runner.h"
#include "app/wiring/resources.h"
#include "app/wiring/samples.h"
#include "app/wiring/workload_opening.h"
#include "core/base/files.h"
#include "core/base/folders.h"
#include "core/engine/settings_check.h"
#include "core/sweep/sweep_results.h"
#include "core/sweep/sweep_table.h"

namespace kvantage::cli {
namespace {

struct SweepArguments {
  SweepPlan plan;
  std::string policies = "full_prefill,lru,evicpress", alphas, alpha_grid, budgets = "1", rates = "0", methods, removed, workers, name = "sweep";
  std::uint64_t seeds = 1, first_seed = 0;
  std::filesystem::path out, store, database;
  int threads = 0;
  double lease_seconds = 30, wait_seconds = 60;
  bool resume = false, worker = false, no_warmup = false, json = false, quiet = false;
};

Expected<std::vector<double>> numbers_of(const char* option, const std::string& text) {
  std::vector<double> values;
  for (const std::string& word : split_list(text)) {
    double value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || !(value >= 0 && value <= 1e9))
      return fail(ErrorCode::usage, std::string(option) + ": '" + word + "' is no number from 0 to 10^9; write it like 0.1,1,10");
    values.push_back(value);
  }
  return values;
}

Status fill_plan(SweepArguments& arguments) {
  SweepPlan& plan = arguments.plan;
  if (plan.workload.empty()) return fail(ErrorCode::usage, "workload is required; give its folder or a sample's name");
  plan.methods = split_list(arguments.methods);
  const auto removed = numbers_of("--removed", arguments.removed);
  if (!removed) return tl::unexpected(removed.error());
  plan.removed_fractions = *removed;
  plan.warm_every_context = !arguments.no_warmup;
  SweepGrid grid;
  for (const std::string& name : split_list(arguments.policies)) {
    const auto policy = make_servable_policy(name);
    if (!policy) return tl::unexpected(policy.error());
    grid.policies.push_back({(*policy)->name(), (*policy)->knows_alpha()});
  }
  const auto rates = numbers_of("--rate", arguments.rates);
  if (!rates) return tl::unexpected(rates.error());
  grid.rates = *rates;
  if (!arguments.alpha_grid.empty() && !arguments.alphas.empty()) return fail(ErrorCode::usage, "--alpha and --alpha-grid are both there; give one of them");
  const auto alphas = arguments.alpha_grid.empty() ? numbers_of("--alpha", arguments.alphas.empty() ? "1" : arguments.alphas) : parse_log_grid(arguments.alpha_grid);
  if (!alphas) return tl::unexpected(alphas.error());
  grid.alphas = *alphas;
  for (const std::string& text : split_list(arguments.budgets)) {
    const auto budget = parse_budget_scale(text);
    if (!budget) return tl::unexpected(budget.error());
    grid.budgets.push_back(*budget);
  }
  for (std::uint64_t i = 0; i < arguments.seeds; ++i) grid.seeds.push_back(arguments.first_seed + i);
  auto cells = cells_of(grid);
  if (!cells) return tl::unexpected(cells.error());
  plan.cells = std::move(*cells);
  const std::filesystem::path model = plan.model.empty() ? default_model_directory() : std::filesystem::path(plan.model);
  const std::filesystem::path workload = named_workload(plan.workload);
  SessionOptions options;
  options.model = model;
  options.workload = workload;
  options.tiers = plan.tiers;
  options.methods = plan.methods;
  options.removed_fractions = plan.removed_fractions;
  if (!plan.quality_metric.empty()) options.quality_metric = plan.quality_metric;
  KV_TRY(check_openable(options));  // before anything is written or published
  const auto opened = open_workload(workload, {model, 0, options.probes});
  if (!opened) return tl::unexpected(opened.error());
  plan.workload_digest = opened->workload.digest().hex();
  return {};
}

void say(const SweepArguments& arguments, const std::string& text) {
  if (!arguments.quiet) std::fprintf(stderr, "%s\n", one_line(text).c_str());
}

std::string text_of(const SweepCell& cell) {
  return cell.policy + (cell.knows_alpha ? " alpha " + Json(cell.alpha).dump() : "") + " budget " + cell.budget.text() + " rate " +
         Json(cell.requests_per_second).dump() + " seed " + std::to_string(cell.seed);
}

Status run_here(const SweepArguments& arguments, SweepResults& results) {
  const std::filesystem::path store = arguments.store.empty() ? arguments.out / "store" : arguments.store;
  SweepRunner runner(arguments.plan, store, arguments.database, {}, arguments.threads, arguments.quiet);
  for (const SweepCell& cell : arguments.plan.cells) {
    const std::string id = cell_id(arguments.plan, cell);
    if (results.holds(id)) continue;
    say(arguments, "cell " + std::to_string(results.size() + 1) + " of " + std::to_string(arguments.plan.cells.size()) + ": " + text_of(cell));
    auto result = runner.run(cell);
    if (!result) return tl::unexpected(result.error());
    (*result)["cell"] = to_json(cell);
    const auto added = results.add(id, *result);
    if (!added) return tl::unexpected(added.error());
  }
  return {};
}

/// Gives the cells out and gathers what comes back.
Status run_elsewhere(const SweepArguments& arguments, SweepResults& results) {
  auto queue = SweepQueue::connect(arguments.workers, arguments.name);
  if (!queue) return tl::unexpected(queue.error());
  const auto there = (*queue)->exists();
  if (!there) return tl::unexpected(there.error());
  if (*there && !arguments.resume)
    return fail(ErrorCode::rejected_input, "sweep '" + printable(arguments.name) + "' is on the server already; go on with it by --resume, or give another --name");
  KV_TRY((*queue)->publish(arguments.plan));
  say(arguments, std::to_string(arguments.plan.cells.size()) + " cells given out; start workers with: kvantage-cli sweep --worker --name " + arguments.name +
                     " --workers " + without_credentials(arguments.workers));
  std::set<std::string> wanted;
  for (const SweepCell& cell : arguments.plan.cells) wanted.insert(cell_id(arguments.plan, cell));
  std::size_t failed = 0;
  while (results.size() + failed < wanted.size()) {
    if (interrupted()) return fail(ErrorCode::cancelled, "interrupted; workers go on, and --resume gathers what they do");
    const auto finished = (*queue)->finished();
    if (!finished) return tl::unexpected(finished.error());
    failed = 0;
    for (const std::string& id : *finished) {
      if (!wanted.contains(id) || results.holds(id)) continue;
      const auto result = (*queue)->result(id);
      if (!result) return tl::unexpected(result.error());
      if (*result && (*result)->contains("failed")) {
        ++failed;
        continue;
      }
      const auto added = *result ? results.add(id, **result) : Expected<bool>(false);
      if (!added) return tl::unexpected(added.error());
      say(arguments, std::to_string(results.size()) + " of " + std::to_string(wanted.size()) + " cells done");
    }
    if (results.size() + failed < wanted.size()) std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  if (failed > 0) say(arguments, "warning: " + std::to_string(failed) + " cells failed; the workers said why");
  return {};
}

/// Takes cells from the server until all have results.
Status work(const SweepArguments& arguments) {
  if (arguments.workers.empty()) return fail(ErrorCode::usage, "--worker: needs the server that gives out cells; give --workers redis://HOST:PORT");
  auto queue = SweepQueue::connect(arguments.workers, arguments.name);
  if (!queue) return tl::unexpected(queue.error());
  std::optional<SweepPlan> plan;
  for (double waited = 0; !plan && waited <= arguments.wait_seconds && !interrupted(); waited += 0.2) {
    auto found = (*queue)->plan();
    if (!found) return tl::unexpected(found.error());
    plan = std::move(*found);
    if (!plan) std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  if (!plan) return fail(ErrorCode::rejected_input, "no sweep '" + printable(arguments.name) + "' is on the server; start one with sweep WORKLOAD --workers");
  char host[256] = "host";
  ::gethostname(host, sizeof host - 1);
  const std::string worker = std::string(host) + "-" + std::to_string(::getpid());
  const std::filesystem::path store = arguments.store.empty() ? cache_directory() / "sweeps" / (arguments.name + "-" + worker) : arguments.store;
  auto runner = std::make_unique<SweepRunner>(*plan, store, arguments.database, arguments.plan.model, arguments.threads, arguments.quiet);
  std::set<std::string> wanted;
  for (const SweepCell& cell : plan->cells) wanted.insert(cell_id(*plan, cell));
  while (!interrupted()) {
    const auto taken = (*queue)->take(worker, arguments.lease_seconds);
    if (!taken) return tl::unexpected(taken.error());
    if (!*taken) {
      const auto finished = (*queue)->finished();
      if (!finished) return tl::unexpected(finished.error());
      if (std::ranges::includes(*finished, wanted)) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      continue;
    }
    const SweepQueue::Taken& mine = **taken;
    const auto known = (*queue)->has_result(mine.id);
    if (!known) return tl::unexpected(known.error());
    Json result;
    if (!*known) {
      if (cell_id(*plan, mine.cell) != mine.id)
        return fail(ErrorCode::rejected_input, "cell " + printable(mine.id) + " is of another plan; start the worker again");
      say(arguments, worker + (mine.from_another ? " takes over " : ": ") + text_of(mine.cell));
      const SweepLease lease(arguments.workers, arguments.name, worker, mine, arguments.lease_seconds);
      auto done = runner->run(mine.cell);
      if (!done && done.error().code == ErrorCode::cancelled) return tl::unexpected(done.error());
      if (!done) report_error(done.error());
      result = done ? std::move(*done) : Json{{"failed", done.error().message}};
      result["cell"] = to_json(mine.cell);
      result["worker"] = worker;
    }
    const auto first = (*queue)->finish(mine, result);
    if (!first) return tl::unexpected(first.error());
  }
  runner.reset();
  // Its stores were for this sweep alone; the journal of its runs stays where a database was named.
  if (std::error_code ignored; arguments.store.empty()) std::filesystem::remove_all(store, ignored);
  return {};
}

int run(SweepArguments& arguments) {
  note_interrupts();
  if (arguments.worker) {
    const Status status = work(arguments);
    return status ? 0 : report_error(status.error());
  }
  if (const Status filled = fill_plan(arguments); !filled) return report_error(filled.error());
  if (arguments.out.empty()) return report_error({ErrorCode::usage, "--out is required: the folder of results; give a folder, an old one with --resume"});
  auto results = SweepResults::open(arguments.out, arguments.plan, arguments.resume);
  if (!results) return report_error(results.error());
  const Status status = arguments.workers.empty() ? run_here(arguments, *results) : run_elsewhere(arguments, *results);
  const auto all = results->read();
  if (!all) return report_error(all.error());
  const SweepTable table = make_sweep_table(arguments.plan, *all);
  for (const auto& [name, text] : {std::pair<const char*, std::string>{"sweep.json", to_json(table).dump(1) + "\n"}, {"sweep.csv", to_csv(table)}})
    if (const Status written = write_text_file(arguments.out / name, text); !written) return report_error(written.error());
  if (arguments.json) {
    std::printf("%s\n", to_json(table).dump().c_str());
  } else {
    std::printf("%s", to_text(table).c_str());
  }
  std::fflush(stdout);
  return status ? 0 : report_error(status.error());
}

}  // namespace

void add_sweep(CLI::App& parent, CommandResult& result) {
  auto arguments = std::make_shared<SweepArguments>();
  SweepArguments& a = *arguments;
  CLI::App& command = *parent.add_subcommand("sweep", "A workload under every combination of policies, alphas, budgets, rates and seeds: one table, one frontier");
  command.add_option("workload", a.plan.workload, "Folder of the workload, or a sample's name");
  command.add_option("--out", a.out, "Folder of results: sweep.json, sweep.csv, a file for each cell");
  command.add_flag("--resume", a.resume, "Go on with what --out (and the server) hold: cells with results are not done again");
  command.add_option("--policy", a.policies, "Policies")->capture_default_str();
  command.add_option("--alpha", a.alphas, "Alphas, like 0.1,1,10 (default: 1); policies that know none are run once");
  command.add_option("--alpha-grid", a.alpha_grid, "FIRST:LAST:COUNT, each the same factor above the one before");
  command.add_option("--budgets", a.budgets, "Of all tiers, in their proportions: factors of the session's, or shares of the uncompressed bytes like 10%,20%,33%")->capture_default_str();
  command.add_option("--rate", a.rates, "Requests a second (Poisson), like 0,2,8; 0: one after the other")->capture_default_str();
  command.add_option("--seeds", a.seeds, "How many seeds")->check(CLI::Range(std::uint64_t{1}, std::uint64_t{10'000}))->capture_default_str();
  command.add_option("--seed", a.first_seed, "The first of them")->check(whole_number(1'000'000'000))->capture_default_str();
  command.add_option("--limit", a.plan.request_limit, "Requests of a cell; 0: the workload's")->check(whole_number(10'000'000))->capture_default_str();
  command.add_flag("--no-warmup", a.no_warmup, "Do not ask every context once before the requests that count");
  command.add_option("--model", a.plan.model, "Hugging Face folder of the model (default: the one that ships); with --worker: where it lies on this machine");
  command.add_option("--tier", a.plan.tiers, "As of run; repeatable (default: the workload's session.json)");
  command.add_option("--methods", a.methods, "Candidate compression methods");
  command.add_option("--removed", a.removed, "Candidate removed fractions");
  command.add_option("--quality-metric", a.plan.quality_metric, "Metric that enters the utility and the table");
  command.add_option("--store", a.store, "Folder of the stores (default: inside --out; of a worker: in the cache folder, removed at its end)");
  command.add_option("--db", a.database, "Database of profiles and runs (default: inside the store)");
  command.add_option("--threads", a.threads, "Threads that compute (default: all cores)")->check(whole_number(1024));
  command.add_option("--workers", a.workers, "redis://HOST:PORT[/db]: cells are given out there, and worker processes do them");
  command.add_flag("--worker", a.worker, "Be a worker: take cells from --workers until all are done");
  command.add_option("--name", a.name, "Of the sweep on the server")->capture_default_str();
  command.add_option("--lease", a.lease_seconds, "Seconds after which a cell whose worker is not heard of goes to another")->check(CLI::Range(0.1, 86'400.0))->capture_default_str();
  command.add_option("--wait", a.wait_seconds, "Seconds that a worker waits for a sweep to be there")->check(CLI::Range(0.0, 86'400.0))->capture_default_str();
  command.add_flag("--json", a.json, "One JSON object");
  command.add_flag("--quiet", a.quiet, "No progress");
  command.callback([arguments, &result] { result.exit_code = run(*arguments); });
}

}  // namespace kvantage::cli
