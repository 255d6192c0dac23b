// links: kv_reports kv_tiers core_kv core_kv_codecs
// kill -9 in the middle of writing, many times over one folder: whatever was acknowledged is there and right, whatever
// is there is right, and no byte of the disk is lost. The child reports each step through a pipe before or after it
// takes it, so the parent knows exactly what may be found. Every other entry is one that holds layer inputs. `--rounds
// N` for longer than the default 50.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <set>

#include "tests/kv/inputs_sample.h"
#include "tests/support/test_program.h"
#include "tests/support/time_limit.h"
#include "tests/tiers/tier_testing.h"
#include "tiers/ssd/ssd_tier.h"
#include "tiers/uring_device.h"

namespace store_kill_test {

using namespace kvantage;
using namespace kvantage::testing;

namespace {

int rounds = 50;
constexpr std::uint64_t names = 16;
constexpr std::uint64_t folder_capacity = 4 << 20;
constexpr std::uint64_t longest_entry = 500000;

struct Step {
  char what = 0;  // w: will write, W: written, N: refused, e: will erase, E: erased
  std::uint64_t name = 0;
  std::uint64_t version = 0;
};

std::shared_ptr<const Bytes> content_of(std::uint64_t name, std::uint64_t version) {
  Random random(derive_seed(name, version));
  if (version % 2 == 1) {
    const int tokens = 1 + static_cast<int>(random.below(96));
    return std::make_shared<const Bytes>(test::StoredInputs(tokens, "layer_inputs", random.next()).bytes);
  }
  return random_bytes(random.next(), 1 + random.below(longest_entry));
}

std::string name_of(std::uint64_t name) { return "entry " + std::to_string(name); }

/// With segments of 1 MiB: several of them, that come, go and are written again while the process is killed.
std::unique_ptr<StorageTier> open_store(const std::string& folder) {
  auto store = SsdStore::open("ssd", folder, make_file_device(), {.segment_bytes = 1 << 20});
  if (!store) qFatal("%s", store.error().message.c_str());
  auto tier = QueuedTier::open(std::move(*store), folder_capacity, 0, system_executor());
  if (!tier) qFatal("%s", tier.error().message.c_str());
  return std::move(*tier);
}

void tell(int pipe, const Step& step) {
  if (::write(pipe, &step, sizeof step) != static_cast<ssize_t>(sizeof step)) ::_exit(1);
}

[[noreturn]] void run_writer(const std::string& folder, std::uint64_t seed, int pipe) {
  tell(pipe, {'r', 0, 0});  // it runs: loading the program takes longer than a round
  const auto tier = open_store(folder);
  Random random(seed);
  CompletionQueue queue(system_executor().clock());
  std::map<Ticket, Step> in_flight;
  for (std::uint64_t version = seed << 32;;) {
    const std::uint64_t name = random.below(names);
    const bool busy =
        std::any_of(in_flight.begin(), in_flight.end(), [&](const auto& item) { return item.second.name == name; });
    if (!busy && random.below(4) == 0) {
      tell(pipe, {'e', name, 0});
      if (!tier->erase(key_of(name_of(name)))) ::_exit(1);
      tell(pipe, {'E', name, 0});
    } else if (!busy) {
      const Step step{'w', name, ++version};
      const auto bytes = content_of(name, version);
      EntryInfo info = info_of(name_of(name), *bytes);
      info.label = std::to_string(name) + " " + std::to_string(version);
      tell(pipe, step);
      in_flight[tier->submit_write(std::move(info), bytes, queue)] = step;
    }
    for (const Completion& completion : in_flight.size() >= 4 ? queue.wait(60) : queue.poll()) {
      Step step = in_flight.at(completion.ticket);
      in_flight.erase(completion.ticket);
      step.what = completion.status ? 'W' : 'N';
      tell(pipe, step);
    }
  }
}

struct Child {
  pid_t process = -1;
  int pipe = -1;
};

Child spawn(const std::vector<std::string>& arguments) {
  int ends[2];
  if (::pipe(ends) != 0) qFatal("no pipe");
  const std::string end = std::to_string(ends[1]);
  const pid_t process = ::fork();
  if (process == 0) {
    ::close(ends[0]);
    std::vector<char*> argv;
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(const_cast<char*>(end.c_str()));
    argv.push_back(nullptr);
    ::execv("/proc/self/exe", argv.data());
    ::_exit(127);
  }
  ::close(ends[1]);
  return {process, ends[0]};
}

/// Takes steps until `deadline` or the end of the pipe.
template <class Take>
bool follow(int pipe, std::chrono::steady_clock::time_point deadline, const Take& take) {
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd item{pipe, POLLIN, 0};
    if (left.count() <= 0 || ::poll(&item, 1, static_cast<int>(left.count())) == 0) return true;
    Step step;
    const ssize_t got = ::read(pipe, &step, sizeof step);
    if (got != static_cast<ssize_t>(sizeof step)) return false;
    take(step);
  }
}

int kill_and_wait(const Child& child) {
  ::kill(child.process, SIGKILL);
  int status = 0;
  ::waitpid(child.process, &status, 0);
  return status;
}

/// What steps of the writers allow to be found, and what was found.
class ExpectedEntries {
 public:
  void take(const Step& step) {
    std::set<std::uint64_t>& versions = allowed_[step.name];
    if (step.what == 'w') versions.insert(step.version);
    if (step.what == 'N') {
      versions.erase(step.version);
      ++refused_;
    }
    if (step.what == 'W') {
      versions = {step.version};
      committed_[step.name] = step.version;
      ++acknowledged_;
    }
    if (step.what == 'e') versions.insert(0);
    // Its row is deleted behind the caller's back, so a kill may still bring the entry back.
    if (step.what == 'E') versions = {0, committed_[step.name]};
  }

