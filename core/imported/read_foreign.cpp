#include "core/imported/read_foreign.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/base/digest.h"
#include "core/base/files.h"
#include "core/base/folders.h"
#include "core/imported/kvpress_results.h"

namespace kvantage::inline imported {
namespace {

namespace fs = std::filesystem;

const WantedColumn* wanted_column(const std::vector<WantedColumn>& wanted, std::string_view key) {
  return &*std::ranges::find(wanted, key, &WantedColumn::key);
}

/// All that is missing at once.
Status check_complete(const TextTable& table, const std::vector<WantedColumn>& wanted, const ForeignOptions& options,
                      const std::string& name) {
  std::string missing, keys, given;
  const auto lacks = [&](const std::string& what, const std::string& key, const std::string& option) {
    missing += (missing.empty() ? "" : ", ") + what;
    keys += (keys.empty() ? "" : ",") + key + "=COLUMN";
    if (!option.empty()) given += (given.empty() ? "" : " and ") + option;
  };
  if (!wanted_column(wanted, "method")->column && options.method.empty()) lacks("method", "method", "--method");
  if (!wanted_column(wanted, "removed")->column && !wanted_column(wanted, "kept")->column && !options.removed_fraction)
    lacks("removed or kept", "removed", "--removed");
  if (!wanted_column(wanted, "quality")->column) lacks("quality", "quality", "");
  if (missing.empty()) return {};
  return fail(ErrorCode::rejected_input, name + ": lacks " + missing + "; its columns are " +
                                             column_list(table.columns) + "; name them with --map " + keys +
                                             (given.empty() ? "" : ", or give " + given + " for all rows"));
}

Expected<ImportedPoint> point_of(const TextTable& table, std::size_t row, const std::vector<WantedColumn>& wanted,
                                 const ForeignOptions& options, const std::string& stem) {
  const auto& fields = table.rows[row];
  const auto column = [&](std::string_view key) { return wanted_column(wanted, key)->column; };
  const auto written = [&](std::string_view key) { return column(key) && !fields[*column(key)].empty(); };
  ImportedPoint point;
  point.dataset = !options.dataset.empty() ? options.dataset : column("dataset") ? fields[*column("dataset")] : stem;
  if (point.dataset.empty()) point.dataset = stem;
  point.method = method_of_press(column("method") ? fields[*column("method")] : options.method);
  if (column("removed")) {
    KV_ASSIGN(point.removed_fraction, number_of(table, row, *column("removed")));
  } else if (column("kept")) {
    KV_ASSIGN(const double kept, number_of(table, row, *column("kept")));
    point.removed_fraction = std::round((1 - kept) * 1e9) / 1e9;  // 1 - 0.9 is not 0.1
  } else {
    point.removed_fraction = *options.removed_fraction;
  }
  KV_ASSIGN(point.quality, number_of(table, row, *column("quality")));
  if (written("quality_low")) {
    KV_ASSIGN(point.quality_low, number_of(table, row, *column("quality_low")));
  }
  if (written("quality_high")) {
    KV_ASSIGN(point.quality_high, number_of(table, row, *column("quality_high")));
  }
  if (written("kept_bytes")) {
    KV_ASSIGN(point.kept_bytes, number_of(table, row, *column("kept_bytes")));
  }
  if (written("n")) {
    KV_ASSIGN(const double n, number_of(table, row, *column("n")));
    if (n != std::floor(n) || n < 1 || n > 1e9)
      return fail(ErrorCode::rejected_input, table.where[row] + ": n is not a whole number from 1; correct it");
    point.n = static_cast<int>(n);
  }
  return point;
}

/// A press that removes nothing is `none`: one with rows that do remove, so that a codec stays what it is. What is not
/// compressed is the same under every press, so rows of a data set become their mean.
void join_uncompressed(std::vector<ImportedPoint>& points) {
  std::set<std::string> presses;
  for (const ImportedPoint& point : points)
    if (point.removed_fraction > 0 && point.method.find('+') == std::string::npos) presses.insert(point.method);
  const auto is_press = [&](const ImportedPoint& point) {
    return point.removed_fraction == 0 && point.method != "none" && !point.kept_bytes && presses.contains(point.method);
  };
  std::map<std::string, std::vector<ImportedPoint>> whole;
  for (const ImportedPoint& point : points)
    if (is_press(point)) whole[point.dataset];
  std::erase_if(points, [&](const ImportedPoint& point) {
    const auto of = whole.find(point.dataset);
    const bool joins = of != whole.end() && point.removed_fraction == 0 && (point.method == "none" || is_press(point));
    if (joins) of->second.push_back(point);
    return joins;
  });
  for (auto& [dataset, rows] : whole) {
    ImportedPoint& mean = rows.front();
    double sum = 0, kept_sum = 0;
    std::size_t kept_rows = 0;
    for (const ImportedPoint& row : rows) {
      sum += row.quality;
      kept_sum += row.kept_bytes.value_or(0);
      kept_rows += row.kept_bytes ? 1 : 0;
      if (row.n != mean.n) mean.n.reset();
    }
    if (kept_rows > 0) mean.kept_bytes = kept_sum / static_cast<double>(kept_rows);
    if (rows.size() > 1) mean.quality_low = mean.quality_high = std::nullopt;
    mean.method = "none";
    mean.quality = sum / static_cast<double>(rows.size());
    points.push_back(std::move(mean));
  }
}

Expected<ImportedProfile> profile_of_table(const TextTable& table, const ForeignOptions& options,
                                           const std::string& name) {
  std::vector<WantedColumn> wanted = profile_columns();
  KV_TRY(find_columns(table, options.columns, wanted, name));
  KV_TRY(check_complete(table, wanted, options, name));
  if (table.rows.size() > max_imported_points)
    return fail(ErrorCode::rejected_input, name + ": has more than " + std::to_string(max_imported_points) +
                                               " rows; give fewer data sets at a time");
  ImportedProfile profile;
  profile.source.kind = "table";
  profile.points.reserve(table.rows.size());
  std::set<std::string> models;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    KV_ASSIGN(auto point, point_of(table, row, wanted, options, fs::path(name).stem().string()));
    profile.points.push_back(std::move(point));
    if (const auto model = wanted_column(wanted, "model")->column) models.insert(table.rows[row][*model]);
  }
  if (models.size() > 1 && options.model.empty())
    return fail(ErrorCode::rejected_input,
                name + ": has rows of " + std::to_string(models.size()) +
                    " models; give those of one, or say with --model that they belong together");
  if (models.size() == 1) profile.model = *models.begin();
  join_uncompressed(profile.points);
  return profile;
}

/// {data set: score}, or of LongBench-E {data set: {length: score}}; from 0 to 100.
bool is_longbench(const Json& json) {
  const auto is_score = [](const Json& value) {
    return value.is_number() || (value.is_object() && !value.empty() &&
                                 std::ranges::all_of(value, [](const Json& one) { return one.is_number(); }));
  };
  return json.is_object() && !json.empty() && std::ranges::all_of(json, is_score);
}

/// The LongBench result that a text is; nothing for any other text, such as JSON lines.
std::optional<Json> longbench_of(const std::string& text, const std::string& name) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos || text[first] != '{') return std::nullopt;
  auto parsed = parse_json(text, name);
  return parsed && is_longbench(*parsed) ? std::optional(std::move(*parsed)) : std::nullopt;
}

