// The settings of one figure: a line each, with the figure's own value to begin with.
#pragma once

#include <QLineEdit>
#include <QMap>
#include <QScrollArea>

#include "core/experiments/paper_figures.h"
#include "ui/papers/model/figure_results.h"

namespace kvantage {

class FigureSettingsForm : public QScrollArea {
  Q_OBJECT
 public:
  explicit FigureSettingsForm(QWidget* parent = nullptr);
  /// Values that were changed for a figure are there again when it is shown again.
  void show_figure(const PaperFigure& figure);
  /// What is to be handed over: every line that is not empty.
  FigureOptions options() const;
  /// Whether a line is not what the figure begins with.
  bool changed() const;
  void set_standards();
  /// The line of an option; null when the figure has none.
  QLineEdit* line(const QString& option) const { return lines_.value(option); }

 signals:
  void edited();

 private:
  const PaperFigure* figure_ = nullptr;
  QMap<QString, QLineEdit*> lines_;
  QMap<QString, QMap<QString, QString>> changed_;  // by figure and option
};

}  // namespace kvantage
