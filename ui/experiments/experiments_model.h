// The experiments of a window: their list, the queue, which survives a restart, and progress with the time that is
// left. The live session waits while cells are served, or each would be part of the other's times.
#pragma once

#include <QAbstractTableModel>
#include <QElapsedTimer>
#include <memory>
#include <optional>
#include <vector>

#include "core/sweep/sweep_table.h"
#include "ui/experiments/experiment_host.h"
#include "ui/experiments/experiment_pace.h"
#include "ui/experiments/experiment_store.h"
#include "ui/session/session_switch.h"

namespace kvantage {

class ExperimentsModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { name_column, state_column, progress_column, left_column, columns };
  enum Role { id_role = Qt::UserRole + 1 };

  /// `host` null: nothing can be started, and why_not() says so. Nothing starts before enqueue() or resume().
  ExperimentsModel(std::shared_ptr<ExperimentHost> host, const QString& folder, SessionSwitch& session,
                   QObject* parent = nullptr);

  /// Reads the folder, the first time only.
  void load();
  const std::vector<Experiment>& all() const { return all_; }
  /// Null for an unknown id.
  const Experiment* find(const QString& id) const;
  int row_of(const QString& id) const;

  /// Why nothing can be started now; empty: it can.
  QString why_not() const;
  /// Adds it to the queue, and starts it where none is running. Its id; an error where it cannot be kept.
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
  SweepTable table(const Experiment& experiment) const;
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
  void runningChanged(const QString& id);
  /// One line, level as in Banner.
  void said(const QString& level, const QString& text);

 private:
  enum class Ending { none, paused, canceled };
  Experiment* find_own(const QString& id);
  void start(Experiment& experiment);
  void start_next();
  void keep(const QString& cell, const QByteArray& result);
  void take_end(const QString& error);
  void write(const Experiment& experiment);
  void tell(const QString& id);

  std::shared_ptr<ExperimentHost> host_;
  ExperimentStore store_;
  SessionSwitch& session_;
  std::vector<Experiment> all_;
  bool loaded_ = false;
  QString running_, what_;
  Ending ending_ = Ending::none;
  QElapsedTimer since_cell_;
};

}  // namespace kvantage
