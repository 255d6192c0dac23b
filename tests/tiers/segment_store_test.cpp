// links: kv_base kv_tiers
// Segments in use: files do not grow without end, holes are closed by compaction, and a read in flight keeps what it
// reads from while its entry moves or goes.
#include <QElapsedTimer>
#include <fstream>

#include "core/base/files.h"
#include "core/sqlite/sqlite.h"
#include "tests/support/test_program.h"
#include "tests/tiers/tier_testing.h"
#include "tiers/faulty_device.h"
#include "tiers/ssd/ssd_tier.h"
#include "tiers/ssd/store_folder.h"
#include "tiers/uring_device.h"

namespace segment_store_test {

using namespace kvantage;
using namespace kvantage::testing;

namespace {

/// Reads a whole entry of a store without a tier around it; calls `in_flight` before the bytes are looked at.
class OneRead final : public ReadSink {
 public:
  OneRead(std::uint64_t bytes, std::function<void()> in_flight)
      : extents_{{0, bytes, {}}}, target_(*MappedMemory::map(bytes, true)), in_flight_(std::move(in_flight)) {}
  std::span<const ReadExtent> extents() const override { return extents_; }
  std::span<std::byte> target(std::size_t) override { return target_.bytes(); }
  bool cancelled() const override {
    if (const auto once = std::exchange(in_flight_, {})) once();
    return false;
  }
  void finish(std::size_t, double, double) override {}
  const Clock& clock() const override { return system_executor().clock(); }
  std::span<const std::byte> bytes() const { return target_.bytes().first(extents_[0].bytes); }

 private:
  std::vector<ReadExtent> extents_;
  MappedMemory target_;
  mutable std::function<void()> in_flight_;
};

}  // namespace

class SegmentStoreTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> folder_;
  BufferPool pool_{16 << 20};

  std::filesystem::path path() const { return folder_->path().toStdString(); }
  TierConfig config() const { return in_folder(path()); }
  std::unique_ptr<SsdStore> store(std::uint64_t segment_bytes) const {
    auto opened = SsdStore::open("ssd", path(), make_file_device(), {.segment_bytes = segment_bytes});
    if (!opened) qFatal("%s", opened.error().message.c_str());
    return std::move(*opened);
  }
  static std::shared_ptr<StoredEntry> put(SsdStore& store, const std::string& name, const Bytes& bytes) {
    static const std::atomic<bool> never{false};
    auto stored = store.put(info_of(name, bytes), bytes, never);
    if (!stored) qFatal("%s", stored.error().message.c_str());
    return std::move(*stored);
  }

 private slots:
  void init() { folder_ = std::make_unique<QTemporaryDir>(); }

  void churnDoesNotGrowTheFiles() {
    // Two thousand replacements and erasures of entries of very different lengths, never more than some 12 MiB alive.
    constexpr std::uint64_t segment = 4 << 20;
    const auto files = store(segment);
    QVERIFY(files->recover());
    Random random(3);
    std::map<std::string, std::pair<std::shared_ptr<StoredEntry>, std::shared_ptr<const Bytes>>> live;
    std::uint64_t alive = 0, max_alive = 0, longest = 0;
    for (int step = 0; step < 2000; ++step) {
      const std::string name = std::to_string(random.below(60));
      if (const auto old = live.find(name); old != live.end()) {
        alive -= old->second.second->size();
        old->second.first->retire();
        live.erase(old);
      }
      if (random.below(5) > 0) {
        const auto bytes = random_bytes(random.next(), 1 + random.below(random.below(4) == 0 ? 900000 : 90000));
        live[name] = {put(*files, name, *bytes), bytes};
        alive += bytes->size();
      }
      files->settle();
      max_alive = std::max(max_alive, alive);
      longest = std::max(longest, files->file_bytes());
      QCOMPARE(segment_bytes(path()), files->file_bytes());
    }
    for (const auto& [name, entry] : live) QVERIFY(files->verify(*entry.first));
    qInfo("2000 steps: at most %.1f MiB alive, files at most %.1f MiB", static_cast<double>(max_alive) / 1048576.0,
          static_cast<double>(longest) / 1048576.0);
    // Twice what is alive, its padding, and a segment: what settle() allows before it rewrites one.
    QVERIFY(longest <= 2 * (max_alive + 60 * 8192) + 2 * segment);
  }

