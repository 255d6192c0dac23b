// links: kv_base kv_tiers
// The store on a disk that fails: whatever happens, a read gives the right bytes or an error. Each fault counted one by
// one: ssd_fault_counts_test.
#include <QElapsedTimer>
#include <fstream>
#include <set>

#include "tests/support/test_program.h"
#include "tests/tiers/tier_testing.h"
#include "tiers/faulty_device.h"
#include "tiers/uring_device.h"

namespace ssd_faults_test {

using namespace kvantage;
using namespace kvantage::testing;

class SsdFaultsTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> folder_;
  std::shared_ptr<FaultyDevice> device_;
  BufferPool pool_{64 << 20};

  std::filesystem::path path() const { return folder_->path().toStdString(); }

  std::unique_ptr<StorageTier> open() {
    OpenTierOptions options{.executor = system_executor()};
    options.device = device_;
    return open_or_fail(in_folder(path(), 64 << 20), options);
  }

  std::filesystem::path only_segment() const { return segment_files(path()).at(0); }

  void overwrite_byte(std::uint64_t offset, char change) const {
    std::fstream file(only_segment(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(offset));
    const char old = static_cast<char>(file.get());
    file.seekp(static_cast<std::streamoff>(offset));
    file.put(static_cast<char>(old ^ change));
  }

  void expect_dropped(StorageTier& tier, const std::string& reason) {
    QCOMPARE(tier.statistics().misses.at(reason), std::uint64_t{1});
    QCOMPARE(tier.statistics().dropped, std::uint64_t{1});
    QVERIFY(!tier.contains(key_of("entry")));
    QCOMPARE(tier.used_bytes(), std::uint64_t{0});
    QTRY_COMPARE(segment_bytes(path()), std::uint64_t{0});
    QCOMPARE(pool_.leased_bytes(), std::size_t{0});
  }

 private slots:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    device_ = std::make_shared<FaultyDevice>(system_executor().clock(), make_file_device(), 1);
  }

  void flippedBitIsAMiss_data() {
    QTest::addColumn<quint64>("offset");
    QTest::newRow("first byte") << quint64{4096};
    QTest::newRow("inside the header of the entry") << quint64{4096 + 4000};
    QTest::newRow("in the middle") << quint64{4096 + 55555};
    QTest::newRow("last byte") << quint64{4096 + 99999};
  }
  void flippedBitIsAMiss() {
    QFETCH(quint64, offset);
    const auto bytes = random_bytes(1, 100000);
    const auto tier = open();
    QVERIFY(write_entry(*tier, "entry", bytes));
    overwrite_byte(offset, 4);
    QCOMPARE(read_entry(*tier, pool_, "entry", *bytes).code(), ErrorCode::corrupt);
    expect_dropped(*tier, "checksum");
  }

  void flippedBitIsFoundWithoutTheCallersChecksums_data() {
    QTest::addColumn<quint64>("bytes");
    QTest::newRow("whole entry") << quint64{100000};
    QTest::newRow("header of the entry") << quint64{4096};
    QTest::newRow("more than the header") << quint64{9000};
  }
  void flippedBitIsFoundWithoutTheCallersChecksums() {
    QFETCH(quint64, bytes);
    const auto content = random_bytes(1, 100000);
    const auto tier = open();
    QVERIFY(write_entry(*tier, "entry", content));
    const ReadExtent extent{0, bytes, {}};
    QVERIFY(read_extents(*tier, pool_, "entry", {extent}).ok());
    overwrite_byte(4096 + 1000, 1);
    QCOMPARE(read_extents(*tier, pool_, "entry", {extent}).code(), ErrorCode::corrupt);
  }

  void flipOnTheWayIsAMiss() {
    const auto bytes = random_bytes(1, 100000);
    const auto tier = open();
    QVERIFY(write_entry(*tier, "entry", bytes));
    device_->set_plan({.flip_on_read = 1});
    QCOMPARE(read_entry(*tier, pool_, "entry", *bytes).code(), ErrorCode::corrupt);
  }

  void onlyTheExtentsBeforeAFaultAreHandedOut() {
    const auto bytes = random_bytes(1, 3 << 20);
    const auto tier = open();
    QVERIFY(write_entry(*tier, "entry", bytes));
    overwrite_byte(4096 + (2 << 20) + 5, 1);
    const ReadOutcome outcome = read_extents(
        *tier, pool_, "entry",
        {extent_of(*bytes, 0, 1 << 20), extent_of(*bytes, 1 << 20, 1 << 20), extent_of(*bytes, 2 << 20, 1 << 20)});
    QCOMPARE(outcome.statuses.size(), std::size_t{3});
    QVERIFY(outcome.statuses[0] && outcome.statuses[1] && !outcome.statuses[2]);
  }

