// The grammar of every text that names a thing and its parameters: policies, methods, codecs, decode-time eviction.
//
//   chain    = form { "+" form }
//   form     = name [ "(" argument { "," argument } ")" ]
//   argument = [ key "=" ] value
//
// A value is any text in which parentheses balance, so it may be a chain itself: in
// "fixed(adakv(snapkv,safeguard=30)+kivi4,0.5,eviction=lfu)" the first argument is a method. What names, keys and
// values there are is for the callers to say: core/base/form_parameters.h, core/base/text_form.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace kvantage {

/// The pieces of a text between marks that are outside of parentheses; one piece, maybe empty, where there is no mark.
std::vector<std::string_view> split_outside_parentheses(std::string_view text, char mark);
/// "a, f(b,c),d" -> "a", "f(b,c)", "d": without spaces and empty items.
std::vector<std::string> split_list(std::string text);
/// Without spaces and tabs at both ends.
std::string_view trimmed(std::string_view text);

/// One form taken apart. All parts are views of the text that was read, which outlives them.
class FormText {
 public:
  struct Argument {
    std::string_view key;  // empty: given by its position
    std::string_view value;
  };

  /// `kind` is what the usage error calls the thing: "policy", "method".
  static Expected<FormText> read(std::string_view text, std::string_view kind);
  /// "a=1" is a and 1; text whose first '=' is behind a parenthesis has no key.
  static Argument argument_of(std::string_view piece);

  std::string_view text() const { return text_; }
  std::string_view name() const { return name_; }
  bool has_parentheses() const { return has_parentheses_; }
  /// "lru" has none, "lru()" has one that is empty.
  const std::vector<Argument>& arguments() const { return arguments_; }
  /// The first key that is given twice; empty: none is.
  std::string_view repeated_key() const;

 private:
  std::string_view text_, name_;
  bool has_parentheses_ = false;
  std::vector<Argument> arguments_;
};

}  // namespace kvantage
