// links: kv_reports profiles sqlite3
// Every moment of a database's life at which power can fail: two lives with runs, profiles, values, an import and
// deletions, cut before each change that SQLite makes on the disk, with several draws of what was not flushed yet. Some
// are cut again while the database opens. Whatever is left, the database opens without damage and holds what was stored
// up to some step, in order, and no earlier one than the last that was acknowledged. KVANTAGE_LONG=1 draws 50 times as
// many.
#include <sqlite3.h>

#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <fstream>

#include "tests/profiles/database_life.h"
#include "tests/support/damage.h"
#include "tests/support/recorded_vfs.h"
#include "tests/support/test_program.h"

namespace database_crash_states_test {

using namespace kvantage;
using kvantage::test::DatabaseLife;
using kvantage::test::RecordedDisk;
using kvantage::test::RecordedVfs;

namespace {

// Small, so that short lives merge the log many times and write over its beginning.
constexpr int pages_in_log = 16;

/// Beside the program's own code: a connection as another program would have it.
class Connection {
 public:
  explicit Connection(const std::string& path) {
    if (sqlite3_open_v2(path.c_str(), &connection_, SQLITE_OPEN_READWRITE, nullptr) != SQLITE_OK)
      qFatal("%s", sqlite3_errmsg(connection_));
  }
  ~Connection() { sqlite3_close(connection_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// The first value, or the error.
  std::string ask(const char* sql) {
    sqlite3_stmt* statement = nullptr;
    std::string answer;
    if (sqlite3_prepare_v2(connection_, sql, -1, &statement, nullptr) == SQLITE_OK) {
      const int result = sqlite3_step(statement);
      if (result == SQLITE_ROW) answer = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
      if (result != SQLITE_ROW && result != SQLITE_DONE) answer = sqlite3_errmsg(connection_);
    } else {
      answer = sqlite3_errmsg(connection_);
    }
    sqlite3_finalize(statement);
    return answer;
  }

 private:
  sqlite3* connection_ = nullptr;
};

Json settings_of(std::size_t bytes) {
  std::string text;
  for (Random random(bytes); text.size() < bytes;) text += "token " + std::to_string(random.below(1000)) + " ";
  return Json{{"policy", "evicpress"}, {"alpha", 0.25}, {"note", text}};
}

void append(DatabaseLife& life, std::uint64_t first, std::uint64_t count) {
  for (std::uint64_t i = first; i < first + count; ++i)
    life.append(i % 4 == 3 ? finished_event(i, i / 4) : token_event(i));
}

/// `reads_beside`: during a long read, which stops no writer where there is a log.
void live(DatabaseLife& life, const std::string& path, bool reads_beside) {
  life.open();
  append(life, 1, 2);  // they wait for a run
  life.begin_run("first", settings_of(200));
  append(life, 3, 5);
  life.flush();
  auto cells = sample_cells(7, 2);
  life.save_cells(cells);
  life.save_fit({1.0 / 3.0, 2e9, 3e-7, 1e-5}, 40);
  life.save_value("prefill", Json{{"a", 0.1}, {"list", {1, 2, 3}}});
  life.begin_run("second", settings_of(9000));
  append(life, 1, 9);
  life.flush();
  {
    Connection reader(path);  // it keeps the log from being merged to its end, and from being written over
    if (reads_beside) {
      (void)reader.ask("BEGIN");
      (void)reader.ask("SELECT count(*) FROM events");
    }
    life.save_value("large", settings_of(30000));
    append(life, 10, 6);
    life.finish_run("second", "finished");
  }
  life.remove_run("first");
  life.save_result("second", "report", Json{{"ttft", 0.5}});
  std::vector<Event> events;
  for (std::uint64_t i = 1; i <= 12; ++i) events.push_back(finished_event(i, i));
  life.import_run("imported", events, {"with the slow disk", {"slides"}});
  life.save_value("large", settings_of(100));
  for (ProfileCell& cell : cells) cell.point.quality = 0.125;
  life.save_cells(cells);
  append(life, 16, 3);  // stored at the end at the latest
  life.close();

  life.open();
  life.begin_run("third", settings_of(300));
  append(life, 1, 4);
  life.flush();
  life.remove_run("second");
  life.save_fit({1e-4, 2.5e9, 1e-7, 2e-5}, 41);
  append(life, 5, 4);
  life.finish_run("third", "cancelled");
  life.save_result("third", "moves", Json::array({1, 2}));
  life.close();
}

/// A life on a recorded disk, and what a database is like after any cut.
class World {
 public:
  World(RecordedVfs& vfs, std::string path, bool reads_beside = true)
      : vfs_(vfs), path_(std::move(path)), reads_beside_(reads_beside), life_(disk_, path_) {
    vfs_.use(disk_, 1, pages_in_log);
    live(life_, path_, reads_beside);
  }
  std::size_t changes() const { return disk_.changes(); }
  const std::vector<DatabaseLife::Step>& steps() const { return life_.steps(); }
  int cut_twice = 0, behind = 0, refused = 0;

  RecordedDisk::Files left_after(std::size_t cut, std::uint64_t seed) const {
    Random random(seed);
    return disk_.after_cut(cut, random);
  }
  /// What is wrong after a power cut before change `cut` + 1; empty: nothing.
  std::string wrong_after(std::size_t cut, std::uint64_t seed, RecordedDisk::Believed believed = nullptr) {
    Random random(seed);
    RecordedDisk::Files files = disk_.after_cut(cut, random, believed);
    if (seed % 3 == 0) {  // and again while it opens
      RecordedDisk first(files);
      vfs_.use(first, seed, pages_in_log);
      (void)open_stores(path_, StoreAccess::read_write, clock_);
      if (first.changes() > 0) {
        ++cut_twice;
        files = first.after_cut(random.below(first.changes() + 1), random, believed);
      }
    }
    RecordedDisk left(files);
    vfs_.use(left, seed, pages_in_log);
    if (seed % 5 == 0 && reads_beside_)
      if (std::string wrong = wrong_for_readers(cut, false); !wrong.empty()) return wrong;
    {
      auto stores = open_stores(path_, StoreAccess::read_write, clock_);
      if (!stores) return "does not open: " + stores.error().message;
      const auto text = test::text_of(**stores);
      if (!text) return "cannot be read: " + text.error().message;
      if (std::string wrong = wrong_in(*text, cut); !wrong.empty()) return wrong;
      // It keeps working.
      if (const Status saved = (*stores)->profiles().save_value("after", 7); !saved) return saved.error().message;
      if (**(*stores)->profiles().load_value("after") != Json(7)) return "does not keep a new value";
    }
    const std::string check = Connection(path_).ask("PRAGMA integrity_check");
    return check == "ok" ? "" : "is damaged: " + check;
  }
  /// Who only reads must find the same, or be refused. An empty database is always refused.
  std::string wrong_for_readers(std::size_t cut, bool may_be_refused) {
    const auto stores = open_stores(path_, StoreAccess::read_only, clock_);
    refused += stores ? 0 : 1;
    if (!stores) return may_be_refused || steps_at(cut).first == 0 ? "" : stores.error().message;
    const auto text = test::text_of(**stores);
    return text ? wrong_in(*text, cut) : "cannot be read: " + text.error().message;
  }

 private:
  /// The last step that was acknowledged, and the last that had begun.
  std::pair<std::size_t, std::size_t> steps_at(std::size_t cut) const {
    std::pair<std::size_t, std::size_t> found{0, 0};
    for (std::size_t i = 0; i < steps().size(); ++i) {
      if (steps()[i].acknowledged <= cut) found.first = i;
      if (steps()[i].begun <= cut) found.second = i;
    }
    return found;
  }
  std::string wrong_in(const std::string& text, std::size_t cut) {
    const auto [least, most] = steps_at(cut);
    for (std::size_t i = most + 1; i-- > least;) {
      if (steps()[i].text != text) continue;
      behind += i < most ? 1 : 0;
      return {};
    }
    const std::string counted = " of steps " + std::to_string(least) + " to " + std::to_string(most);
    for (std::size_t i = 0; i < least; ++i)
      if (steps()[i].text == text) return "holds step " + std::to_string(i) + counted + ": acknowledged, and lost";
    return "holds the content of no step" + counted + ":\n" + text;
  }

  RecordedVfs& vfs_;
  std::string path_;
  bool reads_beside_;
  RecordedDisk disk_;
  DatabaseLife life_;
  std::shared_ptr<const Clock> clock_ = std::make_shared<ManualClock>();
};

}  // namespace

class DatabaseCrashStatesTest : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;  // of the lock and of an empty file; what SQLite writes is in memory
  std::string path() const { return folder_.filePath("runs.sqlite").toStdString(); }

