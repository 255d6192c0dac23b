// The forest plot of a comparison: a row a metric, aligned with its values and with the difference in words. Arrow keys
// move through the metrics; Enter or a double-click opens one by context.
#pragma once

#include <QTableView>
#include <string>

#include "ui/charts/chart_table.h"
#include "ui/look/theme.h"
#include "ui/runs/compare/model/forest_model.h"

namespace kvantage {

class ForestTable : public QTableView, public Themed {
  Q_OBJECT
 public:
  /// `model` outlives this.
  explicit ForestTable(ForestModel& model, QWidget* parent = nullptr);
  void set_theme(const Theme& theme) override;
  /// In pixels: no text is cut, and the plot has its preferred width.
  int preferred_width() const;
  /// Of the current row; empty: none.
  QString current_metric() const;
  /// Every digit, of both runs and of their differences.
  ChartTable as_table() const;

 signals:
  /// Widths and heights follow new texts or another text size.
  void fitted();
  /// The current row is another one, core's name of the metric.
  void metricChosen(const QString& metric);
  void metricOpened(const QString& metric);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void fit();
  void fit_plot();
  void show_rows();
  int width_of_others() const;
  int text_unit() const;

  ForestModel& model_;
  Theme theme_;
  QString chosen_;  // stays over resets
  bool due_ = false;
};

}  // namespace kvantage
