// links: kv_base core_text
// Ids and decoded texts of Unigram and WordLevel tokenizers equal those of Hugging Face `tokenizers`, with the stages
// of T5, XLM-R, ALBERT and the like. Goldens: tests/parity/make_unigram_goldens.py.
#include <QtTest>

#include "tests/support/test_program.h"
#include "tests/text/encoding_time.h"
#include "tests/text/tokenizer_goldens.h"

namespace unigram_parity_test {

using namespace kvantage;
using Ids = std::vector<std::int32_t>;

namespace {

const std::filesystem::path folder = std::filesystem::path(KVANTAGE_SOURCE_DIR) / "tests/goldens/unigram";

std::shared_ptr<const Tokenizer> unigram(const Json& vocab, const Json& more = Json::object()) {
  Json model = {{"type", "Unigram"}, {"vocab", vocab}, {"unk_id", 0}};
  model.update(more);
  auto tokenizer = Tokenizer::parse(Json{{"model", model}}.dump(), "", "made.json");
  if (!tokenizer) qFatal("%s", tokenizer.error().message.c_str());
  return *tokenizer;
}

Json entry(const std::string& piece, double score) { return Json::array({piece, score}); }

}  // namespace

class UnigramParityTest : public QObject {
  Q_OBJECT

  test::TokenizerGoldens goldens_{folder};

 private slots:
  void idsAndTextsEqualTheLibrarys_data() { goldens_.addRows(); }
  void idsAndTextsEqualTheLibrarys() {
    QFETCH(int, variant);
    QCOMPARE(goldens_.differentStrings(), std::size_t{0});
    QCOMPARE(goldens_.differentIds(static_cast<std::size_t>(variant)), std::size_t{0});
  }

  // By hand: "ab" + "c" scores -3, "a" + "bc" -2.5, "abc" is worse than both.
  void theBestSumOfScoresWins() {
    const Json vocab = Json::array(
        {entry("<unk>", 0), entry("a", -1), entry("c", -1), entry("ab", -2), entry("bc", -1.5), entry("abc", -2.75)});
    const auto tokenizer = unigram(vocab);
    QCOMPARE(tokenizer->encode("abc"), (Ids{1, 4}));
    QCOMPARE(tokenizer->encode("abx"), (Ids{3, 0}));
    QCOMPARE(tokenizer->encode("xyzaxx"), (Ids{0, 1, 0}));  // neighbors that are unknown are one
    QVERIFY(tokenizer->encode("").empty());
  }

  void unknownTextFallsBackToBytesWhereAllAreTokens() {
    Json vocab = Json::array({entry("<unk>", 0), entry("a", -1)});
    vocab.push_back(entry("<0xC3>", 0));
    const auto partly = unigram(vocab, {{"byte_fallback", true}});
    QCOMPARE(partly->encode("aéa"), (Ids{1, 0, 1}));
    vocab.push_back(entry("<0xA9>", 0));
    QCOMPARE(unigram(vocab, {{"byte_fallback", true}})->encode("aéa"), (Ids{1, 2, 3, 1}));
    QCOMPARE(unigram(vocab)->encode("aéa"), (Ids{1, 0, 1}));
  }

  // Pieces that begin alike, up to the longest that may be: the time is that of the text times their length, at most.
  void aVocabularyOfRepetitionsTakesLinearTime() {
    Json vocab = Json::array({entry("<unk>", 0)});
    for (std::size_t size = 1; size <= 1000; ++size) vocab.push_back(entry(std::string(size, 'a'), -1));
    const auto tokenizer = unigram(vocab);
    const auto seconds = [&](std::size_t size) {
      const std::string text(size, 'a');
      return test::best_cpu_seconds([&] { QCOMPARE(tokenizer->encode(text).size(), size / 1000); });
    };
    const double growth = seconds(200'000) / std::max(seconds(20'000), 1e-4);
    QVERIFY2(growth < 40, qPrintable(QString::number(growth)));
  }

  void longPiecesAllTogetherAreRefused() {
    Json vocab = Json::array({entry("<unk>", 0)});
    for (int i = 0; i < 9000; ++i)
      vocab.push_back(entry(std::to_string(100'000 + i) + std::string(990, static_cast<char>('a' + i % 26)), -1));
    const Json json = {{"model", {{"type", "Unigram"}, {"vocab", vocab}, {"unk_id", 0}}}};
    const auto tokenizer = Tokenizer::parse(json.dump(), "", "made.json");
    QVERIFY(!tokenizer && tokenizer.error().message.find("too long all together") != std::string::npos);
  }
};

KV_TEST_GUILESS_MAIN(UnigramParityTest)

}  // namespace unigram_parity_test

#include "unigram_parity_test.moc"
