#include "core/text/jinja/output.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/base/json.h"
#include "core/text/jinja/python_text.h"
#include "core/text/unicode.h"

namespace kvantage::inline jinja {
namespace {

constexpr int max_nesting = 60;  // of lists and mappings that are written

std::string hex_of(char32_t value, int digits) {
  std::string text;
  for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) text += "0123456789abcdef"[value >> shift & 15];
  return text;
}

std::string quoted_text(std::string_view text) {
  const bool single = text.find('\'') == std::string_view::npos || text.find('"') != std::string_view::npos;
  const char32_t quote = single ? U'\'' : U'"';
  std::string quoted(1, static_cast<char>(quote));
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = next_character(text, at);
    if (c == quote || c == '\\')
      (quoted += '\\') += static_cast<char>(c);
    else if (c == '\n')
      quoted += "\\n";
    else if (c == '\r')
      quoted += "\\r";
    else if (c == '\t')
      quoted += "\\t";
    else if (is_py_printable(c))
      append_character(quoted, c);
    else if (c < 0x100)
      quoted += "\\x" + hex_of(c, 2);
    else
      quoted += c < 0x10000 ? "\\u" + hex_of(c, 4) : "\\U" + hex_of(c, 8);
  }
  return quoted += static_cast<char>(quote);
}

/// A surrogate pair from U+10000 on.
std::string escaped(char32_t c) {
  if (c >= 0x10000) return escaped(0xD800 + ((c - 0x10000) >> 10)) + escaped(0xDC00 + ((c - 0x10000) & 0x3FF));
  return "\\u" + hex_of(c, 4);
}

/// repr(value), or json.dumps(value).
class Writer {
 public:
  Writer(const JinjaJsonStyle* json, JinjaBudget& budget) : json_(json), budget_(budget) {}

  Status write(const JinjaValue& value, int depth) {
    KV_TRY(budget_.take(1));
    if (depth > max_nesting) return fail(ErrorCode::rejected_input, "a value is nested too deeply to be written");
    if (const std::string* const text = value.as_text()) {
      KV_TRY(budget_.take_text(text->size()));
      text_ += json_ != nullptr ? json_text(*text) : quoted_text(*text);
      return {};
    }
    if (value.is<bool>()) {
      text_ += json_ != nullptr ? (value.as<bool>() ? "true" : "false") : (value.as<bool>() ? "True" : "False");
      return {};
    }
    if (value.is_none()) {
      text_ += json_ != nullptr ? "null" : "None";
      return {};
    }
    if (value.is<std::int64_t>()) {
      text_ += std::to_string(value.as<std::int64_t>());
      return {};
    }
    if (value.is<double>()) {
      const double number = value.as<double>();
      if (json_ != nullptr && !std::isfinite(number))
        text_ += std::isnan(number) ? "NaN" : number > 0 ? "Infinity" : "-Infinity";
      else
        text_ += py_real_text(number);
      return {};
    }
    if (const JinjaList* const list = value.as_list();
        list != nullptr && (list->kind == JinjaList::Kind::list || list->kind == JinjaList::Kind::tuple))
      return write_list(*list, depth);
    if (const JinjaMap* const map = value.as_map()) return write_map(*map, depth);
    if (value.is_undefined() && json_ == nullptr) {
      text_ += "Undefined";
      return {};
    }
    return fail(ErrorCode::rejected_input, std::string(value.kind_name()) + " cannot be written");
  }

  std::string take() { return std::move(text_); }

 private:
  std::string json_text(const std::string& text) const {
    const std::string quoted = dump_json(Json(text));
    if (!json_->ascii) return quoted;
    std::string ascii;
    for (std::size_t at = 0; at < quoted.size();)
      if (const char32_t c = next_character(quoted, at); c < 0x7F)
        ascii += static_cast<char>(c);
      else
        ascii += escaped(c);
    return ascii;
  }

