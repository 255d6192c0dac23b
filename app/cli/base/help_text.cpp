#include "app/cli/base/help_text.h"

#include <algorithm>
#include <sstream>

#include "app/cli/base/value_type.h"
#include "core/base/shown_text.h"

namespace kvantage::cli {
namespace {

constexpr std::size_t description_column = 28;

}  // namespace

std::string first_sentence(const std::string& text, std::size_t columns) {
  constexpr std::string_view more = "...";
  std::string first;
  std::size_t open = 0, fits = 0;  // brackets around a place; where to cut if the rest does not fit
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char letter = text[at] == '\n' ? ' ' : text[at];
    if (open == 0) {
      const bool mark = (letter == '.' || letter == ';') && text.substr(at + 1).starts_with(' ');
      if (text[at] == '\n' || (mark && !first.ends_with("e.g"))) break;
      const bool bracket = std::string_view("([{").find(letter) != std::string_view::npos;
      if ((letter == ' ' || (bracket && !first.ends_with(' '))) && at <= columns - more.size()) fits = at;
    }
    if (std::string_view("([{").find(letter) != std::string_view::npos) ++open;
    if (std::string_view(")]}").find(letter) != std::string_view::npos && open > 0) --open;
    first += letter;
  }
  if (first.size() <= columns) return first;
  const bool whole_word = fits == 0 && first.find_first_of("([{") == std::string::npos;
  return first.substr(0, whole_word ? columns - more.size() : fits) + std::string(more);
}

std::string one_line(std::string message) { return shown_line(message); }

namespace {

/// The longest part of a word that fits `room` and ends before "[" or after a comma; the whole word where none does.
std::string_view fitting_part(std::string_view word, std::size_t room) {
  if (word.size() <= room) return word;
  std::size_t best = 0;
  for (std::size_t at = 1; at <= room; ++at)
    if (word[at] == '[' || (word[at - 1] == ',' && (at < 2 || word[at - 2] != '['))) best = at;  // not inside of "[,"
  return best > 0 ? word.substr(0, best) : word;
}

}  // namespace

std::string wrapped(std::string_view text, std::string_view indent, std::size_t columns, std::size_t begin) {
  std::string lines;
  std::size_t column = begin;
  bool at_start = true;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \n", at), text.size());
    const std::string_view word = text.substr(at, end - at);
    if (!at_start && column + 1 + word.size() > columns) {
      lines += '\n' + std::string(indent);
      column = indent.size();
    } else if (!at_start) {
      lines += ' ';
      ++column;
    }
    for (std::string_view rest = word; !rest.empty();) {
      const std::string_view part = fitting_part(rest, columns - std::min(column, columns));
      lines += part;
      column += part.size();
      rest.remove_prefix(part.size());
      if (rest.empty()) break;
      lines += '\n' + std::string(indent);
      column = indent.size();
    }
    at_start = false;
    if (end < text.size() && text[end] == '\n') {
      lines += '\n' + std::string(indent);
      column = indent.size();
      at_start = true;
    }
    at = end + 1;
  }
  return lines;
}

namespace {

constexpr std::string_view more_of_a_name = "      ";  // before the lines of a name that follow its first

/// With as many of "{auto,squad,qmsum}=auto" as fit: "{auto,...}=auto". The whole name where none does.
std::string with_fewer_choices(const std::string& name, std::size_t columns) {
  const std::size_t open = name.find('{'), close = name.rfind('}');
  if (open == std::string::npos || close == std::string::npos || close < open) return name;
  const std::string rest = "..." + name.substr(close);
  if (rest.size() + open >= columns) return name;
  const std::size_t comma = name.rfind(',', columns - rest.size() - 1);
  return comma == std::string::npos || comma < open ? name : name.substr(0, comma + 1) + rest;
}

}  // namespace

std::string HelpText::make_help(const CLI::App* command, std::string name, CLI::AppFormatMode mode) const {
  short_ = false;
  std::string text = Formatter::make_help(command, name, mode);
  const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  if (mode != CLI::AppFormatMode::Normal || lines <= max_lines) return text;
  short_ = true;
  text = Formatter::make_help(command, name, mode);
  short_ = false;
  return text + "Options in full: " + name + " --help-all\n";
}

std::string HelpText::make_description(const CLI::App* command) const {
  return wrapped(command->get_description(), "", columns()) + "\n";
}

std::string HelpText::make_usage(const CLI::App* command, std::string name) const {
  std::string usage = Formatter::make_usage(command, std::move(name));
  while (usage.ends_with('\n')) usage.pop_back();
  return wrapped(usage, "  ", columns()) + "\n";
}

std::string HelpText::row(const std::string& name, const std::string& description) const {
  std::string line = "  " + name;
  if (line.size() > columns())
    line = short_ ? with_fewer_choices(line, columns() - description_column)
                  : "  " + wrapped(name, more_of_a_name, columns(), 2);
  const bool beside = line.size() + 2 <= description_column;
  if (short_ && !beside) {
    // The name counts more than what is said about it.
    line += "  ";
    return line + (line.size() + 12 < columns() ? first_sentence(description, columns() - line.size()) : "") + "\n";
  }
  line = beside ? line + std::string(description_column - line.size(), ' ')
                : line + "\n" + std::string(description_column, ' ');
  if (short_) return line + first_sentence(description, columns() - description_column) + "\n";
  return line + wrapped(description, std::string(description_column, ' '), columns(), description_column) + "\n";
}

std::string HelpText::make_option(const CLI::Option* option, bool is_positional) const {
  return row(make_option_name(option, is_positional) + make_option_opts(option), make_option_desc(option));
}

// The library appends the value that a flag has: "--no-scores{false}".
std::string HelpText::make_option_name(const CLI::Option* option, bool is_positional) const {
  if (is_positional) return option->get_name(true, false);
  std::string names;
  for (const std::string& name : option->get_snames()) names += (names.empty() ? "-" : ",-") + name;
  for (const std::string& name : option->get_lnames()) names += (names.empty() ? "--" : ",--") + name;
  return names;
}

// Without what it needs and excludes: descriptions say it.
std::string HelpText::make_option_opts(const CLI::Option* option) const {
  if (option->get_items_expected_max() == 0) return {};  // a flag
  std::string text = " " + type_text(value_type(*option), option->get_default_str());
  if (option->get_expected_max() == CLI::detail::expected_max_vector_size) text += " ...";
  return option->get_required() ? text + " REQUIRED" : text;
}

std::string HelpText::make_footer(const CLI::App* command) const {
  std::istringstream lines(command->get_footer());
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t inside = std::min(line.find_first_not_of(' '), line.size());
    text += std::string(inside, ' ') +
            wrapped(std::string_view(line).substr(inside), std::string(inside + 2, ' '), columns(), inside) + "\n";
  }
  return text;
}

std::string HelpText::make_expanded(const CLI::App* command) const {
  ++depth_;
  std::string text = Formatter::make_expanded(command);
  --depth_;
  return text;
}

std::string HelpText::make_subcommand(const CLI::App* command) const {
  return row(command->get_display_name(true), command->get_description());
}

}  // namespace kvantage::cli
