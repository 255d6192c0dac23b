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

const EvictionOrderInfo* eviction_named(std::string_view name) {
  const EvictionOrderInfo* order = find_eviction_order(name);
  return order != nullptr && order->is_policy ? order : nullptr;
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

constexpr std::string_view eviction_key = "eviction=";

Made make_fixed_from(const Entry& entry, const Arguments& arguments) {
  if (arguments.size() != 2 && arguments.size() != 3) return wrong_form(entry);
  const std::string method(arguments[0]);
  KV_TRY(check_method_text(method));
  const auto fraction = parse_removed_fraction(arguments[1], "policy 'fixed'");
  if (!fraction) return tl::unexpected(fraction.error());
  const EvictionOrderInfo* eviction = eviction_named("lru");
  if (arguments.size() == 3)
    eviction =
        arguments[2].starts_with(eviction_key) ? eviction_named(arguments[2].substr(eviction_key.size())) : nullptr;
  if (eviction == nullptr) return wrong_form(entry);
  const std::string tail = eviction->name == "lru" ? "" : "," + std::string(arguments[2]);
  return make_eviction_policy("fixed(" + method + "," + number_text(*fraction) + tail + ")", method, *fraction,
                              *eviction);
}

std::pair<std::string_view, std::string_view> name_and_value(std::string_view argument) {
  const auto equals = argument.find('=');
  if (equals == std::string_view::npos) return {};
  return {argument.substr(0, equals), argument.substr(equals + 1)};
}

bool read_count(std::string_view value, std::uint64_t& count) {
  const auto end = std::from_chars(value.data(), value.data() + value.size(), count);
  return !value.empty() && end.ec == std::errc() && end.ptr == value.data() + value.size();
}

bool read_option(std::string_view argument, EvicPressOptions& options) {
  const auto [name, value] = name_and_value(argument);
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
  if (name == "prices") {
    options.rules.lp_prices = value == "lp";
    return value == "lp" || value == "none";
  }
  return name == "replan_requests" && read_count(value, options.replan_requests);
}

bool read_option(std::string_view argument, AdaptCacheOptions& options) {
  const auto [name, value] = name_and_value(argument);
  if (name == "utility") {
    options.utility = value == "printed" ? AdaptCacheOptions::Utility::printed : AdaptCacheOptions::Utility::described;
    return value == "printed" || value == "described";
  }
  if (name == "quality") {
    options.quality = value == "context" ? AdaptCacheOptions::Quality::context : AdaptCacheOptions::Quality::dataset;
    return value == "context" || value == "dataset";
  }
  options.pool = value == "paper" ? AdaptCacheOptions::Pool::paper : AdaptCacheOptions::Pool::session;
  return name == "pool" && (value == "paper" || value == "session");
}

Made make_evicpress_from(const Entry& entry, const Arguments& arguments) {
  EvicPressOptions options;
  for (const std::string_view argument : arguments)
    if (!read_option(argument, options)) return wrong_form(entry);
  return make_evicpress(options);
}

Made make_adaptcache_from(const Entry& entry, const Arguments& arguments) {
  AdaptCacheOptions options;
  for (const std::string_view argument : arguments)
    if (!read_option(argument, options)) return wrong_form(entry);
  return make_adaptcache(options);
}

Made make_impress_from(const Entry& entry, const Arguments& arguments) {
  constexpr std::string_view usual_method = "chunkkv(snapkv)";
  double kept = 0.5;
  std::string method(usual_method);
  for (const std::string_view argument : arguments) {
    const auto [name, value] = name_and_value(argument);
    if (name == "kept") {
      const auto end = std::from_chars(value.data(), value.data() + value.size(), kept);
      if (end.ec != std::errc() || end.ptr != value.data() + value.size() || !(kept > 0 && kept <= 1))
        return fail(ErrorCode::usage, "policy 'impress': kept fraction '" + std::string(value) +
                                          "' is not a number above 0 and at most 1; kept=0.5 keeps half the tokens");
    } else if (name == "method") {
      method = value;
      KV_TRY(check_method_text(method));
    } else {
      return wrong_form(entry);
    }
  }
  const std::string tail = method == usual_method ? "" : ",method=" + method;
  return make_impress("impress(kept=" + number_text(kept) + tail + ")", method, kept);
}

Made make_optimal_from(const Entry& entry, const Arguments& arguments) {
  std::uint64_t replan_requests = EvicPressOptions{}.replan_requests;
  for (const std::string_view argument : arguments) {
    const auto [name, value] = name_and_value(argument);
    if (name != "replan_requests" || !read_count(value, replan_requests)) return wrong_form(entry);
  }
  return make_optimal(replan_requests);
}

constexpr std::array table{
    Entry{"full_prefill", "full_prefill", make_full_prefill_from},
    Entry{"lru", "lru", make_eviction_from},
    Entry{"lfu", "lfu", make_eviction_from},
    Entry{"s3fifo", "s3fifo", make_eviction_from},
    Entry{"gdsf", "gdsf", make_eviction_from},
    Entry{"fixed", "fixed(METHOD,REMOVED_FRACTION,eviction=lru|lfu|s3fifo|gdsf), e.g. fixed(snapkv,0.5)",
          make_fixed_from},
    Entry{"evicpress",
          "evicpress or evicpress(start=utility|quality,drop=absolute|per_byte|best,prices=none|lp,replan_requests=N)",
          make_evicpress_from},
    Entry{"adaptcache",
          "adaptcache or adaptcache(utility=described|printed,quality=dataset|context,pool=session|paper)",
          make_adaptcache_from},
    Entry{"impress", "impress(kept=KEPT_FRACTION,method=METHOD), e.g. impress(kept=0.5)", make_impress_from},
    Entry{"optimal", "optimal or optimal(replan_requests=N)", make_optimal_from},
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
  if (depth != 0) return fail(ErrorCode::usage, "parentheses do not balance; close each one that is open");
  return arguments;
}

/// Of options that are named twice, the first: "start" of "start=utility,start=quality".
std::string_view named_twice(const Arguments& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view name = name_and_value(arguments[i]).first;
    if (name.empty() || name.find('(') != std::string_view::npos) continue;
    for (std::size_t j = 0; j < i; ++j)
      if (name_and_value(arguments[j]).first == name) return name;
  }
  return {};
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
    if (const auto twice = named_twice(arguments); !twice.empty())
      return fail(ErrorCode::usage, "policy '" + std::string(name) + "': option '" + std::string(twice) +
                                        "' is there twice; give it once");
  }
  std::array<std::string_view, table.size()> names;
  for (std::size_t i = 0; i < table.size(); ++i) names[i] = table[i].name;
  for (const Entry& entry : table)
    if (entry.name == name) return entry.make(entry, arguments);
  const std::string hint = near_miss(name, names);
  if (name == "lp_bound")
    return fail(
        ErrorCode::usage,
        "policy 'lp_bound' is an upper bound that no placement need reach; run evicpress or optimal: runs, reports, "
        "sweeps and simulate give lp_gap, what is left to it");
  std::string message = "policy '" + std::string(name) + "' is not known; ";
  if (!hint.empty()) {
    message += "did you mean '" + hint + "'?";
  } else {
    message += "choose one of";
    for (std::size_t i = 0; i < names.size(); ++i) message += (i == 0 ? " " : ", ") + std::string(names[i]);
  }
  return fail(ErrorCode::usage, message);
}

std::optional<FixedText> read_fixed(std::string_view text) {
  constexpr std::string_view begin = "fixed(";
  if (!text.starts_with(begin) || !make_policy(text)) return {};
  const auto arguments = split_arguments(text.substr(begin.size(), text.size() - begin.size() - 1));
  FixedText fixed{std::string((*arguments)[0]), *parse_removed_fraction((*arguments)[1], "policy 'fixed'")};
  if (arguments->size() == 3) fixed.eviction = (*arguments)[2].substr(eviction_key.size());
  return fixed;
}

std::vector<std::string> known_policies() {
  return {"full_prefill",
          "lru",
          "lfu",
          "s3fifo",
          "gdsf",
          "fixed(knorm,0.5)",
          "fixed(keydiff,0.5)",
          "fixed(snapkv,0.5)",
          "evicpress",
          "evicpress(start=quality)",
          "evicpress(drop=per_byte)",
          "evicpress(drop=best)",
          "adaptcache",
          "adaptcache(utility=printed)",
          "impress(kept=0.5)",
          "optimal"};
}

}  // namespace kvantage
