// The owner of a sweep: distributes its cells to workers and collects results, recorded runs and failures.
#include <chrono>
#include <thread>

#include "app/cli/base/interrupts.h"
#include "app/cli/session_options.h"
#include "app/cli/sweep/sweep.h"
#include "profiles/run_file.h"
#include "profiles/stores.h"

namespace kvantage::cli {
namespace {

/// Collects runs of workers in one database.
class GatheredRuns {
 public:
  static Expected<GatheredRuns> open(const std::filesystem::path& database) {
    GatheredRuns gathered;
    KV_ASSIGN(auto stores, open_stores(database, StoreAccess::read_write, machine_clock()));
    gathered.stores_ = std::move(stores);
    KV_ASSIGN(const auto runs, gathered.stores_->runs().runs());
    for (const RunSummary& run : runs) gathered.ids_.insert(run.run_id);
    return gathered;
  }
  /// An existing run is kept.
  Status add(const std::string& text, const std::string& name) {
    KV_ASSIGN(const auto file, run_from_text(text, name));
    if (!ids_.insert(file.summary.run_id).second) return {};
    return stores_->import_run(file.summary, file.events, file.notes);
  }
  bool has(const std::string& id) const { return ids_.contains(id); }

 private:
  std::unique_ptr<Stores> stores_;
  std::set<std::string> ids_;
};

void say_attempts(const SweepArguments& arguments, const std::map<std::string, std::vector<std::string>>& told,
                  std::map<std::string, std::size_t>& said) {
  for (const auto& [id, attempts] : told)
    for (std::size_t& i = said[id]; i < attempts.size(); ++i)
      say(arguments, "warning: cell " + id + " failed, attempt " + std::to_string(i + 1) + " of " +
                         std::to_string(SweepQueue::max_attempts) + ", on " + attempts[i]);
}

}  // namespace

Expected<std::unique_ptr<SweepQueue>> join_server(SweepArguments& arguments) {
  KV_ASSIGN(auto queue, SweepQueue::connect(arguments.workers, arguments.name));
  KV_ASSIGN(const auto there, queue->exists());
  if (!there) return queue;
  const std::string name = "sweep '" + printable(arguments.name) + "'";
  if (!arguments.resume)
    return fail(ErrorCode::rejected_input,
                name + " is already on the server; resume it with --resume, or give another --name");
  KV_ASSIGN(const auto plan, queue->plan());
  if (plan) {
    KV_TRY(check_same_sweep(*plan, arguments.plan, name + " on the server"));
    if (!plan->group.empty()) arguments.plan.group = plan->group;
  }
  return queue;
}

Status run_elsewhere(const SweepArguments& arguments, const std::filesystem::path& database, SweepQueue& queue,
                     SweepResults& results, SweepFailures& failures) {
  KV_ASSIGN(auto runs, GatheredRuns::open(database));
  std::set<std::string> wanted, held;
  const CellIds ids(arguments.plan);
  for (const SweepCell& cell : arguments.plan.cells) wanted.insert(ids.of(cell));
  for (const std::string& id : wanted)
    if (results.holds(id)) held.insert(id);
  if (arguments.resume) KV_TRY(queue.forget_failures(held));
  KV_TRY(queue.publish(arguments.plan, held));
  say(arguments, std::to_string(wanted.size() - held.size()) +
                     " cells distributed; start workers with: kvantage-cli sweep --worker --name " + arguments.name +
                     " --workers " + without_credentials(arguments.workers));
  std::map<std::string, std::size_t> said;
  std::size_t without_run = 0;
  while (results.size() + failures.size() < wanted.size()) {
    if (interrupted())
      return fail(ErrorCode::cancelled, "interrupted; workers continue, and --resume collects their results");
    KV_ASSIGN(const auto plan, queue.plan());
    if (!plan)
      return fail(ErrorCode::io,
                  "sweep '" + printable(arguments.name) +
                      "': is no longer on the server (its keys were deleted, or the server lost its data); " +
                      "distribute the missing cells again with --resume");
    KV_ASSIGN(const auto finished, queue.finished());
    for (const std::string& id : finished) {
      if (!wanted.contains(id) || results.holds(id) || failures.contains(id)) continue;
      KV_ASSIGN(auto result, queue.result(id));
      if (!result) continue;
      if (!result->is_object())
        return fail(ErrorCode::rejected_input, "result of cell " + id + ": is not an object; choose another --name");
      if (result->contains("failed")) {
        failures[id] = std::move(*result);
        continue;
      }
      KV_ASSIGN(const auto text, queue.run_of(id));
      if (text) KV_TRY(runs.add(*text, "recorded run of cell " + id));
      if (!runs.has(json_field_or<std::string>(*result, "run_id", id, "").value_or(""))) ++without_run;
      KV_TRY(results.add(id, *result));
      if (text) KV_TRY(queue.forget_run(id));
      say(arguments, std::to_string(results.size()) + " of " + std::to_string(wanted.size()) + " cells done");
    }
    KV_ASSIGN(const auto told, queue.failures());
    say_attempts(arguments, told, said);
    if (results.size() + failures.size() < wanted.size()) std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  if (without_run > 0)
    say(arguments, "warning: the recorded runs of " + std::to_string(without_run) +
                       " cells are not on the server; they are in the database that collected them first");
  return {};
}

}  // namespace kvantage::cli