  void compactionLeavesNoHoles() {
    std::map<std::string, std::shared_ptr<const Bytes>> contents;
    {
      const auto tier = open_or_fail(config());
      for (std::uint64_t i = 0; i < 40; ++i) {
        contents[std::to_string(i)] = random_bytes(i, 1 + i * 20000);
        QVERIFY(write_entry(*tier, std::to_string(i), contents[std::to_string(i)]));
      }
      for (std::uint64_t i = 0; i < 40; i += 3) {
        QVERIFY(tier->erase(key_of(std::to_string(i))));
        contents.erase(std::to_string(i));
      }
    }
    const auto before = list_store_folder(path());
    QVERIFY(before && before->reusable_bytes() > 0);
    const auto done = compact_store_folder(path(), make_file_device());
    QVERIFY(done);
    QCOMPARE(done->moved_entries, contents.size());
    QCOMPARE(done->file_bytes_before, before->file_bytes);
    QCOMPARE(done->file_bytes_after, before->file_bytes - before->reusable_bytes());
    const auto after = list_store_folder(path());
    QVERIFY(after);
    QCOMPARE(after->entries.size(), contents.size());
    QCOMPARE(after->reusable_bytes(), std::uint64_t{0});
    QCOMPARE(segment_bytes(path()), done->file_bytes_after);
    {
      const auto tier = open_or_fail(config());
      for (const auto& [name, bytes] : contents) QVERIFY(read_entry(*tier, pool_, name, *bytes).extents[0] == *bytes);
    }
    // Nothing is left to do.
    const auto again = compact_store_folder(path(), make_file_device());
    QVERIFY(again);
    QCOMPARE(again->moved_entries, std::uint64_t{0});
  }

  void aBadEntryStaysWhereItIs() {
    const auto good = random_bytes(1, 100000), bad = random_bytes(2, 100000);
    {
      const auto tier = open_or_fail(config());
      for (const char* name : {"gone", "bad"}) QVERIFY(write_entry(*tier, name, bad));
      QVERIFY(write_entry(*tier, "good", good));
      QVERIFY(tier->erase(key_of("gone")));
    }
    const std::uint64_t before = segment_bytes(path());
    {
      std::fstream file(segment_files(path()).at(0), std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(106496 + 4096 + 500);  // within the second entry
      file.put('\x55');
      file.put('\x55');
    }
    const auto done = compact_store_folder(path(), make_file_device());
    QVERIFY(done);
    QCOMPARE(done->bad_entries, std::uint64_t{1});
    // Moving its neighbors would only make the files longer.
    QCOMPARE(done->moved_entries, std::uint64_t{0});
    QCOMPARE(segment_bytes(path()), before);
    const auto tier = open_or_fail(config());
    QVERIFY(read_entry(*tier, pool_, "good", *good).extents[0] == *good);
    QCOMPARE(read_entry(*tier, pool_, "bad", *bad).code(), ErrorCode::corrupt);
  }

  void aReadKeepsItsBytesWhileItsEntryMovesOrGoes() {
    const auto files = store(1 << 20);
    QVERIFY(files->recover());
    const auto bytes = random_bytes(4, 600000), others = random_bytes(5, 300000);
    const auto hole = put(*files, "hole", *others);
    auto entry = put(*files, "entry", *bytes);
    hole->retire();
    for (const bool erase : {false, true}) {
      OneRead read(bytes->size(), [&] {
        if (erase) entry->retire();
        QVERIFY(files->compact());
        // Whatever room is free now is written over before the read begins.
        for (int i = 0; i < 6; ++i) put(*files, "over " + std::to_string(i), *others)->retire();
      });
      QVERIFY(files->read(*entry, read));
      QVERIFY(std::equal(bytes->begin(), bytes->end(), read.bytes().begin()));
    }
  }

  void whateverStopsARebuildNothingIsLost() {
    // The index is gone; power fails at one moment after the other of the opening that rebuilds it.
    std::map<std::string, std::shared_ptr<const Bytes>> contents;
    {
      const auto tier = open_or_fail(config());
      for (std::uint64_t i = 0; i < 6; ++i) {
        contents[std::to_string(i)] = random_bytes(i, 1 + i * 30000);
        QVERIFY(write_entry(*tier, std::to_string(i), contents[std::to_string(i)]));
      }
    }
    std::filesystem::remove(path() / index_file_name);
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      const auto device = std::make_shared<FaultyDevice>(system_executor().clock(), make_file_device(), seed);
      OpenTierOptions options{.executor = system_executor()};
      options.device = device;
      device->set_plan(seed % 2 == 0 ? FaultPlan{.write_error = 0.1, .sync_error = 0.1}
                                     : FaultPlan{.read_error = 0.02, .write_error = 0.02, .no_space = 0.1});
      {
        const auto tier = open_tier(config(), options);
        if (seed % 3 == 0) device->cut_power();
      }
      device->set_plan({});
      if (seed % 3 == 0) QVERIFY(device->restore_power());
      if (seed % 4 == 0) {
        const auto tier = open_or_fail(config());
        QCOMPARE(tier->entries().size(), contents.size());
        for (const auto& [name, bytes] : contents) QVERIFY(read_entry(*tier, pool_, name, *bytes).extents[0] == *bytes);
      }
      if (seed % 5 == 0) std::filesystem::remove(path() / index_file_name);
    }
  }

