#include "core/imported/serving/yaml_json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <vector>

#include "core/base/json_fields.h"
#include "core/base/units.h"

#ifdef KVANTAGE_YAML
#include <yaml.h>
#endif

namespace kvantage::inline serving_files {

#ifdef KVANTAGE_YAML

namespace {

tl::unexpected<Error> refuse_yaml(const std::string& name, std::size_t line, const std::string& reason) {
  return fail(ErrorCode::rejected_input, name + ": line " + std::to_string(line + 1) + ": " + reason);
}

bool all_of_digits(std::string_view text, std::string_view digits) {
  return text.find_first_not_of(digits) == std::string_view::npos;
}

/// "0x1F", "017", "0b11", "1_000"; null where it is none, or more than 64 bits.
Json yaml_integer(std::string_view word) {
  const bool negative = word.starts_with('-');
  if (negative || word.starts_with('+')) word.remove_prefix(1);
  int base = 10;
  if (word.starts_with("0x")) base = 16;
  if (word.starts_with("0b")) base = 2;
  if (base != 10)
    word.remove_prefix(2);
  else if (word.size() > 1 && word.front() == '0')
    base = 8;
  constexpr std::string_view hexadecimal = "0123456789abcdefABCDEF_", decimal = "0123456789_";
  if (word.empty() || word.front() == '_' || !all_of_digits(word, base == 16 ? hexadecimal : decimal)) return {};
  std::string digits(word);
  std::erase(digits, '_');
  std::uint64_t value = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (code != std::errc() || end != digits.data() + digits.size()) return {};
  if (!negative) return value;
  constexpr std::uint64_t lowest = std::uint64_t{1} << 63;
  return value <= lowest ? Json(static_cast<std::int64_t>(~value + 1)) : Json();
}

/// "0.5", ".5", "1_0.0e+3": with a point, and an exponent with its sign. Null where it is none.
Json yaml_float(std::string_view word) {
  std::string text(word);
  std::erase(text, '_');
  const std::size_t point = text.find('.'), exponent = text.find_first_of("eE");
  if (point == std::string::npos || exponent < point || !all_of_digits(text, "0123456789.+-eE")) return {};
  if (text.find_first_of("0123456789") == std::string::npos) return {};
  if (exponent != std::string::npos && text.find_first_of("+-", exponent) != exponent + 1) return {};
  const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
  double value = 0;
  const auto [end, code] = std::from_chars(begin, text.data() + text.size(), value);
  return code == std::errc() && end == text.data() + text.size() ? Json(value) : Json();
}

Json plain_scalar(std::string_view word) {
  constexpr std::array<std::string_view, 9> yes{"yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"};
  constexpr std::array<std::string_view, 9> no{"no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"};
  constexpr std::array<std::string_view, 5> nothing{"", "~", "null", "Null", "NULL"};
  if (std::ranges::find(nothing, word) != nothing.end()) return nullptr;
  if (std::ranges::find(yes, word) != yes.end()) return true;
  if (std::ranges::find(no, word) != no.end()) return false;
  if (Json number = yaml_integer(word); !number.is_null()) return number;
  if (Json number = yaml_float(word); !number.is_null()) return number;
  return valid_utf8(word);
}

struct OpenedParser {
  yaml_parser_t parser{};
  const bool is_open = yaml_parser_initialize(&parser) != 0;
  OpenedParser() = default;
  OpenedParser(const OpenedParser&) = delete;
  OpenedParser& operator=(const OpenedParser&) = delete;
  ~OpenedParser() {
    if (is_open) yaml_parser_delete(&parser);
  }
};

struct ReadEvent {
  yaml_event_t event{};
  ReadEvent() = default;
  ReadEvent(const ReadEvent&) = delete;
  ReadEvent& operator=(const ReadEvent&) = delete;
  ~ReadEvent() { yaml_event_delete(&event); }
};

/// Builds the document from libyaml's events.
class YamlDocument {
 public:
  explicit YamlDocument(const std::string& name) : name_(name) {}

