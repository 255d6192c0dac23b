// links: kv_reports profiles
// A database file with damaged bytes opens, or is refused, or a read of it fails: it never crashes the program, and
// what it does give is what was stored.
#include <QTemporaryDir>
#include <QTest>
#include <fstream>

#include "core/base/files.h"
#include "profiles/stores.h"
#include "tests/profiles/sample_data.h"
#include "tests/support/test_program.h"

namespace corrupt_database_test {

using namespace kvantage;

class CorruptDatabaseTest : public QObject {
  Q_OBJECT

 private slots:
  void damagedBytesNeverCrash() {
    const QTemporaryDir folder;
    const std::string whole = folder.filePath("whole.sqlite").toStdString();
    {
      auto stores = open_stores(whole, StoreAccess::read_write, machine_clock());
      QVERIFY((*stores)->profiles().save_profile(sample_scope(), sample_cells(1, 20)));
      QVERIFY((*stores)->runs().begin_run("run", Json{{"policy", "lru"}}));
      for (std::uint64_t i = 0; i < 300; ++i) (*stores)->runs().append(token_event(i));
      QVERIFY((*stores)->runs().finish_run("run", "finished"));
    }
    const std::string good = *read_text_file(whole);
    Random random(77);
    int refused = 0, failed_later = 0, unharmed = 0;
    for (int round = 0; round < 400; ++round) {
      const std::string path = folder.filePath("damaged.sqlite").toStdString();
      for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(path + suffix);
      std::string bytes = good;
      // Half of the rounds hit the first page, where the header and the catalog are.
      const std::size_t reach = round % 2 == 0 ? 4096 : bytes.size();
      const std::uint64_t edits = 1 + random.below(8);
      for (std::uint64_t e = 0; e < edits; ++e) bytes[random.below(reach)] = static_cast<char>(random.below(256));
      if (round % 20 == 19) bytes.resize(random.below(bytes.size()));
      std::ofstream(path, std::ios::binary) << bytes;
      auto stores =
          open_stores(path, round % 3 == 0 ? StoreAccess::read_only : StoreAccess::read_write, machine_clock());
      if (!stores) {
        ++refused;
        QVERIFY2(stores.error().message.starts_with(path), stores.error().message.c_str());
        QVERIFY2(stores.error().message.find('\n') == std::string::npos, stores.error().message.c_str());
        QVERIFY(*read_text_file(path) == bytes);
        continue;
      }
      auto cells = (*stores)->profiles().load_profiles(sample_scope());
      auto runs = (*stores)->runs().runs();
      auto events = (*stores)->runs().events("run");
      if (cells && runs && events)
        ++unharmed;
      else
        ++failed_later;
      if (!cells) QVERIFY(cells.error().message.starts_with(path));
      static_cast<void>((*stores)->profiles().save_value("a", 1));
    }
    qInfo("refused %d, failed on reading %d, read in full %d", refused, failed_later, unharmed);
    QVERIFY(refused > 20);
  }
};

KV_TEST_GUILESS_MAIN(CorruptDatabaseTest)

}  // namespace corrupt_database_test

#include "corrupt_database_test.moc"
