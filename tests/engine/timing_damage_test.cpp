// links: app_wiring
// Damage that the timing of a tier meets when a session opens: the session opens, says so, and answers as without a
// cache. In virtual time.
#include <QtTest>

#include <algorithm>
#include <atomic>

#include "tests/support/memory_redis.h"
#include "tests/support/test_program.h"
#include "tests/support/virtual_harness.h"
#include "tiers/buffer_pool.h"
#include "tiers/dram_tier.h"
#include "tiers/queued_tier.h"
#include "tiers/remote/redis_store.h"

namespace timing_damage_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

/// The next `damaged` reads find one flipped bit: their checksums do not match.
class DamagedTier final : public StorageTier {
 public:
  DamagedTier(std::unique_ptr<StorageTier> inner, std::shared_ptr<std::atomic<int>> damaged)
      : inner_(std::move(inner)), damaged_(std::move(damaged)) {}
  TierDescription describe() const override { return inner_->describe(); }
  Executor& executor() const override { return inner_->executor(); }
  Ticket submit_write(EntryInfo info, std::shared_ptr<const std::vector<std::byte>> entry,
                      CompletionQueue& completions) override {
    return inner_->submit_write(std::move(info), std::move(entry), completions);
  }
  Ticket submit_read(const Digest128& key, std::vector<ReadExtent> extents,
                     std::vector<std::unique_ptr<LeasedBuffer>> buffers, CompletionQueue& completions) override {
    if (damaged_->load() == 0) return inner_->submit_read(key, std::move(extents), std::move(buffers), completions);
    --*damaged_;
    (void)inner_->erase(key);  // as a tier drops what it finds damaged
    const Ticket ticket = next_ticket();
    buffers.clear();
    for (std::size_t i = 0; i < extents.size(); ++i) {
      Completion completion;
      completion.ticket = ticket;
      completion.index = i;
      completion.last = i + 1 == extents.size();
      completion.status = fail(ErrorCode::corrupt, "a checksum does not match");
      completion.miss_reason = "checksum";
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
  bool reachable() const override { return inner_->reachable(); }
  std::uint64_t generation() const override { return inner_->generation(); }

 private:
  std::unique_ptr<StorageTier> inner_;
  std::shared_ptr<std::atomic<int>> damaged_;
};

constexpr int all_reads = 1'000'000;

/// An engine over one tier in host memory or on a server in memory, `damaged` reads of which fail at first.
struct Rig {
  VirtualExecutor executor;
  MemoryRedis server{executor};
  std::shared_ptr<std::atomic<int>> damaged;
  CollectingSink sink;
  std::unique_ptr<Engine> engine;

  Rig(const std::string& name, int damaged_reads) : damaged(std::make_shared<std::atomic<int>>(damaged_reads)) {
    EngineConfig config;
    config.executor = &executor;
    config.runtime.open_device = device_of(ModelKind::hashed, model_directory(), executor);
    config.frozen = true;
    config.model = model_directory();
    config.workload = small_workload(2, 16, 15);
    config.settings.policy = "lru";
    config.settings.tiers = {{.name = name, .budget = 64 << 20}};
    config.settings.methods = {"knorm"};
    config.settings.removed_fractions = {0.5};
    config.open_tiers = [this, name](const Digest128&, const SessionSettings&, const auto&) -> Expected<OpenedTiers> {
      OpenedTiers opened;
      KV_ASSIGN(auto tier, QueuedTier::open(store_of(name), 0, 0, executor));
      opened.tiers.push_back(std::make_unique<DamagedTier>(std::move(tier), damaged));
      KV_ASSIGN(auto originals, QueuedTier::open(std::make_unique<DramStore>("archive"), 0, 0, executor));
      opened.archive = std::move(originals);
      opened.lender = std::make_unique<BufferPool>(std::size_t{64} << 20);
      return opened;
    };
    engine = std::make_unique<Engine>(std::move(config), nullptr, nullptr, std::vector<EventSink*>{&sink});
    wait();
  }
  std::unique_ptr<EntryStore> store_of(const std::string& name) {
    if (name == "dram") return std::make_unique<DramStore>(name);
    RedisStoreOptions options{.transport = server.transport()};
    options.url = *parse_redis_url("redis://memory:6379");
    options.scope = "test";
    return std::make_unique<RedisStore>(name, options);
  }
  void wait() {
    for (int i = 0; i < 240; ++i) {
      const RunState state = engine->wait_while_busy(0.5);
      if (state != RunState::loading && state != RunState::running) return;
    }
  }
  std::size_t said(const std::string& words) const {
    std::size_t count = 0;
    for (const auto& message : sink.all<events::Message>())
      count += message.level == "warning" && message.text.find(words) != std::string::npos ? 1 : 0;
    return count;
  }
  std::vector<RequestRecord> serve(const std::string& policy) {
    SessionSettings settings = engine->settings();
    settings.policy = policy;
    settings.request_limit = 8;
    if (!engine->apply(settings)) return {};
    sink.clear();
    engine->start();
    wait();
    return sink.records();
  }
};

std::vector<std::string> answers_of(const std::vector<RequestRecord>& records) {
  std::vector<std::string> answers;
  for (const RequestRecord& record : records) answers.push_back(record.question + ": " + record.answer);
  return answers;
}

}  // namespace

class TimingDamageTest : public QObject {
  Q_OBJECT
  static QByteArray message(const auto& expected) {
    return expected ? QByteArray() : QByteArray::fromStdString(expected.error().message);
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
  }

