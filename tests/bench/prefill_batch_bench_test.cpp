// links: core_scheduler tiers
// Question prefills of requests that wait together, whose contexts are in memory: seconds of the batch's steps with
// prefill_batch_tokens, as a ratio to one request at a time, both in turns within one run. The default model with
// batch-invariant products.
//     prefill_batch_bench_test [--threads N] [--rounds N] [--tokens N]      threads: 2; tokens: prefill_batch_tokens
#include <QTest>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "core/base/clock.h"
#include "core/base/statistics.h"
#include "tests/scheduler/batch_parts.h"
#include "tests/support/test_program.h"

namespace prefill_batch_bench_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr int most = 16;        // requests
constexpr int sentences = 100;  // of a context
int threads = 2, rounds = 5, batch_tokens = 512;

double now() {
  static const SystemClock clock;
  return static_cast<double>(clock.monotonic_ns()) * 1e-9;
}

struct Asked {
  double seconds = 0;  // of prefill steps
  int steps = 0, tokens = 0;
  std::vector<std::int32_t> answers;  // first tokens
};

/// So many requests, from their loaded contexts to their first tokens.
Asked ask(BatchParts& made, int requests, int tokens) {
  made.batch.set_limit(static_cast<std::size_t>(requests));
  made.batch.limit_prefill_batch(tokens);
  Asked asked;
  for (int i = 0; i < requests; ++i) {
    const auto context = static_cast<std::size_t>(i);
    made.batch.add(made.request(context + 1, context, made.hit_of(context)));
    asked.tokens += static_cast<int>(made.parts.catalog->details(context).questions[0].tokens.size());
  }
  while (made.batch.anybody(RequestTask::Need::bytes))
    if (made.batch.take_bytes(0.01)) qFatal("a load failed");
  for (;;) {
    if (made.batch.take_bytes(0)) qFatal("a load failed");
    const auto oldest = made.batch.next_to_compute();
    if (!oldest && !made.batch.anybody(RequestTask::Need::bytes)) break;
    if (!oldest) continue;
    const double start = now();
    const auto places = made.batch.computed_together(*oldest, [](ServedRequest&) { return true; });
    const auto failures = made.batch.compute(places);
    asked.seconds += now() - start;
    ++asked.steps;
    if (!failures.empty()) qFatal("%s", failures[0].error.message.c_str());
  }
  while (!made.batch.empty()) {
    const ServedRequest request = made.batch.take_out(0);
    asked.answers.push_back(request.task->decode().answer_tokens().at(0));
  }
  return asked;
}

}  // namespace

class PrefillBatchBench : public QObject {
  Q_OBJECT

 private slots:
  void questionsTogether() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
    BatchParts made(small_workload(most, sentences, 3), with_invariant_products(with_pool(std::uint64_t{1} << 30)));
    for (std::size_t context = 0; context < most; ++context) store_context(made.parts, context, {.tier = 0});
    std::printf("%s; %zu tokens of context\n", made.parts.runtime->model->path_description().c_str(),
                made.parts.catalog->details(0).tokens.size());
    for (const int requests : {1, 2, 4, 8, most}) {
      std::vector<double> ratios, together_ms;
      Asked together, apart;
      for (int round = 0; round <= rounds; ++round) {  // the first one warms up
        apart = ask(made, requests, 0);
        together = ask(made, requests, batch_tokens);
        QVERIFY(together.answers == apart.answers);
        if (round == 0) continue;
        ratios.push_back(apart.seconds / together.seconds);
        together_ms.push_back(1e3 * together.seconds);
      }
      QVERIFY(requests == 1 ? together.steps == apart.steps : together.steps < apart.steps);
      std::printf("%2d requests, %4d tokens of questions: together %.2f times as fast (%.2f to %.2f), %.2f ms\n",
                  requests, together.tokens, percentile(ratios, 0.5), *std::ranges::min_element(ratios),
                  *std::ranges::max_element(ratios), percentile(together_ms, 0.5));
      std::fflush(stdout);
    }
  }
};

KV_TEST_PROGRAM(argc, argv) {
  std::vector<char*> others;
  for (int i = 0; i < argc; ++i) {
    const auto next = [&] { return i + 1 < argc ? argv[++i] : argv[0]; };
    if (std::strcmp(argv[i], "--threads") == 0)
      threads = std::max(1, std::atoi(next()));
    else if (std::strcmp(argv[i], "--rounds") == 0)
      rounds = std::max(1, std::atoi(next()));
    else if (std::strcmp(argv[i], "--tokens") == 0)
      batch_tokens = std::max(1, std::atoi(next()));
    else
      others.push_back(argv[i]);
  }
  int count = static_cast<int>(others.size());
  QCoreApplication application(count, others.data());
  set_compute_threads(threads);
  PrefillBatchBench bench;
  return QTest::qExec(&bench, count, others.data());
}

}  // namespace prefill_batch_bench_test

#include "prefill_batch_bench_test.moc"
