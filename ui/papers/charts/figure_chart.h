// What every chart of a figure's table shares: the table's plot, its titles and its provenance.
#pragma once

#include <QBarCategoryAxis>

#include "core/report/figure.h"
#include "ui/charts/chart_panel.h"
#include "ui/papers/charts/fitted_names.h"

namespace kvantage {

class FigureChart : public ChartPanel {
  Q_OBJECT
 public:
  /// A table without a plot of the chart's kind leaves it empty.
  void show_table(const FigureResult& result, std::size_t table);
  /// As of the last refresh: by how many pixels it would have to be higher for names of categories of at most 16
  /// letters to be whole. 0: they are, or no height helps.
  int lacking_height() const { return lacking_height_; }

 protected:
  using ChartPanel::ChartPanel;
  /// Reads the table at this place; plot(), y_title() and provenance() are already its own.
  virtual void take(const FigureResult& result, std::size_t table) = 0;
  const FigurePlot& plot() const { return plot_; }
  QString x_title() const;
  const QString& y_title() const { return y_title_; }
  Provenance provenance() const { return provenance_; }
  /// In the legend of a compact chart, which has no room for the axes' titles; first, as the row may be cut.
  LegendItem axes_item() const;
  /// Sets the names of categories along the bottom, as fitted_names() shows them in the room that the chart leaves, by
  /// what its legend and its fonts are now.
  void fit_names(QBarCategoryAxis& axis, const std::vector<std::string>& names);

 private:
  /// What Qt Charts leaves for the names of so many categories: across each, and for their height. It cuts what is
  /// larger.
  QSizeF room_of_names(int count) const;

  int lacking_height_ = 0;
  FigurePlot plot_;
  QString y_title_;
  Provenance provenance_ = Provenance::measured;
};

/// Enough digits to tell numbers of a table apart.
QString exact_text(double value);
/// Hatching of the bars of a kind or group, by its index: bars are told apart without color, too.
Qt::BrushStyle bar_pattern(std::size_t index);
/// Names for an axis of categories, escaped, as its labels are rich text; distinct, as such an axis leaves out the
/// second of two alike. Those longer than this many characters are shortened.
QStringList axis_names(const std::vector<std::string>& names, qsizetype most);
/// "TTFT (s)" of a column named "TTFT s" or of a title "mean TTFT, s"; a title without a unit behind it as it is.
QString axis_title(const QString& column);
ShownPlaces shown_places(const QBarCategoryAxis& axis);
/// Of as many categories as before, the part that is shown stays.
void set_categories(QBarCategoryAxis& axis, const QStringList& names);

}  // namespace kvantage
