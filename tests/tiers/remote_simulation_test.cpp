// links: kv_base kv_tiers
// Several workbenches on one server, in virtual time: writes, reads and erases that overlap, requests and answers that
// are lost on the way, outages of the server, workbenches that end at any moment and others that open. Every read is
// checked against what was written before: whole, of one version, and not one that was replaced long ago. Some order of
// the operations of each entry explains all reads (tests/support/linear_history.h). What was acknowledged and not
// touched again is there for everybody who comes later, and when all is erased nothing is left.
#include <QtTest>

#include <limits>

#include "tests/support/linear_history.h"
#include "tests/support/memory_redis.h"
#include "tests/support/test_program.h"
#include "tests/support/time_limit.h"
#include "tests/support/virtual_executor.h"
#include "tests/tiers/remote_testing.h"

namespace remote_simulation_test {

using namespace kvantage;
using namespace kvantage::testing;
using kvantage::test::KeyOperation;
using kvantage::test::LinearHistory;
using kvantage::test::MemoryRedis;
using kvantage::test::VirtualExecutor;

namespace {

constexpr int keys = 5;
constexpr std::uint64_t chunk = 4 << 10;
constexpr double unknown = std::numeric_limits<double>::infinity();

std::string name_of(std::uint64_t key) { return "entry " + std::to_string(key); }

/// Their length and every byte follow from the version.
std::shared_ptr<const Bytes> contents(std::uint64_t version) {
  auto bytes = std::make_shared<Bytes>(*random_bytes(version, 600 + version * 7919 % 14'000));
  std::memcpy(bytes->data(), &version, sizeof version);
  return bytes;
}

/// What is wrong between one workbench and the server.
enum class Network { fine, loses_requests, loses_answers };

/// A stream of the server in memory whose requests or answers may be lost.
class LossyStream final : public ByteStream {
 public:
  LossyStream(std::unique_ptr<ByteStream> inner, const Network& network)
      : inner_(std::move(inner)), network_(network) {}

  Expected<std::size_t> read_some(std::span<const iovec> parts, const WaitLimit& limit) override {
    std::unique_lock lock(mutex_);
    while (lost_ || network_ == Network::loses_answers) {
      if (limit.given_up()) return fail(ErrorCode::cancelled, "memory: cancelled");
      if (limit.over()) return fail(ErrorCode::io, "memory: no whole answer in time");
      (void)limit.clock().wait(lock, never_, 0.05, [] { return false; });
    }
    lock.unlock();
    return inner_->read_some(parts, limit);
  }
  Status write_all(std::span<iovec> parts, const WaitLimit& limit) override {
    lost_ = lost_ || network_ != Network::fine;  // an answer that was lost does not come later
    return network_ == Network::loses_requests ? Status() : inner_->write_all(parts, limit);
  }
  bool quiet() const override { return !lost_ && inner_->quiet(); }

 private:
  std::unique_ptr<ByteStream> inner_;
  const Network& network_;
  bool lost_ = false;
  std::mutex mutex_;
  std::condition_variable never_;
};

/// A write or erase. Times are virtual seconds.
struct Change {
  std::uint64_t version = 0;  // 0: an erase
  double begin = 0, end = unknown;
  bool acknowledged = false;  // else it failed, or its workbench crashed
  int bench = 0;
};

class Simulation {
 public:
  explicit Simulation(std::uint64_t seed) : random_(seed) {
    server_.latency_seconds = 1e-4 * static_cast<double>(1 + random_.below(50));
    server_.bytes_per_second = 1e7;
  }

  void run(int actions) {
    for (int i = 0; i < actions && complaint_.empty(); ++i) act();
    settle();
    if (complaint_.empty()) check_the_end();
    if (complaint_.empty()) check_the_orders();
  }
  const std::string& complaint() const { return complaint_; }
  int right = 0, kept = 0, crashes = 0, explained = 0;

 private:
  /// One process: its way to the server, its tier, and what it has in flight.
  struct Bench {
    Bench(Simulation& of, int number) : number(number) {
      RedisStoreOptions options{.transport = of.server_.transport()};
      options.url = *parse_redis_url("redis://memory:6379");
      options.scope = "test";
      options.chunk_bytes = chunk;
      options.timeouts.command_seconds = 2;
      options.transport.open = [this, open = options.transport.open](
                                   const RedisUrl& url,
                                   const WaitLimit& limit) -> Expected<std::unique_ptr<ByteStream>> {
        if (network != Network::fine) return fail(ErrorCode::io, "memory: no route");
        KV_ASSIGN(auto stream, open(url, limit));
        return std::make_unique<LossyStream>(std::move(stream), network);
      };
      auto opened = QueuedTier::open(std::make_unique<RedisStore>("remote", options), 0, 0, of.time_);
      if (!opened) qFatal("%s", opened.error().message.c_str());
      tier = std::move(*opened);
    }
    int number;
    Network network = Network::fine;
    double fine_since = 0;
    double knows = 0;  // all that was acknowledged before this time, whatever goes wrong now
    std::unique_ptr<StorageTier> tier;
    std::map<Ticket, std::pair<std::uint64_t, std::size_t>> writes;  // key and place in its history
    struct Read {
      std::uint64_t key = 0;
      double begin = 0, view = 0;
      std::uint64_t bytes = 0;
    };
    std::map<Ticket, Read> reads;
  };

  double now() const { return time_.clock().seconds(); }
  bool server_fine() const { return server_fine_since_ >= 0; }
  /// Since when nothing was wrong for this workbench; infinity: something is.
  double fine_since(const Bench& bench) const {
    return bench.network == Network::fine && server_fine() ? std::max(bench.fine_since, server_fine_since_) : unknown;
  }

  /// Up to when a workbench has certainly learned what others did. Where nothing is wrong it looks every tenth of a
  /// second, which takes longer while it cleans up. After a fault it may wait two seconds for the answer to a look from
  /// before; then it reconnects, and has looked before it reads.
  double view_of(const Bench& bench) const {
    constexpr double looks = 1.5, recovery = 3.5;
    return now() - fine_since(bench) > recovery ? std::max(bench.knows, now() - looks) : bench.knows;
  }

  void act() {
    collect();
    if (benches_.empty() || (benches_.size() < 4 && random_.below(30) == 0)) {
      const double begin = now();
      benches_.push_back(std::make_unique<Bench>(*this, ++opened_));
      if (server_fine()) benches_.back()->knows = begin;  // it reads the index while it opens
    }
    Bench& bench = *benches_[random_.below(benches_.size())];
    const std::uint64_t key = random_.below(keys), what = random_.below(100);
    if (what < 38) {
      begin_read(bench, key);
    } else if (what < 62) {
      begin_write(bench, key);
    } else if (what < 67) {
      erase(bench, key);
    } else if (what < 70) {
      bench.knows = view_of(bench);
      if (bench.network != Network::fine) bench.fine_since = now();
      bench.network = bench.network != Network::fine ? Network::fine
                      : random_.below(2) == 0        ? Network::loses_requests
                                                     : Network::loses_answers;
    } else if (what < 71) {
      for (const auto& one : benches_) one->knows = view_of(*one);
      server_.set_gone(server_fine());
      server_fine_since_ = server_fine() ? -1 : now();
    } else if (what < 72) {
      crash(bench);
    } else {
      const double pauses[] = {1e-4, 1e-3, 0.01, 0.2, 3, 40};
      time_.pass(pauses[random_.below(what < 98 ? 5 : 6)] * random_.uniform());
    }
  }

  void begin_write(Bench& bench, std::uint64_t key) {
    const std::uint64_t version = ++last_version_;
    const auto bytes = contents(version);
    history_[key].push_back({.version = version, .begin = now(), .bench = bench.number});
    const Ticket ticket = bench.tier->submit_write(info_of(name_of(key), *bytes, 64), bytes, queue_);
    bench.writes[ticket] = {key, history_[key].size() - 1};
  }

  void begin_read(Bench& bench, std::uint64_t key) {
    const auto entries = bench.tier->entries();
    const auto found = std::ranges::find(entries, key_of(name_of(key)), &EntryInfo::key);
    if (found == entries.end()) return;
    // Without checksums: what comes must be whole by itself.
    std::vector<ReadExtent> extents{{0, found->bytes, {}}};
    auto buffers = lease_all(pool_, extents);
    const Ticket ticket = bench.tier->submit_read(found->key, std::move(extents), std::move(buffers), queue_);
    bench.reads[ticket] = {key, now(), view_of(bench), found->bytes};
  }

  void erase(Bench& bench, std::uint64_t key) {
    history_[key].push_back({.begin = now(), .bench = bench.number});
    (void)bench.tier->erase(key_of(name_of(key)));
  }

  // Nothing of it reaches the server any more, whatever its threads still send.
  void crash(Bench& bench) {
    bench.network = Network::loses_requests;
    for (const auto& [ticket, write] : bench.writes) history_[write.first][write.second].end = now();
    std::erase_if(benches_, [&](const std::unique_ptr<Bench>& one) {
      if (one.get() != &bench) return false;
      one->tier.reset();
      return true;
    });
    ++crashes;
  }

  void collect() {
    for (Completion& completion : queue_.poll())
      for (const auto& bench : benches_) {
        if (const auto write = bench->writes.find(completion.ticket); write != bench->writes.end()) {
          Change& change = history_[write->second.first][write->second.second];
          change.acknowledged = completion.status.has_value();
          change.end = time_of(completion);
          if (!completion.status && was_alone(write->second.first, change) && fine_since(*bench) + 12 < change.begin)
            complain("a write failed where nothing was wrong: " + completion.status.error().message);
          bench->writes.erase(write);
        }
        if (const auto read = bench->reads.find(completion.ticket); read != bench->reads.end()) {
          if (completion.status)
            check(*bench, read->second, completion.buffer->bytes().first(read->second.bytes), time_of(completion));
          bench->reads.erase(read);
        }
      }
  }

  static double time_of(const Completion& completion) { return static_cast<double>(completion.pushed_ns) * 1e-9; }

  /// No other change of the key was in progress.
  bool was_alone(std::uint64_t key, const Change& change) const {
    return std::ranges::all_of(history_.at(key), [&](const Change& other) {
      return &other == &change || other.end < change.begin || (other.version == 0 && other.begin + 12 < change.begin);
    });
  }

  void complain(const std::string& what) {
    if (complaint_.empty()) complaint_ = std::to_string(now()) + " s: " + what;
  }

  void check(const Bench& bench, const Bench::Read& read, std::span<const std::byte> bytes, double end) {
    const std::string where = "workbench " + std::to_string(bench.number) + ", " + name_of(read.key);
    std::uint64_t version = 0;
    std::memcpy(&version, bytes.data(), sizeof version);
    const auto& history = history_[read.key];
    const auto written = std::ranges::find(history, version, &Change::version);
    if (version == 0 || written == history.end()) return complain(where + ": bytes that nobody wrote there");
    if (!std::ranges::equal(bytes, *contents(version))) return complain(where + ": not all bytes of one version");
    ++right;
    reads_[read.key].push_back({.client = bench.number,
                                .version = version,
                                .begin = read.begin,
                                .end = end,
                                .view = std::min(read.view, read.begin)});
    // Where nothing was wrong, a workbench learns of changes within the time between two looks.
    constexpr double looks = 1.5;
    for (const Change& later : history)
      if (later.version > 0 && later.acknowledged && written->acknowledged && later.begin > written->end &&
          later.end + looks < read.begin && fine_since(bench) < later.end)
        return complain(where + ": a version that was replaced " + std::to_string(read.begin - later.end) + " s ago");
  }

  // All faults end; what is in flight comes to its end.
  void settle() {
    if (!server_fine()) server_.set_gone(false), server_fine_since_ = now();
    for (const auto& bench : benches_) {
      if (bench->network != Network::fine) bench->fine_since = now();
      bench->network = Network::fine;
    }
    for (int second = 0; second < 20; ++second) time_.pass(1), collect();
    for (const auto& bench : benches_)
      if (!bench->writes.empty() || !bench->reads.empty()) complain("something in flight never ends");
  }

  void check_the_end() {
    {
      Bench late(*this, ++opened_);
      time_.pass(1);
      for (auto& [key, history] : history_) {
        if (history.empty() || !is_settled(history)) continue;
        const Change& last = history.back();
        const auto bytes = contents(last.version);
        ReadOutcome outcome;
        const std::vector<ReadExtent> extents{extent_of(*bytes, 0, bytes->size())};
        (void)queue_.poll();
        late.tier->submit_read(key_of(name_of(key)), extents, lease_all(pool_, extents), queue_);
        const auto done = queue_.wait(100);
        if (done.size() != 1 || !done[0].status)
          return complain(name_of(key) + ": version " + std::to_string(last.version) + ", acknowledged, is lost");
        ++kept;
      }
    }
    // Erased by whoever may: workbenches that wrote what is there, then one that comes when all leases are over.
    for (const auto& bench : benches_)
      for (std::uint64_t key = 0; key < keys; ++key) (void)bench->tier->erase(key_of(name_of(key)));
    time_.pass(2);
    benches_.clear();
    time_.pass(100);
    {
      Bench last(*this, ++opened_);
      time_.pass(40);
      for (std::uint64_t key = 0; key < keys; ++key) (void)last.tier->erase(key_of(name_of(key)));
      time_.pass(40);
    }
    {
      Bench sweeper(*this, ++opened_);
      time_.pass(100);
    }
    for (const char* what : {":index", ":unfinished"})
      if (server_.fields(what) > 0) complain(std::to_string(server_.fields(what)) + " fields left of " + what);
    if (server_.chunks() > 0) complain(std::to_string(server_.chunks()) + " chunks left");
  }

  /// A failed write may have taken effect. An erase promises only that this workbench does not read the version again.
  void check_the_orders() {
    for (const auto& [key, history] : history_) {
      std::vector<KeyOperation> operations = reads_[key];
      for (const Change& change : history) {
        const bool erases = change.version == 0;
        operations.push_back({.kind = erases ? KeyOperation::Kind::forget : KeyOperation::Kind::put,
                              .client = change.bench,
                              .version = change.version,
                              .begin = change.begin,
                              .end = erases                ? change.begin
                                     : change.acknowledged ? change.end
                                                           : KeyOperation::never});
      }
      if (const std::string why = LinearHistory(operations).unexplained(); !why.empty())
        complain(name_of(key) + ": " + why);
      explained += static_cast<int>(operations.size());
    }
  }

  /// Its newest change is an acknowledged write, begun when all other writes had ended. An erase is of a version that
  /// was there when it began.
  static bool is_settled(const std::vector<Change>& history) {
    const Change& last = history.back();
    return last.version > 0 && last.acknowledged && std::ranges::all_of(history, [&](const Change& change) {
             return &change == &last || change.version == 0 || change.end < last.begin;
           });
  }

  VirtualExecutor time_;
  MemoryRedis server_{time_};
  BufferPool pool_{std::size_t{64} << 20};
  CompletionQueue queue_{time_.clock()};
  Random random_;
  std::vector<std::unique_ptr<Bench>> benches_;
  std::map<std::uint64_t, std::vector<Change>> history_;
  std::map<std::uint64_t, std::vector<KeyOperation>> reads_;  // that succeeded
  double server_fine_since_ = 0;                              // below 0: it is gone
  std::uint64_t last_version_ = 0;
  int opened_ = 0;
  std::string complaint_;
};

}  // namespace

class RemoteSimulationTest : public QObject {
  Q_OBJECT

 private slots:
  // KVANTAGE_LONG=1: 100,000 seeds instead of 1,000. KVANTAGE_SEED=N: that one alone.
  void nothingIsWrongAndNothingLost() {
    const auto given = qEnvironmentVariableIntValue("KVANTAGE_SEED");
    const int seeds = given > 0 ? 1 : qEnvironmentVariableIntValue("KVANTAGE_LONG") > 0 ? 100'000 : 1000;
    std::size_t right = 0, kept = 0, crashes = 0, explained = 0;
    for (int i = 0; i < seeds; ++i) {
      const auto seed = static_cast<std::uint64_t>(given > 0 ? given : i + 1);
      Simulation simulation(seed);
      simulation.run(300);
      QVERIFY2(simulation.complaint().empty(),
               qPrintable(QString("seed %1: %2").arg(seed).arg(simulation.complaint().c_str())));
      right += static_cast<std::size_t>(simulation.right);
      kept += static_cast<std::size_t>(simulation.kept);
      crashes += static_cast<std::size_t>(simulation.crashes);
      explained += static_cast<std::size_t>(simulation.explained);
    }
    qInfo(
        "%d seeds: %zu reads right, %zu acknowledged versions found at the end, %zu workbenches crashed, an order for "
        "%zu operations",
        seeds, right, kept, crashes, explained);
    if (seeds > 100)
      QVERIFY(right > static_cast<std::size_t>(seeds) && kept > static_cast<std::size_t>(seeds / 4) && crashes > 100);
  }
};

KV_TEST_PROGRAM(argc, argv) {
  test::lift_time_limit_of_long_runs();
  return test::run_test<RemoteSimulationTest, QCoreApplication>(argc, argv);
}

}  // namespace remote_simulation_test

#include "remote_simulation_test.moc"
