// Table of all contexts with their placement and why it is so.
#pragma once

#include <QLabel>
#include <QLineEdit>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QWidget>

#include "ui/models/contexts_model.h"
#include "ui/models/sensitivity_model.h"
#include "ui/theme.h"

namespace kvantage {

class ContextsDock : public QWidget, public Themed {
  Q_OBJECT
 public:
  ContextsDock(ContextsModel& model, SensitivityModel& sensitivity, QWidget* parent = nullptr);
  void set_theme(const Theme& theme) override;
  QTableView& table() { return *table_; }
  QLineEdit& filter() { return *filter_; }

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  bool fitted_ = false;
  ContextsModel& model_;
  SensitivityModel& sensitivity_;
  QSortFilterProxyModel* proxy_;
  QTableView* table_;
  QLineEdit* filter_;
};

}  // namespace kvantage
