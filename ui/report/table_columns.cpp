#include "ui/report/table_columns.h"

#include <algorithm>
#include <numeric>

namespace kvantage::inline report_pages {
namespace {

constexpr int largest = 75, smallest = 60, step = 5;  // sizes of its text, in units
constexpr double narrowest_text = 600;                // a column of wrapped text has at least that

double sum_of(const std::vector<double>& widths, const TextLook& look) {
  return std::accumulate(widths.begin(), widths.end(), column_gap(look) * static_cast<double>(widths.size() - 1));
}

TextLook bold(TextLook look) {
  look.bold = true;
  return look;
}

enum class Heads { whole, wrapped, broken };  // on one line, at spaces, within words

/// Widths at which no cell is wrapped.
std::vector<double> widths_at(const Table& table, const std::vector<std::size_t>& shown, const TextLook& look,
                              Heads heads) {
  std::vector<double> widths;
  for (const std::size_t column : shown) {
    const QString head = page_line(table.columns[column]);
    double width = heads == Heads::whole ? text_width(head, bold(look)) : widest_word(head, bold(look));
    if (heads == Heads::broken) width = std::min(width, narrowest_text);
    for (const std::vector<Cell>& row : table.rows)
      if (column < row.size()) width = std::max(width, text_width(page_line(row[column].text), look));
    widths.push_back(width + 1);  // a tenth of a point: rounding breaks no line
  }
  return widths;
}

/// Takes what is too much from the widest columns of text; false where they have less to give.
bool narrow_texts(const Table& table, const std::vector<std::size_t>& shown, std::vector<double>& widths,
                  double too_much) {
  while (too_much > 0.5) {
    std::size_t widest = shown.size();
    double next = narrowest_text;
    for (std::size_t i = 0; i < shown.size(); ++i) {
      if (!is_text_column(table, shown[i]) || widths[i] <= narrowest_text) continue;
      if (widest == shown.size() || widths[i] > widths[widest]) {
        if (widest < shown.size()) next = std::max(next, widths[widest]);
        widest = i;
      } else {
        next = std::max(next, widths[i]);
      }
    }
    if (widest == shown.size()) return false;
    const double less = std::min(too_much, std::max(widths[widest] - next, 10.0));
    widths[widest] -= less;
    too_much -= less;
  }
  return true;
}

}  // namespace

double column_gap(const TextLook& look) { return look.size * 0.9; }

bool is_text_column(const Table& table, std::size_t column) {
  return std::ranges::any_of(table.rows, [&](const std::vector<Cell>& row) {
    return column < row.size() && row[column].left && row[column].text != "-";
  });
}

ColumnFit fit_columns(const Table& table, const std::vector<std::size_t>& shown, double width) {
  ColumnFit fit;
  for (const Heads heads : {Heads::whole, Heads::wrapped, Heads::broken})
    for (int size = largest; size >= smallest; size -= step) {
      fit.look.size = size;
      fit.widths = widths_at(table, shown, fit.look, heads);
      fit.fits = sum_of(fit.widths, fit.look) <= width;
      if (fit.fits) return fit;
    }
  fit.fits = narrow_texts(table, shown, fit.widths, sum_of(fit.widths, fit.look) - width);
  return fit;
}

std::vector<std::vector<std::size_t>> column_parts(const Table& table, double width) {
  const std::size_t count = table.columns.size();
  std::vector<std::size_t> all(count);
  std::iota(all.begin(), all.end(), std::size_t{0});
  if (count <= 2 || fit_columns(table, all, width).fits) return {all};
  std::vector<std::vector<std::size_t>> parts;
  for (std::size_t begin = 1; begin < count;) {
    std::vector<std::size_t> part{0};
    for (std::size_t next = begin; next < count;) {
      std::vector<std::size_t> more = part;
      do more.push_back(next++);
      while (next < count && table.columns[next].find("interval") != std::string::npos);
      if (part.size() > 1 && !fit_columns(table, more, width).fits) break;
      part = std::move(more);
      begin = next;
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace kvantage::inline report_pages
