// links: kv_base core_text
// What a tokenizer promises apart from parity: errors that name the thing, stages by hand-worked examples, the trial
// model's own tokenizer, streams and continuations.
#include "core/text/tokenizer.h"

#include <QTemporaryDir>
#include <QtTest>
#include <thread>

#include "core/base/files.h"
#include "core/base/json.h"
#include "tests/support/test_program.h"

namespace tokenizer_test {

using namespace kvantage;

namespace {

const std::filesystem::path root = KVANTAGE_SOURCE_DIR;
const std::filesystem::path goldens = root / "tests/goldens/tokenizers";
const std::filesystem::path trial = root / "../shared/data/models/trial-qa";

Json base(const char* name) { return read_json_file(goldens / name / "tokenizer.json").value(); }

std::shared_ptr<const Tokenizer> made(const Json& json, const std::string& config = "") {
  auto tokenizer = Tokenizer::parse(json.dump(), config, "made.json");
  if (!tokenizer) qFatal("%s", tokenizer.error().message.c_str());
  return *tokenizer;
}

}  // namespace

class TokenizerTest : public QObject {
  Q_OBJECT

 private slots:
  void whatIsNotSupportedIsNamedWithItsFile_data() {
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("expected");
    QTest::newRow("model") << "/model/type"
                           << R"("Other")"
                           << "tokenizer model type 'Other' is not supported; known are BPE, Unigram and WordLevel";
    QTest::newRow("wordpiece") << "/model/type"
                               << R"("WordPiece")"
                               << "'WordPiece'";
    QTest::newRow("normalizer") << "/normalizer"
                                << R"({"type": "Other"})"
                                << "normalizer type 'Other'";
    QTest::newRow("nested normalizer") << "/normalizer"
                                       << R"({"type": "Sequence", "normalizers": [{"type": "Nmt"}]})"
                                       << "'Nmt'";
    QTest::newRow("pre_tokenizer") << "/pre_tokenizer"
                                   << R"({"type": "UnicodeScripts"})"
                                   << "'UnicodeScripts'";
    QTest::newRow("post_processor") << "/post_processor"
                                    << R"({"type": "Odd"})"
                                    << "post_processor type 'Odd'";
    QTest::newRow("decoder") << "/decoder"
                             << R"({"type": "CTC"})"
                             << "decoder type 'CTC'";
    QTest::newRow("bad regex") << "/pre_tokenizer"
                               << R"({"type": "Split", "pattern": {"Regex": "*"}, "behavior": "Isolated"})"
                               << "regular expression '*'";
    QTest::newRow("set intersection") << "/pre_tokenizer"
                                      << R"({"type": "Split", "pattern": {"Regex": "[a&&b]"}, "behavior": "Isolated"})"
                                      << "&&";
    QTest::newRow("behavior") << "/pre_tokenizer"
                              << R"({"type": "Split", "pattern": {"String": "a"}, "behavior": "Odd"})"
                              << "behavior 'Odd'";
    QTest::newRow("scheme") << "/pre_tokenizer"
                            << R"({"type": "Metaspace", "replacement": "_", "prepend_scheme": "often"})"
                            << "prepend_scheme 'often'";
    QTest::newRow("merge") << "/model/merges/3"
                           << R"(["zq", "qz"])"
                           << "merge 3 ('zq', 'qz')";
    QTest::newRow("unknown token") << "/model/unk_token"
                                   << R"("<none>")"
                                   << "unk_token '<none>'";
    QTest::newRow("dropout") << "/model/dropout"
                             << "0.1"
                             << "dropout";
    QTest::newRow("wild id") << "/model/vocab/a"
                             << "1e9"
                             << "token 'a'";
    QTest::newRow("huge id") << "/model/vocab/a"
                             << "2000000000"
                             << "token 'a'";
    QTest::newRow("negative id") << "/model/vocab/a"
                                 << "-1"
                                 << "token 'a'";
    QTest::newRow("vocabulary") << "/model/vocab"
                                << "[]"
                                << "'vocab'";
    QTest::newRow("template id") << "/post_processor/processors/1/special_tokens/<|begin_of_text|>/ids/0"
                                 << "99999"
                                 << "id 99999";
    QTest::newRow("template id beyond 32 bits") << "/post_processor/processors/1/special_tokens/<|begin_of_text|>/ids/0"
                                                << "4294967296"
                                                << "ids[0]: 4294967296 is out of range";
    QTest::newRow("framing id") << "/post_processor"
                                << R"({"type": "BertProcessing", "cls": ["a", 1e19], "sep": ["a", 1]})"
                                << "cls: expected a whole number";
    QTest::newRow("framing id beyond 32 bits")
        << "/post_processor"
        << R"({"type": "BertProcessing", "cls": ["a", 1], "sep": ["a", 4294967297]})"
        << "sep: 4294967297 is out of range";
  }
  void whatIsNotSupportedIsNamedWithItsFile() {
    QFETCH(QString, pointer);
    QFETCH(QString, value);
    QFETCH(QString, expected);
    Json json = base("byte_level");
    json[Json::json_pointer(pointer.toStdString())] = Json::parse(value.toStdString());
    const auto tokenizer = Tokenizer::parse(json.dump(), "", "folder/tokenizer.json");
    QVERIFY(!tokenizer.has_value());
    QCOMPARE(tokenizer.error().code, ErrorCode::rejected_input);
    const QString message = QString::fromStdString(tokenizer.error().message);
    QVERIFY2(message.startsWith("folder/tokenizer.json: ") && message.contains(expected) && !message.contains('\n'),
             qPrintable(message));
  }

