// WordPiece as a tokenizer stage: its piece is a whole text, which it normalizes and splits itself.
#include "core/text/token_model.h"
#include "core/text/wordpiece.h"

namespace kvantage::inline text {
namespace {

class WordPieceModel final : public TokenModel {
 public:
  WordPieceModel(Vocabulary vocabulary, WordPiece pieces)
      : vocabulary_(std::move(vocabulary)), pieces_(std::move(pieces)) {}

  void tokenize(std::string_view piece, std::vector<std::int32_t>& ids) const override {
    pieces_.append_text(piece, ids);
  }
  std::optional<std::int32_t> id(std::string_view token) const override { return vocabulary_.id(token); }
  std::string_view token(std::int32_t id) const override { return vocabulary_.token(id); }
  std::size_t token_count() const override { return vocabulary_.size(); }
  std::int32_t id_bound() const override { return vocabulary_.id_bound(); }

 private:
  Vocabulary vocabulary_;
  WordPiece pieces_;
};

}  // namespace

Expected<std::unique_ptr<TokenModel>> make_wordpiece(const std::vector<std::string>& pieces, const std::string& name) {
  KV_ASSIGN(auto vocabulary, Vocabulary::from_list(pieces, name));
  KV_ASSIGN(auto words, WordPiece::from_pieces(pieces, name));
  return std::make_unique<WordPieceModel>(std::move(vocabulary), std::move(words));
}

}  // namespace kvantage::inline text