  /// Every entry is one that is allowed, with its bytes; from here on just that.
  void check(StorageTier& tier, int round) {
    std::map<std::string, EntryInfo> present;
    for (const EntryInfo& info : tier.entries()) present[info.key.hex()] = info;
    std::size_t known = 0;
    for (std::uint64_t name = 0; name < names; ++name) {
      const auto entry = present.find(key_of(name_of(name)).hex());
      std::uint64_t version = 0;
      if (entry != present.end()) {
        ++known;
        unsigned long long label_name = 0, label_version = 0;
        QCOMPARE(std::sscanf(entry->second.label.c_str(), "%llu %llu", &label_name, &label_version), 2);
        QCOMPARE(static_cast<std::uint64_t>(label_name), name);
        version = label_version;
        const auto expected = content_of(name, version);
        const ReadOutcome outcome = read_entry(tier, pool_, name_of(name), *expected);
        QVERIFY(outcome.ok());
        QVERIFY(outcome.extents[0] == *expected);
        ++found_;
      }
      QVERIFY2(allowed_[name].contains(version),
               qPrintable(QString("round %1: entry %2 has version %3").arg(round).arg(name).arg(version)));
      cut_short_ += allowed_[name].size() > 1;
      allowed_[name] = {version};
      committed_[name] = version;
    }
    QCOMPARE(present.size(), known);
    const TierStatistics statistics = tier.statistics();
    swept_ += statistics.swept_files;
    QCOMPARE(statistics.unreadable_files, std::uint64_t{0});
  }

  void check_totals() const {
    qInfo(
        "%d kills: %llu writes acknowledged, %llu refused for space, %llu entries found right, %llu names with work "
        "cut short, %llu torn or outdated files swept",
        rounds, static_cast<unsigned long long>(acknowledged_), static_cast<unsigned long long>(refused_),
        static_cast<unsigned long long>(found_), static_cast<unsigned long long>(cut_short_),
        static_cast<unsigned long long>(swept_));
    QVERIFY(acknowledged_ > 0 && found_ > 0);
  }

