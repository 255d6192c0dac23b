#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "core/base/json.h"
#include "core/policy/method_text.h"
#include "core/policy/policies.h"

namespace kvantage {

namespace {

using Arguments = std::vector<std::string_view>;
using Made = Expected<std::shared_ptr<const Policy>>;

struct Entry {
  std::string_view name;
  std::string_view form;  // shown in errors
  Made (*make)(const Entry& entry, const Arguments& arguments);
};

tl::unexpected<Error> wrong_form(const Entry& entry) {
  return fail(ErrorCode::usage,
              "policy '" + std::string(entry.name) + "': arguments not understood; write " + std::string(entry.form));
}

std::optional<Eviction> eviction_named(std::string_view name) {
  for (const auto& [known, eviction] : eviction_names)
    if (known == name) return eviction;
  return std::nullopt;
}

Made make_full_prefill_from(const Entry& entry, const Arguments& arguments) {
  if (!arguments.empty()) return wrong_form(entry);
  return make_full_prefill();
}

/// Policies that are named after their order of eviction.
Made make_eviction_from(const Entry& entry, const Arguments& arguments) {
  if (!arguments.empty()) return wrong_form(entry);
  return make_eviction_policy(std::string(entry.name), "none", 0, *eviction_named(entry.name));
}

std::string number_text(double value) {
  std::array<char, 32> digits{};
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr};
}

Made make_fixed_from(const Entry& entry, const Arguments& arguments) {
  if (arguments.size() != 2 && arguments.size() != 3) return wrong_form(entry);
  const std::string method(arguments[0]);
  KV_TRY(check_method_text(method));
  const auto fraction = parse_removed_fraction(arguments[1], "policy 'fixed'");
  if (!fraction) return tl::unexpected(fraction.error());
  std::optional<Eviction> eviction = Eviction::lru;
  constexpr std::string_view key = "eviction=";
  if (arguments.size() == 3)
    eviction = arguments[2].starts_with(key) ? eviction_named(arguments[2].substr(key.size())) : std::nullopt;
  if (!eviction) return wrong_form(entry);
  const std::string tail = *eviction == Eviction::lru ? "" : "," + std::string(arguments[2]);
  return make_eviction_policy("fixed(" + method + "," + number_text(*fraction) + tail + ")", method, *fraction, *eviction);
}

bool read_option(std::string_view argument, EvicPressOptions& options) {
  const auto equals = argument.find('=');
  if (equals == std::string_view::npos) return false;
  const std::string_view name = argument.substr(0, equals), value = argument.substr(equals + 1);
  if (name == "start") {
    options.rules.start = value == "quality" ? PlanStart::quality : PlanStart::utility;
    return value == "quality" || value == "utility";
  }
  if (name == "drop") {
    options.rules.drop = value == "per_byte" ? DropMeasure::per_byte
                         : value == "best"   ? DropMeasure::best
                                             : DropMeasure::absolute;
    return value == "absolute" || value == "per_byte" || value == "best";
  }
  if (name == "replan_requests") {
    const auto end = std::from_chars(value.data(), value.data() + value.size(), options.replan_requests);
    return !value.empty() && end.ec == std::errc() && end.ptr == value.data() + value.size();
  }
  return false;
}

Made make_evicpress_from(const Entry& entry, const Arguments& arguments) {
  EvicPressOptions options;
  for (const std::string_view argument : arguments)
    if (!read_option(argument, options)) return wrong_form(entry);
  return make_evicpress(options);
}

constexpr std::array table{
    Entry{"full_prefill", "full_prefill", make_full_prefill_from},
    Entry{"lru", "lru", make_eviction_from},
    Entry{"lfu", "lfu", make_eviction_from},
    Entry{"s3fifo", "s3fifo", make_eviction_from},
    Entry{"gdsf", "gdsf", make_eviction_from},
    Entry{"fixed", "fixed(METHOD,REMOVED_FRACTION,eviction=lru|lfu|s3fifo|gdsf), e.g. fixed(snapkv,0.5)", make_fixed_from},
    Entry{"evicpress", "evicpress or evicpress(start=utility|quality,drop=absolute|per_byte|best,replan_requests=N)",
          make_evicpress_from},
};

/// Splits "a,b(c,d),e" at the commas outside parentheses; nothing when they do not balance.
Expected<Arguments> split_arguments(std::string_view text) {
  Arguments arguments;
  int depth = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (depth < 0) break;
    if (c != ',' || depth > 0) continue;
    arguments.push_back(text.substr(start, i - start));
    start = i + 1;
  }
  if (depth != 0) return fail(ErrorCode::usage, "parentheses do not balance");
  return arguments;
}

}  // namespace

Expected<std::shared_ptr<const Policy>> make_policy(std::string_view text) {
  const auto open = text.find('(');
  const std::string_view name = text.substr(0, open);
  Arguments arguments;
  if (open != std::string_view::npos) {
    if (text.back() != ')')
      return fail(ErrorCode::usage, "policy '" + std::string(text) + "': ends without ')'; add it");
    auto split = split_arguments(text.substr(open + 1, text.size() - open - 2));
    if (!split) return fail(ErrorCode::usage, "policy '" + std::string(text) + "': " + split.error().message);
    arguments = std::move(*split);
  }
  std::array<std::string_view, table.size()> names;
  for (std::size_t i = 0; i < table.size(); ++i) names[i] = table[i].name;
  for (const Entry& entry : table)
    if (entry.name == name) return entry.make(entry, arguments);
  const std::string hint = near_miss(name, names);
  std::string message = "policy '" + std::string(name) + "' is not known; ";
  if (!hint.empty()) {
    message += "did you mean '" + hint + "'?";
  } else {
    message += "choose one of";
    for (std::size_t i = 0; i < names.size(); ++i) message += (i == 0 ? " " : ", ") + std::string(names[i]);
  }
  return fail(ErrorCode::usage, message);
}

std::vector<std::string> known_policies() {
  return {"full_prefill",       "lru",       "lfu",                      "s3fifo",
          "gdsf",               "fixed(knorm,0.5)",                      "fixed(keydiff,0.5)",
          "fixed(snapkv,0.5)",  "evicpress", "evicpress(start=quality)", "evicpress(drop=per_byte)",
          "evicpress(drop=best)"};
}

}  // namespace kvantage
