// A worker of a sweep: takes cells from the queue, serves them, returns result and recorded run.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>

#include "app/cli/base/interrupts.h"
#include "app/cli/session_options.h"
#include "app/cli/sweep/sweep.h"
#include "app/cli/sweep/sweep_runner.h"
#include "app/cli/sweep/worker_folder.h"
#include "core/base/clock.h"
#include "core/base/files.h"

namespace kvantage::cli {
namespace {

/// A worker that served none and failed this many different cells is considered the cause.
constexpr std::size_t max_failed_first = 3;

Expected<SweepPlan> await_plan(const SweepArguments& arguments, SweepQueue& queue) {
  const double between = queue.seconds_between_looks();
  for (double waited = 0; waited <= arguments.wait_seconds && !interrupted(); waited += between) {
    KV_ASSIGN(auto found, queue.plan());
    if (found) return std::move(*found);
    std::this_thread::sleep_for(std::chrono::duration<double>(between));
  }
  const SweepPlace place = queue.place();
  return fail(ErrorCode::rejected_input,
              "no " + place.sweep + " is " + place.where + "; start one with sweep WORKLOAD --workers");
}

std::string file_name_of(std::string name) {
  for (char& letter : name)
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0 && letter != '-' && letter != '_') letter = '_';
  return name;
}

struct Served {
  Json result;
  std::string run_text;
};

Expected<Served> serve(SweepRunner& runner, const SweepCell& cell, const std::string& worker) {
  const SystemClock clock;
  const double begun_at = clock.seconds();
  KV_ASSIGN(auto result, runner.run(cell));
  result["cell_seconds"] = clock.seconds() - begun_at;
  KV_ASSIGN(auto run, runner.run_text(result.value("run_id", "")));
  result["cell"] = to_json(cell);
  result["worker"] = worker;
  return Served{std::move(result), std::move(run)};
}

Status take_cells(const SweepArguments& arguments, const SweepPlan& plan, const std::string& worker, SweepQueue& queue,
                  SweepRunner& runner) {
  std::set<std::string> wanted, failed;
  const CellIds ids(plan);
  for (const SweepCell& cell : plan.cells) wanted.insert(ids.of(cell));
  bool any_served = false;
  while (!interrupted()) {
    KV_ASSIGN(const auto taken, queue.take(worker, arguments.lease_seconds));
    if (!taken) {
      KV_ASSIGN(const auto finished, queue.finished());
      if (std::ranges::includes(finished, wanted)) break;
      std::this_thread::sleep_for(std::chrono::duration<double>(queue.seconds_between_looks()));
      continue;
    }
    const SweepQueue::Taken& mine = *taken;
    KV_ASSIGN(const auto known, queue.has_result(mine.id));
    Served served;
    std::unique_ptr<SweepLease> lease;  // until the result is stored
    if (!known) {
      if (ids.of(mine.cell) != mine.id)
        return fail(ErrorCode::rejected_input,
                    "cell " + printable(mine.id) + " is of another plan; start the worker again");
      say(arguments, worker + (mine.from_another ? " takes over " : ": ") + text_of(mine.cell));
      lease = queue.renewing(worker, mine, arguments.lease_seconds);
      auto done = serve(runner, mine.cell, worker);
      if (!done && done.error().code == ErrorCode::cancelled) return tl::unexpected(done.error());
      if (!done) {
        report_error(done.error());
        KV_TRY(queue.hand_back(mine, worker, done.error().message));
        failed.insert(mine.id);
        if (!any_served && failed.size() >= max_failed_first)
          return fail(ErrorCode::io, worker + ": none of " + std::to_string(failed.size()) +
                                         " cells could be served here and all were handed back; fix the errors above "
                                         "and start the worker again");
        continue;
      }
      served = std::move(*done);
      any_served = true;
    }
    KV_TRY(queue.finish(mine, served.result, served.run_text));
  }
  return {};
}

}  // namespace

Status work(const SweepArguments& arguments) {
  if (arguments.workers.empty())
    return fail(
        ErrorCode::usage,
        "--worker: needs what distributes cells; give --workers redis://HOST:PORT, or --workers folder --out DIR");
  KV_ASSIGN(const auto queue, open_queue(arguments));
  KV_ASSIGN(const auto plan, await_plan(arguments, *queue));
  if (plan.cells.empty()) return {};
  char host[256] = "host";
  ::gethostname(host, sizeof host - 1);
  const std::string worker = std::string(host) + "-" + std::to_string(::getpid());
  // Its stores are for this sweep only. The journal of its runs goes to the owner, and stays here only if a database is
  // given.
  std::optional<WorkerFolder> folder;
  if (arguments.store.empty()) {
    KV_ASSIGN(auto made, WorkerFolder::make(cache_directory() / "sweeps", file_name_of(arguments.name + "-" + worker)));
    folder.emplace(std::move(made));
  }
  SweepRunner runner(plan, folder ? folder->path() : arguments.store, arguments.database, arguments.plan.model,
                     arguments.threads, arguments.quiet, {UrlSource::file, arguments.allowed_remotes});
  KV_TRY(runner.open(plan.cells.front().seed));
  return take_cells(arguments, plan, worker, *queue, runner);
}

}  // namespace kvantage::cli
