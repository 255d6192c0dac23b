#include <algorithm>
#include <numeric>
#include <string_view>
#include <vector>

#include "core/base/shown_text.h"
#include "core/report/formats/report_formats.h"
#include "core/report/markup.h"
#include "core/report/table.h"

namespace kvantage::inline formats {
namespace {

// Width in letters, not bytes.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char letter) { return (static_cast<unsigned char>(letter) & 0xc0) != 0x80; }));
}

std::string one_line(const std::string& text) { return shown_line(text); }

std::string table_lines(const Table& table, const std::vector<std::size_t>& widths) {
  std::string out;
  const auto append_line = [&](std::size_t count, const auto& text_at, const auto& left_at) {
    std::string line;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string text = one_line(text_at(i));
      const std::string room(widths[i] - std::min(widths[i], width_of(text)), ' ');
      line += joined({"  ", left_at(i) ? text : room, left_at(i) ? room : text});
    }
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  };
  const auto left = [&](std::size_t i) { return table.rows.front()[i].left; };
  append_line(
      table.columns.size(), [&](std::size_t i) { return table.columns[i]; }, left);
  for (const auto& row : table.rows)
    append_line(
        row.size(), [&](std::size_t i) { return row[i].text; }, left);
  return out;
}

/// Pieces of at most `width` letters: each as long as it can be and end after a space, or where that would leave half
/// of the line empty, after a mark of a policy's text form.
std::vector<std::string> pieces_of(std::string text, std::size_t width) {
  std::vector<std::string> pieces;
  while (width_of(text) > width) {
    std::size_t end = 0, letters = 0, cut = 0, space = 0;
    for (; end < text.size() && letters < width; ++letters) {
      do ++end;
      while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80);
      if (std::string_view(" ,+(").find(text[end - 1]) != std::string_view::npos) cut = end;
      if (text[end - 1] == ' ' && 2 * (letters + 1) > width) space = end;
    }
    if (space > 0) cut = space;
    if (cut == 0) cut = end;
    pieces.push_back(text.substr(0, cut));
    text.erase(0, cut);
  }
  pieces.push_back(text);
  return pieces;
}

/// Further pieces of a cell are rows below it whose other cells are empty.
Table with_wrapped_column(const Table& table, std::size_t column, std::size_t width) {
  Table wrapped = table;
  wrapped.rows.clear();
  for (const std::vector<Cell>& row : table.rows) {
    const std::vector<std::string> pieces = pieces_of(one_line(row[column].text), width);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      std::vector<Cell>& line = wrapped.rows.emplace_back(row);
      for (Cell& cell : line)
        if (i > 0) cell.text.clear();
      line[column].text = pieces[i];
    }
  }
  return wrapped;
}

}  // namespace

std::string table_text(const Table& table, std::size_t max_columns) {
  std::vector<std::size_t> widths;
  for (const std::string& column : table.columns) widths.push_back(width_of(one_line(column)));
  for (const auto& row : table.rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(one_line(row[i].text)));
  const std::size_t whole = std::accumulate(widths.begin(), widths.end(), 2 * widths.size());
  if (max_columns == 0 || whole <= max_columns || table.rows.empty()) return table_lines(table, widths);
  std::size_t widest = 0;
  for (std::size_t i = 0; i < widths.size(); ++i)
    if (table.rows.front()[i].left && (i == 0 || widths[i] > widths[widest])) widest = i;
  constexpr std::size_t narrowest = 12;
  const std::size_t left = widths[widest] - std::min(widths[widest], whole - max_columns);
  widths[widest] = std::max({left, narrowest, width_of(one_line(table.columns[widest]))});
  return table_lines(with_wrapped_column(table, widest, widths[widest]), widths);
}

std::string to_text(const RunReport& report) {
  std::string out = one_line(report.title) + "\n" + one_line(report.claim) + "\n";
  for (const std::string& note : report.notes) out += one_line(note) + "\n";
  for (const Table& table : tables_of(report)) {
    out += joined({"\n", one_line(table.title)});
    if (!table.note.empty()) out += joined({" (", one_line(table.note), ")"});
    out += "\n" + table_text(table);
  }
  return out + "\n" + mark_legend() + "\n";
}

}  // namespace kvantage::inline formats
