// links: kv_runtime kv_tiers
// Sessions that evict while they decode, on virtual time with the real model: when compaction runs changes no answer,
// and requests find the same caches as without eviction.
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>

#include "core/ports/decode_eviction.h"
#include "tests/support/answered_session.h"
#include "tests/support/test_model.h"

namespace eviction_answers_test {

using namespace kvantage;
using namespace kvantage::test;

class EvictionAnswersTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  int sessions_ = 0;

  VirtualSessionOptions options_of(const std::string& decode_eviction, int max_batch, int sentences = 40) {
    VirtualSessionOptions options = answering_options(
        model_directory(), std::filesystem::path(folder_.path().toStdString()) / std::to_string(++sessions_), sentences,
        6);
    options.settings.policy = "lru";
    options.settings.max_batch = max_batch;
    options.settings.tiers = {{.name = "dram", .budget = 64 << 20}};
    options.settings.decode_eviction = decode_eviction;
    return options;
  }
  std::vector<RequestRecord> served(const std::string& decode_eviction, int max_batch = 3, int sentences = 40) {
    VirtualSession session(options_of(decode_eviction, max_batch, sentences));
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

  // An oracle that knows only how many entries a head keeps: they fill whole blocks but for the last one. A pass after
  // every token leaves no more, and what is held without passes comes free.
  void passesFreeAllButFullBlocks_data() {
    QTest::addColumn<QString>("compaction");
    for (const char* compaction : {"repack", "hole_fill"}) QTest::newRow(compaction) << QString(compaction);
  }
  void passesFreeAllButFullBlocks() {
    QFETCH(const QString, compaction);
    int block = 0;
    {
      VirtualSession plain(options_of("none", 1));
      block = plain.engine().gauges().pool.value_or(PoolReport{}).block_tokens;
      QVERIFY(block > 2);
    }
    // The budget fills a block but for one slot: without passes the answer begins another one.
    const std::string method = "keydiff(budget=" + std::to_string(block - 1) + ",compact_every=1,compaction=";
    VirtualSession session(options_of(method + compaction.toStdString() + ")", 1));
    const auto compacted = served_by(session), none = served(method + "none)", 1);
    const auto pool = session.engine().gauges().pool;
    const SessionInfo info = session.engine().info();
    QVERIFY(pool.has_value() && pool->block_tokens > 0);
    QCOMPARE(compacted.size(), none.size());
    const auto heads = static_cast<std::uint64_t>(info.layers * info.kv_heads);
    std::uint64_t rise = 0;
    for (std::size_t r = 0; r < none.size(); ++r) {
      const DecodingRecord &with = compacted[r].decoding, &without = none[r].decoding;
      QCOMPARE(with.evicted_entries, without.evicted_entries);
      // Each layer and head keeps its budget, and the last token is there until the next one.
      const auto fills = [&](int entries) {
        return heads * static_cast<std::uint64_t>((entries + pool->block_tokens - 1) / pool->block_tokens) *
               pool->block_bytes;
      };
      QVERIFY2(with.held_bytes == fills(with.budget_tokens) || with.held_bytes == fills(with.budget_tokens + 1),
               qPrintable(QString("%1 bytes for %2 entries").arg(with.held_bytes).arg(with.budget_tokens)));
      QVERIFY(without.held_bytes >= with.held_bytes);
      rise += without.held_bytes - with.held_bytes;
      QVERIFY(with.compactions.passes > 0 && without.compactions.passes == 0);
    }
    QVERIFY(rise > 0);
  }

  // Methods that need no attention weights leave the attention path as it is: no weights are kept for them. Those that
  // need them keep one row per query head: twice the tokens, twice the bytes.
  void onlyMethodsThatNeedThemKeepAttentionWeights() {
    const auto peak = [&](const std::string& method, int sentences) {
      std::uint64_t bytes = 0;
      for (const RequestRecord& record : served(method + "(budget=50%)", 3, sentences)) {
        if (!record.decoding.used()) qFatal("%s: %s", method.c_str(), record.decoding.not_applied.c_str());
        bytes = std::max(bytes, record.decoding.score_buffer_bytes);
      }
      return static_cast<double>(bytes);
    };
    int needing = 0;
    for (const DecodeMethodInfo& method : decode_methods()) {
      if (method.name == "triattention") continue;  // it needs a calibration, which a session of so few texts has not
      const double bytes = peak(std::string(method.name), 20);
      QVERIFY2((bytes > 0) == method.needs_attention, std::string(method.name).c_str());
      if (!method.needs_attention) continue;
      ++needing;
      const double twice = peak(std::string(method.name), 40) / bytes;
      QVERIFY2(twice > 1.3 && twice < 2.3, qPrintable(QString::number(twice)));
    }
    QVERIFY(needing >= 2);
  }

  // A context that begins with another one is computed from there on, whatever its answers evict.
  void prefixesAreFoundAsWithoutEviction() {
    const auto hits_of = [&](const std::string& setting) {
      VirtualSessionOptions options = options_of(setting, 1);
      options.workload = growing_session(30, 5);
      VirtualSession session(options);
      std::vector<int> hits;
      for (const RequestRecord& record : served_by(session)) hits.push_back(record.prefix_hit_tokens);
      return hits;
    };
    const auto plain = hits_of("none");
    QVERIFY(std::ranges::any_of(plain, [](int tokens) { return tokens > 0; }));
    for (const char* setting : {"paged_eviction(budget=25%)", "knorm(budget=25%,cut=prefill)", "quest(budget=25%)"})
      QVERIFY2(hits_of(setting) == plain, setting);
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
