// One other run against the baseline as a table: metrics in groups, both values, a column for the plot, and the
// difference in words. The plot may have all other runs.
#pragma once

#include <QAbstractTableModel>
#include <string>
#include <vector>

#include "ui/runs/compare/model/forest_rows.h"
#include "ui/runs/model/run_comparison_model.h"

namespace kvantage {

class ForestModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { metric_column, baseline_column, other_column, plot_column, words_column, column_count };
  /// Of runs in one plot, the baseline included.
  static constexpr int max_plotted = 6;

  /// `source` outlives this.
  explicit ForestModel(RunComparisonModel& source, QObject* parent = nullptr);

  const RunComparison& comparison() const { return source_.comparison(); }
  /// The run that is compared with the baseline; -1: there is none.
  int other() const { return other_; }
  void set_other(int side);
  bool can_plot_all() const;
  bool plots_all() const { return plots_all_ && can_plot_all(); }
  void plot_all(bool all);

  /// Null for a heading.
  const ComparedMetric* metric(int row) const;
  /// -1: not shown.
  int row_of(const std::string& metric) const;
  std::vector<ForestMark> marks(int row) const;
  /// Of the plot, both ways from 0, as a share of the baseline's value; intervals may reach further.
  double limit() const { return ticks_.back(); }
  /// Ascending, from -limit() to limit().
  const std::vector<double>& ticks() const { return ticks_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;

 private:
  struct Line {
    MetricGroup group = MetricGroup::latency;
    int metric = -1;  // in the comparison; -1: the heading of the group
  };
  void rebuild();
  void make_lines();
  void make_ticks();
  QString text(int row, int column) const;
  QString tip(const ComparedMetric& metric) const;
  QString mark_text(int row) const;

  RunComparisonModel& source_;
  int other_ = -1;
  bool plots_all_ = false;
  std::vector<Line> lines_;
  std::vector<double> ticks_{-1, 0, 1};
};

}  // namespace kvantage
