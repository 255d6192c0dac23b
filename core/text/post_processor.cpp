#include "core/text/post_processor.h"

#include <algorithm>
#include <span>

#include "core/base/json_fields.h"

namespace kvantage::inline text {
namespace {

/// ["[CLS]", 101]
Expected<std::int32_t> id_beside_token(const Json& json, const char* key, const std::string& where) {
  KV_ASSIGN(const auto pair, json_field<std::vector<Json>>(json, key, where));
  const std::string name = where + ": " + key;
  if (pair.size() != 2 || !pair[0].is_string())
    return fail(ErrorCode::rejected_input, name + " is not a token with its id; correct it");
  std::int32_t id = 0;
  KV_TRY(json_into(pair[1], id, name));
  return id;
}

/// Appends or inserts what a part adds. Models have one or two; a file that repeats parts could make any number.
Status add_ids(std::vector<std::int32_t>& side, bool in_front, std::span<const std::int32_t> ids,
               const std::string& where) {
  constexpr std::size_t most = 1000;
  if (side.size() + ids.size() > most)
    return fail(ErrorCode::rejected_input,
                where + ": adds more than " + std::to_string(most) + " tokens to a text; correct the tokenizer's file");
  side.insert(in_front ? side.begin() : side.end(), ids.begin(), ids.end());
  return {};
}

/// {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<s>"}}, {"Sequence": {"id": "A"}}],
///  "special_tokens": {"<s>": {"ids": [1]}}}
Expected<PostProcessor> parse_template(const Json& json, const std::string& where) {
  PostProcessor made;
  KV_ASSIGN(const auto parts, json_list(json, "single", where));
  bool after_text = false;
  for (const Json& part : *parts) {
    if (part.is_object() && part.contains("Sequence")) {
      KV_ASSIGN(auto id, json_field<std::string>(part.at("Sequence"), "id", where));
      if (id != "A" || after_text)
        return fail(ErrorCode::rejected_input, where + ": field 'single' must hold the sequence A once and no other");
      after_text = true;
      continue;
    }
    KV_ASSIGN(const auto token, json_value(part, "SpecialToken", where));
    KV_ASSIGN(const auto id, json_field<std::string>(*token, "id", where));
    KV_ASSIGN(const auto table, json_value(json, "special_tokens", where));
    KV_ASSIGN(const auto entry, json_value(*table, id, where + ": special_tokens"));
    KV_ASSIGN(const auto list, json_value(*entry, "ids", where + ": special_tokens"));
    std::vector<std::int32_t> ids;
    KV_TRY(json_into(*list, ids, where + ": special_tokens: ids"));
    KV_TRY(add_ids(after_text ? made.after : made.before, false, ids, where));
  }
  if (!after_text) return fail(ErrorCode::rejected_input, where + ": field 'single' must hold the sequence A once");
  return made;
}

}  // namespace

Expected<PostProcessor> make_post_processor(const Json& json, const std::string& name, int depth) {
  PostProcessor made;
  if (json.is_null()) return made;
  if (depth > 8) return fail(ErrorCode::rejected_input, name + ": post-processors are nested too deeply");
  KV_ASSIGN(auto type, json_field<std::string>(json, "type", name + ": post_processor"));
  const std::string where = name + ": post_processor " + type;
  if (type == "ByteLevel") return made;  // only adjusts offsets, which are not tracked here
  if (type == "TemplateProcessing") return parse_template(json, where);
  if (type == "RobertaProcessing" || type == "BertProcessing") {
    KV_ASSIGN(const auto cls, id_beside_token(json, "cls", where));
    KV_ASSIGN(const auto sep, id_beside_token(json, "sep", where));
    made.before = {cls};
    made.after = {sep};
    return made;
  }
  if (type == "Sequence") {
    KV_ASSIGN(const auto steps, json_list(json, "processors", where));
    for (const Json& step : *steps) {
      KV_ASSIGN(const auto one, make_post_processor(step, name, depth + 1));
      KV_TRY(add_ids(made.before, true, one.before, where));
      KV_TRY(add_ids(made.after, false, one.after, where));
    }
    return made;
  }
  return fail(ErrorCode::rejected_input,
              name + ": post_processor type '" + printable(type) + "' is not supported; known are " +
                  "TemplateProcessing, ByteLevel, RobertaProcessing, BertProcessing, Sequence");
}

}  // namespace kvantage::inline text
