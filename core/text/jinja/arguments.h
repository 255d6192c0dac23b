// Arguments of a call of a function, method, filter or test.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "core/text/jinja/operators.h"

namespace kvantage::inline jinja {

struct JinjaArguments {
  std::vector<JinjaValue> positional;
  std::vector<std::pair<std::string, JinjaValue>> named;
};

/// Arguments by the names of the parameters, in their order; those that are not given are undefined. The first
/// `required` must be given.
class JinjaBound {
 public:
  /// `what`: "filter 'indent'", for messages. rejected_input for too many, unknown or missing arguments.
  static Expected<JinjaBound> bind(const JinjaArguments& arguments, std::initializer_list<const char*> names,
                                   std::size_t required, const std::string& what);

  bool has(std::size_t i) const { return given_[i]; }
  const JinjaValue& value(std::size_t i) const { return values_[i]; }
  /// The argument, or `otherwise` where it is not given (or none, for a text). rejected_input for another type.
  Expected<std::string> text(std::size_t i, const std::string& otherwise) const;
  Expected<std::int64_t> integer(std::size_t i, std::int64_t otherwise) const;
  bool flag(std::size_t i, bool otherwise) const { return has(i) ? values_[i].truth() : otherwise; }

 private:
  tl::unexpected<Error> wrong(std::size_t i, const char* wanted) const;
  std::string what_;
  std::vector<std::string> names_;
  std::vector<JinjaValue> values_;
  std::vector<bool> given_;
};

}  // namespace kvantage::inline jinja
