// Table of all contexts with their placement, and beside it why the chosen one is where it is.
#pragma once

#include <QLabel>
#include <QLineEdit>
#include <QSplitter>
#include <QTableView>
#include <QWidget>
#include <set>

#include "ui/live/decisions/decision_page.h"
#include "ui/live/decisions/model/decision_model.h"
#include "ui/widgets/keyed_sort.h"

namespace kvantage {

class ContextsDock : public QWidget, public Themed {
  Q_OBJECT
 public:
  ContextsDock(RunModel& run, SettingsController& settings, QWidget* parent = nullptr);
  void set_theme(const Theme& theme) override;
  QTableView& table() { return *table_; }
  QLineEdit& filter() { return *filter_; }
  DecisionModel& decision() { return decision_; }
  DecodeOptionsModel& decode_options() { return decode_options_; }
  DecisionPage& why() { return *why_; }
  /// The context whose row is marked; empty: none, or the filter hides it.
  QString marked() const;

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void show_selection();
  std::set<QString> marked_contexts() const;
  void show_chosen_contexts();
  bool fitted_ = false, syncing_ = false;
  ContextsModel& model_;
  Selection& selection_;
  DecisionModel decision_;
  DecodeOptionsModel decode_options_;
  KeyedSort* proxy_;
  QTableView* table_;
  QLineEdit* filter_;
  DecisionPage* why_;
};

}  // namespace kvantage
