// Every metric of chosen runs as a table, with a filter: what their report holds.
#pragma once

#include <QLabel>
#include <QLineEdit>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QWidget>

#include "ui/session/run_metrics_model.h"
#include "ui/widgets/empty_note.h"

namespace kvantage {

class MetricsPage : public QWidget {
  Q_OBJECT
 public:
  explicit MetricsPage(RunMetricsModel& model, QWidget* parent = nullptr);
  QTableView& table() { return *table_; }
  QLineEdit& filter() { return *text_; }

 signals:
  void backRequested();

 private:
  RunMetricsModel& model_;
  QSortFilterProxyModel filter_;
  QLabel* title_;
  QLineEdit* text_;
  QTableView* table_;
  EmptyNote* empty_;
};

}  // namespace kvantage
