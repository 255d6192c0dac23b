#include "core/text/post_processor.h"

#include <algorithm>

namespace kvantage::text {
namespace {

/// {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<s>"}}, {"Sequence": {"id": "A"}}],
///  "special_tokens": {"<s>": {"ids": [1]}}}
Expected<PostProcessor> parse_template(const Json& json, const std::string& where) {
  PostProcessor made;
  auto parts = json_field<Json::array_t>(json, "single", where);
  if (!parts) return tl::unexpected(parts.error());
  bool after_text = false;
  for (const Json& part : *parts) {
    if (part.is_object() && part.contains("Sequence")) {
      auto id = json_field<std::string>(part.at("Sequence"), "id", where);
      if (!id) return tl::unexpected(id.error());
      if (*id != "A" || after_text)
        return fail(ErrorCode::rejected_input, where + ": field 'single' must hold the sequence A once and no other");
      after_text = true;
      continue;
    }
    auto token = json_field<Json>(part, "SpecialToken", where);
    if (!token) return tl::unexpected(token.error());
    auto id = json_field<std::string>(*token, "id", where);
    if (!id) return tl::unexpected(id.error());
    auto table = json_field<Json>(json, "special_tokens", where);
    if (!table) return tl::unexpected(table.error());
    auto entry = json_field<Json>(*table, *id, where + ": special_tokens");
    if (!entry) return tl::unexpected(entry.error());
    auto ids = json_field<std::vector<std::int32_t>>(*entry, "ids", where + ": special_tokens");
    if (!ids) return tl::unexpected(ids.error());
    auto& side = after_text ? made.after : made.before;
    side.insert(side.end(), ids->begin(), ids->end());
  }
  if (!after_text) return fail(ErrorCode::rejected_input, where + ": field 'single' must hold the sequence A once");
  return made;
}

}  // namespace

Expected<PostProcessor> make_post_processor(const Json& json, const std::string& name, int depth) {
  PostProcessor made;
  if (json.is_null()) return made;
  if (depth > 8) return fail(ErrorCode::rejected_input, name + ": post-processors are nested too deeply");
  auto type = json_field<std::string>(json, "type", name + ": post_processor");
  if (!type) return tl::unexpected(type.error());
  const std::string where = name + ": post_processor " + *type;
  if (*type == "ByteLevel") return made;  // only corrects offsets, which are not kept here
  if (*type == "TemplateProcessing") return parse_template(json, where);
  if (*type == "RobertaProcessing" || *type == "BertProcessing") {
    using TokenAndId = std::pair<std::string, std::int32_t>;
    auto cls = json_field<TokenAndId>(json, "cls", where);
    auto sep = json_field<TokenAndId>(json, "sep", where);
    if (!cls) return tl::unexpected(cls.error());
    if (!sep) return tl::unexpected(sep.error());
    made.before = {cls->second};
    made.after = {sep->second};
    return made;
  }
  if (*type == "Sequence") {
    auto steps = json_field<Json::array_t>(json, "processors", where);
    if (!steps) return tl::unexpected(steps.error());
    for (const Json& step : *steps) {
      auto one = make_post_processor(step, name, depth + 1);
      if (!one) return tl::unexpected(one.error());
      made.before.insert(made.before.begin(), one->before.begin(), one->before.end());
      made.after.insert(made.after.end(), one->after.begin(), one->after.end());
    }
    return made;
  }
  return fail(ErrorCode::rejected_input,
              name + ": post_processor type '" + *type + "' is not supported; known are " +
                  "TemplateProcessing, ByteLevel, RobertaProcessing, BertProcessing, Sequence");
}

}  // namespace kvantage::text
