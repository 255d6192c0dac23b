#include "core/text/jinja/arguments.h"

#include <algorithm>

#include "core/base/json.h"

namespace kvantage::inline jinja {

Expected<JinjaBound> JinjaBound::bind(const JinjaArguments& arguments, std::initializer_list<const char*> names,
                                      std::size_t required, const std::string& what) {
  JinjaBound bound;
  bound.what_ = what;
  bound.names_.assign(names.begin(), names.end());
  bound.values_.resize(names.size());
  bound.given_.resize(names.size());
  if (arguments.positional.size() > names.size())
    return jinja_refuse(what + " takes at most " + std::to_string(names.size()) + " arguments");
  for (std::size_t i = 0; i < arguments.positional.size(); ++i) {
    bound.values_[i] = arguments.positional[i];
    bound.given_[i] = true;
  }
  for (const auto& [name, value] : arguments.named) {
    const auto at = static_cast<std::size_t>(std::ranges::find(bound.names_, name) - bound.names_.begin());
    if (at == bound.names_.size() || bound.given_[at])
      return jinja_refuse(what + ": the argument '" + printable(name) +
                          (at == bound.names_.size() ? "' is not supported" : "' is given twice"));
    bound.values_[at] = value;
    bound.given_[at] = true;
  }
  for (std::size_t i = 0; i < required; ++i)
    if (!bound.given_[i]) return jinja_refuse(what + " needs the argument '" + bound.names_[i] + "'");
  return bound;
}

tl::unexpected<Error> JinjaBound::wrong(std::size_t i, const char* wanted) const {
  return jinja_refuse(what_ + ": the argument '" + names_[i] + "' is " + values_[i].kind_name() + " instead of " +
                      wanted);
}

Expected<std::string> JinjaBound::text(std::size_t i, const std::string& otherwise) const {
  if (!has(i) || values_[i].is_none()) return otherwise;
  if (const std::string* const given = values_[i].as_text()) return *given;
  return wrong(i, "a text");
}

Expected<std::int64_t> JinjaBound::integer(std::size_t i, std::int64_t otherwise) const {
  if (!has(i)) return otherwise;
  if (values_[i].is_integer()) return values_[i].as_integer();
  return wrong(i, "an integer");
}

}  // namespace kvantage::inline jinja
