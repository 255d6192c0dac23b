#include "core/experiments/figures/figure_times.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/base/folders.h"
#include "core/base/json.h"
#include "core/base/shown_text.h"
#include "core/experiments/paper_figures.h"

namespace kvantage::inline figures {
namespace {

constexpr std::string_view command_start = "kvantage-cli reproduce ";

void add(FigureTimes& times, const std::string& figure, const FigureTime& time) {
  if (!(time.seconds > 0)) return;
  FigureTime& known = times[figure];
  if (known.made <= time.made) known = time;
}

/// Of a file that the window keeps (ui/papers/model/figure_results.cpp writes it): the figure, and its time.
Expected<std::pair<std::string, FigureTime>> kept_time(const std::filesystem::path& file) {
  const std::string name = printable(file.string());
  KV_ASSIGN(const auto json, read_json_file(file));
  KV_ASSIGN(const auto result, json_value(json, "result", name));
  KV_ASSIGN(const auto id, json_field<std::string>(*result, "figure", name));
  KV_ASSIGN(const auto started, json_field<std::string>(json, "started", name));
  KV_ASSIGN(const auto options, json_field<std::vector<Json>>(json, "options", name));
  const std::string figure = current_figure_id(id);
  FigureTime time;
  KV_ASSIGN(time.seconds, json_field<double>(json, "seconds", name));
  time.made = started.substr(0, std::string_view("2026-11-28T17:25").size());
  std::ranges::replace(time.made, 'T', ' ');
  time.command = std::string(command_start) + figure;
  for (const Json& one : options) {
    KV_ASSIGN(const auto option, json_field<std::string>(one, "option", name));
    KV_ASSIGN(const auto value, json_field<std::string>(one, "value", name));
    const std::string present(present_figure_option(option));
    if (value != figure_standard(figure, present)) time.command += " " + present + " '" + value + "'";
  }
  return std::pair(figure, std::move(time));
}

bool needs_model(const std::string& figure) {
  const PaperFigure* known = find_paper_figure(figure);
  return known == nullptr || !known->without_model;
}

}  // namespace

Expected<FigureTimes> times_of_reproduction(const std::filesystem::path& folder) {
  KV_ASSIGN(const auto all, made_figures(folder));
  FigureTimes times;
  for (const MadeFigure& made : all) {
    if (made.results.empty()) continue;
    const FigureTime time{made.seconds, made.begun, made.command};
    add(times, made.name, time);
    for (const FigureResult& result : made.results)
      if (result.figure != made.name) add(times, result.figure, time);
  }
  return times;
}

FigureTimes times_of_kept_results(const std::filesystem::path& folder) {
  FigureTimes times;
  std::error_code ignored;
  for (const std::filesystem::path& file : entries_of(folder, ignored)) {
    if (file.extension() != ".json") continue;
    if (const auto kept = kept_time(file)) add(times, kept->first, kept->second);
  }
  return times;
}

std::string time_text(const std::string& figure, const FigureTimes& times) {
  const auto found = times.find(figure);
  if (found == times.end()) return "not measured yet here";
  const std::string& command = found->second.command;
  const std::string took = "took " + rough_duration(found->second.seconds), own = std::string(command_start) + figure;
  if (command == own) return took;
  if (command.starts_with(own + " ")) return took + " with other options";
  const std::string of_others = command.substr(std::min(command.size(), command_start.size()));
  return took + " with " + of_others.substr(0, of_others.find(' '));
}

std::string rough_duration(double seconds) {
  if (seconds < 1) return "1 s";
  // To ten minutes from an hour on, to a minute below, and to a second below a minute.
  const auto rounded = [](double value, double step) { return std::llround(value / step) * std::llround(step); };
  if (seconds < 59.5) return std::to_string(rounded(seconds, 1)) + " s";
  const long long minutes = seconds < 3570 ? rounded(seconds / 60, 1) : rounded(seconds / 60, 10);
  if (minutes < 60) return std::to_string(minutes) + " min";
  const long long hours = minutes / 60, rest = minutes % 60;
  return std::to_string(hours) + " h" + (rest == 0 ? "" : " " + std::to_string(rest) + " min");
}

std::optional<double> seconds_left(std::span<const MadeFigure> made, std::span<const std::string> left) {
  double seconds = 0, figures = 0;
  for (const MadeFigure& one : made) {
    if (one.results.empty() || !needs_model(one.name)) continue;
    seconds += one.seconds;
    ++figures;
  }
  if (figures == 0) return {};
  return seconds / figures * static_cast<double>(std::ranges::count_if(left, needs_model));
}

}  // namespace kvantage::inline figures
