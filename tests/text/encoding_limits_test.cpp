// links: kv_base core_text_chat
// A tokenizer.json whose regular expressions need exponential time, or whose stages grow a text without bound, is an
// error that names the stage, never wrong ids and never all of the memory.
#include <QtTest>

#include "core/base/json.h"
#include "core/text/chat/prompt_template.h"
#include "core/text/encoding_budget.h"
#include "core/text/regex.h"
#include "core/text/tokenizer.h"
#include "core/text/wordpiece.h"
#include "tests/support/heap_peak.h"
#include "tests/support/test_program.h"
#include "tests/text/encoding_time.h"

namespace encoding_limits_test {

using namespace kvantage;
using Ids = std::vector<std::int32_t>;

namespace {

/// A BPE of a, b, c and x without merges, with these stages.
std::shared_ptr<const Tokenizer> made(const Json& stages) {
  Json json = {
      {"model", {{"type", "BPE"}, {"vocab", {{"a", 0}, {"b", 1}, {"c", 2}, {"x", 3}}}, {"merges", Json::array()}}}};
  json.update(stages);
  auto tokenizer = Tokenizer::parse(json.dump(), "", "made.json");
  if (!tokenizer) qFatal("%s", tokenizer.error().message.c_str());
  return *tokenizer;
}

Json split_at(const char* pattern) {
  return {{"type", "Split"}, {"pattern", {{"Regex", pattern}}}, {"behavior", "Isolated"}, {"invert", false}};
}

Json replace(const Json& pattern, const std::string& content) {
  return {{"type", "Replace"}, {"pattern", pattern}, {"content", content}};
}

}  // namespace

class EncodingLimitsTest : public QObject {
  Q_OBJECT

  static void compareError(const Expected<Ids>& ids, const std::vector<std::string>& parts) {
    QVERIFY(!ids.has_value());
    QCOMPARE(ids.error().code, ErrorCode::rejected_input);
    QVERIFY(ids.error().message.find('\n') == std::string::npos);
    for (const std::string& part : parts)
      QVERIFY2(ids.error().message.find(part) != std::string::npos, ids.error().message.c_str());
  }

 private slots:
  void aHeavyPatternIsAnErrorThatNamesIt() {
    const auto tokenizer = made({{"pre_tokenizer", split_at("(a+)+b|.")}});
    QCOMPARE(tokenizer->encode("aabc"), (Ids{0, 0, 1, 2}));
    const std::string heavy = std::string(32, 'a') + "c";
    const std::vector<std::string> parts = {"made.json: pre_tokenizer Split: ", "'(a+)+b|.'", "too many steps"};
    compareError(tokenizer->try_encode(heavy), parts);
    compareError(tokenizer->try_encode(heavy, true), parts);
    compareError(tokenizer->try_encode_continuation(heavy), parts);
    const PromptTemplate prompt = PromptTemplate::detect(tokenizer).value();
    compareError(prompt.try_encode_context(heavy), parts);
    compareError(prompt.try_encode_question(heavy), parts);
  }

  void whereNoErrorCanBeReturnedItIsThrown() {
    const auto tokenizer = made({{"pre_tokenizer", split_at("(a+)+b|.")}});
    const std::string heavy = std::string(32, 'a') + "c";
    QVERIFY_THROWS_EXCEPTION(EncodingError, tokenizer->encode(heavy));
    QVERIFY_THROWS_EXCEPTION(EncodingError, tokenizer->encode_continuation(heavy));
    QVERIFY_THROWS_EXCEPTION(EncodingError, PromptTemplate::detect(tokenizer).value().encode_context(heavy));
    try {
      tokenizer->encode(heavy);
    } catch (const EncodingError& error) {
      QCOMPARE(std::string(error.what()), tokenizer->try_encode(heavy).error().message);
      QCOMPARE(error.error().code, ErrorCode::rejected_input);
    }
  }

  // PCRE2's own limit is 10 million steps, which a long run of spaces needs with the patterns of real tokenizers.
  void aLongSearchIsNotAHeavyOne() {
    const auto tokenizer = made({{"pre_tokenizer", split_at(R"(\s*[\r\n]+|\s+(?!\S)|\s+|\S)")}});
    QVERIFY(tokenizer->try_encode(std::string(1'000'000, ' ') + "a").has_value());
    const auto regex = Regex::compile(R"(\s*[\r\n]+|\s+(?!\S)|\s+)", "test").value();
    const std::string spaces(1'000'000, ' ');
    EncodingBudget budget(spaces.size());
    const auto found = regex.find_all(spaces, budget);
    QVERIFY2(found.has_value(), found ? "" : found.error().message.c_str());
    QCOMPARE(found->size(), std::size_t{1});
    QCOMPARE(found->front().end, spaces.size());
  }

