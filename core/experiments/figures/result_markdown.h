// Pictures and tables of a result as Markdown, for the pages of a reproduction.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "core/report/figure.h"

namespace kvantage::inline figures {

/// Lines of the pages, in characters.
inline constexpr std::size_t page_width = 120;
/// A table beyond any of these, or with a row wider than page_width, is named with its CSV instead.
inline constexpr std::size_t max_page_rows = 12, max_page_columns = 8;

/// Where a reproduction keeps a figure's files: a path relative to its folder, without an ending ("evicpress/fig8").
std::string place_of_figure(const std::string& figure);

/// The picture of a table of the figure whose files are at `place`: "evicpress/fig8-1.svg".
std::string picture_of_table(const std::string& place, std::size_t table);

/// Each table in turn: its picture where `has_picture` finds the file that picture_of_table() names, then its rows with
/// numbers of three digits, or how many rows its CSV has. Empty for a result without tables; else it begins with an
/// empty line.
std::string result_markdown(const FigureResult& result,
                            const std::function<bool(const std::string& file)>& has_picture);

/// Letters that Markdown would read in a cell of a table are taken as they are.
std::string page_cell(const std::string& text);

/// A sentence without its period, of at most `most` characters: of a longer one its first words, where possible to the
/// end of a clause, and " …".
std::string first_words(const std::string& sentence, std::size_t most);

/// What a link to a heading has behind its #, as GitHub makes it: "Command of kvpr/fig7" is "command-of-kvprfig7".
std::string page_anchor(const std::string& heading);

/// Words in lines of at most page_width, all but the first behind `indent`; ends with a newline.
std::string wrapped_page_text(const std::string& text, const std::string& indent = {});

}  // namespace kvantage::inline figures
