#include <algorithm>

#include "core/base/json_fields.h"
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

std::string one_line(const std::string& text) {
  std::string line = valid_utf8(text);
  for (char& letter : line)
    if (static_cast<unsigned char>(letter) < ' ' || letter == 0x7f) letter = ' ';
  return line;
}

}  // namespace

std::string table_text(const Table& table) {
  std::string out;
  std::vector<std::size_t> widths;
  for (const std::string& column : table.columns) widths.push_back(width_of(one_line(column)));
  for (const auto& row : table.rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(one_line(row[i].text)));
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

std::string to_text(const RunReport& report) {
  std::string out = one_line(report.title) + "\n" + one_line(report.claim) + "\n";
  for (const Table& table : tables_of(report)) {
    out += joined({"\n", one_line(table.title)});
    if (!table.note.empty()) out += joined({" (", one_line(table.note), ")"});
    out += "\n" + table_text(table);
  }
  return out + "\n" + mark_legend() + "\n";
}

}  // namespace kvantage::inline formats
