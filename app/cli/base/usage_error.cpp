#include "app/cli/base/usage_error.h"

#include <algorithm>
#include <vector>

#include "app/cli/base/help_text.h"
#include "app/cli/base/progress_line.h"
#include "core/base/did_you_mean.h"
#include "core/base/json.h"

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

std::string unknown_command(const CLI::App& command, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* one : command.get_subcommands([](const CLI::App*) { return true; }))
    if (!one->get_group().empty()) names.push_back(one->get_name());
  return "unknown command '" + word + "'; " + did_you_mean(word, names);
}

/// "RUN", "RUN FILE"; empty where the command takes options only.
std::string arguments_of(const CLI::App& command) {
  std::string names;
  for (const CLI::Option* option : command.get_options())
    if (option->get_positional() && !option->get_group().empty())
      names += (names.empty() ? "" : " ") + option->get_name(true, false);
  return names;
}

/// A word that no argument of the command takes: what it takes instead, and the option that may be meant.
std::string unexpected_word(const CalledCommand& called, const std::string& word) {
  const std::string taken = arguments_of(*called.command);
  std::string text = "'" + word + "' is not expected: '" + called.path + "' takes " +
                     (taken.empty() ? "options only" : taken + " and options");
  std::vector<std::string> options;
  for (const CLI::Option* option : called.command->get_options())
    if (!option->get_group().empty())
      for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
  // A short word is near too many.
  const std::string near =
      word.size() < 4 ? "" : near_miss("--" + word, std::vector<std::string_view>(options.begin(), options.end()));
  if (!near.empty()) return text + "; did you mean '" + near + "'?";
  // A run goes behind --run where others take it as an argument.
  if (std::ranges::find(options, "--run") != options.end()) return text + "; write '--run " + word + "' to name a run";
  return text + "; leave it out";
}

std::string unknown_option(const CalledCommand& called, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  std::vector<std::string> known;
  for (const CLI::Option* option : called.command->get_options())
    if (!option->get_group().empty())
      for (const std::string& one : option->get_lnames()) known.push_back("--" + one);
  if (std::ranges::find(known, name) != known.end())
    return "'" + name + "' is an option of '" + called.path + "'; write it after that";
  // The last word of a name may be all that is remembered: --theme for --screenshot-theme.
  std::vector<std::string> names = known;
  for (const std::string& one : known)
    if (const std::size_t dash = one.rfind('-'); dash > 1) names.push_back("-" + one.substr(dash));
  const std::string near = near_miss(name, std::vector<std::string_view>(names.begin(), names.end()));
  const std::string text = "'" + name + "' is not an option of '" + called.path + "'";
  if (near.empty()) return text;
  const bool whole = std::ranges::find(known, near) != known.end();
  const auto meant = std::ranges::find_if(
      known, [&](const std::string& one) { return whole ? one == near : one.ends_with(near.substr(1)); });
  return text + "; did you mean '" + *meant + "'?";
}

}  // namespace

std::string usage_error_text(const CLI::App* program, const CLI::Error& error) {
  std::vector<std::string> left;
  const CalledCommand called = called_command(program, left);
  std::string text = error.what();
  if (text.ends_with('.')) text.pop_back();
  const bool has_commands = !called.command->get_subcommands([](const CLI::App*) { return true; }).empty();
  if (error.get_name() == "RequiredError" && has_commands && !left.empty())
    text = left.front().starts_with('-') ? unknown_option(called, left.front())
                                         : unknown_command(*called.command, left.front());
  const auto option = std::ranges::find_if(left, [](const std::string& word) { return word.starts_with('-'); });
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !left.empty())
    text = option != left.end() ? unknown_option(called, *option) : unexpected_word(called, left.front());
  text = one_line(text);
  return error_mark() + text + (text.ends_with('?') ? " try '" : "; try '") + called.path + " --help'\n";
}

}  // namespace kvantage::cli
