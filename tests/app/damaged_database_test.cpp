// links: app_wiring profiles kv_cli_program sqlite3
// A damaged database of runs and profiles is no reason not to start: the next one beside it is used, and the damaged
// one stays as it is. A command that names a damaged or a made-up one ends with one line and exit code 3.
#include <sqlite3.h>
#include <sys/stat.h>

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

/// The rollback journal of a transaction over several databases, which ends with the name of the file that lists them.
std::string journal_naming(const path& other, const path& database, bool whole) {
  constexpr std::string_view mark = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
  const auto number = [](std::uint32_t value) {
    std::string bytes;
    for (const unsigned shift : {24U, 16U, 8U, 0U}) bytes.push_back(static_cast<char>(value >> shift));
    return bytes;
  };
  constexpr std::uint32_t page = 4096, sector = 512;
  std::string journal(mark);
  for (const std::uint32_t value :
       {0U, 0U, static_cast<std::uint32_t>(std::filesystem::file_size(database) / page), sector, page})
    journal += number(value);
  journal.resize(sector, '\0');
  std::uint32_t sum = whole ? 0 : 1;
  for (const char letter : other.string()) sum += static_cast<std::uint32_t>(static_cast<signed char>(letter));
  return journal + number(0x40000000 / page + 1) + other.string() +
         number(static_cast<std::uint32_t>(other.string().size())) + number(sum) + std::string(mark);
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

  void aLinkIsNotTheDatabaseOfAStore() {
    QTemporaryDir folder;
    SessionOptions options;
    options.store = folder.path().toStdString();
    for (const bool leads_somewhere : {true, false}) {
      const path target = options.store / (leads_somewhere ? "another.db" : "nothing.db");
      if (leads_somewhere) QVERIFY(open_stores(target, StoreAccess::read_write, machine_clock()).has_value());
      std::filesystem::remove(options.store / "kvantage.db");
      std::filesystem::create_symlink(target, options.store / "kvantage.db");
      const DatabaseBeside found = usable_database(options);
      QCOMPARE(found.path, options.store / "kvantage-2.db");
      QVERIFY2(found.why.find("kvantage.db: is a link to " + target.string()) != std::string::npos, found.why.c_str());
      QCOMPARE(std::filesystem::exists(target), leads_somewhere);
    }
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

  // SQLite rolls a journal back and deletes the file that its end names.
  void aJournalDeletesNoFile_data() {
    QTest::addColumn<bool>("whole");
    QTest::newRow("as SQLite reads it") << true;
    QTest::newRow("with a wrong sum") << false;
  }
  void aJournalDeletesNoFile() {
    QFETCH(bool, whole);
    QTemporaryDir folder;
    const path here = folder.path().toStdString(), file = here / "runs.db", victim = here / "precious.txt";
    QVERIFY(make_database(file, "PRAGMA journal_mode=DELETE"));
    QVERIFY(write_text_file(victim, "precious"));
    const path exported = here / "own.kvrun";
    {
      const path own = here / "own.db";
      QVERIFY(make_database(own, ""));
      const Answer answer = call({"runs", "export", "last", text_of(exported), "--db", text_of(own)});
      QVERIFY2(answer.exit_code == 0, answer.text());
    }
    const path store = here / "store", index = store / "ssd" / "index.sqlite";
    std::filesystem::create_directories(store / "ssd");
    std::filesystem::copy_file(file, index);
    for (const QStringList& words :
         {QStringList{"runs", "list", "--db", text_of(file)}, QStringList{"report", "last", "--db", text_of(file)},
          QStringList{"runs", "import", text_of(exported), "--db", text_of(file)},
          QStringList{"store", "check", text_of(store)}, QStringList{"store", "compact", text_of(store)}}) {
      for (const path& database : {file, index})
        QVERIFY(write_text_file(database.string() + "-journal", journal_naming(victim, database, whole)));
      const Answer answer = call(words, {"timeout", "60"});
      QVERIFY2(std::filesystem::exists(victim), words.join(' ').toLatin1().constData());
      if (words.front() == "store") {  // an index is made again from the entries
        QVERIFY2(answer.exit_code == 0 && !std::filesystem::exists(index.string() + "-journal"), answer.text());
        continue;
      }
      QVERIFY2(answer.exit_code == 3 && answer.error_lines().size() == 1 && answer.is_of_short_lines(), answer.text());
      QVERIFY2(answer.error.contains("-journal: names another file to delete"), answer.text());
    }
  }

  // SQLite opens a pipe and waits for its other end.
  void whatLiesBesideIsAFile_data() {
    QTest::addColumn<QString>("suffix");
    for (const char* suffix : {"-journal", "-wal", "-shm"}) QTest::newRow(suffix) << QString(suffix);
  }
  void whatLiesBesideIsAFile() {
    QFETCH(QString, suffix);
    QTemporaryDir folder;
    const path here = folder.path().toStdString(), file = here / "runs.db";
    QVERIFY(make_database(file, "PRAGMA journal_mode=DELETE"));
    const path beside = file.string() + suffix.toStdString();
    for (const char* kind : {"pipe", "folder", "link"}) {
      std::filesystem::remove_all(beside);
      if (kind == std::string("pipe")) QCOMPARE(::mkfifo(beside.c_str(), 0600), 0);
      if (kind == std::string("folder")) std::filesystem::create_directory(beside);
      if (kind == std::string("link")) std::filesystem::create_symlink(here / "elsewhere", beside);
      for (const QStringList& words :
           {QStringList{"runs", "list"}, QStringList{"report", "last"}, QStringList{"replay", "last"}}) {
        const Answer answer = call(words + QStringList{"--db", text_of(file)}, {"timeout", "20"});
        QVERIFY2(answer.exit_code == 3 && answer.error_lines().size() == 1, kind + answer.text());
        QVERIFY2(answer.error.contains("is no regular file"), kind + answer.text());
      }
    }
    QVERIFY(!std::filesystem::exists(here / "elsewhere"));
  }
};

KV_TEST_GUILESS_MAIN(DamagedDatabaseTest)

}  // namespace damaged_database_test

#include "damaged_database_test.moc"
