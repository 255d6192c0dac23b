// links: kv_base kv_tiers
// Faults of a disk, met one by one: each is counted under its reason, and no read gives a wrong byte. `--faults N` for
// more than the default 300, over all kinds; lying flushes show at power cuts only, N / 30 of them.
#include <cstring>
#include <map>

#include "tests/support/test_program.h"
#include "tests/tiers/tier_testing.h"
#include "tiers/faulty_device.h"
#include "tiers/uring_device.h"

namespace ssd_fault_counts_test {

using namespace kvantage;
using namespace kvantage::testing;

namespace {

std::uint64_t faults = 300;  // met by reads of everyFaultIsCountedUnderItsReason

// A fault counts when a read met it; those that writes met are distinguished. Whole pages are read and verified, so no
// flipped bit can hide.
enum class Met { by_the_read, by_a_later_read, by_the_write };
struct Kind {
  const char* name;
  Met met;
  const char* reason;  // in the tier's statistics; empty: late and right, or as the error says
  FaultPlan plan;
};

const std::vector<Kind>& fault_kinds() {
  static const std::vector<Kind> kinds{{"flip_on_read", Met::by_the_read, "checksum", {.flip_on_read = 0.3}},
                                       {"short_read", Met::by_the_read, "truncated", {.short_read = 0.3}},
                                       {"read_error", Met::by_the_read, "device", {.read_error = 0.3}},
                                       {"delay_on_read", Met::by_the_read, "", {.delay_on_read = {0.3, 100e-6}}},
                                       {"flip_on_write", Met::by_a_later_read, "", {.flip_on_write = 1}},
                                       {"torn_write", Met::by_a_later_read, "", {.torn_write = 1}},
                                       {"write_error", Met::by_the_write, "io", {.write_error = 0.4}},
                                       {"no_space", Met::by_the_write, "no_space", {.no_space = 0.4}},
                                       {"space_bytes", Met::by_the_write, "no_space", {.space_bytes = 1}},
                                       {"sync_error", Met::by_the_write, "io", {.sync_error = 0.4}},
                                       {"delay_on_write", Met::by_the_write, "", {.delay_on_write = {0.4, 100e-6}}}};
  return kinds;
}

struct FaultTally {
  std::map<std::string, std::uint64_t> misses, failed_writes, met_by_kind, failed_by_kind;
  std::uint64_t met = 0, met_by_writes = 0, failed_reads = 0;
};

std::vector<ReadExtent> layers_of(const Bytes& entry) {
  std::vector<ReadExtent> layers;
  for (std::uint64_t i = 0; i < 8; ++i) layers.push_back(extent_of(entry, i << 15, 1 << 15, 1 << 13));
  return layers;
}

}  // namespace

class SsdFaultCountsTest : public QObject {
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

  /// Writes another entry under the fault; `bytes` becomes what the tier acknowledged.
  void meet_by_write(StorageTier& tier, const Kind& kind, Random& random, std::shared_ptr<const Bytes>& bytes,
                     FaultTally& tally) {
    auto before = device_->counts();
    const auto other = random_bytes(random.next(), bytes->size());
    const Status written = write_entry(tier, "entry", other);
    device_->set_plan({});
    const bool injected = device_->counts()[kind.name] > before[kind.name];
    // A fault in the index's log after a commit, or in a write that is retried after space was freed, fails nothing.
    QVERIFY2(written || (injected && *kind.reason != '\0'),
             (std::string(kind.name) + ": " + (written ? "" : written.error().message)).c_str());
    if (written) {
      bytes = other;
    } else {
      // Also for a fault in the index, whose message is SQLite's.
      QVERIFY2(written.error().message.find("(fault injected)") != std::string::npos, written.error().message.c_str());
      QCOMPARE(std::string(to_string(written.error().code)), std::string(kind.reason));
      ++tally.failed_writes[kind.reason];
      ++tally.failed_by_kind[kind.name];
    }
    tally.met_by_writes += injected ? 1 : 0;
    tally.met_by_kind[kind.name] += injected ? 1 : 0;
  }

  /// Reads the entry; `before`: faults counted before the one that is to be met.
  void meet_by_read(StorageTier& tier, const Kind& kind, const Bytes& bytes,
                    std::map<std::string, std::uint64_t> before, FaultTally& tally) {
    const ReadOutcome outcome = read_extents(tier, pool_, "entry", layers_of(bytes));
    device_->set_plan({});
    const bool injected = device_->counts()[kind.name] > before[kind.name];
    for (std::size_t layer = 0; layer < outcome.extents.size(); ++layer)
      if (outcome.statuses[layer])
        QVERIFY(std::equal(outcome.extents[layer].begin(), outcome.extents[layer].end(),
                           bytes.begin() + static_cast<std::ptrdiff_t>(layer << 15)));
    if (kind.met == Met::by_the_write) QVERIFY2(outcome.ok(), kind.name);
    if (kind.met == Met::by_the_read) QVERIFY2(outcome.ok() == (!injected || *kind.reason == '\0'), kind.name);
    if (outcome.ok() && !injected) return;
    ++tally.met;
    ++tally.met_by_kind[kind.name];
    if (outcome.ok()) return;
    ++tally.failed_reads;
    if (kind.met == Met::by_the_read)
      ++tally.misses[kind.reason];
    else  // a file cut off ends early; a block that never came or changed has the wrong sum
      ++tally.misses[outcome.statuses.back().error().message.find("ends at byte") == std::string::npos ? "checksum"
                                                                                                       : "truncated"];
  }

