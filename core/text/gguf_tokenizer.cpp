#include "core/text/gguf_tokenizer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/text/gguf_pre_tokenizer.h"

namespace kvantage::inline text {
namespace {

// tokenizer.ggml.token_type
enum TokenType { normal = 1, unknown = 2, control = 3, user_defined = 4, unused = 5, byte = 6 };

constexpr const char* space_sign = "\xE2\x96\x81";  // U+2581

template <class T>
tl::unexpected<Error> error_of(const Expected<T>& failed) {
  return tl::unexpected(failed.error());
}

/// Shared by all kinds.
class Reader {
 public:
  explicit Reader(const GgufFile& file) : file_(file) {}

  Status read() {
    const auto texts = file_.texts("tokenizer.ggml.tokens");
    if (!texts) return error_of(texts);
    if (texts->empty()) return file_.reject("key 'tokenizer.ggml.tokens' is empty; convert the model again");
    tokens.assign(texts->begin(), texts->end());
    types.assign(tokens.size(), normal);
    if (!file_.has("tokenizer.ggml.token_type")) return {};
    auto numbers = numbers_of("tokenizer.ggml.token_type");
    if (!numbers) return error_of(numbers);
    for (std::size_t id = 0; id < types.size(); ++id)
      types[id] = static_cast<int>(std::clamp((*numbers)[id], 0.0, 100.0));
    return {};
  }

  /// One number per token.
  Expected<std::vector<double>> numbers_of(const char* key) const {
    KV_ASSIGN(auto numbers, file_.numbers(key));
    if (numbers.size() != tokens.size())
      return file_.reject(std::string("key '") + key + "' has " + std::to_string(numbers.size()) + " elements for " +
                          std::to_string(tokens.size()) + " tokens; convert the model again");
    for (const double number : numbers)
      if (std::isnan(number))
        return file_.reject(std::string("key '") + key + "' holds no numbers; convert the model again");
    return numbers;
  }

  Expected<bool> flag_or(const char* key, bool otherwise) const {
    return file_.has(key) ? file_.flag(key) : Expected<bool>(otherwise);
  }

  /// A token's id by key; nothing where the key is absent or -1.
  Expected<std::optional<std::int32_t>> id_or(const char* key, std::optional<std::int32_t> otherwise) const {
    if (!file_.has(key))
      return otherwise && static_cast<std::size_t>(*otherwise) < tokens.size() ? otherwise : std::nullopt;
    const auto number = file_.whole_number(key);
    if (!number) return error_of(number);
    if (*number == std::numeric_limits<std::uint32_t>::max()) return std::optional<std::int32_t>();
    if (*number >= tokens.size())
      return file_.reject(std::string("key '") + key + "' is " + std::to_string(*number) + ", but ids end at " +
                          std::to_string(tokens.size() - 1) + "; convert the model again");
    return std::optional(static_cast<std::int32_t>(*number));
  }

  /// Tokens that are matched verbatim in a text, before any other stage.
  Json added_tokens() const {
    Json added = Json::array();
    for (std::size_t id = 0; id < tokens.size(); ++id)
      if (types[id] == control || types[id] == user_defined || types[id] == unknown)
        added.push_back(
            {{"id", id}, {"content", tokens[id]}, {"special", types[id] != user_defined}, {"normalized", false}});
    return added;
  }

  const std::string& token(std::int32_t id) const { return tokens[static_cast<std::size_t>(id)]; }

  std::vector<std::string> tokens;
  std::vector<int> types;

