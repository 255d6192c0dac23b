// links: kv_reports profiles sqlite3
// What is saved comes back, whoever reads and whenever; what cannot be opened is refused in one line and left alone.
#include "profiles/stores.h"

#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <atomic>
#include <fstream>
#include <thread>

#include "core/base/files.h"
#include "core/ports/run_calibration.h"
#include "tests/profiles/sample_data.h"
#include "tests/support/test_program.h"

namespace stores_test {

using namespace kvantage;

namespace {

// Raw access that does not go through our own code.
std::vector<std::string> raw_query(const std::string& path, const std::string& sql) {
  sqlite3* connection = nullptr;
  std::vector<std::string> rows;
  sqlite3_open(path.c_str(), &connection);
  char* reason = nullptr;
  sqlite3_exec(
      connection, sql.c_str(),
      [](void* into, int columns, char** values, char**) {
        std::string row;
        for (int i = 0; i < columns; ++i) row += (i ? "|" : "") + std::string(values[i] ? values[i] : "NULL");
        static_cast<std::vector<std::string>*>(into)->push_back(row);
        return 0;
      },
      &rows, &reason);
  if (reason) rows = {std::string("error: ") + reason};
  sqlite3_free(reason);
  sqlite3_close(connection);
  return rows;
}

bool one_clear_line(const Error& error, const std::string& path) {
  return error.message.starts_with(path) && error.message.find('\n') == std::string::npos &&
         error.message.find(';') != std::string::npos;
}

}  // namespace

class StoresTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  int files_ = 0;
  std::string fresh_path() { return folder_.filePath(QString("db%1.sqlite").arg(++files_)).toStdString(); }

 private slots:
  // A copy of the file alone is the whole database once nobody has it open.
  void nothingStaysInTheLogAtTheEnd() {
    const std::filesystem::path file = fresh_path(), copy = file.string() + ".copy";
    {
      auto stores = open_stores(file, StoreAccess::read_write, machine_clock());
      QVERIFY(stores.has_value());
      QVERIFY((*stores)->profiles().save_profile(sample_scope(), sample_cells(1, 2)));
      QVERIFY(
          !(*stores)->profiles().load_profiles(sample_scope())->empty());  // a reader's connection stays for the next
      QVERIFY(std::filesystem::exists(file.string() + "-wal"));
    }
    QVERIFY(!std::filesystem::exists(file.string() + "-wal"));
    std::filesystem::copy_file(file, copy);
    QVERIFY(!open_stores(copy, StoreAccess::read_only, machine_clock())
                 .value()
                 ->profiles()
                 .load_profiles(sample_scope())
                 ->empty());
  }

  void profilesComeBackBitForBit() {
    const std::string path = fresh_path();
    auto cells = sample_cells(1, 12);
    {
      auto stores = open_stores(path, StoreAccess::read_write, machine_clock());
      QVERIFY2(stores, stores ? "" : stores.error().message.c_str());
      QVERIFY((*stores)->profiles().save_profile(sample_scope(), cells));
    }
    auto stores = open_stores(path, StoreAccess::read_only, machine_clock());
    QVERIFY2(stores, stores ? "" : stores.error().message.c_str());
    auto loaded = (*stores)->profiles().load_profiles(sample_scope());
    QVERIFY(loaded);
    std::ranges::sort(cells, {}, [](const ProfileCell& cell) {
      return std::tuple(cell.context_id, cell.context, cell.point.method, cell.point.removed_fraction);
    });
    QCOMPARE(loaded->size(), cells.size());
    for (std::size_t i = 0; i < cells.size(); ++i) QVERIFY(same_cell((*loaded)[i], cells[i]));
  }

  void profilesOfAnotherScopeAreNotFound() {
    auto stores = open_stores(fresh_path(), StoreAccess::read_write, machine_clock());
    QVERIFY((*stores)->profiles().save_profile(sample_scope(), sample_cells(1, 2)));
    QVERIFY((*stores)->profiles().load_profiles(sample_scope("exact_match"))->empty());
    ProfileScope other = sample_scope();
    other.model = digest_of("another model");
    QVERIFY((*stores)->profiles().load_profiles(other)->empty());
  }

