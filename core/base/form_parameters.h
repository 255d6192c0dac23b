// Parameters of a kind of thing, each with its default and range, and what a text gives for them. Help, canonical text
// and errors follow from the list, so that nothing of it is written twice.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/form_text.h"

namespace kvantage {

struct ParameterInfo {
  enum class Kind : std::uint8_t { word, whole, real, text };
  std::string key = {};  // of parameters that have no default, by which help calls them: "METHOD"
  Kind kind = Kind::word;
  std::string default_value = {};         // empty: it must be given, by its position
  std::vector<std::string> choices = {};  // of words, the default first
  double low = 0, high = 1;               // of real numbers
  bool with_low = true, with_high = true;
  Status (*check)(std::string_view text) = nullptr;  // of texts
  std::string meaning = {};                          // in help, behind its key; empty: its choices
  std::string example = {};                          // closes the error of a number that is none or out of range
  bool always_written = false;                       // in canonical text, although it has its default

  bool is_required() const { return default_value.empty(); }
};

/// `choices`: "utility|quality", the default first.
ParameterInfo one_of(std::string key, std::string_view choices, std::string meaning = {});
/// From 0 on.
ParameterInfo whole_number(std::string key, std::uint64_t default_value, std::string meaning);

/// "NAME(METHOD,start=utility,replan_requests=16)": the form with the defaults.
std::string form_with_defaults(std::string_view name, const std::vector<ParameterInfo>& parameters);
/// "NAME(METHOD,start=utility|quality,replan_requests=N)": the form with what may be given.
std::string form_with_choices(std::string_view name, const std::vector<ParameterInfo>& parameters);
/// "start: utility (section 4.4) or quality (algorithm 1); replan_requests: ...".
std::string parameter_text(const std::vector<ParameterInfo>& parameters);

/// What a text gives for a list of parameters, defaults in place of the rest.
class FormArguments {
 public:
  /// `kind` as in FormText::read. usage error for an unknown, repeated, missing or ill-typed parameter; `example` is a
  /// text that is understood.
  static Expected<FormArguments> resolve(const FormText& form, const std::vector<ParameterInfo>& parameters,
                                         std::string_view kind, std::string_view example);

  const std::string& text(std::string_view key) const;
  bool is(std::string_view key, std::string_view word) const { return text(key) == word; }
  std::uint64_t whole(std::string_view key) const;
  double real(std::string_view key) const;
  /// Only what differs from the defaults, in the order of the list: "evicpress(drop=best)".
  const std::string& canonical_text() const { return canonical_; }

 private:
  std::vector<std::pair<std::string, std::string>> values_;  // by key, in the order of the list
  std::string canonical_;
};

}  // namespace kvantage
