#include "core/experiments/claims.h"

#include <set>

#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/shown_text.h"
#include "core/experiments/paper_figures.h"
#include "core/experiments/verdict.h"
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

Expected<PaperClaim> read_claim(const Json& json, const std::string& where) {
  PaperClaim claim;
  KV_ASSIGN(claim.id, json_field<std::string>(json, "id", where));
  const std::string named = where + ": '" + printable(claim.id) + "'";
  KV_ASSIGN(claim.where, json_field<std::string>(json, "where", named));
  KV_ASSIGN(claim.says, json_field<std::string>(json, "says", named));
  KV_ASSIGN(claim.unit, json_field<std::string>(json, "unit", named));
  KV_ASSIGN(claim.low, number_or_nothing(json, "low", named));
  KV_ASSIGN(claim.high, number_or_nothing(json, "high", named));
  KV_ASSIGN(claim.figure, text_or_nothing(json, "figure", named));
  KV_ASSIGN(claim.out_of_scope, text_or_nothing(json, "out_of_scope", named));
  KV_ASSIGN(claim.note, text_or_nothing(json, "note", named));
  if (claim.figure.empty() == claim.out_of_scope.empty())
    return fail(ErrorCode::rejected_input, named + " has neither a figure nor a reason, or both; give one of them");
  if (!claim.figure.empty() && find_paper_figure(claim.figure) == nullptr)
    return fail(ErrorCode::rejected_input, named + ": unknown figure '" + printable(claim.figure) + "'; correct it");
  if (claim.low && claim.high && *claim.low > *claim.high)
    return fail(ErrorCode::rejected_input, named + ": low is above high; swap them");
  return claim;
}

}  // namespace

Expected<std::vector<PaperClaim>> read_claims(const std::filesystem::path& file) {
  const std::string where = file.filename().string();
  KV_ASSIGN(const auto json, read_json_file(file));
  if (!json.is_array()) return fail(ErrorCode::rejected_input, where + ": not a list of claims; fetch the file again");
  std::vector<PaperClaim> claims;
  std::set<std::string> ids;
  for (const Json& one : json) {
    KV_ASSIGN(auto claim, read_claim(one, where));
    if (!ids.insert(claim.id).second)
      return fail(ErrorCode::rejected_input, where + ": '" + printable(claim.id) + "' is there twice; remove one");
    claims.push_back(std::move(claim));
  }
  return claims;
}

std::string span_text(const PaperClaim& claim) {
  if (!claim.low && !claim.high) return {};
  if (!claim.low) return "at most " + short_number(*claim.high);
  if (!claim.high) return "at least " + short_number(*claim.low);
  return span_text(PaperSpan{*claim.low, *claim.high});
}

}  // namespace kvantage::inline experiments