  void savingACellAgainReplacesIt() {
    auto stores = open_stores(fresh_path(), StoreAccess::read_write, machine_clock());
    auto cells = sample_cells(1, 1);
    QVERIFY((*stores)->profiles().save_profile(sample_scope(), cells));
    cells[0].point.quality = 0.125;
    QVERIFY((*stores)->profiles().save_profile(sample_scope(), {cells[0]}));
    auto loaded = (*stores)->profiles().load_profiles(sample_scope());
    QCOMPARE(loaded->size(), cells.size());
    QVERIFY(std::ranges::any_of(*loaded, [&](const ProfileCell& cell) { return same_cell(cell, cells[0]); }));
  }

  void aCellThatIsNotANumberSavesNothing() {
    auto stores = open_stores(fresh_path(), StoreAccess::read_write, machine_clock());
    auto cells = sample_cells(1, 3);
    cells.back().scores[1] = std::numeric_limits<double>::quiet_NaN();
    const Status saved = (*stores)->profiles().save_profile(sample_scope(), cells);
    QVERIFY(!saved);
    QCOMPARE(saved.error().code, ErrorCode::rejected_input);
    QVERIFY((*stores)->profiles().load_profiles(sample_scope())->empty());
  }

  void theNewestTierFitCounts() {
    auto stores = open_stores(fresh_path(), StoreAccess::read_write, machine_clock());
    ProfileStore& profiles = (*stores)->profiles();
    QVERIFY(!profiles.load_tier_fit("ssd /data ext4")->has_value());
    QVERIFY(profiles.save_tier_fit({"ssd /data ext4", {1e-4, 2e9, 3e-7, 1e-5}, 40}));
    QVERIFY(profiles.save_tier_fit({"ssd /data ext4", {1.0 / 3.0, 2.5e9, 1e-7, 2e-5}, 41}));
    QVERIFY(profiles.save_tier_fit({"dram", {1e-6, 1e10, 1e-8, 1e-7}, 7}));
    auto fit = profiles.load_tier_fit("ssd /data ext4");
    QCOMPARE((*fit)->model.latency_seconds, 1.0 / 3.0);
    QCOMPARE((*fit)->model.bytes_per_second, 2.5e9);
    QCOMPARE((*fit)->model.decode_seconds_per_token, 1e-7);
    QCOMPARE((*fit)->model.residual_seconds, 2e-5);
    QCOMPARE((*fit)->samples, 41);
  }

  void valuesComeBack() {
    auto stores = open_stores(fresh_path(), StoreAccess::read_write, machine_clock());
    ProfileStore& profiles = (*stores)->profiles();
    QVERIFY(!profiles.load_value("prefill")->has_value());
    const Json value{{"a", 0.1}, {"text", "\xe2\x82\xac"}, {"list", {1, 2, 3}}};
    QVERIFY(profiles.save_value("prefill", value));
    QVERIFY(**profiles.load_value("prefill") == value);
    QVERIFY(profiles.save_value("prefill", 7));
    QVERIFY(**profiles.load_value("prefill") == Json(7));
  }