  static void check_all(World& world, std::uint64_t draws) {
    std::size_t states = 0;
    for (std::size_t cut = 0; cut <= world.changes(); ++cut)
      for (std::uint64_t draw = 0; draw < draws; ++draw, ++states) {
        const std::uint64_t seed = cut * draws + draw + 1;
        const std::string wrong = world.wrong_after(cut, seed);
        QVERIFY2(wrong.empty(),
                 (std::to_string(cut) + " changes, seed " + std::to_string(seed) + ": the database " + wrong).c_str());
      }
    qInfo("%zu changes, %zu states of the disk, %d of them cut again while opening, %d without the newest step",
          world.changes(), states, world.cut_twice, world.behind);
    QVERIFY(world.cut_twice > 0 && world.behind > 0);
  }

 private slots:
  void whateverIsLeftTheDatabaseHoldsAllThatWasAcknowledged() {
    RecordedVfs vfs;
    World world(vfs, path());
    QVERIFY2(world.changes() > 300, std::to_string(world.changes()).c_str());
    check_all(world, test::is_long_run() ? 100 : 2);
  }

  // Some network file systems have none. There SQLite keeps a rollback journal, whatever was asked for.
  void theSameWithoutSharedMemory() {
    RecordedVfs vfs(false);
    World world(vfs, path(), false);
    QVERIFY2(world.changes() > 300, std::to_string(world.changes()).c_str());
    check_all(world, test::is_long_run() ? 50 : 1);
  }

