// links: kv_base kv_tiers
// The remote tier in virtual time, over a server in memory: what reads and writes take, time-outs to the microsecond,
// pauses between attempts, and random work of two workbenches under outages. The server's answers are compared with
// those of redis-server.
#include <QtTest>

#include "tests/support/memory_redis.h"
#include "tests/support/test_program.h"
#include "tests/support/virtual_executor.h"
#include "tests/tiers/remote_testing.h"

namespace remote_virtual_test {

using namespace kvantage;
using namespace kvantage::testing;
using kvantage::test::MemoryRedis;
using kvantage::test::RedisServer;
using kvantage::test::VirtualExecutor;

/// Text that nobody asked for: `more`, behind the answer to each command that contains `after`.
struct Talk {
  std::string after, more;
};

class TalkativeStream final : public ByteStream {
 public:
  TalkativeStream(std::unique_ptr<ByteStream> inner, const Talk& talk) : inner_(std::move(inner)), talk_(talk) {}

  Expected<std::size_t> read_some(std::span<const iovec> parts, const WaitLimit& limit) override {
    KV_ASSIGN(const std::size_t bytes, inner_->read_some(parts, limit));
    const std::span<char> first(static_cast<char*>(parts[0].iov_base), parts[0].iov_len);
    if (!talks_ || !inner_->quiet() || bytes + talk_.more.size() > first.size()) return bytes;
    talks_ = false;
    std::memcpy(first.data() + bytes, talk_.more.data(), talk_.more.size());
    return bytes + talk_.more.size();
  }
  Status write_all(std::span<iovec> parts, const WaitLimit& limit) override {
    std::string text;
    for (const iovec& part : parts) text.append(static_cast<const char*>(part.iov_base), part.iov_len);
    talks_ = text.find(talk_.after) != std::string::npos;
    return inner_->write_all(parts, limit);
  }
  bool quiet() const override { return inner_->quiet(); }

 private:
  std::unique_ptr<ByteStream> inner_;
  const Talk& talk_;
  bool talks_ = false;
};

/// A server and workbenches on it; everything waits in virtual time.
struct World {
  VirtualExecutor time;
  MemoryRedis server{time};
  BufferPool pool{std::size_t{64} << 20};

  RedisStoreOptions options() {
    RedisStoreOptions options{.transport = server.transport()};
    options.url = *parse_redis_url("redis://memory:6379");
    options.scope = "test";
    options.chunk_bytes = 64 << 10;
    return options;
  }
  std::unique_ptr<StorageTier> open() {
    auto tier = QueuedTier::open(std::make_unique<RedisStore>("remote", options()), 0, 0, time);
    if (!tier) qFatal("%s", tier.error().message.c_str());
    return std::move(*tier);
  }
  Status write(StorageTier& tier, const std::string& name, std::shared_ptr<const Bytes> bytes) {
    CompletionQueue queue(time.clock());
    tier.submit_write(info_of(name, *bytes), bytes, queue);
    const auto done = queue.wait(1000);
    return done.size() == 1 ? done[0].status : fail(ErrorCode::internal, "test: no completion");
  }
  ReadOutcome read(StorageTier& tier, const std::string& name, const Bytes& expected) {
    CompletionQueue queue(time.clock());
    const std::vector<ReadExtent> extents{extent_of(expected, 0, expected.size())};
    tier.submit_read(key_of(name), extents, lease_all(pool, extents), queue);
    ReadOutcome outcome;
    for (const Completion& completion : queue.wait(1000)) {
      outcome.statuses.push_back(completion.status);
      outcome.device_seconds += completion.device_seconds;
      if (!completion.status) continue;
      const auto got = completion.buffer->bytes().first(expected.size());
      outcome.extents.emplace_back(got.begin(), got.end());
    }
    return outcome;
  }
  double seconds() const { return time.clock().seconds(); }
};

class RemoteVirtualTest : public QObject {
  Q_OBJECT

  int right_ = 0;  // reads of all seeds

 private slots:
  void whatIsStoredIsReadInTheTimeOfTheServer() {
    World world;
    world.server.latency_seconds = 0.01;
    world.server.bytes_per_second = 1e7;
    const auto tier = world.open();
    const auto bytes = random_bytes(1, 1'000'000);
    QVERIFY(world.write(*tier, "entry", bytes));
    const ReadOutcome outcome = world.read(*tier, "entry", *bytes);
    QVERIFY(outcome.ok() && outcome.extents[0] == *bytes);
    // 16 chunks of 64 KiB, one behind the other on one connection.
    const double expected = 16 * 0.01 + 1e6 / 1e7;
    QVERIFY2(std::abs(outcome.device_seconds / expected - 1) < 0.05,
             qPrintable(QString::number(outcome.device_seconds)));
  }