  void tornWriteIsAMiss() {
    const auto bytes = random_bytes(1, 100000);
    const auto tier = open();
    int torn = 0;
    for (int i = 0; i < 20; ++i) {
      device_->set_plan({.torn_write = 1});
      QVERIFY(write_entry(*tier, "entry", bytes));  // the device says that all arrived
      device_->set_plan({});
      const ReadOutcome outcome = read_entry(*tier, pool_, "entry", *bytes);
      if (outcome.ok()) QVERIFY(outcome.extents[0] == *bytes);
      torn += !outcome.ok();
    }
    QVERIFY(torn > 10);
  }

  void truncatedFileIsAMiss() {
    const auto bytes = random_bytes(1, 100000);
    const auto tier = open();
    QVERIFY(write_entry(*tier, "entry", bytes));
    std::filesystem::resize_file(only_segment(), 50000);
    QCOMPARE(read_entry(*tier, pool_, "entry", *bytes).code(), ErrorCode::corrupt);
    expect_dropped(*tier, "truncated");
  }

  void shortReadIsAMiss() {
    const auto bytes = random_bytes(1, 100000);
    const auto tier = open();
    QVERIFY(write_entry(*tier, "entry", bytes));
    device_->set_plan({.short_read = 1});
    QCOMPARE(read_entry(*tier, pool_, "entry", *bytes).code(), ErrorCode::corrupt);
    QCOMPARE(tier->statistics().misses.at("truncated"), std::uint64_t{1});
  }

  void missingFileIsAMiss() {
    const auto bytes = random_bytes(1, 100000);
    const auto tier = open();
    QVERIFY(write_entry(*tier, "entry", bytes));
    std::filesystem::remove(only_segment());
    QCOMPARE(read_entry(*tier, pool_, "entry", *bytes).code(), ErrorCode::not_found);
    expect_dropped(*tier, "missing");
  }

  void deviceErrorIsAMiss() {
    const auto bytes = random_bytes(1, 100000);
    const auto tier = open();
    QVERIFY(write_entry(*tier, "entry", bytes));
    device_->set_plan({.read_error = 1});
    QCOMPARE(read_entry(*tier, pool_, "entry", *bytes).code(), ErrorCode::io);
    device_->set_plan({});
    expect_dropped(*tier, "device");
  }

  void diskFullIsReportedAndLeavesNothingBehind() {
    const auto small = random_bytes(1, 50000);
    const auto large = random_bytes(2, 3 << 20);
    const auto tier = open();
    QVERIFY(write_entry(*tier, "small", small));
    const std::uint64_t before = segment_bytes(path());
    device_->set_plan({.space_bytes = 2 << 20});
    for (int i = 0; i < 5; ++i) {
      const Status status = write_entry(*tier, "large", large);
      QVERIFY(!status);
      QCOMPARE(status.error().code, ErrorCode::no_space);
    }
    QVERIFY(!tier->contains(key_of("large")));
    QCOMPARE(segment_bytes(path()), before);
    // What was freed can be used again, and the rest never noticed.
    QVERIFY(write_entry(*tier, "another", random_bytes(3, 1 << 20)));
    QVERIFY(read_entry(*tier, pool_, "small", *small).ok());
  }

  void failedFlushIsAFailedWrite() {
    const auto bytes = random_bytes(1, 100000);
    const auto tier = open();
    device_->set_plan({.sync_error = 1});
    QCOMPARE(write_entry(*tier, "entry", bytes).error().code, ErrorCode::io);
    QVERIFY(!tier->contains(key_of("entry")));
    device_->set_plan({});
    QCOMPARE(segment_bytes(path()), std::uint64_t{0});
    QVERIFY(write_entry(*tier, "entry", bytes));
  }

  void failedReplacementKeepsTheOldVersion() {
    const auto old_bytes = random_bytes(1, 100000);
    const auto tier = open();
    QVERIFY(write_entry(*tier, "entry", old_bytes));
    for (const FaultPlan& plan :
         {FaultPlan{.write_error = 1}, FaultPlan{.sync_error = 1}, FaultPlan{.space_bytes = 1}}) {
      device_->set_plan(plan);
      QVERIFY(!write_entry(*tier, "entry", random_bytes(2, 200000)));
      device_->set_plan({});
      QVERIFY(read_entry(*tier, pool_, "entry", *old_bytes).extents[0] == *old_bytes);
      QCOMPARE(tier->used_bytes(), old_bytes->size());
    }
  }

