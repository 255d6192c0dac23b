#include "core/compress/method_files.h"

#include <algorithm>
#include <climits>
#include <string>
#include <utility>

#include "core/compress/method.h"
#include "core/compress/scorers/file_scorer.h"
#include "core/ports/decode_eviction.h"

namespace kvantage::inline compression {
namespace {

constexpr std::size_t max_alias_bytes = 40;

bool is_alias_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

/// Of the program's own: not those of files.
bool is_own_name(std::string_view name) {
  if (name == "none" || name == planned_decode_eviction || name == "rerotate") return true;
  for (const MethodInfo& info : known_methods())
    if (info.name == name && find_file_scorer(name) == nullptr) return true;
  for (const MethodInfo& info : weight_methods())
    if (info.name == name) return true;
  for (const BudgetInfo& info : known_budgets())
    if (info.name == name) return true;
  for (const CodecInfo& info : known_codecs())
    if (info.name == name) return true;
  for (const auto& [alias, means] : method_aliases())
    if (alias == name) return true;
  return std::ranges::any_of(decode_methods(), [&](const DecodeMethodInfo& info) { return info.name == name; });
}

Status check_decoding(const ScorerFileFacts& facts) {
  const auto refused = [&](const std::string& what) {
    return fail(ErrorCode::usage, "method '" + facts.alias + "': declares decode_eviction and reads " + what +
                                      ", which decoding does not record; remove one of the two");
  };
  if (facts.needs.of(ScorerInput::hidden_states)) return refused("hidden_states");
  if (facts.needs.window_queries == INT_MAX) return refused("the queries of all tokens");
  return {};
}

}  // namespace

Status check_method_alias(std::string_view alias) {
  const auto refused = [&](const std::string& why) {
    return fail(ErrorCode::usage, "method '" + std::string(alias.substr(0, max_alias_bytes)) + "': " + why +
                                      "; set the attribute 'name' in the file, or rename it");
  };
  if (alias.empty() || alias.size() > max_alias_bytes || !std::ranges::all_of(alias, is_alias_letter))
    return refused("a name has 1 to 40 lower-case letters, digits and '_'");
  if (names_layer_inputs(alias) || names_token_chunks(alias) || is_own_name(alias))
    return refused("KVantage has a method, budget or codec of this name");
  return {};
}

std::string unloaded_file_method(std::string_view text) {
  while (!text.empty()) {
    const auto first = std::ranges::find_if(text, is_alias_letter);
    const auto end = std::find_if_not(first, text.end(), is_alias_letter);
    const std::string_view name(first, end);
    if (names_file_scorer(name) && find_file_scorer(name) == nullptr) return std::string(name);
    text = std::string_view(end, text.end());
  }
  return {};
}

Status add_method_file(std::shared_ptr<ScorerHost> host) {
  const ScorerFileFacts& facts = host->facts();
  KV_TRY(check_method_alias(facts.alias));
  if (facts.needs.decode_eviction) {
    KV_TRY(check_decoding(facts));
    DecodeMethodInfo info;
    info.name = facts.name;
    info.summary = facts.summary;
    info.source = facts.source;
    info.cadence = facts.needs.cadence;
    add_decode_method(info, facts.alias);
  }
  add_file_scorer(std::move(host));
  return {};
}

}  // namespace kvantage::inline compression
