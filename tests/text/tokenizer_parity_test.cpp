// links: kv_base core_text
// Ids and decoded texts of 10,000 random Unicode strings equal those of Hugging Face `tokenizers`, for both kinds of
// BPE and for variants of every stage. Goldens: tests/parity/make_tokenizer_goldens.py.
#include <QtTest>

#include "core/base/json.h"
#include "core/text/tokenizer.h"
#include "core/text/unicode.h"
#include "tests/support/test_program.h"
#include "tests/text/encoding_time.h"
#include "tests/text/tokenizer_goldens.h"

namespace tokenizer_parity_test {

using namespace kvantage;
using test::TokenizerGoldens;

namespace {

const std::filesystem::path goldens = std::filesystem::path(KVANTAGE_SOURCE_DIR) / "tests/goldens/tokenizers";

}  // namespace

class TokenizerParityTest : public QObject {
  Q_OBJECT

  TokenizerGoldens goldens_{goldens};

 private slots:
  void theGeneratorMakesTheSameStrings() {
    QCOMPARE(goldens_.strings().size(), std::size_t{10000});
    QCOMPARE(goldens_.differentStrings(), std::size_t{0});
  }

  void idsAndTextsEqualTheLibrarys_data() { goldens_.addRows(); }
  void idsAndTextsEqualTheLibrarys() {
    QFETCH(int, variant);
    QCOMPARE(goldens_.differentIds(static_cast<std::size_t>(variant)), std::size_t{0});
  }

  void aStreamGivesTheSameTextInWholeCharacters() {
    for (const char* name : {"byte_level", "sentencepiece"}) {
      const auto tokenizer = Tokenizer::load(goldens / name).value();
      for (std::size_t i = 0; i < 2000; ++i) {
        const auto ids = tokenizer->encode(goldens_.strings()[i]);
        StreamDecoder stream(tokenizer, false);
        std::string text;
        for (const std::int32_t id : ids) {
          const std::string fresh = stream.push(id);
          QCOMPARE(text::mended_utf8(fresh), fresh);
          text += fresh;
        }
        text += stream.finish();
        QCOMPARE(text, tokenizer->decode(ids, false));
      }
    }
  }

  void encodingDoesNotSearchTheVocabulary() {
    for (const char* name : {"byte_level", "sentencepiece"}) {
      const auto tokenizer = Tokenizer::load(goldens / name).value();
      std::string text;
      while (tokenizer->encode(text).size() < 2000)
        text += "The quick brown fox jumps over 13 lazy dogs near the Köln station, doesn't it? ";
      const double best = test::best_cpu_seconds([&] { QVERIFY(tokenizer->encode(text).size() >= 2000); });
      const double lookups = test::seconds_of_lookups(read_json_file(goldens / name / "tokenizer.json").value(), text);
      qInfo("%s: %.3f ms for %zu tokens, looking all substrings up: %.3f ms", name, best * 1e3,
            tokenizer->encode(text).size(), lookups * 1e3);
      QVERIFY(best < lookups);
    }
  }

  // 16 times the letters: a quadratic time would be 256 times as long.
  void aLongWordTakesNearLinearTime() {
    const auto tokenizer = Tokenizer::load(goldens / "sentencepiece").value();
    const auto word_of = [](std::size_t bytes) {
      std::string text;
      while (text.size() < bytes) text += "thinginghelloand ";  // without a pre-tokenizer this is one piece
      return text;
    };
    const std::string text = word_of(400'000), part = word_of(25'000);
    std::size_t tokens = 0;
    const double whole = test::cpu_seconds([&] { tokens = tokenizer->encode(text).size(); });
    QVERIFY(tokens > 50000);
    const double sixteenth = test::best_cpu_seconds([&] { tokens = tokenizer->encode(part).size(); });
    qInfo("400 kB in one piece: %.1f ms; 25 kB: %.2f ms", whole * 1e3, sixteenth * 1e3);
    QVERIFY(whole < 64 * sixteenth);
  }
};

KV_TEST_GUILESS_MAIN(TokenizerParityTest)

}  // namespace tokenizer_parity_test

#include "tokenizer_parity_test.moc"