  void compare_with_statistics(StorageTier& tier, FaultTally& tally) {
    const TierStatistics statistics = tier.statistics();
    QVERIFY(statistics.misses == tally.misses);
    QVERIFY(statistics.failed_writes == tally.failed_writes);
    QCOMPARE(statistics.dropped, tally.failed_reads);
    QCOMPARE(pool_.leased_bytes(), std::size_t{0});
    std::string counted;
    for (const Kind& kind : fault_kinds()) {
      QVERIFY2(tally.met_by_kind[kind.name] > 0, kind.name);
      if (kind.met == Met::by_the_write && *kind.reason != '\0')
        QVERIFY2(2 * tally.failed_by_kind[kind.name] > tally.met_by_kind[kind.name], kind.name);
      counted +=
          std::string(counted.empty() ? "" : ", ") + kind.name + " " + std::to_string(tally.met_by_kind[kind.name]);
    }
    qInfo("%llu faults met by reads, %llu by writes, no wrong byte: %s", static_cast<unsigned long long>(tally.met),
          static_cast<unsigned long long>(tally.met_by_writes), counted.c_str());
    const auto sum = [](const auto& counts) {
      std::string text;
      for (const auto& [reason, count] : counts) text += " " + reason + " " + std::to_string(count);
      return text;
    };
    qInfo("reads that failed:%s; writes that failed:%s", sum(tally.misses).c_str(), sum(tally.failed_writes).c_str());
  }

 private slots:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    device_ = std::make_shared<FaultyDevice>(system_executor().clock(), make_file_device(), 1);
  }

  void lyingFlushesNeverGiveWrongBytes() {
    Random random(8);
    std::map<std::string, std::shared_ptr<const Bytes>> written;
    std::uint64_t right = 0, missed = 0, lies = 0;
    for (std::uint64_t round = 0; round < 10 || lies < faults / 30; ++round) {
      {
        const auto tier = open();
        std::uint64_t lost = 0;
        for (const auto& [name, bytes] : written) {
          const ReadOutcome outcome = read_entry(*tier, pool_, name, *bytes);
          if (outcome.ok()) QVERIFY(outcome.extents[0] == *bytes);
          ++(outcome.ok() ? right : missed);
          lost += outcome.ok() ? 0 : 1;
        }
        // Each is reported: swept at the opening, or a miss under its reason.
        std::uint64_t counted = 0;
        for (const auto& [reason, count] : tier->statistics().misses) counted += count;
        QCOMPARE(counted, lost);
        written.clear();
        device_->set_plan({.lost_sync = 0.5});
        for (int i = 0; i < 5; ++i) {
          const std::string name = std::to_string(round) + "-" + std::to_string(i);
          written[name] = random_bytes(random.next(), 1 + random.below(100000));
          QVERIFY(write_entry(*tier, name, written[name]));
        }
        device_->cut_power();
      }
      lies = device_->counts()["lost_sync"];
      device_->set_plan({});
      QVERIFY(device_->restore_power());
    }
    qInfo("%llu lying flushes and power cuts: %llu entries right, %llu missed", static_cast<unsigned long long>(lies),
          static_cast<unsigned long long>(right), static_cast<unsigned long long>(missed));
    QVERIFY(right > 0);
    QVERIFY(missed > 0);
  }

  void everyFaultIsCountedUnderItsReason() {
    auto bytes = random_bytes(9, 256 << 10);
    const auto tier = open();
    Random random(9);
    FaultTally tally;
    while (tally.met < faults) {
      const Kind& kind = fault_kinds()[random.below(fault_kinds().size())];
      if (kind.met == Met::by_a_later_read || !tier->contains(key_of("entry"))) {
        device_->set_plan(kind.met == Met::by_a_later_read ? kind.plan : FaultPlan{});
        const Status written = write_entry(*tier, "entry", bytes);
        if (!written) {  // an index that reads what never arrived is rebuilt, which such a device spoils as well
          QVERIFY2(kind.met == Met::by_a_later_read, written.error().message.c_str());
          ++tally.failed_writes[to_string(written.error().code)];
          continue;
        }
      }
      device_->set_plan(kind.met == Met::by_a_later_read ? FaultPlan{} : kind.plan);
      auto before = device_->counts();
      if (kind.met == Met::by_the_write) {
        meet_by_write(*tier, kind, random, bytes, tally);
        if (QTest::currentTestFailed()) return;
        before = device_->counts();  // what is there now is the last one that was acknowledged, whole
      }
      meet_by_read(*tier, kind, *bytes, before, tally);
      if (QTest::currentTestFailed()) return;
    }
    compare_with_statistics(*tier, tally);
  }
};

KV_TEST_PROGRAM(count, arguments) {
  if (count >= 3 && std::strcmp(arguments[1], "--faults") == 0) {
    faults = std::strtoull(arguments[2], nullptr, 10);
    arguments[2] = arguments[0];
    count -= 2;
    arguments += 2;
  }
  QCoreApplication app(count, arguments);
  SsdFaultCountsTest test;
  return QTest::qExec(&test, count, arguments);
}

}  // namespace ssd_fault_counts_test

#include "ssd_fault_counts_test.moc"
