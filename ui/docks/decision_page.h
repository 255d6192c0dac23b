// 'Why here?': the decision on the chosen context in words, and every other way to keep it in a table.
#pragma once

#include <QCheckBox>
#include <QLabel>
#include <QSortFilterProxyModel>
#include <QTabWidget>
#include <QTableView>
#include <QTextBrowser>

#include "ui/models/decision_model.h"
#include "ui/theme.h"
#include "ui/widgets/lazy_refresh.h"

namespace kvantage {

class DecisionPage : public QTabWidget, public Themed {
  Q_OBJECT
 public:
  explicit DecisionPage(DecisionModel& model, QWidget* parent = nullptr);
  void set_theme(const Theme& theme) override;
  QString text() const { return text_->toPlainText(); }
  QTableView& table() { return *table_; }
  QCheckBox& all() { return *all_; }
  void flush() { lazy_->flush(); }

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  void show_text();
  DecisionModel& model_;
  Theme theme_;
  QTextBrowser* text_;
  QSortFilterProxyModel* proxy_;
  QTableView* table_;
  QLabel* empty_;
  QCheckBox* all_;
  LazyRefresh* lazy_;
  bool fitted_ = false;
};

}  // namespace kvantage
