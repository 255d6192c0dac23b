#include "ui/experiments/experiments_model.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "core/base/json.h"
#include "core/base/statistics.h"
#include "ui/papers/model/figure_job.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {

ExperimentsModel::ExperimentsModel(std::shared_ptr<ExperimentHost> host, const QString& folder, SessionSwitch& session,
                                   Read read, QObject* parent)
    : QAbstractTableModel(parent), host_(std::move(host)), store_(folder), session_(session), read_(std::move(read)) {
  if (!read_) read_ = [](const ExperimentStore& store) { return store.load(); };
  if (!host_) return;
  connect(host_.get(), &ExperimentHost::planned, this, &ExperimentsModel::take_plan);
  connect(host_.get(), &ExperimentHost::cellBegun, this, [this](const QString& text) {
    what_ = text;
    since_cell_.start();
    tell(running_);
  });
  connect(host_.get(), &ExperimentHost::cellKept, this, &ExperimentsModel::keep);
  connect(host_.get(), &ExperimentHost::ended, this, &ExperimentsModel::take_end);
}

void ExperimentsModel::load() {
  if (std::exchange(load_begun_, true)) return;
  loading_ = true;
  worker_.run([read = read_, store = store_](const std::atomic<bool>&) { return read(store); },
              [this](LoadedExperiments loaded) { take_loaded(std::move(loaded)); });
}

// By time of creation. What was added meanwhile may have been read as well.
void ExperimentsModel::take_loaded(LoadedExperiments loaded) {
  loading_ = false;
  for (Experiment& one : loaded.experiments) {
    if (row_of(one.id) >= 0) continue;
    const auto at = std::ranges::upper_bound(all_, one.created, {}, &Experiment::created);
    const int row = static_cast<int>(at - all_.begin());
    beginInsertRows({}, row, row);
    all_.insert(at, std::move(one));
    endInsertRows();
  }
  for (const Error& problem : loaded.problems) emit said(QStringLiteral("warning"), core_text(problem.message));
  if (std::exchange(start_when_loaded_, false)) start_next();
}

void ExperimentsModel::take_plan(const SweepPlan& plan, const CellResults& results) {
  Experiment* one = find_own(running_);
  if (one == nullptr) return;
  one->plan = plan;
  for (const auto& [cell, result] : results) one->results.insert_or_assign(cell, result);
  emit resultsChanged(running_);
  tell(running_);
}

const Experiment* ExperimentsModel::find(const QString& id) const {
  const int row = row_of(id);
  return row >= 0 ? &all_[static_cast<std::size_t>(row)] : nullptr;
}

Experiment* ExperimentsModel::find_own(const QString& id) {
  const int row = row_of(id);
  return row >= 0 ? &all_[static_cast<std::size_t>(row)] : nullptr;
}

int ExperimentsModel::row_of(const QString& id) const {
  const auto found = std::ranges::find(all_, id, &Experiment::id);
  return found != all_.end() ? static_cast<int>(found - all_.begin()) : -1;
}

QString ExperimentsModel::why_not() const {
  if (!host_) return tr("This window runs no experiments. Use kvantage-cli sweep in a terminal.");
  if (running_.isEmpty() && session_.is_held()) return tr("A figure is running. Wait for it or cancel it.");
  if (session_.live().state() == RunState::loading) return tr("The session is loading. Wait until it is ready.");
  return {};
}

void ExperimentsModel::tell(const QString& id) {
  if (const int row = row_of(id); row >= 0) emit dataChanged(index(row, 0), index(row, columns - 1));
  emit experimentChanged(id);
}

void ExperimentsModel::write(const Experiment& experiment) {
  if (const Status written = store_.write_state(experiment); !written)
    emit said(QStringLiteral("warning"), core_text(written.error().message));
}

Expected<QString> ExperimentsModel::enqueue(const QString& name, const SweepPlan& plan) {
  load();
  KV_ASSIGN(auto added, store_.add(name, plan, QDateTime::currentDateTimeUtc()));
  const QString id = added.id;
  const int row = static_cast<int>(all_.size());
  beginInsertRows({}, row, row);
  all_.push_back(std::move(added));
  endInsertRows();
  if (loading_)
    start_when_loaded_ = true;  // one of before may be first
  else
    start_next();
  return id;
}

