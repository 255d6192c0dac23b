// links: kv_base kv_tiers
// Tiers in a bucket, against moto's server: what is stored comes back, whatever others and the server do.
#include "tests/support/test_program.h"
#include "tests/tiers/s3_testing.h"

namespace s3_store_test {

using namespace kvantage;
using namespace kvantage::testing;
using kvantage::test::S3Server;

const QString needs_s3 = QStringLiteral("built without S3");

class S3StoreTest : public QObject {
  Q_OBJECT
  std::unique_ptr<S3Server> server_;
  BufferPool pool_{std::size_t{64} << 20};

  S3StoreOptions options(const char* prefix) const { return bucket_options(server_->url(prefix)); }

 private slots:
  void initTestCase() {
    if (!has_s3()) QSKIP(qPrintable(needs_s3));
    if (const QString why = S3Server::missing(); !why.isEmpty()) QSKIP(qPrintable(why));
    server_ = std::make_unique<S3Server>();
  }

  void entriesComeBackWholeAndInParts() {
    const auto tier = open_bucket_tier(options("whole"));
    QVERIFY(tier->reachable());
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{4096}, std::size_t{100'001}, std::size_t{5'000'000}}) {
      const std::string name = "entry-" + std::to_string(bytes);
      const auto written = random_bytes(bytes, bytes);
      const Status stored = write_entry(*tier, name, written);
      QVERIFY2(stored, stored ? "" : stored.error().message.c_str());
      const auto read = read_entry(*tier, pool_, name, *written);
      QVERIFY2(read.ok(), name.c_str());
      QVERIFY(read.extents.front() == *written);
    }
    // In any order, with small and large gaps, and overlapping.
    const auto written = random_bytes(5'000'000, 5'000'000);
    const std::vector<ReadExtent> extents{
        extent_of(*written, 0, 4096),           extent_of(*written, 5000, 100),
        extent_of(*written, 4'000'000, 70'000), extent_of(*written, 100'000, 1'000'000),
        extent_of(*written, 100'100, 10),       extent_of(*written, 4'999'999, 1)};
    const auto parts = read_extents(*tier, pool_, "entry-5000000", extents);
    QVERIFY(parts.ok());
    QCOMPARE(parts.extents.size(), extents.size());
    for (std::size_t i = 0; i < extents.size(); ++i) {
      const auto expected = std::span(*written).subspan(extents[i].offset, extents[i].bytes);
      QVERIFY2(std::ranges::equal(parts.extents[i], expected), std::to_string(i).c_str());
    }
    QCOMPARE(tier->statistics().writes, std::uint64_t{4});
    QVERIFY(tier->statistics().misses.empty());
  }

  void anotherStartFindsTheEntries() {
    const auto first = random_bytes(1, 30'000), second = random_bytes(2, 40'000);
    const std::string long_label(300'000, 'l');
    {
      const auto tier = open_bucket_tier(options("again"));
      QVERIFY(write_entry(*tier, "first", first));
      QVERIFY(write_entry(*tier, "second", second));
      CompletionQueue queue(tier->executor().clock());
      EntryInfo info = info_of("labeled", *first);
      info.label = long_label;
      tier->submit_write(info, first, queue);
      QVERIFY(queue.wait(60).at(0).status);
      QVERIFY(tier->erase(key_of("second")));
    }
    QCOMPARE(server_->names("again/").size(), 2);  // no sign of a workbench stays behind
    const auto tier = open_bucket_tier(options("again"));
    QCOMPARE(tier->statistics().recovered, std::uint64_t{2});
    QCOMPARE(tier->used_bytes(), std::uint64_t{60'000});
    QVERIFY(tier->contains(key_of("first")) && !tier->contains(key_of("second")));
    const auto entries = tier->entries();
    const auto labeled = std::ranges::find(entries, key_of("labeled"), &EntryInfo::key);
    QVERIFY(labeled != entries.end() && labeled->label == long_label && labeled->header_bytes == 4096);
    QVERIFY(read_entry(*tier, pool_, "first", *first).extents.front() == *first);
    // Another model's are not seen.
    auto others = options("again");
    others.scope = "other/model";
    QCOMPARE(open_bucket_tier(others)->statistics().recovered, std::uint64_t{0});
  }

  void aWrongByteIsAMissAndTheEntryGoes_data() {
    QTest::addColumn<int>("at");
    QTest::addColumn<bool>("noticed_at_once");  // the header no longer describes an entry
    QTest::newRow("first of the bytes") << 4096 << false;
    QTest::newRow("last") << -1 << false;
    QTest::newRow("store header") << 20 << true;
  }
  void aWrongByteIsAMissAndTheEntryGoes() {
    QFETCH(int, at);
    QFETCH(bool, noticed_at_once);
    const std::string prefix = "wrong" + std::to_string(at);
    auto slow = options(prefix.c_str());
    slow.poll_seconds = 3600;  // nothing but reads looks at the bucket
    const auto tier = open_bucket_tier(slow);
    const auto written = random_bytes(3, 50'000);
    QVERIFY(write_entry(*tier, "e", written));
    const QStringList names = server_->names(QString::fromStdString(prefix) + "/v1/test/e/");
    QCOMPARE(names.size(), 1);
    server_->flip(names.front(), at);
    // Another object under its name: not the bytes that were written.
    const auto first = read_entry(*tier, pool_, "e", *written);
    QVERIFY(!first.ok());
    if (!noticed_at_once) {
      QCOMPARE(misses(*tier, "replaced"), std::uint64_t{1});
      const auto second = read_entry(*tier, pool_, "e", *written);
      QVERIFY(!second.ok());
      QCOMPARE(misses(*tier, "checksum"), std::uint64_t{1});
      QVERIFY(eventually([&] { return server_->names(names.front()).isEmpty(); }));
    } else {
      QCOMPARE(misses(*tier, "missing"), std::uint64_t{1});
    }
    QVERIFY(!tier->contains(key_of("e")));
    QCOMPARE(tier->statistics().dropped, std::uint64_t{1});
    QVERIFY(tier->reachable());
  }

  void anObjectThatIsGoneIsAMiss() {
    auto slow = options("gone");
    slow.poll_seconds = 3600;
    const auto tier = open_bucket_tier(slow);
    const auto written = random_bytes(4, 10'000);
    QVERIFY(write_entry(*tier, "e", written));
    server_->call("delete_object(Bucket=bucket, Key='" + server_->names("gone/v1/test/e/").front() + "')");
    QVERIFY(!read_entry(*tier, pool_, "e", *written).ok());
    QCOMPARE(misses(*tier, "missing"), std::uint64_t{1});
    QVERIFY(!tier->contains(key_of("e")) && tier->reachable());
  }

  void workbenchesSeeEachOther() {
    const auto one = open_bucket_tier(options("shared")), other = open_bucket_tier(options("shared"));
    const auto first = random_bytes(5, 20'000), second = random_bytes(6, 25'000);
    QVERIFY(write_entry(*one, "e", first));
    QVERIFY(eventually([&] { return other->contains(key_of("e")); }));
    QVERIFY(read_entry(*other, pool_, "e", *first).ok());
    QCOMPARE(other->statistics().appeared, std::uint64_t{1});
    // The same again: nobody's entry is disturbed.
    QVERIFY(write_entry(*other, "e", first));
    QVERIFY(read_entry(*one, pool_, "e", *first).ok());
    // Another version: the first read of the old one is a miss, the next one finds it.
    QVERIFY(write_entry(*other, "e", second));
    (void)read_entry(*one, pool_, "e", *first);
    QVERIFY(eventually([&] { return read_entry(*one, pool_, "e", *second).ok(); }));
    QVERIFY(read_entry(*other, pool_, "e", *second).ok());
  }

  void erasedEntriesStayForOthersWhoUseTheStore() {
    const auto written = random_bytes(7, 20'000);
    {
      const auto one = open_bucket_tier(options("left")), other = open_bucket_tier(options("left"));
      QVERIFY(write_entry(*one, "e", written));
      QVERIFY(eventually([&] { return other->contains(key_of("e")); }));
      QVERIFY(one->erase(key_of("e")));
      QVERIFY(!one->contains(key_of("e")));
      QTest::qSleep(300);  // several looks
      QVERIFY(!one->contains(key_of("e")));
      QVERIFY(read_entry(*other, pool_, "e", *written).ok());
      // Written again, it is there again.
      QVERIFY(write_entry(*one, "e", written));
      QVERIFY(read_entry(*one, pool_, "e", *written).ok());
    }
    const auto alone = open_bucket_tier(options("left"));
    QCOMPARE(alone->statistics().recovered, std::uint64_t{1});
    QVERIFY(alone->erase(key_of("e")));
    QVERIFY(eventually([&] { return server_->names("left/v1/test/e/").isEmpty(); }));
  }

  void writtenAgainRightAfterTheErase() {
    const auto tier = open_bucket_tier(options("rewritten"));
    const auto written = random_bytes(8, 20'000);
    for (int i = 0; i < 20; ++i) {
      QVERIFY(write_entry(*tier, "e", written));
      QVERIFY(tier->erase(key_of("e")));
    }
    QVERIFY(write_entry(*tier, "e", written));
    QTest::qSleep(200);
    QVERIFY(read_entry(*tier, pool_, "e", *written).ok());
    QCOMPARE(server_->names("rewritten/v1/test/e/").size(), 1);
  }

  // An erased version is deleted once nobody reads it; one that is replaced is gone at once, and its reads are misses.
  void readsInFlightGiveRightBytesOrAMiss() {
    const auto tier = open_bucket_tier(options("pinned"));
    for (std::uint64_t round = 0; round < 20; ++round) {
      const auto bytes = random_bytes(round, 500'000);
      QVERIFY(write_entry(*tier, "e", bytes));
      const std::vector<ReadExtent> extents{extent_of(*bytes, 0, 100'000), extent_of(*bytes, 100'000, 400'000)};
      CompletionQueue queue(system_executor().clock());
      tier->submit_read(key_of("e"), extents, lease_all(pool_, extents), queue);
      const bool erased = round % 2 == 0;
      if (erased)
        QVERIFY(tier->erase(key_of("e")));
      else
        QVERIFY(write_entry(*tier, "e", random_bytes(round + 1000, 500'000)));
      const ReadOutcome outcome = collect(queue, extents);
      QVERIFY(outcome.ok() || (!erased && outcome.code() == ErrorCode::not_found));
      for (std::size_t i = 0; i < outcome.extents.size(); ++i)
        QVERIFY(!outcome.statuses[i] ||
                std::ranges::equal(outcome.extents[i], std::span(*bytes).subspan(extents[i].offset, extents[i].bytes)));
    }
    QVERIFY(tier->reachable());
    QCOMPARE(pool_.leased_bytes(), std::size_t{0});
  }

  void cancelledTransfersLeaveNothing() {
    const auto tier = open_bucket_tier(options("cancelled"), 1'000'000);
    const auto bytes = random_bytes(11, 900'000);
    QVERIFY(write_entry(*tier, "e", bytes));
    QCOMPARE(write_entry(*tier, "f", bytes).error().code, ErrorCode::no_space);
    const std::vector<ReadExtent> extents{extent_of(*bytes, 0, 900'000)};
    CompletionQueue queue(system_executor().clock());
    std::size_t cancelled = 0;
    for (int round = 0; round < 20; ++round) {
      tier->cancel(tier->submit_read(key_of("e"), extents, lease_all(pool_, extents), queue));
      const auto done = queue.wait(60);
      QCOMPARE(done.size(), std::size_t{1});
      if (done[0].status) continue;
      QCOMPARE(done[0].status.error().code, ErrorCode::cancelled);
      ++cancelled;
    }
    QVERIFY(cancelled > 0);
    for (int round = 0; round < 20; ++round) {
      const Ticket ticket = tier->submit_write(info_of("e", *bytes), random_bytes(100, 900'000), queue);
      QVERIFY(tier->erase(key_of("e")));
      QCOMPARE(queue.wait(60).at(0).ticket, ticket);
      QVERIFY(!tier->contains(key_of("e")));
    }
    QVERIFY(tier->reachable());
    QVERIFY(write_entry(*tier, "e", bytes));
    QVERIFY(read_entry(*tier, pool_, "e", *bytes).ok());
    QCOMPARE(pool_.leased_bytes(), std::size_t{0});
  }

  void sealedEntriesNeedTheirKey() {
    BlockDigest digest{};
    digest.fill(std::byte{7});
    auto sealed = options("sealed");
    sealed.seal_key = std::make_shared<const SealKey>(digest);
    const auto written = random_bytes(9, 300'000);
    {
      const auto tier = open_bucket_tier(sealed);
      QVERIFY(write_entry(*tier, "e", written));
      QVERIFY(read_entry(*tier, pool_, "e", *written).ok());
      const auto part = extent_of(*written, 70'000, 100'000);
      const auto middle = read_extents(*tier, pool_, "e", {extent_of(*written, 10, 90), part});
      QVERIFY(middle.ok() && std::ranges::equal(middle.extents[1], std::span(*written).subspan(70'000, 100'000)));
    }
    {
      const auto tier = open_bucket_tier(sealed);
      QCOMPARE(tier->statistics().recovered, std::uint64_t{1});
      QVERIFY(read_entry(*tier, pool_, "e", *written).ok());
    }
    const auto without = QueuedTier::open(std::make_unique<S3Store>("s3", options("sealed")), 0, 0, system_executor());
    QVERIFY(!without && without.error().code == ErrorCode::rejected_input);
    QVERIFY2(without.error().message.find("add seal_key_file=FILE") != std::string::npos,
             without.error().message.c_str());
    digest.fill(std::byte{8});
    sealed.seal_key = std::make_shared<const SealKey>(digest);
    const auto other_key = open_bucket_tier(sealed);
    QCOMPARE(other_key->statistics().recovered, std::uint64_t{0});
    QCOMPARE(other_key->statistics().unsealed, std::uint64_t{1});
  }

  void wrongBucketsAreRefusedWhenOpening() {
    auto wrong = options("x");
    wrong.access.url.bucket = "no-such-bucket";
    const auto tier = QueuedTier::open(std::make_unique<S3Store>("s3", wrong), 0, 0, system_executor());
    QVERIFY(!tier && tier.error().code == ErrorCode::rejected_input);
    QVERIFY2(tier.error().message.find("404 NoSuchBucket") != std::string::npos, tier.error().message.c_str());
  }

  // Last: the bucket is empty afterwards.
  void aServerThatDiesIsNoError() {
    const auto tier = open_bucket_tier(options("dies"));
    const auto written = random_bytes(10, 20'000);
    QVERIFY(write_entry(*tier, "e", written));
    server_->kill();
    QElapsedTimer timer;
    timer.start();
    const auto read = read_entry(*tier, pool_, "e", *written);
    QVERIFY(!read.ok());
    QVERIFY(!write_entry(*tier, "f", written));
    QCOMPARE(misses(*tier, "unavailable"), std::uint64_t{1});
    QVERIFY(timer.elapsed() < 20000);
    QVERIFY(!tier->reachable() && tier->contains(key_of("e")));  // it may be intact
    QVERIFY(tier->describe().note.find("not reachable: ") == 0);
    // A tier opened now starts empty, and fills once the server is there.
    const auto late = open_bucket_tier(options("dies"));
    QVERIFY(!late->reachable());
    server_->start();
    QVERIFY(eventually([&] { return tier->reachable() && late->reachable(); }));
    QVERIFY(eventually([&] { return !tier->contains(key_of("e")); }));  // a new bucket
    QVERIFY(write_entry(*tier, "e", written));
    QVERIFY(eventually([&] { return late->contains(key_of("e")); }));
    QVERIFY(read_entry(*late, pool_, "e", *written).ok());
  }
};

KV_TEST_APPLESS_MAIN(S3StoreTest)

}  // namespace s3_store_test

#include "s3_store_test.moc"
