#include "core/text/normalizer.h"

#include <vector>

#include "core/text/byte_letters.h"
#include "core/text/text_pattern.h"
#include "core/text/unicode.h"

namespace kvantage::inline text {
namespace {

struct UnicodeForm final : Normalizer {
  NormalForm form;
  explicit UnicodeForm(NormalForm wanted) : form(wanted) {}
  void apply(std::string& text, bool) const override { text = normalized(text, form); }
};

struct Lowercase final : Normalizer {
  void apply(std::string& text, bool) const override { text = lower_case_by_character(text); }
};

struct StripSpace final : Normalizer {
  bool left = true;
  bool right = true;
  void apply(std::string& text, bool) const override {
    std::size_t begin = 0;
    for (std::size_t at = 0; left && begin < text.size(); begin = at)
      if (!is_white_space(next_character(text, at))) break;
    std::size_t end = text.size();
    for (std::size_t at = end; right && end > begin; end = at)
      if (!is_white_space(previous_character(text, at))) break;
    text = text.substr(begin, end - begin);
  }
};

struct StripAccents final : Normalizer {
  void apply(std::string& text, bool) const override {
    std::string kept;
    for (std::size_t i = 0; i < text.size();)
      if (const char32_t character = next_character(text, i); !is_mark(character)) append_character(kept, character);
    text = std::move(kept);
  }
};

struct Prepend final : Normalizer {
  std::string prefix;
  void apply(std::string& text, bool continuation) const override {
    if (!text.empty() && !continuation) text.insert(0, prefix);
  }
};

struct Replace final : Normalizer {
  TextPattern pattern;
  std::string content;
  Replace(TextPattern what, std::string by) : pattern(std::move(what)), content(std::move(by)) {}
  void apply(std::string& text, bool) const override { pattern.replace_all(text, content); }
};

struct ByteLetters final : Normalizer {
  void apply(std::string& text, bool) const override { text = bytes_to_letters(text); }
};

struct Sequence final : Normalizer {
  std::vector<std::unique_ptr<Normalizer>> steps;
  void apply(std::string& text, bool continuation) const override {
    for (const auto& step : steps) step->apply(text, continuation);
  }
};

}  // namespace

Expected<std::unique_ptr<Normalizer>> make_normalizer(const Json& json, const std::string& name, int depth) {
  using Made = std::unique_ptr<Normalizer>;
  if (json.is_null()) return Made{};
  if (depth > 8) return fail(ErrorCode::rejected_input, name + ": normalizers are nested too deeply");
  KV_ASSIGN(auto type, json_field<std::string>(json, "type", name + ": normalizer"));
  const std::string where = name + ": normalizer " + type;
  if (type == "NFC") return Made(new UnicodeForm(NormalForm::nfc));
  if (type == "NFD") return Made(new UnicodeForm(NormalForm::nfd));
  if (type == "NFKC") return Made(new UnicodeForm(NormalForm::nfkc));
  if (type == "NFKD") return Made(new UnicodeForm(NormalForm::nfkd));
  if (type == "Lowercase") return Made(new Lowercase);
  if (type == "StripAccents") return Made(new StripAccents);
  if (type == "ByteLevel") return Made(new ByteLetters);
  if (type == "Strip") {
    auto made = std::make_unique<StripSpace>();
    KV_ASSIGN(auto left, json_field_or<bool>(json, "strip_left", where, true));
    KV_ASSIGN(auto right, json_field_or<bool>(json, "strip_right", where, true));
    made->left = left;
    made->right = right;
    return Made(std::move(made));
  }
  if (type == "Prepend") {
    KV_ASSIGN(auto prefix, json_field<std::string>(json, "prepend", where));
    auto made = std::make_unique<Prepend>();
    made->prefix = std::move(prefix);
    return Made(std::move(made));
  }
  if (type == "Replace") {
    KV_ASSIGN(auto content, json_field<std::string>(json, "content", where));
    KV_ASSIGN(auto pattern, TextPattern::parse(json.value("pattern", Json()), where));
    return Made(new Replace(std::move(pattern), std::move(content)));
  }
  if (type == "Sequence") {
    auto made = std::make_unique<Sequence>();
    KV_ASSIGN(auto steps, json_field<Json::array_t>(json, "normalizers", where));
    for (const Json& step : steps) {
      KV_ASSIGN(auto one, make_normalizer(step, name, depth + 1));
      if (one) made->steps.push_back(std::move(one));
    }
    return Made(std::move(made));
  }
  return fail(ErrorCode::rejected_input,
              name + ": normalizer type '" + type + "' is not supported; known are NFC, NFD, " +
                  "NFKC, NFKD, Lowercase, StripAccents, Strip, Prepend, Replace, ByteLevel, Sequence");
}

}  // namespace kvantage::inline text
