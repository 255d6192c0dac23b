// links: kv_reports profiles sqlite3
// Files of older versions, written here by hand as those versions wrote them, open with everything they hold.
#include <sqlite3.h>

#include <QTemporaryDir>
#include <QTest>

#include "profiles/stores.h"
#include "tests/profiles/sample_data.h"
#include "tests/support/test_program.h"

namespace migration_test {

using namespace kvantage;

namespace {

constexpr const char* version_1 = R"sql(
PRAGMA application_id = 1263952238;
PRAGMA user_version = 1;
CREATE TABLE profile_scopes (id INTEGER PRIMARY KEY, model TEXT NOT NULL, workload TEXT NOT NULL,
  quality_metric TEXT NOT NULL, UNIQUE (model, workload, quality_metric));
CREATE TABLE profile_cells (scope INTEGER NOT NULL REFERENCES profile_scopes (id), context TEXT NOT NULL,
  context_id TEXT NOT NULL, family TEXT NOT NULL, method TEXT NOT NULL, removed_fraction REAL NOT NULL, quality REAL,
  quality_low REAL, quality_high REAL, n INTEGER NOT NULL, bytes INTEGER NOT NULL, kept_tokens INTEGER NOT NULL,
  scores TEXT NOT NULL, saved_utc_ns INTEGER NOT NULL, PRIMARY KEY (scope, context, method, removed_fraction));
CREATE TABLE tier_fits (id INTEGER PRIMARY KEY, signature TEXT NOT NULL, latency_seconds REAL NOT NULL,
  bytes_per_second REAL NOT NULL, decode_seconds_per_token REAL NOT NULL, residual_seconds REAL NOT NULL,
  samples INTEGER NOT NULL, saved_utc_ns INTEGER NOT NULL);
CREATE INDEX tier_fits_by_signature ON tier_fits (signature);
CREATE TABLE named_values (key TEXT PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO profile_scopes VALUES (1, '0123456789abcdef0123456789abcdef', 'fedcba9876543210fedcba9876543210',
  'token_f1');
INSERT INTO profile_cells VALUES (1, '00000000000000010000000000000002', 'c01', 'news', 'snapkv', 0.25, 0.75, 0.5, 1.0,
  2, 123456, 768, '[0.5,1.0]', 1);
INSERT INTO tier_fits VALUES (1, 'dram', 0.5, 1e9, 0.25, 0.125, 11, 1);
INSERT INTO named_values VALUES ('prefill', '{"a":1}');
)sql";

constexpr const char* version_2_adds = R"sql(
PRAGMA user_version = 2;
CREATE TABLE runs (id INTEGER PRIMARY KEY, run_id TEXT NOT NULL UNIQUE, started_utc_ns INTEGER NOT NULL,
  finished_utc_ns INTEGER NOT NULL DEFAULT 0, policy TEXT NOT NULL, outcome TEXT NOT NULL DEFAULT '',
  requests INTEGER NOT NULL DEFAULT 0, settings TEXT NOT NULL);
CREATE TABLE events (id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES runs (id), sequence INTEGER NOT NULL,
  type TEXT NOT NULL, request INTEGER, utc_ns INTEGER NOT NULL, body TEXT NOT NULL);
CREATE INDEX events_by_run ON events (run);
CREATE INDEX events_by_type ON events (run, type);
CREATE INDEX events_by_request ON events (run, request) WHERE request IS NOT NULL;
INSERT INTO runs VALUES (1, 'old run', 5, 0, 'lru', '', 0, '{"alpha":2}');
)sql";

bool build(const std::string& path, const std::string& sql) {
  sqlite3* connection = nullptr;
  const bool done = sqlite3_open(path.c_str(), &connection) == SQLITE_OK &&
                    sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
  sqlite3_close(connection);
  return done;
}

}  // namespace

class MigrationTest : public QObject {
  Q_OBJECT

 private slots:
  void olderFilesOpenWithEverythingTheyHold_data() {
    QTest::addColumn<int>("version");
    QTest::newRow("version 1") << 1;
    QTest::newRow("version 2") << 2;
  }
  void olderFilesOpenWithEverythingTheyHold() {
    QFETCH(int, version);
    const QTemporaryDir folder;
    const std::string path = folder.filePath("old.sqlite").toStdString();
    QVERIFY(build(path, std::string(version_1) + (version == 2 ? version_2_adds : "")));
    for (int opened = 0; opened < 2; ++opened) {  // the second time it is a present-day file
      auto stores = open_stores(path, StoreAccess::read_write, machine_clock());
      QVERIFY2(stores, stores ? "" : stores.error().message.c_str());
      ProfileScope scope{*Digest128::from_hex("0123456789abcdef0123456789abcdef"),
                         *Digest128::from_hex("fedcba9876543210fedcba9876543210"), "token_f1"};
      auto cells = (*stores)->profiles().load_profiles(scope);
      QVERIFY2(cells, cells ? "" : cells.error().message.c_str());
      QCOMPARE(cells->size(), std::size_t{1});
      ProfileCell expected;
      expected.context = {1, 2};
      expected.context_id = "c01";
      expected.family = "news";
      expected.point = {"snapkv", 0.25, 0.75, 0.5, 1.0, 2, 123456, 768};
      expected.scores = {0.5, 1.0};
      QVERIFY(same_cell(cells->front(), expected));
      QCOMPARE((*(*stores)->profiles().load_tier_fit("dram"))->samples, 11);
      QVERIFY(**(*stores)->profiles().load_value("prefill") == (Json{{"a", 1}}));
      auto runs = (*stores)->runs().runs();
      QCOMPARE(runs->size(), static_cast<std::size_t>((version == 2 ? 1 : 0) + opened));
      if (version == 2) QVERIFY(runs->front().run_id == "old run" && runs->front().settings.at("alpha") == 2);
      if (opened == 1) continue;
      QVERIFY((*stores)->runs().begin_run("new run", Json::object()));
      (*stores)->runs().append(token_event(1));
      QVERIFY((*stores)->runs().save_result("new run", "report", 1));
      QVERIFY((*stores)->runs().finish_run("new run", "finished"));
    }
  }

  // A file in which a later step cannot run (its table is there already) stays at its version, unchanged.
  void aMigrationIsAllOrNothing() {
    const QTemporaryDir folder;
    const std::string path = folder.filePath("odd.sqlite").toStdString();
    QVERIFY(build(path, std::string(version_1) + "CREATE TABLE results (other TEXT);"));
    auto stores = open_stores(path, StoreAccess::read_write, machine_clock());
    QVERIFY(!stores);
    sqlite3* connection = nullptr;
    QCOMPARE(sqlite3_open(path.c_str(), &connection), SQLITE_OK);
    sqlite3_stmt* query = nullptr;
    sqlite3_prepare_v2(connection,
                       "SELECT (SELECT count(*) FROM sqlite_schema WHERE name = 'runs'), user_version, "
                       "(SELECT count(*) FROM profile_cells) FROM pragma_user_version",
                       -1, &query, nullptr);
    QCOMPARE(sqlite3_step(query), SQLITE_ROW);
    QCOMPARE(sqlite3_column_int(query, 0), 0);
    QCOMPARE(sqlite3_column_int(query, 1), 1);
    QCOMPARE(sqlite3_column_int(query, 2), 1);
    sqlite3_finalize(query);
    sqlite3_close(connection);
  }
};

KV_TEST_GUILESS_MAIN(MigrationTest)

}  // namespace migration_test

#include "migration_test.moc"
