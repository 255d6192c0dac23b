// links: kv_experiments
// The loop of eviction while decoding, on the real model: budgets hold at every step and cadence, compaction changes no
// token, and without an eviction nothing changes. What each method chooses: decode_choices_test.cpp.
#include <QtTest>
#include <algorithm>
#include <map>

#include "tests/compress/decoding_prompt.h"
#include "tests/support/test_program.h"

namespace decode_eviction_test {

using namespace kvantage;
using namespace kvantage::test;

class DecodeEvictionTest : public QObject {
  Q_OBJECT
  std::unique_ptr<Prefilled> prefilled_;

  static std::vector<std::string> eviction_methods() {
    std::vector<std::string> names;
    for (const DecodeMethodInfo& info : known_eviction_methods()) names.emplace_back(info.name);
    return names;
  }
  static void everyEvictionMethod() {
    QTest::addColumn<QString>("text");
    for (const std::string& name : eviction_methods()) QTest::newRow(name.c_str()) << QString::fromStdString(name);
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: neither resources/model nor ../shared/data holds one");
    prefilled_ = std::make_unique<Prefilled>();
  }

  void budgetsHoldAtEveryStep_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("cadence");
    for (const std::string& name : eviction_methods())
      for (const int cadence : {1, 7, 16, 128})
        QTest::addRow("%s, every %d steps", name.c_str(), cadence) << QString::fromStdString(name) << cadence;
  }
  void budgetsHoldAtEveryStep() {
    QFETCH(QString, text);
    QFETCH(int, cadence);
    Prompt prompt(*prefilled_);
    const int budget = 128, page = 16;
    const EvictionOptions options{
        .budget_tokens = budget, .cadence = cadence, .compaction = CompactionKind::repack, .compact_every = page};
    const bool pages = text == "paged_eviction";  // has a cadence of its own: the page
    const int most = budget + (pages ? page : cadence - 1), first = pages ? page : cadence;
    const int steps = (std::max(first, 48) + 2 * page) / page * page;  // ends with a pass
    const auto counts = prompt.decode(text.toStdString(), options, steps, [&](int step) {
      if (step < first) return;  // the prompt is above the budget until the first eviction
      for (int l = 0; l < prompt.setting.layers; ++l)
        for (int h = 0; h < prompt.setting.kv_heads; ++h) {
          QVERIFY2(prompt.cache.kept(l, h) <= most,
                   qPrintable(QStringLiteral("%1 rows after step %2").arg(prompt.cache.kept(l, h)).arg(step)));
          const auto positions = prompt.positions(l, h);
          QVERIFY(std::ranges::adjacent_find(positions, std::greater_equal<>{}) == positions.end());
          QCOMPARE(positions.back(), prompt_tokens + step - 1);  // the newest token is never dropped
        }
    });
    // What came in is held or was evicted, and no more than had to be.
    const auto heads = static_cast<std::int64_t>(prompt.setting.layers * prompt.setting.kv_heads);
    QCOMPARE(counts.tokens_evicted + static_cast<std::int64_t>(prompt.cache.kept_rows()),
             heads * (prompt_tokens + steps));
    QCOMPARE(counts.steps, std::int64_t{steps});
    QVERIFY(prompt.cache.kept(0, 0) > budget - page);
    // After the last pass no block is held in vain.
    const auto blocks_needed = heads * ((prompt.cache.kept(0, 0) + page - 1) / page);
    QCOMPARE(static_cast<std::int64_t>(prompt.pool.live_blocks()), blocks_needed);
    const bool scores = std::ranges::any_of(known_eviction_methods(), [&](const DecodeMethodInfo& info) {
      return info.name == text.toStdString() && info.needs_attention;
    });
    QCOMPARE(counts.score_buffer_bytes > 0, scores);
  }

  void withRoomEnoughNothingChanges_data() { everyEvictionMethod(); }
  void withRoomEnoughNothingChanges() {
    QFETCH(QString, text);
    Prompt with(*prefilled_), without(*prefilled_);
    with.decode(text.toStdString(), {.budget_tokens = 4096}, 8);
    for (int i = 0; i < 8; ++i) without.step(20 + i, nullptr);
    QCOMPARE(with.logits, without.logits);  // bit for bit
  }

