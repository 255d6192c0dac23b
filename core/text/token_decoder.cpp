#include "core/text/token_decoder.h"

#include "core/base/find_text.h"
#include "core/text/byte_letters.h"
#include "core/text/text_pattern.h"
#include "core/text/unicode.h"

namespace kvantage::inline text {
namespace {

struct ByteLevelDecoder final : TokenDecoder {
  void apply(std::vector<std::string>& tokens, EncodingBudget&) const override {
    std::string bytes;
    for (const std::string& token : tokens)
      if (!append_bytes_of_letters(token, bytes)) bytes += token;
    tokens.assign(1, mended_utf8(bytes));
  }
};

/// Runs of <0xNN> become the characters that they encode; a run of invalid UTF-8, one U+FFFD per byte.
struct ByteFallback final : TokenDecoder {
  static int byte_of(const std::string& token) {
    if (token.size() != 6 || !token.starts_with("<0x") || token.back() != '>') return -1;
    int value = 0;
    for (const char c : {token[3], token[4]}) {
      const int digit = c >= '0' && c <= '9'   ? c - '0'
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                               : -1;
      if (digit < 0) return -1;
      value = value * 16 + digit;
    }
    return value;
  }

  void apply(std::vector<std::string>& tokens, EncodingBudget&) const override {
    std::vector<std::string> result;
    std::string bytes;
    const auto flush = [&] {
      if (bytes.empty()) return;
      if (mended_utf8(bytes) == bytes)
        result.push_back(bytes);
      else
        result.insert(result.end(), bytes.size(), "\xEF\xBF\xBD");
      bytes.clear();
    };
    for (std::string& token : tokens) {
      if (const int byte = byte_of(token); byte >= 0) {
        bytes.push_back(static_cast<char>(byte));
        continue;
      }
      flush();
      result.push_back(std::move(token));
    }
    flush();
    tokens = std::move(result);
  }
};

struct Fuse final : TokenDecoder {
  void apply(std::vector<std::string>& tokens, EncodingBudget&) const override {
    std::string whole;
    for (const std::string& token : tokens) whole += token;
    tokens.assign(1, std::move(whole));
  }
};

/// Removes up to `start` and `stop` occurrences of a character from the ends of every string.
struct Strip final : TokenDecoder {
  std::string content;
  std::size_t start = 0;
  std::size_t stop = 0;
  void apply(std::vector<std::string>& tokens, EncodingBudget&) const override {
    for (std::string& token : tokens) {
      std::string_view rest = token;
      for (std::size_t i = 0; i < start && rest.starts_with(content); ++i) rest.remove_prefix(content.size());
      for (std::size_t i = 0; i < stop && rest.ends_with(content); ++i) rest.remove_suffix(content.size());
      if (rest.size() < token.size()) token = std::string(rest);
    }
  }
};

struct ReplaceDecoder final : TokenDecoder {
  TextPattern pattern;
  std::string content;
  ReplaceDecoder(TextPattern what, std::string by) : pattern(std::move(what)), content(std::move(by)) {}
  void apply(std::vector<std::string>& tokens, EncodingBudget& budget) const override {
    std::uint64_t bytes = 0;
    for (const std::string& token : tokens) bytes += token.size();
    for (std::string& token : tokens) {
      bytes -= token.size();
      (void)pattern.replace_all(token, content, budget, {});
      bytes += token.size();
      if (!budget.check_size(bytes, {})) return;
    }
  }
};

struct MetaspaceDecoder final : TokenDecoder {
  std::string sign;
  bool prefix = true;  // the tokenizer added the first token's sign
  void apply(std::vector<std::string>& tokens, EncodingBudget&) const override {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      std::string text;
      const std::string& token = tokens[i];
      for (std::size_t at = 0; at < token.size();) {
        if (token.compare(at, sign.size(), sign) == 0) {
          if (i > 0 || !prefix) text += ' ';
          at += sign.size();
        } else {
          text += token[at++];
        }
      }
      tokens[i] = std::move(text);
    }
  }
};

/// End-of-word marks become spaces, except the last.
struct WordSuffix final : TokenDecoder {
  std::string suffix;
  void apply(std::vector<std::string>& tokens, EncodingBudget&) const override {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const std::string_view by = i + 1 == tokens.size() ? "" : " ";
      std::string text;
      std::size_t done = 0;
      for (std::size_t at = find_text(tokens[i], suffix); at != std::string::npos;
           at = find_text(tokens[i], suffix, done)) {
        text.append(tokens[i], done, at - done).append(by);
        done = at + suffix.size();
      }
      tokens[i] = text.append(tokens[i], done);
    }
  }
};

