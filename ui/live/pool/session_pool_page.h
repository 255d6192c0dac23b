// What the session's pool holds: a line of text, its gauges over time, and the compaction passes, from which a request
// can be selected.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QTableView>
#include <QWidget>

#include "ui/live/pool/model/compaction_passes_model.h"
#include "ui/live/pool/pool_chart.h"
#include "ui/look/theme.h"
#include "ui/session/selection.h"
#include "ui/widgets/chosen_rows.h"
#include "ui/widgets/lazy_refresh.h"

namespace kvantage {

class SessionPoolPage : public QWidget, public Themed {
  Q_OBJECT
 public:
  /// model, selection: must outlive it; selection null: rows select nothing.
  SessionPoolPage(const SessionPoolModel& model, Selection* selection, QWidget* parent = nullptr);
  void set_theme(const Theme& theme) override;
  PoolChart& chart() { return *chart_; }
  QComboBox& gauge() { return *gauge_; }
  QTableView& passes() { return *table_; }
  /// As of now, seen or not.
  QString text() const;
  void flush() { lazy_->flush(); }

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  QWidget* make_head();
  QWidget* make_chart_and_passes();
  void connect_selection();
  void update_text();
  void show_selection();

  const SessionPoolModel& model_;
  Selection* selection_;
  Theme theme_;
  CompactionPassesModel rows_;
  ChosenRows* shown_rows_;
  QLabel* text_;
  QComboBox* gauge_;
  PoolChart* chart_;
  QTableView* table_;
  LazyRefresh* lazy_;
  bool fitted_ = false;
};

}  // namespace kvantage