Expected<ImportedProfile> profile_of_longbench(const Json& json, const ForeignOptions& options, const fs::path& path) {
  std::string missing;
  if (options.method.empty()) missing = "the method (--method)";
  if (!options.removed_fraction)
    missing += (missing.empty() ? "" : " and ") + std::string("the removed fraction (--removed)");
  if (!missing.empty())
    return fail(ErrorCode::rejected_input, path.string() + ": has scores by data set, but not " + missing +
                                               "; give what these answers were made with, --method none --removed 0 "
                                               "where nothing was compressed");
  ImportedProfile profile;
  profile.source.kind = "longbench";
  profile.model = absolute_or_given(path).parent_path().filename().string();
  const auto add = [&](const std::string& dataset, double score) {
    profile.points.push_back({.dataset = dataset,
                              .method = method_of_press(options.method),
                              .removed_fraction = *options.removed_fraction,
                              .quality = score});
  };
  for (const auto& [dataset, value] : json.items()) {
    if (value.is_number()) {
      add(dataset, value.get<double>());
      continue;
    }
    for (const auto& [length, score] : value.items()) add(dataset + "/" + length, score.get<double>());
  }
  return profile;
}

/// 0..100 to 0..1, all values alike.
Status bring_to_scale(ImportedProfile& profile, double scale, const std::string& name) {
  constexpr double percent = 100;
  if (scale == 0) {
    scale = profile.source.kind == "longbench" ? percent : 1;
    for (const ImportedPoint& point : profile.points)
      if (point.quality > 1) scale = percent;
  }
  profile.source.scale = scale;
  for (ImportedPoint& point : profile.points) {
    if (!(point.quality >= 0 && point.quality <= scale))
      return fail(ErrorCode::rejected_input, name + ": " + printable(point.dataset) + ", " + printable(point.method) +
                                                 ": quality " + dump_json(Json(point.quality)) + " is not from 0 to " +
                                                 dump_json(Json(scale)) + "; correct it, or give --quality-scale");
    point.quality /= scale;
    if (point.quality_low) *point.quality_low /= scale;
    if (point.quality_high) *point.quality_high /= scale;
  }
  return {};
}