  void aSilentServerEndsACommandAtItsLimit() {
    World world;
    const auto tier = world.open();
    const auto bytes = random_bytes(2, 100'000);
    QVERIFY(world.write(*tier, "entry", bytes));
    world.server.set_silent(true);
    const double begun = world.seconds();
    const ReadOutcome outcome = world.read(*tier, "entry", *bytes);
    QVERIFY(!outcome.ok());
    const double waited = world.seconds() - begun;
    QVERIFY2(waited >= 5 && waited < 5.02, qPrintable(QString::number(waited)));
    // While it is out of reach nobody waits.
    const double again = world.seconds();
    QVERIFY(!world.read(*tier, "entry", *bytes).ok());
    QVERIFY(world.seconds() - again < 0.001);
    world.server.set_silent(false);
    world.time.pass(12);  // a command of the watch may wait for 5 s, and a pause is at most 5 s
    const ReadOutcome back = world.read(*tier, "entry", *bytes);
    QVERIFY(back.ok() && back.extents[0] == *bytes);
  }

  void aServerThatIsGoneIsTriedAgainWithGrowingPauses() {
    World world;
    std::vector<double> attempts;
    RedisStoreOptions options = world.options();
    options.transport.open = [&, open = options.transport.open](const RedisUrl& url, const WaitLimit& limit) {
      attempts.push_back(world.seconds());
      return open(url, limit);
    };
    world.server.set_gone(true);
    auto opened = QueuedTier::open(std::make_unique<RedisStore>("remote", options), 0, 0, world.time);
    QVERIFY(opened);
    world.time.pass(20);
    QVERIFY(attempts.size() > 6);
    double pause = options.first_pause_seconds;
    for (std::size_t i = 2; i < attempts.size(); ++i) {
      const double waited = attempts[i] - attempts[i - 1];
      pause = std::min(2 * pause, options.longest_pause_seconds);
      QVERIFY2(waited > pause - 1e-6 && waited < pause + 0.001, qPrintable(QString("%1: %2").arg(i).arg(waited)));
    }
    world.server.set_gone(false);
    world.time.pass(6);
    QVERIFY((*opened)->reachable());
  }

  // It would be the reply to the next command. A part of a reply counts as well.
  void aConnectionWithTextBehindAReplyIsNotUsedAgain_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addRow("a reply") << QByteArray("+OK\r\n");
    QTest::addRow("two replies") << QByteArray(":1\r\n$-1\r\n");
    QTest::addRow("an invalid reply") << QByteArray(":no number\r\n");
    QTest::addRow("a part of a reply") << QByteArray("$");
    QTest::addRow("a part of a list") << QByteArray("*2\r\n:1\r\n");
  }
  void aConnectionWithTextBehindAReplyIsNotUsedAgain() {
    QFETCH(const QByteArray, text);
    World world;
    Talk talk{"PING", ""};
    RedisStoreOptions options = world.options();
    options.transport.open = [&, open = options.transport.open](
                                 const RedisUrl& url, const WaitLimit& limit) -> Expected<std::unique_ptr<ByteStream>> {
      KV_ASSIGN(auto inner, open(url, limit));
      return std::make_unique<TalkativeStream>(std::move(inner), talk);
    };
    const auto connection = RedisConnection::connect(options.url, {}, options.transport);
    QVERIFY(connection && (*connection)->alive());
    talk.more = text.toStdString();
    QVERIFY((*connection)->command({"GET", "none"}) && (*connection)->alive());
    QVERIFY((*connection)->command({"PING"}) && !(*connection)->alive());

    // Behind the last answer of a write: the next write is not refused.
    talk.after = redis_scripts::commit;
    const auto tier = QueuedTier::open(std::make_unique<RedisStore>("remote", options), 0, 0, world.time);
    QVERIFY(tier);
    for (std::uint64_t i = 0; i < 3; ++i) {
      const auto bytes = random_bytes(i, 50'000);
      const std::string name = std::to_string(i);
      const Status written = world.write(**tier, name, bytes);
      QVERIFY2(written, written ? "" : written.error().message.c_str());
      const ReadOutcome outcome = world.read(**tier, name, *bytes);
      QVERIFY(outcome.ok() && outcome.extents[0] == *bytes);
    }
  }

  // Two workbenches at random; contents of a key never change. The same seed gives the same commands and answers.
  void randomWorkUnderOutagesReadsRightBytesOrNone_data() {
    QTest::addColumn<quint64>("seed");
    for (quint64 seed = 1; seed <= 20; ++seed) QTest::addRow("seed %llu", seed) << seed;
  }
  void randomWorkUnderOutagesReadsRightBytesOrNone() {
    QFETCH(const quint64, seed);
    std::vector<std::pair<MemoryRedis::Words, std::string>> first;
    for (int round = 0; round < 2; ++round) {
      World world;
      auto& log = world.server.log();
      int right = 0;
      {
        const std::unique_ptr<StorageTier> tiers[2]{world.open(), world.open()};
        Random random(seed);
        for (int i = 0; i < 150; ++i) {
          StorageTier& tier = *tiers[random.below(2)];
          const std::uint64_t key = random.below(8), action = random.below(20);
          const std::string name = std::to_string(key);
          const auto bytes = random_bytes(key, 20'000 + key * 31'337);
          if (action < 9) {
            const ReadOutcome outcome = world.read(tier, name, *bytes);
            if (outcome.ok()) QVERIFY(outcome.extents[0] == *bytes);
            right += outcome.ok() ? 1 : 0;
          } else if (action < 15) {
            (void)world.write(tier, name, bytes);
          } else if (action < 17) {
            (void)tier.erase(key_of(name));
          } else if (action == 17) {
            world.server.set_silent(random.below(2) == 0);
          } else if (action == 18) {
            world.server.set_gone(random.below(2) == 0);
          } else {
            world.time.pass(static_cast<double>(random.below(8)));
          }
        }
        world.server.set_silent(false);
        world.server.set_gone(false);
        world.time.pass(12);
        for (int key = 0; key < 8; ++key)
          for (const auto& tier : tiers) (void)tier->erase(key_of(std::to_string(key)));
        world.time.pass(1);
      }
      right_ += right;
      {
        const auto late = world.open();  // sweeps what was left unfinished, once the leases are over
        world.time.pass(100);
      }
      QCOMPARE(world.server.fields(":index"), std::size_t{0});
      QCOMPARE(world.server.chunks(), std::size_t{0});
      if (round == 0) first = log;
      QCOMPARE(log.size(), first.size());
    }
  }

  // Outages do not keep everything away.
  void readsWereRight() { QVERIFY2(right_ > 50, qPrintable(QString::number(right_))); }

  void itsAnswersAreThoseOfRedisServer() {
    if (const QString missing = RedisServer::missing(); !missing.isEmpty()) QSKIP(qPrintable(missing));
    World world;
    auto& log = world.server.log();
    {
      const std::unique_ptr<StorageTier> tiers[2]{world.open(), world.open()};
      Random random(7);
      for (int i = 0; i < 120; ++i) {
        StorageTier& tier = *tiers[random.below(2)];
        const std::uint64_t key = random.below(6), action = random.below(10);
        const auto bytes = random_bytes(key, 20'000 + key * 31'337);
        if (action < 4)
          (void)world.read(tier, std::to_string(key), *bytes);
        else if (action < 8)
          (void)world.write(tier, std::to_string(key), bytes);
        else
          (void)tier.erase(key_of(std::to_string(key)));
        world.time.pass(0.05);
      }
    }
    QVERIFY(log.size() > 200);
    RedisServer server;
    auto connection = RedisConnection::connect(*parse_redis_url(server.url()), {}, {.executor = system_executor()});
    QVERIFY(connection);
    std::size_t held = 0;
    for (const auto& [words, answer] : log) {
      // Leases end by the server's clock, and a hash has no order.
      std::vector<std::string_view> views(words.begin(), words.end());
      const auto reply = (*connection)->command(views);
      QVERIFY(reply);
      if (words[0] == "HGETALL" || words[0] == "SCAN") continue;
      ReplyParser parser;
      QVERIFY(parser.feed(answer));
      const auto ours = parser.next();
      QVERIFY(ours && *ours);
      const std::string what = words[0] + (words.size() > 1 ? " " + words[1].substr(0, 60) : "");
      QVERIFY2((*ours)->kind == reply->kind && (*ours)->integer == reply->integer && (*ours)->text == reply->text,
               (what + ": " + (*ours)->text + " against " + reply->text).c_str());
      ++held;
    }
    QVERIFY(held > 200);
  }
};

KV_TEST_GUILESS_MAIN(RemoteVirtualTest)

}  // namespace remote_virtual_test

#include "remote_virtual_test.moc"
