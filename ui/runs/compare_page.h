// Recorded runs compared: at the left a forest plot, a row a metric, of one run against the baseline; at the right what
// differs in their settings, contexts, a summary in sentences, TTFT against quality, and every value of all runs.
#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QSplitter>
#include <QTabWidget>
#include <QWidget>
#include <string>

#include "ui/look/theme.h"
#include "ui/runs/compare/contexts_page.h"
#include "ui/runs/compare/forest_table.h"
#include "ui/runs/compare/settings_page.h"
#include "ui/runs/compare/summary_page.h"
#include "ui/runs/compare/values_table.h"
#include "ui/runs/compare_chart.h"
#include "ui/runs/model/run_comparison_model.h"
#include "ui/widgets/legend_strip.h"

class QMenu;

namespace kvantage {

class Selection;

class ComparePage : public QWidget, public Themed {
  Q_OBJECT
 public:
  /// `parquet`: whether reports are Parquet, too.
  explicit ComparePage(RunComparisonModel& model, bool parquet = false, QWidget* parent = nullptr);
  void set_theme(const Theme& theme) override;
  /// The chosen context is marked here, and one that is clicked here is chosen everywhere.
  void follow(Selection& selection);

  ForestModel& forest() { return forest_; }
  CompareChart& chart() { return *chart_; }
  QComboBox& baseline() { return *baseline_; }
  QComboBox& other() { return *other_; }
  QLabel& marks() { return *marks_; }
  QCheckBox& periods() { return *periods_; }
  /// "csv" or "tex" of all runs that are compared; of the two that are shown "booktabs", "forest" or "contexts", which
  /// are LaTeX. For a file.
  std::string exported(const QString& kind) const;
  void ask_and_save(const QString& kind);
  /// Brings the contexts by this metric to the front.
  void open_metric(const QString& name);

 signals:
  void backRequested();
  /// Of the runs that are compared, against the present baseline.
  void reportRequested();
  void runRequested(const QString& run_id);
  void said(const QString& level, const QString& text);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  QLayout* make_head_row(bool parquet);
  QWidget* make_choices();
  QMenu* make_export_menu(QWidget* parent);
  QWidget* make_forest();
  QWidget* make_tabs();
  void connect_views();
  void show_comparison();
  void show_choices();
  void show_periods();
  void explain_marks();
  void share_width();

  RunComparisonModel& model_;
  ForestModel forest_;
  QLabel* title_;
  QLabel* marks_;  // what the signs after values say
  QComboBox *baseline_, *other_;
  QCheckBox *all_runs_, *periods_;
  QSplitter* splitter_;
  ForestTable* forest_table_;
  LegendStrip* legend_;
  QTabWidget* tabs_;
  SettingsPage* settings_;
  ContextsPage* contexts_;
  SummaryPage* summary_;
  CompareChart* chart_;
  ValuesTable* values_;
  bool shared_by_hand_ = false;  // the user has moved the splitter
};

}  // namespace kvantage
