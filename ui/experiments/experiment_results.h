// The results of one experiment as they come: one of its charts, measured points or lines along a setting, the table of
// rows, and their exports; charts at the widths of papers.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QWidget>
#include <algorithm>
#include <memory>
#include <optional>

#include "ui/experiments/experiment_tables.h"
#include "ui/look/theme.h"
#include "ui/papers/charts/figure_charts.h"
#include "ui/papers/charts/paper_picture.h"
#include "ui/papers/model/figure_table_model.h"

class QMenu;

namespace kvantage {

class ExperimentResults : public QWidget, public Themed {
  Q_OBJECT
 public:
  explicit ExperimentResults(QWidget* parent = nullptr);
  /// Of the same experiment as before, rows that stay are only changed.
  void show_table(std::shared_ptr<const ExperimentTable> made);
  void clear();
  void set_theme(const Theme& theme) override;

  FigureCharts& charts() { return *charts_; }
  /// Which of the figure's tables is drawn; hidden where there is one alone.
  QComboBox& chart_choice() { return *which_; }
  QTableView& table() { return *view_; }
  FigureTableModel& table_model() { return model_; }
  const FigureResult& figure() const { return made_->figure; }
  QString headline_text() const { return headline_->text(); }
  /// What the menu does, for tests: "csv" and "json" as `sweep` writes them; "svg", "pdf", "png" of the shown chart at
  /// a paper's width. One line of trouble, empty when written.
  QString save(const QString& kind, const QString& path) const;
  QString save_picture(const QString& kind, const PaperFormat& format, const QString& path) const;

 signals:
  void runsRequested(const QStringList& run_ids);
  void said(const QString& level, const QString& text);

 private:
  QMenu* make_export_menu(QWidget* button);
  void fill_choice();
  void show_chart();
  std::size_t shown_table() const { return static_cast<std::size_t>(std::max(0, which_->currentData().toInt())); }
  /// Proposed for a file, without an ending.
  QString file_name() const;
  void ask_and_save(const QString& kind);
  void say_saved(const QString& path, const QString& trouble);

  std::shared_ptr<const ExperimentTable> made_;
  FigureTableModel model_;
  QSortFilterProxyModel* sorted_;
  QLabel *headline_, *notes_;
  QComboBox* which_;
  QPushButton *export_, *runs_;
  FigureCharts* charts_;
  QTableView* view_;
};

}  // namespace kvantage
