// The owner of a sweep: distributes its cells to workers, has SLURM start them if asked to, and collects results,
// recorded runs and failures.
#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "app/cli/base/interrupts.h"
#include "app/cli/base/progress_line.h"
#include "app/cli/session_options.h"
#include "app/cli/sweep/folder_queue.h"
#include "app/cli/sweep/redis_queue.h"
#include "app/cli/sweep/sweep.h"
#include "core/base/duration.h"
#include "core/base/folders.h"
#include "core/report/window_command.h"
#include "profiles/run_file.h"
#include "profiles/stores.h"
#include "tiers/remote/redis_credentials.h"
#include "tiers/remote/redis_url.h"

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

/// Collects what workers finished.
class SweepOwner {
 public:
  static Expected<SweepOwner> open(const SweepCollection& to, SweepQueue& queue) {
    KV_ASSIGN(auto runs, GatheredRuns::open(to.database));
    return SweepOwner(to, queue, std::move(runs));
  }
  std::size_t wanted() const { return wanted_.size(); }
  bool is_complete() const { return to_.results.size() + to_.failures.size() >= wanted_.size(); }
  std::set<std::string> held() const {
    std::set<std::string> held;
    for (const std::string& id : wanted_)
      if (to_.results.holds(id)) held.insert(id);
    return held;
  }

  /// Returns how many cells it collected. Failures of workers are kept where `with_failures`.
  Expected<std::size_t> collect(bool with_failures) {
    std::size_t count = 0;
    KV_ASSIGN(const auto finished, queue_.finished());
    for (const std::string& id : finished) {
      if (!wanted_.contains(id) || to_.results.holds(id) || to_.failures.contains(id)) continue;
      KV_ASSIGN(auto result, queue_.result(id));
      if (!result) continue;
      if (!result->is_object())
        return fail(ErrorCode::rejected_input,
                    "result of cell " + id + ": is not an object; choose another " + queue_.place().another);
      if (result->contains("failed")) {
        if (with_failures) to_.failures[id] = std::move(*result);
        continue;
      }
      if (result->contains("held")) continue;
      KV_TRY(keep(id, *result));
      ++count;
    }
    return count;
  }

  /// For the user, at the end.
  void say_lost_runs() const {
    if (without_run_ > 0)
      say(to_.arguments, "warning: the recorded runs of " + std::to_string(without_run_) + " cells are not " +
                             queue_.place().where + "; they are in the database that collected them first");
  }

 private:
  SweepOwner(const SweepCollection& to, SweepQueue& queue, GatheredRuns runs)
      : to_(to), queue_(queue), runs_(std::move(runs)), begun_at_(SystemClock().seconds()) {
    const CellIds ids(to.arguments.plan);
    for (const SweepCell& cell : to.arguments.plan.cells) wanted_.insert(ids.of(cell));
  }

  Status keep(const std::string& id, const Json& result) {
    KV_ASSIGN(const auto text, queue_.run_of(id));
    if (text) KV_TRY(runs_.add(*text, "recorded run of cell " + id));
    const std::string run = json_field_or<std::string>(result, "run_id", id, "").value_or("");
    if (!runs_.has(run)) ++without_run_;
    KV_TRY(to_.results.add(id, result));
    if (text) KV_TRY(queue_.forget_run(id));
    ++collected_;
    const std::size_t done = to_.results.size();
    say(to_.arguments, std::to_string(done) + " of " + std::to_string(wanted_.size()) + " cells done" +
                           (is_complete() ? ""
                                          : left_text(SystemClock().seconds() - begun_at_, collected_,
                                                      wanted_.size() - done - to_.failures.size())));
    say_cells(to_.arguments, done + to_.failures.size(), "run", Json(run));
    return {};
  }

  SweepCollection to_;
  SweepQueue& queue_;
  GatheredRuns runs_;
  double begun_at_;
  std::set<std::string> wanted_;
  std::size_t collected_ = 0, without_run_ = 0;
};

/// Looks after the job of a sweep, for who waits for its results.
class SlurmWatch {
 public:
  SlurmWatch(const SweepArguments& arguments, SlurmJob job) : arguments_(arguments), job_(std::move(job)) {}

