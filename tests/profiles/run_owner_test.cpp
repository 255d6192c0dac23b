// links: kv_reports profiles
// Whether a run without an end continues or was aborted: its recorder's lock shows, in this process and across them,
// and no kill leaves it behind.
#include <sys/wait.h>
#include <unistd.h>
#include <QTemporaryDir>
#include <QtTest>
#include <csignal>

#include "profiles/run_library.h"
#include "profiles/run_owner.h"
#include "profiles/stores.h"
#include "tests/support/test_program.h"

namespace run_owner_test {

using namespace kvantage;

class RunOwnerTest : public QObject {
  Q_OBJECT

  static std::string outcome(RunLibrary& library, const std::string& run_id) {
    const auto runs = library.list(0);
    if (!runs) return runs.error().message;
    for (const ListedRun& run : *runs)
      if (run.summary.run_id == run_id) return run.summary.outcome;
    return "not listed";
  }

 private slots:
  void aByteForEachRun() {
    QTemporaryDir folder;
    const std::filesystem::path database = folder.filePath("a.db").toStdString();
    RunOwner reader(database);
    QVERIFY(!reader.is_held_elsewhere(1));
    QVERIFY(!std::filesystem::exists(database.string() + "-live"));  // looking makes no file
    {
      RunOwner first(database), second(database);
      first.hold(1);
      second.hold(2);
      QVERIFY(reader.is_held_elsewhere(1) && reader.is_held_elsewhere(2) && !reader.is_held_elsewhere(3));
      QVERIFY(second.is_held_elsewhere(1) && !second.is_held_elsewhere(2));  // its own is not another's
      first.hold(5);
      QVERIFY(!reader.is_held_elsewhere(1) && reader.is_held_elsewhere(5));
      first.release(4);  // not the one
      QVERIFY(reader.is_held_elsewhere(5));
      first.release(5);
      QVERIFY(!reader.is_held_elsewhere(5) && reader.is_held_elsewhere(2));
      second.hold(5);
      first.hold(5);  // taken
      first.release(5);
      QVERIFY(reader.is_held_elsewhere(5));
    }
    QVERIFY(!reader.is_held_elsewhere(5));
    QCOMPARE(std::filesystem::file_size(database.string() + "-live"), std::uintmax_t{0});
  }

  void twoStoresInOneProcess() {
    QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath("a.db").toStdString();
    auto here = std::move(*open_stores(path, StoreAccess::read_write, machine_clock())),
         there = std::move(*open_stores(path, StoreAccess::read_write, machine_clock()));
    auto library = std::move(*open_run_library(path, machine_clock()));
    QVERIFY(here->runs().begin_run("here", Json::object()));
    QVERIFY(there->runs().begin_run("there", Json::object()));
    QCOMPARE(outcome(*library, "here"), std::string(recording_outcome));
    QCOMPARE(outcome(*library, "there"), std::string(recording_outcome));
    const Status refused = library->remove("here");
    QVERIFY(!refused && refused.error().code == ErrorCode::busy);
    QVERIFY2(refused.error().message.find("is still being recorded; stop it first") != std::string::npos,
             refused.error().message.c_str());
    QVERIFY(here->runs().finish_run("here", "finished"));
    QCOMPARE(outcome(*library, "here"), std::string("finished"));
    QCOMPARE(outcome(*library, "there"), std::string(recording_outcome));
    QVERIFY(library->remove("here"));
    there.reset();  // without an end
    QCOMPARE(outcome(*library, "there"), std::string());
    QVERIFY(library->remove("there"));
  }

  void aKilledProcessHoldsNothing() {
    QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath("a.db").toStdString();
    int ready[2];
    QCOMPARE(::pipe(ready), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      auto stores = open_stores(path, StoreAccess::read_write, machine_clock());
      const char done = stores && (*stores)->runs().begin_run("theirs", Json::object()) ? 'y' : 'n';
      (void)!::write(ready[1], &done, 1);
      for (;;) ::pause();
    }
    char done = 0;
    QCOMPARE(::read(ready[0], &done, 1), ssize_t{1});
    QCOMPARE(done, 'y');
    auto library = std::move(*open_run_library(path, machine_clock()));
    QCOMPARE(outcome(*library, "theirs"), std::string(recording_outcome));
    QVERIFY(!library->remove("theirs"));
    QCOMPARE(::kill(child, SIGKILL), 0);
    QCOMPARE(::waitpid(child, nullptr, 0), child);
    QCOMPARE(outcome(*library, "theirs"), std::string());
    QVERIFY(library->remove("theirs"));
    ::close(ready[0]);
    ::close(ready[1]);
  }
};

KV_TEST_APPLESS_MAIN(RunOwnerTest)

}  // namespace run_owner_test

#include "run_owner_test.moc"
