// links: app_wiring
// Sessions on a model with sliding windows: a loaded context, one that is computed, and the entry made from it are
// without the rows that no later token sees, and the answer is that of the whole context.
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "app/wiring/model_facts_reader.h"
#include "tests/support/test_program.h"
#include "tests/support/virtual_harness.h"
#include "tests/support/windowed_model.h"

namespace windowed_sessions_test {

using namespace kvantage;
using namespace kvantage::test;

class WindowedSessionsTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;

  std::filesystem::path path(const char* name) const {
    return std::filesystem::path(folder_.path().toStdString()) / name;
  }
  static std::vector<RequestRecord> served(EngineHarness& harness, const std::string& policy) {
    auto records = harness.serve(policy, 10);
    if (!records) qFatal("%s", records.error().message.c_str());
    std::ranges::sort(*records, {}, [](const RequestRecord& record) { return record.id; });
    return std::move(*records);
  }
  /// At most what a request holds: two layers all tokens, four the window, less than a tile before it and `more` of the
  /// context, question and answer. block_bytes: of a block of 32 tokens in all layers and heads.
  static double most_bytes(const RequestRecord& of, double block_bytes, int more = 0) {
    const double all = block_bytes * std::ceil((of.context_tokens + of.question_tokens + of.answer_tokens) / 32.0);
    const double tokens = of.context_tokens + of.question_tokens + 48 + 32;
    return all * (2 * tokens + 4 * (tokens - of.context_tokens + 64 + 64 + more)) / (6 * tokens);
  }
  static void holds_at_most(const RequestRecord& one, double bytes) {
    QVERIFY2(static_cast<double>(one.decoding.peak_bytes) <= bytes,
             qPrintable(QString("%1: %2 bytes, at most %3")
                            .arg(QString::fromStdString(one.source))
                            .arg(one.decoding.peak_bytes)
                            .arg(bytes)));
  }

 private slots:
  void initTestCase() {
    if (const QString lack = lacks_windowed_model(); !lack.isEmpty()) QSKIP(qPrintable(lack));
  }

  void contextsLackUnseenRowsAndAnswerAlike_data() {
    QTest::addColumn<QString>("policy");
    QTest::addColumn<int>("batch");
    QTest::addColumn<QString>("speculation");
    QTest::newRow("uncompressed") << "lru" << 1 << "off";
    QTest::newRow("several at once") << "lru" << 4 << "off";
    QTest::newRow("with drafts") << "lru" << 1 << "lookup";
  }
  void contextsLackUnseenRowsAndAnswerAlike() {
    QFETCH(QString, policy);
    QFETCH(int, batch);
    QFETCH(QString, speculation);
    HarnessOptions other;
    other.model = windowed_model(path("model"));
    auto harness = open_virtual(path(QTest::currentDataTag()), small_workload(2, 60, 3), {"ssd=256MiB"}, "full_prefill",
                                false, other, ModelKind::real);
    QVERIFY2(harness.has_value(), harness ? "" : harness.error().message.c_str());
    const auto computed = served(**harness, "full_prefill");
    SessionSettings settings = (*harness)->engine().settings();
    settings.max_batch = batch;
    settings.speculation = speculation.toStdString();
    QVERIFY((*harness)->engine().apply(settings).has_value());
    const auto first = served(**harness, policy.toStdString());  // what is stored then serves all of them
    QVERIFY(std::ranges::find(first, std::string("prefill"), &RequestRecord::source) != first.end());
    const CacheFacts caches = read_model_facts(other.model).caches;
    const double block_bytes = 32.0 * static_cast<double>(caches.pool_bytes_per_token);
    const auto loaded = served(**harness, policy.toStdString());
    QCOMPARE(loaded.size(), computed.size());
    QCOMPARE(first.size(), computed.size());
    int hits = 0;
    for (std::size_t i = 0; i < loaded.size(); ++i) {
      QCOMPARE(loaded[i].question, computed[i].question);
      QCOMPARE(loaded[i].answer, computed[i].answer);
      QCOMPARE(loaded[i].answer_tokens, computed[i].answer_tokens);
      QCOMPARE(first[i].answer, computed[i].answer);
      QCOMPARE(computed[i].source, std::string("prefill"));
      QCOMPARE(computed[i].kept_tokens, computed[i].context_tokens);
      for (const RequestRecord* one : {&computed[i], &loaded[i]}) holds_at_most(*one, most_bytes(*one, block_bytes));
      // An entry is made from it: a longer context may continue it from a whole chunk before its last 64 tokens.
      holds_at_most(first[i], most_bytes(first[i], block_bytes, 256 + 64));
      if (loaded[i].source != "ssd") continue;
      ++hits;
      QCOMPARE(loaded[i].kept_tokens, loaded[i].context_tokens);  // of the entry
    }
    QCOMPARE(hits, 10);
    for (const ContextState& context : (*harness)->engine().snapshot()->contexts) {
      if (!context.placement.stored()) continue;
      QCOMPARE(context.stored_bytes, context.full_bytes);
      const auto all = static_cast<std::uint64_t>(context.tokens) * caches.bytes_per_token;
      QVERIFY(context.full_bytes < all && context.windowed_bytes < all / 2);
    }
  }
};

KV_TEST_GUILESS_MAIN(WindowedSessionsTest)

}  // namespace windowed_sessions_test

#include "windowed_sessions_test.moc"
