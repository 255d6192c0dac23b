// 'Why here?': the decision on the chosen context in one sentence, the utility of its alternatives as bars and what
// would have to change, every other way to keep it in a table, and its decode options.
#pragma once

#include <QCheckBox>
#include <QLabel>
#include <QScrollArea>
#include <QSortFilterProxyModel>
#include <QTabWidget>
#include <QTableView>

#include "ui/live/controls/model/decode_options_model.h"
#include "ui/live/decisions/model/counterfactual_model.h"
#include "ui/live/decisions/model/decision_model.h"
#include "ui/live/decisions/utility_bars.h"
#include "ui/look/theme.h"
#include "ui/widgets/empty_note.h"
#include "ui/widgets/lazy_refresh.h"

namespace kvantage {

class DecisionPage : public QTabWidget, public Themed {
  Q_OBJECT
 public:
  DecisionPage(RunModel& run, DecisionModel& model, DecodeOptionsModel& options, QWidget* parent = nullptr);
  void set_theme(const Theme& theme) override;
  /// All that the first page says.
  QString text() const;
  QString headline() const { return headline_->text(); }
  UtilityBars& bars() { return *bars_; }
  CounterfactualModel& counterfactual() { return counterfactual_; }
  QTableView& table() { return *table_; }
  QCheckBox& all() { return *all_; }
  QTableView& options_table() { return *options_table_; }
  QString options_note() const { return options_note_->text(); }
  void flush() { lazy_->flush(); }

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  QWidget* make_why_page();
  QWidget* make_alternatives_page(RunModel& run);
  QWidget* make_options_page(RunModel& run);
  void show_text();
  void show_details();
  QString list(const QString& title, const QStringList& sentences) const;
  void ask(const QString& id);
  void show_options_note();
  DecisionModel& model_;
  DecodeOptionsModel& options_;
  CounterfactualModel counterfactual_;
  Theme theme_;
  QScrollArea* why_;
  QLabel *headline_, *details_;
  UtilityBars* bars_;
  QSortFilterProxyModel* proxy_;
  QTableView* table_;
  QLabel* empty_;
  QCheckBox* all_;
  QTableView* options_table_;
  QLabel* options_note_;
  EmptyNote* options_empty_ = nullptr;
  LazyRefresh* lazy_;
  bool fitted_ = false;
};

}  // namespace kvantage
