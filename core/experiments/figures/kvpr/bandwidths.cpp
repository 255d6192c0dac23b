#include "core/experiments/figures/kvpr/bandwidths.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "core/base/form_text.h"
#include "core/base/shown_text.h"
#include "core/policy/plan_text.h"

namespace kvantage::inline kvpr_figures {
namespace {

constexpr double max_mbps = 1e6, min_multiple = 0.01, max_multiple = 100;
constexpr const char *break_even_text = "loading a token takes as long as recomputing it",
                     *column_name = "bandwidth MB/s";

Expected<LinkBandwidth> parse_one(const std::string& item) {
  char* end = nullptr;
  const double number = std::strtod(item.c_str(), &end);
  const std::string unit(end);
  // strtod() also takes "nan" and hexadecimal numbers.
  const bool decimal =
      item.find_first_not_of("0123456789.eE+-x") == std::string::npos && item.find('x') >= item.size() - 1;
  if (end == item.c_str() || !decimal || !std::isfinite(number) || (unit != "" && unit != "x"))
    return fail(ErrorCode::usage, "--bandwidth: '" + printable(item) +
                                      "' is neither MB/s nor a multiple of the break-even bandwidth; give a list such "
                                      "as 100,400 or 0.25x,1x,4x");
  if (unit == "x" && !(number >= min_multiple && number <= max_multiple))
    return fail(ErrorCode::usage, "--bandwidth: '" + printable(item) + "' is not between " +
                                      short_number(min_multiple) + "x and " + short_number(max_multiple) +
                                      "x; give a multiple in between");
  if (unit == "x") return LinkBandwidth{number, true};
  if (number == 0) return LinkBandwidth{};
  if (number < 1)
    return fail(ErrorCode::usage, "--bandwidth: " + short_number(number) +
                                      " is less than 1 MB/s; give more, or 0 for where " + break_even_text);
  if (number > max_mbps)
    return fail(ErrorCode::usage, "--bandwidth: '" + printable(item) + "' exceeds the maximum; give at most 1e6 MB/s");
  return LinkBandwidth{number, false};
}

double mbps_of(const FigureResult& result) { return result.settings.at(column_name).get<double>(); }
std::string mbps_text(const FigureResult& result) { return short_number(mbps_of(result)) + " MB/s"; }

void add_table(const FigureResult& result, FigureTable table, std::vector<FigureTable>& merged) {
  // A timeline is of one step, and cannot tell bandwidths apart.
  if (table.plot && table.plot->kind == FigurePlot::Kind::spans) {
    table.title += ", " + mbps_text(result);
    merged.push_back(std::move(table));
    return;
  }
  const auto found = std::ranges::find(merged, table.title, &FigureTable::title);
  const bool of_paper = table.title.starts_with("Paper:");
  if (of_paper && found != merged.end()) return;
  if (!of_paper) {
    for (auto& row : table.rows) row.insert(row.begin(), mbps_of(result));
    table.columns.insert(table.columns.begin(), column_name);
    if (table.plot) table.plot->by.emplace_back(column_name);
  }
  if (found == merged.end())
    merged.push_back(std::move(table));
  else
    std::ranges::move(table.rows, std::back_inserter(found->rows));
}

/// Of one result; those that all of them have stay without a bandwidth.
void add_findings(const std::vector<FigureResult>& results, std::vector<std::string> FigureResult::*kind,
                  std::vector<std::string>& merged) {
  for (const FigureResult& result : results)
    for (const std::string& finding : result.*kind) {
      const bool common = std::ranges::all_of(
          results, [&](const FigureResult& other) { return std::ranges::count(other.*kind, finding) > 0; });
      std::string text = common ? finding : "at " + mbps_text(result) + ": " + finding;
      if (std::ranges::count(merged, text) == 0) merged.push_back(std::move(text));
    }
}

FigureResult merged_of(std::vector<FigureResult> results, std::size_t claims_at) {
  FigureResult merged = results[claims_at];
  for (const char* setting : {"tier", "bandwidth", column_name}) {
    std::string all;
    for (const FigureResult& result : results) {
      const Json& value = result.settings.at(setting);
      all += (all.empty() ? "" : "; ") + (value.is_string() ? value.get<std::string>() : short_number(value));
    }
    merged.settings[setting] = all;
  }
  merged.tables.clear();
  for (const FigureResult& result : results)
    for (const FigureTable& table : result.tables) add_table(result, table, merged.tables);
  for (const auto kind : {&FigureResult::findings, &FigureResult::time_findings}) {
    (merged.*kind).clear();
    add_findings(results, kind, merged.*kind);
  }
  return merged;
}

}  // namespace

std::string LinkBandwidth::text() const {
  std::array<char, 32> buffer{};  // the shortest text that is exactly this number takes at most 24 characters
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return std::string(buffer.data(), end) + (relative ? "x" : "");
}

std::string LinkBandwidth::origin() const {
  if (!relative) return "given";
  return is_break_even() ? std::string("break-even: ") + break_even_text
                         : short_number(value) + " times the break-even one";
}

Expected<std::vector<LinkBandwidth>> parse_bandwidths(const std::string& text) {
  if (text.empty()) return std::vector{LinkBandwidth{}};
  std::vector<LinkBandwidth> all;
  for (const std::string& item : split_list(text)) {
    KV_ASSIGN(const auto one, parse_one(item));
    if (std::ranges::count(all, one) > 0)
      return fail(ErrorCode::usage, "--bandwidth: '" + printable(item) + "' is given twice; leave one out");
    all.push_back(one);
  }
  if (all.empty()) return parse_one(text).map([](const LinkBandwidth& one) { return std::vector{one}; });
  return all;
}

std::size_t claims_place(const std::vector<LinkBandwidth>& bandwidths) {
  const auto even = std::ranges::find_if(bandwidths, &LinkBandwidth::is_break_even);
  return even == bandwidths.end() ? 0 : static_cast<std::size_t>(even - bandwidths.begin());
}

std::size_t given_place(const std::vector<LinkBandwidth>& bandwidths) {
  const auto given = std::ranges::find(bandwidths, false, &LinkBandwidth::relative);
  return given == bandwidths.end() ? claims_place(bandwidths) : static_cast<std::size_t>(given - bandwidths.begin());
}

FigureResult swept(std::vector<FigureResult> results, std::size_t claims_at) {
  const std::string origin = results[claims_at].settings.at("bandwidth").get<std::string>();
  const std::string where = mbps_text(results[claims_at]) + " (" + origin + ")";
  const std::string at = "at " + mbps_text(results[claims_at]) + " (" + origin.substr(0, origin.find(':')) + ")";
  for (MeasuredClaim& one : results[claims_at].measured) one.at = one.at.empty() ? at : at + "; " + one.at;
  FigureResult result = results.size() == 1 ? std::move(results.front()) : merged_of(std::move(results), claims_at);
  if (!result.measured.empty()) result.findings.push_back("claims of the paper are measured at " + where);
  return result;
}

}  // namespace kvantage::inline kvpr_figures