 private:
  const GgufFile& file_;
};

/// The tokens around a text: bos and eos where the file or the kind requires them.
Status read_frame(const GgufFile& file, const Reader& reader, bool adds_bos, std::optional<std::int32_t> default_bos,
                  std::optional<std::int32_t> default_eos, GgufTokenizer& made) {
  const auto bos = reader.id_or("tokenizer.ggml.bos_token_id", default_bos);
  const auto eos = reader.id_or("tokenizer.ggml.eos_token_id", default_eos);
  const auto add_bos = reader.flag_or("tokenizer.ggml.add_bos_token", adds_bos);
  const auto add_eos = reader.flag_or("tokenizer.ggml.add_eos_token", false);
  for (const auto* id : {&bos, &eos})
    if (!*id) return error_of(*id);
  for (const auto* flag : {&add_bos, &add_eos})
    if (!*flag) return error_of(*flag);
  Json single = Json::array({Json{{"Sequence", {{"id", "A"}}}}}), table = Json::object();
  const auto put = [&](const char* which, std::optional<std::int32_t> id, std::size_t at) -> Status {
    if (!id)
      return file.reject(std::string("key 'tokenizer.ggml.add_") + which +
                         "_token' asks for a token that the file does not name; convert the model again");
    table[which] = {{"ids", {*id}}};
    single.insert(single.begin() + static_cast<std::ptrdiff_t>(at), Json{{"SpecialToken", {{"id", which}}}});
    return {};
  };
  if (*add_bos && (*bos || file.has("tokenizer.ggml.add_bos_token"))) KV_TRY(put("bos", *bos, 0));
  if (*add_eos) KV_TRY(put("eos", *eos, single.size()));
  if (!table.empty())
    made.stages["post_processor"] = {{"type", "TemplateProcessing"}, {"single", single}, {"special_tokens", table}};
  if (*bos) made.config["bos_token"] = reader.token(**bos);
  if (*eos) made.config["eos_token"] = reader.token(**eos);
  return {};
}

/// SentencePiece: spaces become U+2581, one is prepended, and unknown text falls back to bytes.
Status read_llama(const GgufFile& file, Reader& reader, GgufTokenizer& made) {
  const auto scores = reader.numbers_of("tokenizer.ggml.scores");
  if (!scores) return error_of(scores);
  const auto unknown_id = reader.id_or("tokenizer.ggml.unknown_token_id", 0);
  if (!unknown_id) return error_of(unknown_id);
  const auto prefix = reader.flag_or("tokenizer.ggml.add_space_prefix", true);
  if (!prefix) return error_of(prefix);
  KV_TRY(read_frame(file, reader, true, 1, 2, made));
  made.stages["added_tokens"] = reader.added_tokens();
  Json normalizers = Json::array({Json{{"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", space_sign}}});
  Json decoders = Json::array({Json{{"type", "Replace"}, {"pattern", {{"String", space_sign}}}, {"content", " "}},
                               Json{{"type", "ByteFallback"}}, Json{{"type", "Fuse"}}});
  if (*prefix) {
    normalizers.insert(normalizers.begin(), Json{{"type", "Prepend"}, {"prepend", space_sign}});
    decoders.push_back({{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}});
  }
  made.stages["normalizer"] = {{"type", "Sequence"}, {"normalizers", normalizers}};
  made.stages["decoder"] = {{"type", "Sequence"}, {"decoders", decoders}};
  auto vocabulary = Vocabulary::from_list(std::move(reader.tokens), file.name());
  if (!vocabulary) return error_of(vocabulary);
  made.model = make_scored_bpe(std::move(*vocabulary), {scores->begin(), scores->end()}, *unknown_id);
  return {};
}

Status read_gpt2(const GgufFile& file, Reader& reader, GgufTokenizer& made) {
  const auto name = file.text("tokenizer.ggml.pre");
  if (!name) return error_of(name);
  auto words = gguf_pre_tokenizer(*name);
  if (!words)
    return file.reject("pre-tokenizer '" + printable(*name) +
                       "' (key 'tokenizer.ggml.pre') is not supported; known are " + gguf_pre_tokenizer_names());
  const auto merges = file.texts("tokenizer.ggml.merges");
  if (!merges) return error_of(merges);
  KV_TRY(read_frame(file, reader, words->adds_bos, std::nullopt, std::nullopt, made));
  made.stages["added_tokens"] = reader.added_tokens();
  made.stages["normalizer"] = std::move(words->normalizer);
  made.stages["pre_tokenizer"] = std::move(words->pre_tokenizer);
  made.stages["decoder"] = {{"type", "ByteLevel"}};
  auto vocabulary = Vocabulary::from_list(std::move(reader.tokens), file.name());
  if (!vocabulary) return error_of(vocabulary);
  auto model =
      make_bpe(std::move(*vocabulary), {{"merges", *merges}, {"ignore_merges", words->ignores_merges}}, file.name());
  if (!model) return error_of(model);
  made.model = std::move(*model);
  return {};
}

/// GGUF files mark word starts with U+2581, while BERT marks continuations with ##. Names like [CLS] are unchanged.
Status read_bert(const GgufFile& file, Reader& reader, GgufTokenizer& made) {
  for (std::string& token : reader.tokens) {
    if (token.starts_with(space_sign))
      token.erase(0, std::string_view(space_sign).size());
    else if (!(token.starts_with('[') && token.ends_with(']')))
      token.insert(0, "##");
  }
  made.stages["added_tokens"] = reader.added_tokens();
  auto model = make_wordpiece(reader.tokens, file.name());
  if (!model) return error_of(model);
  made.model = std::move(*model);
  const auto id = [&](const char* token) { return Json::array({token, made.model->id(token).value_or(0)}); };
  made.stages["post_processor"] = {{"type", "BertProcessing"}, {"cls", id("[CLS]")}, {"sep", id("[SEP]")}};
  const auto replace = [](const char* pattern, const char* by) {
    return Json{{"type", "Replace"}, {"pattern", {{"Regex", pattern}}}, {"content", by}};
  };
  made.stages["decoder"] = {
      {"type", "Sequence"},
      {"decoders", Json::array({replace("\\A(?!##)", " "), replace("\\A##", ""), Json{{"type", "Fuse"}},
                                Json{{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}}})}};
  return {};
}

Digest128 digest_of_keys(const GgufFile& file) {
  DigestBuilder builder;
  for (const auto& [key, value] : file.values())
    if (key.starts_with("tokenizer.")) builder.add(key).add(static_cast<std::uint64_t>(value.type)).add(value.bytes);
  return builder.finish();
}

}  // namespace

Expected<GgufTokenizer> read_gguf_tokenizer(const GgufFile& file) {
  const auto kind = file.text("tokenizer.ggml.model");
  if (!kind) return error_of(kind);
  Reader reader(file);
  KV_TRY(reader.read());
  GgufTokenizer made;
  if (*kind == "llama")
    KV_TRY(read_llama(file, reader, made));
  else if (*kind == "gpt2")
    KV_TRY(read_gpt2(file, reader, made));
  else if (*kind == "bert")
    KV_TRY(read_bert(file, reader, made));
  else
    return file.reject("tokenizer '" + printable(*kind) +
                       "' (key 'tokenizer.ggml.model') is not supported; known are llama, gpt2 and bert");
  if (file.has("tokenizer.chat_template")) {
    const auto chat = file.text("tokenizer.chat_template");
    if (!chat) return error_of(chat);
    made.config["chat_template"] = *chat;
  }
  made.digest = digest_of_keys(file);
  return made;
}

}  // namespace kvantage::inline text