  void compactionChangesNoToken_data() { everyEvictionMethod(); }
  void compactionChangesNoToken() {
    QFETCH(QString, text);
    constexpr int every = 16, steps = every + 200;  // 200 tokens after the first pass
    struct Outcome {
      std::vector<std::int32_t> tokens;
      std::vector<float> logits;
      EvictionCounts counts;
      std::size_t blocks = 0;
    };
    std::map<CompactionKind, Outcome> outcomes;
    for (const CompactionKind kind : {CompactionKind::none, CompactionKind::repack, CompactionKind::hole_fill}) {
      Prompt prompt(*prefilled_);
      const SystemClock clock;
      EvictionLoop loop(prompt.eviction_method(text.toStdString()), prompt.setting,
                        {.budget_tokens = 100, .cadence = 1, .compaction = kind, .compact_every = every}, clock);
      Outcome& outcome = outcomes[kind];
      for (int i = 0; i < steps; ++i) {  // greedy, each token once: what a repeated token says of the cache is little
        for (const std::int32_t said : outcome.tokens) prompt.logits[static_cast<std::size_t>(said)] = -1e30F;
        outcome.tokens.push_back(
            static_cast<std::int32_t>(std::ranges::max_element(prompt.logits) - prompt.logits.begin()));
        prompt.step(outcome.tokens.back(), &loop);
      }
      outcome.logits = prompt.logits;
      outcome.counts = loop.counts();
      outcome.blocks = prompt.pool.live_blocks();
    }
    const Outcome &none = outcomes[CompactionKind::none], &repack = outcomes[CompactionKind::repack],
                  &fill = outcomes[CompactionKind::hole_fill];
    for (const Outcome* compacted : {&repack, &fill}) {
      QCOMPARE(compacted->tokens, none.tokens);
      QCOMPARE(compacted->logits, none.logits);  // bit for bit
      QCOMPARE(compacted->counts.passes, std::int64_t{steps / every});
    }
    if (text != "paged_eviction" && text != "streaming_llm") {  // whose pages leave no holes to close, or few
      QVERIFY(repack.counts.slot_copies > 1000);
      QVERIFY(fill.counts.slot_copies > 100);
    }
    QVERIFY(repack.blocks <= fill.blocks);
    QVERIFY(fill.blocks <= none.blocks);
  }

  // A pass that may take no time compacts a layer between two tokens, and resumes until it is done.
  void aPassIsSplitOverTokens() {
    class TickingClock final : public Clock {
     public:
      std::int64_t monotonic_ns() const override { return now_ns_ += 1'000'000; }
      std::int64_t utc_ns() const override { return 0; }

     private:
      mutable std::int64_t now_ns_ = 0;
    };
    const int layers = prefilled_->setting.layers, every = layers + 3, steps = 3 * every;
    const auto decode = [&](Prompt& prompt, double seconds, CompactionKind kind, std::vector<CompactionPass>& passes) {
      const TickingClock clock;
      EvictionLoop loop(
          prompt.eviction_method("keydiff"), prompt.setting,
          {.budget_tokens = 100, .cadence = 1, .compaction = kind, .compact_every = every, .compact_seconds = seconds},
          clock);
      std::vector<std::size_t> dead;
      for (int i = 0; i < steps; ++i) {
        prompt.step(20 + i, &loop);
        dead.push_back(prompt.cache.dead_slots());
      }
      passes = loop.take_passes();
      return dead;
    };
    for (const CompactionKind kind : {CompactionKind::repack, CompactionKind::hole_fill}) {
      Prompt whole(*prefilled_), split(*prefilled_);
      std::vector<CompactionPass> at_once, by_layer;
      const auto dead_at_once = decode(whole, 0, kind, at_once), dead = decode(split, 1e-9, kind, by_layer);
      QCOMPARE(split.logits, whole.logits);  // bit for bit
      QCOMPARE(at_once.size(), std::size_t{3});
      QCOMPARE(by_layer.size(), std::size_t{2});  // the third has only begun
      QVERIFY(by_layer[0].step == every && by_layer[1].step == 2 * every);
      QVERIFY(by_layer[0].blocks_freed > 0 && by_layer[0].slot_copies > 0);
      // After its first token a layer is dense, after the last one all are but for what was evicted meanwhile.
      const auto at = static_cast<std::size_t>(every - 1);
      QVERIFY(dead[at] > dead_at_once[at]);
      QVERIFY(dead[at + static_cast<std::size_t>(layers) - 1] < dead[at]);
      const double tick = 1e-3;  // one look before a layer and some after it: seconds add up over the tokens
      QVERIFY(by_layer[0].seconds >= layers * tick);
    }
  }

  void scatteredEvictionFreesNoBlockWithoutCompaction() {
    Prompt scattered(*prefilled_), together(*prefilled_);
    const EvictionOptions none{.budget_tokens = 290, .cadence = 1, .compaction = CompactionKind::none};
    const auto a = scattered.decode("keydiff", none, 16);
    const auto b = together.decode("streaming_llm(sinks=0)", none, 16);
    QVERIFY(a.tokens_evicted == b.tokens_evicted);
    QVERIFY2(
        a.blocks_freed_by_eviction < b.blocks_freed_by_eviction,
        qPrintable(QStringLiteral("%1 against %2").arg(a.blocks_freed_by_eviction).arg(b.blocks_freed_by_eviction)));
  }

