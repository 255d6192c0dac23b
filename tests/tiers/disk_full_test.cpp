// links: kv_base kv_tiers
// A disk that is really full: a file system of 8 MiB in memory, mounted in a name space of this test's own. Writes are
// refused, reads continue, freed room is used again, nothing is left behind.
#include <sys/mount.h>

#include <QProcess>
#include <QStandardPaths>
#include <cstdio>
#include <fstream>

#include "tests/support/test_program.h"
#include "tests/tiers/tier_testing.h"

namespace disk_full_test {

using namespace kvantage;
using namespace kvantage::testing;

namespace {

constexpr int not_mounted = 77;

#define EXPECT(condition)                                               \
  do {                                                                  \
    if (!(condition)) {                                                 \
      std::printf("line %d: %s does not hold\n", __LINE__, #condition); \
      return 1;                                                         \
    }                                                                   \
  } while (false)

bool ends_clean(const std::filesystem::path& folder) {
  for (const auto& item : std::filesystem::directory_iterator(folder))
    if (item.path().extension() == ".part") return false;
  return true;
}

int fill_disk(const std::filesystem::path& root) {
  if (::mount("none", root.c_str(), "tmpfs", 0, "size=8m") != 0) return not_mounted;
  const std::filesystem::path folder = root / "store";
  BufferPool pool(16 << 20);
  std::map<std::string, std::shared_ptr<const Bytes>> stored;
  int refused = 0, used_again = 0, name = 0;
  {
    const auto tier = open_or_fail(in_folder(folder));
    for (int cycle = 0; cycle < 6; ++cycle) {
      for (bool full = false; !full;) {
        EXPECT(name < 200);
        const auto bytes = random_bytes(static_cast<std::uint64_t>(++name), 900000);
        const Status written = write_entry(*tier, std::to_string(name), bytes);
        if (written) {
          stored[std::to_string(name)] = bytes;
          used_again += cycle > 0;
        } else {
          EXPECT(written.error().code == ErrorCode::no_space);
          ++refused;
          full = true;
        }
      }
      EXPECT(ends_clean(folder));
      EXPECT(stored.size() >= 7);
      for (const auto& [key, bytes] : stored) EXPECT(read_entry(*tier, pool, key, *bytes).ok());
      for (int i = 0; i < 3; ++i) {  // what a plan would do now
        EXPECT(tier->erase(key_of(stored.begin()->first)));
        stored.erase(stored.begin());
      }
    }
    EXPECT(refused == 6 && used_again >= 5 * 3);
    EXPECT(tier->statistics().failed_writes.at("no_space") == 6);
  }
  {  // not one byte left: the store opens and serves all the same
    std::ofstream filler(root / "filler", std::ios::binary);
    const std::string megabyte(1 << 20, 'x');
    for (int i = 0; i < 16 && filler; ++i) filler << megabyte << std::flush;
    filler.close();
    const auto tier = open_or_fail(in_folder(folder));
    EXPECT(tier->entries().size() == stored.size());
    for (const auto& [key, bytes] : stored) {
      const ReadOutcome outcome = read_entry(*tier, pool, key, *bytes);
      EXPECT(outcome.ok() && outcome.extents[0] == *bytes);
    }
    EXPECT(write_entry(*tier, "late", random_bytes(1, 900000)).error().code == ErrorCode::no_space);
    std::filesystem::remove(root / "filler");
    EXPECT(write_entry(*tier, "late", random_bytes(1, 900000)));
  }
  EXPECT(pool.leased_bytes() == 0);
  std::printf("%d writes refused, %d after room was freed\n", refused, used_again);
  return 0;
}

}  // namespace

class DiskFullTest : public QObject {
  Q_OBJECT

 private slots:
  void aFullDiskStopsNothing() {
    if (QStandardPaths::findExecutable("unshare").isEmpty()) QSKIP("no unshare here");
    QTemporaryDir folder;
    QProcess process;
    process.start("unshare", {"--user", "--map-root-user", "--mount", QCoreApplication::applicationFilePath(),
                              "--inside", folder.path()});
    QVERIFY(process.waitForFinished(120000));
    const QByteArray output = process.readAllStandardOutput();
    if (process.exitCode() == not_mounted || process.readAllStandardError().startsWith("unshare:"))
      QSKIP("no mount name space for this user");
    QVERIFY2(process.exitCode() == 0, output.constData());
    qInfo("%s", output.trimmed().constData());
  }
};

KV_TEST_PROGRAM(count, arguments) {
  if (count == 3 && std::strcmp(arguments[1], "--inside") == 0) return fill_disk(arguments[2]);
  QCoreApplication app(count, arguments);
  DiskFullTest test;
  return QTest::qExec(&test, count, arguments);
}

}  // namespace disk_full_test

#include "disk_full_test.moc"