  /// How to come back.
  std::string advice() const {
    using report::shell_word;
    std::string text = "come back with: kvantage-cli sweep --plan " +
                       shell_word((arguments_.out / "plan.json").string()) + " --out " +
                       shell_word(arguments_.out.string()) + " --resume --slurm";
    if (arguments_.threads > 0) text += " --threads " + std::to_string(arguments_.threads);
    text += " --lease " + shortest_number(arguments_.lease_seconds);
    if (arguments_.slurm.tasks > 0) text += " --slurm-tasks " + std::to_string(arguments_.slurm.tasks);
    for (const std::string& words : arguments_.slurm.sbatch) text += " --sbatch=" + shell_word(words);
    for (const std::string& host : arguments_.allowed_remotes) text += " --allow-remote " + shell_word(host);
    for (const std::string& file : arguments_.method_files) text += " --method-file " + shell_word(file);
    if (!arguments_.database.empty()) text += " --db " + shell_word(arguments_.database.string());
    if (arguments_.workers != folder_workers)
      text += " --workers " + shell_word(arguments_.workers) + " --name " + shell_word(arguments_.name);
    return text;
  }
  const SlurmJob& job() const { return job_; }

  /// Asks SLURM now and then. True: the job has been over for longer than results need to be seen here.
  bool is_over() {
    constexpr double seconds_between = 10;
    const double now = SystemClock().seconds();
    if (now - asked_at_ >= seconds_between) {
      asked_at_ = now;
      const SlurmState state = slurm_state(job_, interrupted);
      if (state == SlurmState::unknown && !std::exchange(told_, true) && !interrupted())
        say(arguments_, "warning: squeue does not answer, so the end of SLURM job " + job_.id +
                            " is not noticed here; Ctrl-C leaves it");
      if (state != SlurmState::over)
        over_since_.reset();
      else if (!over_since_)
        over_since_ = now;
    }
    return over_since_ && now - *over_since_ >= arguments_.lease_seconds;
  }

  Error ended_early(std::size_t missing, bool any_claim) const {
    std::string text = "SLURM job " + job_.id + " has ended, and " + std::to_string(missing) +
                       (missing == 1 ? " cell has no result" : " cells have no result");
    if (!any_claim)
      text += ": no task took a cell. Are kvantage-cli and " + arguments_.out.string() +
              " at the same place on the nodes (a shared file system)?";
    if (const std::string line = last_slurm_line(arguments_.out, job_); !line.empty()) text += " (" + line + ")";
    return {ErrorCode::io, text + "; serve the rest with --resume --slurm"};
  }

 private:
  const SweepArguments& arguments_;
  SlurmJob job_;
  double asked_at_ = SystemClock().seconds();
  std::optional<double> over_since_;
  bool told_ = false;
};

std::vector<std::string> worker_words(const SweepArguments& arguments) {
  std::vector<std::string> words{"sweep", "--worker", "--workers", arguments.workers};
  const auto add = [&](const char* option, const std::string& value) { words.insert(words.end(), {option, value}); };
  if (arguments.workers == folder_workers)
    add("--out", absolute_or_given(arguments.out).string());
  else
    add("--name", arguments.name);
  add("--lease", dump_json(Json(arguments.lease_seconds)));
  for (const std::string& host : arguments.allowed_remotes) add("--allow-remote", host);
  for (const std::string& file : arguments.method_files) add("--method-file", file);
  return words;
}

/// Submits a job for the missing cells, or finds the one that still serves them.
Expected<SlurmWatch> start_job(const SweepArguments& arguments, std::size_t missing) {
  KV_ASSIGN(auto last, last_slurm_job(arguments.out));
  if (arguments.resume && last && slurm_state(*last, interrupted) == SlurmState::active) {
    say(arguments, "SLURM job " + last->id + " still serves this sweep");
    return SlurmWatch(arguments, *std::move(last));
  }
  std::error_code ignored;
  const SlurmTask task{.program = std::filesystem::read_symlink("/proc/self/exe", ignored),
                       .directory = std::filesystem::current_path(ignored),
                       .words = worker_words(arguments),
                       .threads = arguments.threads};
  const std::size_t most =
      arguments.slurm.tasks > 0 ? static_cast<std::size_t>(arguments.slurm.tasks) : std::size_t{default_slurm_tasks};
  const int tasks = static_cast<int>(std::min(most, missing));
  KV_ASSIGN(auto job, submit_slurm_job(arguments.out, task, arguments.slurm, tasks, interrupted));
  say(arguments, "SLURM job " + job.id + ": " + std::to_string(tasks) + (tasks == 1 ? " task" : " tasks") + " for " +
                     std::to_string(missing) + (missing == 1 ? " cell" : " cells"));
  return SlurmWatch(arguments, std::move(job));
}

