#include "ui/charts/table_plot.h"

#include <QCoreApplication>
#include <QHash>
#include <QSet>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/report/formats/latex.h"
#include "core/report/formats/matplotlib.h"
#include "ui/text/words.h"

namespace kvantage {
namespace {

struct TablePlotText {
  Q_DECLARE_TR_FUNCTIONS(TablePlotText)
};

constexpr qsizetype most_names = 24;  // a column with more distinguishes rows, not lines

std::optional<double> number_in(const QStringList& row, qsizetype column) {
  bool is_number = false;
  const double value = row.value(column).toDouble(&is_number);
  return is_number && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

/// Every cell is a number or empty, and one is a number.
bool is_numeric(const ChartTable& table, qsizetype column) {
  bool any = false;
  for (const QStringList& row : table.rows) {
    if (row.value(column).isEmpty()) continue;
    if (!number_in(row, column)) return false;
    any = true;
  }
  return any;
}

struct DrawnColumn {
  qsizetype column = -1, low = -1, high = -1;  // -1: none
};

/// What is read of a table, as indices of its columns.
struct TableColumns {
  qsizetype x = -1;
  std::vector<DrawnColumn> drawn;
  std::vector<qsizetype> names;
};

DrawnColumn drawn_column(const ChartTable& table, qsizetype column, bool only) {
  const QString& name = table.header[column];
  std::vector<std::pair<QString, QString>> ends{{name + "_low", name + "_high"}, {name + "_low_95", name + "_high_95"}};
  if (only) ends.emplace_back(QStringLiteral("low_95"), QStringLiteral("high_95"));
  for (const auto& [low, high] : ends)
    if (const auto from = table.header.indexOf(low), to = table.header.indexOf(high); from >= 0 && to >= 0)
      return {column, from, to};
  return {column, -1, -1};
}

bool is_end_of_interval(const QString& name) {
  for (const char* end : {"_low", "_high", "_low_95", "_high_95", "low_95", "high_95"})
    if (name.endsWith(QLatin1String(end))) return true;
  return false;
}

TableColumns columns_of(const ChartTable& table) {
  TableColumns found;
  std::vector<qsizetype> numbers;
  for (qsizetype c = 0; c < table.header.size(); ++c) {
    if (is_numeric(table, c)) {
      if (!is_end_of_interval(table.header[c])) numbers.push_back(c);
      continue;
    }
    QSet<QString> names;
    for (const QStringList& row : table.rows) names.insert(row.value(c));
    if (names.size() > 1 && names.size() <= most_names) found.names.push_back(c);
  }
  if (!table.plot.x.isEmpty()) {
    found.x = table.header.indexOf(table.plot.x);
    for (const QString& name : table.plot.y)
      if (const auto column = table.header.indexOf(name); column >= 0)
        found.drawn.push_back(drawn_column(table, column, table.plot.y.size() == 1));
    return found;
  }
  if (numbers.size() < 2) return found;
  found.x = numbers.front();
  for (std::size_t i = 1; i < numbers.size(); ++i)
    found.drawn.push_back(drawn_column(table, numbers[i], numbers.size() == 2));
  return found;
}

QString name_of(const ChartTable& table, const QStringList& row, const TableColumns& columns, qsizetype drawn) {
  QStringList parts;
  for (const qsizetype column : columns.names)
    if (const QString part = row.value(column).simplified(); !part.isEmpty()) parts << part;
  if (columns.drawn.size() > 1 || parts.isEmpty()) parts << table.header[drawn];
  return parts.join(QStringLiteral(", "));
}

QString nothing_to_draw(const QString& title, const char* comment) {
  return QString::fromLatin1(comment) +
         TablePlotText::tr("%1 has no two columns of numbers to plot.").arg(title.simplified()) + '\n';
}

}  // namespace

ReportPlot plot_of(const ChartTable& table, const QString& title) {
  ReportPlot plot;
  plot.title = from_q(title.simplified());
  plot.kind = table.plot.marks ? ReportPlot::Kind::points : ReportPlot::Kind::curves;
  plot.x_unit = plot.y_unit = "1";  // the names say it
  const TableColumns columns = columns_of(table);
  if (columns.x < 0) return plot;
  plot.x_label = from_q(table.header[columns.x]);
  QStringList drawn;
  std::map<QString, std::size_t> series;
  for (const DrawnColumn& column : columns.drawn) {
    drawn << table.header[column.column];
    for (const QStringList& row : table.rows) {
      const auto x = number_in(row, columns.x), y = number_in(row, column.column);
      if (!x || !y) continue;
      const QString name = name_of(table, row, columns, column.column);
      const auto [at, is_new] = series.emplace(name, plot.series.size());
      if (is_new) plot.series.emplace_back().name = from_q(name);
      PlotPoint& point = plot.series[at->second].points.emplace_back();
      point.x = *x;
      point.y = *y;
      const auto low = number_in(row, column.low), high = number_in(row, column.high);
      if (low && high) point.interval = Interval{*low, *high};
    }
  }
  plot.y_label = from_q(drawn.join(QStringLiteral(", ")));
  return plot;
}

QString to_pgfplots(const ChartTable& table, const QString& title) {
  const ReportPlot plot = plot_of(table, title);
  if (plot.series.empty()) return nothing_to_draw(title, "% ");
  return to_q(latex_comment(plot.title) + latex_picture(plot));
}

QString to_matplotlib(const ChartTable& table, const QString& title) {
  const ReportPlot plot = plot_of(table, title);
  return plot.series.empty() ? nothing_to_draw(title, "# ") : to_q(matplotlib_script(plot));
}

}  // namespace kvantage
