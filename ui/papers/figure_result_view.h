// A kept result: what came out in sentences beside what the paper reports, its tables, those that can be drawn as
// charts too, its exports and its runs.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabBar>
#include <QTableView>
#include <QTextBrowser>

#include "ui/look/theme.h"
#include "ui/papers/charts/figure_charts.h"
#include "ui/papers/charts/paper_picture.h"
#include "ui/papers/model/figure_results.h"
#include "ui/papers/model/figure_table_model.h"

class QMenu;

namespace kvantage {

class FigureResultView : public QWidget, public Themed {
  Q_OBJECT
 public:
  explicit FigureResultView(FigureResults& results, QWidget* parent = nullptr);
  void show_figure(const QString& figure);
  void set_theme(const Theme& theme) override;

  /// The one that is shown; null: none is kept.
  const KeptFigure* shown() const { return results_.find(which_->currentData().toString()); }
  QComboBox& which() { return *which_; }
  QTabBar& tabs() { return *tabs_; }
  QTableView& table() { return *table_; }
  FigureTableModel& table_model() { return model_; }
  /// The chart of the shown table's kind is the one that is seen.
  FigureCharts& charts() { return *charts_; }
  SeriesChart& series_chart() { return charts_->series(); }
  TimeLineChart& time_line_chart() { return charts_->time_line(); }
  /// Turns from the chart to the table, where there is no room for both.
  QPushButton& table_button() { return *as_table_; }
  /// The sentences as plain text.
  QString text() const { return text_->toPlainText(); }
  QString empty_text() const { return pages_->currentIndex() == 0 ? empty_->text() : QString(); }
  /// What the buttons do, for tests: kinds "csv" and "json"; one line of trouble, empty when written.
  QString save(const QString& kind, const QString& path) const;
  /// The shown plot for a paper: kinds "svg", "pdf" and "png"; trouble as above.
  QString save_picture(const QString& kind, const PaperFormat& format, const QString& path) const;
  void copy() const;
  void ask_and_save(const QString& kind);
  void ask_to_remove();
  /// A child's size: what is beside what.
  bool eventFilter(QObject* watched, QEvent* event) override;

 signals:
  void runsRequested(const QStringList& run_ids);
  /// level as in Banner.
  void said(const QString& level, const QString& text);

 private:
  QWidget* make_page();
  QMenu* make_export_menu();
  QWidget* make_tables();
  void fill_choices();
  void show_result();
  void show_table(int table);
  /// Shows chart and table side by side or stacked; in a small dock and on a large page only the selected one.
  void arrange();
  void say_saved(const QString& path, const QString& trouble);

  FigureResults& results_;
  QString figure_;
  FigureTableModel model_;
  QSortFilterProxyModel* sorted_;
  Theme theme_;
  QStackedWidget* pages_;
  QLabel* empty_;
  QComboBox* which_;
  QPushButton *runs_ = nullptr, *export_ = nullptr, *remove_ = nullptr;
  QTextBrowser* text_;
  QTabBar* tabs_;
  QTableView* table_;
  QSplitter* drawn_;
  FigureCharts* charts_;
  QPushButton* as_table_ = nullptr;
};

}  // namespace kvantage
