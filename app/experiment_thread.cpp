#include "app/experiment_thread.h"

#include <exception>
#include <utility>

#include "app/cli/sweep/local_sweep.h"
#include "app/cli/sweep/sweep_plan_file.h"
#include "app/cli/sweep/worker_folder.h"
#include "app/shell_word.h"
#include "core/base/thread_priority.h"
#include "core/model/transformer.h"

namespace kvantage {
namespace {

QString text_of_path(const std::filesystem::path& path) { return QString::fromStdString(path.string()); }

}  // namespace

ExperimentThread::ExperimentThread(Setup setup, QObject* parent) : ExperimentHost(parent), setup_(std::move(setup)) {}

ExperimentThread::~ExperimentThread() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
}

QString ExperimentThread::command(const QString& folder) const {
  const QString plan = folder + QStringLiteral("/plan.json");
  return QStringLiteral("kvantage-cli sweep --plan %1 --out %2 --db %3 --resume")
      .arg(shell_word(plan), shell_word(folder), shell_word(text_of_path(setup_.database)));
}

void ExperimentThread::start(const QString& folder) {
  if (thread_.joinable()) thread_.join();  // has ended: one at a time
  stop_ = pause_ = false;
  running_ = true;
  thread_ = std::thread([this, path = std::filesystem::path(folder.toStdString())] { run(path); });
}

/// On the window's thread, in the order of the calls.
template <class Act>
void ExperimentThread::post(Act act) {
  QMetaObject::invokeMethod(this, std::move(act), Qt::QueuedConnection);
}

// On the experiment's thread.
void ExperimentThread::run(const std::filesystem::path& folder) {
  rank_this_thread(ThreadPriority::engine);
  set_compute_threads(0);  // as on the command line, whatever the live session leaves to the window
  std::string error;
  try {
    if (const Status served = serve(folder); !served && served.error().code != ErrorCode::cancelled)
      error = served.error().message;
  } catch (const std::exception& thrown) {  // out of memory, for instance: the window and its session remain
    error = thrown.what();
  }
  post([this, error = QString::fromStdString(error)] {
    running_ = false;
    emit ended(error);
  });
}

Status ExperimentThread::serve(const std::filesystem::path& folder) {
  KV_ASSIGN(const auto lock, cli::lock_sweep(folder));  // another window or the command line may have it
  // The window wrote the plan, with tiers that its user chose.
  KV_ASSIGN(auto plan, cli::read_plan_file(folder / "plan.json", {.remotes = {UrlSource::user, setup_.remotes}}));
  KV_ASSIGN(auto results, SweepResults::open(folder, plan, true));
  KV_ASSIGN(auto before, results.read());
  post([this, plan, before = std::move(before)] { emit planned(plan, before); });
  KV_ASSIGN(const auto store, cli::WorkerFolder::make(setup_.stores, "experiment-" + folder.filename().string()));
  cli::SweepFailures failures;
  cli::SweepRunner runner(plan, store.path(), setup_.database, {}, 0, true, {UrlSource::user, setup_.remotes});
  cli::LocalSweepHooks hooks;
  hooks.begun = [this](const SweepCell& cell) {
    post([this, text = QString::fromStdString(cli::text_of(cell))] { emit cellBegun(text); });
  };
  hooks.kept = [this](const std::string& id, const Json& result) {
    post([this, id = QString::fromStdString(id), text = QByteArray::fromStdString(dump_json(result))] {
      emit cellKept(id, text);
    });
  };
  hooks.pause = [this] { return pause_.load(); };
  hooks.stop = [this] { return stop_.load(); };
  Status served = cli::LocalSweep(plan, runner, results, failures, std::move(hooks)).run();
  KV_ASSIGN(auto all, results.read());
  all.insert(failures.begin(), failures.end());
  KV_TRY(cli::write_tables(make_sweep_table(plan, all), all, folder));
  return served;
}

}  // namespace kvantage