  void whatIsWrongInOtherModelsIsNamedWithItsFile_data() {
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("expected");
    QTest::newRow("pieces") << "/model"
                            << R"({"type": "Unigram", "vocab": [["a", 0], ["b"]], "unk_id": 0})"
                            << "model Unigram: entry 1 of 'vocab'";
    QTest::newRow("no unknown id") << "/model"
                                   << R"({"type": "Unigram", "vocab": [["a", 0]], "unk_id": null})"
                                   << "model Unigram: field 'unk_id' is missing";
    QTest::newRow("wild unknown id") << "/model"
                                     << R"({"type": "Unigram", "vocab": [["a", 0]], "unk_id": 1})"
                                     << "unk_id is 1, but ids end at 0";
    QTest::newRow("unknown word") << "/model"
                                  << R"({"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "[UNK]"})"
                                  << "model WordLevel: unk_token '[UNK]' is not in the vocabulary";
    QTest::newRow("table of characters") << "/normalizer"
                                         << R"({"type": "Precompiled", "precompiled_charsmap": "AAAA"})"
                                         << "precompiled_charsmap is not a table";
  }
  void whatIsWrongInOtherModelsIsNamedWithItsFile() { whatIsNotSupportedIsNamedWithItsFile(); }

  void namesInErrorsAreOneLine() {
    const std::pair<const char*, const char*> changes[] = {
        {"/model/type", R"("a\nb")"},
        {"/model/unk_token", R"("a\nb")"},
        {"/model/merges/3", R"(["a\nb", "c"])"},
        {"/model/vocab/a\nb", "-1"},
        {"/normalizer", R"({"type": "a\nb"})"},
        {"/pre_tokenizer", R"({"type": "a\nb"})"},
        {"/pre_tokenizer", R"({"type": "Split", "pattern": {"Regex": "*\n"}})"},
        {"/pre_tokenizer", R"({"type": "Metaspace", "replacement": "_", "prepend_scheme": "a\nb"})"},
        {"/post_processor", R"({"type": "a\nb"})"},
        {"/post_processor", R"({"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "a\nb"}}],
                                "special_tokens": {}})"},
        {"/decoder", R"({"type": "a\nb"})"}};
    for (const auto& [pointer, value] : changes) {
      Json json = base("byte_level");
      json[Json::json_pointer(pointer)] = Json::parse(value);
      const auto tokenizer = Tokenizer::parse(json.dump(), "", "made.json");
      QVERIFY2(!tokenizer && tokenizer.error().message.find('\n') == std::string::npos, pointer);
    }
    const auto tokenizer = Tokenizer::parse(base("byte_level").dump(), R"({"bos_token": "a\nb"})", "made.json");
    QVERIFY(!tokenizer && tokenizer.error().message.find('\n') == std::string::npos);
  }

  void aFileLargerThanAnyTokenizerIsNotRead() {
    const QTemporaryDir folder;
    QFile file(folder.filePath("tokenizer.json"));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.resize(qint64{257} << 20));  // takes no room
    const auto tokenizer = Tokenizer::load(folder.path().toStdString());
    QVERIFY2(!tokenizer && tokenizer.error().message.find("is larger than 256 MiB") != std::string::npos,
             tokenizer ? "read" : tokenizer.error().message.c_str());
  }

  void idsMayHaveHoles() {
    const auto tokenizer =
        made({{"model", {{"type", "BPE"}, {"vocab", {{"a", 5}, {"b", 2}, {"bb", 2}}}, {"merges", Json::array()}}}});
    QCOMPARE(tokenizer->vocab_size(), 6);
    QVERIFY(tokenizer->token(5) == "a" && tokenizer->token(2) == "bb" && tokenizer->token(3).empty());
    QCOMPARE(tokenizer->encode("aba"), (std::vector<std::int32_t>{5, 2, 5}));
  }

  void aMissingOrBrokenFileIsOneLine() {
    const auto missing = Tokenizer::load("no/such/folder");
    QVERIFY(!missing && missing.error().code == ErrorCode::rejected_input);
    QVERIFY(QString::fromStdString(missing.error().message).contains("no/such/folder/tokenizer.json"));
    const auto broken = Tokenizer::parse("{\"model\": {\"type\": ", "", "x.json");
    QVERIFY(!broken && broken.error().code == ErrorCode::rejected_input);
    const auto config = Tokenizer::parse(base("byte_level").dump(), R"({"eos_token": "<|nowhere|>"})", "x.json");
    QVERIFY(!config && QString::fromStdString(config.error().message).contains("<|nowhere|>"));
  }

  void specialTokensComeFromTheConfiguration() {
    const auto tokenizer =
        made(base("byte_level"), R"({"bos_token": {"content": "<|begin_of_text|>"}, "eos_token": "<|end_of_text|>",
                                                        "chat_template": [{"name": "tools", "template": "no"},
                                                                          {"name": "default", "template": "yes"}]})");
    QCOMPARE(*tokenizer->bos_id(), *tokenizer->id("<|begin_of_text|>"));
    QCOMPARE(*tokenizer->eos_id(), *tokenizer->id("<|end_of_text|>"));
    QVERIFY(tokenizer->is_special(*tokenizer->bos_id()));
    QVERIFY(!tokenizer->is_special(*tokenizer->id("<tool>")));
    QCOMPARE(tokenizer->chat_template(), std::string_view("yes"));
    QCOMPARE(tokenizer->encode("", true), std::vector<std::int32_t>{*tokenizer->bos_id()});
    QVERIFY(!tokenizer->id("<|nowhere|>"));
    QVERIFY(tokenizer->token(-1).empty() && tokenizer->token(tokenizer->vocab_size()).empty());
    QVERIFY(!tokenizer->token(tokenizer->vocab_size() - 1).empty());
  }

  void theDigestIsOfTheBytes() {
    const auto one = Tokenizer::load(goldens / "byte_level").value();
    QCOMPARE(one->digest(), digest_of(read_text_file(goldens / "byte_level/tokenizer.json").value()));
    QVERIFY(one->digest() != Tokenizer::load(goldens / "sentencepiece").value()->digest());
  }

  void flagsOfAddedTokensAreKept() {
    Json json = base("byte_level");
    json["added_tokens"].push_back({{"content", "qzq"}, {"single_word", true}});
    const auto tokenizer = made(json);
    const std::int32_t mask = *tokenizer->id("<mask>");
    const std::int32_t word = *tokenizer->id("qzq");
    const auto plain = [&](const char* text) { return tokenizer->encode(text); };
    // lstrip and rstrip: the spaces on both sides belong to the token.
    QCOMPARE(plain("a  <mask> \n b"), (std::vector<std::int32_t>{plain("a")[0], mask, plain("b")[0]}));
    // single_word: not inside another word.
    QCOMPARE(plain("qzq"), std::vector<std::int32_t>{word});
    QVERIFY(plain("(qzq)").size() == 3 && plain("(qzq)")[1] == word);
    const auto inside = plain("aqzq qzqb");
    QVERIFY(std::find(inside.begin(), inside.end(), word) == inside.end());
    // skip_special leaves out special tokens and no others.
    QCOMPARE(tokenizer->decode(plain("x<mask><tool>y")), std::string("x<tool>y"));
  }

  void malformedTextIsMendedNotRefused() {
    const auto tokenizer = Tokenizer::load(goldens / "byte_level").value();
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"a\xFFz", "a\uFFFDz"},       {"\xE2\x82", "\uFFFD"},
        {"\xC0\xAF", "\uFFFD\uFFFD"}, {"\xED\xA0\x80", "\uFFFD\uFFFD\uFFFD"},
        {"\xF0\x9F\x98", "\uFFFD"},   {"\xF4\x90\x80\x80", "\uFFFD\uFFFD\uFFFD\uFFFD"}};
    for (const auto& [bad, mended] : cases) {
      QCOMPARE(tokenizer->encode(bad), tokenizer->encode(mended));
      QCOMPARE(tokenizer->decode(tokenizer->encode(bad)), mended);
    }
    QVERIFY(tokenizer->encode(std::string(3, '\0')).size() == 3 ||
            tokenizer->decode(tokenizer->encode(std::string(3, '\0'))).size() == 3);
  }

  void aContinuationGetsNoPrefixSpace_data() {
    QTest::addColumn<QString>("patch");
    QTest::newRow("prepend") << "{}";
    QTest::newRow("metaspace always")
        << R"({"normalizer": null, "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", )"
           R"("prepend_scheme": "always", "split": true}})";
    QTest::newRow("metaspace first")
        << R"({"normalizer": null, "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", )"
           R"("prepend_scheme": "first", "split": true}})";
  }
  void aContinuationGetsNoPrefixSpace() {
    QFETCH(QString, patch);
    Json json = base("sentencepiece");
    const Json fields = Json::parse(patch.toStdString());
    for (const auto& [key, value] : fields.items()) json[key] = value;
    const auto tokenizer = made(json);
    const auto all = tokenizer->encode("the cat and the dog");
    auto parts = tokenizer->encode("the cat");
    const auto rest = tokenizer->encode_continuation(" and the dog");
    parts.insert(parts.end(), rest.begin(), rest.end());
    QCOMPARE(parts, all);
    QVERIFY(tokenizer->encode("the")[0] != tokenizer->encode_continuation("the")[0]);
  }

  void halfACharacterIsHeldBack() {
    const auto tokenizer = Tokenizer::load(goldens / "byte_level").value();
    const auto ids = tokenizer->encode("x🦙y");
    StreamDecoder stream(tokenizer);
    std::vector<std::string> given;
    for (const std::int32_t id : ids) given.push_back(stream.push(id));
    QVERIFY(ids.size() > 3);  // the character takes several tokens
    QCOMPARE(given.front(), std::string("x"));
    QCOMPARE(given.back(), std::string("y"));
    for (std::size_t i = 1; i + 1 < given.size(); ++i) QVERIFY(given[i].empty() || given[i] == "🦙");
    // Cut off in the middle, the rest comes as a replacement character, and the decoder can be used again.
    QVERIFY(stream.push(ids[1]).empty());
    QCOMPARE(stream.finish(), std::string("\uFFFD"));
    QCOMPARE(stream.push(ids[0]), std::string("x"));
  }

  void manyThreadsGetTheSameIds() {
    const auto tokenizer = Tokenizer::load(goldens / "byte_level").value();
    std::vector<std::string> texts;
    for (int i = 0; i < 300; ++i) texts.push_back("number " + std::to_string(i * 7919) + " of the list, isn't it?");
    std::vector<std::vector<std::int32_t>> expected;
    const auto fresh = Tokenizer::load(goldens / "byte_level").value();
    for (const auto& text : texts) expected.push_back(fresh->encode(text));
    std::atomic<int> different = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        for (std::size_t i = 0; i < texts.size(); ++i)
          if (tokenizer->encode(texts[i]) != expected[i]) ++different;
      });
    for (auto& thread : threads) thread.join();
    QCOMPARE(different.load(), 0);
  }

  void theTrialModelsAnswersReadAsExpected() {
    if (!std::filesystem::exists(trial / "tokenizer.json")) QSKIP("../shared/data/models/trial-qa is not here");
    const auto tokenizer = Tokenizer::load(trial).value();
    QCOMPARE(*tokenizer->eos_id(), 4);
    const std::string lines = read_text_file(root / "../shared/data/models/expected/trial_qa.jsonl").value();
    int answers = 0;
    for (const QString& line : QString::fromStdString(lines).split('\n', Qt::SkipEmptyParts)) {
      const Json entry = Json::parse(line.toStdString());
      const auto prompt = entry.at("prompt").get<std::string>();
      QCOMPARE(tokenizer->encode(prompt).size(), entry.at("prompt_tokens").get<std::size_t>());
      QCOMPARE(tokenizer->decode(tokenizer->encode(prompt), false), prompt);
      for (const Json& question : entry.at("questions")) {
        const std::string text = tokenizer->decode(question.at("greedy_tokens").get<std::vector<std::int32_t>>());
        QCOMPARE(QString::fromStdString(text).simplified().remove(' '),
                 QString::fromStdString(question.at("greedy_text").get<std::string>()).simplified().remove(' '));
        ++answers;
      }
    }
    QCOMPARE(answers, 112);
  }
};

KV_TEST_GUILESS_MAIN(TokenizerTest)

}  // namespace tokenizer_test

#include "tokenizer_test.moc"
