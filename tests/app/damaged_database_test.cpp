// links: app_wiring
// A damaged database of runs and profiles is no reason not to start: the next one beside it is used, and the damaged
// one stays as it is.
#include <QTemporaryDir>
#include <QTest>

#include "app/wiring/default_database.h"
#include "core/base/files.h"
#include "tests/support/test_program.h"

namespace damaged_database_test {

using namespace kvantage;
using std::filesystem::path;

class DamagedDatabaseTest : public QObject {
  Q_OBJECT

 private slots:
  void theNextOneBesideItIsUsed() {
    QTemporaryDir folder;
    SessionOptions options;
    options.store = folder.path().toStdString();
    const path healthy = options.store / "kvantage.db";
    QCOMPARE(usable_database(options).path, healthy);
    QVERIFY(!std::filesystem::exists(healthy));  // looked for, not made
    QVERIFY(open_stores(healthy, StoreAccess::read_write, machine_clock()).has_value());
    QCOMPARE(usable_database(options).path, healthy);
    QVERIFY(usable_database(options).why.empty());

    for (const std::string& damage : {std::string("this is no database at all, but a text that somebody saved here"),
                                      read_text_file(healthy).value().substr(0, 3000)}) {
      QVERIFY(write_text_file(healthy, damage).has_value());
      const DatabaseBeside found = usable_database(options);
      QCOMPARE(found.path, options.store / "kvantage-2.db");
      QVERIFY2(found.why.find("kvantage.db") != std::string::npos && found.why.find("; ") != std::string::npos,
               found.why.c_str());
      QCOMPARE(read_text_file(healthy).value(), damage);
    }
    // The second one is used again by the next start; damaged itself, the third.
    QVERIFY(open_stores(options.store / "kvantage-2.db", StoreAccess::read_write, machine_clock()).has_value());
    QCOMPARE(usable_database(options).path, options.store / "kvantage-2.db");
    QVERIFY(write_text_file(options.store / "kvantage-2.db", "also text").has_value());
    QCOMPARE(usable_database(options).path, options.store / "kvantage-3.db");
  }
};

KV_TEST_GUILESS_MAIN(DamagedDatabaseTest)

}  // namespace damaged_database_test

#include "damaged_database_test.moc"
