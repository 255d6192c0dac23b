// links: kv_experiments
// Ids equal those of transformers' BertTokenizer, for every character there is; cosines equal those of its BertModel
// with mean pooling (tests/parity/make_minilm_goldens.py).
#include <QCryptographicHash>
#include <QtTest>

#include <cmath>
#include <numeric>

#include "core/base/json.h"
#include "core/base/random.h"
#include "core/model/bert_encoder.h"
#include "core/text/unicode.h"
#include "core/text/wordpiece.h"
#include "tests/support/embedding_model.h"
#include "tests/support/test_program.h"

namespace minilm_test {

using namespace kvantage;

namespace {

QByteArray digest_of_ids(const std::vector<std::vector<std::int32_t>>& rows) {
  QByteArray text;
  for (const auto& ids : rows) {
    for (std::size_t i = 0; i < ids.size(); ++i) text += (i > 0 ? "," : "") + QByteArray::number(ids[i]);
    text += ";";
  }
  return QCryptographicHash::hash(text, QCryptographicHash::Sha256).toHex().left(16);
}

// The generator of the script, letter for letter.
std::string random_string(Random& random) {
  static constexpr std::pair<int, int> stretches[] = {
      {0x20, 0x7E},     {0x61, 0x7A},     {0x41, 0x5A},       {0xA0, 0xFF},     {0x100, 0x24F},   {0x300, 0x36F},
      {0x370, 0x3FF},   {0x400, 0x4FF},   {0x5D0, 0x5EA},     {0x600, 0x6FF},   {0x900, 0x97F},   {0xE00, 0xE7F},
      {0x1E00, 0x1EFF}, {0x2000, 0x206F}, {0x20A0, 0x20BF},   {0x2190, 0x21FF}, {0x3040, 0x30FF}, {0x4E00, 0x9FFF},
      {0xAC00, 0xD7A3}, {0xFF00, 0xFFEF}, {0x1F300, 0x1F6FF}, {0x0, 0x1F}};
  static const std::vector<std::string> words = {
      "the",          "badge",     "Holt",   "NAÏVE", "café",   "unaffable",
      "tokenization", "2048",      "3.14",   "don't", "e-mail", std::string(101, 'x'),
      "Straße",       "İstanbul",  "[MASK]", "[SEP]", "[mask]", "ΟΔΥΣΣΕΥΣ",
      "\u0301",       "a\u0301b",  "字",     "…",     "\u200b", "\u00ad",
      "\ufffd",       "##ing",     "[",      "]",     "_",      "\t",
      "\n",           "東京 tower"};
  std::string made;
  const std::uint64_t parts = 1 + random.below(12);
  for (std::uint64_t part = 0; part < parts; ++part) {
    if (random.below(3) == 0) {
      made += words[random.below(words.size())];
    } else {
      const auto [first, last] = stretches[random.below(std::size(stretches))];
      const std::uint64_t letters = 1 + random.below(6);
      for (std::uint64_t i = 0; i < letters; ++i)
        text::append_character(made, static_cast<char32_t>(static_cast<std::uint64_t>(first) +
                                                           random.below(static_cast<std::uint64_t>(last - first + 1))));
    }
    if (random.below(2) == 0) made += " ";
  }
  return made;
}

double dot(const std::vector<float>& a, const std::vector<float>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

}  // namespace

class MinilmTest : public QObject {
  Q_OBJECT

  Json goldens_;
  std::filesystem::path folder_;

  WordPiece pieces() const { return WordPiece::load(folder_ / "vocab.txt").value(); }

 private slots:
  void initTestCase() {
    folder_ = test::embedding_directory();
    if (folder_.empty()) QSKIP("all-MiniLM-L6-v2 is not in the cache: './run build' fetches it");
    goldens_ = read_json_file(std::filesystem::path(KVANTAGE_SOURCE_DIR) / "tests/goldens/minilm.json").value();
  }

  void handMadeTextsHaveThePublishedIds() {
    const WordPiece tokenizer = pieces();
    for (const Json& entry : goldens_.at("hand_made")) {
      const auto text = entry.at("text").get<std::string>();
      QVERIFY2(tokenizer.encode(text) == entry.at("ids").get<std::vector<std::int32_t>>(), printable(text).c_str());
    }
  }

  void randomTextsHaveThePublishedIds() {
    const WordPiece tokenizer = pieces();
    Random random(11);
    QCOMPARE(goldens_.at("strings").get<int>(), 2560);
    for (const Json& expected : goldens_.at("ids")) {
      std::vector<std::vector<std::int32_t>> ids;
      for (int i = 0; i < 40; ++i) ids.push_back(tokenizer.encode(random_string(random)));
      QCOMPARE(digest_of_ids(ids), QByteArray::fromStdString(expected.get<std::string>()));
    }
  }