  void lostFsyncLosesNoCommittedEntry() {
    // Power cuts that lose unflushed blocks and names: every acknowledged write is there afterwards, whole.
    std::map<std::string, std::shared_ptr<const Bytes>> committed;
    std::set<std::string> in_doubt;  // erased, or being replaced, when the power went
    Random random(7);
    for (int round = 0; round < 25; ++round) {
      {
        const auto tier = open();
        for (const auto& [name, bytes] : committed) {
          const ReadOutcome outcome = read_entry(*tier, pool_, name, *bytes);
          QVERIFY2(outcome.ok(), name.c_str());
          QVERIFY(outcome.extents[0] == *bytes);
        }
        for (const EntryInfo& info : tier->entries())
          if (!committed.contains(info.label)) {
            // These were never acknowledged, so they may be there; but they must be whole.
            QVERIFY(read_extents(*tier, pool_, info.label, {{0, info.bytes, {}}}).ok());
            QVERIFY(in_doubt.contains(info.label));
          }
        const std::uint64_t writes = 1 + random.below(6);
        for (std::uint64_t i = 0; i < writes; ++i) {
          const std::string name = std::to_string(random.below(12));
          if (random.below(3) == 0) {
            QVERIFY(tier->erase(key_of(name)));
            committed.erase(name);
            in_doubt.insert(name);
          } else {
            const auto bytes = random_bytes(random.next(), 1 + random.below(300000));
            QVERIFY(write_entry(*tier, name, bytes));
            committed[name] = bytes;
          }
        }
        // One more, cut off somewhere on its way.
        CompletionQueue queue(system_executor().clock());
        const std::string name = "late " + std::to_string(round);
        const auto bytes = random_bytes(random.next(), 300000);
        in_doubt.insert(name);
        tier->submit_write(info_of(name, *bytes), bytes, queue);
        QTest::qSleep(static_cast<int>(1 + random.below(4)));
        device_->cut_power();
        const auto done = queue.wait(60);
        if (done.size() == 1 && done[0].status) committed[name] = bytes;
      }
      QVERIFY(device_->restore_power());
    }
    const auto tier = open();
    QVERIFY(tier->statistics().swept_files + tier->statistics().recovered > 0);
  }

  void noWrongBytesUnderRandomFaults_data() {
    QTest::addColumn<quint64>("seed");
    for (quint64 seed = 1; seed <= 4; ++seed) QTest::addRow("seed %llu", seed) << seed;
  }
  void noWrongBytesUnderRandomFaults() {
    QFETCH(quint64, seed);
    const FaultPlan plan{.flip_on_read = 0.02,
                         .flip_on_write = 0.02,
                         .torn_write = 0.02,
                         .short_read = 0.02,
                         .read_error = 0.02,
                         .write_error = 0.02,
                         .no_space = 0.01,
                         .sync_error = 0.02,
                         .lost_sync = 0.05,
                         .delay_on_read = {0.05, 1e-3},
                         .delay_on_write = {0.05, 1e-3},
                         .space_bytes = 12 << 20};
    device_ = std::make_shared<FaultyDevice>(system_executor().clock(), make_file_device(), seed);
    Random random(seed);
    std::map<std::string, std::shared_ptr<const Bytes>> oracle;  // the last acknowledged version
    std::uint64_t right = 0, missed = 0;
    for (int round = 0; round < 6; ++round) {
      device_->set_plan({});  // opening is tested elsewhere
      const auto tier = open();
      device_->set_plan(plan);
      for (int i = 0; i < 60; ++i) {
        const std::string name = std::to_string(random.below(20));
        if (random.below(5) < 3) {
          if (!oracle.contains(name)) continue;
          const Bytes& expected = *oracle[name];
          const std::uint64_t at = random.below(expected.size());
          const std::uint64_t count = 1 + random.below(expected.size() - at);
          const ReadOutcome outcome = read_extents(*tier, pool_, name, {extent_of(expected, at, count)});
          if (outcome.ok())
            QVERIFY(std::equal(outcome.extents[0].begin(), outcome.extents[0].end(),
                               expected.begin() + static_cast<std::ptrdiff_t>(at)));
          ++(outcome.ok() ? right : missed);
        } else {
          const auto bytes = random_bytes(random.next(), 1 + random.below(1 << 20));
          if (write_entry(*tier, name, bytes)) oracle[name] = bytes;
        }
      }
    }
    qInfo("%llu reads right, %llu missed, faults: %llu bits flipped on the way, %llu torn writes",
          static_cast<unsigned long long>(right), static_cast<unsigned long long>(missed),
          static_cast<unsigned long long>(device_->counts()["flip_on_read"]),
          static_cast<unsigned long long>(device_->counts()["torn_write"]));
    QVERIFY(right > 50);
    QVERIFY(missed > 0);
    QCOMPARE(pool_.leased_bytes(), std::size_t{0});
  }

