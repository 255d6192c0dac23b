// Port to whatever serves the cells of an experiment, beside the thread of the window. An experiment is a folder of
// `kvantage-cli sweep`: plan.json, and a result for each cell in cells/. Tests put a scripted one in its place.
#pragma once

#include <QByteArray>
#include <QObject>
#include <QString>
#include <map>
#include <string>

#include "core/base/json.h"
#include "core/sweep/sweep_plan.h"

namespace kvantage {

/// By cell; {"failed": why, ...} for those that could not be served.
using CellResults = std::map<std::string, Json>;

class ExperimentHost : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;
  /// Serves the cells of folder/plan.json that have no result in the folder yet, and stores their results there. One
  /// experiment at a time: not to be called while running().
  virtual void start(const QString& folder) = 0;
  /// Ends after the running cell; ended() follows.
  virtual void pause() = 0;
  /// Aborts the running cell; ended() follows. Cells with results keep them.
  virtual void cancel() = 0;
  virtual bool running() const = 0;
  /// Workload, model, tiers and candidates as the window's session has them; without digests and cells.
  virtual SweepPlan base_plan() const = 0;
  /// Requests of a cell whose plan has no limit; 0: not known.
  virtual std::uint64_t workload_requests() const = 0;
  /// The command that serves the folder in a terminal.
  virtual QString command(const QString& folder) const = 0;

 signals:
  /// The plan with its digests, which ids of cells depend on, and results that the folder has from before, by cell.
  void planned(const kvantage::SweepPlan& plan, const kvantage::CellResults& results);
  void cellBegun(const QString& text);
  /// A cell has a result: JSON, as in its file; {"failed": why, ...} has none.
  void cellKept(const QString& id, const QByteArray& result);
  /// error: empty where every cell was served, or it was paused or canceled.
  void ended(const QString& error);
};

}  // namespace kvantage
