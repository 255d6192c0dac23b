// links: kv_reports profiles
// A process that is killed while it writes the journal leaves what it had committed: a prefix without gaps.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QTest>
#include <map>

#include "profiles/stores.h"
#include "tests/profiles/sample_data.h"
#include "tests/support/test_program.h"

namespace journal_kill_test {

using namespace kvantage;

namespace {

// Appends without end; reports through the pipe how many events are durable for certain.
[[noreturn]] void write_until_killed(const std::string& path, const std::string& run_id, int pipe_end) {
  auto stores = open_stores(path, StoreAccess::read_write, machine_clock());
  if (!stores || !(*stores)->runs().begin_run(run_id, Json{{"policy", "lru"}})) _exit(3);
  if (!(*stores)->profiles().save_profile(sample_scope(), sample_cells(7, 4))) _exit(4);
  RunStore& runs = (*stores)->runs();
  for (std::uint64_t i = 0;; ++i) {
    runs.append(i % 50 == 49 ? finished_event(i, i / 50) : token_event(i));
    if (i % 100 != 99) continue;
    if (!runs.flush()) _exit(5);
    const std::uint64_t durable = i + 1;
    if (write(pipe_end, &durable, sizeof durable) != sizeof durable) _exit(6);
  }
}

}  // namespace

class JournalKillTest : public QObject {
  Q_OBJECT

 private slots:
  void committedEventsSurviveAKill() {
    const QTemporaryDir folder;
    const std::string path = folder.filePath("runs.sqlite").toStdString();
    std::map<std::string, std::size_t> lengths;
    Random random(42);
    for (int round = 0; round < 14; ++round) {
      const std::string run_id = "run " + std::to_string(round);
      int channel[2];
      QCOMPARE(pipe(channel), 0);
      const pid_t child = fork();
      if (child == 0) {
        close(channel[0]);
        write_until_killed(path, run_id, channel[1]);
      }
      close(channel[1]);
      // Let it get somewhere, then kill it at a time that has nothing to do with its commits.
      std::uint64_t durable = 0, message = 0;
      const std::uint64_t wanted = 100 * (1 + random.below(4));
      while (durable < wanted && read(channel[0], &message, sizeof message) == sizeof message) durable = message;
      usleep(static_cast<useconds_t>(random.below(30000)));
      kill(child, SIGKILL);
      while (read(channel[0], &message, sizeof message) == sizeof message) durable = message;
      close(channel[0]);
      int status = 0;
      waitpid(child, &status, 0);
      QVERIFY(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);

      auto stores = open_stores(path, StoreAccess::read_write, machine_clock());
      QVERIFY2(stores, stores ? "" : stores.error().message.c_str());
      auto events = (*stores)->runs().events(run_id);
      QVERIFY2(events, events ? "" : events.error().message.c_str());
      QVERIFY(events->size() >= durable && durable >= wanted);
      std::uint64_t requests = 0;
      for (std::size_t i = 0; i < events->size(); ++i) {
        const bool request = i % 50 == 49;
        const Event expected = request ? finished_event(i, i / 50) : token_event(i);
        QVERIFY(to_json((*events)[i]) == to_json(expected));
        requests += request ? 1 : 0;
      }
      lengths[run_id] = events->size();
      auto runs = (*stores)->runs().runs();
      QCOMPARE(runs->size(), lengths.size());
      QCOMPARE(runs->back().finished_utc_ns, std::int64_t{0});
      QCOMPARE(runs->back().requests, requests);
      for (const auto& [earlier, length] : lengths) QCOMPARE((*stores)->runs().events(earlier)->size(), length);
      QCOMPARE((*stores)->profiles().load_profiles(sample_scope())->size(), std::size_t{12});
    }
  }

  void aKillWhileTheFileIsMadeLeavesAFileThatOpens() {
    Random random(43);
    const QTemporaryDir folder;
    for (int round = 0; round < 20; ++round) {
      const std::string path = folder.filePath(QString("fresh%1.sqlite").arg(round)).toStdString();
      const pid_t child = fork();
      if (child == 0) {
        auto stores = open_stores(path, StoreAccess::read_write, machine_clock());
        _exit(stores ? 0 : 1);
      }
      usleep(static_cast<useconds_t>(random.below(12000)));
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
      auto stores = open_stores(path, StoreAccess::read_write, machine_clock());
      QVERIFY2(stores, stores ? "" : stores.error().message.c_str());
      QVERIFY((*stores)->runs().begin_run("after", Json::object()));
    }
  }
};

KV_TEST_GUILESS_MAIN(JournalKillTest)

}  // namespace journal_kill_test

#include "journal_kill_test.moc"