  void aDelayEndsWhenFaultsAreSwitchedOff() {
    const auto bytes = random_bytes(1, 100000);
    const auto tier = open();
    QVERIFY(write_entry(*tier, "entry", bytes));
    device_->inject({.plan = {.delay_on_read = {1, longest_fault_delay}}, .seed = 5});
    CompletionQueue queue(system_executor().clock());
    const std::vector<ReadExtent> extents{extent_of(*bytes, 0, bytes->size())};
    QElapsedTimer timer;
    timer.start();
    tier->submit_read(key_of("entry"), extents, lease_all(pool_, extents), queue);
    QTRY_VERIFY(device_->counts()["delay_on_read"] > 0);
    QVERIFY(queue.poll().empty());
    // Meanwhile another thread writes, and is not held up.
    QVERIFY(write_entry(*tier, "another", bytes));
    QVERIFY(queue.poll().empty());
    device_->inject({});
    QVERIFY(collect(queue, extents).ok());
    QVERIFY(static_cast<double>(timer.elapsed()) * 1e-3 < longest_fault_delay);
  }

  void aDelayedReadIsCancelled() {
    const auto bytes = random_bytes(1, 100000);
    const auto tier = open();
    QVERIFY(write_entry(*tier, "entry", bytes));
    device_->set_plan({.delay_on_read = {1, 0.2}});
    CompletionQueue queue(system_executor().clock());
    const std::vector<ReadExtent> extents{extent_of(*bytes, 0, bytes->size())};
    const Ticket ticket = tier->submit_read(key_of("entry"), extents, lease_all(pool_, extents), queue);
    QTRY_VERIFY(device_->counts()["delay_on_read"] > 0);
    tier->cancel(ticket);
    const ReadOutcome outcome = collect(queue, extents);
    if (outcome.ok())
      QVERIFY(outcome.extents[0] == *bytes);  // too late to cancel
    else
      QCOMPARE(outcome.code(), ErrorCode::cancelled);
    QCOMPARE(pool_.leased_bytes(), std::size_t{0});
  }

  void withoutPowerCutsFaultsAreTheSame() {
    // As a session has them: nothing is remembered for a power cut, and writes may stay batches.
    device_ =
        std::make_shared<FaultyDevice>(system_executor().clock(), make_file_device(), 1, FaultPlan{}, PowerCuts::never);
    const auto bytes = random_bytes(1, 3 << 20);
    const auto tier = open();
    QVERIFY(write_entry(*tier, "entry", bytes));
    QVERIFY(read_entry(*tier, pool_, "entry", *bytes).extents[0] == *bytes);
    device_->set_plan({.flip_on_read = 1});
    QCOMPARE(read_entry(*tier, pool_, "entry", *bytes).code(), ErrorCode::corrupt);
    device_->set_plan({.no_space = 1});
    QCOMPARE(write_entry(*tier, "entry", bytes).error().code, ErrorCode::no_space);
    device_->set_plan({.space_bytes = 1 << 20});
    QCOMPARE(write_entry(*tier, "entry", bytes).error().code, ErrorCode::no_space);
    device_->set_plan({.torn_write = 1});
    QVERIFY(write_entry(*tier, "entry", bytes));
    device_->set_plan({});
    QCOMPARE(read_entry(*tier, pool_, "entry", *bytes).code(), ErrorCode::corrupt);
    QVERIFY(tier->erase(key_of("entry")));
    QVERIFY(write_entry(*tier, "entry", bytes));
    QVERIFY(read_entry(*tier, pool_, "entry", *bytes).extents[0] == *bytes);
  }

  void sameSeedSameFaults() {
    std::vector<std::vector<bool>> outcomes(2);
    for (auto& outcome : outcomes) {
      init();
      device_ = std::make_shared<FaultyDevice>(system_executor().clock(), make_file_device(), 42);
      const auto tier = open();
      device_->set_plan({.flip_on_read = 0.2, .write_error = 0.2});
      for (int i = 0; i < 60; ++i) {
        const auto bytes = random_bytes(1, 20000);
        outcome.push_back(write_entry(*tier, "entry", bytes).has_value());
        outcome.push_back(read_entry(*tier, pool_, "entry", *bytes).ok());
      }
    }
    QVERIFY(outcomes[0] == outcomes[1]);
    QVERIFY(std::count(outcomes[0].begin(), outcomes[0].end(), false) > 5);
  }
};

KV_TEST_GUILESS_MAIN(SsdFaultsTest)

}  // namespace ssd_faults_test

#include "ssd_faults_test.moc"