struct DecoderSequence final : TokenDecoder {
  std::vector<std::unique_ptr<TokenDecoder>> steps;
  void apply(std::vector<std::string>& tokens, EncodingBudget& budget) const override {
    for (const auto& step : steps) step->apply(tokens, budget);
  }
};

using MadeDecoder = std::unique_ptr<TokenDecoder>;

Expected<MadeDecoder> make_strip(const Json& json, const std::string& where) {
  KV_ASSIGN(auto content, json_field<std::string>(json, "content", where));
  KV_ASSIGN(auto start, json_field_or<std::uint32_t>(json, "start", where, 0));
  KV_ASSIGN(auto stop, json_field_or<std::uint32_t>(json, "stop", where, 0));
  if (character_count(content) != 1)
    return fail(ErrorCode::rejected_input, where + ": field 'content' must be one character");
  auto made = std::make_unique<Strip>();
  made->content = std::move(content);
  made->start = start;
  made->stop = stop;
  return MadeDecoder(std::move(made));
}

Expected<MadeDecoder> make_metaspace_decoder(const Json& json, const std::string& where) {
  KV_ASSIGN(auto sign, json_field<std::string>(json, "replacement", where));
  KV_ASSIGN(auto add_prefix, json_field_or<bool>(json, "add_prefix_space", where, true));
  KV_ASSIGN(auto scheme, json_field_or<std::string>(json, "prepend_scheme", where, add_prefix ? "always" : "never"));
  if (character_count(sign) != 1)
    return fail(ErrorCode::rejected_input, where + ": field 'replacement' must be one character");
  auto made = std::make_unique<MetaspaceDecoder>();
  made->sign = std::move(sign);
  made->prefix = scheme != "never";
  return MadeDecoder(std::move(made));
}

}  // namespace

Expected<std::unique_ptr<TokenDecoder>> make_token_decoder(const Json& json, const std::string& name, int depth) {
  if (json.is_null()) return MadeDecoder{};
  if (depth > 8) return fail(ErrorCode::rejected_input, name + ": decoders are nested too deeply");
  KV_ASSIGN(auto type, json_field<std::string>(json, "type", name + ": decoder"));
  const std::string where = name + ": decoder " + type;
  if (type == "ByteLevel") return MadeDecoder(new ByteLevelDecoder);
  if (type == "ByteFallback") return MadeDecoder(new ByteFallback);
  if (type == "Fuse") return MadeDecoder(new Fuse);
  if (type == "Strip") return make_strip(json, where);
  if (type == "Metaspace") return make_metaspace_decoder(json, where);
  if (type == "Replace") {
    KV_ASSIGN(auto content, json_field<std::string>(json, "content", where));
    KV_ASSIGN(auto pattern, TextPattern::parse(json.value("pattern", Json()), where));
    return MadeDecoder(new ReplaceDecoder(std::move(pattern), std::move(content)));
  }
  if (type == "BPEDecoder") {
    KV_ASSIGN(auto suffix, json_field_or<std::string>(json, "suffix", where, "</w>"));
    if (suffix.empty()) return fail(ErrorCode::rejected_input, where + ": field 'suffix' must not be empty");
    auto made = std::make_unique<WordSuffix>();
    made->suffix = std::move(suffix);
    return MadeDecoder(std::move(made));
  }
  if (type == "Sequence") {
    auto made = std::make_unique<DecoderSequence>();
    KV_ASSIGN(const auto steps, json_list(json, "decoders", where));
    for (const Json& step : *steps) {
      KV_ASSIGN(auto one, make_token_decoder(step, name, depth + 1));
      if (one) made->steps.push_back(std::move(one));
    }
    return MadeDecoder(std::move(made));
  }
  return fail(ErrorCode::rejected_input, name + ": decoder type '" + printable(type) +
                                             "' is not supported; known are ByteLevel, " +
                                             "ByteFallback, Fuse, Strip, Replace, Metaspace, BPEDecoder, Sequence");
}

}  // namespace kvantage::inline text