  Status take(const yaml_event_t& event) {
    const std::size_t line = event.start_mark.line;
    switch (event.type) {
      case YAML_DOCUMENT_START_EVENT:
        return ++documents_ > 1 ? Status(refuse_yaml(name_, line, "a second document begins; keep one")) : Status();
      case YAML_ALIAS_EVENT:
        return refuse_yaml(name_, line, "an alias (*) is not read; write the value out");
      case YAML_SCALAR_EVENT:
        return take_scalar(event);
      case YAML_SEQUENCE_START_EVENT:
        return open(Json::array(), event.data.sequence_start.anchor, event.data.sequence_start.tag, line);
      case YAML_MAPPING_START_EVENT:
        return open(Json::object(), event.data.mapping_start.anchor, event.data.mapping_start.tag, line);
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT:
        return close(line);
      default:
        return {};
    }
  }
  Json result() { return std::move(root_); }

 private:
  struct Level {
    Json value;
    std::string key = {};
    bool has_key = false;  // of a mapping: whose value is next
  };

  Status plain(const yaml_char_t* anchor, const yaml_char_t* tag, std::size_t line) const {
    if (anchor != nullptr) return refuse_yaml(name_, line, "an anchor (&) is not read; write the value out");
    if (tag != nullptr) return refuse_yaml(name_, line, "a tag (!) is not read; leave it out");
    return {};
  }

  Status take_scalar(const yaml_event_t& event) {
    const auto& scalar = event.data.scalar;
    const std::size_t line = event.start_mark.line;
    KV_TRY(plain(scalar.anchor, scalar.tag, line));
    const std::string_view word(reinterpret_cast<const char*>(scalar.value), scalar.length);
    if (!levels_.empty() && levels_.back().value.is_object() && !levels_.back().has_key) {
      levels_.back().key = valid_utf8(word);
      levels_.back().has_key = true;
      return {};
    }
    return add(scalar.style == YAML_PLAIN_SCALAR_STYLE ? plain_scalar(word) : Json(valid_utf8(word)), line);
  }

  Status open(Json container, const yaml_char_t* anchor, const yaml_char_t* tag, std::size_t line) {
    KV_TRY(plain(anchor, tag, line));
    if (!levels_.empty() && levels_.back().value.is_object() && !levels_.back().has_key)
      return refuse_yaml(name_, line, "a key is a list or an object; write it as a text");
    if (levels_.size() >= max_yaml_depth)
      return refuse_yaml(name_, line,
                         "nested too deeply; at most " + std::to_string(max_yaml_depth) + " levels are read");
    levels_.push_back({std::move(container)});
    return {};
  }

  Status close(std::size_t line) {
    Json done = std::move(levels_.back().value);
    levels_.pop_back();
    return add(std::move(done), line);
  }

  Status add(Json value, std::size_t line) {
    if (levels_.empty()) {
      root_ = std::move(value);
      return {};
    }
    Level& level = levels_.back();
    if (level.value.is_array()) {
      level.value.push_back(std::move(value));
      return {};
    }
    if (level.key == "<<") return refuse_yaml(name_, line, "a merge key (<<) is not read; write the values out");
    level.value[level.key] = std::move(value);
    level.has_key = false;
    return {};
  }

  const std::string& name_;
  Json root_;
  std::vector<Level> levels_;
  int documents_ = 0;
};

}  // namespace

bool has_yaml() { return true; }

Expected<Json> json_of_yaml(std::string_view text, const std::string& name) {
  if (text.size() > max_yaml_bytes)
    return fail(ErrorCode::rejected_input, name + ": has more than " + format_bytes(max_yaml_bytes) +
                                               "; settings are short: give the file of a serving system");
  OpenedParser opened;
  if (!opened.is_open) return fail(ErrorCode::no_space, name + ": no memory for its parser; close other programs");
  yaml_parser_t& parser = opened.parser;
  yaml_parser_set_input_string(&parser, reinterpret_cast<const unsigned char*>(text.data()), text.size());
  YamlDocument document(name);
  for (;;) {
    ReadEvent read;
    if (yaml_parser_parse(&parser, &read.event) == 0)
      return refuse_yaml(name, std::max(parser.problem_mark.line, parser.mark.line),
                         std::string(parser.problem == nullptr ? "no YAML" : parser.problem) + "; correct it");
    if (read.event.type == YAML_STREAM_END_EVENT) return document.result();
    KV_TRY(document.take(read.event));
  }
}

#else

bool has_yaml() { return false; }

Expected<Json> json_of_yaml(std::string_view, const std::string& name) {
  return fail(ErrorCode::rejected_input,
              name + ": this build reads no YAML; install libyaml-dev and build again, or convert the file to JSON");
}

#endif

}  // namespace kvantage::inline serving_files
