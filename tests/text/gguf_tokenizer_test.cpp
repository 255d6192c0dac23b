// links: kv_base core_text_chat
// Tokenizers in GGUF files: the six vocabularies of llama.cpp's repository give the ids that are published with them,
// small ones by hand show each kind and key, and what cannot be served is refused by its key.
#include <QTemporaryDir>
#include <QtTest>

#include "core/base/files.h"
#include "core/text/chat/prompt_template.h"
#include "core/text/gguf_pre_tokenizer.h"
#include "core/text/tokenizer.h"
#include "tests/support/gguf_writer.h"
#include "tests/support/test_program.h"

namespace gguf_tokenizer_test {

using namespace kvantage;
using namespace kvantage::test;
using Ids = std::vector<std::int32_t>;

namespace {

const std::filesystem::path data = std::filesystem::path(KVANTAGE_SOURCE_DIR) / "../shared/data/models";

Expected<std::shared_ptr<const Tokenizer>> loaded(const GgufWriter& writer) {
  QTemporaryDir folder;
  const std::filesystem::path path = std::filesystem::path(folder.path().toStdString()) / "t.gguf";
  if (!write_text_file(path, writer.bytes())) qFatal("cannot write %s", path.c_str());
  return Tokenizer::load(path);
}

std::shared_ptr<const Tokenizer> made(const GgufWriter& writer) {
  auto tokenizer = loaded(writer);
  if (!tokenizer) qFatal("%s", tokenizer.error().message.c_str());
  return *tokenizer;
}

// 0..2 <unk> <s> </s>, 3..258 bytes, then what a test needs.
std::vector<std::string> with_bytes(const std::vector<std::string>& more) {
  std::vector<std::string> tokens{"<unk>", "<s>", "</s>"};
  for (int byte = 0; byte < 256; ++byte) tokens.push_back(QString::asprintf("<0x%02X>", unsigned(byte)).toStdString());
  tokens.insert(tokens.end(), more.begin(), more.end());
  return tokens;
}

GgufWriter llama(const std::vector<std::string>& more, std::vector<float> scores) {
  const auto tokens = with_bytes(more);
  std::vector<std::int32_t> types(tokens.size(), 1);
  types[0] = 2;
  types[1] = types[2] = 3;
  std::fill(types.begin() + 3, types.begin() + 259, 6);
  scores.insert(scores.begin(), 259, 0.0F);
  GgufWriter writer;
  writer.text("tokenizer.ggml.model", "llama")
      .texts("tokenizer.ggml.tokens", tokens)
      .floats("tokenizer.ggml.scores", scores)
      .ints("tokenizer.ggml.token_type", types);
  return writer;
}

GgufWriter gpt2(const std::string& pre, const std::vector<std::string>& tokens,
                const std::vector<std::string>& merges) {
  GgufWriter writer;
  writer.text("tokenizer.ggml.model", "gpt2")
      .text("tokenizer.ggml.pre", pre)
      .texts("tokenizer.ggml.tokens", tokens)
      .texts("tokenizer.ggml.merges", merges);
  return writer;
}

}  // namespace

class GgufTokenizerTest : public QObject {
  Q_OBJECT

