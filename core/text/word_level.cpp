// WordLevel: a piece is a token or unknown.
#include "core/text/token_model.h"

namespace kvantage::inline text {
namespace {

class WordLevel final : public TokenModel {
 public:
  WordLevel(Vocabulary vocabulary, std::int32_t unknown) : vocabulary_(std::move(vocabulary)), unknown_(unknown) {}
  void tokenize(std::string_view piece, std::vector<std::int32_t>& ids) const override {
    ids.push_back(vocabulary_.id(piece).value_or(unknown_));
  }
  std::optional<std::int32_t> id(std::string_view token) const override { return vocabulary_.id(token); }
  std::string_view token(std::int32_t id) const override { return vocabulary_.token(id); }
  std::size_t token_count() const override { return vocabulary_.size(); }
  std::int32_t id_bound() const override { return vocabulary_.id_bound(); }

 private:
  Vocabulary vocabulary_;
  std::int32_t unknown_;
};

}  // namespace

Expected<std::unique_ptr<TokenModel>> make_word_level(const Json& json, const std::string& name) {
  const std::string where = name + ": model WordLevel";
  KV_ASSIGN(const auto words, json_value(json, "vocab", where));
  KV_ASSIGN(auto vocabulary, Vocabulary::parse(*words, where));
  KV_ASSIGN(const auto unknown, json_field_or<std::string>(json, "unk_token", where, "<unk>"));
  const auto id = vocabulary.id(unknown);
  if (!id)
    return fail(ErrorCode::rejected_input, where + ": unk_token '" + printable(unknown) +
                                               "' is not in the vocabulary, so that unknown words have no id; add it");
  return std::make_unique<WordLevel>(std::move(vocabulary), *id);
}

}  // namespace kvantage::inline text
