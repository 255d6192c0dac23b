#include "core/report/window_command.h"

#include <algorithm>
#include <cctype>

namespace kvantage::inline report {

std::string shell_word(const std::string& text) {
  constexpr std::string_view plain = "_./:=@%+,-";
  const bool as_it_is = !text.empty() && std::ranges::all_of(text, [&](unsigned char c) {
    return std::isalnum(c) != 0 || plain.find(static_cast<char>(c)) != plain.npos;
  });
  if (as_it_is) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string command_from_record(const std::string& run_id, const std::string& database) {
  std::string command = "kvantage-cli run --from " + shell_word(run_id);
  if (!database.empty()) command += " --db " + shell_word(database);
  return command;
}

void name_repeating_command(RunSummary& summary, const std::string& database) {
  const Json::json_pointer place("/environment/command");
  if (!summary.settings.is_object() || !summary.settings.contains(place)) return;
  Json& command = summary.settings.at(place);
  if (command.is_string() && command.get<std::string>() == "kvantage")
    command = command_from_record(summary.run_id, database);
}

}  // namespace kvantage::inline report
