// Values of a Jinja template: what Python's objects are there. Texts, lists and maps are shared, never changed once
// they are made; a namespace alone can be written to.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/error.h"
#include "core/text/jinja/budget.h"

namespace kvantage::inline jinja {

class JinjaValue;
struct JinjaMacro;
struct JinjaLoop;

/// Pairs in the order in which they were added, as in Python.
using JinjaPairs = std::vector<std::pair<JinjaValue, JinjaValue>>;

/// `name`: what was looked up, for messages.
struct JinjaUndefined {
  std::string name;
};
struct JinjaNone {};

struct JinjaList {
  /// An iterator yields its items once; a view (dict.items()) and a range have no text here.
  enum class Kind { list, tuple, iterator, view, range };
  Kind kind = Kind::list;
  std::vector<JinjaValue> items;
  mutable std::size_t taken = 0;  // of an iterator
  int depth = 1;                  // of lists and mappings in one another
};

struct JinjaMap {
  JinjaPairs pairs;
  int depth = 1;
  /// By a text key; nullptr: there is none.
  const JinjaValue* find(std::string_view key) const;
  /// Keys are texts, numbers, booleans and none.
  const JinjaValue* find(const JinjaValue& key) const;
};

/// namespace(...): attributes are set with {% set name.attribute = ... %}.
struct JinjaNamespace {
  std::vector<std::pair<std::string, JinjaValue>> attributes;
  const JinjaValue* find(std::string_view name) const;
  void set(const std::string& name, JinjaValue value);
};

/// A function of the environment ("range"), or a method of an object ("strip" of a text).
struct JinjaFunction {
  std::string name;
  std::shared_ptr<const JinjaValue> object;  // nullptr: a function
};

using JinjaText = std::shared_ptr<const std::string>;  // valid UTF-8

class JinjaValue {
 public:
  using Held =
      std::variant<JinjaUndefined, JinjaNone, bool, std::int64_t, double, JinjaText, std::shared_ptr<const JinjaList>,
                   std::shared_ptr<const JinjaMap>, std::shared_ptr<JinjaNamespace>, std::shared_ptr<const JinjaMacro>,
                   JinjaFunction, std::shared_ptr<const JinjaLoop>>;

  JinjaValue() = default;  // undefined
  static JinjaValue undefined(std::string name) { return of(JinjaUndefined{std::move(name)}); }
  static JinjaValue none() { return of(JinjaNone{}); }
  static JinjaValue boolean(bool value) { return of(value); }
  static JinjaValue integer(std::int64_t value) { return of(value); }
  static JinjaValue real(double value) { return of(value); }
  static JinjaValue text(std::string value) { return of(std::make_shared<const std::string>(std::move(value))); }
  static JinjaValue list(std::vector<JinjaValue> items, JinjaList::Kind kind = JinjaList::Kind::list);
  static JinjaValue map(JinjaPairs pairs);
  template <class T>
  static JinjaValue of(T held) {
    JinjaValue value;
    value.held_ = Held(std::in_place_type<T>, std::move(held));
    return value;
  }

  template <class T>
  bool is() const {
    return std::holds_alternative<T>(held_);
  }
  template <class T>
  const T& as() const {
    return std::get<T>(held_);
  }

  bool is_undefined() const { return is<JinjaUndefined>(); }
  bool is_none() const { return is<JinjaNone>(); }
  bool is_number() const { return is<std::int64_t>() || is<double>() || is<bool>(); }
  /// nullptr for other kinds.
  const std::string* as_text() const;
  const JinjaList* as_list() const;
  const JinjaMap* as_map() const;
  /// Of a bool, too, as in Python; only for these kinds.
  std::int64_t as_integer() const { return is<bool>() ? static_cast<std::int64_t>(as<bool>()) : as<std::int64_t>(); }
  double as_real() const { return is<double>() ? as<double>() : static_cast<double>(as_integer()); }
  bool is_integer() const { return is<std::int64_t>() || is<bool>(); }

  /// Of lists and mappings in one another; 0: it is neither.
  int nesting() const;
  /// bool(value).
  bool truth() const;
  /// Of its type, for messages: "a text", "a list".
  const char* kind_name() const;

 private:
  Held held_;
};

/// value == other, as in Python: 1 == 1.0 == True. Takes a step of the budget for each value in them, and is false once
/// none is left.
bool jinja_equal(const JinjaValue& a, const JinjaValue& b, JinjaBudget& budget);

}  // namespace kvantage::inline jinja
