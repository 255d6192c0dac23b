// links: app_wiring
// A disk that has no room left to compact a store: the session serves on, and compaction is made up for later. In
// virtual time, over a real store on disk.
#include <QTemporaryDir>
#include <QtTest>

#include "tests/support/test_program.h"
#include "tests/support/virtual_harness.h"
#include "tests/tiers/tier_testing.h"
#include "tiers/dram_tier.h"
#include "tiers/faulty_device.h"
#include "tiers/queued_tier.h"
#include "tiers/ssd/ssd_tier.h"
#include "tiers/uring_device.h"

namespace full_disk_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr std::uint64_t segment_bytes = std::uint64_t{768} << 10;  // three entries
constexpr std::size_t contexts = 12;
constexpr std::uint64_t requests = 20;

/// All contexts in order, then twice the last of each three: in a tier for four, each of those keeps a segment.
Workload loose_workload() {
  Workload workload = small_workload(contexts, 5, 15);
  std::vector<std::size_t> order;
  for (std::size_t c = 0; c < contexts; ++c) order.push_back(c);
  for (int times = 0; times < 2; ++times)
    for (std::size_t c = 2; c < contexts; c += 3) order.push_back(c);
  for (std::size_t i = 0; i < order.size(); ++i)
    workload.schedule.push_back({.arrival_seconds = static_cast<double>(i), .context = order[i], .question = {}});
  return workload;
}

/// An engine over a folder with small segments, on a disk whose size a test sets.
struct Rig {
  QTemporaryDir folder;
  CollectingSink sink;
  VirtualExecutor executor;
  std::shared_ptr<FaultyDevice> disk =
      std::make_shared<FaultyDevice>(executor.clock(), make_file_device(), 1, FaultPlan{}, PowerCuts::never);
  std::unique_ptr<Engine> engine;

  Rig() {
    EngineConfig config;
    config.executor = &executor;
    config.runtime.open_device = device_of(ModelKind::hashed, model_directory(), executor);
    config.model = model_directory();
    config.workload = loose_workload();
    config.settings.policy = "lru";
    config.settings.tiers = {{.name = "ssd", .budget = 64 << 20}};
    config.settings.methods = {"knorm"};
    config.settings.removed_fractions = {0.5};
    config.open_tiers = [this](const Digest128&, const SessionSettings&, const auto&) -> Expected<OpenedTiers> {
      KV_ASSIGN(auto store, SsdStore::open("ssd", path(), disk, {.segment_bytes = segment_bytes}));
      KV_ASSIGN(auto tier, QueuedTier::open(std::move(store), 0, 0, executor));
      OpenedTiers opened;
      opened.tiers.push_back(std::move(tier));
      KV_ASSIGN(opened.archive, QueuedTier::open(std::make_unique<DramStore>("archive"), 0, 0, executor));
      opened.lender = std::make_unique<BufferPool>(std::size_t{64} << 20);
      return opened;
    };
    engine = std::make_unique<Engine>(std::move(config), nullptr, nullptr, std::vector<EventSink*>{&sink});
    wait();
  }
  std::filesystem::path path() const { return folder.path().toStdString(); }
  void wait() {
    for (int i = 0; i < 240; ++i) {
      const RunState state = engine->wait_while_busy(0.5);
      if (state != RunState::loading && state != RunState::running) return;
    }
  }
  std::vector<RequestRecord> serve(std::uint64_t requests, std::uint64_t budget_bytes) {
    SessionSettings settings = engine->settings();
    settings.request_limit = requests;
    settings.tiers[0].budget = budget_bytes;
    if (!engine->apply(settings)) return {};
    sink.clear();
    engine->start();
    wait();
    return sink.records();
  }
  /// With a budget for so many contexts.
  std::uint64_t budget_for(int count) const {
    std::uint64_t longest = 0;
    for (const ContextState& context : engine->snapshot()->contexts) longest = std::max(longest, context.full_bytes);
    return longest * static_cast<std::uint64_t>(count);
  }
  std::uint64_t disk_use() const {
    std::uint64_t bytes = 0;
    for (const auto& file : std::filesystem::recursive_directory_iterator(path()))
      if (file.is_regular_file()) bytes += file.file_size();
    return bytes;
  }
};

}  // namespace

class FullDiskTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void aStoreThatCannotBeCompactedStopsNoRequest() {
    Rig rig;
    QVERIFY2(rig.engine->state() == RunState::ready, rig.engine->failure().message.c_str());
    const auto before = rig.serve(requests, 64 << 20);
    QCOMPARE(before.size(), std::size_t{requests});
    const std::uint64_t stored = testing::segment_bytes(rig.path());
    QVERIFY2(stored > 3 * segment_bytes, qPrintable(QString::number(stored)));

    rig.disk->set_plan({.space_bytes = rig.disk_use() + 200000});  // for the log of the index, not for another entry
    const auto records = rig.serve(requests, rig.budget_for(4));
    QVERIFY(rig.disk->counts()["space_bytes"] > 0);
    QCOMPARE(rig.engine->state(), RunState::finished);
    QCOMPARE(records.size(), std::size_t{requests});
    std::map<std::pair<std::string, std::string>, std::string> right;
    for (const RequestRecord& record : before) right[{record.context_id, record.question}] = record.answer;
    int hits = 0;
    for (const RequestRecord& record : records) {
      QVERIFY(!record.cancelled);
      const auto found = right.find({record.context_id, record.question});
      if (found != right.end()) QCOMPARE(record.answer, found->second);
      hits += record.source == "ssd" ? 1 : 0;
    }
    QVERIFY(hits > 0);
    for (const auto& said : rig.sink.all<events::Message>()) QVERIFY2(said.level != "error", said.text.c_str());

    rig.disk->set_plan({});
    QCOMPARE(rig.serve(requests, rig.budget_for(4)).size(), std::size_t{requests});
    const std::uint64_t now = testing::segment_bytes(rig.path());
    QVERIFY2(now < stored / 2, qPrintable(QString("%1 of %2 bytes").arg(now).arg(stored)));
  }
};

KV_TEST_GUILESS_MAIN(FullDiskTest)

}  // namespace full_disk_test

#include "full_disk_test.moc"