  // The goldens hold every character there is; read are the first two planes and, of the rest, every eighth block.
  void charactersHaveThePublishedIds() {
    const WordPiece tokenizer = pieces();
    std::vector<char32_t> characters;
    for (char32_t c = 1; c < 0x110000; ++c)
      if (c < 0xD800 || c >= 0xE000) characters.push_back(c);
    constexpr std::size_t block_size = 16384;
    QCOMPARE(goldens_.at("characters").size(), (characters.size() + block_size - 1) / block_size);
    for (std::size_t block = 0; block < goldens_.at("characters").size(); block += block < 8 ? 1 : 8) {
      std::vector<std::vector<std::int32_t>> ids;
      for (std::size_t i = block * block_size; i < std::min(characters.size(), (block + 1) * block_size); ++i)
        ids.push_back(tokenizer.encode("a" + text::utf8_of(characters[i]) + "b"));
      QCOMPARE(digest_of_ids(ids), QByteArray::fromStdString(goldens_.at("characters")[block].get<std::string>()));
    }
  }

  void cosinesEqualThePublishedModels() {
    auto encoder = BertEncoder::load(folder_);
    QVERIFY2(encoder.has_value(), encoder ? "" : encoder.error().message.c_str());
    QCOMPARE((*encoder)->width(), 384);
    const auto texts = goldens_.at("texts").get<std::vector<std::string>>();
    const auto vectors = (*encoder)->embed(texts);
    QVERIFY(vectors.has_value());
    QCOMPARE((*encoder)->computed(), texts.size());
    const Json& pairs = goldens_.at("pairs");
    QCOMPARE(pairs.size(), std::size_t{500});
    double largest = 0;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const double cosine = dot((*vectors)[pairs[i][0].get<std::size_t>()], (*vectors)[pairs[i][1].get<std::size_t>()]);
      largest = std::max(largest, std::abs(cosine - goldens_.at("cosines")[i].get<double>()));
    }
    qInfo("largest difference of 500 cosines: %.2g", largest);
    QVERIFY2(largest < 1e-5, qPrintable(QString::number(largest)));
    const auto ada = static_cast<std::size_t>(std::find(texts.begin(), texts.end(), "Ada Holt") - texts.begin());
    for (std::size_t i = 0; i < 8; ++i)
      QVERIFY(std::abs((*vectors)[ada][i] - goldens_.at("ada_holt")[i].get<double>()) < 1e-5);
  }

  void aTextIsComputedOnce() {
    auto encoder = BertEncoder::load(folder_).value();
    const std::vector<std::string> texts{"red", "blue", "red"};
    const auto first = encoder->embed(texts).value();
    QCOMPARE(encoder->computed(), std::uint64_t{2});
    QVERIFY(first[0] == first[2] && first[0] != first[1]);
    QVERIFY(encoder->embed(texts).value() == first);
    QCOMPARE(encoder->computed(), std::uint64_t{2});
  }

  // What else is computed with it changes a vector by no more than the last bits.
  void companyDoesNotChangeAVector() {
    auto alone = BertEncoder::load(folder_).value(), together = BertEncoder::load(folder_).value();
    const std::vector<std::string> many{"The red notebook is lost .", "The blue notebook is lost .",
                                        "The old notebook is lost .", "red"};
    const std::vector<std::string> one{many[1]};
    QVERIFY(dot(alone->embed(one).value()[0], together->embed(many).value()[1]) > 1 - 1e-6);
  }

  void foldersThatAreNoBertAreRefused_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::addColumn<QString>("named");
    QTest::newRow("other width") << "config.json"
                                 << "\"hidden_size\": 384"
                                 << "\"hidden_size\": 768"
                                 << "word_embeddings";
    QTest::newRow("more layers") << "config.json"
                                 << "\"num_hidden_layers\": 6"
                                 << "\"num_hidden_layers\": 7"
                                 << "encoder.layer.6";
    QTest::newRow("no width") << "config.json"
                              << "\"hidden_size\": 384,"
                              << ""
                              << "hidden_size";
    QTest::newRow("absurd width") << "config.json"
                                  << "\"hidden_size\": 384"
                                  << "\"hidden_size\": -1"
                                  << "hidden_size";
    QTest::newRow("other activation") << "config.json"
                                      << "gelu"
                                      << "relu"
                                      << "gelu";
    QTest::newRow("no unknown piece") << "vocab.txt"
                                      << "[UNK]"
                                      << "[unk]"
                                      << "[UNK]";
  }
  void foldersThatAreNoBertAreRefused() {
    QFETCH(QString, file);
    QFETCH(QString, from);
    QFETCH(QString, to);
    QFETCH(QString, named);
    const QTemporaryDir folder;
    for (const char* name : {"config.json", "vocab.txt", "model.safetensors"}) {
      const auto target = std::filesystem::path(folder.path().toStdString()) / name;
      if (name != file) {
        std::filesystem::create_symlink(folder_ / name, target);
        continue;
      }
      QString text = QString::fromStdString(read_text_file(folder_ / name).value());
      QVERIFY(text.contains(from));
      QVERIFY(write_text_file(target, text.replace(text.indexOf(from), from.size(), to).toStdString()).has_value());
    }
    const auto encoder = BertEncoder::load(folder.path().toStdString());
    QVERIFY(!encoder && encoder.error().code == ErrorCode::rejected_input);
    QVERIFY2(encoder.error().message.find(named.toStdString()) != std::string::npos, encoder.error().message.c_str());
  }
};

KV_TEST_GUILESS_MAIN(MinilmTest)

}  // namespace minilm_test

#include "minilm_test.moc"
