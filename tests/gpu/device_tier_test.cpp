// links: kv_base kv_tiers kv_gpu_device
// The tier in device memory, over a device in host memory: what it keeps, and what comes of copies that fail.
#include <QtTest>

#include "tests/gpu/device_checks.h"
#include "tests/gpu/host_device_memory.h"

using namespace kvantage;
using namespace kvantage::testing;

class DeviceTierTest : public QObject {
  Q_OBJECT

  static DeviceBench bench_over(const std::shared_ptr<HostDeviceMemory>& memory, bool straight = true,
                                std::uint64_t bytes = 0) {
    auto bench = open_bench(memory, bytes, straight);
    if (!bench) qFatal("%s", bench.error().message.c_str());
    return std::move(*bench);
  }
  static void both_ways() {
    QTest::addColumn<bool>("straight");
    QTest::newRow("straight into pinned buffers") << true;
    QTest::newRow("through staging") << false;
  }
  static std::uint64_t misses(const DeviceBench& bench, const char* reason) {
    const auto all = bench.tier->statistics().misses;
    const auto found = all.find(reason);
    return found == all.end() ? 0 : found->second;
  }

 private slots:
  void raggedEntriesComeBack_data() { both_ways(); }
  void raggedEntriesComeBack() {
    QFETCH(bool, straight);
    const auto memory = std::make_shared<HostDeviceMemory>();
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      DeviceBench bench = bench_over(memory, straight);
      const Complaint wrong = ragged_entries_come_back(bench, seed, 120);
      QVERIFY2(wrong.empty(), wrong.c_str());
    }
    QCOMPARE(memory->allocated_bytes(), std::uint64_t{0});
  }

  void cancelledReadsLeaveNothing_data() { both_ways(); }
  void cancelledReadsLeaveNothing() {
    QFETCH(bool, straight);
    DeviceBench bench =
        bench_over(std::make_shared<HostDeviceMemory>(HostDeviceMemory::Options{.bytes_per_second = 4e9}), straight);
    const Complaint wrong = cancelled_reads_leave_nothing(bench, 60);
    QVERIFY2(wrong.empty(), wrong.c_str());
  }

  void copiesContinueBesideTheComputation_data() { both_ways(); }
  void copiesContinueBesideTheComputation() {
    QFETCH(bool, straight);
    const auto memory = std::make_shared<HostDeviceMemory>();
    DeviceBench bench = bench_over(memory, straight);
    // Slow enough that a busy machine's own delays are small beside it, once the bench has timed the link.
    memory->slow_down(100e6);
    constexpr double enough = 0.5;
    const auto times = time_overlap(bench, std::size_t{32} << 20, 8, 3, enough);
    QVERIFY(times.has_value());
    qInfo("copies %.0f ms, computation %.0f ms, both %.0f ms: %.0f %% of the shorter hidden", times->copies * 1e3,
          times->compute * 1e3, times->both * 1e3, times->hidden() * 100);
    QVERIFY2(times->hidden() > enough, qPrintable(QString::number(times->hidden())));
  }

  void peaksAreAboveWhatIsAchieved() {
    DeviceBench bench =
        bench_over(std::make_shared<HostDeviceMemory>(HostDeviceMemory::Options{.bytes_per_second = 1e9}));
    QVERIFY(ragged_entries_come_back(bench, 5, 40).empty());
    const DeviceGauges gauges = *bench.tier->statistics().device;
    const Complaint wrong = peaks_are_above_what_is_achieved(gauges);
    QVERIFY2(wrong.empty(), wrong.c_str());
    QVERIFY(gauges.from_device.peak_bytes_per_second < 1.01e9);
    QVERIFY(gauges.from_device.peak_share() > 0.2 && gauges.from_device.peak_share() <= 1);
    QVERIFY(gauges.overlap_share() >= 0 && gauges.overlap_share() <= 1);
  }

  void theThreadsOfTheTierWorkBesideCopies() {
    // Several pieces in flight: while one is verified the next is copied.
    DeviceBench bench =
        bench_over(std::make_shared<HostDeviceMemory>(HostDeviceMemory::Options{.bytes_per_second = 2e9}), false);
    const auto bytes = bytes_of(1, std::size_t{48} << 20);
    QVERIFY(put_entry(*bench.tier, "entry", bytes));
    QVERIFY(read_back(bench, "entry", *bytes, layers_of(*bytes, 4 << 20)).empty());
    QVERIFY2(bench.accelerator->gauges().overlap_share() > 0.01,
             qPrintable(QString::number(bench.accelerator->gauges().overlap_share())));
  }

  void bytesGivenAreHeldOrGivenBack() {
    const auto memory = std::make_shared<HostDeviceMemory>();
    Random random(11);
    {
      gpu::DevicePool pool(memory, std::uint64_t{1} << 20);
      std::vector<gpu::DeviceRuns> held;
      std::size_t max_runs = 0;
      for (int i = 0; i < 3000; ++i) {
        if (held.empty() || random.below(5) < 3) {
          const std::uint64_t bytes = 1 + random.below(random.below(10) == 0 ? 3000000 : 200000);
          const auto runs = pool.allocate(bytes);
          QVERIFY(runs);
          std::uint64_t given = 0;
          for (const gpu::DeviceRun& run : *runs) given += run.bytes;
          QVERIFY(given >= bytes && given < bytes + gpu::DevicePool::block_bytes);
          max_runs = std::max(max_runs, runs->size());
          held.push_back(*runs);
        } else {
          const std::size_t which = random.below(held.size());
          std::swap(held[which], held.back());
          pool.release(held.back());
          held.pop_back();
        }
        const gpu::PoolCounts counts = pool.counts();
        std::uint64_t used = 0;
        std::map<gpu::DeviceAddress, std::uint64_t> runs;
        for (const gpu::DeviceRuns& entry : held)
          for (const gpu::DeviceRun& run : entry) {
            used += run.bytes;
            QVERIFY(runs.emplace(run.address, run.bytes).second);
          }
        for (auto run = runs.begin(); run != runs.end() && std::next(run) != runs.end(); ++run)
          QVERIFY2(run->first + run->second <= std::next(run)->first, "two entries share a block");
        QCOMPARE(counts.used, used);
        QCOMPARE(counts.given, counts.used + counts.given_back);
        QCOMPARE(counts.held, memory->allocated_bytes());
        QVERIFY(counts.held >= counts.used);
      }
      QVERIFY(max_runs > 1);  // an entry in several runs was among them
      for (const gpu::DeviceRuns& runs : held) pool.release(runs);
      QCOMPARE(pool.counts().used, std::uint64_t{0});
      QVERIFY(pool.counts().held <= std::uint64_t{1} << 20);  // a spare segment
    }
    QCOMPARE(memory->allocated_bytes(), std::uint64_t{0});
  }

  void aFullDeviceRefusesWritesAndServesReads() {
    const auto memory =
        std::make_shared<HostDeviceMemory>(HostDeviceMemory::Options{.memory_bytes = std::uint64_t{80} << 20});
    DeviceBench bench = bench_over(memory);
    std::map<std::string, std::shared_ptr<const DeviceBytes>> held;
    bool full = false;
    for (int i = 0; i < 40; ++i) {
      const auto bytes = bytes_of(static_cast<std::uint64_t>(i), 5000000);
      const Status stored = put_entry(*bench.tier, std::to_string(i), bytes);
      if (stored) {
        held[std::to_string(i)] = bytes;
        continue;
      }
      QCOMPARE(stored.error().code, ErrorCode::no_space);
      QVERIFY2(stored.error().message.starts_with("device: "), stored.error().message.c_str());
      full = true;
    }
    QVERIFY(full && held.size() >= 14);
    for (const auto& [name, bytes] : held) {
      const Complaint wrong = read_back(bench, name, *bytes, layers_of(*bytes, 700000));
      QVERIFY2(wrong.empty(), wrong.c_str());
    }
  }

  void moreThanIsFreeIsRefusedAtOnce() {
    const auto bench = open_bench(std::make_shared<HostDeviceMemory>(), std::uint64_t{2} << 30, false);
    QVERIFY(!bench);
    QCOMPARE(bench.error().code, ErrorCode::rejected_input);
    QVERIFY2(bench.error().message == "tier 'device': " + format_bytes(std::uint64_t{2} << 30) + " are more than the " +
                                          format_bytes(std::uint64_t{1} << 30) +
                                          " that host double has free; reduce it, or stop other programs on the device",
             bench.error().message.c_str());
  }

  void whatChangedOnTheDeviceIsAMiss_data() { both_ways(); }
  void whatChangedOnTheDeviceIsAMiss() {
    QFETCH(bool, straight);
    const auto memory = std::make_shared<HostDeviceMemory>();
    DeviceBench bench = bench_over(memory, straight);
    const auto bytes = bytes_of(2, 9000000);
    for (const bool sums_given : {true, false}) {
      QVERIFY(put_entry(*bench.tier, "entry", bytes));
      memory->spoil();
      auto extents = layers_of(*bytes, sums_given ? 100000 : bytes->size());
      if (!sums_given) extents.front().pieces.clear();  // then by the tier's own
      const Complaint wrong = read_back(bench, "entry", *bytes, extents);
      QVERIFY2(wrong.find("differ from those written") != std::string::npos, wrong.c_str());
      QVERIFY(!bench.tier->contains(digest_of("entry")));
    }
    QCOMPARE(misses(bench, "checksum"), std::uint64_t{2});
    QCOMPARE(bench.tier->statistics().dropped, std::uint64_t{2});
  }

  void aCopyThatFailsIsAMissAndNothingElseBreaks_data() { both_ways(); }
  void aCopyThatFailsIsAMissAndNothingElseBreaks() {
    QFETCH(bool, straight);
    const auto memory = std::make_shared<HostDeviceMemory>();
    DeviceBench bench = bench_over(memory, straight);
    constexpr std::uint64_t size = 2 * gpu::Staging::slot_bytes + 611392;  // written by three copies
    const auto bytes = bytes_of(4, size);
    for (int after = 0; after < 6; ++after) {
      QVERIFY(put_entry(*bench.tier, "entry", bytes));
      memory->fail_after(after);
      const Complaint wrong = read_back(bench, "entry", *bytes, layers_of(*bytes, 1000000));
      QVERIFY2(wrong == "entry: device: host double: the copy failed; this is a test", wrong.c_str());
      memory->fail_after(-1);
      for (int tries = 0; tries < 200 && bench.buffers->leased_bytes() > 0; ++tries) QTest::qSleep(1);
      QCOMPARE(bench.buffers->leased_bytes(), std::size_t{0});
    }
    QCOMPARE(misses(bench, "device"), std::uint64_t{6});
    for (int after = 0; after < 3; ++after) {
      memory->fail_after(after);
      const Status stored = put_entry(*bench.tier, "entry", bytes);
      QVERIFY(!stored);
      QCOMPARE(stored.error().code, ErrorCode::io);
    }
    memory->fail_after(-1);
    QVERIFY(put_entry(*bench.tier, "entry", bytes));
    QVERIFY(read_back(bench, "entry", *bytes, layers_of(*bytes, 1000000)).empty());
    QCOMPARE(bench.accelerator->gauges().used_bytes,
             (size + gpu::DevicePool::block_bytes - 1) / gpu::DevicePool::block_bytes * gpu::DevicePool::block_bytes);
  }

  void aDeviceThatIsLostTakesNobodyWithIt() {
    const auto memory = std::make_shared<HostDeviceMemory>();
    DeviceBench bench = bench_over(memory);
    const auto bytes = bytes_of(4, 3000000);
    QVERIFY(put_entry(*bench.tier, "entry", bytes));
    memory->break_down();
    QVERIFY(!read_back(bench, "entry", *bytes, layers_of(*bytes, 1000000)).empty());
    QVERIFY(!put_entry(*bench.tier, "other", bytes));
    QCOMPARE(bench.tier->entries().size(), std::size_t{0});
  }

  void hostMemoryThatCannotBePinnedIsSaidAndServesAsWell() {
    DeviceBench bench = bench_over(std::make_shared<HostDeviceMemory>(HostDeviceMemory::Options{.can_pin = false}));
    QCOMPARE(bench.tier->describe().note,
             std::string("host double; host memory could not be pinned, copies are slower"));
    QCOMPARE(bench.tier->describe().kind, std::string("device memory"));
    QVERIFY(ragged_entries_come_back(bench, 9, 60).empty());
  }

  /// Whole blocks, a last leaf that is shorter, and an entry smaller than a leaf.
  void theScrubFindsWhatChanged_data() {
    QTest::addColumn<qulonglong>("size");
    for (const qulonglong size : {8388608U, 9000000U, 24576U, 777U}) QTest::addRow("%llu B", size) << size;
  }
  void theScrubFindsWhatChanged() {
    QFETCH(qulonglong, size);
    const auto memory = std::make_shared<HostDeviceMemory>();
    auto accelerator = gpu::DeviceAccelerator::open(memory);
    QVERIFY(accelerator);
    auto store = (*accelerator)->open_store("device", 0);
    QVERIFY(store);
    auto tier = QueuedTier::open(std::move(*store), 0, 0.001, system_executor());
    QVERIFY(tier);
    QVERIFY(put_entry(**tier, "entry", bytes_of(1, size)));
    const std::uint64_t copied = (*accelerator)->gauges().from_device.bytes;
    QTRY_VERIFY((*tier)->statistics().scrubbed > 0);
    QVERIFY((*tier)->contains(digest_of("entry")));
    memory->spoil();
    QTRY_VERIFY(!(*tier)->contains(digest_of("entry")));
    QCOMPARE((*accelerator)->gauges().from_device.bytes, copied);  // its copies are in no rate
  }
};

QTEST_GUILESS_MAIN(DeviceTierTest)
#include "device_tier_test.moc"
