#include "core/text/jinja/template.h"

#include <limits>

#include "core/text/jinja/evaluator.h"
#include "core/text/jinja/parser.h"
#include "core/text/unicode.h"

namespace kvantage::inline jinja {

struct JinjaTemplate::Parsed {
  JinjaBlock whole;
};

Expected<JinjaTemplate> JinjaTemplate::parse(std::string_view source) {
  if (source.size() > max_source_bytes)
    return fail(ErrorCode::rejected_input, "line 1: the template is longer than 1 MiB");
  KV_ASSIGN(auto tokens, JinjaLexer(mended_utf8(source)).run());
  auto parsed = std::make_shared<Parsed>();
  KV_ASSIGN(parsed->whole, JinjaParser(std::move(tokens)).run());
  JinjaTemplate made;
  made.parsed_ = std::move(parsed);
  return made;
}

Expected<std::string> JinjaTemplate::render(JinjaVariables variables, std::optional<JinjaTime> time) const {
  return JinjaEvaluator(std::move(variables), time).run(parsed_->whole);
}

JinjaValue jinja_value_of(const OrderedJson& json) {
  if (json.is_boolean()) return JinjaValue::boolean(json.get<bool>());
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()})
    return JinjaValue::real(json.get<double>());
  if (json.is_number_integer()) return JinjaValue::integer(json.get<std::int64_t>());
  if (json.is_number()) return JinjaValue::real(json.get<double>());
  if (json.is_string()) return JinjaValue::text(mended_utf8(json.get_ref<const std::string&>()));
  if (json.is_array()) {
    std::vector<JinjaValue> items;
    items.reserve(json.size());
    for (const OrderedJson& item : json) items.push_back(jinja_value_of(item));
    return JinjaValue::list(std::move(items));
  }
  if (!json.is_object()) return JinjaValue::none();
  JinjaPairs pairs;
  pairs.reserve(json.size());
  for (const auto& [key, value] : json.items()) pairs.emplace_back(JinjaValue::text(key), jinja_value_of(value));
  return JinjaValue::map(std::move(pairs));
}

}  // namespace kvantage::inline jinja
