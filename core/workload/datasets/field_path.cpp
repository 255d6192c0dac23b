#include "core/workload/datasets/field_path.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "core/workload/field_map.h"

namespace kvantage::inline datasets {
namespace {

const Json& null_value() {
  static const Json null;
  return null;
}

const Json* member_of(const Json& object, std::string_view name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(std::string(name));
  return found == object.end() ? nullptr : &*found;
}

// Of an object, in this order.
const Json* text_member(const Json& object) {
  for (const char* name : {"text", "content", "value", "answer", "passage", "document", "paragraph", "question"})
    if (const Json* member = member_of(object, name)) return member;
  return nullptr;
}

void add_paths(const Json& entry, const std::string& before, int deeper, std::vector<std::string>& paths) {
  if (!entry.is_object()) return;
  constexpr std::size_t most = 200;
  for (const auto& [name, value] : entry.items()) {
    if (paths.size() >= most) return;
    const Json* inner = value.is_array() && !value.empty() && value.front().is_object() ? &value.front()
                        : value.is_object() && !value.empty()                           ? &value
                                                                                        : nullptr;
    if (inner != nullptr && deeper > 0)
      add_paths(*inner, before + name + ".", deeper - 1, paths);
    else
      paths.push_back(before + name);
  }
}

}  // namespace

FoundValues values_at(const Json& entry, std::string_view path) {
  if (const Json* whole = member_of(entry, path)) return {{whole}, false};
  const std::size_t dot = path.find('.');
  const std::string_view first = path.substr(0, dot);
  if (entry.is_array()) {
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(first.data(), first.data() + first.size(), index);
    if (error == std::errc() && end == first.data() + first.size()) {
      if (index >= entry.size()) return {};
      return dot == std::string_view::npos ? FoundValues{{&entry[index]}, false}
                                           : values_at(entry[index], path.substr(dot + 1));
    }
    FoundValues found{{}, true};
    found.values.reserve(entry.size());
    bool any = false;
    for (const Json& item : entry) {
      const FoundValues inner = values_at(item, path);
      any = any || !inner.values.empty();
      if (inner.values.empty()) found.values.push_back(&null_value());
      found.values.insert(found.values.end(), inner.values.begin(), inner.values.end());
    }
    return any ? found : FoundValues{};
  }
  const Json* member = member_of(entry, first);
  if (member == nullptr || dot == std::string_view::npos) return {};
  return values_at(*member, path.substr(dot + 1));
}

std::vector<std::string> field_paths(const Json& entry) {
  std::vector<std::string> paths;
  add_paths(entry, "", 2, paths);
  return paths;
}

bool is_constant(std::string_view path) { return path.size() >= 2 && path.front() == '"' && path.back() == '"'; }
std::string constant_text(std::string_view path) { return std::string(path.substr(1, path.size() - 2)); }

Expected<std::string> text_of_value(const Json& value, const std::string& where) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_null()) return std::string();
  if (value.is_boolean() || value.is_number()) return dump_json(value);
  if (value.is_array()) {
    std::string text;
    for (std::size_t i = 0; i < value.size(); ++i) {
      KV_ASSIGN(const auto part, text_of_value(value[i], where + "[" + std::to_string(i) + "]"));
      if (!part.empty()) text += (text.empty() ? "" : "\n\n") + part;
    }
    return text;
  }
  const Json* text = text_member(value);
  if (text == nullptr || text->is_object()) {
    std::vector<std::string> names;
    for (const auto& [name, ignored] : value.items()) names.push_back(name);
    return fail(ErrorCode::rejected_input, where + " is an object without a text (its fields: " + listed_fields(names) +
                                               "); name one of them with a dot, like FIELD." +
                                               (names.empty() ? "text" : printable(names.front())));
  }
  KV_ASSIGN(auto words, text_of_value(*text, where));
  const Json* title = member_of(value, "title");
  return title != nullptr && title->is_string() && !title->get_ref<const std::string&>().empty()
             ? title->get<std::string>() + "\n" + words
             : words;
}

Expected<std::vector<std::string>> texts_of_value(const Json& value, const std::string& where) {
  std::vector<std::string> texts;
  if (value.is_object())  // {"text": [...], "answer_start": [...]}
    if (const Json* text = text_member(value); text != nullptr && text->is_array()) return texts_of_value(*text, where);
  if (!value.is_array()) {
    KV_ASSIGN(auto text, text_of_value(value, where));
    if (!text.empty()) texts.push_back(std::move(text));
    return texts;
  }
  texts.reserve(value.size());
  for (std::size_t i = 0; i < value.size(); ++i) {
    KV_ASSIGN(auto text, text_of_value(value[i], where + "[" + std::to_string(i) + "]"));
    if (!text.empty()) texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace kvantage::inline datasets
