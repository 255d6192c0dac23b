// A template of Jinja, as transformers compiles chat templates: the part of the language that chat templates use, as
// far as we know them. Everything else is refused by its name and line, and a template of any kind ends within bounded
// steps, depth and memory.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/json.h"
#include "core/text/jinja/time.h"
#include "core/text/jinja/value.h"

namespace kvantage::inline jinja {

using JinjaVariables = std::map<std::string, JinjaValue, std::less<>>;

class JinjaTemplate {
 public:
  static constexpr std::size_t max_source_bytes = std::size_t{1} << 20;

  /// rejected_input: "line 3: the tag 'include' is not supported".
  static Expected<JinjaTemplate> parse(std::string_view source);
  /// Thread-safe. `time`: what strftime_now gives; nothing: there is no such function. Errors as parse.
  Expected<std::string> render(JinjaVariables variables, std::optional<JinjaTime> time) const;

 private:
  struct Parsed;
  std::shared_ptr<const Parsed> parsed_;
};

/// The same value for a template.
JinjaValue jinja_value_of(const OrderedJson& json);

}  // namespace kvantage::inline jinja
