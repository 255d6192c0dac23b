// links: kv_base core_text
// Real vocabularies (GPT-2, Llama-2, Phi-3, DeepSeek Coder) give the ids that are published with them, and their texts
// come back unchanged.
#include <QtTest>
#include <algorithm>
#include <chrono>
#include <limits>

#include "core/text/tokenizer.h"
#include "core/text/unicode.h"
#include "tests/support/test_program.h"
#include "tests/text/encoding_time.h"
#include "tests/text/gguf_vocabulary.h"

namespace published_ids_test {

using namespace kvantage;

namespace {

const std::filesystem::path data = std::filesystem::path(KVANTAGE_SOURCE_DIR) / "../shared/data";
const std::filesystem::path vocabularies = data / "models/llamacpp_vocab";

Json bytes(bool use_regex) { return {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", use_regex}}; }

Json split(const char* pattern) {
  return {{"type", "Split"}, {"pattern", {{"Regex", pattern}}}, {"behavior", "Isolated"}, {"invert", false}};
}

Json pre_tokenizer_of(const QString& name) {
  if (name != "deepseek-coder") return bytes(true);
  return {{"type", "Sequence"},
          {"pretokenizers", Json::array({split("[\\r\\n]"), split("\\s?\\p{L}+"), split("\\s?\\p{P}+"),
                                         split("[一-龥ࠀ-一가-퟿]+"),
                                         Json{{"type", "Digits"}, {"individual_digits", true}}, bytes(false)})}};
}

}  // namespace

class PublishedIdsTest : public QObject {
  Q_OBJECT

 private slots:
  void idsAreThePublishedOnes_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"gpt-2", "llama-spm", "phi-3", "deepseek-coder"}) QTest::newRow(name) << QString(name);
  }
  void idsAreThePublishedOnes() {
    QFETCH(QString, name);
    const std::filesystem::path file = vocabularies / ("ggml-vocab-" + name.toStdString() + ".gguf");
    if (!std::filesystem::exists(file)) QSKIP("../shared/data/models/llamacpp_vocab is not here");
    const Json json = test::tokenizer_json_of_gguf(test::read_gguf_metadata(file), pre_tokenizer_of(name));
    const auto made = Tokenizer::parse(json.dump(), "", name.toStdString());
    QVERIFY2(made.has_value(), made ? "" : made.error().message.c_str());
    const auto& tokenizer = **made;
    const auto texts =
        QString::fromStdString(read_text_file(file.string() + ".inp").value()).split("\n__ggml_vocab_test__\n");
    const auto lines = QString::fromStdString(read_text_file(file.string() + ".out").value()).split('\n');
    QVERIFY(texts.size() >= 40 && lines.size() >= texts.size());
    for (qsizetype i = 0; i < texts.size(); ++i) {
      std::vector<std::int32_t> expected;
      for (const QString& id : lines[i].split(' ', Qt::SkipEmptyParts)) expected.push_back(id.toInt());
      const std::string text = texts[i].toStdString();
      const auto ids = tokenizer.encode(text);
      QVERIFY2(ids == expected,
               qPrintable(texts[i] + ": " + QString::fromStdString(Json(ids).dump()) + " instead of " + lines[i]));
      // DeepSeek's vocabulary adds letters like U+00F6 as tokens; the decoder of every library takes them for bytes.
      if (name != "deepseek-coder") QCOMPARE(tokenizer.decode(ids, false), text);
    }
  }

  void encodingDoesNotSearchTheVocabulary() {
    const std::filesystem::path file = vocabularies / "ggml-vocab-gpt-2.gguf";
    const std::filesystem::path book = data / "datasets/gutenberg/alice_11-0.txt";
    if (!std::filesystem::exists(file) || !std::filesystem::exists(book)) QSKIP("../shared/data is not here");
    const Json json = test::tokenizer_json_of_gguf(test::read_gguf_metadata(file), bytes(true));
    const std::string source = json.dump();
    const auto begin = std::chrono::steady_clock::now();
    const auto tokenizer = Tokenizer::parse(source, "", "gpt-2").value();
    const auto loaded = std::chrono::steady_clock::now();
    const std::string whole = read_text_file(book).value();
    double seconds = std::numeric_limits<double>::infinity();
    for (std::size_t part = 0; part < 5; ++part) {  // other words each time: those of before are remembered
      const std::string text = whole.substr(3000 + part * 8000, 8000);
      std::vector<std::int32_t> ids;
      seconds = std::min(seconds, test::cpu_seconds([&] { ids = tokenizer->encode(text); }));
      QVERIFY(ids.size() > 1500);
      QCOMPARE(tokenizer->decode(ids), text::mended_utf8(text));
    }
    const double lookups = test::seconds_of_lookups(json, std::string_view(whole).substr(3000, 8000));
    qInfo("loading 50,257 tokens: %.0f ms; encoding some 2,000: %.2f ms, looking all substrings up: %.2f ms",
          std::chrono::duration<double>(loaded - begin).count() * 1e3, seconds * 1e3, lookups * 1e3);
    QVERIFY(seconds < lookups);
  }
};

KV_TEST_GUILESS_MAIN(PublishedIdsTest)

}  // namespace published_ids_test

#include "published_ids_test.moc"
