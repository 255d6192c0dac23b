#include "core/imported/kvpress_results.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "core/base/digest.h"
#include "core/base/files.h"
#include "core/base/folders.h"
#include "core/base/form_text.h"

namespace kvantage::inline imported {
namespace {

namespace fs = std::filesystem;
using Metrics = std::map<std::string, std::map<std::string, double>>;  // by task and metric

std::vector<std::string> parts_of(std::string_view name) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = name.find("__", begin);
    parts.emplace_back(name.substr(begin, end == std::string_view::npos ? end : end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 2;
  }
}

std::optional<double> removed_fraction_of(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole && text.find('.') != std::string::npos && value >= 0 && value <= 1 ? std::optional(value) : std::nullopt;
}

bool is_number_name(const std::string& name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
}

/// The folder's own name, or of a repeated evaluation that of the folder around it.
std::optional<EvaluationName> name_of_evaluation(const fs::path& folder) {
  const std::string own = folder.filename().string();
  return evaluation_name(is_number_name(own) ? folder.parent_path().filename().string() : own);
}

void find_evaluations(const fs::path& folder, int depth, std::vector<fs::path>& found) {
  std::error_code code;
  if (found.size() > max_evaluations) return;
  if (fs::is_regular_file(folder / "metrics.json", code)) found.push_back(folder);
  if (depth == 0) return;
  for (const fs::path& entry : entries_of(folder, code))
    if (fs::symlink_status(entry, code).type() == fs::file_type::directory) find_evaluations(entry, depth - 1, found);
}

/// {task: {metric: number}}, or {metric: number} of one task.
Expected<Metrics> read_metrics(const Json& json, const std::string& name) {
  Metrics metrics;
  const auto refuse = [&](const std::string& where) {
    return fail(ErrorCode::rejected_input, name + ": '" + printable(where) +
                                               "' is neither a number nor numbers by metric; give the file that "
                                               "kvpress' evaluation wrote");
  };
  if (!json.is_object() || json.empty()) return refuse("the file");
  for (const auto& [task, value] : json.items()) {
    if (value.is_number()) {
      metrics[task]["score"] = value.get<double>();
      continue;
    }
    if (!value.is_object()) return refuse(task);
    for (const auto& [metric, number] : value.items()) {
      if (!number.is_number()) return refuse(task + "." + metric);
      metrics[task][metric] = number.get<double>();
    }
  }
  return metrics;
}

/// The one that all tasks are read by; empty: there are several, which `names` has.
std::string common_metric(const Metrics& metrics, const std::string& wanted, std::set<std::string>& names) {
  for (const auto& [task, values] : metrics)
    for (const auto& [metric, value] : values) names.insert(metric);
  if (!wanted.empty()) return names.contains(wanted) ? wanted : std::string();
  return names.size() == 1 ? *names.begin() : std::string();
}

/// ThinK's ratio is of channels, DuoAttention's of heads, and presses of decoding keep a number of tokens.
bool removes_tokens(std::string_view press) {
  return !press.starts_with("decoding_") && !press.starts_with("duo_attention") && press != "think" &&
         press != "snap_think";
}

/// Records of predictions.csv, one for each question: line breaks outside of quotes, without the header.
std::optional<int> questions_in(const fs::path& file) {
  const auto text = read_text_file(file);
  if (!text) return std::nullopt;
  int records = 0;
  bool quoted = false;
  for (const char c : *text) {
    quoted = quoted != (c == '"');
    records += c == '\n' && !quoted;
  }
  if (!text->empty() && text->back() != '\n') ++records;
  return records > 1 ? std::optional(records - 1) : std::nullopt;
}

}  // namespace

std::optional<EvaluationName> evaluation_name(std::string_view folder) {
  const std::vector<std::string> parts = parts_of(folder);
  for (std::size_t at = parts.size(); at-- > 3;) {
    const auto removed_fraction = removed_fraction_of(parts[at]);
    if (!removed_fraction) continue;
    EvaluationName name{
        .dataset = parts[0], .model = parts[at - 2], .press = parts[at - 1], .removed_fraction = *removed_fraction};
    for (std::size_t i = 1; i + 2 < at; ++i)
      if (!parts[i].empty()) name.dataset += "/" + parts[i];
    for (std::size_t i = at + 1; i < parts.size(); ++i) name.dataset += " " + parts[i];
    if (const auto slash = name.model.find("--"); slash != std::string::npos) name.model.replace(slash, 2, "/");
    return name;
  }
  return std::nullopt;
}

std::string method_of_press(std::string_view press) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 6> ours{
      {{"no_press", "none"},
       {"adakv_snapkv", "adakv(snapkv)"},
       {"adasnapkv", "adakv(snapkv)"},
       {"adakv_expected_attention", "adakv(expected_attention)"},
       {"chunkkv", "chunkkv(snapkv)"},
       {"pyramidkv", "pyramid(snapkv)"}}};
  const auto* found = std::ranges::find(ours, press, &std::pair<std::string_view, std::string_view>::first);
  return std::string(found == ours.end() ? press : found->second);
}

