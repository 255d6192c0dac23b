// links: kv_experiments
// Decoded tokens a second of several sequences together, as ratios to one alone: the default model over contexts of
// 1,500 tokens, and the products of its layers without attention.
//     batch_decode_bench_test [--model FOLDER] [--threads N]      FOLDER: another model (peer_engines.py make), whose
//     weights no cache may hold; threads: 2
#include <QTest>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "core/base/random.h"
#include "core/model/batch_decode.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace batch_decode_bench_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr int most = 8;
int threads = 2;
std::filesystem::path folder = model_directory();

// Wall clock: threads together are what counts. The best of several rounds, as others use the machine.
double now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace

class BatchDecodeBench : public QObject {
  Q_OBJECT

 private slots:
  void throughputByBatch_data() {
    QTest::addColumn<int>("context");
    QTest::newRow("products") << 1;
    QTest::newRow("1500 tokens") << 1500;
  }
  void throughputByBatch() {
    QFETCH(int, context);
    if (folder.empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
    const auto model = Transformer::load(folder);
    QVERIFY(model.has_value());
    BlockPool pool((*model)->kv_shape(), 32, std::size_t{1} << 30);
    Random random(3);
    std::vector<std::int32_t> tokens;
    for (int i = 0; i < context; ++i)
      tokens.push_back(
          static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>((*model)->config().vocab_size))));
    KvCache prefilled(pool);
    PrefillTask prefill(**model, prefilled, tokens, 0);
    QVERIFY(prefill.run().has_value());
    double alone = 0;
    for (const int batch : {1, 2, 4, most}) {
      double best = 0;
      for (int round = 0; round < 5; ++round) {
        std::vector<KvCache> caches;
        for (int s = 0; s < batch; ++s) caches.push_back(prefilled.share());
        constexpr int steps = 24;
        const double start = now();
        for (int step = 0; step < steps; ++step) {
          std::vector<DecodeSequence> sequences;
          for (KvCache& cache : caches) sequences.push_back({&cache, tokens.front(), context + step});
          BatchDecodeTask task(**model, std::move(sequences));
          QVERIFY(task.run().has_value());
        }
        best = std::max(best, batch * steps / (now() - start));
      }
      if (batch == 1) alone = best;
      std::printf("%s: batch %d decodes %.2f times the tokens of batch 1 (%.0f tokens/s here)\n",
                  QTest::currentDataTag(), batch, best / alone, best);
    }
  }
};

KV_TEST_PROGRAM(argc, argv) {
  std::vector<char*> others;
  for (int i = 0; i < argc; ++i) {
    if (std::strcmp(argv[i], "--model") == 0 && i + 1 < argc)
      folder = argv[++i];
    else if (std::strcmp(argv[i], "--threads") == 0 && i + 1 < argc)
      threads = std::max(1, std::atoi(argv[++i]));
    else
      others.push_back(argv[i]);
  }
  int count = static_cast<int>(others.size());
  QCoreApplication application(count, others.data());
  set_compute_threads(threads);
  BatchDecodeBench bench;
  return QTest::qExec(&bench, count, others.data());
}

}  // namespace batch_decode_bench_test

#include "batch_decode_bench_test.moc"
