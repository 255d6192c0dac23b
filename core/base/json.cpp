#include "core/base/json.h"

#include <algorithm>
#include <vector>

#include "core/base/did_you_mean.h"
#include "core/base/file_kind.h"
#include "core/base/files.h"
#include "core/base/json_fields.h"
#include "core/base/shown_text.h"

namespace kvantage {
namespace {

constexpr std::uint64_t max_parsed_json_bytes = JsonBudget::max_bytes;
constexpr const char* convert_to_utf8 = "convert it, e.g. with iconv -f LATIN1 -t UTF-8";

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

tl::unexpected<Error> too_many_values(const std::string& name) {
  return fail(ErrorCode::rejected_input, name + ": holds more values than fit in " +
                                             std::to_string(max_parsed_json_bytes >> 20) +
                                             " MiB of memory; split it into smaller files");
}

}  // namespace

// An element of a list, a member of an object (a node of a tree, with its name), a list or object of its own, a string.
std::uint64_t parsed_json_bytes(std::string_view text) {
  constexpr std::uint64_t element = 32, member = 96, nested = 96, string = 48;
  std::uint64_t bytes = text.size();
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ',') bytes += element;
    if (c == ':') bytes += member;
    if (c == '[' || c == '{') bytes += nested;
    if (c != '"') continue;
    const std::size_t from = i;
    for (++i; i < text.size() && text[i] != '"'; ++i)
      if (text[i] == '\\') ++i;
    bytes += string + (i - from);
  }
  return bytes;
}

Status JsonBudget::take(std::string_view text, const std::string& name, std::uint64_t more) {
  taken_ += parsed_json_bytes(text) + more;
  if (taken_ > max_parsed_json_bytes) return too_many_values(name);
  return {};
}

Status check_json_depth(std::string_view text, const std::string& name) {
  constexpr int deepest = 200;
  if (!nests_deeper_than(text, deepest)) return {};
  return fail(ErrorCode::rejected_input, name + ": nested too deeply; at most 200 levels are read");
}

std::string dump_json(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}
std::string dump_json(const OrderedJson& json, int indent) {
  return json.dump(indent, ' ', false, OrderedJson::error_handler_t::replace);
}

std::string printable(std::string_view text) {
  // A message is one readable line, however long the quoted name.
  const std::string quoted = dump_json(Json(shortened(text)));
  std::string out;
  for (std::size_t at = 1; at + 1 < quoted.size();) {
    const std::size_t hidden = hidden_sign_bytes(quoted, at);
    if (hidden == 0)
      out += quoted[at++];
    else
      out += "\xef\xbf\xbd";
    at += hidden;
  }
  return out;
}

namespace {

/// "line 1, column 9: ..." of the library's "[json.exception.parse_error.101] parse error at line 1, column 9: ...".
std::string_view json_reason(std::string_view what) {
  if (const auto end = what.find("] "); what.starts_with("[json.exception.") && end != std::string_view::npos)
    what.remove_prefix(end + 2);
  for (const std::string_view begin : {"parse error at ", "parse error: "})
    if (what.starts_with(begin)) what.remove_prefix(begin.size());
  return what;
}

}  // namespace

Status check_utf8(std::string_view text, const std::string& name) {
  if (valid_utf8(text) == text) return {};
  return fail(ErrorCode::rejected_input, name + ": is not UTF-8; " + convert_to_utf8);
}

Expected<Json> parse_json(std::string_view text, const std::string& name) {
  if (text.size() > max_parsed_json_bytes) return too_many_values(name);
  KV_TRY(check_not_utf16(text, name));
  // To the library a NUL between values is the end of the text, whatever follows.
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos)
    return fail(ErrorCode::rejected_input,
                name + ": not valid JSON (byte " + std::to_string(nul + 1) + " is NUL); correct it");
  KV_TRY(check_json_depth(text, name));
  // A character becomes at most a hundred bytes: short texts, such as the events of a journal, need no count.
  constexpr std::uint64_t most_per_character = 100;
  if (text.size() > max_parsed_json_bytes / most_per_character && parsed_json_bytes(text) > max_parsed_json_bytes)
    return too_many_values(name);
  try {
    return Json::parse(text);
  } catch (const nlohmann::json::exception& error) {
    if (const std::string valid = valid_utf8(text); valid != text) {
      const auto at = std::ranges::mismatch(text, valid).in1 - text.begin();
      return fail(ErrorCode::rejected_input,
                  name + ": not valid JSON (byte " + std::to_string(at + 1) + " is not UTF-8); " + convert_to_utf8);
    }
    // The library quotes its last token, however long and whatever is in it.
    constexpr std::size_t most = 300;
    const std::string_view reason = json_reason(error.what());
    return fail(ErrorCode::rejected_input,
                name + ": not valid JSON (" + shown_line(shortened(reason, most)) + "); correct it");
  }
}

Expected<Json> read_json_file(const std::filesystem::path& path) {
  KV_ASSIGN(auto text, read_text_file(path, max_json_file_bytes));
  return parse_json(text, path.string());
}

namespace {

/// Insertions, deletions, replacements and swaps of neighbors that make `b` of `a` (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, row(b.size() + 1), next(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    next[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      next[j] = std::min({row[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1), row[j] + 1, next[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        next[j] = std::min(next[j], before[j - 2] + 1);
    }
    before = row;
    std::swap(row, next);
  }
  return row.back();
}

}  // namespace

std::string near_miss(std::string_view word, std::span<const std::string_view> known) {
  constexpr std::size_t most = 3, longest = 200;  // nobody mistypes a name of that length
  if (word.size() > longest) return {};
  std::string best;
  std::size_t best_distance = most + 1;
  for (const std::string_view candidate : known) {
    if (candidate.size() > longest) continue;
    const std::size_t distance = edit_distance(word, candidate);
    // Three replaced letters make any name of three letters of any other.
    if (distance >= best_distance || 2 * distance >= std::max(word.size(), candidate.size())) continue;
    best_distance = distance;
    best = candidate;
  }
  return best;
}

Status refuse_unknown_fields(const Json& object, std::initializer_list<std::string_view> known,
                             const std::string& name) {
  if (!object.is_object()) return fail(ErrorCode::rejected_input, name + ": expected an object {...}; write one");
  for (const auto& [key, value] : object.items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    return fail(ErrorCode::rejected_input, name + ": unknown field '" + printable(key) + "'; " +
                                               did_you_mean(key, std::span(known.begin(), known.size()), "remove it"));
  }
  return {};
}

Expected<const Json*> json_value(const Json& object, const std::string& key, const std::string& name) {
  const auto found = object.find(key);  // the end where it is no object
  if (found != object.end()) return &*found;
  return fail(ErrorCode::rejected_input, name + ": field '" + printable(key) + "' is missing; add it");
}

Expected<const Json*> json_list(const Json& object, const std::string& key, const std::string& name) {
  KV_ASSIGN(const Json* value, json_value(object, key, name));
  if (value->is_array()) return value;
  return fail(ErrorCode::rejected_input, name + ": field '" + printable(key) + "' has the wrong type (" +
                                             value->type_name() + "); it must be a list");
}

std::string too_long(std::size_t elements, std::size_t most) {
  return "the list has " + std::to_string(elements) + " elements, more than " + std::to_string(most) + "; shorten it";
}

Status check_length(const Json& object, const std::string& key, std::size_t most, const std::string& name) {
  const auto found = object.find(key);  // the end where it is no object
  if (found == object.end() || !found->is_array() || found->size() <= most) return {};
  return fail(ErrorCode::rejected_input, name + ": " + key + ": " + too_long(found->size(), most));
}

}  // namespace kvantage
