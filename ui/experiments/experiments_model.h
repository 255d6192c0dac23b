// The experiments of a window: their list, the queue, which survives a restart, and progress with the time that is
// left. The live session waits while cells are served, or each would be part of the other's times.
#pragma once

#include <QAbstractTableModel>
#include <QElapsedTimer>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "ui/experiments/experiment_host.h"
#include "ui/experiments/experiment_pace.h"
#include "ui/experiments/experiment_store.h"
#include "ui/session/background_worker.h"
#include "ui/session/session_switch.h"

namespace kvantage {

class ExperimentsModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { name_column, state_column, progress_column, left_column, columns };
  enum Role { id_role = Qt::UserRole + 1 };

  /// Reads what a store holds; on a thread of its own.
  using Read = std::function<LoadedExperiments(const ExperimentStore& store)>;

  /// `host` null: nothing can be started, and why_not() says so. Nothing starts before enqueue() or resume(). `read`:
  /// empty for ExperimentStore::load().
  ExperimentsModel(std::shared_ptr<ExperimentHost> host, const QString& folder, SessionSwitch& session, Read read = {},
                   QObject* parent = nullptr);

  /// Begins to read the folder, the first time only; rows come when it is read.
  void load();
  bool loading() const { return loading_; }
  const std::vector<Experiment>& all() const { return all_; }
  /// Null for an unknown id.
  const Experiment* find(const QString& id) const;
  int row_of(const QString& id) const;

  /// Why nothing can be started now; empty: it can.
  QString why_not() const;
  /// Adds it to the queue, and starts the first of it where none is running, once the folder is read. Its id; an error
  /// where it cannot be kept.
  Expected<QString> enqueue(const QString& name, const SweepPlan& plan);
  /// After the running cell; the queue waits.
  void pause();
  /// Failed cells are tried again. Queued behind the one that is running, if any.
  void resume(const QString& id);
  /// The one that is running: its running cell is aborted. One that is queued leaves the queue.
  void cancel(const QString& id);
  /// Not the one that is running.
  void remove(const QString& id);

  QString running() const { return running_; }
  /// Asked to end after the running cell, or at once.
  bool ending() const { return !running_.isEmpty() && ending_ != Ending::none; }
  bool canceling() const { return !running_.isEmpty() && ending_ == Ending::canceled; }
  /// 0..1 of its cells.
  static double fraction(const Experiment& experiment);
  /// From the median of its cells that were served so far; nothing before the first.
  std::optional<double> remaining_seconds(const Experiment& experiment) const;
  /// "3 of 24 cells, 1 failed, about 12 min left".
  QString progress_text(const Experiment& experiment) const;
  /// The running cell.
  QString what() const { return what_; }
  /// What is lost when the window ends now, in two sentences; empty: nothing.
  QString loss() const;
  /// The command that serves it in a terminal.
  QString command(const Experiment& experiment) const;
  /// From cells of the same workload and tiers that were measured before.
  std::optional<RequestPace> measured_pace(const SweepPlan& base) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 signals:
  /// State, progress or results of one.
  void experimentChanged(const QString& id);
  /// Its plan or many results. One more result: cellAdded().
  void resultsChanged(const QString& id);
  void cellAdded(const QString& id, const QString& cell);
  void runningChanged(const QString& id);
  /// One line, level as in Banner.
  void said(const QString& level, const QString& text);

 private:
  enum class Ending { none, paused, canceled };
  Experiment* find_own(const QString& id);
  void start(Experiment& experiment);
  void start_next();
  void take_loaded(LoadedExperiments loaded);
  void take_plan(const SweepPlan& plan, const CellResults& results);
  void keep(const QString& cell, const QByteArray& result);
  void take_end(const QString& error);
  void write(const Experiment& experiment);
  void tell(const QString& id);

  std::shared_ptr<ExperimentHost> host_;
  ExperimentStore store_;
  SessionSwitch& session_;
  Read read_;
  std::vector<Experiment> all_;
  bool load_begun_ = false, loading_ = false, start_when_loaded_ = false;
  QString running_, what_;
  Ending ending_ = Ending::none;
  QElapsedTimer since_cell_;
  BackgroundWorker worker_;  // last: its thread ends before the rest goes
};

}  // namespace kvantage
