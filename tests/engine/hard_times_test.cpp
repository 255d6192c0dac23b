// links: app_wiring
// Memory that runs out and a tier that is away for a moment: requests continue, what happened is reported and counted,
// and no valid entry is lost. In virtual time.
#include <QtTest>

#include <atomic>

#include "tests/support/test_program.h"
#include "tests/support/virtual_harness.h"
#include "tiers/buffer_pool.h"
#include "tiers/dram_tier.h"
#include "tiers/queued_tier.h"

namespace hard_times_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

/// What a test may break while the engine runs.
struct Troubles {
  std::atomic<int> reads_away{
      0};  // that many reads more fail as those of a server that is back by the time it is asked
  std::atomic<bool> no_buffers{false};
};

class ForgetfulTier final : public StorageTier {
 public:
  ForgetfulTier(std::unique_ptr<StorageTier> inner, std::shared_ptr<Troubles> troubles)
      : inner_(std::move(inner)), troubles_(std::move(troubles)) {}
  TierDescription describe() const override { return inner_->describe(); }
  Executor& executor() const override { return inner_->executor(); }
  Ticket submit_write(EntryInfo info, std::shared_ptr<const std::vector<std::byte>> entry,
                      CompletionQueue& completions) override {
    return inner_->submit_write(std::move(info), std::move(entry), completions);
  }
  Ticket submit_read(const Digest128& key, std::vector<ReadExtent> extents,
                     std::vector<std::unique_ptr<LeasedBuffer>> buffers, CompletionQueue& completions) override {
    if (troubles_->reads_away.load() == 0)
      return inner_->submit_read(key, std::move(extents), std::move(buffers), completions);
    --troubles_->reads_away;
    ++generation_;  // as a tier that has found its server again
    const Ticket ticket = next_ticket();
    buffers.clear();
    for (std::size_t i = 0; i < extents.size(); ++i) {
      Completion completion;
      completion.ticket = ticket;
      completion.index = i;
      completion.last = i + 1 == extents.size();
      completion.status = fail(ErrorCode::io, "the server closed the connection");
      completion.miss_reason = "unavailable";
      completions.push(std::move(completion));
    }
    return ticket;
  }
  void cancel(Ticket ticket) override { inner_->cancel(ticket); }
  Status erase(const Digest128& key) override { return inner_->erase(key); }
  bool contains(const Digest128& key) const override { return inner_->contains(key); }
  std::vector<EntryInfo> entries() const override { return inner_->entries(); }
  std::uint64_t used_bytes() const override { return inner_->used_bytes(); }
  void set_capacity(std::uint64_t bytes) override { inner_->set_capacity(bytes); }
  std::uint64_t capacity() const override { return inner_->capacity(); }
  TierStatistics statistics() const override { return inner_->statistics(); }
  std::uint64_t generation() const override { return generation_; }

 private:
  std::unique_ptr<StorageTier> inner_;
  std::shared_ptr<Troubles> troubles_;
  std::atomic<std::uint64_t> generation_{0};
};

class StingyLender final : public BufferLender {
 public:
  explicit StingyLender(std::shared_ptr<Troubles> troubles) : pool_(64 << 20), troubles_(std::move(troubles)) {}
  Expected<std::unique_ptr<LeasedBuffer>> lease(std::size_t bytes) override {
    if (troubles_->no_buffers) return fail(ErrorCode::no_space, "transfer buffer: too much is leased");
    return pool_.lease(bytes);
  }
  std::size_t leased_bytes() const override { return pool_.leased_bytes(); }

 private:
  BufferPool pool_;
  std::shared_ptr<Troubles> troubles_;
};

constexpr std::size_t arena_bytes = std::size_t{1536} << 10;

/// An engine over host memory of a small arena: its budget allows far more.
struct Rig {
  std::shared_ptr<Troubles> troubles = std::make_shared<Troubles>();
  std::shared_ptr<PageArena> arena = std::make_shared<PageArena>(std::size_t{256} << 10, arena_bytes);
  CollectingSink sink;
  StorageTier* archive = nullptr;
  VirtualExecutor executor;
  std::unique_ptr<Engine> engine;

