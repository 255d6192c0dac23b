// Text forms of methods, "name(key=value,...)", checked against a table of parameters with defaults. The grammar is in
// form_text.h.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/form_text.h"

namespace kvantage {

struct MethodText {
  std::string name;
  std::vector<std::pair<std::string, std::string>> values;  // in the order given
};

/// Parses "snapkv(window=32, kernel=5)". usage error for anything else.
Expected<MethodText> read_method_text(std::string_view text);
/// The name of a form with these of its arguments, each key=value.
Expected<MethodText> method_text_of(const FormText& form, std::span<const FormText::Argument> arguments);

/// Parameters of one method: defaults, overridden by a text form. The default sets the type: integer, real (it has a
/// point) or word.
class Parameters {
 public:
  /// `defaults`: "window=64,kernel=5" or empty. usage error for an unknown, repeated or ill-typed parameter.
  static Expected<Parameters> resolve(const MethodText& text, std::string_view defaults);

  /// usage error, naming the parameter and the range, when the value is out of range.
  Expected<int> integer(std::string_view key, int least, int most) const;
  /// The same for a parameter whose default has a point.
  Expected<double> real(std::string_view key, double least, double most) const;
  /// usage error, naming the choices, when the value is none of them.
  Expected<std::string> word(std::string_view key, std::vector<std::string_view> choices) const;
  /// A word without a list of choices, such as a path.
  std::string text(std::string_view key) const { return value(key); }
  /// "snapkv(window=32)": only what differs from the defaults, in the table's order.
  std::string canonical_text() const;

 private:
  struct Parameter {
    std::string key, default_value, value;
  };
  const std::string& value(std::string_view key) const;

  std::string name_;
  std::vector<Parameter> parameters_;
};

}  // namespace kvantage
