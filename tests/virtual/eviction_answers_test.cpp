// links: kv_runtime kv_tiers
// Sessions that evict while they decode, on virtual time: with the real model answers are those of no eviction where
// nothing has to go, and when compaction runs changes none; requests find the same caches as without eviction, also
// while compaction moves rows beside blocks that they share, in long answers of the hashed model.
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>

#include "core/ports/decode_eviction.h"
#include "tests/support/answered_session.h"
#include "tests/support/drawn_sessions.h"
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

  static constexpr int long_answer = 40;
  static constexpr std::uint64_t contexts = 2;

  /// A context and a longer one that begins with it, each asked about once before the others, so that what later
  /// requests find does not depend on when an answer ends. Three at a time; no answer ends by itself.
  VirtualSessionOptions sharing_options(const std::string& decode_eviction) {
    VirtualSessionOptions options = options_of(decode_eviction, 3);
    options.hashed = true;
    options.model = folders().model;
    options.workload = growing_session(40, 5);
    for (WorkloadQuestion& question : options.workload.questions) question.max_answer_tokens = long_answer;
    options.warmup = contexts;
    return options;
  }
  static int hits_in(const std::vector<RequestRecord>& records) {
    int tokens = 0;
    for (const RequestRecord& record : records) tokens += record.prefix_hit_tokens;
    return tokens;
  }
  /// The sum, and request by request.
  static void check_same_hits(const std::vector<RequestRecord>& got, const std::vector<RequestRecord>& expected) {
    QCOMPARE(got.size(), expected.size());
    QCOMPARE(hits_in(got), hits_in(expected));
    for (std::size_t r = 0; r < got.size(); ++r) {
      QCOMPARE(got[r].context_id, expected[r].context_id);
      QCOMPARE(got[r].question, expected[r].question);
      QCOMPARE(got[r].prefix_hit_tokens, expected[r].prefix_hit_tokens);
      QCOMPARE(got[r].source == "prefill", expected[r].source == "prefill");
    }
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  // Methods that read no attention weights leave the attention path as it is: with room enough, so are the answers.
  void withRoomEnoughAnswersAreThoseOfNone() {
    const auto expected = served("none");
    QVERIFY(std::ranges::any_of(expected, [](const RequestRecord& r) { return r.answer_tokens > 1; }));
    int methods = 0;
    for (const DecodeMethodInfo& method : decode_methods()) {
      if (method.needs_attention) continue;
      ++methods;
      const std::string name(method.name);
      const auto got = served(name + "(budget=100000)");
      QCOMPARE(got.size(), expected.size());
      for (std::size_t r = 0; r < got.size(); ++r) {
        QVERIFY2(got[r].decoding.used(), (name + ": " + got[r].decoding.not_applied).c_str());
        QCOMPARE(got[r].question, expected[r].question);
        QVERIFY2(got[r].answer == expected[r].answer, name.c_str());
        QCOMPARE(got[r].answer_tokens, expected[r].answer_tokens);
        QCOMPARE(got[r].decoding.evicted_entries, std::uint64_t{0});
        QCOMPARE(got[r].decoding.score_buffer_bytes, std::uint64_t{0});
      }
    }
    QVERIFY(methods >= 6);
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

  // Side by side, in a closed loop, while passes move the rows of each answer.
  void cachesAreFoundSideBySide() {
    const auto served_with = [&](const std::string& setting) {
      VirtualSessionOptions options = options_of(setting, 3);
      options.warmup = contexts;
      VirtualSession session(options);
      return served_by(session);
    };
    const auto plain = served_with("none");
    QVERIFY(std::ranges::count(plain, std::string("prefill"), &RequestRecord::source) <= std::ptrdiff_t{contexts});
    QVERIFY(hits_in(plain) > 0);
    for (const char* setting :
         {"knorm(budget=25%,compact_every=1)", "h2o(budget=25%,compaction=hole_fill,compact_every=1)"}) {
      const auto evicting = served_with(setting);
      check_same_hits(evicting, plain);
      std::uint64_t passes = 0;
      for (const RequestRecord& record : evicting) passes += record.decoding.compactions.passes;
      QVERIFY2(passes > 0, setting);
    }
  }

  // Requests that computed their context share its blocks with the original. Some keep them to their last token: with a
  // budget of the whole prompt nothing is cut, so answers evict single rows of shared blocks, and with 64 sinks the
  // first two blocks stay where they are. A cut to scattered rows leaves none of them shared.
  void hitsAreTheSameWhileBlocksAreShared_data() {
    QTest::addColumn<QString>("setting");
    QTest::addColumn<bool>("shares");
    for (const char* setting : {"knorm(budget=100%,compact_every=1)", "keydiff(budget=100%,compact_every=3)",
                                "h2o(budget=100%,compaction=hole_fill,compact_every=2)",
                                "streaming_llm(sinks=64,budget=50%,compact_every=1)"})
      QTest::newRow(setting) << QString(setting) << true;
    for (const char* setting :
         {"knorm(budget=25%,compact_every=1)", "h2o(budget=25%,compaction=hole_fill,compact_every=2)"})
      QTest::newRow(setting) << QString(setting) << false;
  }
  void hitsAreTheSameWhileBlocksAreShared() {
    QFETCH(const QString, setting);
    QFETCH(const bool, shares);
    VirtualSession plain(sharing_options("none")), evicting(sharing_options(setting.toStdString()));
    const auto expected = served_by(plain), got = served_by(evicting);
    check_same_hits(got, expected);
    // The longer context is computed from where the shorter one ends; later requests compute nothing.
    QCOMPARE(expected.front().source, std::string("prefill"));
    QVERIFY(expected[1].prefix_hit_tokens > 0 && expected[1].prefix_hit_tokens < expected[1].context_tokens);
    for (std::size_t r = contexts; r < expected.size(); ++r)
      QCOMPARE(expected[r].prefix_hit_tokens, expected[r].context_tokens);
    for (const RequestRecord& record : got) {
      QCOMPARE(record.answer_tokens, long_answer);
      QVERIFY2(record.decoding.used(), record.decoding.not_applied.c_str());
      QVERIFY(record.decoding.evicted_entries > 0 && record.decoding.compactions.passes > 0);
    }
    int shared = 0;  // samples at which an answer had been evicted from and compacted, with blocks that are shared
    for (const auto& sampled : evicting.all<events::PoolSampled>()) {
      const PoolReport& pool = sampled.pool;
      shared +=
          pool.shared_slots > 0 && pool.in_flight.evicted_entries > 0 && pool.in_flight.compactions.passes > 0 ? 1 : 0;
    }
    if (shares) QVERIFY2(shared > 0, "no block was shared while rows moved: the test shows nothing");
  }
};

KV_TEST_GUILESS_MAIN(EvictionAnswersTest)

}  // namespace eviction_answers_test

#include "eviction_answers_test.moc"
