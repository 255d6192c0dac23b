// links: kv_experiments kvantage::torch
// Sixteen questions, each over a context of its own, prefilled together and one by one, with batch-invariant products:
// how many times as fast together, both in turns within one run. The default model, and a model of four layers of the
// 0.5B Qwen2 shape with random weights, more than the caches hold.
//     question_prefill_bench_test [--model FOLDER] [--threads N] [--context N]      FOLDER: another model
//     (peer_engines.py make) in place of both; 2 threads; contexts of 256 tokens
#include "tests/bench/machine_limits.h"  // libtorch before Qt, whose macros take "slots"

#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include "core/base/random.h"
#include "core/model/batch/batch_prefill.h"
#include "core/model/random_llama.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace question_prefill_bench_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr std::size_t questions = 16;
constexpr int rounds = 5;
/// Together is not slower, in medians of turns on a machine that others use.
constexpr double min_speedup = 0.9;
int threads = 2, context_tokens = 256;
std::filesystem::path folder_given;

using Tokens = std::vector<std::int32_t>;

Tokens random_text(Random& random, int count, const Transformer& model) {
  Tokens tokens(static_cast<std::size_t>(count));
  for (std::int32_t& token : tokens)
    token = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(model.config().vocab_size)));
  return tokens;
}

/// Questions over their contexts, which stay as they are.
struct Asked {
  Transformer& model;
  std::vector<KvCache> contexts;
  std::vector<Tokens> texts;

  /// Seconds of the prefills of all questions; all logits, one after the other.
  double seconds(bool together, std::vector<float>& logits) const {
    std::vector<KvCache> caches;
    std::vector<PrefillTask> tasks;
    caches.reserve(questions);
    for (std::size_t i = 0; i < questions; ++i) {
      caches.push_back(contexts[i].share());
      tasks.emplace_back(model, caches.back(), texts[i], context_tokens);
    }
    std::vector<PrefillTask*> every;
    for (PrefillTask& task : tasks) every.push_back(&task);
    const double start = now();
    if (!together)
      for (PrefillTask& task : tasks) check(task.run());
    while (!every.front()->done())
      for (const Status& status : step_together(every)) check(status);
    const double end = now();
    logits.clear();
    for (const PrefillTask& task : tasks) logits.insert(logits.end(), task.logits().begin(), task.logits().end());
    return end - start;
  }
  static void check(const Status& status) {
    if (!status) qFatal("%s", status.error().message.c_str());
  }
};

}  // namespace

class QuestionPrefillBench : public QObject {
  Q_OBJECT

 private slots:
  void togetherAndOneByOne_data() {
    QTest::addColumn<QString>("folder");
    QTest::addColumn<int>("tokens");
    const auto add = [](const char* name, const std::filesystem::path& folder) {
      for (const int tokens : {8, 30})
        QTest::addRow("%s, questions of %d tokens", name, tokens) << QString::fromStdString(folder.string()) << tokens;
    };
    if (!folder_given.empty()) return add("given model", folder_given);
    if (!model_directory().empty()) add("default model", model_directory());
    add("4 layers of 0.5B", {});
  }
  void togetherAndOneByOne() {
    QFETCH(QString, folder);
    QFETCH(int, tokens);
    const QTemporaryDir made;
    std::filesystem::path source = folder.toStdString();
    if (source.empty()) {
      source = made.path().toStdString();
      const RandomLlamaShape shape{
          .hidden = 896, .heads = 14, .layers = 4, .ffn = 4864, .vocab = 8192, .positions = 4096, .kv_heads = 2};
      QVERIFY(write_random_llama(source, shape, 3));
    }
    LoadOptions options;
    options.batch_invariant = true;
    const auto model = Transformer::load(source, options);
    QVERIFY2(model.has_value(), model ? "" : model.error().message.c_str());
    BlockPool pool((*model)->kv_shape(), 32, std::size_t{2} << 30);
    Random random(5);
    Asked asked{**model, {}, {}};
    for (std::size_t i = 0; i < questions; ++i) {
      asked.contexts.emplace_back(pool);
      PrefillTask prefill(**model, asked.contexts.back(), random_text(random, context_tokens, **model), 0,
                          {.logits = PrefillLogits::none});
      Asked::check(prefill.run());
      asked.texts.push_back(random_text(random, tokens, **model));
    }
    std::vector<double> alone, together;
    std::vector<float> logits_alone, logits_together;
    for (int round = 0; round <= rounds; ++round) {  // the first one warms up
      const double one_by_one = asked.seconds(false, logits_alone), at_once = asked.seconds(true, logits_together);
      QVERIFY(logits_alone == logits_together);
      if (round == 0) continue;
      alone.push_back(one_by_one);
      together.push_back(at_once);
    }
    const double speedup = median_of(alone) / median_of(together);
    std::printf("%s over %d: %zu together %.2f times as fast as one by one (%.1f and %.1f ms here)\n",
                QTest::currentDataTag(), context_tokens, questions, speedup, 1e3 * median_of(together),
                1e3 * median_of(alone));
    QVERIFY2(speedup >= min_speedup, qPrintable(QString::number(speedup)));
  }
};

KV_TEST_PROGRAM(argc, argv) {
  std::vector<char*> others;
  for (int i = 0; i < argc; ++i) {
    if (std::strcmp(argv[i], "--model") == 0 && i + 1 < argc)
      folder_given = argv[++i];
    else if (std::strcmp(argv[i], "--threads") == 0 && i + 1 < argc)
      threads = std::max(1, std::atoi(argv[++i]));
    else if (std::strcmp(argv[i], "--context") == 0 && i + 1 < argc)
      context_tokens = std::max(1, std::atoi(argv[++i]));
    else
      others.push_back(argv[i]);
  }
  int count = static_cast<int>(others.size());
  QCoreApplication application(count, others.data());
  set_compute_threads(threads);
  QuestionPrefillBench bench;
  return QTest::qExec(&bench, count, others.data());
}

}  // namespace question_prefill_bench_test

#include "question_prefill_bench_test.moc"
