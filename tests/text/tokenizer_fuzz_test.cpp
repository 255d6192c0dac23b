// links: kv_base core_text_chat
// Whatever is in a tokenizer.json, loading it ends in a tokenizer or in one clear line, and a tokenizer that loaded
// encodes and decodes anything without harm.
#include <QtTest>
#include <array>

#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/random.h"
#include "core/text/chat/prompt_template.h"
#include "tests/support/damage.h"
#include "tests/support/test_program.h"

namespace tokenizer_fuzz_test {

using namespace kvantage;
using test::default_tries;

namespace {

const std::filesystem::path golden_folder = std::filesystem::path(KVANTAGE_SOURCE_DIR) / "tests/goldens";

/// The file of Unigram with fewer pieces.
Json small_unigram() {
  Json json = read_json_file(golden_folder / "unigram/unigram/tokenizer.json").value();
  Json& pieces = json["model"]["vocab"];
  pieces.erase(pieces.begin() + 330, pieces.end());
  return json;
}

/// A file with many kinds of stages and a vocabulary of a few hundred tokens, so that most changes hit something.
Json small_file(const char* name) {
  if (std::string_view(name) == "unigram") return small_unigram();
  Json json = read_json_file(golden_folder / "tokenizers" / name / "tokenizer.json").value();
  Json vocabulary = Json::object();
  for (const auto& [token, id] : json["model"]["vocab"].items())
    if (id.get<int>() < 330) vocabulary[token] = id;
  Json merges = Json::array();
  for (const Json& merge : json["model"]["merges"]) {
    const auto left = merge[0].get<std::string>();
    const auto right = merge[1].get<std::string>();
    if (vocabulary.contains(left) && vocabulary.contains(right) && vocabulary.contains(left + right))
      merges.push_back(merge);
  }
  json["model"]["vocab"] = vocabulary;
  json["model"]["merges"] = merges;
  if (json["post_processor"]["type"] == "Sequence") json["post_processor"] = nullptr;
  return json;
}

/// All nodes below one, but for most of the vocabulary and merges.
void collect(Json& node, Random& random, std::vector<Json*>& nodes) {
  nodes.push_back(&node);
  if (!node.is_structured()) return;
  for (Json& child : node)
    if (node.size() < 40 || random.below(node.size()) < 10) collect(child, random, nodes);
}

Json odd_value(Random& random) {
  static const std::vector<Json> values = {nullptr,
                                           true,
                                           false,
                                           0,
                                           1,
                                           -1,
                                           7,
                                           4294967295u,
                                           1e300,
                                           0.5,
                                           -0.0,
                                           "",
                                           "a",
                                           " ",
                                           "\u2581",
                                           "NFC",
                                           "NFKD",
                                           "Lowercase",
                                           "ByteLevel",
                                           "Metaspace",
                                           "Sequence",
                                           "Split",
                                           "Digits",
                                           "Punctuation",
                                           "WhitespaceSplit",
                                           "Whitespace",
                                           "Strip",
                                           "Replace",
                                           "Fuse",
                                           "ByteFallback",
                                           "BPE",
                                           "Unigram",
                                           "WordLevel",
                                           "Precompiled",
                                           "WordPiece",
                                           "(a|b)*c",
                                           "(?=a)",
                                           "\\s*",
                                           "(",
                                           "[",
                                           "\\p{",
                                           "(?i:x)+?",
                                           "\\K",
                                           "^",
                                           "$",
                                           "(\\w+\\s*)+$",
                                           "a{1,3}+",
                                           "\\u12",
                                           "[[:alpha:]]",
                                           "[[:",
                                           "\xF0\x9F\xA6\x99",
                                           "Removed",
                                           "Isolated",
                                           "MergedWithNext",
                                           "MergedWithPrevious",
                                           "Contiguous",
                                           "first",
                                           "always",
                                           "never",
                                           "<unk>",
                                           "<0x0A>",
                                           "A",
                                           "B",
                                           Json::array(),
                                           Json::object(),
                                           Json::array({1, 2}),
                                           Json::array({"a", "b"}),
                                           Json{{"Regex", "."}},
                                           Json{{"String", ""}},
                                           Json{{"Regex", ""}},
                                           Json{{"type", "ByteLevel"}},
                                           Json{{"type", "Strip"}},
                                           Json{{"type", "Sequence"}},
                                           Json{{"type", "Lowercase"}}};
  return values[random.below(values.size())];
}

void change(Json& json, Random& random) {
  std::vector<Json*> nodes;
  collect(json, random, nodes);
  Json& node = *nodes[random.below(nodes.size())];
  switch (random.below(5)) {
    case 0:
      node = odd_value(random);
      break;
    case 1:
      node = Json(*nodes[random.below(nodes.size())]);
      break;  // something from elsewhere
    case 2:
      if (node.is_structured() && !node.empty()) {
        auto at = node.begin();
        std::advance(at, static_cast<std::ptrdiff_t>(random.below(node.size())));
        node.erase(at);
      }
      break;
    case 3:
      if (node.is_array()) node.push_back(node.empty() ? odd_value(random) : Json(node[random.below(node.size())]));
      if (node.is_object()) node[random.below(2) == 0 ? "type" : "pattern"] = odd_value(random);
      break;
    default:
      if (node.is_string()) {
        std::string text = node.get<std::string>();
        text.insert(random.below(text.size() + 1), 1, static_cast<char>(0x20 + random.below(95)));
        node = Json::accept(Json(text).dump(-1, ' ', false, Json::error_handler_t::ignore)) ? Json(text) : Json("x");
      } else if (node.is_number_integer()) {
        node = node.get<std::int64_t>() + static_cast<std::int64_t>(random.below(7)) - 3;
      }
  }
}

/// JSON is easier to read here with the other quotes.
std::string quoted(std::string text) {
  std::replace(text.begin(), text.end(), '\'', '"');
  return text;
}

/// Nothing here may crash; ids must be in the vocabulary.
void use(const std::shared_ptr<const Tokenizer>& tokenizer, Random& random) {
  for (const char* text : {"", "Hello  world, it's 12345 o'clock\r\n\t!", " <s>é🦙<mask> \xFF\xC3 ▁a",
                           "aaaaaaaaaaaaaaaaaaaaaaaaaaaab"}) {
    for (const auto& ids : {tokenizer->try_encode(text, true), tokenizer->try_encode_continuation(text)}) {
      if (!ids) {  // a pattern that needs too many steps
        QCOMPARE(ids.error().code, ErrorCode::rejected_input);
        QVERIFY(ids.error().message.find('\n') == std::string::npos);
        continue;
      }
      for (const std::int32_t id : *ids) QVERIFY(id >= 0 && id < tokenizer->vocab_size());
      tokenizer->decode(*ids);
      StreamDecoder stream(tokenizer);
      for (const std::int32_t id : *ids) stream.push(id);
      stream.finish();
    }
  }
  std::vector<std::int32_t> ids;
  for (int i = 0; i < 30; ++i) ids.push_back(static_cast<std::int32_t>(random.below(400)) - 10);
  tokenizer->decode(ids, false);
  if (const auto prompt = PromptTemplate::detect(tokenizer)) {
    (void)prompt->try_encode_context("context");
    (void)prompt->try_encode_question("question");
  }
}

}  // namespace

class TokenizerFuzzTest : public QObject {
  Q_OBJECT

