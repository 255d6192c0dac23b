#include "core/experiments/claims.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/shown_text.h"
#include "core/policy/plan_text.h"

namespace kvantage::inline experiments {
namespace {

/// Null, or absent, is an empty text.
Expected<std::string> text_or_nothing(const Json& json, const char* key, const std::string& where) {
  if (!json.contains(key) || json.at(key).is_null()) return std::string();
  return json_field<std::string>(json, key, where);
}

Expected<std::optional<double>> number_or_nothing(const Json& json, const char* key, const std::string& where) {
  if (!json.contains(key) || json.at(key).is_null()) return std::optional<double>();
  KV_ASSIGN(const auto number, json_field<double>(json, key, where));
  return std::optional(number);
}

Expected<PaperClaim> read_claim(const Json& json, const std::string& where, const std::vector<PaperFigure>& figures) {
  PaperClaim claim;
  KV_ASSIGN(claim.id, json_field<std::string>(json, "id", where));
  const std::string named = where + ": '" + printable(claim.id) + "'";
  KV_ASSIGN(claim.where, json_field<std::string>(json, "where", named));
  KV_ASSIGN(claim.says, json_field<std::string>(json, "says", named));
  KV_ASSIGN(claim.unit, json_field<std::string>(json, "unit", named));
  KV_ASSIGN(claim.span.low, number_or_nothing(json, "low", named));
  KV_ASSIGN(claim.span.high, number_or_nothing(json, "high", named));
  KV_ASSIGN(claim.up_to, json_field_or<bool>(json, "up_to", named, false));
  KV_ASSIGN(claim.figure, text_or_nothing(json, "figure", named));
  KV_ASSIGN(claim.out_of_scope, text_or_nothing(json, "out_of_scope", named));
  KV_ASSIGN(claim.note, text_or_nothing(json, "note", named));
  if (claim.figure.empty() == claim.out_of_scope.empty())
    return fail(ErrorCode::rejected_input, named + " has neither a figure nor a reason, or both; give one of them");
  if (!claim.figure.empty() && find_paper_figure(figures, claim.figure) == nullptr)
    return fail(ErrorCode::rejected_input, named + ": unknown figure '" + printable(claim.figure) + "'; correct it");
  if (claim.span.low && claim.span.high && *claim.span.low > *claim.span.high)
    return fail(ErrorCode::rejected_input, named + ": low is above high; swap them");
  return claim;
}

/// "0.215; at 646 MB/s; prompt 512, 32 generated, batch 1".
std::string here_text(const MeasuredClaim& one) {
  const std::string number = span_text(PaperSpan{one.measured.low, one.measured.high});
  return one.at.empty() ? number : number + "; " + one.at;
}

/// The words before the first colon stay the verdict.
std::string limited(const std::string& verdict, const std::string& limit) {
  if (limit.empty()) return verdict;
  return verdict + (verdict.find(':') == std::string::npos ? ": " : "; ") + limit;
}

/// The verdict, how many samples would give one, and what limits it.
std::string told(const MeasuredSpan& measured, const PaperSpan& paper, const std::string& limit) {
  return limited(limited(verdict_text(measured, paper), need_text(measured, paper)), limit);
}

}  // namespace

Expected<std::vector<PaperClaim>> read_claims(const std::filesystem::path& file,
                                              const std::vector<PaperFigure>& figures) {
  const std::string where = file.filename().string();
  KV_ASSIGN(const auto json, read_json_file(file));
  if (!json.is_array()) return fail(ErrorCode::rejected_input, where + ": not a list of claims; fetch the file again");
  std::vector<PaperClaim> claims;
  std::set<std::string> ids;
  for (const Json& one : json) {
    KV_ASSIGN(auto claim, read_claim(one, where, figures));
    if (!ids.insert(claim.id).second)
      return fail(ErrorCode::rejected_input, where + ": '" + printable(claim.id) + "' is there twice; remove one");
    claims.push_back(std::move(claim));
  }
  return claims;
}

std::string span_text(const PaperClaim& claim) { return (claim.up_to ? "up to " : "") + span_text(claim.span); }

void settle_claims(FigureResult& result, const std::vector<PaperClaim>& claims, bool disturbed) {
  const bool off_regime = !result.off_regime.empty();
  const char* const off_verdict = result.off_regime == off_metric ? "withheld: not the paper's quality metric"
                                                                  : "withheld: not in the paper's regime";
  const std::vector<MeasuredClaim> all = std::exchange(result.measured, {});
  FigureTable table{claims_title, {"claim", "paper", "unit", "here", "interval", "verdict"}, {}};
  std::map<std::string, std::size_t> counts;
  for (const PaperClaim& claim : claims) {
    if (claim.figure != result.figure) continue;
    const auto found = std::ranges::find(all, claim.id, &MeasuredClaim::claim);
    const MeasuredSpan* measured = found == all.end() ? nullptr : &found->measured;
    const bool withheld = disturbed && measured != nullptr && found->of_time;
    std::string verdict = measured == nullptr        ? "not measured with these settings"
                          : !found->withheld.empty() ? "withheld: " + found->withheld
                          : withheld                 ? "withheld: the machine was disturbed"
                          : off_regime               ? off_verdict
                                                     : told(*measured, claim.span, result.limit);
    const auto interval = measured == nullptr ? std::nullopt : interval_of(*measured);
    table.rows.push_back(
        {claim.id, span_text(claim), claim.unit, measured == nullptr ? Json() : Json(here_text(*found)),
         interval ? Json(short_number(interval->low) + " - " + short_number(interval->high)) : Json(), verdict});
    ++counts[verdict.substr(0, verdict.find(':'))];
  }
  std::string text;
  for (const auto& [verdict, count] : counts)
    text += (text.empty() ? "claims of the paper: " : "; ") + verdict + " " + std::to_string(count);
  if (table.rows.empty()) return;
  if (off_regime && !all.empty()) text += "; " + result.off_regime;
  result.findings.push_back(std::move(text));
  result.tables.push_back(std::move(table));
}

}  // namespace kvantage::inline experiments
