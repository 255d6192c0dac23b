// links: kv_runtime kv_tiers
// Sessions that evict while they decode, on virtual time with the real model: when compaction runs changes no answer,
// and requests find the same caches as without eviction.
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>

#include "tests/support/answered_session.h"
#include "tests/support/test_model.h"

namespace eviction_answers_test {

using namespace kvantage;
using namespace kvantage::test;

class EvictionAnswersTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  int sessions_ = 0;

  std::vector<RequestRecord> served(const std::string& decode_eviction, int max_batch = 3) {
    VirtualSessionOptions options = answering_options(
        model_directory(), std::filesystem::path(folder_.path().toStdString()) / std::to_string(++sessions_), 40, 6);
    options.settings.policy = "lru";
    options.settings.max_batch = max_batch;
    options.settings.tiers = {{.name = "dram", .budget = 64 << 20}};
    options.settings.decode_eviction = decode_eviction;
    VirtualSession session(options);
    return served_by(session);
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void compactionChangesNoAnswer_data() {
    QTest::addColumn<QString>("method");
    for (const char* method : {"h2o", "knorm", "paged_eviction"}) QTest::newRow(method) << QString(method);
  }
  void compactionChangesNoAnswer() {
    QFETCH(const QString, method);
    const auto with = [&](const char* compaction) {
      return served((method + "(budget=50%," + compaction + ")").toStdString());
    };
    const auto expected = with("compaction=none");
    QVERIFY(std::ranges::any_of(expected, [](const RequestRecord& r) { return r.decoding.evicted_entries > 0; }));
    for (const char* compaction : {"compact_every=1", "compact_every=3", "compaction=hole_fill,compact_every=1"}) {
      const auto got = with(compaction);
      QCOMPARE(got.size(), expected.size());
      int passes = 0;
      for (std::size_t r = 0; r < got.size(); ++r) {
        QCOMPARE(got[r].question, expected[r].question);
        QVERIFY2(got[r].answer == expected[r].answer, compaction);
        QCOMPARE(got[r].decoding.evicted_entries, expected[r].decoding.evicted_entries);
        passes += static_cast<int>(got[r].decoding.compactions.passes);
      }
      QVERIFY2(passes > 0 || !QString(compaction).endsWith("=1") || method == "paged_eviction", compaction);
    }
  }

  // A request evicts from its own copy: what the store holds, and who finds it, is as without.
  void cachesAreFoundAsWithoutEviction() {
    const auto plain = served("none", 1);
    QVERIFY(std::ranges::count(plain, std::string("dram"), &RequestRecord::source) >= 3);
    for (const char* setting : {"paged_eviction(budget=25%)", "knorm(budget=25%,cut=prefill)", "quest(budget=25%)"}) {
      const auto evicting = served(setting, 1);
      QCOMPARE(evicting.size(), plain.size());
      for (std::size_t r = 0; r < plain.size(); ++r) {
        QCOMPARE(evicting[r].source, plain[r].source);
        QCOMPARE(evicting[r].prefix_hit_tokens, plain[r].prefix_hit_tokens);
        QCOMPARE(evicting[r].bytes_loaded, plain[r].bytes_loaded);
      }
    }
  }
};

KV_TEST_GUILESS_MAIN(EvictionAnswersTest)

}  // namespace eviction_answers_test

#include "eviction_answers_test.moc"
