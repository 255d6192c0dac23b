// links: kv_base kv_tiers kv_gpu_device
// What every tier promises, whatever is under it.
#include <thread>

#include "gpu/device/device_accelerator.h"
#include "tests/gpu/host_device_memory.h"
#include "tests/support/redis_server.h"
#include "tests/support/test_program.h"
#include "tests/tiers/tier_testing.h"
#include "tiers/dram_tier.h"
#include "tiers/posix_device.h"
#include "tiers/uring_device.h"

namespace tier_contract_test {

using namespace kvantage;
using namespace kvantage::testing;

class TierContractTest : public QObject {
  Q_OBJECT

 private:
  static void all_tiers() {
    QTest::addColumn<QString>("option");
    QTest::addColumn<bool>("bypass");
    QTest::newRow("dram") << "dram=8MiB" << true;
    QTest::newRow("device") << "device=8MiB" << true;
    QTest::newRow("throttled device") << "device=8MiB,bandwidth=2GB/s,latency=100us" << true;
    QTest::newRow("ssd") << "ssd=8MiB" << true;
    QTest::newRow("ssd by positioned reads through the page cache") << "ssd=8MiB" << false;
    QTest::newRow("archive") << "archive=unlimited" << true;
    QTest::newRow("throttled dram") << "dram=8MiB,bandwidth=2GB/s,latency=100us" << true;
    QTest::newRow("throttled ssd") << "ssd=8MiB,bandwidth=1GB/s,latency=100us" << true;
    if (test::RedisServer::missing().isEmpty()) {
      QTest::newRow("remote") << "remote=8MiB,url=SERVER" << true;
      QTest::newRow("throttled remote") << "pool=8MiB,url=SERVER,prefix=a:b,bandwidth=1GB/s,latency=100us" << true;
    }
  }

  std::unique_ptr<StorageTier> open() {
    QFETCH(QString, option);
    QFETCH(bool, bypass);
    folder_ = std::make_unique<QTemporaryDir>();
    OpenTierOptions options{.executor = system_executor()};
    options.store_directory = folder_->path().toStdString();
    options.device = bypass ? make_file_device() : std::make_shared<PosixDevice>(PosixDevice::Options{false, {}});
    options.scrub_seconds = 0.001;
    if (option.startsWith("device")) {
      auto accelerator = gpu::DeviceAccelerator::open(std::make_shared<HostDeviceMemory>());
      if (!accelerator) qFatal("%s", accelerator.error().message.c_str());
      options.accelerator = std::move(*accelerator);
    }
    if (option.contains("SERVER")) {
      if (server_ == nullptr) server_ = std::make_unique<test::RedisServer>();
      server_->cli({"FLUSHALL"});
      option.replace("SERVER", QString::fromStdString(server_->url()));
    }
    return open_or_fail(*parse_tier_option(option.toStdString()), options);
  }

  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<test::RedisServer> server_;
  BufferPool pool_{64 << 20};

 private slots:
  void whatIsWrittenIsReadBack_data() { all_tiers(); }
  void whatIsWrittenIsReadBack() {
    const auto tier = open();
    std::uint64_t total = 0;
    // Lengths around every boundary: a page, the scratch buffer, what one run of memory holds.
    const std::vector<std::size_t> lengths{1,       4095,          4096,   4097, 100000, (1 << 20) - 4096,
                                           1 << 20, (1 << 20) + 1, 3 << 20};
    for (const std::size_t length : lengths) {
      const auto bytes = random_bytes(length, length);
      QVERIFY(write_entry(*tier, std::to_string(length), bytes));
      total += length;
      QCOMPARE(tier->used_bytes(), total);
      const ReadOutcome outcome = read_entry(*tier, pool_, std::to_string(length), *bytes);
      QVERIFY2(outcome.ok(), outcome.ok() ? "" : outcome.statuses[0].error().message.c_str());
      QVERIFY(outcome.extents[0] == *bytes);
    }
    QCOMPARE(tier->entries().size(), lengths.size());
    for (const EntryInfo& info : tier->entries()) {
      QCOMPARE(std::to_string(info.bytes), info.label);
      QVERIFY(info.key == key_of(info.label));
      QVERIFY(tier->contains(info.key));
    }
    const TierStatistics statistics = tier->statistics();
    QCOMPARE(statistics.reads, lengths.size());
    QCOMPARE(statistics.read_bytes, total);
    QCOMPARE(statistics.writes, lengths.size());
    QCOMPARE(statistics.written_bytes, total);
    QCOMPARE(statistics.samples.size(), 2 * lengths.size());
    QCOMPARE(pool_.leased_bytes(), std::size_t{0});
  }

