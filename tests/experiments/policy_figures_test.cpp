// links: kv_experiments
// What the figures about policies are made of: records as samples, and the policies that are compared.
#include <QtTest>

#include "core/experiments/policy_figures.h"
#include "core/policy/policy.h"
#include "tests/support/test_program.h"

namespace policy_figures_test {

using namespace kvantage;

class PolicyFiguresTest : public QObject {
  Q_OBJECT
 private slots:
  void recordsHaveTheParts() {
    RequestRecord record;
    record.source = "ssd";
    record.timing.queue_seconds = 0.1;
    record.timing.load_seconds = 0.2;
    record.timing.decode_seconds = 0.3;
    record.timing.context_prefill_seconds = 0.4;
    PolicyOutcome made;
    add_records(made, {record}, "token_f1");
    const auto& parts = made.samples.at(0).parts;
    QVERIFY(parts && parts->queue == 0.1 && parts->load == 0.2 && parts->unpack == 0.3 &&
            parts->context_prefill == 0.4);
  }
  void everyPolicyIsCompared() {
    const auto texts = compared_policies({"fixed(kivi4,0)"});
    QCOMPARE(texts.front(), std::string("fixed(kivi4,0)"));
    for (const char* name : {"full_prefill", "lru", "lfu", "s3fifo", "gdsf", "impress(kept=0.5)", "adaptcache",
                             "evicpress", "evicpress(quality=raw)", "evicpress(start=quality,quality=raw)",
                             "evicpress(drop=per_byte,quality=raw)", "evicpress(drop=best)", "evicpress(prices=lp)"})
      QVERIFY2(std::ranges::find(texts, name) != texts.end(), name);
    for (const std::string& text : texts) QVERIFY2(make_policy(text).has_value(), text.c_str());
    QVERIFY(std::ranges::find(texts, "optimal") == texts.end());
  }
  void recordsBecomeSamples() {
    PolicyOutcome made;
    RequestRecord held, seen, gone;
    held.context_id = "a";
    held.source = "ssd";
    held.timing.ttft_service_seconds = 0.5;
    held.quality["token_f1"] = 0.75;
    held.quality_chance = {{"token_f1", 0.25}, {"cosine", 0.5}};
    held.predicted_quality = 0.8;
    seen = held;
    seen.held_out = false;
    gone = held;
    gone.cancelled = true;
    add_records(made, {held, seen, gone}, "token_f1");
    QCOMPARE(made.samples.size(), 2UL);
    QCOMPARE(mean_quality(made).n, 1UL);
    QCOMPARE(mean_ttft(made).n, 2UL);
    QCOMPARE(hit_rate(made, "ssd"), 1.0);
    QVERIFY(!mean_quality(made).interval);  // one context has none
    QCOMPARE(mean_chance(made).mean, 0.25);
    QCOMPARE(mean_chance(made).n, 1UL);
  }
  void readsOfChunksBecomeShares() {
    RequestRecord by_need, whole, missed;
    by_need.source = whole.source = "ssd";
    missed.source = "prefill";
    by_need.important_reads = ImportantReadsRecord{
        .kept_share = 0.2, .probe_bytes = 100, .chunk_bytes = 300, .copy_bytes = 100, .chunks = 80, .chunks_read = 40};
    PolicyOutcome impress{"impress(kept=0.2)", 0, 0.1, 1, {}}, lru{"lru", 0, 0.1, 1, {}};
    add_records(impress, {by_need, whole, missed}, "token_f1");
    QCOMPARE(impress.samples.at(0).chunks->read, 0.5);
    QCOMPARE(impress.samples.at(0).chunks->copies, 0.25);
    QCOMPARE(impress.samples.at(1).chunks->read, 1.0);  // the reads did not apply
    QCOMPARE(impress.samples.at(1).chunks->copies, 0.0);
    QVERIFY(!impress.samples.at(2).chunks);
    add_records(lru, {whole}, "token_f1");
    QVERIFY(!lru.samples.at(0).chunks);
  }
};

KV_TEST_GUILESS_MAIN(PolicyFiguresTest)

}  // namespace policy_figures_test

#include "policy_figures_test.moc"