  void theJournalKeepsEveryEventInOrder() {
    const std::string path = fresh_path();
    {
      auto stores = open_stores(path, StoreAccess::read_write, machine_clock());
      RunStore& runs = (*stores)->runs();
      runs.append(token_event(1));  // before there is a run: waits for it
      QVERIFY(runs.begin_run("first", Json{{"policy", "lru"}, {"alpha", 0.5}}));
      for (std::uint64_t i = 2; i <= 20000; ++i)
        runs.append(i % 100 == 0 ? finished_event(i, i / 100) : token_event(i));
      QVERIFY(runs.finish_run("first", "finished"));
      runs.append(token_event(20001));  // written at the latest when the store closes
    }
    auto stores = open_stores(path, StoreAccess::read_write, machine_clock());
    auto events = (*stores)->runs().events("first");
    QVERIFY2(events, events ? "" : events.error().message.c_str());
    QCOMPARE(events->size(), std::size_t{20001});
    for (std::uint64_t i = 0; i < 20001; ++i) {
      const std::uint64_t n = i + 1;
      const Event expected = n % 100 == 0 && n <= 20000 ? finished_event(n, n / 100) : token_event(n);
      QVERIFY(to_json((*events)[i]) == to_json(expected));
    }
    auto finished = (*stores)->runs().events("first", {"request.finished", "run.started"});
    QCOMPARE(finished->size(), std::size_t{200});
    auto summaries = (*stores)->runs().runs();
    QCOMPARE(summaries->size(), std::size_t{1});
    QCOMPARE(summaries->front().requests, std::uint64_t{200});
    QCOMPARE(summaries->front().policy, std::string("lru"));
    QCOMPARE(summaries->front().outcome, std::string("finished"));
    QVERIFY(summaries->front().finished_utc_ns >= summaries->front().started_utc_ns);
    QCOMPARE(summaries->front().settings.at("alpha").get<double>(), 0.5);
    // The request column serves "all events of request 3".
    QCOMPARE(raw_query(path, "SELECT count(*) FROM events WHERE run = 1 AND request = 3"),
             std::vector<std::string>{"11"});
  }

  void aRunWithoutEndHasNoFinishTime() {
    const std::string path = fresh_path();
    {
      auto stores = open_stores(path, StoreAccess::read_write, machine_clock());
      QVERIFY((*stores)->runs().begin_run("one", Json::object()));
      QVERIFY((*stores)->runs().begin_run("two", Json::object()));
      QVERIFY((*stores)->runs().finish_run("two", "cancelled"));
    }
    auto runs = (*open_stores(path, StoreAccess::read_write, machine_clock()))->runs().runs();
    QCOMPARE((*runs)[0].finished_utc_ns, std::int64_t{0});
    QVERIFY((*runs)[1].finished_utc_ns > 0);
  }

  void aRunIdIsTakenOnce() {
    auto stores = open_stores(fresh_path(), StoreAccess::read_write, machine_clock());
    QVERIFY((*stores)->runs().begin_run("one", Json::object()));
    const Status again = (*stores)->runs().begin_run("one", Json::object());
    QVERIFY(!again);
    QCOMPARE(again.error().code, ErrorCode::rejected_input);
    QCOMPARE((*stores)->runs().events("none").error().code, ErrorCode::not_found);
    QCOMPARE((*stores)->runs().finish_run("none", "finished").error().code, ErrorCode::not_found);
  }

  void resultsAreKeptPerRun() {
    auto stores = open_stores(fresh_path(), StoreAccess::read_write, machine_clock());
    RunStore& runs = (*stores)->runs();
    QVERIFY(runs.begin_run("one", Json::object()));
    QVERIFY(runs.save_result("one", "report", Json{{"rows", 1}}));
    QVERIFY(runs.save_result("one", "report", Json{{"rows", 2}}));
    QVERIFY(**runs.load_result("one", "report") == (Json{{"rows", 2}}));
    QVERIFY(!runs.load_result("two", "report")->has_value());
    QVERIFY(!runs.save_result("two", "report", 1));
  }

  void aCalibrationIsReadBack() {
    auto stores = open_stores(fresh_path(), StoreAccess::read_write, machine_clock());
    RunStore& runs = (*stores)->runs();
    QVERIFY(runs.begin_run("one", Json::object()));
    QVERIFY(read_calibration(runs, "one")->empty());
    QVERIFY(runs.save_result("one", calibration_result, std::vector<double>{0.005, 0.006}));
    QCOMPARE(*read_calibration(runs, "one"), (std::vector<double>{0.005, 0.006}));
    // What others wrote is no calibration.
    for (const Json& other : {Json("fast"), Json{{"seconds", 1}}, Json::array({0.005, "x"}), Json::array({0.005, 0.0}),
                              Json::array({0.005, -1.0})}) {
      QVERIFY(runs.save_result("one", calibration_result, other));
      QVERIFY2(read_calibration(runs, "one")->empty(), other.dump().c_str());
    }
  }