/// Until every cell has a result or has failed.
Status wait_for_cells(const SweepCollection& to, SweepQueue& queue, SweepOwner& owner, SlurmWatch* job) {
  const SweepPlace place = queue.place();
  std::map<std::string, std::size_t> said;
  while (true) {
    const bool job_is_over = job != nullptr && job->is_over();  // before what it left is collected
    KV_ASSIGN(const bool there, queue.is_published());
    if (!there)
      return fail(ErrorCode::io, place.sweep + ": is no longer " + place.where + " (" + place.lost +
                                     "); distribute the missing cells again with --resume");
    KV_TRY(owner.collect(true));
    KV_ASSIGN(const auto told, queue.failures());
    say_attempts(to.arguments, told, said);
    const std::size_t done = to.results.size() + to.failures.size();
    if (owner.is_complete()) break;
    if (!to.arguments.quiet)
      stderr_progress().show("Cells", static_cast<double>(done), static_cast<double>(owner.wanted()));
    if (job_is_over) return tl::unexpected(job->ended_early(owner.wanted() - done, queue.has_claims()));
    if (interrupted()) {
      if (job == nullptr)
        return fail(ErrorCode::cancelled, "interrupted; workers continue, and --resume collects their results");
      say_command(to.arguments, job->advice());
      return fail(ErrorCode::cancelled,
                  "interrupted; SLURM job " + job->job().id + " continues; come back with --resume --slurm");
    }
    std::this_thread::sleep_for(std::chrono::duration<double>(queue.seconds_between_looks()));
  }
  return {};
}

}  // namespace

Expected<std::unique_ptr<SweepQueue>> open_queue(const SweepArguments& arguments) {
  if (arguments.workers != folder_workers) {
    KV_ASSIGN(auto server, RedisQueue::connect(arguments.workers, arguments.name));
    return std::unique_ptr<SweepQueue>(std::move(server));
  }
  if (arguments.out.empty())
    return fail(ErrorCode::usage, "--workers folder: needs the folder that distributes cells; give --out DIR");
  return std::unique_ptr<SweepQueue>(std::make_unique<FolderQueue>(arguments.out, machine_clock()));
}

Expected<std::unique_ptr<SweepQueue>> join_queue(SweepArguments& arguments) {
  if (arguments.slurm.submit) {
    KV_TRY(check_slurm(arguments.slurm, interrupted));
    const auto url = parse_redis_url(arguments.workers);
    if (arguments.workers != folder_workers && url && !url->password.empty())
      return fail(ErrorCode::usage,
                  "--workers: its password would be in the job's script; leave it out and " + credentials_help(*url));
  }
  KV_ASSIGN(auto queue, open_queue(arguments));
  KV_ASSIGN(const auto there, queue->exists());
  if (!there) return queue;
  const SweepPlace place = queue->place();
  if (!arguments.resume)
    return fail(ErrorCode::rejected_input, place.sweep + " is already " + place.where +
                                               "; resume it with --resume, or give another " + place.another);
  KV_ASSIGN(const auto plan, queue->plan());
  if (plan) {
    KV_TRY(check_same_sweep(*plan, arguments.plan, place.sweep + " " + place.where));
    if (!plan->group.empty()) arguments.plan.group = plan->group;
  }
  return queue;
}

Status run_elsewhere(const SweepCollection& to, SweepQueue& queue) {
  const SweepArguments& arguments = to.arguments;
  KV_ASSIGN(auto owner, SweepOwner::open(to, queue));
  if (arguments.resume) {
    KV_ASSIGN(const bool there, queue.exists());
    if (there) KV_TRY(owner.collect(false));
    KV_TRY(queue.forget_failures(owner.held()));
  }
  const std::set<std::string> held = owner.held();
  KV_TRY(queue.publish(arguments.plan, held));
  const std::size_t missing = owner.wanted() - held.size();
  std::optional<SlurmWatch> job;
  if (arguments.slurm.submit && missing > 0) {
    KV_ASSIGN(auto started, start_job(arguments, missing));
    job.emplace(std::move(started));
    if (arguments.slurm.wait == "no") {
      say_command(arguments, job->advice());
      return {};
    }
  } else if (missing > 0) {
    say_command(arguments, std::to_string(missing) +
                               " cells distributed; start workers with: kvantage-cli sweep --worker " +
                               queue.place().worker_words);
  }
  const Status waited = wait_for_cells(to, queue, owner, job ? &*job : nullptr);
  if (!arguments.quiet) stderr_progress().clear();
  KV_TRY(waited);
  owner.say_lost_runs();
  return {};
}

Status collect_left(const SweepCollection& to) {
  FolderQueue queue(to.arguments.out, machine_clock());
  KV_ASSIGN(const auto job, last_slurm_job(to.arguments.out));
  if (job && slurm_state(*job, interrupted) == SlurmState::active)
    return fail(ErrorCode::busy, to.arguments.out.string() + ": SLURM job " + job->id +
                                     " still serves this sweep; come back with --resume --slurm, or end it: scancel " +
                                     job->id);
  KV_ASSIGN(const bool there, queue.exists());
  if (!there) return {};
  KV_ASSIGN(auto owner, SweepOwner::open(to, queue));
  KV_TRY(owner.collect(false));
  owner.say_lost_runs();
  return {};
}

}  // namespace kvantage::cli