  void anyPartsAreReadInOrder_data() { all_tiers(); }
  void anyPartsAreReadInOrder() {
    const auto tier = open();
    const auto bytes = random_bytes(1, (3 << 20) + 777);
    QVERIFY(write_entry(*tier, "entry", bytes));
    Random random(2);
    for (int round = 0; round < 60; ++round) {
      std::vector<ReadExtent> extents;
      std::uint64_t at = random.below(bytes->size());
      for (std::uint64_t i = 0, count = 1 + random.below(12); i < count; ++i) {
        // Neighbors, gaps, jumps and large ones.
        const std::uint64_t kind = random.below(4);
        if (kind == 1) at += random.below(20000);
        if (kind == 2) at = random.below(bytes->size());
        if (at >= bytes->size()) at = 0;
        const std::uint64_t length = kind == 3 ? random.below(1 << 20) : random.below(30000);
        extents.push_back(extent_of(*bytes, at, 1 + std::min(length, bytes->size() - at - 1)));
        at += extents.back().bytes;
      }
      const ReadOutcome outcome = read_extents(*tier, pool_, "entry", extents);
      QVERIFY(outcome.ok());
      for (std::size_t i = 0; i < extents.size(); ++i)
        QVERIFY(std::equal(outcome.extents[i].begin(), outcome.extents[i].end(),
                           bytes->begin() + static_cast<std::ptrdiff_t>(extents[i].offset)));
    }
  }

  void anAbsentEntryIsAMiss_data() { all_tiers(); }
  void anAbsentEntryIsAMiss() {
    const auto tier = open();
    const ReadOutcome outcome = read_extents(*tier, pool_, "nobody", {{0, 4096, {}}, {4096, 4096, {}}});
    QCOMPARE(outcome.statuses.size(), std::size_t{2});
    QCOMPARE(outcome.code(), ErrorCode::not_found);
    QCOMPARE(tier->statistics().misses.at("absent"), std::uint64_t{1});
    QVERIFY(tier->erase(key_of("nobody")));
  }

  void aWrongRequestIsRefusedAndHarmsNothing_data() { all_tiers(); }
  void aWrongRequestIsRefusedAndHarmsNothing() {
    const auto tier = open();
    const auto bytes = random_bytes(1, 10000);
    QVERIFY(write_entry(*tier, "entry", bytes));
    const std::uint64_t huge = ~std::uint64_t{0};
    const std::vector<std::vector<ReadExtent>> wrong{{},
                                                     {{0, 10001, {}}},
                                                     {{10000, 1, {}}},
                                                     {{huge, 2, {}}},
                                                     {{0, 0, {}}},
                                                     {{0, 4096, {{4000, 97, 0}}}},
                                                     {{4096, 4096, {{0, 10, 0}}}},
                                                     {{0, 4096, {{huge, 10, 0}}}}};
    for (const auto& extents : wrong) {
      const ReadOutcome outcome = read_extents(*tier, pool_, "entry", extents);
      QCOMPARE(outcome.code(), ErrorCode::rejected_input);
    }
    QVERIFY(read_entry(*tier, pool_, "entry", *bytes).ok());
    QCOMPARE(pool_.leased_bytes(), std::size_t{0});
  }