  // Anybody can make a file of a terabyte that takes no space. Its zeros are not read; what is behind them is found.
  void holesOfASparseFileAreNotRead() {
    const auto bytes = random_bytes(1, 50'000);
    {
      const auto tier = open_or_fail(config());
      QVERIFY(write_entry(*tier, "entry", bytes));
    }
    const std::filesystem::path real = path() / segment_file_name(1), sparse = path() / segment_file_name(4);
    const std::string whole = read_text_file(real).value();
    constexpr std::uint64_t terabyte = std::uint64_t{1} << 40;
    std::ofstream(sparse).close();
    std::error_code refused;
    std::filesystem::resize_file(sparse, terabyte, refused);
    if (refused) QSKIP("this file system takes no file of a terabyte");
    std::filesystem::resize_file(real, terabyte / 2);
    std::filesystem::remove(path() / index_file_name);
    {
      std::fstream file(sparse, std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(static_cast<std::streamoff>(terabyte / 4));
      file << whole;
      QVERIFY(file.good());
    }
    QElapsedTimer timer;
    timer.start();
    const auto listing = list_store_folder(path());
    QVERIFY(listing && listing->unreadable_files == 0);
    QCOMPARE(listing->entries.size(), std::size_t{2});
    QCOMPARE(listing->entries[1].offset, terabyte / 4);
    QCOMPARE(listing->file_bytes, terabyte / 2 + terabyte);
    const auto checked = check_store_folder(path(), make_file_device(), false);
    QVERIFY2(checked.has_value(), checked ? "" : checked.error().message.c_str());
    QCOMPARE(checked->good_entries, std::uint64_t{1});  // under one sequence there is one
    QVERIFY(checked->rebuilt && checked->swept > 0);
    QVERIFY2(timer.elapsed() < 20'000, qPrintable(QString::number(timer.elapsed())));
    QCOMPARE(std::filesystem::file_size(real), whole.size());
    const auto tier = open_or_fail(config());
    QVERIFY(read_entry(*tier, pool_, "entry", *bytes).extents[0] == *bytes);
  }

  // No index of ours has a trigger: the entries are found in the segments.
  void anIndexWithATriggerIsMadeAgain() {
    std::map<std::string, std::shared_ptr<const Bytes>> contents;
    for (std::uint64_t i = 0; i < 3; ++i) contents[std::to_string(i)] = random_bytes(i, 50'000);
    {
      const auto tier = open_or_fail(config());
      for (const auto& [name, bytes] : contents) QVERIFY(write_entry(*tier, name, bytes));
    }
    const auto index = [this] { return Database::open(path() / index_file_name, DatabaseMode::create).value(); };
    QVERIFY(index().execute("CREATE TRIGGER t AFTER INSERT ON entries BEGIN DELETE FROM entries; END"));
    QVERIFY(!index().refuse_foreign_schema());
    {
      const auto tier = open_or_fail(config());
      QCOMPARE(tier->entries().size(), contents.size());
      for (const auto& [name, bytes] : contents) QVERIFY(read_entry(*tier, pool_, name, *bytes).extents[0] == *bytes);
    }
    QVERIFY(index().refuse_foreign_schema());
  }

  void aDamagedLogLosesNothing() {
    // As a killed program leaves it, with one byte changed anywhere.
    std::map<std::string, std::shared_ptr<const Bytes>> contents;
    QTemporaryDir copies;
    const std::filesystem::path killed = copies.path().toStdString() + "/killed",
                                damaged = copies.path().toStdString() + "/damaged";
    {
      const auto tier = open_or_fail(config());
      for (std::uint64_t i = 0; i < 16; ++i) {
        contents[std::to_string(i)] = random_bytes(i, 1 + i * 9000);
        QVERIFY(write_entry(*tier, std::to_string(i), contents[std::to_string(i)]));
      }
      QVERIFY(tier->erase(key_of("3")));
      contents.erase("3");
      QVERIFY(write_entry(*tier, "16", random_bytes(16, 5000)));  // behind the erase
      contents["16"] = random_bytes(16, 5000);
      std::filesystem::copy(path(), killed, std::filesystem::copy_options::recursive);
    }
    const std::filesystem::path log = std::string(index_file_name) + "-wal";
    const std::string good = read_text_file(killed / log).value();
    Random random(4);
    for (int i = 0; i < 60; ++i) {
      std::filesystem::remove_all(damaged);
      std::filesystem::copy(killed, damaged, std::filesystem::copy_options::recursive);
      std::string bad = good;
      bad[random.below(i % 2 == 0 ? 400000 : 40000) % bad.size()] ^= static_cast<char>(1 << random.below(8));
      std::ofstream(damaged / log, std::ios::binary) << bad;
      if (i == 59) std::filesystem::remove(damaged / log);
      const auto tier = open_or_fail(in_folder(damaged));
      for (const auto& [name, bytes] : contents) QVERIFY(read_entry(*tier, pool_, name, *bytes).extents[0] == *bytes);
      QCOMPARE(segment_bytes(damaged), accounted_bytes(*tier));
    }
  }

  void aCompactionThatFailsLosesNothing() {
    std::map<std::string, std::shared_ptr<const Bytes>> contents;
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
      const auto device = std::make_shared<FaultyDevice>(system_executor().clock(), make_file_device(), seed);
      {
        auto opened = SsdStore::open("ssd", path(), device, {.segment_bytes = 1 << 20});
        QVERIFY(opened);
        auto found = (*opened)->recover();
        QVERIFY(found);
        std::map<std::string, std::shared_ptr<StoredEntry>> stored;
        for (auto& entry : found->entries) stored[entry->info().label] = std::move(entry);
        for (const auto& [name, bytes] : contents)
          QVERIFY2(stored.contains(name) && (*opened)->verify(*stored[name]), name.c_str());
        Random random(seed);
        for (int i = 0; i < 8; ++i) {
          const std::string name = std::to_string(random.below(20));
          if (stored.contains(name)) stored[name]->retire();
          const auto bytes = random_bytes(random.next(), 1 + random.below(300000));
          stored[name] = put(**opened, name, *bytes);
          contents[name] = bytes;
        }
        device->set_plan({.write_error = 0.05, .sync_error = 0.15});
        (void)(*opened)->compact();
        device->cut_power();
      }
      device->set_plan({});
      QVERIFY(device->restore_power());
    }
  }

  void aCompactionWithoutRoomMakesNoFileLonger() {
    const auto device = std::make_shared<FaultyDevice>(system_executor().clock(), make_file_device(), 1);
    auto opened = SsdStore::open("ssd", path(), device, {.segment_bytes = 4 << 20});
    QVERIFY(opened && (*opened)->recover());
    std::vector<std::shared_ptr<StoredEntry>> stored;
    for (std::uint64_t i = 0; i < 12; ++i) stored.push_back(put(**opened, std::to_string(i), *random_bytes(i, 300000)));
    stored[1]->retire();
    stored[1].reset();
    (*opened)->settle();
    const std::uint64_t before = segment_bytes(path());
    std::uint64_t files = 0;
    for (const auto& file : std::filesystem::recursive_directory_iterator(path()))
      if (file.is_regular_file()) files += file.file_size();
    device->set_plan({.space_bytes = files + 1000000});  // a few of them would fit
    QVERIFY(!(*opened)->compact());
    device->set_plan({});
    (*opened)->settle();
    QVERIFY2(segment_bytes(path()) <= before,
             qPrintable(QString("%1, before %2").arg(segment_bytes(path())).arg(before)));
    for (std::size_t i = 0; i < stored.size(); ++i)
      if (i != 1) QVERIFY((*opened)->verify(*stored[i]));
  }

  // Erasing rewrites a segment by itself once holes outweigh entries. Where the disk has no room for that, whatever
  // needs no room still works, and the rewriting is made up for later.
  void aFullDiskDuringCompactionFailsNothingElse() {
    const auto device = std::make_shared<FaultyDevice>(system_executor().clock(), make_file_device(), 1);
    auto opened = SsdStore::open("ssd", path(), device, {.segment_bytes = 1 << 20});  // three entries
    QVERIFY(opened);
    auto queued = QueuedTier::open(std::move(*opened), 0, 0, system_executor());
    QVERIFY(queued);
    StorageTier& tier = **queued;
    const auto bytes_of = [](int i) { return random_bytes(static_cast<std::uint64_t>(i), 300000); };
    const auto write = [&](int i) { return write_entry(tier, std::to_string(i), bytes_of(i)); };
    const auto erase = [&](int i) { return tier.erase(key_of(std::to_string(i))); };
    const auto wait = [&] { QVERIFY(write_entry(tier, "small", random_bytes(7, 5000))); };  // behind all before it
    for (int i = 0; i < 12; ++i) QVERIFY(write(i));
    for (const int i : {0, 1, 3, 4, 6, 7}) QVERIFY(erase(i));
    wait();
    std::uint64_t files = 0;
    for (const auto& file : std::filesystem::recursive_directory_iterator(path()))
      if (file.is_regular_file()) files += file.file_size();
    device->set_plan({.space_bytes = files + 250000});  // for the log of the index, not for another entry
    for (const int i : {9, 10}) QVERIFY(erase(i));
    wait();
    QVERIFY(device->counts()["space_bytes"] > 0);  // a segment was to be rewritten
    const std::uint64_t before = segment_bytes(path());
    for (const int i : {2, 5, 8, 11}) QVERIFY(read_entry(tier, pool_, std::to_string(i), *bytes_of(i)).ok());
    for (const int i : {20, 21}) QVERIFY(write(i));  // into holes
    QVERIFY(tier.statistics().failed_writes.empty());
    QCOMPARE(segment_bytes(path()), before);
    device->set_plan({});
    for (const int i : {20, 21, 2}) QVERIFY(erase(i));
    wait();
    // Without it, each of the three entries keeps a segment of three.
    QVERIFY2(3 * segment_bytes(path()) < 2 * before,
             qPrintable(QString("%1, before %2").arg(segment_bytes(path())).arg(before)));
    for (const int i : {5, 8, 11}) QVERIFY(read_entry(tier, pool_, std::to_string(i), *bytes_of(i)).ok());
  }

  // compact() sees what somebody holds and nothing else: the rest would be missing from an index that is made again.
  void entriesThatNobodyHoldsAreNotCompacted() {
    std::map<std::string, std::shared_ptr<const Bytes>> contents;
    {
      const auto tier = open_or_fail(config());
      for (std::uint64_t i = 0; i < 4; ++i) {
        contents[std::to_string(i)] = random_bytes(i, 100000);
        QVERIFY(write_entry(*tier, std::to_string(i), contents[std::to_string(i)]));
      }
      QVERIFY(tier->erase(key_of("1")));
      contents.erase("1");
    }
    const std::uint64_t before = segment_bytes(path());
    {
      const auto files = store(1 << 20);
      {
        auto found = files->recover();
        QVERIFY(found);
        found->entries.back()->retire();  // that one is no longer an entry
        contents.erase(found->entries.back()->info().label);
        found->entries.pop_back();
        QVERIFY(files->compact());
        found->entries.pop_back();  // and this one still is
        const auto done = files->compact();
        QVERIFY(!done && done.error().code == ErrorCode::internal);
      }
      QCOMPARE(files->compact().error().code, ErrorCode::internal);
    }
    QVERIFY(segment_bytes(path()) < before);
    const auto tier = open_or_fail(config());
    QCOMPARE(tier->entries().size(), contents.size());
    for (const auto& [name, bytes] : contents) QVERIFY(read_entry(*tier, pool_, name, *bytes).extents[0] == *bytes);
  }

  void roomOfAReadInFlightIsGivenBackAfterIt() {
    const auto tier = open_or_fail(config());
    const auto bytes = random_bytes(6, 2 << 20);
    for (int i = 0; i < 30; ++i) {
      QVERIFY(write_entry(*tier, "entry", bytes));
      CompletionQueue queue(system_executor().clock());
      const std::vector<ReadExtent> extents{extent_of(*bytes, 0, bytes->size())};
      tier->submit_read(key_of("entry"), extents, lease_all(pool_, extents), queue);
      QVERIFY(tier->erase(key_of("entry")));
      const ReadOutcome outcome = collect(queue, extents);
      QVERIFY(outcome.ok() && outcome.extents[0] == *bytes);
    }
    // The last may still be on its way.
    QVERIFY(write_entry(*tier, "small", random_bytes(1, 100)));
    QTRY_COMPARE(segment_bytes(path()), accounted_bytes(*tier));
    QVERIFY(segment_bytes(path()) <= 3 * ((2 << 20) + 4096) + 8192);
  }
};

KV_TEST_GUILESS_MAIN(SegmentStoreTest)

}  // namespace segment_store_test

#include "segment_store_test.moc"
