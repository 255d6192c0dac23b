#include "ui/papers/charts/figure_chart.h"

#include <QFontMetricsF>
#include <QLayout>
#include <QStringList>
#include <algorithm>
#include <array>
#include <cmath>

#include "core/report/plots/plotted_marks.h"
#include "ui/papers/charts/fitted_names.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

constexpr double axis_share = 0.4;  // of a chart, at most, that Qt Charts 6.4 gives an axis

}  // namespace

void FigureChart::show_table(const FigureResult& result, std::size_t table) {
  const FigureTable& from = result.tables[table];
  plot_ = from.plot.value_or(FigurePlot{});
  y_title_ = core_text(plotted_y_title(plot_));
  provenance_ = result.provenance;
  zoom().forget();
  take(result, table);
  keys().set_description(tr("%1; arrow keys move between points").arg(core_text(from.title)));
  invalidate_at_once();
}

QString FigureChart::x_title() const { return core_text(plot_.x); }

LegendItem FigureChart::axes_item() const {
  const QString x = axis_title(x_title()), y = axis_title(y_title_);
  return {"",
          y.isEmpty() ? tr("vs. %1").arg(x) : tr("%1 vs. %2").arg(y, x),
          tr("Axes of the chart"),
          LegendItem::Sign::marker,
          theme().muted,
          look_of(provenance_),
          false};
}

QString exact_text(double value) { return QString::number(value, 'g', 9); }

Qt::BrushStyle bar_pattern(std::size_t index) {
  constexpr std::array all{Qt::SolidPattern,  Qt::BDiagPattern, Qt::DiagCrossPattern, Qt::HorPattern,
                           Qt::Dense6Pattern, Qt::FDiagPattern, Qt::CrossPattern,     Qt::VerPattern};
  return all[index % all.size()];
}

ShownPlaces shown_places(const QBarCategoryAxis& axis) {
  int first = 0, last = axis.count() - 1;
  for (int at = 0; at < axis.count(); ++at) {
    if (axis.at(at) == axis.min()) first = at;
    if (axis.at(at) == axis.max()) last = at;
  }
  return {first, std::max(0, last - first + 1)};
}

void set_categories(QBarCategoryAxis& axis, const QStringList& names) {
  if (axis.categories() == names) return;
  const auto [first, count] = shown_places(axis);
  const bool stays = axis.count() == names.size() && count > 0;
  axis.clear();
  axis.append(names);
  if (stays) axis.setRange(names[first], names[first + count - 1]);
}

QString axis_title(const QString& column) {
  // Of columns; longer ones first.
  static const QStringList units{QStringLiteral("tokens/s"), QStringLiteral("GB/s"), QStringLiteral("MB/s"),
                                 QStringLiteral("1/s"),      QStringLiteral("KiB"),  QStringLiteral("MiB"),
                                 QStringLiteral("GiB"),      QStringLiteral("GB"),   QStringLiteral("MB"),
                                 QStringLiteral("ms"),       QStringLiteral("us"),   QStringLiteral("s"),
                                 QStringLiteral("%")};
  for (const QString& unit : units) {
    if (!column.endsWith(' ' + unit)) continue;
    QString name = column.chopped(unit.size() + 1);
    if (name.endsWith(',')) name.chop(1);
    return QStringLiteral("%1 (%2)").arg(name, unit);
  }
  return column;
}

QStringList axis_names(const std::vector<std::string>& names, qsizetype most) {
  QStringList shortened;
  for (const std::string& name : names) {
    const QString whole = core_text(name);
    shortened << (whole.size() > most ? whole.left(most - 1).trimmed() + QChar(0x2026) : whole);
  }
  return distinct_labels(shortened);
}

// As Qt Charts 6.4 divides a chart: the names and the title share an axis, and a name gets the width of the chart by as
// many as are shown and two.
QSizeF FigureChart::room_of_names(int count) const {
  constexpr double label_padding = 4, title_padding = 2, text_margins = 2;
  constexpr double cut_off = 2;  // by both of the times that the height of an axis becomes whole pixels
  const QMargins around = layout()->contentsMargins(), inside = chart().margins();
  const int strip_width = width() - around.left() - around.right();
  const double strip = std::min(legend().heightForWidth(strip_width), legend().maximumHeight());
  const double wide = strip_width - inside.left() - inside.right();
  const double high =
      height() - around.top() - around.bottom() - layout()->spacing() - strip - inside.top() - inside.bottom();
  double names = axis_share * high - cut_off - label_padding - text_margins;
  const auto axes = chart().axes(Qt::Horizontal);
  if (!compact() && !axes.isEmpty())
    names -= std::ceil(QFontMetricsF(axes.constFirst()->titleFont()).height()) + 2 * title_padding + text_margins;
  return {wide / (count + 2) - 2 * label_padding - text_margins, names};
}

void FigureChart::fit_names(QBarCategoryAxis& axis, const std::vector<std::string>& names) {
  const auto count = static_cast<int>(names.size());
  const ShownPlaces part = axis.count() == count ? shown_places(axis) : ShownPlaces{0, count};
  QStringList whole;
  for (const std::string& name : names) whole << core_text(name);
  const FittedNames fitted = fitted_names(whole, part, QFontMetricsF(axis.labelsFont()), room_of_names(part.count));
  axis.setLabelsAngle(fitted.is_level ? 0 : -90);
  set_categories(axis, distinct_labels(fitted.names));
  lacking_height_ = static_cast<int>(std::ceil(fitted.lacking / axis_share));
}

}  // namespace kvantage
