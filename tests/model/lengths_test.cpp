// links: kv_experiments
// Rotations that depend on the length of a text, chosen once by the length that is served: dynamic scaling against
// transformers at that length (goldens of tests/parity/make_logits_goldens.py) and against its formula.
#include <QTest>
#include <algorithm>
#include <cmath>

#include "tests/model/golden_model.h"
#include "tests/support/test_program.h"

namespace lengths_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

std::filesystem::path goldens() { return GoldenCase::folder().parent_path() / "lengths"; }

LoadOptions exact() {
  LoadOptions options;
  options.compute = ComputeType::fp32;
  return options;
}

/// All tokens, `chunk` at a time; 0: one by one, as an answer is decoded. Of the last ones, as many as the golden has.
std::vector<float> logits_of(Transformer& model, const GoldenCase& golden, int chunk) {
  BlockPool pool(model.kv_shape(), 32, std::size_t{64} << 20);
  KvCache cache(pool);
  const auto vocab = static_cast<std::size_t>(golden.vocab_size);
  std::vector<float> logits(golden.tokens.size() * vocab);
  if (chunk > 0) {
    PrefillOptions options;
    options.chunk_tokens = chunk;
    options.logits = PrefillLogits::all;
    PrefillTask task(model, cache, golden.tokens, 0, options);
    if (const Status status = task.run(); !status) qFatal("%s", status.error().message.c_str());
    std::ranges::copy(task.logits(), logits.begin());
  } else {
    for (std::size_t t = 0; t < golden.tokens.size(); ++t)
      if (const Status status =
              model.decode(cache, golden.tokens[t], static_cast<std::int32_t>(t), {&logits[t * vocab], vocab});
          !status)
        qFatal("%s", status.error().message.c_str());
  }
  return {logits.end() - static_cast<std::ptrdiff_t>(golden.logits.size()), logits.end()};
}

/// NTK-aware scaling of a text of `length` tokens, in double precision.
std::vector<double> dynamic_frequencies(double theta, double factor, double trained, double length, int channels) {
  const double base =
      theta * std::pow(factor * length / trained - (factor - 1), channels / static_cast<double>(channels - 2));
  std::vector<double> frequencies;
  for (int i = 0; i < channels; i += 2) frequencies.push_back(1 / std::pow(base, i / static_cast<double>(channels)));
  return frequencies;
}

}  // namespace

class LengthsTest : public QObject {
  Q_OBJECT

 private slots:
  void atTheLengthServedLogitsAreTransformers_data() {
    QTest::addColumn<QString>("name");
    const auto names = GoldenCase::names(goldens());
    QCOMPARE(names, (std::vector<std::string>{"gpt_neox_dynamic_beyond", "llama_dynamic_beyond"}));
    for (const auto& name : names) QTest::newRow(name.c_str()) << QString::fromStdString(name);
  }
  void atTheLengthServedLogitsAreTransformers() {
    QFETCH(QString, name);
    const GoldenCase golden(name.toStdString(), goldens());
    const QTemporaryDir folder;
    const auto model = load_golden(golden, folder, false, exact());
    QCOMPARE(model->config().max_positions, static_cast<int>(golden.tokens.size()));
    for (const int chunk : {256, 7, 0}) {
      const double difference = largest_difference(logits_of(*model, golden, chunk), golden.logits);
      qInfo("chunks of %d: %.2e", chunk, difference);
      QVERIFY(difference <= 1e-4);
    }
  }

  void frequenciesFollowTheFormula() {
    const GoldenCase golden("llama_dynamic_beyond", goldens());  // 64 positions, factor 4, heads of 8
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.path().toStdString();
    golden.write(path, false);
    for (const int length : {65, 96, 200, 256}) {
      const auto frequencies = rope_frequencies(read_model_config(path, length).value());
      const auto wanted = dynamic_frequencies(10000, 4, 64, length, 8);
      QCOMPARE(frequencies.size(), wanted.size());
      for (std::size_t i = 0; i < wanted.size(); ++i)
        QVERIFY(std::abs(static_cast<double>(frequencies[i]) / wanted[i] - 1) < 1e-6);
    }
    const auto partly = [&] {
      const QTemporaryDir other;
      GoldenCase("gpt_neox_dynamic_beyond", goldens()).write(other.path().toStdString(), false);
      return rope_frequencies(read_model_config(other.path().toStdString(), 96).value());
    }();
    const auto wanted = dynamic_frequencies(10000, 2.5, 40, 96, 4);  // half of a head of 8
    for (std::size_t i = 0; i < partly.size(); ++i)
      QVERIFY(std::abs(static_cast<double>(partly[i]) - (i < wanted.size() ? wanted[i] : 0)) < 1e-7);
  }

  void withinItsPositionsDynamicScalingIsPlain() {
    const GoldenCase golden("llama_dynamic_beyond", goldens());
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.path().toStdString();
    golden.write(path, false);
    const ModelConfig scaled = read_model_config(path).value();
    QCOMPARE(scaled.max_positions, 64);
    for (const int length : {1, 64})
      QCOMPARE(read_model_config(path, length)->canonical_text(), scaled.canonical_text());
    Json config = golden.json["config"];
    config["rope_parameters"] = {{"rope_type", "default"}, {"rope_theta", 10000.0}};
    write_file(path / "config.json", config.dump());
    QCOMPARE(read_model_config(path)->canonical_text(), scaled.canonical_text());  // and so are stored caches
  }

  void eachLengthIsAModelOfItsOwn() {
    const GoldenCase golden("llama_dynamic_beyond", goldens());
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.path().toStdString();
    const std::string file = (path / "config.json").string();
    golden.write(path, false);
    LoadOptions options = exact();
    const auto plain = Transformer::load(path, options).value();
    options.max_model_len = 96;
    const auto longer = Transformer::load(path, options).value();
    options.max_model_len = 97;
    QVERIFY(plain->digest() != longer->digest());
    QVERIFY(Transformer::load(path, options).value()->digest() != longer->digest());
    BlockPool pool(plain->kv_shape(), 32, std::size_t{64} << 20);
    KvCache cache(pool);
    std::vector<float> logits(256);
    QCOMPARE(plain->decode(cache, 3, 64, logits).error().message,
             "position 64 is beyond the model's 64 positions (max_position_embeddings in " + file +
                 "; --max-model-len up to 256 serves longer texts, by dynamic scaling); shorten the context");
    QCOMPARE(longer->decode(cache, 3, 96, logits).error().message,
             std::string("position 96 is beyond the model's 96 positions (--max-model-len, whose length chooses how "
                         "dynamic scaling rotates); shorten the context"));
    QCOMPARE(read_model_config(path, 257).error().message,
             file +
                 ": a maximum length of 257 tokens is more than the model's 64 positions (max_position_embeddings in " +
                 file + "; --max-model-len up to 256 serves longer texts, by dynamic scaling); lower --max-model-len");
  }

  void whatHasNoBaseIsRefused() {
    const GoldenCase golden("llama_dynamic_beyond", goldens());
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.path().toStdString();
    Json config = golden.json["config"];
    config["head_dim"] = 2;
    write_file(path / "config.json", config.dump());
    QVERIFY(read_model_config(path).error().message.find("2 rotated channels") != std::string::npos);
    config = golden.json["config"];
    config["rope_parameters"].erase("factor");
    write_file(path / "config.json", config.dump());
    QVERIFY(read_model_config(path).error().message.find("'factor'") != std::string::npos);
  }
};

KV_TEST_GUILESS_MAIN(LengthsTest)

}  // namespace lengths_test

#include "lengths_test.moc"