Expected<ImportedProfile> read_evaluations(const fs::path& folder, const ForeignOptions& options) {
  std::vector<fs::path> found;
  find_evaluations(folder, max_evaluation_depth, found);
  if (found.empty())
    return fail(ErrorCode::rejected_input, folder.string() +
                                               ": has no metrics.json in it; give a folder of kvpress' "
                                               "evaluation results, or a table");
  if (found.size() > max_evaluations)
    return fail(ErrorCode::rejected_input, folder.string() + ": has more than " + std::to_string(max_evaluations) +
                                               " evaluations; give a folder with fewer");
  std::ranges::sort(found);
  ImportedProfile profile;
  profile.source.kind = "kvpress";
  DigestBuilder digest;
  // What is not compressed is the same under every press: their mean.
  std::map<std::string, std::vector<double>> whole;
  for (const fs::path& evaluation : found) {
    const fs::path file = evaluation / "metrics.json";
    const auto name = name_of_evaluation(evaluation);
    if (!name)
      return fail(ErrorCode::rejected_input, evaluation.string() + ": its name is not DATASET__MODEL__PRESS__RATIO; " +
                                                 "give folders named as kvpress' evaluation names them");
    KV_ASSIGN(const auto text, read_text_file(file, max_table_bytes));
    digest.add(evaluation.lexically_relative(folder).string()).add(text);
    KV_ASSIGN(const auto json, parse_json(text, file.string()));
    KV_ASSIGN(const auto metrics, read_metrics(json, file.string()));
    std::set<std::string> names;
    const std::string metric = common_metric(metrics, options.metric, names);
    if (metric.empty()) {
      std::string list;
      for (const std::string& one : names) list += (list.empty() ? "" : ", ") + printable(one);
      return fail(ErrorCode::rejected_input,
                  file.string() + (options.metric.empty() ? ": has several metrics" : ": has not that metric") +
                      "; choose one with --metric: " + list);
    }
    if (!profile.model.empty() && profile.model != name->model)
      return fail(ErrorCode::rejected_input, folder.string() + ": has evaluations of " + printable(profile.model) +
                                                 " and of " + printable(name->model) + "; give those of one model");
    profile.model = name->model;
    if (!removes_tokens(name->press))
      return fail(ErrorCode::rejected_input, evaluation.string() + ": the ratio of " + printable(name->press) +
                                                 " is no share of a context's tokens; leave this folder out");
    const std::string method = method_of_press(name->press);
    const bool compressed = name->removed_fraction > 0 && method != "none";
    const auto add = [&](const std::string& dataset, double quality, std::optional<int> n) {
      if (compressed)
        profile.points.push_back({.dataset = dataset,
                                  .method = method,
                                  .removed_fraction = name->removed_fraction,
                                  .quality = quality,
                                  .n = n});
      else
        whole[dataset].push_back(quality);
    };
    double sum = 0;
    std::size_t tasks = 0;
    for (const auto& [task, values] : metrics) {
      const auto value = values.find(metric);
      if (value == values.end()) continue;
      sum += value->second;
      ++tasks;
      if (metrics.size() > 1) add(name->dataset + "/" + task, value->second, std::nullopt);
    }
    add(name->dataset, sum / static_cast<double>(tasks), questions_in(evaluation / "predictions.csv"));
  }
  for (const auto& [dataset, qualities] : whole) {
    double sum = 0;
    for (const double quality : qualities) sum += quality;
    profile.points.push_back({.dataset = dataset, .quality = sum / static_cast<double>(qualities.size())});
  }
  profile.source.digest = digest.finish().hex();
  return profile;
}

}  // namespace kvantage::inline imported