  void textThatIsNotUnicodeIsStoredReadably() {
    auto stores = open_stores(fresh_path(), StoreAccess::read_write, machine_clock());
    QVERIFY((*stores)->runs().begin_run("one", Json{{"policy", "a\xff"}}));
    Event event;
    event.payload = events::TokenEmitted{1, "half a letter \xe2\x82"};
    (*stores)->runs().append(event);
    QVERIFY((*stores)->runs().flush());
    auto events = (*stores)->runs().events("one");
    QVERIFY2(events, events ? "" : events.error().message.c_str());
    const std::string text = std::get<events::TokenEmitted>(events->front().payload).text;
    QVERIFY(text.starts_with("half a letter \xef\xbf\xbd"));
  }

  void readersSeeAGapFreePrefixWhileTheJournalGrows() {
    const std::string path = fresh_path();
    auto stores = open_stores(path, StoreAccess::read_write, machine_clock());
    RunStore& runs = (*stores)->runs();
    QVERIFY(runs.begin_run("live", Json::object()));
    std::atomic<bool> writing = true;
    std::atomic<int> reads = 0, wrong = 0;
    std::vector<std::jthread> readers;
    for (int r = 0; r < 3; ++r)
      readers.emplace_back([&] {
        std::size_t before = 0;
        while (writing) {
          auto events = runs.events("live");
          if (!events || events->size() < before) {
            ++wrong;
            continue;
          }
          before = events->size();
          for (std::size_t i = 0; i < events->size(); ++i)
            if ((*events)[i].sequence != i) ++wrong;
          ++reads;
        }
      });
    for (std::uint64_t i = 0; i < 6000; ++i) {
      runs.append(token_event(i));
      if (i % 500 == 0) QVERIFY(runs.flush());
    }
    QVERIFY(runs.flush());
    writing = false;
    readers.clear();
    QCOMPARE(wrong.load(), 0);
    QVERIFY(reads.load() > 3);
    QCOMPARE(runs.events("live")->size(), std::size_t{6000});
  }

  void twoProcessesShareOneFile() {
    const std::string path = fresh_path();
    auto one = open_stores(path, StoreAccess::read_write, machine_clock());
    auto two = open_stores(path, StoreAccess::read_write, machine_clock());
    QVERIFY(one && two);
    QVERIFY((*one)->runs().begin_run("one", Json::object()));
    QVERIFY((*two)->runs().begin_run("two", Json::object()));
    for (std::uint64_t i = 0; i < 500; ++i) {
      (*one)->runs().append(token_event(i));
      (*two)->runs().append(token_event(i));
    }
    QVERIFY((*one)->runs().flush());
    QVERIFY((*two)->runs().flush());
    QCOMPARE((*one)->runs().events("two")->size(), std::size_t{500});
    QCOMPARE((*two)->runs().events("one")->size(), std::size_t{500});
  }

