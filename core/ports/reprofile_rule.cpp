#include "core/ports/reprofile_rule.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "core/base/did_you_mean.h"
#include "core/base/duration.h"
#include "core/base/form_text.h"
#include "core/base/json.h"

namespace kvantage::inline ports {
namespace {

constexpr std::array rule_kinds{ReprofileRule::Kind::below, ReprofileRule::Kind::relative,
                                ReprofileRule::Kind::absolute};
constexpr std::size_t longest_text = 100;  // an error repeats it

}  // namespace

const char* to_string(ReprofileRule::Kind kind) {
  switch (kind) {
    case ReprofileRule::Kind::below:
      return "below";
    case ReprofileRule::Kind::relative:
      return "relative";
    case ReprofileRule::Kind::absolute:
      return "absolute";
  }
  return "relative";
}

// Sums, not means: a division would round, and frozen runs repeat decisions made on sums.
bool ReprofileRule::falls_short(double achieved, double profiled, double weight) const {
  switch (kind) {
    case Kind::below:
      return !(achieved >= bound * weight);
    case Kind::relative:
      return !(achieved >= (1 - bound) * profiled);
    case Kind::absolute:
      return !(achieved >= profiled - bound * weight);
  }
  return false;
}

bool ReprofileRule::is_valid() const { return bound >= 0 && bound <= 1; }

std::string ReprofileRule::text() const { return std::string(to_string(kind)) + "(" + shortest_number(bound) + ")"; }

Expected<ReprofileRule> parse_reprofile_rule(std::string_view text) {
  if (text.size() > longest_text)
    return fail(ErrorCode::usage, "is longer than " + std::to_string(longest_text) + " bytes; shorten it");
  const auto refuse = [&text](const std::string& reason) {
    return fail(ErrorCode::usage, "'" + printable(text) + "' " + reason);
  };
  const std::string_view name = FormText::name_of(text);
  const auto kind = std::ranges::find(rule_kinds, name, [](ReprofileRule::Kind known) { return to_string(known); });
  if (kind == rule_kinds.end())
    return refuse("is not a re-profiling rule; " +
                  did_you_mean(name, rule_kinds, "write below(0.7), relative(0.3) or absolute(0.3)",
                               [](ReprofileRule::Kind known) { return to_string(known); }));
  const std::string example = ReprofileRule{*kind, *kind == ReprofileRule::Kind::below ? 0.7 : 0.3}.text();
  const auto form = FormText::read(text, "re-profiling rule");
  if (!form || form->arguments().size() != 1) return refuse("needs one number in parentheses; write " + example);
  const FormText::Argument& argument = form->arguments().front();
  ReprofileRule rule{*kind, 0};
  const char* const last = argument.value.data() + argument.value.size();
  const auto [end, code] = std::from_chars(argument.value.data(), last, rule.bound);
  if (!argument.key.empty() || code != std::errc() || end != last || !rule.is_valid())
    return refuse("has no number from 0 to 1; write " + example);
  rule.bound += 0.0;  // "-0" is 0
  return rule;
}

}  // namespace kvantage::inline ports
