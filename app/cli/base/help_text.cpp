#include "app/cli/base/help_text.h"

#include <algorithm>
#include <sstream>

namespace kvantage::cli {
namespace {

constexpr std::size_t description_column = 28;

}  // namespace

std::string first_sentence(const std::string& text, std::size_t columns) {
  std::string first = text.substr(0, std::min(text.find('\n'), text.size()));
  for (std::size_t at = 0; (at = first.find_first_of(".;", at)) != std::string::npos; ++at)
    if (first.substr(at + 1).starts_with(' ') && !first.substr(0, at).ends_with("e.g")) first.resize(at);
  if (first.size() <= columns) return first;
  constexpr std::string_view more = "...";
  const std::size_t space = first.rfind(' ', columns - more.size());
  return first.substr(0, space == std::string::npos ? columns - more.size() : space) + std::string(more);
}

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
    lines += word;
    column += word.size();
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
  return wrapped(command->get_description(), "", max_columns) + "\n";
}

std::string HelpText::make_usage(const CLI::App* command, std::string name) const {
  std::string usage = Formatter::make_usage(command, std::move(name));
  while (usage.ends_with('\n')) usage.pop_back();
  return wrapped(usage, "  ", max_columns) + "\n";
}

std::string HelpText::row(const std::string& name, const std::string& description) const {
  std::string line = "  " + name;
  const bool beside = line.size() + 2 <= description_column;
  if (short_ && !beside) {
    // The name counts more than what is said about it.
    line += "  ";
    return line + (line.size() + 12 < max_columns ? first_sentence(description, max_columns - line.size()) : "") + "\n";
  }
  line = beside ? line + std::string(description_column - line.size(), ' ')
                : line + "\n" + std::string(description_column, ' ');
  if (short_) return line + first_sentence(description, max_columns - description_column) + "\n";
  return line + wrapped(description, std::string(description_column, ' '), max_columns, description_column) + "\n";
}

std::string HelpText::make_option(const CLI::Option* option, bool is_positional) const {
  return row(make_option_name(option, is_positional) + make_option_opts(option), make_option_desc(option));
}

// The library appends what values are checked for: "INT:INT in [1 - 64]".
std::string HelpText::make_option_opts(const CLI::Option* option) const {
  std::string text = Formatter::make_option_opts(option);
  const std::size_t check = text.find(':');
  if (check == std::string::npos || check + 1 >= text.size() || check > text.find('=')) return text;
  if (text[check + 1] == '{') return text.substr(0, text.find(' ') + 1) + text.substr(check + 1);
  const std::size_t end = text.find('=', check);
  const std::size_t range = text.find("in [", check);
  std::string value = text.substr(0, check);
  if (range != std::string::npos) value += " " + text.substr(range + 3, text.find(']', range) - range - 2);
  return value + (end == std::string::npos ? "" : text.substr(end));
}

std::string HelpText::make_footer(const CLI::App* command) const {
  std::istringstream lines(command->get_footer());
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t inside = std::min(line.find_first_not_of(' '), line.size());
    text += std::string(inside, ' ') +
            wrapped(std::string_view(line).substr(inside), std::string(inside + 2, ' '), max_columns, inside) + "\n";
  }
  return text;
}

std::string HelpText::make_subcommand(const CLI::App* command) const {
  return row(command->get_display_name(true), command->get_description());
}

}  // namespace kvantage::cli
