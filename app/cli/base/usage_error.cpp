#include "app/cli/base/usage_error.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "app/cli/base/help_text.h"
#include "app/cli/base/parse_error_text.h"
#include "app/cli/base/progress_line.h"
#include "core/base/did_you_mean.h"
#include "core/base/json.h"
#include "core/base/last_line.h"
#include "core/base/shown_text.h"

namespace kvantage::cli {
namespace {

struct CalledCommand {
  const CLI::App* command = nullptr;
  std::string path;  // with its parents' names
};

/// `left`: words that no command took, of the last one that has any.
CalledCommand called_command(const CLI::App* program, std::vector<std::string>& left) {
  CalledCommand called{program, program->get_name()};
  left = program->remaining();
  while (!called.command->get_subcommands().empty()) {
    called.command = called.command->get_subcommands().front();
    called.path += " " + called.command->get_name();
    if (std::vector<std::string> own = called.command->remaining(); !own.empty()) left = std::move(own);
  }
  return called;
}

std::string near_name(std::string_view word, const std::vector<std::string>& known) {
  return near_miss(word, std::vector<std::string_view>(known.begin(), known.end()));
}

std::vector<std::string> commands_below(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* one : command.get_subcommands([](const CLI::App*) { return true; }))
    if (!one->get_group().empty()) names.push_back(one->get_name());
  return names;
}

/// Without their dashes, as these would make all of them near each other.
std::vector<std::string> names_of_options(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    if (!option->get_group().empty())
      for (const std::string& name : option->get_lnames()) names.push_back(name);
  return names;
}

/// Other programs call an option so.
std::string other_name(const std::string& name, const std::vector<std::string>& known) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> names{
      {{"requests", "limit"}, {"num-requests", "limit"}, {"num-prompts", "limit"}}};
  for (const auto& [other, own] : names)
    if (name == other && std::ranges::find(known, own) != known.end()) return std::string(own);
  return {};
}

/// A word that no argument of the command takes: what it takes instead, and the option that may be meant.
std::string unexpected_word(const CalledCommand& called, const std::string& word, const NamesOf& names_of) {
  const std::string taken = arguments_of(*called.command);
  std::string text = "'" + word + "' is not expected: '" + called.path + "' takes " +
                     (taken.empty() ? "options only" : taken + " and options");
  // A short word is near too many.
  const std::string near = word.size() < 4 ? "" : near_name(word, names_of_options(*called.command));
  if (!near.empty()) return text + "; did you mean '--" + near + "'?";
  const NamedThings things = names_of ? names_of(called.path.substr(called.path.find(' ') + 1)) : NamedThings{};
  const bool is_known = std::ranges::find(things.names, word) != things.names.end();
  const std::string name = is_known ? word : near_name(word, things.names);
  if (name.empty() || (is_known && things.option.empty())) return text + "; leave it out";
  return text + "; did you mean '" + things.option + name + "'?";
}

std::string unknown_option(const CalledCommand& called, const std::string& word) {
  const std::string shown = word.substr(0, word.find('='));
  const std::string name = shown.substr(std::min(shown.find_first_not_of('-'), shown.size()));
  const std::vector<std::string> known = names_of_options(*called.command);
  if (shown.starts_with("--") && std::ranges::find(known, name) != known.end())
    return "'" + shown + "' is an option of '" + called.path + "'; write it after that";
  // The last word of a name may be all that is remembered: --theme for --screenshot-theme.
  std::vector<std::string> names = known;
  for (const std::string& one : known)
    if (const std::size_t dash = one.rfind('-'); dash != std::string::npos) names.push_back(one.substr(dash + 1));
  const std::string near = near_name(name, names);
  const std::string text = "'" + shown + "' is not an option of '" + called.path + "'";
  if (!near.empty()) {
    const bool whole = std::ranges::find(known, near) != known.end();
    const auto meant = std::ranges::find_if(
        known, [&](const std::string& one) { return whole ? one == near : one.ends_with("-" + near); });
    return text + "; did you mean '--" + *meant + "'?";
  }
  if (const std::string own = other_name(name, known); !own.empty()) return text + "; did you mean '--" + own + "'?";
  constexpr std::size_t max_listed = 8;  // a longer list is what --help is for
  std::string others;
  for (const std::string& one : known)
    if (!one.starts_with("help")) others += (others.empty() ? "--" : ", --") + one;
  return others.empty() || known.size() > max_listed ? text : text + "; it has " + others;
}

}  // namespace

std::string usage_error_text(const CLI::App* program, const CLI::Error& error, const NamesOf& names_of) {
  std::vector<std::string> left;
  const CalledCommand called = called_command(program, left);
  std::string text = parse_error_text(*called.command, called.path, error);
  const std::vector<std::string> commands = commands_below(*called.command);
  if (error.get_name() == "RequiredError" && !commands.empty() && !left.empty())
    text = left.front().starts_with('-')
               ? unknown_option(called, left.front())
               : "unknown command '" + left.front() + "'; " + did_you_mean(left.front(), commands);
  else if (error.get_name() == "RequiredError" && !commands.empty())
    text = "a subcommand is missing; " + did_you_mean("", commands);
  const auto option = std::ranges::find_if(left, [](const std::string& word) { return word.starts_with('-'); });
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !left.empty())
    text = option != left.end() ? unknown_option(called, *option) : unexpected_word(called, left.front(), names_of);
  const std::string advice = (text.ends_with('?') ? " try '" : "; try '") + called.path + " --help'";
  const std::size_t taken = error_prefix.size() + std::min(advice.size(), max_message_characters / 2);
  return error_mark() + message_line(text, max_message_characters - taken) + advice + "\n";
}

}  // namespace kvantage::cli
