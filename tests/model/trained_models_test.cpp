// links: kv_experiments
// Trained models outside this repository: greedy answers as other programs gave them.
#include <QTemporaryDir>
#include <QTest>

#include "core/model/generate.h"
#include "core/text/tokenizer.h"
#include "tests/model/llama2c.h"
#include "tests/support/test_program.h"

namespace trained_models_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

const std::filesystem::path models = std::filesystem::path(KVANTAGE_SOURCE_DIR) / "../shared/data/models";

std::unique_ptr<Transformer> load(const std::filesystem::path& folder, const LoadOptions& options) {
  auto model = Transformer::load(folder, options);
  if (!model) qFatal("%s", model.error().message.c_str());
  return std::move(*model);
}

}  // namespace

class TrainedModelsTest : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase() {
    if (!std::filesystem::exists(models)) QSKIP("../shared/data/models is absent: trained models are not checked");
  }

  void storiesAreToldAsExpected_data() {
    QTest::addColumn<QString>("checkpoint");
    QTest::addColumn<QString>("expected");
    QTest::addColumn<QString>("prompt");
    QTest::addColumn<int>("steps");
    QTest::newRow("stories260K") << "stories260K/stories260K.bin"
                                 << "stories260K_greedy256_once.txt"
                                 << "Once upon a time" << 256;
    QTest::newRow("stories260K, long") << "stories260K/stories260K.bin"
                                       << "stories260K_greedy500_lily.txt"
                                       << "Lily and Tom went to the park. They saw a big dog." << 500;
    QTest::newRow("llama2xs") << "llama2xs/model.bin"
                              << "llama2xs_greedy256_once.txt"
                              << "Once upon a time" << 256;
  }
  void storiesAreToldAsExpected() {
    QFETCH(QString, checkpoint);
    QFETCH(QString, expected);
    QFETCH(QString, prompt);
    QFETCH(int, steps);
    QTemporaryDir folder;
    convert_llama2c(models / checkpoint.toStdString(), folder.path().toStdString());
    const Llama2cTokenizer tokenizer(models / "stories260K/tok512.bin");
    const auto model = load(folder.path().toStdString(), {});
    const auto ids = tokenizer.encode(prompt.toStdString());
    BlockPool pool(model->kv_shape(), 32, std::size_t{16} << 20);
    KvCache cache(pool);
    GenerateOptions options;
    options.max_tokens = steps - static_cast<int>(ids.size()) + 1;
    options.stop_tokens = {1, 2};
    const auto generation = generate(*model, cache, ids, options);
    QVERIFY(generation.has_value());
    std::vector<std::int32_t> all = ids;
    all.insert(all.end(), generation->tokens.begin(), generation->tokens.end());
    const QString text = QString::fromStdString(tokenizer.decode(all)).trimmed();
    const QString want =
        QString::fromStdString(*read_text_file(models / "expected" / expected.toStdString())).trimmed();
    QCOMPARE(text, want);
  }

  void questionsAreAnsweredWithTransformersTokens() {
    const auto folder = models / "trial-qa";
    const auto model = load(folder, {.compute = ComputeType::fp32, .kv_type = {}, .isa = {}});
    const auto tokenizer = Tokenizer::load(folder);
    QVERIFY(tokenizer.has_value());
    int asked = 0, alike = 0;
    std::ifstream lines(models / "expected/trial_qa.jsonl");
    for (std::string line; std::getline(lines, line);) {
      const Json record = Json::parse(line);
      const auto context = (*tokenizer)->encode(record["prompt"].get<std::string>());
      QCOMPARE(context.size(), record["prompt_tokens"].get<std::size_t>());
      BlockPool pool(model->kv_shape(), 32, std::size_t{64} << 20);
      KvCache cache(pool);
      PrefillTask prefill(*model, cache, context, 0,
                          {.chunk_tokens = 256, .window_queries = 0, .logits = PrefillLogits::none});
      QVERIFY(prefill.run().has_value());
      for (const Json& question : record["questions"]) {
        const auto ids = (*tokenizer)->encode_continuation(question["suffix"].get<std::string>());
        const auto want = question["greedy_tokens"].get<std::vector<std::int32_t>>();
        GenerateOptions options;
        options.max_tokens = static_cast<int>(want.size());
        KvCache branch = cache.share();
        const auto generation = generate(*model, branch, ids, options);
        QVERIFY(generation.has_value());
        ++asked;
        alike += generation->tokens == want;
      }
    }
    QCOMPARE(asked, 112);
    QCOMPARE(alike, 112);
  }
};

KV_TEST_GUILESS_MAIN(TrainedModelsTest)

}  // namespace trained_models_test

#include "trained_models_test.moc"
