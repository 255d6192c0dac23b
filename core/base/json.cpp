#include "core/base/json.h"

#include <algorithm>
#include <vector>

#include "core/base/files.h"

namespace kvantage {
namespace {

/// Copying a JSON value is recursive, so a file with only brackets could exhaust the stack.
bool nests_deeper_than(std::string_view text, int limit) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > limit) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

}  // namespace

std::string printable(std::string_view text) {
  constexpr std::size_t most = 300;  // a message is one readable line, however long the quoted name
  const bool cut = text.size() > most;
  if (cut) text = text.substr(0, most);
  const std::string quoted = Json(std::string(text)).dump(-1, ' ', false, Json::error_handler_t::replace);
  return quoted.substr(1, quoted.size() - 2) + (cut ? "..." : "");
}

Expected<Json> parse_json(std::string_view text, const std::string& name) {
  constexpr int deepest = 200;
  if (nests_deeper_than(text, deepest))
    return fail(ErrorCode::rejected_input, name + ": nested too deeply; at most 200 levels are read");
  try {
    return Json::parse(text);
  } catch (const nlohmann::json::exception& error) {
    constexpr std::size_t most = 300;  // the library quotes its last token, however long
    std::string reason = error.what();
    if (reason.size() > most) reason = reason.substr(0, most) + "...";
    return fail(ErrorCode::rejected_input, name + ": not valid JSON (" + reason + "); correct it");
  }
}

Expected<Json> read_json_file(const std::filesystem::path& path) {
  KV_ASSIGN(auto text, read_text_file(path));
  return parse_json(text, path.string());
}

std::string near_miss(std::string_view word, std::span<const std::string_view> known) {
  std::string best;
  std::size_t best_distance = 4;
  for (std::string_view candidate : known) {
    std::vector<std::size_t> row(candidate.size() + 1);
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= word.size(); ++i) {
      std::size_t diagonal = std::exchange(row[0], i);
      for (std::size_t j = 1; j < row.size(); ++j) {
        const std::size_t replaced = diagonal + (word[i - 1] == candidate[j - 1] ? 0 : 1);
        diagonal = row[j];
        row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
      }
    }
    if (row.back() < best_distance) {
      best_distance = row.back();
      best = candidate;
    }
  }
  return best;
}

Status refuse_unknown_fields(const Json& object, std::initializer_list<std::string_view> known,
                             const std::string& name) {
  if (!object.is_object()) return fail(ErrorCode::rejected_input, name + ": expected an object {...}; write one");
  for (const auto& [key, value] : object.items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    const std::string hint = near_miss(key, std::span(known.begin(), known.size()));
    return fail(ErrorCode::rejected_input, name + ": unknown field '" + printable(key) + "'; " +
                                               (hint.empty() ? "remove it" : "did you mean '" + hint + "'?"));
  }
  return {};
}

}  // namespace kvantage
