// links: app_wiring
// Sessions whose requests prefill together (prefill_batch_tokens, with batch-invariant products): the same tokens as
// with one request at a time, time lines that add up, and less of the engine's time. In virtual time, where each look
// at the clock takes 0.1 ms, so that a step takes the same however many requests share it.
#include <QtTest>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/request/span_checks.h"
#include "tests/support/test_program.h"
#include "tests/support/virtual_harness.h"

namespace prefill_batch_sessions_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr int requests_of_a_run = 48;

std::unique_ptr<EngineHarness> opened(const QTemporaryDir& folder, const std::string& policy,
                                      std::optional<std::string> products = "batch_invariant") {
  HarnessOptions other;
  other.products = std::move(products);
  auto harness = open_virtual(folder.path().toStdString(), small_workload(6, 16, 3), {"dram=64MiB"}, policy, false,
                              std::move(other), ModelKind::ticking);
  if (!harness) qFatal("%s", harness.error().message.c_str());
  return std::move(*harness);
}

struct Served {
  std::vector<RequestRecord> records;
  double serving_seconds = 0;
  int shared_contexts = 0, shared_questions = 0;  // steps
};

Served serve(EngineHarness& harness, const std::string& policy, int max_batch, int prefill_batch_tokens) {
  SessionSettings settings = harness.engine().settings();
  settings.max_batch = max_batch;
  settings.prefill_batch_tokens = prefill_batch_tokens;
  if (const auto applied = harness.engine().apply(settings); !applied) qFatal("%s", applied.error().message.c_str());
  auto records = harness.serve(policy, requests_of_a_run);
  if (!records) qFatal("%s", records.error().message.c_str());
  Served served{.records = std::move(*records)};
  for (const auto& counted : harness.sink.all<events::EngineCounted>())
    served.serving_seconds = std::max(served.serving_seconds, counted.serving_seconds);
  for (const RequestRecord& record : served.records) {
    if (!record.timing.shared_prefill) continue;
    served.shared_contexts += record.timing.shared_prefill->context.steps;
    served.shared_questions += record.timing.shared_prefill->question.steps;
  }
  return served;
}

std::map<std::pair<std::string, std::string>, std::string> answers_of(const std::vector<RequestRecord>& records) {
  std::map<std::pair<std::string, std::string>, std::string> answers;
  for (const RequestRecord& record : records) answers[{record.context_id, record.question}] = record.answer;
  return answers;
}

}  // namespace

class PrefillBatchSessionsTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: neither resources/model nor the trial checkpoint is there");
  }

  void sixteenTogetherAnswerAsOneByOne_data() {
    QTest::addColumn<QString>("policy");
    QTest::newRow("stored") << "lru";
    QTest::newRow("computed each time") << "full_prefill";
    QTest::newRow("compressed") << "fixed(knorm,0.5)";
  }
  void sixteenTogetherAnswerAsOneByOne() {
    QFETCH(const QString, policy);
    const std::string name = policy.toStdString();
    const QTemporaryDir folder;
    const auto harness = opened(folder, name);
    (void)serve(*harness, name, 1, 512);  // what is stored then serves all of them
    const Served alone = serve(*harness, name, 1, 512), apart = serve(*harness, name, 16, 0),
                 together = serve(*harness, name, 16, 512);
    QCOMPARE(together.records.size(), alone.records.size());
    QVERIFY(answers_of(together.records) == answers_of(alone.records));
    QVERIFY(answers_of(apart.records) == answers_of(alone.records));
    QCOMPARE(alone.shared_contexts + alone.shared_questions + apart.shared_contexts + apart.shared_questions, 0);
    QVERIFY(together.shared_questions > 0);
    check_all_spans(harness->engine(), together.records);
    QVERIFY2(together.serving_seconds < apart.serving_seconds,
             qPrintable(QString("%1 s, %2 s apart").arg(together.serving_seconds).arg(apart.serving_seconds)));
    const auto shared_steps = std::ranges::count_if(together.records, [](const RequestRecord& record) {
      const auto& shared = record.timing.shared_prefill;
      return shared && (shared->question.seconds > record.timing.question_prefill_seconds + 1e-9 ||
                        shared->question.own_seconds > shared->question.seconds ||
                        shared->context.seconds > record.timing.context_prefill_seconds + 1e-9);
    });
    QCOMPARE(shared_steps, std::ptrdiff_t{0});
  }

  // Bits of libtorch's products depend on the rows that are computed together.
  void otherProductsShareNothing() {
    const QTemporaryDir folder;
    const auto harness = opened(folder, "lru", std::nullopt);
    const Served served = serve(*harness, "lru", 16, 512);
    QCOMPARE(served.shared_contexts + served.shared_questions, 0);
  }
};

KV_TEST_GUILESS_MAIN(PrefillBatchSessionsTest)

}  // namespace prefill_batch_sessions_test

#include "prefill_batch_sessions_test.moc"
