#include "core/text/tokenizer.h"

#include <algorithm>

#include "core/base/files.h"
#include "core/base/folders.h"
#include "core/base/json.h"
#include "core/text/added_tokens.h"
#include "core/text/encoding_budget.h"
#include "core/text/gguf_tokenizer.h"
#include "core/text/normalizer.h"
#include "core/text/post_processor.h"
#include "core/text/pre_tokenizer.h"
#include "core/text/token_decoder.h"
#include "core/text/token_model.h"
#include "core/text/unicode.h"

namespace kvantage::inline text {

struct Tokenizer::Parts {
  std::unique_ptr<text::Normalizer> normalizer;
  std::unique_ptr<text::PreTokenizer> pre_tokenizer;
  std::unique_ptr<text::TokenModel> model;
  text::AddedTokens added;
  text::PostProcessor post_processor;
  std::unique_ptr<text::TokenDecoder> decoder;
  Digest128 digest;
  std::optional<std::int32_t> bos_id;
  std::optional<std::int32_t> eos_id;
  ChatTemplateText chat;

  static Expected<std::unique_ptr<Parts>> of_gguf(const std::filesystem::path& path);
  /// All stages except the model, which is already set.
  Status read_stages(const Json& json, const std::string& name);
  Status read_config(const Json& config, const std::string& name);
  void read_chat_template(const Json& json, const std::string& name);
  std::optional<std::int32_t> id(std::string_view token) const {
    const auto found = added.id(token);
    return found ? found : model->id(token);
  }
  Expected<std::vector<std::int32_t>> encode(std::string_view given, bool continuation) const;
};

namespace {

/// A token in tokenizer_config.json is its text, or an object that contains it.
std::string token_text(const Json& config, const char* key) {
  if (!config.is_object() || !config.contains(key)) return {};
  const Json& value = config.at(key);
  if (value.is_string()) return value.get<std::string>();
  if (value.is_object() && value.contains("content") && value.at("content").is_string())
    return value.at("content").get<std::string>();
  return {};
}

}  // namespace

namespace {

/// Stages and regular expressions of a tokenizer, in which each is compiled: far more than any model has.
struct StageCounts {
  static constexpr std::size_t most_stages = 4000, most_pattern_bytes = std::size_t{16} << 10;
  std::size_t stages = 0, pattern_bytes = 0;

