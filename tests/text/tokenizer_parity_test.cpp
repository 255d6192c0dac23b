// links: kv_base core_text
// Ids and decoded texts of 10,000 random Unicode strings equal those of Hugging Face `tokenizers`, for both kinds of
// BPE and for variants of every stage. Goldens: tests/parity/make_tokenizer_goldens.py.
#include <QtTest>

#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/random.h"
#include "core/text/tokenizer.h"
#include "core/text/unicode.h"
#include "tests/support/test_program.h"
#include "tests/text/encoding_time.h"

namespace tokenizer_parity_test {

using namespace kvantage;

namespace {

const std::filesystem::path goldens = std::filesystem::path(KVANTAGE_SOURCE_DIR) / "tests/goldens/tokenizers";

std::uint32_t fnv(std::string_view bytes, std::uint32_t state = 0x811C9DC5) {
  for (const char byte : bytes) state = (state ^ static_cast<unsigned char>(byte)) * 0x01000193;
  return state;
}

std::string bytes_of(const std::vector<std::int32_t>& ids) {
  std::string bytes;
  for (const std::int32_t id : ids)
    for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<char>((id >> shift) & 0xFF));
  return bytes;
}

/// The generator of the script, number for number.
std::string make_string(const Json& tables, std::uint64_t seed, std::uint64_t index) {
  Random random(derive_seed(seed, index));
  const Json& fragments = tables.at("fragments");
  const Json& tokens = tables.at("tokens");
  const Json& blocks = tables.at("blocks");
  const std::uint64_t parts = index % 200 == 199 ? 150 : random.below(13);
  std::string text;
  for (std::uint64_t part = 0; part < parts; ++part) {
    const std::uint64_t kind = random.below(100);
    if (kind < 25) {
      const auto& fragment = fragments[random.below(fragments.size())].get_ref<const std::string&>();
      for (std::uint64_t times = 1 + random.below(4); times > 0; --times) text += fragment;
    } else if (kind < 35) {
      text += tokens[random.below(tokens.size())].get_ref<const std::string&>();
    } else if (kind < 45) {
      text += ' ';
    } else {
      const Json& block = blocks[random.below(blocks.size())];
      const auto low = block[0].get<std::uint64_t>();
      const auto high = block[1].get<std::uint64_t>();
      for (std::uint64_t times = 1 + random.below(6); times > 0; --times) {
        const auto character = static_cast<char32_t>(low + random.below(high - low + 1));
        if (character < 0xD800 || character >= 0xE000) text::append_character(text, character);
      }
    }
  }
  return text;
}

Json merged(const Json& base, const Json& patch) {
  if (!patch.is_object() || !base.is_object() || patch.contains("type")) return patch;
  Json result = base;
  for (const auto& [key, value] : patch.items())
    result[key] = merged(base.contains(key) ? base.at(key) : Json(), value);
  return result;
}

}  // namespace

class TokenizerParityTest : public QObject {
  Q_OBJECT

  Json index_;
  Json tables_;
  std::string digests_;
  std::vector<std::string> strings_;

  std::uint32_t digest_at(std::size_t offset) const {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i)
      value |= static_cast<std::uint32_t>(static_cast<unsigned char>(digests_.at(offset + i))) << (8 * i);
    return value;
  }

 private slots:
  void initTestCase() {
    index_ = read_json_file(goldens / "goldens.json").value();
    tables_ = read_json_file(goldens / "generator.json").value();
    digests_ = read_text_file(goldens / "digests.bin").value();
    const auto seed = index_.at("seed").get<std::uint64_t>();
    for (std::uint64_t i = 0; i < index_.at("strings").get<std::uint64_t>(); ++i)
      strings_.push_back(make_string(tables_, seed, i));
  }

  void theGeneratorMakesTheSameStrings() {
    for (std::size_t i = 0; i < strings_.size(); ++i) QCOMPARE(fnv(strings_[i]), digest_at(4 * i));
  }

  void idsAndTextsEqualTheLibrarys_data() {
    QTest::addColumn<int>("variant");
    for (std::size_t i = 0; i < index_.at("variants").size(); ++i)
      QTest::newRow(index_.at("variants")[i].at("name").get<std::string>().c_str()) << static_cast<int>(i);
  }
  void idsAndTextsEqualTheLibrarys() {
    QFETCH(int, variant);
    const Json& entry = index_.at("variants")[static_cast<std::size_t>(variant)];
    const Json base = read_json_file(goldens / entry.at("base").get<std::string>() / "tokenizer.json").value();
    const auto tokenizer =
        Tokenizer::parse(merged(base, entry.at("patch")).dump(), "", entry.at("name").get<std::string>());
    QVERIFY2(tokenizer.has_value(), tokenizer ? "" : tokenizer.error().message.c_str());
    const auto count = entry.at("count").get<std::size_t>();
    const auto offset = entry.at("offset").get<std::size_t>();
    std::size_t different = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const auto plain = (*tokenizer)->encode(strings_[i]);
      const auto framed = (*tokenizer)->encode(strings_[i], true);
      std::string bytes = bytes_of(plain) + "\xff\xff\xff\xff" + bytes_of(framed);
      bytes += (*tokenizer)->decode(plain, false) + std::string(1, '\0') + (*tokenizer)->decode(framed);
      if (fnv(bytes) == digest_at(offset + 4 * i)) continue;
      if (different++ < 5) qWarning("string %zu differs: %s", i, Json(strings_[i]).dump(-1, ' ', true).c_str());
    }
    QCOMPARE(different, std::size_t{0});
  }

  void aStreamGivesTheSameTextInWholeCharacters() {
    for (const char* name : {"byte_level", "sentencepiece"}) {
      const auto tokenizer = Tokenizer::load(goldens / name).value();
      for (std::size_t i = 0; i < 2000; ++i) {
        const auto ids = tokenizer->encode(strings_[i]);
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
