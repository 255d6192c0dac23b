// links: core_text
// Vocabularies of all kinds of token models, from lines: the tokens of a text spell the text, and no merge is left.
// The first line is the text. The others are merges ("ab c") of byte-level BPE, and tokens of the other kinds.
#include <algorithm>
#include <map>
#include <set>

#include "core/base/json_fields.h"
#include "core/text/byte_letters.h"
#include "core/text/token_model.h"
#include "core/text/wordpiece.h"
#include "tests/fuzz/fuzzing.h"

namespace {

using namespace kvantage;

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (;;) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::int32_t> ids_of(const TokenModel& model, std::string_view piece) {
  std::vector<std::int32_t> ids, again;
  model.tokenize(piece, ids);
  model.tokenize(piece, again);
  test::must_hold(ids == again, "a piece has the same ids again");
  for (const std::int32_t id : ids)
    test::must_hold(id >= 0 && id < model.id_bound() && !model.token(id).empty(), "an id has a token");
  return ids;
}

void check_byte_level(std::string_view text, std::span<const std::string> lines) {
  std::vector<std::string> tokens;
  for (int byte = 0; byte < 256; ++byte) tokens.push_back(bytes_to_letters(std::string(1, static_cast<char>(byte))));
  std::set<std::string> known(tokens.begin(), tokens.end());
  std::set<std::pair<std::string, std::string>> merges;
  Json list = Json::array();
  for (const std::string& line : lines) {
    const std::size_t space = std::min(line.find(' '), line.size());
    const std::string left = bytes_to_letters(line.substr(0, space)),
                      right = bytes_to_letters(line.substr(std::min(space + 1, line.size())));
    if (!known.contains(left) || !known.contains(right)) continue;
    merges.insert({left, right});
    list.push_back({left, right});
    if (known.insert(left + right).second) tokens.push_back(left + right);
  }
  auto vocabulary = Vocabulary::from_list(tokens, "a");
  test::must_hold(vocabulary.has_value(), "letters of bytes are a vocabulary");
  const auto model = make_bpe(*std::move(vocabulary), {{"merges", list}}, "a");
  test::must_hold(model.has_value(), "merges of known tokens are read");
  const std::vector<std::int32_t> ids = ids_of(**model, bytes_to_letters(text));
  std::string spelled;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    test::must_hold(append_bytes_of_letters((*model)->token(ids[i]), spelled), "a token is letters of bytes");
    if (i > 0)
      test::must_hold(
          !merges.contains({std::string((*model)->token(ids[i - 1])), std::string((*model)->token(ids[i]))}),
          "no merge is left");
  }
  test::must_hold(spelled == text, "the tokens of a text spell the text");
}

void check_scored(std::string_view text, std::span<const std::string> lines) {
  if (text.find("<0x") != std::string_view::npos) return;  // would read as a token of a byte
  std::vector<std::string> tokens{"<unk>"};
  for (int byte = 0; byte < 256; ++byte) {
    char token[8];
    std::snprintf(token, sizeof token, "<0x%02X>", static_cast<unsigned>(byte));
    tokens.emplace_back(token);
  }
  std::vector<float> scores(tokens.size());
  std::set<std::string> known(tokens.begin(), tokens.end());
  for (const std::string& line : lines) {
    if (line.empty() || !known.insert(line).second) continue;
    scores.push_back(-static_cast<float>(tokens.size() % 7));
    tokens.push_back(line);
  }
  auto vocabulary = Vocabulary::from_list(tokens, "a");
  test::must_hold(vocabulary.has_value(), "UTF-8 tokens are a vocabulary");
  const auto model = make_scored_bpe(*std::move(vocabulary), scores, 0);
  std::string spelled;
  for (const std::int32_t id : ids_of(*model, text)) {
    if (id >= 1 && id <= 256)
      spelled += static_cast<char>(id - 1);
    else
      spelled += model->token(id);
  }
  test::must_hold(spelled == text, "the tokens of a text spell the text");
}

/// Words of small letters alone, which are not normalized: each is unknown, or its pieces spell it.
void check_word_piece(std::string words, std::span<const std::string> lines) {
  for (char& letter : words) {
    const auto byte = static_cast<unsigned char>(letter);
    letter = byte == ' ' ? ' ' : static_cast<char>('a' + byte % 26);
  }
  constexpr std::int32_t unknown = 0, begin = 1, end = 2;
  std::vector<std::string> pieces{"[UNK]", "[CLS]", "[SEP]"};
  std::set<std::string> known(pieces.begin(), pieces.end());
  for (const std::string& line : lines)
    if (line != "##" && known.insert(line).second) pieces.push_back(line);
  const auto made = WordPiece::from_pieces(pieces, "a");
  test::must_hold(made.has_value(), "pieces with [UNK], [CLS] and [SEP] are read");
  const auto framed = made->encode(words, 64);
  test::must_hold(framed.size() >= 2 && framed.size() <= 64 && framed.front() == begin && framed.back() == end,
                  "ids are between [CLS] and [SEP], and not more than asked for");
  std::vector<std::int32_t> ids;
  made->append_text(words, ids);
  std::size_t next = 0;
  for (std::size_t at = words.find_first_not_of(' '); at != std::string::npos;) {
    const std::size_t after = std::min(words.find(' ', at), words.size());
    const std::string word = words.substr(at, after - at);
    test::must_hold(next < ids.size(), "every word has a piece");
    std::string spelled;
    if (ids[next] == unknown) {
      spelled = word;
      ++next;
    }
    for (; spelled.size() < word.size() && next < ids.size(); ++next) {
      const std::string& piece = pieces.at(static_cast<std::size_t>(ids[next]));
      spelled += piece.starts_with("##") ? piece.substr(2) : piece;
    }
    test::must_hold(spelled == word, "the pieces of a word spell the word");
    at = words.find_first_not_of(' ', after);
  }
  test::must_hold(next == ids.size(), "every piece is of a word");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::string> lines = lines_of(valid_utf8(test::text_of(data, size)));
  const std::string& text = lines.front();
  if (text.empty()) return 0;
  const std::span<const std::string> others = std::span(lines).subspan(1);
  check_byte_level(text, others);
  check_scored(text, others);
  check_word_piece(text, others);
  return 0;
}