 private slots:
  void idsAreThePublishedOnes_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"bert-bge", "deepseek-coder", "deepseek-llm", "gpt-2", "llama-spm", "phi-3"})
      QTest::newRow(name) << QString(name);
  }
  void idsAreThePublishedOnes() {
    QFETCH(QString, name);
    const std::filesystem::path file = data / ("llamacpp_vocab/ggml-vocab-" + name.toStdString() + ".gguf");
    if (!std::filesystem::exists(file))
      QSKIP("../shared/data/models/llamacpp_vocab is not here: published ids are not checked");
    const auto read = Tokenizer::load(file);
    QVERIFY2(read.has_value(), read ? "" : read.error().message.c_str());
    const Tokenizer& tokenizer = **read;
    const auto texts =
        QString::fromStdString(read_text_file(file.string() + ".inp").value()).split("\n__ggml_vocab_test__\n");
    const auto lines = QString::fromStdString(read_text_file(file.string() + ".out").value()).split('\n');
    QVERIFY(texts.size() >= 40 && lines.size() >= texts.size());
    for (qsizetype i = 0; i < texts.size(); ++i) {
      Ids expected;
      for (const QString& id : lines[i].split(' ', Qt::SkipEmptyParts)) expected.push_back(id.toInt());
      const std::string text = texts[i].toStdString();
      const Ids ids = tokenizer.encode(text);
      QVERIFY2(ids == expected,
               qPrintable(texts[i] + ": " + QString::fromStdString(Json(ids).dump()) + " instead of " + lines[i]));
      // BERT's ids forget case and space; DeepSeek adds letters as tokens, which every library's decoder takes for
      // bytes.
      if (name != "bert-bge" && !name.startsWith("deepseek")) QCOMPARE(tokenizer.decode(ids, false), text);
    }
  }

  void piecesAreMergedByScoreAndWhatIsLeftIsBytes() {
    // "ab" before "bc" by its score; "▁" stands before the text and for its spaces; é is bytes.
    const auto tokenizer = made(llama({"▁", "a", "b", "c", "ab", "bc", "▁ab"}, {-9, -9, -9, -9, -1, -2, -3}));
    QCOMPARE(tokenizer->encode("abc"), (Ids{265, 262}));
    QCOMPARE(tokenizer->encode("bc ab"), (Ids{259, 264, 265}));
    QCOMPARE(tokenizer->encode("é"), (Ids{259, 3 + 0xC3, 3 + 0xA9}));
    QCOMPARE(tokenizer->encode_continuation("abc"), (Ids{263, 262}));
    QCOMPARE(tokenizer->encode("a", true), (Ids{1, 259, 260}));  // bos, as this kind always has
    QCOMPARE(tokenizer->encode("a</s>"), (Ids{259, 260, 2}));
    QCOMPARE(tokenizer->decode(tokenizer->encode("abc é  b")), std::string("abc é  b"));
    QCOMPARE(tokenizer->bos_id(), std::optional(1));
    QCOMPARE(tokenizer->eos_id(), std::optional(2));
    QVERIFY(tokenizer->is_special(2) && !tokenizer->is_special(260));
  }

  void aTokenOfPiecesThatAreNoneIsFound() {
    // Neither "x" nor "y" is a token: lists of merges cannot say this, scores can.
    const auto tokenizer = made(llama({"▁", "xy"}, {-9, -1}));
    QCOMPARE(tokenizer->encode("xyx"), (Ids{259, 260, 3 + 'x'}));
  }

  void keysDecideOnSpaceAndFrame() {
    const auto bare = made(llama({"▁", "a"}, {0, 0})
                               .flag("tokenizer.ggml.add_space_prefix", false)
                               .flag("tokenizer.ggml.add_bos_token", false)
                               .flag("tokenizer.ggml.add_eos_token", true));
    QCOMPARE(bare->encode("a a", true), (Ids{260, 259, 260, 2}));
    QCOMPARE(bare->decode(Ids{259, 260}), std::string(" a"));
    const auto none = made(llama({"▁", "a"}, {0, 0}).u32("tokenizer.ggml.bos_token_id", 0xFFFFFFFF));
    QVERIFY(!none->bos_id());
    QCOMPARE(none->encode("a", true), (Ids{259, 260}));
  }

  void byteLevelPiecesAreCutByName() {
    const std::vector<std::string> tokens{"a", "1", "2", "3", "4", "Ġ", "12", "123", "1234", "Ġa", "<|x|>"};
    const std::vector<std::string> merges{"1 2", "12 3", "123 4", "Ġ a"};
    const auto ids = [&](const std::string& pre) {
      return made(gpt2(pre, tokens, merges).ints("tokenizer.ggml.token_type", {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3}))
          ->encode("a 1234<|x|> a");
    };
    QCOMPARE(ids("gpt-2"), (Ids{0, 5, 8, 10, 9}));           // " 1234" is one word, and nothing merges Ġ with a digit
    QCOMPARE(ids("llama-bpe"), (Ids{0, 5, 7, 4, 10, 9}));    // three digits at most
    QCOMPARE(ids("qwen2"), (Ids{0, 5, 1, 2, 3, 4, 10, 9}));  // one digit
    for (const char* one_digit : {"smollm", "refact", "starcoder", "tekken"}) QCOMPARE(ids(one_digit), ids("qwen2"));
    for (const char* three_digits : {"dbrx", "gpt-4o"}) QCOMPARE(ids(three_digits), ids("llama-bpe"));
    QCOMPARE(ids("olmo"), ids("gpt-2"));
    QCOMPARE(ids("deepseek-coder"), ids("qwen2"));
    QCOMPARE(ids("default"), ids("llama-bpe"));  // [0-9][0-9][0-9]
    const auto tokenizer = made(gpt2("llama-bpe", tokens, merges)
                                    .u32("tokenizer.ggml.bos_token_id", 10)
                                    .u32("tokenizer.ggml.eos_token_id", 10));
    QCOMPARE(tokenizer->encode("a", true), (Ids{10, 0}));
    QCOMPARE(made(gpt2("gpt-2", tokens, merges).u32("tokenizer.ggml.bos_token_id", 10))->encode("a", true), (Ids{0}));
  }

  void wordsEndBeforeUpperCase() {
    const std::vector<std::string> tokens{"a", "B", "c", "'", "s", "aB", "c'", "c's"};
    const auto ids = [&](const std::string& pre) {
      return made(gpt2(pre, tokens, {"a B", "c '", "c' s"}))->encode("aBc's");
    };
    QCOMPARE(ids("llama-bpe"), (Ids{5, 2, 3, 4}));  // aBc | 's
    QCOMPARE(ids("gpt-4o"), (Ids{0, 1, 7}));        // a | Bc's
    QCOMPARE(ids("tekken"), (Ids{0, 1, 2, 3, 4}));  // a | Bc | 's
  }

  void everyNameThatIsNamedIsKnown() {
    for (const QString& name : QString::fromStdString(text::gguf_pre_tokenizer_names()).split(", "))
      QVERIFY2(loaded(gpt2(name.toStdString(), {"a"}, {})).has_value(), qPrintable(name));
  }

  void aChatTemplateMakesThePromptForm() {
    const std::vector<std::string> tokens{"a", "<|im_start|>", "<|im_end|>"};
    const auto tokenizer = made(
        gpt2("qwen2", tokens, {})
            .ints("tokenizer.ggml.token_type", {1, 3, 3})
            .u32("tokenizer.ggml.eos_token_id", 2)
            .text(
                "tokenizer.chat_template",
                "{% for m in messages %}{{ '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n' }}{% endfor %}"
                "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"));
    QCOMPARE(PromptTemplate::detect(tokenizer).value().form(), PromptForm::chatml);
    QCOMPARE(tokenizer->chat().source, std::string("tokenizer.chat_template"));
  }

  void theDigestIsOfAllThatIsSaidOfTheTokenizer() {
    const auto writer = [] { return llama({"▁"}, {0}); };
    QCOMPARE(made(writer())->digest(), made(writer().text("general.name", "another"))->digest());
    QVERIFY(made(writer())->digest() != made(writer().flag("tokenizer.ggml.add_bos_token", true))->digest());
    QVERIFY(made(writer())->digest() != made(llama({"▁"}, {1}))->digest());
  }

  void whatCannotBeServedIsRefusedByItsKey() {
    const auto refusal = [](const GgufWriter& writer) {
      const auto tokenizer = loaded(writer);
      const QString message = QString::fromStdString(tokenizer ? "" : tokenizer.error().message);
      return message.contains("t.gguf: ") && message.contains("; ") && !message.contains('\n')
                 ? message
                 : "no refusal: " + message;
    };
    const auto has = [](const QString& message, const char* part) {
      QVERIFY2(message.contains(part), qPrintable(message));
    };
    has(refusal(GgufWriter()), "key 'tokenizer.ggml.model' (text) is missing");
    has(refusal(GgufWriter().text("tokenizer.ggml.model", "t5").texts("tokenizer.ggml.tokens", {"a"})),
        "tokenizer 't5'");
    has(refusal(GgufWriter().text("tokenizer.ggml.model", "llama")),
        "'tokenizer.ggml.tokens' (array of text) is missing");
    has(refusal(GgufWriter().text("tokenizer.ggml.model", "llama").texts("tokenizer.ggml.tokens", {})),
        "'tokenizer.ggml.tokens' is empty");
    has(refusal(GgufWriter().text("tokenizer.ggml.model", "llama").texts("tokenizer.ggml.tokens", {"a"})),
        "'tokenizer.ggml.scores'");
    has(refusal(GgufWriter()
                    .text("tokenizer.ggml.model", "llama")
                    .texts("tokenizer.ggml.tokens", {"a"})
                    .floats("tokenizer.ggml.scores", {1, 2})),
        "'tokenizer.ggml.scores' has 2 elements for 1 tokens");
    has(refusal(llama({"a", "a"}, {0, 0})), "token 260 ('a') appears twice");
    has(refusal(llama({"\xC3"}, {0})), "is not UTF-8 text");
    has(refusal(llama({"a"}, {0}).u32("tokenizer.ggml.eos_token_id", 260)),
        "'tokenizer.ggml.eos_token_id' is 260, but ids end at 259");
    has(refusal(llama({"a"}, {0}).u32("tokenizer.ggml.add_bos_token", 1)),
        "'tokenizer.ggml.add_bos_token' is of type u32 instead of bool");
    has(refusal(gpt2("falcon", {"a"}, {})), "pre-tokenizer 'falcon'");
    has(refusal(gpt2("gpt-2", {"a"}, {"a b"})), "merge 0");
    has(refusal(gpt2("gpt-2", {"a"}, {}).flag("tokenizer.ggml.add_eos_token", true)),
        "'tokenizer.ggml.add_eos_token' asks for a token that the file does not name");
    has(refusal(GgufWriter().text("tokenizer.ggml.model", "gpt2").texts("tokenizer.ggml.tokens", {"a"})),
        "'tokenizer.ggml.pre' (text) is missing");
    has(refusal(GgufWriter().text("tokenizer.ggml.model", "bert").texts("tokenizer.ggml.tokens", {"▁a"})),
        "has no piece [UNK]");
  }
};

KV_TEST_GUILESS_MAIN(GgufTokenizerTest)

}  // namespace gguf_tokenizer_test

#include "gguf_tokenizer_test.moc"
