#include "core/text/pre_tokenizer.h"

#include "core/text/byte_letters.h"
#include "core/text/split.h"
#include "core/text/text_pattern.h"
#include "core/text/unicode.h"

namespace kvantage::inline text {
namespace {

/// GPT-2's word pattern (Radford et al. 2019).
constexpr const char* gpt2_words = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

struct ByteLevel final : PreTokenizer {
  bool add_prefix_space = true;
  std::optional<Regex> words;
  Status split(std::vector<Piece>& pieces, bool continuation, EncodingBudget& budget) const override {
    std::vector<Piece> parts;
    bool first = true;
    for (Piece& piece : pieces) {
      if (add_prefix_space && piece.text.front() != ' ' && !(first && continuation)) piece.text.insert(0, 1, ' ');
      first = false;
      if (!words) {
        parts.push_back(std::move(piece));
        continue;
      }
      KV_ASSIGN(const auto matches, words->find_all(piece.text, budget));
      KV_TRY(split_piece(piece, matches, SplitBehavior::isolated, false, name, parts));
    }
    for (Piece& part : parts) part.text = bytes_to_letters(part.text);
    pieces = std::move(parts);
    return {};
  }
};

struct Split final : PreTokenizer {
  TextPattern pattern;
  SplitBehavior behavior = SplitBehavior::isolated;
  bool invert = false;
  explicit Split(TextPattern what) : pattern(std::move(what)) {}
  Status split(std::vector<Piece>& pieces, bool, EncodingBudget& budget) const override {
    std::vector<Piece> parts;
    for (const Piece& piece : pieces) {
      KV_ASSIGN(const auto matches, pattern.find_all(piece.text, budget));
      KV_TRY(split_piece(piece, matches, behavior, invert, name, parts));
    }
    pieces = std::move(parts);
    return {};
  }
};

struct Metaspace final : PreTokenizer {
  enum class Prepend { always, first, never };
  std::string sign = "\xE2\x96\x81";  // U+2581
  Prepend prepend = Prepend::always;
  bool splits = true;
  Status split(std::vector<Piece>& pieces, bool continuation, EncodingBudget&) const override {
    std::vector<Piece> parts;
    bool first = true;
    for (Piece& piece : pieces) {
      std::string text;
      for (const char c : piece.text) c == ' ' ? text += sign : text += c;
      const bool wanted = prepend == Prepend::always || (prepend == Prepend::first && piece.at_start);
      if (wanted && !text.starts_with(sign) && !(first && continuation)) text.insert(0, sign);
      first = false;
      piece.text = std::move(text);
      if (!splits) {
        parts.push_back(std::move(piece));
        continue;
      }
      std::vector<TextRange> signs;
      for (std::size_t at = piece.text.find(sign); at != std::string::npos;
           at = piece.text.find(sign, at + sign.size()))
        signs.push_back({at, at + sign.size()});
      KV_TRY(split_piece(piece, signs, SplitBehavior::merged_with_next, false, name, parts));
    }
    pieces = std::move(parts);
    return {};
  }
};

/// Splits at every character of a class.
struct AtCharacters final : PreTokenizer {
  bool (*in_class)(char32_t);
  SplitBehavior behavior;
  AtCharacters(bool (*which)(char32_t), SplitBehavior what) : in_class(which), behavior(what) {}
  Status split(std::vector<Piece>& pieces, bool, EncodingBudget&) const override {
    std::vector<Piece> parts;
    for (const Piece& piece : pieces) {
      std::vector<TextRange> matches;
      for (std::size_t at = 0; at < piece.text.size();) {
        const std::size_t begin = at;
        if (in_class(next_character(piece.text, at))) matches.push_back({begin, at});
      }
      KV_TRY(split_piece(piece, matches, behavior, false, name, parts));
    }
    pieces = std::move(parts);
    return {};
  }
};

/// Runs of letters and runs of signs; the space between them is dropped.
struct Whitespace final : PreTokenizer {
  Status split(std::vector<Piece>& pieces, bool, EncodingBudget&) const override {
    enum class Kind { space, word, sign };
    std::vector<Piece> parts;
    for (const Piece& piece : pieces) {
      Kind last = Kind::space;
      for (std::size_t at = 0; at < piece.text.size();) {
        const std::size_t begin = at;
        const char32_t character = next_character(piece.text, at);
        const Kind kind = is_white_space(character) ? Kind::space : is_word(character) ? Kind::word : Kind::sign;
        if (kind != Kind::space && kind != last) {
          KV_TRY(EncodingBudget::check_pieces(parts.size() + 1, name));
          parts.push_back({"", piece.at_start && begin == 0});
        }
        if (kind != Kind::space) parts.back().text.append(piece.text, begin, at - begin);
        last = kind;
      }
    }
    pieces = std::move(parts);
    return {};
  }
};

struct PreTokenizerSequence final : PreTokenizer {
  std::vector<std::unique_ptr<PreTokenizer>> steps;
  Status split(std::vector<Piece>& pieces, bool continuation, EncodingBudget& budget) const override {
    for (const auto& step : steps) KV_TRY(step->apply(pieces, continuation, budget));
    return {};
  }
};

using Made = std::unique_ptr<PreTokenizer>;

Expected<SplitBehavior> read_behavior(const Json& json, const std::string& where, const std::string& fallback) {
  KV_ASSIGN(auto text, json_field_or<std::string>(json, "behavior", where, fallback));
  if (const auto behavior = split_behavior_of(text)) return *behavior;
  return fail(ErrorCode::rejected_input,
              where + ": behavior '" + printable(text) +
                  "' is unknown; use Removed, Isolated, MergedWithPrevious, MergedWithNext or Contiguous");
}

Expected<Made> make_byte_level(const Json& json, const std::string& where) {
  auto made = std::make_unique<ByteLevel>();
  KV_ASSIGN(auto prefix, json_field_or<bool>(json, "add_prefix_space", where, true));
  KV_ASSIGN(auto use_regex, json_field_or<bool>(json, "use_regex", where, true));
  made->add_prefix_space = prefix;
  if (use_regex) {
    KV_ASSIGN(auto words, Regex::compile(gpt2_words, where));
    made->words = std::move(words);
  }
  return Made(std::move(made));
}

Expected<Made> make_split(const Json& json, const std::string& where) {
  KV_ASSIGN(auto pattern, TextPattern::parse(json.value("pattern", Json()), where));
  KV_ASSIGN(auto behavior, read_behavior(json, where, "Isolated"));
  KV_ASSIGN(auto invert, json_field_or<bool>(json, "invert", where, false));
  auto made = std::make_unique<Split>(std::move(pattern));
  made->behavior = behavior;
  made->invert = invert;
  return Made(std::move(made));
}

Expected<Made> make_metaspace(const Json& json, const std::string& where) {
  auto made = std::make_unique<Metaspace>();
  KV_ASSIGN(auto sign, json_field<std::string>(json, "replacement", where));
  // Files older than prepend_scheme use add_prefix_space.
  KV_ASSIGN(auto add_prefix, json_field_or<bool>(json, "add_prefix_space", where, true));
  KV_ASSIGN(auto scheme, json_field_or<std::string>(json, "prepend_scheme", where, add_prefix ? "always" : "never"));
  KV_ASSIGN(auto split, json_field_or<bool>(json, "split", where, true));
  if (character_count(sign) != 1)
    return fail(ErrorCode::rejected_input, where + ": field 'replacement' must be one character");
  if (scheme == "always") {
    made->prepend = Metaspace::Prepend::always;
  } else if (scheme == "first") {
    made->prepend = Metaspace::Prepend::first;
  } else if (scheme == "never") {
    made->prepend = Metaspace::Prepend::never;
  } else {
    return fail(ErrorCode::rejected_input,
                where + ": prepend_scheme '" + printable(scheme) + "' is unknown; use always, first or never");
  }
  made->sign = std::move(sign);
  made->splits = split;
  return Made(std::move(made));
}

Expected<Made> pre_tokenizer_of_type(const Json& json, const std::string& type, const std::string& name, int depth) {
  const std::string where = name + ": pre_tokenizer " + type;
  if (type == "ByteLevel") return make_byte_level(json, where);
  if (type == "Split") return make_split(json, where);
  if (type == "Metaspace") return make_metaspace(json, where);
  if (type == "WhitespaceSplit") return Made(new AtCharacters(is_white_space, SplitBehavior::removed));
  if (type == "Whitespace") return Made(new Whitespace);
  if (type == "Digits") {
    KV_ASSIGN(auto individual, json_field_or<bool>(json, "individual_digits", where, false));
    return Made(new AtCharacters(is_numeric, individual ? SplitBehavior::isolated : SplitBehavior::contiguous));
  }
  if (type == "Punctuation") {
    KV_ASSIGN(auto behavior, read_behavior(json, where, "Isolated"));
    return Made(new AtCharacters(is_punctuation, behavior));
  }
  if (type == "Sequence") {
    auto made = std::make_unique<PreTokenizerSequence>();
    KV_ASSIGN(const auto steps, json_list(json, "pretokenizers", where));
    for (const Json& step : *steps) {
      KV_ASSIGN(auto one, make_pre_tokenizer(step, name, depth + 1));
      if (one) made->steps.push_back(std::move(one));
    }
    return Made(std::move(made));
  }
  return fail(ErrorCode::rejected_input, name + ": pre_tokenizer type '" + printable(type) +
                                             "' is not supported; known are ByteLevel, Split, " +
                                             "Metaspace, Whitespace, WhitespaceSplit, Digits, Punctuation, Sequence");
}

}  // namespace

std::uint64_t piece_bytes(const std::vector<Piece>& pieces) {
  std::uint64_t bytes = 0;
  for (const Piece& piece : pieces) bytes += piece.text.size();
  return bytes;
}

Status PreTokenizer::apply(std::vector<Piece>& pieces, bool continuation, EncodingBudget& budget) const {
  KV_TRY(budget.take_pass(piece_bytes(pieces), name));
  KV_TRY(split(pieces, continuation, budget));
  return budget.check_size(piece_bytes(pieces), name);  // prefixes and letters of bytes make it grow
}

Expected<std::unique_ptr<PreTokenizer>> make_pre_tokenizer(const Json& json, const std::string& name, int depth) {
  if (json.is_null()) return Made{};
  if (depth > 8) return fail(ErrorCode::rejected_input, name + ": pre-tokenizers are nested too deeply");
  KV_ASSIGN(auto type, json_field<std::string>(json, "type", name + ": pre_tokenizer"));
  KV_ASSIGN(auto made, pre_tokenizer_of_type(json, type, name, depth));
  made->name = name + ": pre_tokenizer " + type;
  return made;
}

}  // namespace kvantage::inline text