  void replacingKeepsOneVersion_data() { all_tiers(); }
  void replacingKeepsOneVersion() {
    const auto tier = open();
    for (std::uint64_t version = 0; version < 20; ++version) {
      const auto bytes = random_bytes(version, 5000 + version * 3000);
      QVERIFY(write_entry(*tier, "entry", bytes));
      QCOMPARE(tier->used_bytes(), bytes->size());
      QCOMPARE(tier->entries().size(), std::size_t{1});
      QVERIFY(read_entry(*tier, pool_, "entry", *bytes).extents[0] == *bytes);
    }
  }

  void erasedIsGoneAtOnce_data() { all_tiers(); }
  void erasedIsGoneAtOnce() {
    const auto tier = open();
    const auto bytes = random_bytes(1, 50000);
    QVERIFY(write_entry(*tier, "entry", bytes));
    QVERIFY(tier->erase(key_of("entry")));
    QVERIFY(!tier->contains(key_of("entry")));
    QCOMPARE(tier->used_bytes(), std::uint64_t{0});
    QCOMPARE(read_entry(*tier, pool_, "entry", *bytes).code(), ErrorCode::not_found);
    QVERIFY(write_entry(*tier, "entry", bytes));
    QVERIFY(read_entry(*tier, pool_, "entry", *bytes).ok());
  }

  void anEraseOvertakesAWaitingWrite_data() { all_tiers(); }
  void anEraseOvertakesAWaitingWrite() {
    const auto tier = open();
    CompletionQueue queue(system_executor().clock());
    const auto bytes = random_bytes(1, 1 << 20);
    int finished = 0, refused = 0;
    for (int round = 0; round < 50; ++round) {
      const Ticket ticket = tier->submit_write(info_of("entry", *bytes), bytes, queue);
      QVERIFY(tier->erase(key_of("entry")));
      const auto done = queue.wait(60);
      QCOMPARE(done.size(), std::size_t{1});
      QCOMPARE(done[0].ticket, ticket);
      ++(done[0].status ? finished : refused);
      // Whether the write was faster or not: what was erased after it was submitted never shows up.
      QVERIFY(!tier->contains(key_of("entry")));
    }
    QCOMPARE(finished + refused, 50);
    QCOMPARE(tier->used_bytes(), std::uint64_t{0});
  }

  void capacityIsNeverExceeded_data() { all_tiers(); }
  void capacityIsNeverExceeded() {
    const auto tier = open();
    const std::uint64_t capacity = 1 << 20;
    tier->set_capacity(capacity);
    QCOMPARE(tier->capacity(), capacity);
    Random random(3);
    int refused = 0;
    for (int i = 0; i < 100; ++i) {
      const std::string name = std::to_string(random.below(30));
      if (random.below(4) == 0) QVERIFY(tier->erase(key_of(name)));
      const Status status = write_entry(*tier, name, random_bytes(random.next(), 1 + random.below(200000)));
      if (!status) {
        QCOMPARE(status.error().code, ErrorCode::no_space);
        ++refused;
      }
      QVERIFY(tier->used_bytes() <= capacity);
    }
    QVERIFY(refused > 0 && refused < 100);
    QCOMPARE(tier->statistics().failed_writes.at("no_space"), static_cast<std::uint64_t>(refused));
    // A limit below what is used only refuses writes.
    const std::uint64_t used = tier->used_bytes();
    tier->set_capacity(4096);
    QCOMPARE(tier->used_bytes(), used);
    QCOMPARE(write_entry(*tier, "more", random_bytes(1, 100)).error().code, ErrorCode::no_space);
    tier->set_capacity(0);
    QVERIFY(write_entry(*tier, "more", random_bytes(1, 2 << 20)));
  }

