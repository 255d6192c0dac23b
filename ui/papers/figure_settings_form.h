// The settings of one figure: a line each, with the figure's own value to begin with. Options that it rarely needs are
// in a folded group below.
#pragma once

#include <QCheckBox>
#include <QGridLayout>
#include <QLineEdit>
#include <QMap>
#include <QScrollArea>
#include <QToolButton>

#include "core/experiments/paper_figures.h"
#include "ui/papers/model/figure_results.h"
#include "ui/papers/model/more_settings.h"

namespace kvantage {

class FigureSettingsForm : public QScrollArea {
  Q_OBJECT
 public:
  explicit FigureSettingsForm(QWidget* parent = nullptr);
  /// Values that were changed for a figure are there again when it is shown again.
  void show_figure(const PaperFigure& figure);
  /// What is to be handed over: every line that is not empty, and every flag that is set.
  FigureOptions options() const;
  /// Whether a line is not what the figure begins with.
  bool changed() const;
  void set_standards();
  /// The line of an option; null when the figure has none.
  QLineEdit* line(const QString& option) const { return lines_.value(option); }
  /// The box of an option without a value; null when the figure has none.
  QCheckBox* flag(const QString& option) const { return flags_.value(option); }
  /// Folds the group of further options out and in; null when the figure has none.
  QToolButton* more_button() const { return more_button_; }

 signals:
  void edited();

 private:
  /// What a row of the form shows.
  struct Row {
    QString option, standard, label, placeholder, tip;
  };
  void add_line(QGridLayout& grid, const Row& row);
  void add_flag(QGridLayout& grid, const MoreSetting& setting);
  void add_more(QGridLayout& grid);
  void note_change(const QString& option, const QString& standard, const QString& text);

  const PaperFigure* figure_ = nullptr;
  QMap<QString, QLineEdit*> lines_;
  QMap<QString, QCheckBox*> flags_;
  QToolButton* more_button_ = nullptr;
  QMap<QString, QMap<QString, QString>> changed_;  // by figure and option
};

}  // namespace kvantage