  void aSessionOpensThoughEveryReadOfItsTimingIsDamaged_data() {
    QTest::addColumn<QString>("tier");
    for (const char* tier : {"dram", "remote"}) QTest::newRow(tier) << tier;
  }
  void aSessionOpensThoughEveryReadOfItsTimingIsDamaged() {
    QFETCH(QString, tier);
    Rig rig(tier.toStdString(), all_reads);
    QVERIFY2(rig.engine->state() == RunState::ready, rig.engine->failure().message.c_str());
    QCOMPARE(rig.said("tier '" + tier.toStdString() + "' is timed again: "), std::size_t{2});
    QCOMPARE(rig.said("tier '" + tier.toStdString() + "' could not be timed: "), std::size_t{1});
    const auto answers = answers_of(rig.serve("full_prefill"));
    QCOMPARE(answers.size(), std::size_t{8});
    QVERIFY(answers_of(rig.serve("lru")) == answers);
    *rig.damaged = 0;
    const auto healed = rig.serve("lru");
    QVERIFY(answers_of(healed) == answers);
    QVERIFY(std::ranges::count(healed, tier.toStdString(), &RequestRecord::source) > 0);
  }

  void oneDamagedReadRepeatsTheTiming() {
    Rig rig("dram", 1);
    QVERIFY2(rig.engine->state() == RunState::ready, rig.engine->failure().message.c_str());
    QCOMPARE(rig.said("is timed again: "), std::size_t{1});
    QCOMPARE(rig.said("could not be timed: "), std::size_t{0});
    QVERIFY(rig.engine->tier_reports()->at(0).fit.samples >= 6);  // two loads of each of three sizes
  }

  // The faults of a tier in a folder, as given to a session.
  void injectedFaultsMeetTheTiming() {
    QTemporaryDir folder, healthy;
    const Workload workload = small_workload(2, 16, 15);
    auto faulty = open_virtual(folder.path().toStdString(), workload, {"ssd=64MiB,faults=flip_on_read:1.0+delay:10s"},
                               "full_prefill", true);
    QVERIFY2(faulty.has_value(), message(faulty));
    std::size_t said = 0;
    for (const auto& event : (*faulty)->sink.all<events::Message>())
      said += event.level == "warning" && event.text.starts_with("tier 'ssd' could not be timed: ") ? 1 : 0;
    QCOMPARE(said, std::size_t{1});
    auto without = open_virtual(healthy.path().toStdString(), workload, {"ssd=64MiB"}, "full_prefill", true);
    QVERIFY2(without.has_value(), message(without));
    SessionSettings settings = (*faulty)->engine().settings();
    settings.tiers[0].faults = "flip_on_read:1.0";  // a delay of ten seconds for each call would take long
    QVERIFY((*faulty)->engine().apply(settings));
    const auto expected = (*without)->serve("full_prefill", 12);
    const auto got = (*faulty)->serve("lru", 12);
    QVERIFY2(expected.has_value() && got.has_value(), message(got));
    QVERIFY(answers_of(*got) == answers_of(*expected));
  }
};

KV_TEST_GUILESS_MAIN(TimingDamageTest)

}  // namespace timing_damage_test

#include "timing_damage_test.moc"
