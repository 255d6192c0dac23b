#include "core/report/figure_plot.h"

#include <algorithm>
#include <array>

#include "core/base/json_fields.h"

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
struct JsonFields<FigurePlot> {
  static constexpr auto list = std::tuple(json_member("kind", &FigurePlot::kind), json_member("x", &FigurePlot::x),
                                          json_member("y", &FigurePlot::y), json_added("y_title", &FigurePlot::y_title),
                                          json_added("by", &FigurePlot::by));
};

}  // namespace kvantage

namespace kvantage::inline report {

namespace {

using Row = std::vector<Json>;

std::optional<std::size_t> column_of(const FigureTable& table, const std::string& name) {
  const auto found = std::ranges::find(table.columns, name);
  return found == table.columns.end() ? std::nullopt
                                      : std::optional(static_cast<std::size_t>(found - table.columns.begin()));
}

/// Nothing where one of them is missing.
std::optional<std::vector<std::size_t>> columns_of(const FigureTable& table, const std::vector<std::string>& names) {
  std::vector<std::size_t> found;
  for (const std::string& name : names) {
    const auto column = column_of(table, name);
    if (!column) return {};
    found.push_back(*column);
  }
  return found;
}

std::string text_of_cell(const Json& cell) { return cell.is_null() ? std::string() : figure_cell_text(cell); }

std::optional<Interval> interval_behind(const FigureTable& table, const Row& row, std::size_t column) {
  if (column + 2 >= row.size() || table.columns[column + 1] != "low" || table.columns[column + 2] != "high") return {};
  const Json &low = row[column + 1], &high = row[column + 2];
  return low.is_number() && high.is_number() ? std::optional(Interval{low.get<double>(), high.get<double>()})
                                             : std::nullopt;
}

/// The text that distinguishes its lines; for a number its column as well.
std::string name_of(const FigureTable& table, const Row& row, const std::vector<std::size_t>& telling) {
  std::string name;
  for (const std::size_t column : telling) {
    if (row[column].is_null()) continue;
    if (!name.empty()) name += ", ";
    if (!row[column].is_string()) name += table.columns[column] + " ";
    name += text_of_cell(row[column]);
  }
  return name;
}

/// The columns of `by` with more than one value; the first where all are constant.
std::vector<std::size_t> telling_columns(const FigureTable& table, const std::vector<std::size_t>& by) {
  std::vector<std::size_t> telling;
  for (const std::size_t column : by)
    if (std::ranges::any_of(table.rows, [&](const Row& row) { return row[column] != table.rows.front()[column]; }))
      telling.push_back(column);
  if (telling.empty() && !by.empty()) telling.push_back(by.front());
  return telling;
}

}  // namespace

Json to_json(const FigurePlot& plot) { return json_from(plot); }

Expected<FigurePlot> figure_plot_from_json(const Json& json, const FigureTable& table, const std::string& name) {
  FigurePlot plot;
  KV_TRY(json_into(json, plot, name));
  const bool spans = plot.kind == FigurePlot::Kind::spans;
  if (spans ? plot.y.size() != 3 : plot.y.empty())
    return fail(ErrorCode::rejected_input, name + ": y: has " + std::to_string(plot.y.size()) + " columns, " +
                                               (spans ? "spans need 3" : "lines need 1 or more") +
                                               "; reproduce the figure again");
  const auto check = [&](const char* field, const std::string& column) -> Status {
    if (column_of(table, column)) return {};
    return fail(ErrorCode::rejected_input, name + ": " + field + ": the table has no column '" + printable(column) +
                                               "'; reproduce the figure again");
  };
  if (!spans) KV_TRY(check("x", plot.x));
  for (const std::string& column : plot.y) KV_TRY(check("y", column));
  for (const std::string& column : plot.by) KV_TRY(check("by", column));
  return plot;
}

std::vector<PlottedLine> plotted_lines(const FigureTable& table) {
  std::vector<PlottedLine> lines;
  if (!table.plot || table.plot->kind != FigurePlot::Kind::lines) return lines;
  const auto x = column_of(table, table.plot->x);
  const auto y = columns_of(table, table.plot->y), by = columns_of(table, table.plot->by);
  if (!x || !y || !by) return lines;
  const auto telling = telling_columns(table, *by);
  for (std::size_t c = 0; c < y->size(); ++c)
    for (const Row& row : table.rows) {
      const std::size_t column = (*y)[c];
      if (!row[*x].is_number() || !row[column].is_number()) continue;
      std::vector<std::string> values;
      for (const std::size_t one : *by) values.push_back(text_of_cell(row[one]));
      auto line = std::ranges::find_if(
          lines, [&](const PlottedLine& known) { return known.column == c && known.values == values; });
      if (line == lines.end()) {
        std::string name = name_of(table, row, telling);
        if (name.empty())
          name = table.columns[column];
        else if (y->size() > 1)
          name = table.columns[column] + ", " + name;
        line = lines.insert(line, {std::move(name), c, std::move(values), {}});
      }
      line->points.push_back({row[*x].get<double>(), row[column].get<double>(), interval_behind(table, row, column)});
    }
  for (PlottedLine& line : lines) std::ranges::stable_sort(line.points, {}, &PlottedPoint::x);
  return lines;
}

std::vector<PlottedSpan> plotted_spans(const FigureTable& table) {
  std::vector<PlottedSpan> spans;
  if (!table.plot || table.plot->kind != FigurePlot::Kind::spans || table.plot->y.size() != 3) return spans;
  const auto y = columns_of(table, table.plot->y), by = columns_of(table, table.plot->by);
  if (!y || !by) return spans;
  for (const Row& row : table.rows) {
    const Json &begin = row[(*y)[1]], &end = row[(*y)[2]];
    if (!begin.is_number() || !end.is_number()) continue;
    const auto word = [&](std::size_t which) {
      return which < by->size() ? text_of_cell(row[(*by)[which]]) : std::string();
    };
    spans.push_back({text_of_cell(row[(*y)[0]]), word(0), word(1), begin.get<double>(), end.get<double>()});
  }
  return spans;
}

}  // namespace kvantage::inline report