Expected<ImportedProfile> profile_of_file(const fs::path& path, const ForeignOptions& options) {
  const std::string name = path.string();
  KV_ASSIGN(const auto text, read_text_file(path, max_table_bytes));
  if (is_imported_text(text)) return imported_from_text(text, name);
  ImportedProfile profile;
  if (const auto json = longbench_of(text, name)) {
    KV_ASSIGN(profile, profile_of_longbench(*json, options, path));
  } else {
    KV_ASSIGN(const auto table, table_of_text(text, name));
    KV_ASSIGN(profile, profile_of_table(table, options, name));
  }
  profile.source.digest = digest_of(text).hex();
  return profile;
}

}  // namespace

std::vector<WantedColumn> profile_columns() {
  return {{"dataset", {"data_set", "family", "context", "task", "group", "benchmark"}},
          {"method", {"press", "press_name", "policy"}},
          {"removed", {"removed_fraction", "compression_ratio", "compression"}},
          {"kept", {"kept_fraction", "kept_tokens_fraction", "budget_fraction"}},
          {"quality", {"score", "accuracy", "value", "string_match", "f1"}},
          {"n", {"count", "questions", "samples"}},
          {"quality_low", {"low", "ci_low", "lower"}},
          {"quality_high", {"high", "ci_high", "upper"}},
          {"kept_bytes", {"kept_bytes_fraction", "bytes_fraction"}},
          {"model", {"model_name"}}};
}

Expected<TextTable> foreign_table(const fs::path& path) {
  std::error_code code;
  if (fs::is_directory(path, code)) return TextTable{};
  KV_ASSIGN(const auto text, read_text_file(path, max_table_bytes));
  if (is_imported_text(text) || longbench_of(text, path.string())) return TextTable{};
  return table_of_text(text, path.string());
}

Expected<ImportedProfile> read_foreign(const fs::path& path, const ForeignOptions& options) {
  std::error_code code;
  const std::string name = path.string();
  const bool evaluation = path.filename() == "metrics.json";
  const bool folder = fs::is_directory(path, code);
  KV_ASSIGN(auto profile, evaluation ? read_evaluations(absolute_or_given(path).parent_path(), options)
                          : folder   ? read_evaluations(path, options)
                                     : profile_of_file(path, options));
  if (!profile.source.date.empty()) return profile;  // it was imported before
  profile.source.file = name;
  profile.source.date = options.date;
  if (!options.model.empty()) profile.model = options.model;
  KV_TRY(bring_to_scale(profile, options.scale, name));
  KV_TRY(check_imported(profile, name));
  return profile;
}

}  // namespace kvantage::inline imported