void ExperimentsModel::start_next() {
  if (!running_.isEmpty() || !why_not().isEmpty()) return;
  const auto next = std::ranges::find(all_, ExperimentState::queued, &Experiment::state);
  if (next != all_.end()) start(*next);
}

void ExperimentsModel::start(Experiment& experiment) {
  running_ = experiment.id;
  ending_ = Ending::none;
  what_ = tr("Starting");
  since_cell_.invalidate();
  experiment.state = ExperimentState::running;
  experiment.trouble.clear();
  std::erase_if(experiment.results, [](const auto& one) { return one.second.contains("failed"); });  // tried again
  write(experiment);
  session_.hold_live();
  emit resultsChanged(running_);
  tell(running_);
  emit runningChanged(running_);
  host_->start(store_.folder_of(experiment.id));
}

void ExperimentsModel::pause() {
  if (running_.isEmpty() || ending_ != Ending::none) return;
  ending_ = Ending::paused;
  host_->pause();
  tell(running_);
}

void ExperimentsModel::resume(const QString& id) {
  Experiment* one = find_own(id);
  if (one == nullptr || id == running_) return;
  if (const QString why = why_not(); !why.isEmpty()) {
    emit said(QStringLiteral("warning"), QStringLiteral("%1: %2").arg(one->name, why));
    return;
  }
  if (running_.isEmpty()) return start(*one);
  one->state = ExperimentState::queued;
  write(*one);
  tell(id);
}

void ExperimentsModel::cancel(const QString& id) {
  Experiment* one = find_own(id);
  if (one == nullptr) return;
  if (id == running_) {
    if (ending_ == Ending::canceled) return;
    ending_ = Ending::canceled;
    host_->cancel();
  } else if (one->state == ExperimentState::queued) {
    one->state = ExperimentState::canceled;
    write(*one);
  }
  tell(id);
}

void ExperimentsModel::remove(const QString& id) {
  const int row = row_of(id);
  if (row < 0 || id == running_) return;
  if (const Status removed = store_.remove(id); !removed) {
    emit said(QStringLiteral("warning"), core_text(removed.error().message));
    return;
  }
  beginRemoveRows({}, row, row);
  all_.erase(all_.begin() + row);
  endRemoveRows();
  emit experimentChanged(id);
}

void ExperimentsModel::keep(const QString& cell, const QByteArray& result) {
  Experiment* one = find_own(running_);
  if (one == nullptr) return;
  auto json = parse_json(std::string_view(result.constData(), static_cast<std::size_t>(result.size())), "result");
  if (!json || !json->is_object()) return;
  const bool failed = json->contains("failed");
  one->results.insert_or_assign(from_q(cell), *std::move(json));
  since_cell_.invalidate();
  if (failed) write(*one);
  emit cellAdded(running_, cell);
  tell(running_);
}

void ExperimentsModel::take_end(const QString& error) {
  Experiment* one = find_own(running_);
  if (one == nullptr) return;
  const Ending ending = std::exchange(ending_, Ending::none);
  const QString id = std::exchange(running_, QString());
  what_.clear();
  session_.release_live();
  if (one->complete())
    one->state = one->failed() == 0 ? ExperimentState::done : ExperimentState::failed;
  else if (ending == Ending::canceled)
    one->state = ExperimentState::canceled;
  else
    one->state = ending == Ending::paused ? ExperimentState::paused : ExperimentState::failed;
  one->trouble = ending == Ending::none ? core_text(from_q(error)) : QString();
  write(*one);
  const QString name = one->name, progress = progress_text(*one), trouble = one->trouble;
  const ExperimentState state = one->state;
  tell(id);
  emit runningChanged({});
  if (state == ExperimentState::done)
    emit said(QStringLiteral("info"), tr("%1 finished: %2.").arg(name, progress));
  else if (state == ExperimentState::failed)
    emit said(QStringLiteral("warning"), QStringLiteral("%1: %2").arg(name, trouble.isEmpty() ? progress : trouble));
  if (ending != Ending::paused) start_next();
}

