// The patterns come from the models' own tokenizer.json; "default" is ggml's, for files without a tokenizer name.
#include "core/text/gguf_pre_tokenizer.h"

#include <array>
#include <initializer_list>
#include <utility>

namespace kvantage::inline text {
namespace {

/// Splits texts where the patterns match, one after another, then maps bytes to letters.
Json cuts(std::initializer_list<const char*> patterns, bool single_digits = false, bool gguf_gpt2_pattern = false) {
  Json steps = Json::array();
  for (const char* pattern : patterns)
    steps.push_back(
        {{"type", "Split"}, {"pattern", {{"Regex", pattern}}}, {"behavior", "Isolated"}, {"invert", false}});
  if (single_digits) steps.push_back({{"type", "Digits"}, {"individual_digits", true}});
  steps.push_back({{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", gguf_gpt2_pattern}});
  return {{"type", "Sequence"}, {"pretokenizers", std::move(steps)}};
}

constexpr const char* gguf_gpt2_pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

constexpr const char* llama3_words =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|)"
    R"(\s+(?!\S)|\s+)";

constexpr const char* qwen2_words =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

/// OpenAI's o200k: words end where lower case is followed by upper case, and take a contraction with them.
constexpr const char* gpt4o_words =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"(\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

/// Mistral's: the same without contractions, digit by digit.
constexpr const char* tekken_words = R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|)"
                                     R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|)"
                                     R"(\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

constexpr const char* line_ends = R"([\r\n])";
constexpr const char* cjk = "[一-龥ࠀ-一가-퟿]+";

/// Letters of scripts with upper and lower case, as in DeepSeek's list.
constexpr const char* deepseek_letters =
    R"(\s?[A-Za-z\x{B5}\x{C0}-\x{D6}\x{D8}-\x{F6}\x{F8}-\x{1BA}\x{1BC}-\x{1BF}\x{1C4}-\x{293}\x{295}-\x{2AF})"
    R"(\x{370}-\x{373}\x{376}\x{377}\x{37B}-\x{37D}\x{37F}\x{386}\x{388}-\x{38A}\x{38C}\x{38E}-\x{3A1})"
    R"(\x{3A3}-\x{3F5}\x{3F7}-\x{481}\x{48A}-\x{52F}\x{531}-\x{556}\x{10A0}-\x{10C5}\x{13A0}-\x{13F5})"
    R"(\x{13F8}-\x{13FD}\x{1C90}-\x{1CBA}\x{1CBD}-\x{1CBF}\x{1D00}-\x{1D2B}\x{1D6B}-\x{1D77}\x{1D79}-\x{1D9A})"
    R"(\x{1E00}-\x{1F15}\x{1F18}-\x{1F1D}\x{1F20}-\x{1F45}\x{1F48}-\x{1F4D}\x{1F50}-\x{1F57}\x{1F59}\x{1F5B})"
    R"(\x{1F5D}\x{1F5F}-\x{1F7D}\x{1F80}-\x{1FB4}\x{1FB6}-\x{1FBC}\x{1FBE}\x{1FC2}-\x{1FC4}\x{1FC6}-\x{1FCC})"
    R"(\x{1FD0}-\x{1FD3}\x{1FD6}-\x{1FDB}\x{1FE0}-\x{1FEC}\x{1FF2}-\x{1FF4}\x{1FF6}-\x{1FFC}\x{2102}\x{2107})"
    R"(\x{210A}-\x{2113}\x{2115}\x{2119}-\x{211D}\x{2124}\x{2126}\x{2128}\x{212A}-\x{212D}\x{212F}-\x{2134}\x{2139})"
    R"(\x{213C}-\x{213F}\x{2145}-\x{2149}\x{214E}\x{2183}\x{2184}\x{2C00}-\x{2C7B}\x{2C7E}-\x{2CE4})"
    R"(\x{2CEB}-\x{2CEE}\x{2CF2}\x{2CF3}\x{A640}-\x{A66D}\x{A680}-\x{A69B}\x{A722}-\x{A76F}\x{A771}-\x{A787})"
    R"(\x{A78B}-\x{A78E}\x{AB70}-\x{ABBF}\x{FB00}-\x{FB06}\x{FB13}-\x{FB17}\x{FF21}-\x{FF3A}\x{FF41}-\x{FF5A})"
    R"(\x{10400}-\x{1044F}\x{104B0}-\x{104D3}\x{104D8}-\x{104FB}\x{10C80}-\x{10CB2}\x{10CC0}-\x{10CF2})"
    R"(\x{118A0}-\x{118DF}\x{1E900}-\x{1E943}]+)";
constexpr const char* deepseek_signs = R"(\s?[!-/:-~！-／：-～‘-‟　-。]+)";

constexpr std::array names{"default",        "gpt-2", "llama-bpe",        "llama3", "llama-v3", "deepseek-llm",
                           "deepseek-coder", "qwen2", "deepseek-r1-qwen", "smollm", "refact",   "starcoder",
                           "olmo",           "dbrx",  "gpt-4o",           "tekken"};

}  // namespace

std::optional<GgufPreTokenizer> gguf_pre_tokenizer(std::string_view name) {
  GgufPreTokenizer made;
  if (name == "default") {
    made.pre_tokenizer = cuts({R"([\p{P}\$\+<=>\^~\|]+)", gguf_gpt2_pattern, R"(\p{N}+)", "[0-9][0-9][0-9]"});
  } else if (name == "gpt-2" || name == "olmo") {
    made.pre_tokenizer = cuts({}, false, true);
  } else if (name == "llama-bpe" || name == "llama3" || name == "llama-v3") {
    made.pre_tokenizer = cuts({llama3_words});
    made.ignores_merges = true;
    made.adds_bos = true;
  } else if (name == "dbrx") {
    made.pre_tokenizer = cuts({llama3_words});
  } else if (name == "gpt-4o") {
    made.pre_tokenizer = cuts({gpt4o_words});
  } else if (name == "tekken") {
    made.pre_tokenizer = cuts({tekken_words});
    made.ignores_merges = true;
    made.adds_bos = true;
  } else if (name == "deepseek-llm") {
    made.pre_tokenizer = cuts({line_ends, deepseek_letters, deepseek_signs, R"(\s+$)", cjk}, true);
  } else if (name == "deepseek-coder") {
    made.pre_tokenizer = cuts({line_ends, R"(\s?\p{L}+)", R"(\s?\p{P}+)", cjk}, true);
  } else if (name == "qwen2") {
    made.pre_tokenizer = cuts({qwen2_words});
    made.normalizer = {{"type", "NFC"}};
  } else if (name == "deepseek-r1-qwen") {
    made.pre_tokenizer = cuts({qwen2_words});
  } else if (name == "smollm" || name == "refact" || name == "starcoder") {
    made.pre_tokenizer = cuts({}, true, true);
  } else {
    return std::nullopt;
  }
  return made;
}

std::string gguf_pre_tokenizer_names() {
  std::string list;
  for (const char* name : names) list += (list.empty() ? "" : ", ") + std::string(name);
  return list;
}

}  // namespace kvantage::inline text