  void add(const Json& json) {
    if (json.is_object()) {
      ++stages;
      if (const auto regex = json.find("Regex"); regex != json.end() && regex->is_string())
        pattern_bytes += regex->get_ref<const std::string&>().size();
    }
    if (json.is_structured())
      for (const Json& inner : json) add(inner);
  }
  Status check(const std::string& name) const {
    if (stages <= most_stages && pattern_bytes <= most_pattern_bytes) return {};
    return fail(ErrorCode::rejected_input, name + ": its normalizer, pre_tokenizer and decoder have more than " +
                                               std::to_string(most_stages) + " stages or " +
                                               std::to_string(most_pattern_bytes) +
                                               " bytes of regular expressions; correct the tokenizer's file");
  }
};

}  // namespace

std::vector<std::int32_t> ids_or_throw(Expected<std::vector<std::int32_t>> ids) {
  if (!ids) throw EncodingError(std::move(ids).error());
  return *std::move(ids);
}

Status Tokenizer::Parts::read_stages(const Json& json, const std::string& name) {
  static const Json null_json;
  const auto field = [&](const char* key) -> const Json& { return json.contains(key) ? json.at(key) : null_json; };
  StageCounts counts;
  for (const char* key : {"normalizer", "pre_tokenizer", "decoder"}) counts.add(field(key));
  KV_TRY(counts.check(name));
  KV_ASSIGN(auto made_normalizer, text::make_normalizer(field("normalizer"), name));
  normalizer = std::move(made_normalizer);
  KV_ASSIGN(auto made_pre_tokenizer, text::make_pre_tokenizer(field("pre_tokenizer"), name));
  pre_tokenizer = std::move(made_pre_tokenizer);
  KV_ASSIGN(auto made_added, text::AddedTokens::parse(field("added_tokens"), *model, normalizer.get(), name));
  added = std::move(made_added);
  KV_ASSIGN(auto made_post_processor, text::make_post_processor(field("post_processor"), name));
  post_processor = std::move(made_post_processor);
  const std::int32_t id_bound = std::max(model->id_bound(), added.id_bound());
  for (const auto* side : {&post_processor.before, &post_processor.after})
    for (const std::int32_t id : *side)
      if (id < 0 || id >= id_bound)
        return fail(ErrorCode::rejected_input, name + ": the post_processor names id " + std::to_string(id) +
                                                   ", but ids end at " + std::to_string(id_bound - 1) + "; correct it");
  KV_ASSIGN(auto made_decoder, text::make_token_decoder(field("decoder"), name));
  decoder = std::move(made_decoder);
  return {};
}

Status Tokenizer::Parts::read_config(const Json& config, const std::string& name) {
  if (!config.is_object()) return fail(ErrorCode::rejected_input, name + ": expected an object {...}");
  const std::pair<const char*, std::optional<std::int32_t>*> tokens[] = {{"bos_token", &bos_id},
                                                                         {"eos_token", &eos_id}};
  for (const auto& [key, value] : tokens) {
    const std::string spelled = token_text(config, key);
    if (spelled.empty()) continue;
    *value = id(spelled);
    if (!*value)
      return fail(ErrorCode::rejected_input,
                  name + ": " + key + " '" + printable(spelled) + "' is not in the vocabulary; correct it");
  }
  for (const char* key : {"bos_token", "eos_token", "unk_token", "pad_token", "sep_token", "cls_token", "mask_token"})
    if (std::string spelled = token_text(config, key); !spelled.empty()) chat.tokens[key] = mended_utf8(spelled);
  if (config.contains("chat_template")) read_chat_template(config.at("chat_template"), name);
  return {};
}

void Tokenizer::Parts::read_chat_template(const Json& json, const std::string& name) {
  chat.file = name + ": chat_template";
  if (json.is_string()) chat.text = json.get<std::string>();
  if (!json.is_array()) return;
  std::string names;
  for (const Json& entry : json) {  // several named templates
    if (!entry.is_object() || !entry.value("template", Json()).is_string() || !entry.value("name", Json()).is_string())
      continue;
    const auto entry_name = entry.at("name").get<std::string>();
    if (chat.text.empty() || entry_name == "default") chat.text = entry.at("template").get<std::string>();
    if (entry_name == "default") return;
    if (names.size() < 200) names += (names.empty() ? "" : ", ") + printable(entry_name);
  }
  if (!names.empty()) chat.problem = "none of its templates (" + names + ") is named default";
}

Expected<std::vector<std::int32_t>> Tokenizer::Parts::encode(std::string_view given, bool continuation) const {
  KV_TRY(text::EncodingBudget::check_given(given.size()));
  const std::string whole = text::mended_utf8(given);
  text::EncodingBudget budget(whole.size());
  std::vector<std::int32_t> ids;
  ids.reserve(whole.size() / 3 + 8);
  std::vector<text::Piece> pieces;
  KV_ASSIGN(const auto sections, added.find_as_given(whole, budget));
  for (const auto& section : sections) {
    if (section.id) {
      ids.push_back(*section.id);
      continue;
    }
    const bool first = section.range.begin == 0;
    std::string part = whole.substr(section.range.begin, section.range.end - section.range.begin);
    if (normalizer) {
      KV_TRY(normalizer->apply(part, first && continuation, budget));
      KV_TRY(budget.take_bytes(part.size(), normalizer->name));
    }
    KV_ASSIGN(const auto inner_sections, added.find_normalized(part, budget));
    for (const auto& inner : inner_sections) {
      if (inner.id) {
        ids.push_back(*inner.id);
        continue;
      }
      const bool at_start = first && inner.range.begin == 0;
      pieces.clear();
      pieces.push_back({part.substr(inner.range.begin, inner.range.end - inner.range.begin), at_start});
      if (pre_tokenizer) {
        KV_TRY(pre_tokenizer->apply(pieces, at_start && continuation, budget));
        KV_TRY(budget.take_bytes(text::piece_bytes(pieces), pre_tokenizer->name));
      }
      for (const text::Piece& piece : pieces) model->tokenize(piece.text, ids);
    }
  }
  return ids;
}

Expected<std::unique_ptr<Tokenizer::Parts>> Tokenizer::Parts::of_gguf(const std::filesystem::path& path) {
  KV_ASSIGN(const auto file, GgufFile::open(path));
  KV_ASSIGN(auto read, text::read_gguf_tokenizer(*file));
  auto parts = std::make_unique<Parts>();
  parts->digest = read.digest;
  parts->model = std::move(read.model);
  KV_TRY(parts->read_stages(read.stages, path.string()));
  KV_TRY(parts->read_config(read.config, path.string()));
  parts->chat.file = path.string() + ": key 'tokenizer.chat_template'";
  parts->chat.source = "tokenizer.chat_template";
  return parts;
}

Tokenizer::Tokenizer(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Tokenizer::~Tokenizer() = default;

Expected<std::shared_ptr<const Tokenizer>> Tokenizer::load(const std::filesystem::path& folder) {
  if (std::error_code code; std::filesystem::is_regular_file(folder, code)) {
    KV_ASSIGN(auto parts, Parts::of_gguf(folder));
    return std::shared_ptr<const Tokenizer>(new Tokenizer(std::move(parts)));
  }
  const std::filesystem::path config_path = folder / "tokenizer_config.json";
  KV_ASSIGN(auto tokenizer_json, read_text_file(folder / "tokenizer.json", max_json_file_bytes));
  std::string config_json;
  if (is_there(config_path)) {
    KV_ASSIGN(auto text, read_text_file(config_path, max_json_file_bytes));
    config_json = std::move(text);
  }
  // Newer folders store the chat template in a separate file, which comes first, as in transformers.
  auto made = parse(tokenizer_json, config_json, (folder / "tokenizer.json").string());
  const std::filesystem::path template_path = folder / "chat_template.jinja";
  if (made && is_there(template_path)) {
    ChatTemplateText& chat = (*made)->parts_->chat;
    KV_ASSIGN(chat.text, read_text_file(template_path, max_json_file_bytes));
    chat.file = template_path.string();
    chat.source = template_path.filename().string();
    chat.problem.clear();
  }
  return made;
}

Expected<std::shared_ptr<const Tokenizer>> Tokenizer::parse(std::string_view tokenizer_json,
                                                            std::string_view tokenizer_config_json,
                                                            const std::string& name) {
  KV_ASSIGN(auto json, parse_json(tokenizer_json, name));
  if (!json.is_object()) return fail(ErrorCode::rejected_input, name + ": expected an object {...}");
  auto parts = std::make_unique<Parts>();
  parts->digest = digest_of(tokenizer_json);
  KV_ASSIGN(auto model, text::make_token_model(json.contains("model") ? json.at("model") : Json(), name));
  parts->model = std::move(model);
  KV_TRY(parts->read_stages(json, name));
  if (!tokenizer_config_json.empty()) {
    const std::string config_name = name + " (tokenizer_config.json)";
    KV_ASSIGN(auto config, parse_json(tokenizer_config_json, config_name));
    KV_TRY(parts->read_config(config, config_name));
    parts->chat.source = "tokenizer_config.json";
  }
  return std::shared_ptr<const Tokenizer>(new Tokenizer(std::move(parts)));
}

Expected<std::vector<std::int32_t>> Tokenizer::try_encode(std::string_view text, bool add_special) const {
  KV_ASSIGN(auto ids, parts_->encode(text, false));
  if (add_special) {
    const text::PostProcessor& around = parts_->post_processor;
    ids.insert(ids.begin(), around.before.begin(), around.before.end());
    ids.insert(ids.end(), around.after.begin(), around.after.end());
  }
  return ids;
}

Expected<std::vector<std::int32_t>> Tokenizer::try_encode_continuation(std::string_view text) const {
  return parts_->encode(text, true);
}

std::vector<std::int32_t> Tokenizer::encode(std::string_view text, bool add_special) const {
  return ids_or_throw(try_encode(text, add_special));
}

std::vector<std::int32_t> Tokenizer::encode_continuation(std::string_view text) const {
  return ids_or_throw(try_encode_continuation(text));
}

std::span<const std::int32_t> Tokenizer::ids_before_text() const { return parts_->post_processor.before; }

std::string Tokenizer::decode(std::span<const std::int32_t> ids, bool skip_special) const {
  constexpr std::size_t max_bytes = std::size_t{64} << 20;  // of spellings: more than any text that is encoded
  std::size_t bytes = 0;
  std::vector<std::string> tokens;
  tokens.reserve(ids.size());
  for (const std::int32_t id : ids) {
    const std::string_view spelled = token(id);
    bytes += spelled.size();
    if (bytes > max_bytes) break;
    if (!spelled.empty() && !(skip_special && parts_->added.is_special(spelled))) tokens.emplace_back(spelled);
  }
  const std::string_view joint = parts_->decoder ? "" : " ";
  if (parts_->decoder) {
    EncodingBudget budget = EncodingBudget::of_decoding(bytes);
    parts_->decoder->apply(tokens, budget);
  }
  std::string text;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (i > 0) text += joint;
    text += tokens[i];
  }
  return text;
}

std::optional<std::int32_t> Tokenizer::id(std::string_view token) const { return parts_->id(token); }

std::string_view Tokenizer::token(std::int32_t id) const {
  const std::string_view added = parts_->added.token(id);
  return added.empty() ? parts_->model->token(id) : added;
}

bool Tokenizer::is_special(std::int32_t id) const { return parts_->added.is_special(token(id)); }

std::int32_t Tokenizer::vocab_size() const { return std::max(parts_->model->id_bound(), parts_->added.id_bound()); }

Digest128 Tokenizer::digest() const { return parts_->digest; }
std::optional<std::int32_t> Tokenizer::bos_id() const { return parts_->bos_id; }
std::optional<std::int32_t> Tokenizer::eos_id() const { return parts_->eos_id; }
const ChatTemplateText& Tokenizer::chat() const { return parts_->chat; }
std::string_view Tokenizer::chat_template() const { return parts_->chat.text; }

}  // namespace kvantage::inline text
