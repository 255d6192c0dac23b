// links: kv_base kv_tiers
// What a tier costs beside the bare operation under it, as ratios on the same machine: a read from memory against
// memcpy, a read from a folder against pread with O_DIRECT, a write against write and fdatasync.
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <functional>

#include "core/base/unique_fd.h"
#include "tests/support/test_program.h"
#include "tests/tiers/tier_testing.h"
#include "tiers/mapped_memory.h"

namespace tier_speed_test {

using namespace kvantage;
using namespace kvantage::testing;

namespace {

/// Shortest of several goes: what the operation costs when nothing else is in the way.
double shortest_seconds(int goes, const std::function<void()>& operation) {
  double shortest = 1e9;
  for (int i = 0; i < goes; ++i) {
    const auto start = std::chrono::steady_clock::now();
    operation();
    shortest = std::min(shortest, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return shortest;
}

}  // namespace

class TierSpeedTest : public QObject {
  Q_OBJECT

 private:
  static constexpr std::size_t entry_bytes = 16 << 20;
  static constexpr std::size_t layer_bytes = 1 << 20;  // an entry is read layer by layer
  BufferPool pool_{64 << 20};
  std::shared_ptr<const Bytes> bytes_ = random_bytes(1, entry_bytes);
  QTemporaryDir folder_;

  std::vector<ReadExtent> layers(bool verified) const {
    std::vector<ReadExtent> extents;
    for (std::size_t at = 0; at < entry_bytes; at += layer_bytes)
      extents.push_back(verified ? extent_of(*bytes_, at, layer_bytes, 65536) : ReadExtent{at, layer_bytes, {}});
    return extents;
  }

  double read_seconds(StorageTier& tier, bool verified) {
    const std::vector<ReadExtent> extents = layers(verified);
    return shortest_seconds(20, [&] {
      CompletionQueue queue(system_executor().clock());
      tier.submit_read(key_of("entry"), extents, lease_all(pool_, extents), queue);
      for (bool ended = false; !ended;)
        for (const Completion& completion : queue.wait(60)) {
          if (!completion.status) qFatal("%s", completion.status.error().message.c_str());
          ended = completion.last;
        }
    });
  }

 private slots:
  void aReadFromMemoryCostsAboutACopy() {
    const auto tier = open_or_fail({.name = "dram"});
    QVERIFY(write_entry(*tier, "entry", bytes_));
    Bytes target(entry_bytes);
    const double copy = shortest_seconds(20, [&] { std::memcpy(target.data(), bytes_->data(), entry_bytes); });
    const double read = read_seconds(*tier, false);
    qInfo("16 MiB from memory: %.2f ms, %.2f x memcpy (%.1f GB/s)", read * 1e3, read / copy, entry_bytes / read / 1e9);
    QVERIFY(read / copy < 8);
  }

  void aReadFromAFolderCostsAboutAPread() {
    const auto tier = open_or_fail(in_folder(folder_.path().toStdString() + "/read"));
    QVERIFY(write_entry(*tier, "entry", bytes_));
    std::filesystem::path file;
    for (const auto& item : std::filesystem::directory_iterator(folder_.path().toStdString() + "/read"))
      if (item.file_size() > entry_bytes) file = item.path();
    UniqueFd fd(::open(file.c_str(), O_RDONLY | O_DIRECT));
    if (!fd) QSKIP("this file system has no O_DIRECT: nothing to compare with");
    const auto memory = MappedMemory::map(layer_bytes, true);
    const double bare = shortest_seconds(20, [&] {
      for (std::size_t at = 0; at < entry_bytes; at += layer_bytes)
        if (::pread(fd.get(), memory->data(), layer_bytes, static_cast<off_t>(4096 + at)) !=
            static_cast<ssize_t>(layer_bytes))
          qFatal("pread");
    });
    const double read = read_seconds(*tier, false);
    const double verified = read_seconds(*tier, true);
    qInfo("16 MiB from a folder: %.2f ms, %.2f x pread (%.2f GB/s); verified %.2f x pread. %s", read * 1e3, read / bare,
          entry_bytes / read / 1e9, verified / bare, tier->describe().note.c_str());
    QVERIFY(verified / bare < 4);
  }

  void theCostOfAnEntryIsAFewFlushes() {
    const auto tier = open_or_fail(in_folder(folder_.path().toStdString() + "/write"));
    const auto small = random_bytes(2, 65536);
    int count = 0;
    const double stored = shortest_seconds(30, [&] {
      if (!write_entry(*tier, std::to_string(++count), small)) qFatal("write");
    });
    UniqueFd fd(::open((folder_.path().toStdString() + "/bare").c_str(), O_RDWR | O_CREAT | O_DIRECT, 0644));
    if (!fd) QSKIP("this file system has no O_DIRECT: nothing to compare with");
    const auto memory = MappedMemory::map(small->size() + 4096, true);
    off_t at = 0;
    const double bare = shortest_seconds(30, [&] {
      if (::pwrite(fd.get(), memory->data(), memory->size(), at) < 0 || ::fdatasync(fd.get()) != 0) qFatal("pwrite");
      at += static_cast<off_t>(memory->size());
    });
    qInfo("a 64 KiB entry stored in %.2f ms, %.2f x one write and fdatasync", stored * 1e3, stored / bare);
    QVERIFY(stored / bare < 100);
  }

  void openingReadsOnlyHeaders() {
    const std::filesystem::path folder = folder_.path().toStdString() + "/opening";
    constexpr int entries = 200;
    {
      const auto tier = open_or_fail(in_folder(folder));
      for (int i = 0; i < entries; ++i) QVERIFY(write_entry(*tier, std::to_string(i), random_bytes(3, 4096)));
    }
    std::size_t found = 0;
    const double seconds = shortest_seconds(3, [&] { found = open_or_fail(in_folder(folder))->entries().size(); });
    QCOMPARE(found, std::size_t{entries});
    qInfo("a folder of %d entries opened in %.1f ms, %.0f us an entry", entries, seconds * 1e3,
          seconds / entries * 1e6);
    QVERIFY(seconds < 5);
  }
};

KV_TEST_GUILESS_MAIN(TierSpeedTest)

}  // namespace tier_speed_test

#include "tier_speed_test.moc"
