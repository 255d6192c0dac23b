#include <array>
#include <charconv>
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
  Made (*make)(const Arguments& arguments);
};

tl::unexpected<Error> wrong_form(const Entry& entry);

Made make_full_prefill_from(const Arguments& arguments);
Made make_lru_from(const Arguments& arguments);
Made make_fixed_from(const Arguments& arguments);
Made make_evicpress_from(const Arguments& arguments);

constexpr std::array<Entry, 4> table{{
    {"full_prefill", "full_prefill", make_full_prefill_from},
    {"lru", "lru", make_lru_from},
    {"fixed", "fixed(METHOD,REMOVED_FRACTION), e.g. fixed(snapkv,0.5)", make_fixed_from},
    {"evicpress",
     "evicpress or evicpress(start=utility|quality,drop=absolute|per_byte|best,replan_requests=N)",
     make_evicpress_from},
}};

tl::unexpected<Error> wrong_form(const Entry& entry) {
  return fail(ErrorCode::usage,
              "policy '" + std::string(entry.name) + "': arguments not understood; write " + std::string(entry.form));
}

Made make_full_prefill_from(const Arguments& arguments) {
  if (!arguments.empty()) return wrong_form(table[0]);
  return make_full_prefill();
}

Made make_lru_from(const Arguments& arguments) {
  if (!arguments.empty()) return wrong_form(table[1]);
  return make_recency_policy("lru", "none", 0);
}

Made make_fixed_from(const Arguments& arguments) {
  if (arguments.size() != 2) return wrong_form(table[2]);
  const std::string method(arguments[0]);
  KV_TRY(check_method_text(method));
  const auto fraction = parse_removed_fraction(arguments[1], "policy 'fixed'");
  if (!fraction) return tl::unexpected(fraction.error());
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), *fraction).ptr;
  return make_recency_policy("fixed(" + method + "," + std::string(digits.data(), end) + ")", method, *fraction);
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

Made make_evicpress_from(const Arguments& arguments) {
  EvicPressOptions options;
  for (const std::string_view argument : arguments)
    if (!read_option(argument, options)) return wrong_form(table[3]);
  return make_evicpress(options);
}

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
    if (entry.name == name) return entry.make(arguments);
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
  return {"full_prefill",       "lru",       "fixed(knorm,0.5)",         "fixed(keydiff,0.5)",
          "fixed(snapkv,0.5)",  "evicpress", "evicpress(start=quality)", "evicpress(drop=per_byte)",
          "evicpress(drop=best)"};
}

}  // namespace kvantage
