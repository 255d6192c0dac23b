// What --help prints: at most 80 columns and, for commands with many options, one line each; --help-all has them whole.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

namespace kvantage::cli {

/// `text` in lines of at most `columns`, of which the first begins at column `begin` and the others with `indent`. A
/// longer word begins a line of its own and is broken before "[" or after a comma.
std::string wrapped(std::string_view text, std::string_view indent, std::size_t columns, std::size_t begin = 0);

/// As much of it as says what a thing is and fits: up to its first sentence or clause, else whole words. Never cut
/// inside brackets.
std::string first_sentence(const std::string& text, std::size_t columns);

/// The message on one line, whatever names and texts it contains.
std::string one_line(std::string message);

/// Formats the help of every command below the one it is given to.
class HelpText final : public CLI::Formatter {
 public:
  static constexpr std::size_t max_columns = 80, max_lines = 40;

  std::string make_help(const CLI::App* command, std::string name, CLI::AppFormatMode mode) const override;
  std::string make_description(const CLI::App* command) const override;
  std::string make_usage(const CLI::App* command, std::string name) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override;
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_footer(const CLI::App* command) const override;
  std::string make_subcommand(const CLI::App* command) const override;
  std::string make_expanded(const CLI::App* command) const override;

 private:
  /// What the library leaves of max_columns when it indents a command below another.
  std::size_t columns() const { return max_columns - 2 * depth_; }
  std::string row(const std::string& name, const std::string& description) const;

  mutable bool short_ = false;     // one line an option
  mutable std::size_t depth_ = 0;  // of expanded commands
};

}  // namespace kvantage::cli