  void cancelledReadsGiveTheirBuffersBack_data() { all_tiers(); }
  void cancelledReadsGiveTheirBuffersBack() {
    QFETCH(QString, option);
    const bool quick = option == "dram=8MiB";  // done before anyone can cancel them
    const auto tier = open();
    const auto bytes = random_bytes(1, 1 << 20);
    QVERIFY(write_entry(*tier, "entry", bytes));
    const std::vector<ReadExtent> extents{extent_of(*bytes, 0, 4096), extent_of(*bytes, 4096, 50000),
                                          extent_of(*bytes, 300000, 300000)};
    CompletionQueue queue(system_executor().clock());
    std::uint64_t cancelled = 0, succeeded = 0, ended = 0;
    const auto count = [&](std::vector<Completion> done) {
      for (const Completion& completion : done) {
        if (completion.last) ++ended;
        if (completion.status) {
          ++succeeded;
          continue;
        }
        QCOMPARE(completion.status.error().code, ErrorCode::cancelled);
        QVERIFY(completion.buffer == nullptr);
        ++cancelled;
      }
    };
    constexpr std::uint64_t rounds = 4000;
    std::vector<Ticket> open_tickets;
    for (std::uint64_t i = 0; i < rounds; ++i) {
      open_tickets.push_back(tier->submit_read(key_of("entry"), extents, lease_all(pool_, extents), queue));
      if (open_tickets.size() == 8) {
        for (const Ticket ticket : open_tickets) tier->cancel(ticket);
        open_tickets.clear();
        while (ended < i + 1) count(queue.wait(60));
      }
    }
    QCOMPARE(ended, rounds);
    QCOMPARE(cancelled + succeeded, 3 * rounds);
    QCOMPARE(cancelled > 0, !quick);
    QCOMPARE(pool_.leased_bytes(), std::size_t{0});
    tier->cancel(1);                  // finished long ago
    tier->cancel(~std::uint64_t{0});  // never given
    QVERIFY(read_entry(*tier, pool_, "entry", *bytes).ok());
  }

  // Up to a size host memory is read where the read is submitted; beyond it the caller continues at once and may
  // cancel.
  void aSmallReadFromMemoryIsDoneAtOnceAndALargeOneCanBeCancelled() {
    const auto tier = open_or_fail({.name = "dram"});
    const auto bytes = random_bytes(1, DramStore::quick_bytes + 4096);
    QVERIFY(write_entry(*tier, "entry", bytes));
    const std::vector<ReadExtent> small{{0, 4096, {}}, {4096, DramStore::quick_bytes - 4096, {}}};
    CompletionQueue queue(system_executor().clock());
    tier->submit_read(key_of("entry"), small, lease_all(pool_, small), queue);
    auto done = queue.poll();
    QCOMPARE(done.size(), small.size());
    QVERIFY(done[0].status && done[1].status && done[1].last);
    QVERIFY(std::equal(bytes->begin(), bytes->begin() + 4096, done[0].buffer->bytes().begin()));
    done.clear();

    const std::vector<ReadExtent> large{{0, bytes->size(), {}}};
    std::uint64_t cancelled = 0;
    for (int i = 0; i < 20; ++i) {
      tier->cancel(tier->submit_read(key_of("entry"), large, lease_all(pool_, large), queue));
      done = queue.wait(60);
      QCOMPARE(done.size(), std::size_t{1});
      if (!done[0].status) ++cancelled;
      done.clear();
    }
    QVERIFY(cancelled > 0);
    QCOMPARE(tier->statistics().misses.at("cancelled"), cancelled);
    QCOMPARE(pool_.leased_bytes(), std::size_t{0});
  }

  void anEraseDoesNotHurtReadsInFlight_data() { all_tiers(); }
  void anEraseDoesNotHurtReadsInFlight() {
    const auto tier = open();
    for (std::uint64_t round = 0; round < 100; ++round) {
      const auto bytes = random_bytes(round, 500000);
      QVERIFY(write_entry(*tier, "entry", bytes));
      const std::vector<ReadExtent> extents{extent_of(*bytes, 0, 100000), extent_of(*bytes, 100000, 400000)};
      CompletionQueue queue(system_executor().clock());
      tier->submit_read(key_of("entry"), extents, lease_all(pool_, extents), queue);
      if (round % 2 == 0)
        QVERIFY(tier->erase(key_of("entry")));
      else
        QVERIFY(write_entry(*tier, "entry", random_bytes(round + 1000, 500000)));
      const ReadOutcome outcome = collect(queue, extents);
      QVERIFY(outcome.ok());  // the version it found is pinned until it is read
      QVERIFY(std::equal(outcome.extents[1].begin(), outcome.extents[1].end(), bytes->begin() + 100000));
    }
    QCOMPARE(pool_.leased_bytes(), std::size_t{0});
  }