 private slots:
  void changedFilesLoadOrAreRefusedInOneLine() {
    constexpr std::uint64_t tries = default_tries(1500);  // of each file
    std::uint64_t loaded = 0, refused = 0;
    for (const char* name : {"byte_level", "sentencepiece", "unigram"}) {
      const Json whole = small_file(name);
      for (std::uint64_t seed = 0; seed < tries; ++seed) {
        Random random(derive_seed(seed, 77));
        Json json = whole;
        for (std::uint64_t times = 1 + random.below(3); times > 0; --times) change(json, random);
        const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
        const auto tokenizer = Tokenizer::parse(text, quoted("{'eos_token': '</s>'}"), "changed.json");
        if (tokenizer) {
          ++loaded;
          use(*tokenizer, random);
        } else {
          ++refused;
          QVERIFY(tokenizer.error().code == ErrorCode::rejected_input);
          QVERIFY(QString::fromStdString(tokenizer.error().message).startsWith("changed.json"));
        }
      }
    }
    qInfo("%llu loaded, %llu refused", static_cast<unsigned long long>(loaded),
          static_cast<unsigned long long>(refused));
    QVERIFY(loaded > 3 * tries / 15 && refused > 3 * tries / 15);
  }

  void changedBytesLoadOrAreRefused() {
    const std::array wholes{small_file("sentencepiece").dump(), small_file("unigram").dump()};
    for (std::uint64_t seed = 0; seed < default_tries(1000); ++seed) {
      Random random(derive_seed(seed, 78));
      std::string text = wholes[seed % 2];
      const std::size_t begin = random.below(2) == 0 ? 0 : text.find("\"normalizer\"");
      for (std::uint64_t times = 1 + random.below(4); times > 0; --times)
        text[begin + random.below(text.size() - begin)] = static_cast<char>(random.below(256));
      if (random.below(4) == 0) text.resize(random.below(text.size()));
      if (const auto tokenizer = Tokenizer::parse(text, "", "changed.json")) use(*tokenizer, random);
    }
  }

  void deepNestingIsRefusedNotFollowed() {
    for (const char* field : {"normalizer", "pre_tokenizer", "decoder", "post_processor"}) {
      const std::string list = std::string(field) == "normalizer"      ? "normalizers"
                               : std::string(field) == "pre_tokenizer" ? "pretokenizers"
                               : std::string(field) == "decoder"       ? "decoders"
                                                                       : "processors";
      const std::string open = quoted("{'type':'Sequence','" + list + "':[");
      std::string text = quoted("{'model':{'type':'BPE','vocab':{'a':0},'merges':[]},'" + std::string(field) + "':");
      for (int i = 0; i < 20000; ++i) text += open;
      text += quoted("{'type':'ByteLevel'}");
      for (int i = 0; i < 20000; ++i) text += "]}";
      const auto tokenizer = Tokenizer::parse(text + "}", "", "deep.json");
      QVERIFY(!tokenizer && QString::fromStdString(tokenizer.error().message).contains("too deeply"));
    }
  }
};

KV_TEST_GUILESS_MAIN(TokenizerFuzzTest)

}  // namespace tokenizer_fuzz_test

#include "tokenizer_fuzz_test.moc"
