// The grammar of every text that names a thing and its parameters: policies, methods, codecs, decode-time eviction.
//
//   chain    = form { "+" form }
//   form     = name [ "(" argument { "," argument } ")" ]
//   argument = [ key "=" ] value
//
// A value is any text with balanced parentheses, so it may itself be a chain: in
// "fixed(adakv(snapkv,safeguard=30)+kivi4,0.5,eviction=lfu)" the first argument is a method. Callers define the valid
// names, keys and values: core/base/form_parameters.h, core/base/text_form.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace kvantage {

/// Splits a text at separators outside parentheses; one piece, possibly empty, where there is no separator.
std::vector<std::string_view> split_outside_parentheses(std::string_view text, char mark);
/// "a, f(b,c),d" -> "a", "f(b,c)", "d": without spaces and empty items.
std::vector<std::string> split_list(std::string text);
/// The same with the spaces inside items: those of a formula separate its names.
std::vector<std::string> split_policies(std::string_view text);
/// Without spaces and tabs at both ends.
std::string_view trimmed(std::string_view text);

/// One parsed form. All parts are views of the parsed text, which must outlive them.
class FormText {
 public:
  struct Argument {
    std::string_view key;  // empty: positional
    std::string_view value;
  };

  /// `kind` is the word for the thing in usage errors: "policy", "method".
  static Expected<FormText> read(std::string_view text, std::string_view kind);
  /// The name alone, also of a text that is no form: all before the first parenthesis.
  static std::string_view name_of(std::string_view text) { return text.substr(0, text.find('(')); }
  /// "a=1" is a and 1; a text whose first '=' comes after a parenthesis, or is part of <=, >=, == or !=, has no key.
  static Argument argument_of(std::string_view piece);

  std::string_view text() const { return text_; }
  /// Without spaces at both ends.
  std::string_view name() const { return name_; }
  /// "lru" has none; "lru()" has one empty argument.
  const std::vector<Argument>& arguments() const { return arguments_; }
  /// The first key, without spaces, that is given twice; empty if none is.
  std::string_view repeated_key() const;

 private:
  std::string_view text_, name_;
  std::vector<Argument> arguments_;
};

}  // namespace kvantage