  // The file is locked by somebody else for a while: nothing appended meanwhile is lost.
  void aLockedFileDelaysTheJournalOnly() {
    const std::string path = fresh_path();
    auto stores = open_stores(path, StoreAccess::read_write, machine_clock());
    QVERIFY((*stores)->runs().begin_run("one", Json::object()));
    sqlite3* other = nullptr;
    QCOMPARE(sqlite3_open(path.c_str(), &other), SQLITE_OK);
    QCOMPARE(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
    for (std::uint64_t i = 0; i < 50; ++i) (*stores)->runs().append(token_event(i));
    QTest::qWait(6500);  // longer than the busy timeout
    QCOMPARE((*stores)->runs().events("one")->size(), std::size_t{0});
    QCOMPARE(sqlite3_exec(other, "COMMIT", nullptr, nullptr, nullptr), SQLITE_OK);
    QVERIFY((*stores)->runs().flush());
    sqlite3_close(other);
    QCOMPARE((*stores)->runs().events("one")->size(), std::size_t{50});
  }

  void aStoreOpenedForReadingChangesNothing() {
    const std::string path = fresh_path();
    { QVERIFY(open_stores(path, StoreAccess::read_write, machine_clock())); }
    const auto before = read_text_file(path);
    {
      auto stores = open_stores(path, StoreAccess::read_only, machine_clock());
      QVERIFY(stores);
      QCOMPARE((*stores)->runs().begin_run("one", Json::object()).error().code, ErrorCode::rejected_input);
      QVERIFY(!(*stores)->profiles().save_value("a", 1));
      (*stores)->runs().append(token_event(1));
      QVERIFY((*stores)->runs().flush());
      QVERIFY((*stores)->runs().runs()->empty());
    }
    QCOMPARE(*read_text_file(path), *before);
  }

  void whatCannotBeUsedIsRefusedAndLeftAlone_data() {
    QTest::addColumn<QString>("kind");
    for (const char* kind : {"text", "zeros", "other program", "newer", "older for reading", "missing for reading",
                             "empty for reading", "catalog without a table", "overwritten page", "cut short", "view",
                             "view for reading", "trigger", "virtual table", "older with a trigger"})
      QTest::newRow(kind) << kind;
  }
  void whatCannotBeUsedIsRefusedAndLeftAlone() {
    QFETCH(QString, kind);
    const std::string path = fresh_path();
    StoreAccess access = kind.contains("for reading") ? StoreAccess::read_only : StoreAccess::read_write;
    const auto write = [&](const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; };
    if (kind == "text") write("Once upon a time there was a file that was no database at all.\n");
    if (kind == "zeros") write(std::string(8192, '\0'));
    if (kind == "other program") raw_query(path, "CREATE TABLE songs (title TEXT); INSERT INTO songs VALUES ('x')");
    if (kind == "empty for reading") write("");
    const QStringList from_ours{"newer",
                                "older for reading",
                                "catalog without a table",
                                "overwritten page",
                                "cut short",
                                "view",
                                "view for reading",
                                "trigger",
                                "virtual table",
                                "older with a trigger"};
    if (from_ours.contains(kind)) {
      auto stores = open_stores(path, StoreAccess::read_write, machine_clock());
      QVERIFY((*stores)->profiles().save_profile(sample_scope(), sample_cells(1, 200)));
    }
    raw_query(path, "PRAGMA journal_mode = DELETE");
    if (kind == "newer") raw_query(path, "PRAGMA user_version = 4");
    if (kind == "older for reading") raw_query(path, "DROP TABLE results; PRAGMA user_version = 2");
    if (kind == "catalog without a table") raw_query(path, "DROP TABLE events");
    // What computes without an end is not asked, nor are its tables probed.
    if (kind.startsWith("view"))
      raw_query(path,
                "DROP TABLE results; CREATE VIEW results AS WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 "
                "FROM n) SELECT i AS run, 'a' AS name, '1' AS value FROM n");
    if (kind.endsWith("trigger"))
      raw_query(path, "CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM events; END");
    if (kind == "virtual table") raw_query(path, "CREATE VIRTUAL TABLE f USING fts5(x)");
    if (kind == "older with a trigger") raw_query(path, "DROP TABLE results; PRAGMA user_version = 2");
    if (kind == "overwritten page" || kind == "cut short") {
      std::string bytes = *read_text_file(path);
      QVERIFY(bytes.size() > 20 * 4096);
      if (kind == "cut short")
        bytes.resize(bytes.size() / 2);
      else
        std::fill(bytes.begin() + 12 * 4096, bytes.begin() + 16 * 4096, 'Z');
      write(bytes);
    }
    if (kind == "missing for reading") std::filesystem::remove(path);
    const bool existed = std::filesystem::exists(path);
    const auto before = existed ? *read_text_file(path) : std::string();
    auto stores = open_stores(path, access, machine_clock());
    QVERIFY(!stores);
    qInfo("%s", stores.error().message.c_str());
    QVERIFY2(one_clear_line(stores.error(), path), stores.error().message.c_str());
    QVERIFY(stores.error().code == ErrorCode::rejected_input || stores.error().code == ErrorCode::corrupt);
    QCOMPARE(exit_code(stores.error()), 3);
    if (kind.contains("view") || kind.contains("trigger") || kind == "virtual table")
      QVERIFY2(stores.error().message.find("has a view, a trigger or a virtual table") != std::string::npos,
               stores.error().message.c_str());
    QCOMPARE(std::filesystem::exists(path), existed);
    if (existed) QVERIFY(*read_text_file(path) == before);
  }

  void aFolderOrAnEmptyPathIsRefused() {
    QCOMPARE(open_stores("", StoreAccess::read_write, machine_clock()).error().code, ErrorCode::usage);
    const std::string folder = folder_.path().toStdString();
    auto stores = open_stores(folder, StoreAccess::read_write, machine_clock());
    QVERIFY(!stores && one_clear_line(stores.error(), folder));
    const std::string below_a_file = fresh_path();
    std::ofstream(below_a_file) << "x";
    auto under = open_stores(below_a_file + "/db.sqlite", StoreAccess::read_write, machine_clock());
    QVERIFY(!under && one_clear_line(under.error(), below_a_file));
  }

  // Root may write everywhere, so the attempt is made by a child without rights.
  void aReadOnlyFileOrFolderIsRefusedInOneLine() {
    const std::string folder = fresh_path() + ".d";
    const std::string path = folder + "/db.sqlite";
    { QVERIFY(open_stores(path, StoreAccess::read_write, machine_clock())); }
    std::filesystem::permissions(folder_.path().toStdString(), std::filesystem::perms(0755));
    std::filesystem::permissions(path, std::filesystem::perms(0444));
    std::filesystem::permissions(folder, std::filesystem::perms(0555));
    int channel[2];
    QCOMPARE(pipe(channel), 0);
    const pid_t child = fork();
    if (child == 0) {
      if (getuid() == 0 && setuid(65534) != 0) _exit(9);
      std::string report;
      auto existing = open_stores(path, StoreAccess::read_write, machine_clock());
      report += existing ? "opened" : existing.error().message;
      report += "\n";
      auto fresh = open_stores(folder + "/new.sqlite", StoreAccess::read_write, machine_clock());
      report += fresh ? "opened" : fresh.error().message;
      report += "\n";
      auto reading = open_stores(path, StoreAccess::read_only, machine_clock());
      report += reading && (*reading)->runs().runs() ? "opened" : reading ? "unreadable" : reading.error().message;
      report += "\n";
      _exit(write(channel[1], report.data(), report.size()) == static_cast<ssize_t>(report.size()) ? 0 : 8);
    }
    close(channel[1]);
    QByteArray said;
    char buffer[4096];
    for (ssize_t n; (n = read(channel[0], buffer, sizeof buffer)) > 0;) said.append(buffer, static_cast<qsizetype>(n));
    close(channel[0]);
    int status = 0;
    waitpid(child, &status, 0);
    std::filesystem::permissions(folder, std::filesystem::perms(0755));
    QVERIFY(WIFEXITED(status));
    if (WEXITSTATUS(status) == 9) QSKIP("cannot give up rights here");
    QCOMPARE(WEXITSTATUS(status), 0);
    const QList<QByteArray> lines = said.split('\n');
    QCOMPARE(lines.size(), 4);
    QVERIFY2(lines[0].contains("read-only"), said.constData());
    QVERIFY2(lines[1].contains("new.sqlite: ") && lines[1].contains(";"), said.constData());
    QCOMPARE(lines[2], QByteArray("opened"));  // reading works, even where no log can be made
  }
};

KV_TEST_GUILESS_MAIN(StoresTest)

}  // namespace stores_test

#include "stores_test.moc"