 private:
  BufferPool pool_{64 << 20};
  // Versions that may be found under each name; 0 = none.
  std::vector<std::set<std::uint64_t>> allowed_ = std::vector<std::set<std::uint64_t>>(names, {0});
  std::vector<std::uint64_t> committed_ = std::vector<std::uint64_t>(names, 0);
  std::uint64_t acknowledged_ = 0, refused_ = 0, found_ = 0, swept_ = 0, cut_short_ = 0;
};

}  // namespace

class StoreKillTest : public QObject {
  Q_OBJECT

 private slots:
  void acknowledgedEntriesSurviveKills() {
    QTemporaryDir folder;
    const std::string path = folder.path().toStdString();
    ExpectedEntries expected;
    const auto take = [&](const Step& step) { expected.take(step); };
    Random random(static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()));
    for (int round = 1; round <= rounds; ++round) {
      const Child child = spawn({"store_kill_test", "--writer", path, std::to_string(round)});
      bool runs = false;
      while (!runs)
        QVERIFY(
            follow(child.pipe, std::chrono::steady_clock::now() + std::chrono::milliseconds(5), [&](const Step& step) {
              runs = true;
              take(step);
            }));
      // From before its first write to well within its work.
      const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(5 + random.below(250));
      const bool alive = follow(child.pipe, deadline, take);
      const int status = kill_and_wait(child);
      QVERIFY2(alive && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "the child ended by itself");
      QVERIFY(!follow(child.pipe, std::chrono::steady_clock::now() + std::chrono::seconds(60), take));
      ::close(child.pipe);

      // Sometimes the index is lost as well: what was committed is in the segments.
      if (round % 7 == 0) std::filesystem::remove(path + "/" + index_file_name);
      const auto tier = open_store(path);
      expected.check(*tier, round);
      if (QTest::currentTestFailed()) return;
      QCOMPARE(segment_bytes(path), accounted_bytes(*tier));
      // One that was whole and not committed when the kill came is found, too, beside those whose room it was to have.
      QVERIFY(tier->used_bytes() <= folder_capacity + longest_entry);
    }
    expected.check_totals();
  }

  void oneFolderHasOneWriter() {
    QTemporaryDir folder;
    const std::string path = folder.path().toStdString();
    const Child child = spawn({"store_kill_test", "--writer", path, "1"});
    // Once it reports a step it has the folder.
    bool working = false;
    while (!working)
      QVERIFY(follow(child.pipe, std::chrono::steady_clock::now() + std::chrono::milliseconds(20),
                     [&](const Step& step) { working = step.what != 'r'; }));
    const auto refused = open_here({.name = "ssd", .budget = folder_capacity, .options = {{"path", path}}});
    kill_and_wait(child);
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, ErrorCode::busy);
    const QString message = QString::fromStdString(refused.error().message);
    QVERIFY2(message.contains(QString::fromStdString(path)) && message.contains(QString::number(child.process)) &&
                 !message.contains('\n'),
             qPrintable(message));
    // The lock of a killed process is no lock.
    QVERIFY(open_here({.name = "ssd", .budget = folder_capacity, .options = {{"path", path}}}));
    ::close(child.pipe);
  }

  void oneProcessOpensAFolderOnce() {
    QTemporaryDir folder;
    const TierConfig config{.name = "ssd", .options = {{"path", folder.path().toStdString()}}};
    const auto first = open_here(config);
    QVERIFY(first);
    QCOMPARE(open_here(config).error().code, ErrorCode::busy);
  }
};

KV_TEST_PROGRAM(count, arguments) {
  if (count == 5 && std::strcmp(arguments[1], "--writer") == 0)
    run_writer(arguments[2], std::strtoull(arguments[3], nullptr, 10), std::atoi(arguments[4]));
  if (count >= 3 && std::strcmp(arguments[1], "--rounds") == 0) {
    rounds = std::atoi(arguments[2]);
    kvantage::test::lift_time_limit();
    arguments[2] = arguments[0];
    count -= 2;
    arguments += 2;
  }
  StoreKillTest test;
  return QTest::qExec(&test, count, arguments);
}

}  // namespace store_kill_test

#include "store_kill_test.moc"