  // Each search stays within the limit of one, but there are many.
  void theStepsOfAllSearchesAreLimitedTogether() {
    const auto regex = Regex::compile("(a+)+b|.", "test").value();
    const std::string text = std::string(12, 'a') + "c";
    EncodingBudget budget(0);
    std::size_t searches = 0;
    Expected<std::vector<TextRange>> found;
    for (; searches < 10000; ++searches)
      if (found = regex.find_all(text, budget); !found) break;
    QVERIFY(searches > 0 && searches < 10000);
    QCOMPARE(found.error().code, ErrorCode::rejected_input);
    QCOMPARE(budget.steps_left(), std::uint64_t{0});
  }

  void stagesThatPassOverTheTextTooOftenAreAnError() {
    Json steps = Json::array();
    for (int i = 0; i < 2000; ++i) steps.push_back({{"type", "Digits"}, {"individual_digits", false}});
    const auto tokenizer = made({{"pre_tokenizer", {{"type", "Sequence"}, {"pretokenizers", steps}}}});
    QVERIFY(tokenizer->try_encode("a").has_value());
    compareError(tokenizer->try_encode(std::string(20000, 'a')), {"made.json: pre_tokenizer Digits: ", "too often"});
  }

  void aStageThatGrowsTheTextIsNamed_data() {
    QTest::addColumn<QString>("stages");
    QTest::addColumn<QString>("stage");
    const Json literal = replace({{"String", "a"}}, std::string(1000, 'a'));
    const Json regex = replace({{"Regex", "a"}}, std::string(1000, 'a'));
    const Json bytes = {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}};
    const auto row = [](const char* name, const Json& stages, const char* stage) {
      QTest::newRow(name) << QString::fromStdString(stages.dump()) << stage;
    };
    const auto chain = [](const Json& step, int steps) {
      return Json{{"type", "Sequence"}, {"normalizers", Json(static_cast<std::size_t>(steps), step)}};
    };
    row("literal", {{"normalizer", chain(literal, 4)}}, "made.json: normalizer Replace: ");
    row("regex", {{"normalizer", chain(regex, 4)}}, "made.json: normalizer Replace: ");
    row("bytes", {{"normalizer", chain({{"type", "ByteLevel"}}, 40)}}, "made.json: normalizer ByteLevel: ");
    // Each section between added tokens is small, all of them are not.
    row("many sections",
        {{"normalizer", literal},
         {"added_tokens", Json::array({{{"id", 3}, {"content", "x"}, {"normalized", false}}})}},
        "made.json: normalizer Replace: ");
    row("pre-tokenizer", {{"pre_tokenizer", {{"type", "Sequence"}, {"pretokenizers", Json(std::size_t{40}, bytes)}}}},
        "made.json: pre_tokenizer ByteLevel: ");
  }
  void aStageThatGrowsTheTextIsNamed() {
    QFETCH(QString, stages);
    QFETCH(QString, stage);
    const auto tokenizer = made(Json::parse(stages.toStdString()));
    QVERIFY(tokenizer->try_encode("bcx").has_value());
    std::string text = "é";
    for (int i = 0; i < 200; ++i) text += "aaaaaaaaaax";
    compareError(tokenizer->try_encode(text), {stage.toStdString(), "of the text, more than the "});
  }

  // Loading applies the normalizer to added tokens.
  void anAddedTokenThatGrowsIsAnErrorOfLoading() {
    Json json = {{"model", {{"type", "BPE"}, {"vocab", {{"a", 0}}}, {"merges", Json::array()}}}};
    json["normalizer"] = {{"type", "Sequence"},
                          {"normalizers", Json(std::size_t{4}, replace({{"String", "a"}}, std::string(1000, 'a')))}};
    json["added_tokens"] = Json::array({{{"id", 9}, {"content", "aa"}, {"normalized", true}}});
    const auto tokenizer = Tokenizer::parse(json.dump(), "", "made.json");
    QVERIFY(!tokenizer.has_value());
    QCOMPARE(tokenizer.error().code, ErrorCode::rejected_input);
    QVERIFY(tokenizer.error().message.starts_with("made.json: normalizer Replace: "));
  }

