#include "core/experiments/figures/result_markdown.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "core/text/unicode.h"

namespace kvantage::inline figures {
namespace {

/// A letter that Markdown would read is taken as it is.
std::string plain_markdown(const std::string& text, std::string_view marks) {
  std::string plain;
  plain.reserve(text.size());
  for (const char letter : text) {
    if (marks.find(letter) != std::string_view::npos) plain += '\\';
    plain += letter == '\n' ? ' ' : letter;
  }
  return plain;
}

std::string markdown_row(const std::vector<std::string>& cells) {
  std::string row = "|";
  for (const std::string& cell : cells) row += " " + page_cell(cell) + " |";
  return row + "\n";
}

/// Columns of numbers to the right, as in the text of a result.
std::string alignment_row(const FigureTable& table) {
  std::string row = "|";
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const bool words =
        std::ranges::any_of(table.rows, [c](const auto& one) { return c < one.size() && one[c].is_string(); });
    row += words ? "---|" : "--:|";
  }
  return row + "\n";
}

/// Empty: it does not fit.
std::string fitting_table(const FigureTable& table) {
  if (table.rows.empty() || table.rows.size() > max_page_rows || table.columns.empty() ||
      table.columns.size() > max_page_columns)
    return {};
  std::string text = markdown_row(table.columns);
  if (character_count(text) > page_width + 1) return {};
  text += alignment_row(table);
  for (const auto& row : table.rows) {
    if (row.size() != table.columns.size()) return {};
    std::vector<std::string> cells;
    cells.reserve(row.size());
    for (const Json& cell : row) cells.push_back(figure_cell_text(cell));
    const std::string line = markdown_row(cells);
    if (character_count(line) > page_width + 1) return {};
    text += line;
  }
  return text;
}

}  // namespace

std::string page_cell(const std::string& text) { return plain_markdown(text, "|*<`"); }

std::string first_words(const std::string& sentence, std::size_t most) {
  const std::string text = sentence.ends_with('.') ? sentence.substr(0, sentence.size() - 1) : sentence;
  if (character_count(text) <= most) return text;
  std::size_t words = 0, clause = 0;  // ends of what fits, before the space behind it
  for (std::size_t at = text.find(' '); at != std::string::npos; at = text.find(' ', at + 1)) {
    const std::size_t end = text.find_last_not_of(",;:", at - 1) + 1;
    if (character_count(text.substr(0, end)) + 2 > most) break;
    words = end;
    if (end < at || text.substr(at + 1).starts_with('(')) clause = end;
  }
  // A clause of a few words says less than half a sentence.
  const std::size_t end = 2 * character_count(text.substr(0, clause)) >= most ? clause : words;
  return end == 0 ? text : text.substr(0, end) + " …";
}

std::string page_anchor(const std::string& heading) {
  std::string anchor;
  anchor.reserve(heading.size());
  for (const char letter : heading) {
    if (letter == ' ') {
      anchor += '-';
    } else if (letter >= 'A' && letter <= 'Z') {
      anchor += static_cast<char>(letter - 'A' + 'a');
    } else if ((letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '-' || letter == '_') {
      anchor += letter;
    }
  }
  return anchor;
}

std::string wrapped_page_text(const std::string& text, const std::string& indent) {
  std::string lines, line;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    at = end + 1;
    if (!line.empty() && character_count(line) + 1 + character_count(word) > page_width) {
      lines += line + "\n";
      line = indent + word;
    } else {
      line += (line.empty() ? "" : " ") + word;
    }
  }
  return lines + line + "\n";
}

std::string place_of_figure(const std::string& figure) {
  return figure.find('/') == std::string::npos ? "other/" + figure : figure;
}

std::string picture_of_table(const std::string& place, std::size_t table) {
  return place + "-" + std::to_string(table + 1) + ".svg";
}

std::string result_markdown(const FigureResult& result,
                            const std::function<bool(const std::string& file)>& has_picture) {
  const std::string place = place_of_figure(result.figure), csv = place.substr(place.rfind('/') + 1) + ".csv";
  std::string text;
  const auto add_paragraph = [&text](std::initializer_list<std::string_view> parts) {
    std::string words;
    for (const std::string_view part : parts) words += part;
    text.append("\n").append(wrapped_page_text(words));
  };
  for (std::size_t t = 0; t < result.tables.size(); ++t) {
    const FigureTable& table = result.tables[t];
    const std::string title = plain_markdown(table.title, "*<`[]");
    if (const std::string picture = picture_of_table(place, t); has_picture(picture))
      add_paragraph({"![", title, "](", picture, ")"});
    const std::string rows = fitting_table(table);
    if (!rows.empty()) {
      add_paragraph({title, ":"});
      text.append("\n").append(rows);
    } else {
      add_paragraph({title, ": ", std::to_string(table.rows.size()), table.rows.size() == 1 ? " row: [" : " rows: [",
                     csv, "](", place, ".csv)"});
    }
  }
  return text;
}

}  // namespace kvantage::inline figures
