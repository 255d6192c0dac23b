// Every metric of recorded runs, one per row: what their report holds, in the window. Read and computed in the
// background.
#pragma once

#include <QAbstractTableModel>
#include <QStringList>
#include <memory>
#include <vector>

#include "core/ports/run_library.h"
#include "core/report/metric_list.h"
#include "ui/session/background_worker.h"

namespace kvantage {

class RunMetricsModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column {
    run,
    metric,
    part,
    value,
    unit,
    interval,
    n,
    contexts,
    p50,
    p95,
    p95_interval,
    p99,
    provenance,
    column_count
  };

  explicit RunMetricsModel(std::shared_ptr<RunLibrary> library, QObject* parent = nullptr);

  /// Reads these runs, then emits shown() or failed(). Runs whose settings moved have their metrics for each.
  void show_runs(const QStringList& run_ids);
  void clear();
  /// Cancels the running job; what is shown stays.
  void cancel();
  bool busy() const { return busy_; }
  /// The claim of the report in a sentence; empty before anything is shown.
  QString claim() const { return claim_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 signals:
  void shown();
  void busyChanged(bool busy);
  void failed(const QString& message);
  /// Of the running job; total 0: length unknown.
  void progress(int done, int total);
  void cancelled();

 private:
  struct Line {
    QString policy;
    ReportMetric metric;
  };
  struct Answer {
    QString claim;
    std::vector<Line> lines;
  };
  void set_busy(bool busy);

  std::shared_ptr<RunLibrary> library_;
  std::vector<Line> lines_;
  QString claim_;
  std::uint64_t job_ = 0;  // answers to earlier ones are dropped
  bool busy_ = false;
  BackgroundWorker::Cancel in_flight_;
  BackgroundWorker worker_;
};

}  // namespace kvantage