  void pagesGoWholeAndNeverTheNewest_data() {
    QTest::addColumn<int>("page");
    QTest::addColumn<int>("cadence");
    for (const int page : {8, 16, 32, 64, 128})
      for (const int cadence : {1, 7}) QTest::addRow("%d tokens a page, cadence %d", page, cadence) << page << cadence;
  }
  void pagesGoWholeAndNeverTheNewest() {
    QFETCH(int, page);
    QFETCH(int, cadence);
    Prompt prompt(*prefilled_, page);
    prompt.setting.table = BlockTableScope::layer;
    const auto counts = prompt.decode(
        "paged_eviction", {.budget_tokens = 256, .cadence = cadence, .compaction = CompactionKind::none}, 2 * page);
    QVERIFY(counts.tokens_evicted > 0);
    QCOMPARE(prompt.cache.dead_slots(), std::size_t{0});  // no page is left with holes
    QVERIFY(prompt.cache.kept(0, 0) <= 256 + page);
    for (int h = 1; h < prompt.setting.kv_heads; ++h) QCOMPARE(prompt.positions(2, h), prompt.positions(2, 0));
  }

  // Pages smaller or larger than a block of the pool.
  void pagesNeedNotBeBlocks_data() {
    QTest::addColumn<int>("block");
    QTest::addColumn<int>("page");
    for (const int block : {16, 32})
      for (const int page : {8, 16, 32, 64}) QTest::addRow("pages of %d in blocks of %d", page, block) << block << page;
  }
  void pagesNeedNotBeBlocks() {
    QFETCH(int, block);
    QFETCH(int, page);
    Prompt prompt(*prefilled_, block), blocks(*prefilled_, page);
    prompt.setting.table = blocks.setting.table = BlockTableScope::layer;
    const EvictionOptions options{.budget_tokens = 256, .cadence = 1, .compaction = CompactionKind::none};
    const auto counts = prompt.decode("paged_eviction(page=" + std::to_string(page) + ")", options, 2 * page);
    const auto of_blocks = blocks.decode("paged_eviction", options, 2 * page);
    QVERIFY(counts.tokens_evicted > 0);
    QCOMPARE(counts.tokens_evicted, of_blocks.tokens_evicted);  // whatever the blocks, the same tokens
    for (int l = 0; l < prompt.setting.layers; ++l) QCOMPARE(prompt.positions(l, 0), blocks.positions(l, 0));
    QCOMPARE(prompt.logits, blocks.logits);
    if (page >= block) QCOMPARE(prompt.cache.dead_slots(), std::size_t{0});
  }

  // What h2o sums over a prompt that it observes query by query is what it sums over all of it at once.
  void observingThePromptEqualsDecodingIt() {
    const SystemClock clock;
    const EvictionOptions options{.budget_tokens = 100, .cadence = 1, .compaction = CompactionKind::none};
    Prompt observed(*prefilled_), begun(*prefilled_);
    EvictionLoop whole(begun.eviction_method("h2o"), begun.setting, options, clock);
    EvictionLoop step_by_step(make_eviction("h2o", observed.setting).value(), observed.setting, options, clock);
    QCOMPARE(step_by_step.prompt_queries(prompt_tokens), prompt_tokens);
    for (int l = 0; l < observed.setting.layers; ++l) {
      if (const Status cut = step_by_step.begin_layer(observed.cache, l, prefilled_->observed.queries); !cut)
        qFatal("%s", cut.error().message.c_str());
      if (const Status cut = whole.begin_layer(begun.cache, l, {}); !cut) qFatal("%s", cut.error().message.c_str());
      for (int h = 0; h < observed.setting.kv_heads; ++h) {
        QCOMPARE(observed.cache.kept(l, h), 100);
        const auto a = observed.positions(l, h), b = begun.positions(l, h);
        std::vector<std::int32_t> both;
        std::ranges::set_intersection(a, b, std::back_inserter(both));
        QVERIFY2(both.size() >= 98, std::to_string(both.size()).c_str());  // sums of another order round otherwise
      }
    }
    QCOMPARE(observed.cache.dead_slots(), std::size_t{0});
  }

  void unknownNamesGetAHint() {
    const auto wrong = make_eviction("h20", {});
    QVERIFY(!wrong);
    QVERIFY(QString::fromStdString(wrong.error().message).contains("did you mean 'h2o'"));
    QVERIFY(!make_eviction("knorm(keep=middle)", {}));
  }
};

KV_TEST_GUILESS_MAIN(DecodeEvictionTest)

}  // namespace decode_eviction_test

#include "decode_eviction_test.moc"