double ExperimentsModel::fraction(const Experiment& experiment) {
  return experiment.cells() == 0
             ? 0
             : static_cast<double>(experiment.results.size()) / static_cast<double>(experiment.cells());
}

std::optional<double> ExperimentsModel::remaining_seconds(const Experiment& experiment) const {
  std::vector<double> seconds = cell_seconds_of(experiment.results);
  if (seconds.empty() || experiment.complete()) return {};
  const double one = percentile(std::move(seconds), 0.5);
  const double in_hand = experiment.id == running_ && since_cell_.isValid()
                             ? std::min(one, static_cast<double>(since_cell_.elapsed()) * 1e-3)
                             : 0;
  return one * static_cast<double>(experiment.cells() - experiment.results.size()) - in_hand;
}

QString ExperimentsModel::progress_text(const Experiment& experiment) const {
  QStringList parts{tr("%1 of %n cell(s)", nullptr, static_cast<int>(experiment.cells())).arg(experiment.done())};
  if (experiment.failed() > 0) parts << tr("%n failed", nullptr, static_cast<int>(experiment.failed()));
  if (experiment.id == running_ && ending_ == Ending::paused) parts << tr("pausing after this cell");
  if (experiment.id == running_ && ending_ == Ending::canceled) parts << tr("canceling");
  if (const auto left = remaining_seconds(experiment)) parts << tr("about %1 left").arg(duration_text(*left));
  return parts.join(QStringLiteral(", "));
}

QString ExperimentsModel::loss() const {
  const Experiment* one = find(running_);
  if (one == nullptr || ending_ == Ending::canceled) return {};
  return tr("Experiment %1 is running: %2. The cell that is being served is lost.").arg(one->name, progress_text(*one));
}

QString ExperimentsModel::command(const Experiment& experiment) const {
  return host_ ? host_->command(store_.folder_of(experiment.id)) : QString();
}

std::optional<RequestPace> ExperimentsModel::measured_pace(const SweepPlan& base) const {
  std::vector<const std::map<std::string, Json>*> alike;
  for (const Experiment& one : all_)
    if (one.plan.workload == base.workload && one.plan.model == base.model && one.plan.tiers == base.tiers)
      alike.push_back(&one.results);
  return pace_of_results(alike);
}

int ExperimentsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(all_.size());
}
int ExperimentsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : columns; }

QVariant ExperimentsModel::data(const QModelIndex& at, int role) const {
  if (!at.isValid()) return {};
  const Experiment& one = all_[static_cast<std::size_t>(at.row())];
  if (role == id_role) return one.id;
  if (role == Qt::ToolTipRole)
    return one.trouble.isEmpty() ? QStringLiteral("%1: %2").arg(one.name, progress_text(one))
                                 : QStringLiteral("%1: %2").arg(one.name, one.trouble);
  if (role != Qt::DisplayRole) return {};
  switch (at.column()) {
    case name_column:
      return one.name;
    case state_column:
      return experiment_state_text(one.state);
    case progress_column:
      return QStringLiteral("%1/%2").arg(one.results.size()).arg(one.cells());
    default: {
      const auto seconds = remaining_seconds(one);
      return seconds ? duration_text(*seconds) : QStringLiteral("–");
    }
  }
}

QVariant ExperimentsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || (role != Qt::DisplayRole && role != Qt::ToolTipRole)) return {};
  const bool is_tip = role == Qt::ToolTipRole;
  switch (section) {
    case name_column:
      return is_tip ? tr("Name of the experiment") : tr("Experiment");
    case state_column:
      return is_tip ? tr("Whether its cells are served") : tr("State");
    case progress_column:
      return is_tip ? tr("Cells served, of all cells") : tr("Cells");
    case left_column:
      return is_tip ? tr("Time left, from the cells served so far") : tr("Left");
    default:
      return {};
  }
}

}  // namespace kvantage
