// Parameter tables of policies, methods and codecs, with defaults and ranges. Help, canonical text and errors are all
// derived from one table.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/form_text.h"

namespace kvantage {

struct ParameterInfo {
  enum class Kind : std::uint8_t { word, whole, real, text };
  std::string key = {};  // placeholder in help for a parameter without a default: "METHOD"
  Kind kind = Kind::word;
  std::string default_value = {};         // empty: required, given by position
  std::vector<std::string> choices = {};  // of word parameters, the default first
  double low = 0, high = 1;               // of real-number parameters
  bool with_low = true, with_high = true;
  Expected<std::string> (*read)(std::string_view text) = nullptr;  // of text parameters: the canonical text
  std::string meaning = {};                                        // shown in help after the key; empty: its choices
  std::string example = {};     // appended to the error for a value that is not a number or out of
                                // range
  bool always_written = false;  // kept in canonical text even at its default

  bool is_required() const { return default_value.empty(); }
};

/// `choices`: "utility|quality", the default first.
ParameterInfo one_of(std::string key, std::string_view choices, std::string meaning = {});
/// 0 or more.
ParameterInfo whole_number(std::string key, std::uint64_t default_value, std::string meaning);

/// "NAME(METHOD,start=utility,replan_requests=16)": the form with the defaults.
std::string form_with_defaults(std::string_view name, const std::vector<ParameterInfo>& parameters);
/// "NAME(METHOD,start=utility|quality,replan_requests=N)": the form with its choices.
std::string form_with_choices(std::string_view name, const std::vector<ParameterInfo>& parameters);
/// "start: utility (section 4.4) or quality (algorithm 1); replan_requests: ...".
std::string parameter_text(const std::vector<ParameterInfo>& parameters);

/// The arguments that a text gives for a parameter table, with defaults for the rest.
class FormArguments {
 public:
  /// `kind` as in FormText::read. usage error for an unknown, repeated, missing or ill-typed parameter; `example` is a
  /// valid text.
  static Expected<FormArguments> resolve(const FormText& form, const std::vector<ParameterInfo>& parameters,
                                         std::string_view kind, std::string_view example);

  const std::string& text(std::string_view key) const;
  bool is(std::string_view key, std::string_view word) const { return text(key) == word; }
  std::uint64_t whole(std::string_view key) const;
  double real(std::string_view key) const;
  /// Only what differs from the defaults, in table order: "evicpress(drop=best)".
  const std::string& canonical_text() const { return canonical_; }

 private:
  std::vector<std::pair<std::string, std::string>> values_;  // (key, value), in table order
  std::string canonical_;
};

}  // namespace kvantage
