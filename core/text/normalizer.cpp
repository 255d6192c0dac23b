#include "core/text/normalizer.h"

#include <vector>

#include "core/text/byte_letters.h"
#include "core/text/charsmap.h"
#include "core/text/text_pattern.h"
#include "core/text/unicode.h"

namespace kvantage::inline text {
namespace {

struct UnicodeForm final : Normalizer {
  NormalForm form;
  explicit UnicodeForm(NormalForm wanted) : form(wanted) {}
  Status change(std::string& text, bool, EncodingBudget&) const override {
    text = normalized(text, form);
    return {};
  }
};

struct Lowercase final : Normalizer {
  Status change(std::string& text, bool, EncodingBudget&) const override {
    text = lower_case_by_character(text);
    return {};
  }
};

struct StripSpace final : Normalizer {
  bool left = true;
  bool right = true;
  Status change(std::string& text, bool, EncodingBudget&) const override {
    std::size_t begin = 0;
    for (std::size_t at = 0; left && begin < text.size(); begin = at)
      if (!is_white_space(next_character(text, at))) break;
    std::size_t end = text.size();
    for (std::size_t at = end; right && end > begin; end = at)
      if (!is_white_space(previous_character(text, at))) break;
    text = text.substr(begin, end - begin);
    return {};
  }
};

struct StripAccents final : Normalizer {
  Status change(std::string& text, bool, EncodingBudget&) const override {
    std::string kept;
    for (std::size_t i = 0; i < text.size();)
      if (const char32_t character = next_character(text, i); !is_mark(character)) append_character(kept, character);
    text = std::move(kept);
    return {};
  }
};

struct Prepend final : Normalizer {
  std::string prefix;
  Status change(std::string& text, bool continuation, EncodingBudget&) const override {
    if (!text.empty() && !continuation) text.insert(0, prefix);
    return {};
  }
};

struct Replace final : Normalizer {
  TextPattern pattern;
  std::string content;
  Replace(TextPattern what, std::string by) : pattern(std::move(what)), content(std::move(by)) {}
  Status change(std::string& text, bool, EncodingBudget& budget) const override {
    return pattern.replace_all(text, content, budget, name);
  }
};

struct ByteLetters final : Normalizer {
  Status change(std::string& text, bool, EncodingBudget&) const override {
    text = bytes_to_letters(text);
    return {};
  }
};

struct Precompiled final : Normalizer {
  Charsmap table;
  explicit Precompiled(Charsmap given) : table(std::move(given)) {}
  Status change(std::string& text, bool, EncodingBudget& budget) const override {
    return table.replace_all(text, budget, name);
  }
};

struct Sequence final : Normalizer {
  std::vector<std::unique_ptr<Normalizer>> steps;
  Status change(std::string& text, bool continuation, EncodingBudget& budget) const override {
    for (const auto& step : steps) KV_TRY(step->apply(text, continuation, budget));
    return {};
  }
};

using MadeNormalizer = std::unique_ptr<Normalizer>;

Expected<MadeNormalizer> normalizer_of_type(const Json& json, const std::string& type, const std::string& name,
                                            int depth) {
  const std::string where = name + ": normalizer " + type;
  if (type == "NFC") return MadeNormalizer(new UnicodeForm(NormalForm::nfc));
  if (type == "NFD") return MadeNormalizer(new UnicodeForm(NormalForm::nfd));
  if (type == "NFKC") return MadeNormalizer(new UnicodeForm(NormalForm::nfkc));
  if (type == "NFKD") return MadeNormalizer(new UnicodeForm(NormalForm::nfkd));
  if (type == "Lowercase") return MadeNormalizer(new Lowercase);
  if (type == "StripAccents") return MadeNormalizer(new StripAccents);
  if (type == "ByteLevel") return MadeNormalizer(new ByteLetters);
  if (type == "Strip") {
    auto made = std::make_unique<StripSpace>();
    KV_ASSIGN(auto left, json_field_or<bool>(json, "strip_left", where, true));
    KV_ASSIGN(auto right, json_field_or<bool>(json, "strip_right", where, true));
    made->left = left;
    made->right = right;
    return MadeNormalizer(std::move(made));
  }
  if (type == "Prepend") {
    KV_ASSIGN(auto prefix, json_field<std::string>(json, "prepend", where));
    auto made = std::make_unique<Prepend>();
    made->prefix = std::move(prefix);
    return MadeNormalizer(std::move(made));
  }
  if (type == "Replace") {
    KV_ASSIGN(auto content, json_field<std::string>(json, "content", where));
    KV_ASSIGN(auto pattern, TextPattern::parse(json.value("pattern", Json()), where));
    return MadeNormalizer(new Replace(std::move(pattern), std::move(content)));
  }
  if (type == "Precompiled") {
    KV_ASSIGN(const auto base64, json_field<std::string>(json, "precompiled_charsmap", where));
    KV_ASSIGN(auto table, Charsmap::parse(base64, where));
    return MadeNormalizer(new Precompiled(std::move(table)));
  }
  if (type == "Sequence") {
    auto made = std::make_unique<Sequence>();
    KV_ASSIGN(const auto steps, json_list(json, "normalizers", where));
    for (const Json& step : *steps) {
      KV_ASSIGN(auto one, make_normalizer(step, name, depth + 1));
      if (one) made->steps.push_back(std::move(one));
    }
    return MadeNormalizer(std::move(made));
  }
  return fail(ErrorCode::rejected_input,
              name + ": normalizer type '" + printable(type) + "' is not supported; known are NFC, NFD, " +
                  "NFKC, NFKD, Lowercase, StripAccents, Strip, Prepend, Replace, ByteLevel, Precompiled, Sequence");
}

}  // namespace

Status Normalizer::apply(std::string& text, bool continuation, EncodingBudget& budget) const {
  KV_TRY(budget.take_pass(text.size(), name));
  KV_TRY(change(text, continuation, budget));
  return budget.check_size(text.size(), name);
}

Expected<std::unique_ptr<Normalizer>> make_normalizer(const Json& json, const std::string& name, int depth) {
  if (json.is_null()) return MadeNormalizer{};
  if (depth > 8) return fail(ErrorCode::rejected_input, name + ": normalizers are nested too deeply");
  KV_ASSIGN(auto type, json_field<std::string>(json, "type", name + ": normalizer"));
  KV_ASSIGN(auto made, normalizer_of_type(json, type, name, depth));
  made->name = name + ": normalizer " + type;
  return made;
}

}  // namespace kvantage::inline text