  void separate(bool first, int depth) {
    const bool lines = json_ != nullptr && json_->indent >= 0;
    if (!first)
      text_ += json_ != nullptr && !json_->item_separator.empty() ? json_->item_separator : lines ? "," : ", ";
    if (lines) text_ += "\n" + std::string(static_cast<std::size_t>(json_->indent * depth), ' ');
  }

  Status write_list(const JinjaList& list, int depth) {
    const bool round = json_ == nullptr && list.kind == JinjaList::Kind::tuple;
    text_ += round ? '(' : '[';
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      separate(i == 0, depth + 1);
      KV_TRY(write(list.items[i], depth + 1));
    }
    if (round && list.items.size() == 1) text_ += ',';
    if (!list.items.empty() && json_ != nullptr && json_->indent >= 0) end_lines(depth);
    text_ += round ? ')' : ']';
    return {};
  }

  Status write_map(const JinjaMap& map, int depth) {
    text_ += '{';
    JinjaPairs pairs = map.pairs;
    if (json_ != nullptr && json_->sort_keys) {
      if (std::ranges::any_of(pairs, [](const auto& pair) { return pair.first.as_text() == nullptr; }))
        return fail(ErrorCode::rejected_input, "keys that are no texts cannot be sorted");
      std::ranges::stable_sort(pairs, {}, [](const auto& pair) -> const std::string& { return *pair.first.as_text(); });
    }
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      separate(i == 0, depth + 1);
      const JinjaValue& key = pairs[i].first;
      if (json_ != nullptr && key.as_text() == nullptr) {
        text_ += '"';
        KV_TRY(write(key, depth + 1));
        text_ += '"';
      } else {
        KV_TRY(write(key, depth + 1));
      }
      text_ += json_ != nullptr ? json_->key_separator : ": ";
      KV_TRY(write(pairs[i].second, depth + 1));
    }
    if (!pairs.empty() && json_ != nullptr && json_->indent >= 0) end_lines(depth);
    text_ += '}';
    return {};
  }

  void end_lines(int depth) { text_ += "\n" + std::string(static_cast<std::size_t>(json_->indent * depth), ' '); }

  const JinjaJsonStyle* json_;  // nullptr: repr
  JinjaBudget& budget_;
  std::string text_;
};

}  // namespace

std::string py_real_text(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
  char digits[64];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, number, std::chars_format::scientific);
  (void)error;                          // 64 characters are enough
  const std::string text(digits, end);  // "-1.25e+02"
  const std::size_t e = text.find('e');
  const int exponent = std::stoi(text.substr(e + 1));
  if (exponent < -4 || exponent >= 16) return text;
  const std::string sign = text[0] == '-' ? "-" : "";
  std::string mantissa = text.substr(sign.size(), e - sign.size());
  mantissa.erase(std::remove(mantissa.begin(), mantissa.end(), '.'), mantissa.end());
  if (exponent < 0) return sign + "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + mantissa;
  const auto whole = static_cast<std::size_t>(exponent) + 1;
  if (mantissa.size() <= whole) return sign + mantissa + std::string(whole - mantissa.size(), '0') + ".0";
  return sign + mantissa.substr(0, whole) + "." + mantissa.substr(whole);
}

Expected<std::string> jinja_text_of(const JinjaValue& value, JinjaBudget& budget) {
  if (value.is_undefined()) return std::string();
  if (const std::string* const text = value.as_text()) {
    KV_TRY(budget.take_text(text->size()));
    return *text;
  }
  Writer writer(nullptr, budget);
  KV_TRY(writer.write(value, 0));
  return writer.take();
}

Expected<std::string> jinja_json_of(const JinjaValue& value, const JinjaJsonStyle& style, JinjaBudget& budget) {
  Writer writer(&style, budget);
  KV_TRY(writer.write(value, 0));
  return writer.take();
}

}  // namespace kvantage::inline jinja
