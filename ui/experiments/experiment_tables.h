// The table and the chart of one experiment, made on a thread of their own while its results come: hundreds of cells
// with intervals take long. Whoever adds results asks for the table when it is to be seen.
#pragma once

#include <QObject>
#include <QString>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/report/figure.h"
#include "core/sweep/sweep_table.h"
#include "ui/experiments/experiment_store.h"
#include "ui/session/background_worker.h"

namespace kvantage {

struct ExperimentTable {
  SweepTable table;
  FigureResult figure;  // its chart (experiment_figure)
};

class ExperimentTables : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;

  /// Another experiment, or all results of the same one.
  void show(const Experiment& experiment);
  /// No experiment: nothing more is made.
  void clear();
  /// Another result of the shown experiment.
  void add(const std::string& cell, const Json& result);
  /// Makes the table where there is anything new; made() follows. Asked while one is made, the next one has all that
  /// came until then.
  void make();
  bool busy() const { return making_; }

 signals:
  void made(const std::shared_ptr<const kvantage::ExperimentTable>& table);

 private:
  /// Read and written on the worker's thread alone.
  struct Held {
    QString name;
    SweepPlan plan;
    CellResults results;
  };
  void take(const std::shared_ptr<Held>& of, const std::shared_ptr<const ExperimentTable>& table);

  std::shared_ptr<Held> held_;  // null: none is shown
  std::vector<std::pair<std::string, Json>> added_;
  bool changed_ = false, making_ = false;
  BackgroundWorker worker_;  // last: its thread ends before the rest goes
};

}  // namespace kvantage
