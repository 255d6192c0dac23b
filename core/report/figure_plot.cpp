#include "core/report/figure_plot.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/json_fields.h"
#include "core/report/plot_columns.h"

namespace kvantage {

template <>
struct JsonNames<FigurePlot::Kind> {
  static constexpr std::array<std::pair<FigurePlot::Kind, std::string_view>, 7> list{
      {{FigurePlot::Kind::lines, "lines"},
       {FigurePlot::Kind::scatter, "scatter"},
       {FigurePlot::Kind::cdf, "cdf"},
       {FigurePlot::Kind::bars, "bars"},
       {FigurePlot::Kind::histogram, "histogram"},
       {FigurePlot::Kind::heat_map, "heat_map"},
       {FigurePlot::Kind::spans, "spans"}}};
};
template <>
struct JsonFields<PublishedMark> {
  static constexpr auto list =
      std::tuple(json_member("label", &PublishedMark::label), json_added("at", &PublishedMark::at),
                 json_member("low", &PublishedMark::low), json_member("high", &PublishedMark::high));
};
template <>
struct JsonFields<FigurePlot> {
  static constexpr auto list = std::tuple(
      json_member("kind", &FigurePlot::kind), json_member("x", &FigurePlot::x), json_member("y", &FigurePlot::y),
      json_added("y_title", &FigurePlot::y_title), json_added("by", &FigurePlot::by),
      json_added("published", &FigurePlot::published), json_added("band", &FigurePlot::band));
};

}  // namespace kvantage

namespace kvantage::inline report {

namespace {

constexpr const char* fix = "; reproduce the figure again";

/// How many columns of y a kind has.
struct ColumnCount {
  std::size_t least, most;
  const char* text;  // "spans need 3"
};
ColumnCount columns_of_kind(FigurePlot::Kind kind) {
  constexpr auto any = static_cast<std::size_t>(-1);
  switch (kind) {
    case FigurePlot::Kind::lines:
      return {1, any, "lines need 1 or more"};
    case FigurePlot::Kind::scatter:
      return {1, any, "scatter needs 1 or more"};
    case FigurePlot::Kind::bars:
      return {1, any, "bars need 1 or more"};
    case FigurePlot::Kind::cdf:
      return {0, 0, "cdf needs none"};
    case FigurePlot::Kind::histogram:
      return {0, 0, "histogram needs none"};
    case FigurePlot::Kind::heat_map:
      return {2, 2, "heat_map needs 2"};
    case FigurePlot::Kind::spans:
      return {3, 3, "spans need 3"};
  }
  return {0, any, ""};
}

Status check_mark(const PublishedMark& mark, const std::string& name) {
  if (!mark.at.is_number() && !mark.at.is_string() && !mark.at.is_null())
    return fail(ErrorCode::rejected_input,
                name + ": at: is " + mark.at.type_name() + ", not a number, a text or null" + fix);
  if (mark.at.is_number() && !number_of_cell(mark.at))
    return fail(ErrorCode::rejected_input, name + ": at: is not a finite number" + fix);
  if (!std::isfinite(mark.low) || !std::isfinite(mark.high))
    return fail(ErrorCode::rejected_input,
                name + ": " + (std::isfinite(mark.low) ? "high" : "low") + ": is not a finite number" + fix);
  if (mark.low > mark.high) return fail(ErrorCode::rejected_input, name + ": low: is above high" + fix);
  return {};
}

}  // namespace

// Without published marks, or a band of its own, as before there were any.
Json to_json(const FigurePlot& plot) {
  Json json = json_from(plot);
  if (plot.published.empty()) json.erase("published");
  if (plot.band.empty()) json.erase("band");
  return json;
}

Expected<FigurePlot> figure_plot_from_json(const Json& json, const FigureTable& table, const std::string& name) {
  FigurePlot plot;
  KV_TRY(json_into(json, plot, name));
  const ColumnCount count = columns_of_kind(plot.kind);
  if (plot.y.size() < count.least || plot.y.size() > count.most)
    return fail(ErrorCode::rejected_input,
                name + ": y: has " + std::to_string(plot.y.size()) + " columns, " + count.text + fix);
  const auto check = [&](const char* field, const std::string& column) -> Status {
    if (column_of(table, column)) return {};
    return fail(ErrorCode::rejected_input,
                name + ": " + field + ": the table has no column '" + printable(column) + "'" + fix);
  };
  if (plot.kind != FigurePlot::Kind::spans) KV_TRY(check("x", plot.x));
  for (const std::string& column : plot.y) KV_TRY(check("y", column));
  for (const std::string& column : plot.by) KV_TRY(check("by", column));
  for (std::size_t i = 0; i < plot.published.size(); ++i)
    KV_TRY(check_mark(plot.published[i], name + ": published/" + std::to_string(i)));
  return plot;
}

std::vector<PlottedLine> plotted_lines(const FigureTable& table) {
  std::vector<PlottedLine> lines;
  if (!table.plot || table.plot->kind != FigurePlot::Kind::lines) return lines;
  lines = grouped_points<PlottedLine>(
      table, table.plot->by.size(),
      [&](const TableRow& row, std::size_t, std::size_t y, double at, double value) -> PlottedPoint {
        return {at, value, interval_behind(table, row, y)};
      });
  for (PlottedLine& line : lines) std::ranges::stable_sort(line.points, {}, &PlottedPoint::x);
  return lines;
}

std::vector<PlottedSpan> plotted_spans(const FigureTable& table) {
  std::vector<PlottedSpan> spans;
  if (!table.plot || table.plot->kind != FigurePlot::Kind::spans || table.plot->y.size() != 3) return spans;
  const auto y = columns_of(table, table.plot->y), by = columns_of(table, table.plot->by);
  if (!y || !by) return spans;
  for (const TableRow& row : table.rows) {
    const auto begin = number_of_cell(row[(*y)[1]]), end = number_of_cell(row[(*y)[2]]);
    if (!begin || !end) continue;
    const auto word = [&](std::size_t which) {
      return which < by->size() ? text_of_cell(row[(*by)[which]]) : std::string();
    };
    spans.push_back({text_of_cell(row[(*y)[0]]), word(0), word(1), *begin, *end});
  }
  return spans;
}

}  // namespace kvantage::inline report