  void aLargeIdNeedsLittleMemory() {
    const Json json = {{"model", {{"type", "BPE"}, {"vocab", {{"a", 16777215}}}, {"merges", Json::array()}}}};
    const std::ptrdiff_t bytes = test::heap_peak_of([&json] {
      const auto tokenizer = Tokenizer::parse(json.dump(), "", "made.json");
      QVERIFY(tokenizer && (*tokenizer)->token(16777215) == "a");
    });
    QVERIFY2(bytes < 100 << 20, std::to_string(bytes).c_str());
  }

  void aLongPatternIsRefusedBeforeItIsTranslated() {
    std::string pattern;
    for (int i = 0; i < 100'000; ++i) pattern += "\\w";
    const std::ptrdiff_t bytes = test::heap_peak_of([&pattern] {
      const auto regex = Regex::compile(pattern, "made");
      QVERIFY(!regex && regex.error().message.find("a pattern of this length is not supported") != std::string::npos);
    });
    QVERIFY2(bytes < 32 << 20, std::to_string(bytes).c_str());
  }

  void countsOfAPatternAreSearchedOnce() {
    std::string pattern;
    for (int i = 0; i < 300'000; ++i) pattern += "}+";
    const double taken = test::cpu_seconds([&pattern] { (void)Regex::compile(pattern, "made"); });
    const double other =
        test::cpu_seconds([&pattern] { (void)Regex::compile(std::string(pattern.size(), 'a'), "made"); });
    QVERIFY2(taken < 10 * other + 1, std::to_string(taken).c_str());
    for (const char* refused : {"a{1,2}+", "a{3}+"}) QVERIFY2(!Regex::compile(refused, "made"), refused);
    for (const char* compiled : {"a{1,2}", "a}+", "\\p{L}+"}) QVERIFY2(Regex::compile(compiled, "made"), compiled);
  }

  void decodersPassOverATextOnce_data() {
    QTest::addColumn<QByteArray>("decoder");
    QTest::addColumn<QByteArray>("expected");  // of "aba"
    QTest::newRow("Strip, start") << QByteArray(R"({"type":"Strip","content":"a","start":4294967295,"stop":0})")
                                  << QByteArray("ba");
    QTest::newRow("Strip, stop") << QByteArray(R"({"type":"Strip","content":"a","start":0,"stop":4294967295})")
                                 << QByteArray("ab");
    QTest::newRow("BPEDecoder") << QByteArray(R"({"type":"BPEDecoder","suffix":"a"})") << QByteArray("b");
  }
  void decodersPassOverATextOnce() {
    QFETCH(QByteArray, decoder);
    QFETCH(QByteArray, expected);
    const auto fused = [](Json last) {
      return made(
          {{"decoder", {{"type", "Sequence"}, {"decoders", Json::array({Json{{"type", "Fuse"}}, std::move(last)})}}}});
    };
    const auto plain = fused({{"type", "Fuse"}}), tokenizer = fused(Json::parse(decoder.toStdString()));
    QCOMPARE(tokenizer->decode(Ids{0, 1, 0}), expected.toStdString());
    const Ids ids(1'000'000, 0);
    const double once = test::cpu_seconds([&] { QCOMPARE(plain->decode(ids).size(), ids.size()); });
    const double taken = test::cpu_seconds([&] { QVERIFY(tokenizer->decode(ids).empty()); });
    QVERIFY2(taken < 10 * once + 0.5, std::to_string(taken / once).c_str());
  }

  void bracketsAreNotSearchedToTheEndOfAText() {
    const auto pieces = WordPiece::from_pieces({"[UNK]", "[CLS]", "[SEP]", "[MASK]"}, "made");
    QVERIFY(pieces.has_value());
    QCOMPARE(pieces->encode("[[MASK] [MASK]"), (Ids{1, 0, 3, 3, 2}));
    const double other = test::cpu_seconds([&] { (void)pieces->encode(std::string(400'000, '(') + ")"); });
    const double taken = test::cpu_seconds([&] { (void)pieces->encode(std::string(400'000, '[') + "]"); });
    QVERIFY2(taken < 10 * other + 0.5, std::to_string(taken / other).c_str());
  }

  void ordinaryGrowthIsFine() {
    const auto tokenizer =
        made({{"normalizer", replace({{"String", "a"}}, "bcx")},
              {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", true}, {"use_regex", true}}}});
    const auto ids = tokenizer->try_encode(std::string(200'000, 'a'));
    QVERIFY2(ids.has_value(), ids ? "" : ids.error().message.c_str());
    QCOMPARE(ids->size(), std::size_t{600'000});
  }
};

KV_TEST_GUILESS_MAIN(EncodingLimitsTest)

}  // namespace encoding_limits_test

#include "encoding_limits_test.moc"
