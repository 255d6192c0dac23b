// links: app_wiring profiles kv_cli_program sqlite3
// A damaged database of runs and profiles is no reason not to start: the next one beside it is used, and the damaged
// one stays as it is. A command that names a damaged or a made-up one ends with one line and exit code 3.
#include <sqlite3.h>

#include <QTemporaryDir>
#include <QTest>

#include "app/wiring/default_database.h"
#include "core/base/files.h"
#include "profiles/stores.h"
#include "tests/support/command_line.h"
#include "tests/support/test_program.h"

namespace damaged_database_test {

using namespace kvantage;
using namespace kvantage::test;
using std::filesystem::path;

namespace {

/// A database with one run, and what `sql` then makes of it.
bool make_database(const path& file, const char* sql) {
  {
    const auto stores = open_stores(file, StoreAccess::read_write, machine_clock());
    if (!stores || !(*stores)->runs().begin_run("r1", Json::object()) ||
        !(*stores)->runs().finish_run("r1", "completed"))
      return false;
  }
  sqlite3* connection = nullptr;
  const bool done = sqlite3_open(file.c_str(), &connection) == SQLITE_OK &&
                    sqlite3_exec(connection, sql, nullptr, nullptr, nullptr) == SQLITE_OK;
  sqlite3_close(connection);
  return done;
}

}  // namespace

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

  void commandsRefuseWhatSomebodyMade_data() {
    QTest::addColumn<QByteArray>("sql");
    QTest::addColumn<QString>("reason");
    QTest::addColumn<bool>("lists");  // whether the list of runs is fine
    QTest::newRow("a view without an end")
        << QByteArray(
               "DROP TABLE runs; CREATE VIEW runs AS WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 "
               "FROM n) SELECT i AS id, 'r' || i AS run_id, 1 AS started_utc_ns, 1 AS finished_utc_ns, 'lru' AS "
               "policy, '' AS outcome, 0 AS requests, '{}' AS settings FROM n")
        << "('runs')" << false;
    QTest::newRow("a trigger") << QByteArray("CREATE TRIGGER t AFTER INSERT ON events BEGIN DELETE FROM runs; END")
                               << "('t')" << false;
    QTest::newRow("settings that are no JSON")
        << QByteArray("UPDATE runs SET settings = '{\"a\":'") << "damaged entry (settings" << false;
    const QByteArray event =
        "INSERT INTO events (run, sequence, type, utc_ns, body) VALUES (1, 1, 'request.finished', 1, ";
    QTest::newRow("an event that is no JSON") << event + "'{')"
                                              << "damaged entry (event" << true;
    QTest::newRow("an event without fields") << event + "'{}')"
                                             << "damaged entry (event" << true;
    QTest::newRow("an event that is a list") << event + "'[]')"
                                             << "damaged entry (event" << true;
  }
  void commandsRefuseWhatSomebodyMade() {
    QFETCH(QByteArray, sql);
    QFETCH(QString, reason);
    QFETCH(bool, lists);
    QTemporaryDir folder;
    const path file = path(folder.path().toStdString()) / "runs.db";
    QVERIFY(make_database(file, sql.constData()));
    const QString exported = folder.filePath("run.kvrun");
    for (const QStringList& words : {QStringList{"runs", "list"}, QStringList{"runs", "export", "last", exported},
                                     QStringList{"report", "last"}, QStringList{"replay", "last"}}) {
      const Answer answer = call(words + QStringList{"--db", text_of(file)}, {"timeout", "60"});
      if (lists && words.back() == "list") {
        QVERIFY2(answer.exit_code == 0, answer.text());
        continue;
      }
      QVERIFY2(answer.exit_code == 3 && answer.out.isEmpty(), answer.text());
      QVERIFY2(answer.error_lines().size() == 1 && answer.is_of_short_lines(), answer.text());
      QVERIFY2(answer.error.startsWith("error: ") && answer.error.contains(reason), answer.text());
    }
    QVERIFY(!std::filesystem::exists(exported.toStdString()));
  }
};

KV_TEST_GUILESS_MAIN(DamagedDatabaseTest)

}  // namespace damaged_database_test

#include "damaged_database_test.moc"