  void closingCompletesEverything_data() { all_tiers(); }
  void closingCompletesEverything() {
    CompletionQueue queue(system_executor().clock());
    std::map<Ticket, int> pending;
    {
      const auto tier = open();
      const auto bytes = random_bytes(1, 300000);
      QVERIFY(write_entry(*tier, "entry", bytes));
      const std::vector<ReadExtent> extents{extent_of(*bytes, 0, 300000)};
      for (int i = 0; i < 40; ++i) {
        pending[tier->submit_read(key_of("entry"), extents, lease_all(pool_, extents), queue)] = 1;
        pending[tier->submit_write(info_of("other", *bytes), bytes, queue)] = 1;
      }
    }
    for (const Completion& completion : queue.poll())
      if (completion.last) pending.erase(completion.ticket);
    QVERIFY(pending.empty());
    QCOMPARE(pool_.leased_bytes(), std::size_t{0});
  }

  void manyThreadsAtOnceSeeOnlyRightBytes_data() { all_tiers(); }
  void manyThreadsAtOnceSeeOnlyRightBytes() {
    const auto tier = open();
    tier->set_capacity(3 << 20);
    // The bytes of a key never change, so any thread knows what a read of it must give.
    constexpr std::uint64_t keys = 24;
    std::vector<std::shared_ptr<const Bytes>> contents;
    for (std::uint64_t key = 0; key < keys; ++key) contents.push_back(random_bytes(key, 30000 + key * 10007));
    std::atomic<std::uint64_t> wrong{0}, right{0}, missed{0}, over{0};
    std::vector<std::thread> threads;
    for (std::uint64_t seed = 0; seed < 4; ++seed)
      threads.emplace_back([&, seed] {
        Random random(seed + 100);
        CompletionQueue queue(system_executor().clock());
        for (int i = 0; i < 150; ++i) {
          const std::uint64_t key = random.below(keys);
          const std::string name = std::to_string(key);
          const Bytes& content = *contents[key];
          const std::uint64_t action = random.below(10);
          if (action < 5) {
            const ReadOutcome outcome = read_entry(*tier, pool_, name, content);
            if (!outcome.ok())
              ++(outcome.code() == ErrorCode::not_found ? missed : wrong);
            else
              ++(outcome.extents[0] == content ? right : wrong);
          } else if (action < 8) {
            const Status status = write_entry(*tier, name, contents[key]);
            if (!status && status.error().code != ErrorCode::no_space && status.error().code != ErrorCode::cancelled)
              ++wrong;
          } else if (action == 8) {
            if (!tier->erase(key_of(name))) ++wrong;
          } else {
            const std::vector<ReadExtent> extents{extent_of(content, 0, content.size())};
            tier->cancel(tier->submit_read(key_of(name), extents, lease_all(pool_, extents), queue));
            for (bool ended = false; !ended;)
              for (const Completion& completion : queue.wait(60)) ended = completion.last;
          }
          if (tier->used_bytes() > (3 << 20)) ++over;
          if (i % 20 == 0) (void)tier->statistics();
        }
      });
    for (std::thread& thread : threads) thread.join();
    QCOMPARE(wrong.load(), std::uint64_t{0});
    QCOMPARE(over.load(), std::uint64_t{0});
    QVERIFY(right > 0 && missed > 0);
    QCOMPARE(pool_.leased_bytes(), std::size_t{0});
    std::uint64_t total = 0;
    for (const EntryInfo& info : tier->entries()) total += info.bytes;
    QCOMPARE(tier->used_bytes(), total);
  }
};

KV_TEST_GUILESS_MAIN(TierContractTest)

}  // namespace tier_contract_test

#include "tier_contract_test.moc"
