#include "core/text/wordpiece.h"

#include <algorithm>

#include "core/base/files.h"
#include "core/text/unicode.h"

namespace kvantage::inline text {
namespace {

constexpr std::size_t longest_word = 100;  // characters; longer ones are unknown, as in BERT

bool is_cjk(char32_t c) {
  return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) || (c >= 0x20000 && c <= 0x2A6DF) ||
         (c >= 0x2A700 && c <= 0x2B73F) || (c >= 0x2B740 && c <= 0x2B81F) || (c >= 0x2B920 && c <= 0x2CEAF) ||
         (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x2F800 && c <= 0x2FA1F);
}

/// Words in lookup form: clean, lower case, without accents; punctuation and CJK characters are separate.
std::vector<std::string> wordpiece_words(std::string_view text) {
  std::string clean;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = text::next_character(text, at);
    if (c == '\t' || c == '\n' || c == '\r') {
      clean += ' ';
    } else if (c == 0 || c == 0xFFFD || text::is_control_or_private(c)) {
      continue;
    } else if (text::is_white_space(c)) {
      clean += ' ';
    } else if (is_cjk(c)) {
      clean += ' ';
      text::append_character(clean, c);
      clean += ' ';
    } else {
      text::append_character(clean, c);
    }
  }
  std::string bare;
  const std::string decomposed = text::normalized(clean, text::NormalForm::nfd);
  for (std::size_t at = 0; at < decomposed.size();)
    if (const char32_t c = text::next_character(decomposed, at); !text::is_nonspacing_mark(c))
      text::append_character(bare, c);
  const std::string lower = text::lower_case_by_character(bare);

  std::vector<std::string> words;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) words.push_back(std::exchange(word, {}));
  };
  for (std::size_t at = 0; at < lower.size();) {
    const char32_t c = text::next_character(lower, at);
    if (text::is_white_space(c)) {
      end_word();
    } else if (text::is_punctuation(c)) {
      end_word();
      words.push_back(text::utf8_of(c));
    } else {
      text::append_character(word, c);
    }
  }
  end_word();
  return words;
}

}  // namespace

Expected<WordPiece> WordPiece::load(const std::filesystem::path& vocabulary_file) {
  KV_ASSIGN(const auto file, read_text_file(vocabulary_file));
  std::vector<std::string> pieces;
  for (std::string_view rest = file; !rest.empty();) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    pieces.emplace_back(line);
  }
  return from_pieces(pieces, vocabulary_file.string());
}

Expected<WordPiece> WordPiece::from_pieces(const std::vector<std::string>& pieces, const std::string& name) {
  WordPiece made;
  for (std::size_t id = 0; id < pieces.size(); ++id)
    made.ids_.insert_or_assign(pieces[id], static_cast<std::int32_t>(id));
  for (const auto& [piece, id] : {std::pair{"[UNK]", &made.unknown_}, {"[CLS]", &made.begin_}, {"[SEP]", &made.end_}}) {
    const auto found = made.ids_.find(std::string_view(piece));
    if (found == made.ids_.end())
      return fail(ErrorCode::rejected_input, name + ": has no piece " + piece + "; use the vocabulary of a BERT model");
    *id = found->second;
  }
  for (const char* special : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"})
    if (const auto found = made.ids_.find(std::string_view(special)); found != made.ids_.end())
      made.specials_.insert(*found);
  return made;
}

void WordPiece::append_pieces(std::string_view word, std::vector<std::int32_t>& ids) const {
  const std::size_t before = ids.size();
  if (text::character_count(word) > longest_word) {
    ids.push_back(unknown_);
    return;
  }
  std::string piece;
  for (std::size_t start = 0; start < word.size();) {
    std::size_t end = word.size();
    for (; end > start; text::previous_character(word, end)) {
      piece = start > 0 ? "##" : "";
      piece += word.substr(start, end - start);
      if (const auto found = ids_.find(piece); found != ids_.end()) {
        ids.push_back(found->second);
        break;
      }
    }
    if (end == start) {  // not even one character is known: the whole word is unknown
      ids.resize(before);
      ids.push_back(unknown_);
      return;
    }
    start = end;
  }
}

void WordPiece::append_text(std::string_view text, std::vector<std::int32_t>& ids) const {
  for (const std::string& word : wordpiece_words(text)) append_pieces(word, ids);
}

std::vector<std::int32_t> WordPiece::encode(std::string_view given, std::size_t longest) const {
  const std::string text = text::mended_utf8(given);
  std::vector<std::int32_t> ids{begin_};
  const auto append_words = [&](std::string_view part) {
    for (const std::string& word : wordpiece_words(part)) {
      if (ids.size() >= longest) return;
      append_pieces(word, ids);
    }
  };
  std::string_view rest = text;
  constexpr std::size_t longest_special = std::string_view("[MASK]").size();
  for (std::size_t bracket = rest.find('['); bracket != std::string_view::npos && ids.size() < longest;) {
    // No further than a special piece: a text of brackets would be searched to its end from each.
    const std::size_t size = rest.substr(bracket, longest_special).find(']') + 1;
    const auto special = size == 0 ? specials_.end() : specials_.find(rest.substr(bracket, size));
    if (special == specials_.end()) {
      bracket = rest.find('[', bracket + 1);
      continue;
    }
    append_words(rest.substr(0, bracket));
    ids.push_back(special->second);
    rest.remove_prefix(bracket + size);
    bracket = rest.find('[');
  }
  append_words(rest);
  const std::size_t room = std::max<std::size_t>(longest, 2) - 1;
  if (ids.size() > room) ids.resize(room);
  ids.push_back(end_);
  return ids;
}

}  // namespace kvantage::inline text
