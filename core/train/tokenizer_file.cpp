#include "core/train/tokenizer_file.h"

#include "core/base/json.h"
#include "core/workload/families/pieces.h"

namespace kvantage::inline training {
namespace {

constexpr const char* special_names[] = {"<|pad|>", "<|context|>", "<|question|>", "<|answer|>", "<|end|>"};

std::uint64_t pair_code(std::uint32_t left, std::uint32_t right) { return (std::uint64_t{left} << 32) | right; }

/// GPT-2's byte-level alphabet: printable bytes map to themselves, the others to the letters from U+0100 on.
std::vector<std::string> byte_letters() {
  std::vector<std::string> letters(256);
  std::uint32_t next = 256;
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    const bool printable = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
    const std::uint32_t letter = printable ? byte : next++;
    if (letter < 128) {
      letters[byte].push_back(static_cast<char>(letter));
    } else {
      letters[byte].push_back(static_cast<char>(0xc0 | (letter >> 6)));
      letters[byte].push_back(static_cast<char>(0x80 | (letter & 0x3f)));
    }
  }
  return letters;
}

std::string in_letters(const std::string& bytes, const std::vector<std::string>& letters) {
  std::string text;
  for (char c : bytes) text += letters[static_cast<unsigned char>(c)];
  return text;
}

}  // namespace

TokenizerSpec build_tokenizer(std::span<const std::string> pieces) {
  TokenizerSpec spec;
  for (const char* name : special_names) spec.tokens.emplace_back(name);
  for (int byte = 0; byte < 256; ++byte) spec.tokens.push_back(std::string{static_cast<char>(byte)});

  std::unordered_map<std::string, std::uint32_t> ids;  // two merges may yield the same token
  std::vector<std::vector<std::uint32_t>> words;
  for (const std::string& piece : pieces) {
    auto& word = words.emplace_back();
    for (char c : piece) word.push_back(TokenizerSpec::special_tokens + static_cast<unsigned char>(c));
  }
  for (;;) {
    std::unordered_map<std::uint64_t, std::uint32_t> counts;
    for (const auto& word : words)
      for (std::size_t i = 0; i + 1 < word.size(); ++i) ++counts[pair_code(word[i], word[i + 1])];
    if (counts.empty()) break;
    std::uint64_t best = 0;
    std::uint32_t best_count = 0;
    for (const auto& [code, count] : counts)
      if (count > best_count || (count == best_count && code < best)) best = code, best_count = count;
    const auto left = static_cast<std::uint32_t>(best >> 32);
    const auto right = static_cast<std::uint32_t>(best);
    const auto [known, is_new] =
        ids.emplace(spec.tokens[left] + spec.tokens[right], static_cast<std::uint32_t>(spec.tokens.size()));
    const std::uint32_t merged = known->second;
    if (is_new) spec.tokens.push_back(known->first);
    spec.merges.emplace_back(left, right);
    for (auto& word : words) {
      std::size_t kept = 0;
      for (std::size_t i = 0; i < word.size(); ++i) {
        const bool here = i + 1 < word.size() && word[i] == left && word[i + 1] == right;
        word[kept++] = here ? merged : word[i];
        if (here) ++i;
      }
      word.resize(kept);
    }
  }
  return spec;
}

std::string tokenizer_json(const TokenizerSpec& spec) {
  const std::vector<std::string> letters = byte_letters();
  OrderedJson added = OrderedJson::array();
  OrderedJson vocabulary = OrderedJson::object();
  for (std::uint32_t id = 0; id < spec.tokens.size(); ++id) {
    const bool special = id < TokenizerSpec::special_tokens;
    vocabulary[special ? spec.tokens[id] : in_letters(spec.tokens[id], letters)] = id;
    if (special)
      added.push_back({{"id", id},
                       {"content", spec.tokens[id]},
                       {"single_word", false},
                       {"lstrip", false},
                       {"rstrip", false},
                       {"normalized", false},
                       {"special", true}});
  }
  OrderedJson merges = OrderedJson::array();
  for (const auto& [left, right] : spec.merges)
    merges.push_back({in_letters(spec.tokens[left], letters), in_letters(spec.tokens[right], letters)});
  const OrderedJson split = {
      {"type", "Split"}, {"pattern", {{"Regex", piece_pattern}}}, {"behavior", "Isolated"}, {"invert", false}};
  const OrderedJson byte_level = {
      {"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", false}};
  const OrderedJson file = {{"version", "1.0"},
                            {"truncation", nullptr},
                            {"padding", nullptr},
                            {"added_tokens", added},
                            {"normalizer", nullptr},
                            {"pre_tokenizer", {{"type", "Sequence"}, {"pretokenizers", {split, byte_level}}}},
                            {"post_processor", nullptr},
                            {"decoder", byte_level},
                            {"model",
                             {{"type", "BPE"},
                              {"dropout", nullptr},
                              {"unk_token", nullptr},
                              {"continuing_subword_prefix", nullptr},
                              {"end_of_word_suffix", nullptr},
                              {"fuse_unk", false},
                              {"byte_fallback", false},
                              {"ignore_merges", false},
                              {"vocab", vocabulary},
                              {"merges", merges}}}};
  return dump_json(file, 1) + "\n";
}

std::string tokenizer_config_json() {
  const OrderedJson config = {
      {"tokenizer_class", "PreTrainedTokenizerFast"},
      {"pad_token", special_names[TokenizerSpec::pad]},
      {"eos_token", special_names[TokenizerSpec::end]},
      {"model_max_length", 8192},
      {"clean_up_tokenization_spaces", false},
      {"chat_template",
       "{% for message in messages %}{% if message['role'] == 'system' %}{{ '<|context|> ' + message['content'] }}"
       "{% elif message['role'] == 'user' %}{{ '<|question|> ' + message['content'] }}"
       "{% else %}{{ '<|answer|> ' + message['content'] + '<|end|>' }}{% endif %}{% endfor %}"
       "{% if add_generation_prompt %}{{ '<|answer|>' }}{% endif %}"}};
  return dump_json(config, 1) + "\n";
}

PieceEncoder::PieceEncoder(const TokenizerSpec& spec) {
  for (std::uint32_t id = TokenizerSpec::special_tokens; id < spec.tokens.size(); ++id) ids_[spec.tokens[id]] = id;
}

Status PieceEncoder::append(std::string_view text, std::vector<std::uint32_t>& tokens) const {
  for (std::string_view piece : split_pieces(text)) {
    const auto found = ids_.find(std::string(piece));
    if (found == ids_.end())
      return fail(ErrorCode::rejected_input,
                  std::string("'").append(piece) + "': not one token; add it to the lexicon");
    tokens.push_back(found->second);
  }
  return {};
}

}  // namespace kvantage::inline training
