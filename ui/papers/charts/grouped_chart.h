// A figure's chart of groups: lines, point clouds, bars. Each has its color, a row in the legend that switches it on
// and off, and beside it the paper's published numbers in marks of their own.
#pragma once

#include <set>
#include <vector>

#include "core/report/plots/plotted_marks.h"
#include "ui/papers/charts/figure_chart.h"

namespace kvantage {

struct ChartGroup {
  std::string name;                 // as in the legend
  std::size_t column = 0;           // of FigurePlot::y
  std::vector<std::string> values;  // of the first columns of FigurePlot::by
};

class GroupedChart : public FigureChart {
  Q_OBJECT
 public:
  /// Policies, methods, families and tiers keep theirs everywhere.
  QColor color_of(std::size_t group) const;
  /// What the paper reports, where it has a place on the axes.
  const std::vector<PlottedMark>& marks() const { return marks_; }
  /// Of a mark, in the chart's coordinates: a diamond's box, the line of a bar, or the box of a span.
  QRectF mark_box(const PlottedMark& mark) const;
  QString empty_text() const override;

 protected:
  GroupedChart(const QString& name, QWidget* parent);
  /// Of a table that was just taken; every group is shown.
  void set_groups(std::vector<ChartGroup> groups, std::vector<PlottedMark> marks);
  const std::vector<ChartGroup>& groups() const { return groups_; }
  bool shown(std::size_t group) const;
  bool shown(const PlottedMark& mark) const { return !mark.group || shown(*mark.group); }
  /// Inside of the markers: of a policy its own, of other groups by their place.
  unsigned strokes_of(std::size_t group) const;
  /// Where a mark with a place in x is, at this height.
  virtual QPointF place_of(const PlottedMark& mark, double y) const = 0;
  QColor color_of(const PlottedMark& mark) const;
  void paint_marks(QPainter& painter) const;
  /// A row for each group in this sign, and one that counts those that found no room.
  void add_group_items(std::vector<LegendItem>& items, LegendItem::Sign sign) const;
  void add_interval_item(std::vector<LegendItem>& items) const;
  /// A row for each label.
  void add_mark_items(std::vector<LegendItem>& items) const;
  void add_mark_keys(PointKeys::Rows& rows) const;
  /// Rows of table(): name, x, x value, y, y value, low, high, provenance.
  void add_mark_rows(ChartTable& table) const;

 private:
  std::vector<ChartGroup> groups_;
  std::vector<PlottedMark> marks_;
  std::set<QString> hidden_;  // by name
};

/// Groups of lines, clouds or bars without what they hold.
template <class Group>
std::vector<ChartGroup> chart_groups(const std::vector<Group>& from) {
  std::vector<ChartGroup> groups;
  groups.reserve(from.size());
  for (const Group& one : from) groups.push_back({one.name, one.column, one.values});
  return groups;
}
std::vector<std::string> names_of(const std::vector<ChartGroup>& groups);

}  // namespace kvantage
