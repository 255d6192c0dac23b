// links: kv_experiments
// What is stepped through is the pool as it is: counts agree with the blocks that are shown, methods do what they are
// known for, compaction loses no row.
#include "core/experiments/model/pool_walk.h"

#include <QtTest>

#include <algorithm>
#include <set>

#include "tests/support/test_program.h"

namespace pool_walk_test {

using namespace kvantage;

namespace {

std::vector<PoolFrame> walked(const PoolWalkSetting& setting) {
  auto frames = walk_pool(setting);
  if (!frames) qFatal("%s", frames.error().message.c_str());
  return *frames;
}

std::multiset<int> positions_of(const PoolFrame& frame) {
  std::multiset<int> positions;
  for (const PoolBlock& block : frame.blocks)
    for (const int position : block.positions)
      if (position >= 0) positions.insert(position);
  return positions;
}

}  // namespace

class PoolWalkTest : public QObject {
  Q_OBJECT

 private slots:
  void countsAreThoseOfTheBlocks_data() {
    QTest::addColumn<QString>("eviction_method");
    QTest::addColumn<QString>("compaction");
    QTest::addColumn<bool>("shared");
    for (const QString eviction_method : {"streaming_llm", "knorm", "keydiff", "paged_eviction"})
      for (const QString compaction : {"none", "repack", "hole_fill"})
        for (const bool shared : {false, true})
          QTest::newRow(qPrintable(eviction_method + ", " + compaction + (shared ? ", shared" : "")))
              << eviction_method << compaction << shared;
  }
  void countsAreThoseOfTheBlocks() {
    QFETCH(QString, eviction_method);
    QFETCH(QString, compaction);
    QFETCH(bool, shared);
    PoolWalkSetting setting{.eviction_method = eviction_method.toStdString(), .compaction = compaction.toStdString()};
    setting.shared_prompt = shared;
    const auto frames = walked(setting);
    QCOMPARE(static_cast<int>(std::ranges::count(frames, std::string("decode"), &PoolFrame::kind)),
             setting.decoded_tokens);
    const PoolFrame* before = nullptr;
    for (const PoolFrame& frame : frames) {
      int held = 0, twice = 0, live = 0, dead = 0;
      for (const PoolBlock& block : frame.blocks) {
        held += block.references > 0;
        twice += block.references > 1;
        live += static_cast<int>(std::ranges::count(block.rows, SlotState::live));
        dead += static_cast<int>(std::ranges::count(block.rows, SlotState::dead));
        if (block.references == 0) QVERIFY(std::ranges::count(block.rows, SlotState::unused) == setting.block_tokens);
      }
      QCOMPARE(held, frame.live_blocks);
      QCOMPARE(twice, frame.shared_blocks);
      QCOMPARE(held + frame.free_blocks, static_cast<int>(frame.blocks.size()));
      if (!shared) {
        QCOMPARE(live, frame.kept);
        QCOMPARE(live, frame.live_slots);
        QCOMPARE(dead, frame.dead_slots);
      }
      QCOMPARE(frame.kept, setting.prompt_tokens + frame.decoded - frame.evicted_rows);
      if (frame.kind == "compact" && !shared) QVERIFY(positions_of(frame) == positions_of(*before));
      if (frame.kind == "compact") QVERIFY(frame.live_blocks <= before->live_blocks);
      before = &frame;
    }
    const int most =
        eviction_method == "paged_eviction" ? setting.budget_tokens + setting.block_tokens : setting.budget_tokens;
    QVERIFY(frames.back().kept <= most);
  }

  // Figures 1 and 5 of PagedEviction: a page goes as a whole; unstructured eviction leaves holes and keeps every block.
  void pagesComeBackAsWholes() {
    for (const PoolFrame& frame : walked({.eviction_method = "paged_eviction"})) QCOMPARE(frame.dead_slots, 0);
    const auto scattered = walked({.eviction_method = "knorm"});
    QVERIFY(scattered.back().dead_slots > scattered.back().kept / 4);
    const auto paged = walked({.eviction_method = "paged_eviction"});
    QVERIFY(scattered.back().live_blocks > paged.back().live_blocks);
    const auto repacked = walked({.eviction_method = "knorm", .compaction = "repack"});
    QVERIFY(repacked.back().dead_slots == 0 && repacked.back().freed_by_compaction > 0 &&
            repacked.back().slot_copies > 0);
    QVERIFY(repacked.back().live_blocks < scattered.back().live_blocks);
  }

  // StreamingLLM keeps the first tokens and the newest.
  void streamingKeepsSinksAndTheNewest() {
    const auto frames = walked({});
    const std::multiset<int> kept = positions_of(frames.back());
    QVERIFY(kept.contains(0) && kept.contains(1) && kept.contains(60 + 64 - 1));
    QVERIFY(!kept.contains(30));
  }

  void anothersBlocksAreLeftAlone() {
    PoolWalkSetting setting{.eviction_method = "knorm", .compaction = "repack"};
    setting.shared_prompt = true;
    const auto frames = walked(setting);
    QCOMPARE(frames[1].kind, std::string("share"));
    QCOMPARE(frames[1].shared_blocks, frames[1].live_blocks);
    const auto alone = walked({.eviction_method = "knorm", .compaction = "repack"});
    QVERIFY(frames.back().live_blocks > alone.back().live_blocks);
  }

  void nonsenseIsRefused() {
    QVERIFY(!walk_pool({.eviction_method = "knrom"}));
    QVERIFY(!walk_pool({.eviction_method = "h2o"}));
    QVERIFY(!walk_pool({.compaction = "squeeze"}));
    QVERIFY(!walk_pool({.block_tokens = 6}));
  }
};

KV_TEST_GUILESS_MAIN(PoolWalkTest)

}  // namespace pool_walk_test

#include "pool_walk_test.moc"