  // On real files. A journal that was not rolled back says that the file beside it is half written.
  void whoOnlyReadsIsShownNothingHalfWritten() {
    RecordedVfs vfs(false);
    World world(vfs, path(), false);
    sqlite3_vfs_register(sqlite3_vfs_find("unix"), 1);
    int states = 0;
    for (std::size_t cut = 0; cut <= world.changes(); cut += 6, ++states) {
      for (const char* suffix : {"", "-journal"}) std::filesystem::remove(path() + suffix);
      for (const auto& [name, content] : world.left_after(cut, cut + 1)) std::ofstream(name) << content;
      const std::string wrong = world.wrong_for_readers(cut, true);
      QVERIFY2(wrong.empty(), (std::to_string(cut) + " changes: the database " + wrong).c_str());
    }
    qInfo("%d states of the disk, %d of them refused", states, world.refused);
    QVERIFY(world.refused > 0 && world.refused < states);
  }

  // The same checks find what must go wrong.
  void aDiskThatOnlyConfirmsFlushesIsFound_data() {
    QTest::addColumn<bool>("of_the_log");
    QTest::newRow("of the log") << true;
    QTest::newRow("of the database") << false;
  }
  void aDiskThatOnlyConfirmsFlushesIsFound() {
    QFETCH(bool, of_the_log);
    RecordedVfs vfs;
    World world(vfs, path());
    const RecordedDisk::Believed believed = of_the_log ? [](const std::string& name) { return !name.ends_with("-wal"); }
                                                       : [](const std::string& name) { return name.ends_with("-wal"); };
    int lost = 0, spoiled = 0;
    for (std::size_t cut = 0; cut <= world.changes(); cut += 6) {
      const std::string wrong = world.wrong_after(cut, cut + 1, believed);
      (wrong.ends_with("lost") ? lost : spoiled) += wrong.empty() ? 0 : 1;
    }
    qInfo("%d states have lost what was acknowledged, %d are damaged or hold a mixture", lost, spoiled);
    QVERIFY(lost > 0 && spoiled > 0);
  }
};

KV_TEST_PROGRAM(argc, argv) {
  test::lift_time_limit_of_long_runs();
  QTEST_SET_MAIN_SOURCE_PATH
  DatabaseCrashStatesTest test;
  return QTest::qExec(&test, argc, argv);
}

}  // namespace database_crash_states_test

#include "database_crash_states_test.moc"
