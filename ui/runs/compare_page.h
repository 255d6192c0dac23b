// Recorded runs side by side: what differs, the metrics against a baseline, and TTFT against quality as a small chart.
#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QWidget>

#include "ui/look/theme.h"
#include "ui/runs/compare_chart.h"
#include "ui/runs/model/run_comparison_model.h"

namespace kvantage {

class ComparePage : public QWidget, public Themed {
  Q_OBJECT
 public:
  /// `parquet`: whether reports are Parquet, too.
  explicit ComparePage(RunComparisonModel& model, bool parquet = false, QWidget* parent = nullptr);
  void set_theme(const Theme& theme) override;
  QTableView& table() { return *table_; }
  CompareChart& chart() { return *chart_; }
  QComboBox& baseline() { return *baseline_; }
  QLabel& marks() { return *marks_; }
  QCheckBox& periods() { return *periods_; }
  /// "csv" or "tex", of what is compared now.
  void ask_and_save(const QString& ending);

 signals:
  void backRequested();
  /// Of the runs that are compared, against the present baseline.
  void reportRequested();
  void runRequested(const QString& run_id);
  void said(const QString& level, const QString& text);

 private:
  QLayout* make_head_row(bool parquet);
  QWidget* make_table_and_chart();
  void show_comparison();
  void explain_marks();

  RunComparisonModel& model_;
  QLabel* title_;
  QLabel* marks_;  // what the signs after values say
  QComboBox* baseline_;
  QCheckBox* periods_;
  QTableView* table_;
  CompareChart* chart_;
  QStyledItemDelegate* delegate_;
  Theme theme_;
};

}  // namespace kvantage