  explicit Rig(int contexts, std::uint64_t pool_bytes = std::uint64_t{2} << 30, bool frozen = false) {
    EngineConfig config;
    config.executor = &executor;
    config.runtime.open_device = device_of(ModelKind::timed, model_directory(), executor);
    config.frozen = frozen;
    config.model = model_directory();
    config.workload = small_workload(contexts, 16, 15);
    config.runtime.pool_bytes = pool_bytes;
    config.settings.policy = "lru";
    config.settings.tiers = {{.name = "dram", .budget = 64 << 20}};
    config.settings.methods = {"knorm"};
    config.settings.removed_fractions = {0.5};
    config.open_tiers = [this](const Digest128&, const SessionSettings&, const auto&) -> Expected<OpenedTiers> {
      auto tier = QueuedTier::open(std::make_unique<DramStore>("dram", arena), 0, 0, executor);
      if (!tier) return tl::unexpected(tier.error());
      OpenedTiers opened;
      opened.tiers.push_back(std::make_unique<ForgetfulTier>(std::move(*tier), troubles));
      auto originals = QueuedTier::open(std::make_unique<DramStore>("archive"), 0, 0, executor);
      if (!originals) return tl::unexpected(originals.error());
      archive = originals->get();
      opened.archive = std::move(*originals);
      opened.lender = std::make_unique<StingyLender>(troubles);
      return opened;
    };
    engine = std::make_unique<Engine>(std::move(config), nullptr, nullptr, std::vector<EventSink*>{&sink});
    wait();
  }
  void wait() {
    for (int i = 0; i < 240; ++i) {
      const RunState state = engine->wait_while_busy(0.5);
      if (state != RunState::loading && state != RunState::running) return;
    }
  }
  std::vector<RequestRecord> serve(std::uint64_t requests, std::uint64_t budget_bytes = 64 << 20) {
    SessionSettings settings = engine->settings();
    settings.request_limit = requests;
    settings.tiers[0].budget = budget_bytes;
    if (!engine->apply(settings)) return {};
    sink.clear();
    engine->start();
    wait();
    return sink.records();
  }
  std::size_t stored() const {
    std::size_t count = 0;
    for (const ContextState& context : engine->snapshot()->contexts) count += context.placement.stored() ? 1 : 0;
    return count;
  }
  TierStatistics counted() const { return engine->tier_reports()->at(0).statistics; }
};

std::size_t hits(const std::vector<RequestRecord>& records) {
  return static_cast<std::size_t>(std::ranges::count(records, std::string("dram"), &RequestRecord::source));
}
std::size_t missed(const std::vector<RequestRecord>& records, const std::string& reason) {
  return static_cast<std::size_t>(std::ranges::count(records, reason, &RequestRecord::miss_reason));
}
std::map<std::pair<std::string, std::string>, std::string> answers_of(const std::vector<RequestRecord>& records) {
  std::map<std::pair<std::string, std::string>, std::string> answers;
  for (const RequestRecord& record : records) answers[{record.context_id, record.question}] = record.answer;
  return answers;
}

}  // namespace

class HardTimesTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
  }

  // The read failed because the server was away; by the time that is looked at it is there again.
  // Frozen, so that the one computed again is not served before it is written.
  void anEntryOfATierThatWasAwayForAMomentIsKept() {
    Rig rig(2, std::uint64_t{2} << 30, true);
    QVERIFY2(rig.engine->state() == RunState::ready, rig.engine->failure().message.c_str());
    const auto warm = rig.serve(8);
    QCOMPARE(warm.size(), std::size_t{8});
    QCOMPARE(rig.stored(), std::size_t{2});
    const std::uint64_t erased = rig.counted().erased, written = rig.counted().writes;
    rig.troubles->reads_away = 2;
    const auto records = rig.serve(8);
    QCOMPARE(missed(records, "unavailable"), std::size_t{2});
    QCOMPARE(hits(records), std::size_t{6});
    QCOMPARE(rig.counted().erased, erased);
    QVERIFY2(rig.counted().writes <= written + 2, qPrintable(QString::number(rig.counted().writes)));
    QVERIFY(answers_of(records) == answers_of(warm));
  }

  void aReadWithoutABufferIsAMissAndTheEntryStays() {
    Rig rig(2);
    const auto warm = rig.serve(8);
    const std::uint64_t erased = rig.counted().erased;
    rig.troubles->no_buffers = true;
    const auto without = rig.serve(4);
    QCOMPARE(missed(without, "no_buffer"), std::size_t{4});
    QVERIFY(!rig.sink.all<events::ReadFailed>().empty());
    QCOMPARE(rig.stored(), std::size_t{2});
    rig.troubles->no_buffers = false;
    const auto again = rig.serve(4);
    QCOMPARE(hits(again), std::size_t{4});
    QCOMPARE(rig.counted().erased, erased);
    for (const auto& said : rig.sink.all<events::Message>()) QVERIFY2(said.level != "error", said.text.c_str());
    const auto right = answers_of(warm);
    for (const auto& [asked, answer] : answers_of(without))
      if (right.contains(asked)) QCOMPARE(answer, right.at(asked));
  }

  // Every request finds the archive full, and that is news once; so is that it has room again.
  void aFullArchiveIsSaidOnce() {
    Rig rig(4);
    rig.archive->set_capacity(1);
    const auto said = [&rig](const char* level, const char* words) {
      return std::ranges::count_if(rig.sink.all<events::Message>(), [&](const events::Message& message) {
        return message.level == level && message.text.find(words) != std::string::npos;
      });
    };
    const auto records = rig.serve(10, 128 << 10);  // nothing fits in the tier either: each is computed
    QCOMPARE(records.size(), std::size_t{10});
    QVERIFY(hits(records) == 0 && rig.archive->statistics().failed_writes.at("no_space") > 1);
    QCOMPARE(said("warning", "not archived"), 1);
    (void)rig.serve(4, 128 << 10);
    QCOMPARE(said("warning", "not archived"), 0);
    rig.archive->set_capacity(0);
    (void)rig.serve(8, 128 << 10);
    QCOMPARE(said("info", "originals are archived again"), 1);
    QVERIFY(!rig.archive->entries().empty());
  }

  // The budget allows more than the arena can hold: stores are refused and reported, requests continue, and room that
  // is freed is used again.
  void hostMemoryThatIsUsedUpRefusesAndLaterAcceptsAgain() {
    Rig rig(6);
    const auto records = rig.serve(18);
    QCOMPARE(records.size(), std::size_t{18});
    for (const RequestRecord& record : records) QVERIFY(!record.cancelled && !record.answer.empty());
    QVERIFY(rig.arena->mapped_bytes() <= arena_bytes);
    const std::size_t held = rig.stored();
    QVERIFY2(held > 0 && held < 6, qPrintable(QString::number(held)));
    QVERIFY(hits(records) > 0);
    const auto failed = rig.sink.all<events::PlacementFailed>();
    QVERIFY(!failed.empty());
    for (const auto& event : failed)
      QVERIFY2(event.reason.find("host memory") != std::string::npos, event.reason.c_str());
    QVERIFY(rig.counted().failed_writes.at("no_space") > 0);
    for (const auto& said : rig.sink.all<events::Message>()) QVERIFY2(said.level != "error", said.text.c_str());
    const auto counted = rig.sink.all<events::TierCounted>();
    QCOMPARE(counted.size(), std::size_t{1});
    QVERIFY(counted[0].failed_writes.at("no_space") > 0);
    QCOMPARE(counted[0].reads, std::uint64_t{hits(records)});

    const std::uint64_t before = rig.counted().writes;
    (void)rig.serve(2, 128 << 10);  // a budget for nothing: everything goes
    QCOMPARE(rig.stored(), std::size_t{0});
    const auto after = rig.serve(18);
    QVERIFY(rig.counted().writes > before);
    QVERIFY(rig.stored() >= held - 1 && hits(after) > 0);
    const auto right = answers_of(records);
    for (const auto& [asked, answer] : answers_of(after))
      if (right.contains(asked)) QCOMPARE(answer, right.at(asked));
  }
};

KV_TEST_GUILESS_MAIN(HardTimesTest)

}  // namespace hard_times_test

#include "hard_times_test.moc"
