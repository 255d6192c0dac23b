#include "ui/papers/charts/figure_chart.h"

#include <QFontMetrics>
#include <QHash>
#include <algorithm>
#include <array>

#include "core/report/plots/plotted_marks.h"
#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {

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
  return {"",
          y_title_.isEmpty() ? tr("vs. %1").arg(x_title()) : tr("%1 vs. %2").arg(y_title_, x_title()),
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

QStringList axis_names(const std::vector<std::string>& names, qsizetype most) {
  QStringList shown;
  QHash<QString, int> alike;
  for (const std::string& name : names) {
    const QString whole = core_text(name);
    const QString text = whole.size() > most ? whole.left(most - 1).trimmed() + QChar(0x2026) : whole;
    const int number = ++alike[text];
    shown << (number == 1 ? text : QStringLiteral("%1 (%2)").arg(text).arg(number)).toHtmlEscaped();
  }
  return shown;
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

void set_fitted_names(QBarCategoryAxis& axis, const std::vector<std::string>& names, int wide, bool compact) {
  const auto count = static_cast<int>(names.size());
  const ShownPlaces part = axis.count() == count ? shown_places(axis) : ShownPlaces{0, count};
  const QFontMetrics metrics(axis.labelsFont());
  int widest = 0;
  for (int place = part.first; place < part.first + part.count; ++place)
    widest = std::max(widest, metrics.horizontalAdvance(core_text(names[static_cast<std::size_t>(place)])));
  const int room = std::max(wide, 100) / std::max(1, part.count);
  const bool level = widest + 8 <= room;
  axis.setLabelsAngle(level ? 0 : -90);
  constexpr qsizetype whole = 200;
  set_categories(axis, axis_names(names, level ? whole : compact ? 8 : 24));
}

}  // namespace kvantage
