// links: kv_base kv_tiers kv_gpu_device
// Entries of the device tier in the blocks of a model's caches, over a device in host memory: what a model would take,
// what other readers get, what changes are found, and what remains when something fails.
#include <QtTest>

#include "tests/gpu/host_device_memory.h"
#include "tests/gpu/resident_bench.h"
#include "tiers/throttled_tier.h"

using namespace kvantage;
using namespace kvantage::testing;

class ResidentEntriesTest : public QObject {
  Q_OBJECT

  static constexpr int block_tokens = 16;
  static CacheBlockForm form() { return test::block_form(RaggedEntry::shape.head_dim, block_tokens); }
  static std::uint64_t misses(StorageTier& tier, const char* reason) {
    const auto all = tier.statistics().misses;
    const auto found = all.find(reason);
    return found == all.end() ? 0 : found->second;
  }

 private slots:
  void anEntryIsInTheModelsBlocks() {
    const auto memory = std::make_shared<HostDeviceMemory>();
    DeviceBench bench = open_resident_bench(memory, form());
    ResidentEntries* const entries = bench.tier->resident();
    QVERIFY(entries != nullptr);
    QVERIFY(entries->residency(digest_of("entry")) == nullptr);
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const RaggedEntry entry(seed, 100 + 250 * static_cast<int>(seed));
      QVERIFY(put_entry(*bench.tier, "entry", entry.bytes));
      const DeviceGauges before = bench.accelerator->gauges();
      const ResidentRead read = entries->read_resident(digest_of("entry"));
      QVERIFY2(read.status.has_value(), read.status ? "" : read.status.error().message.c_str());
      QVERIFY((read.cache->blocks() == DeviceBlocks{"emulated", form()}));
      QVERIFY(read.cache->kept() == entry.kept());
      QCOMPARE(read.cache->sequence_length(), entry.sample.cache->sequence_length());
      QVERIFY(bytes_in(*read.cache) == entry.blocks(form()));
      const DeviceGauges after = bench.accelerator->gauges();
      QVERIFY(after.to_device == before.to_device && after.from_device == before.from_device);  // nothing crossed
      QVERIFY(after.used_bytes >= read.cache->held_bytes());
      QVERIFY(read.cache->held_bytes() >= entry.blocks(form()).size());
    }
    QCOMPARE(bench.tier->statistics().reads, std::uint64_t{4});
  }

  /// The same bytes as from any other tier: whole, by layers, and in ranges that begin and end anywhere.
  void otherReadersGetTheEntrysBytes() {
    DeviceBench bench = open_resident_bench(std::make_shared<HostDeviceMemory>(), form());
    Random random(3);
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const RaggedEntry entry(seed);
      const std::string name = std::to_string(seed);
      QVERIFY(put_entry(*bench.tier, name, entry.bytes));
      QVERIFY(bench.tier->resident()->residency(digest_of(name)) != nullptr);
      for (const std::uint64_t bytes :
           {std::uint64_t{4096}, std::uint64_t{100000}, std::uint64_t{entry.bytes->size()}}) {
        const Complaint wrong = read_back(bench, name, *entry.bytes, layers_of(*entry.bytes, bytes));
        QVERIFY2(wrong.empty(), wrong.c_str());
      }
      for (int round = 0; round < 40; ++round) {
        const std::uint64_t at = random.below(entry.bytes->size()),
                            count = 1 + random.below(std::min<std::uint64_t>(20000, entry.bytes->size() - at));
        const Complaint wrong =
            read_back(bench, name, *entry.bytes,
                      {{at, count, {{at, count, checksum_of(std::span(*entry.bytes).subspan(at, count))}}}});
        QVERIFY2(wrong.empty(), wrong.c_str());
      }
    }
  }

  void aChangeOfAnyBlockIsFound() {
    Random random(4);
    int changed = 0;
    for (int round = 0; round < 30; ++round) {
      DeviceBench bench = open_resident_bench(std::make_shared<HostDeviceMemory>(), form());
      const RaggedEntry entry(static_cast<std::uint64_t>(round) + 10, 300);
      QVERIFY(put_entry(*bench.tier, "entry", entry.bytes));
      ResidentEntries& entries = *bench.tier->resident();
      {
        const auto cache = entries.residency(digest_of("entry"));
        const int layer = round % RaggedEntry::shape.layers;
        const std::size_t blocks = cache->addresses(layer).size();
        if (blocks == 0) continue;
        byte_of(*cache, layer, random.below(blocks), random.below(form().block_bytes)) ^= std::byte{2};
        ++changed;
      }
      const ResidentRead read = entries.read_resident(digest_of("entry"));
      QVERIFY(!read.status && read.cache == nullptr);
      QVERIFY(read.status.error().code == ErrorCode::corrupt);
      QCOMPARE(read.miss_reason, std::string("checksum"));
      QCOMPARE(misses(*bench.tier, "checksum"), std::uint64_t{1});
      QCOMPARE(bench.tier->statistics().dropped, std::uint64_t{1});
      QVERIFY(!bench.tier->contains(digest_of("entry")));
      QCOMPARE(entries.read_resident(digest_of("entry")).miss_reason, std::string("absent"));
    }
    QVERIFY(changed > 20);
  }

  void readersOfBytesFindChangesToo() {
    const auto memory = std::make_shared<HostDeviceMemory>();
    DeviceBench bench = open_resident_bench(memory, form());
    const RaggedEntry entry(2);
    QVERIFY(put_entry(*bench.tier, "entry", entry.bytes));
    memory->spoil();
    auto extents = layers_of(*entry.bytes, entry.bytes->size());
    extents.front().pieces.clear();  // then by the entry's own
    const Complaint wrong = read_back(bench, "entry", *entry.bytes, extents);
    QVERIFY2(wrong.find("differ from those written") != std::string::npos, wrong.c_str());
    QVERIFY(!bench.tier->contains(digest_of("entry")));
  }

  /// What a request holds stays as it was, until it lets go.
  void whatIsHeldOutlivesItsEntry() {
    const auto memory = std::make_shared<HostDeviceMemory>();
    DeviceBench bench = open_resident_bench(memory, form());
    const RaggedEntry entry(5), other(6);
    QVERIFY(put_entry(*bench.tier, "entry", entry.bytes));
    auto held = bench.tier->resident()->residency(digest_of("entry"));
    QVERIFY(bench.tier->erase(digest_of("entry")));
    for (int round = 0; round < 3; ++round) QVERIFY(put_entry(*bench.tier, std::to_string(round), other.bytes));
    QVERIFY(bytes_in(*held) == entry.blocks(form()));
    const std::uint64_t used = bench.accelerator->gauges().used_bytes;
    held.reset();
    QTRY_VERIFY(bench.accelerator->gauges().used_bytes < used);
  }

  /// Each block lies in one run, and so does each checksum, wherever free memory is.
  void anEntryMayBeInSeveralRuns() {
    const auto memory = std::make_shared<HostDeviceMemory>();
    const auto pool = std::make_shared<gpu::DevicePool>(memory, std::uint64_t{128} << 10, form().block_bytes);
    const auto bytes_pool = std::make_shared<gpu::DevicePool>(memory);
    const auto meter = std::make_shared<gpu::CopyMeter>();
    auto store =
        gpu::DeviceStore::open("device", memory, bytes_pool, meter, gpu::ResidentPool{{"emulated", form()}, pool});
    QVERIFY(store);
    const std::atomic<bool> never{false};
    const auto put = [&](const RaggedEntry& entry) {
      return (*store)->put({digest_of("entry"), entry.bytes->size(), 4096, "entry"}, *entry.bytes, never).value();
    };
    std::vector<std::shared_ptr<StoredEntry>> small;
    for (std::uint64_t seed = 1; seed <= 24; ++seed) small.push_back(put(RaggedEntry(seed, 40)));
    for (std::size_t i = 0; i < small.size(); i += 2) small[i].reset();
    const RaggedEntry entry(40, 700);
    const auto stored = put(entry);
    const auto& resident = dynamic_cast<const gpu::ResidentEntry&>(*stored);
    QVERIFY(resident.runs().size() > 3);
    std::uint64_t checked = 0;
    for (const gpu::BlockChecksums& part : resident.checked()) checked += part.count;
    QCOMPARE(checked, std::uint64_t{resident.image().blocks()});
    QVERIFY(bytes_in(resident) == entry.blocks(form()));
    QVERIFY((*store)->verify(*stored).has_value());
    for (const gpu::BlockChecksums& part : resident.checked())
      for (const std::byte* const there :
           {part.blocks + part.block_bytes - 1, reinterpret_cast<const std::byte*>(part.sums)}) {
        std::byte& byte = *const_cast<std::byte*>(there);
        byte ^= std::byte{1};
        QVERIFY(!(*store)->verify(*stored));
        byte ^= std::byte{1};
      }
    QVERIFY((*store)->verify(*stored).has_value());
  }

  void aFailedWriteLeavesNothing() {
    const auto memory = std::make_shared<HostDeviceMemory>();
    DeviceBench bench = open_resident_bench(memory, form());
    const RaggedEntry entry(7);
    for (int after = 0; after < 4; ++after) {  // a copy for each layer, then the checksums
      memory->fail_after(after);
      const Status stored = put_entry(*bench.tier, "entry", entry.bytes);
      memory->fail_after(-1);
      QVERIFY(!stored);
      QVERIFY(stored.error().code == ErrorCode::io);
      QCOMPARE(bench.accelerator->gauges().used_bytes, std::uint64_t{0});
    }
    QVERIFY(put_entry(*bench.tier, "entry", entry.bytes));
    memory->fail_after(1);
    QVERIFY(!read_back(bench, "entry", *entry.bytes, layers_of(*entry.bytes, entry.bytes->size())).empty());
    memory->fail_after(-1);
    QCOMPARE(misses(*bench.tier, "device"), std::uint64_t{1});
    QVERIFY(put_entry(*bench.tier, "entry", entry.bytes));
    memory->break_down();
    QCOMPARE(bench.tier->resident()->read_resident(digest_of("entry")).miss_reason, std::string("device"));
  }

  void aCancelledWriteLeavesNothing() {
    const auto memory = std::make_shared<HostDeviceMemory>();
    auto accelerator = gpu::DeviceAccelerator::open(memory);
    QVERIFY(accelerator);
    (*accelerator)->use_blocks({"emulated", form()});
    auto store = (*accelerator)->open_store("device", 0);
    QVERIFY(store);
    const RaggedEntry entry(8);
    const std::atomic<bool> cancelled{true};
    const auto stored =
        (*store)->put({digest_of("entry"), entry.bytes->size(), 4096, "entry"}, *entry.bytes, cancelled);
    QVERIFY(!stored);
    QVERIFY(stored.error().code == ErrorCode::cancelled);
    QCOMPARE((*accelerator)->gauges().used_bytes, std::uint64_t{0});
  }

  /// Encoded rows, bytes of any kind, and everything where the model's blocks are in another memory.
  void otherEntriesStayBytes() {
    DeviceBench bench = open_resident_bench(std::make_shared<HostDeviceMemory>(), form());
    Random random(9);
    test::Sample encoded = test::make_sample(RaggedEntry::shape, 300, 100, false, 0, random);
    encoded.header.compression.codec = "kivi4";
    const auto codes = std::make_shared<const DeviceBytes>(test::serialized(encoded));
    for (const auto& bytes : {codes, bytes_of(11, 123456)}) {
      QVERIFY(put_entry(*bench.tier, "entry", bytes));
      QVERIFY(bench.tier->resident()->residency(digest_of("entry")) == nullptr);
      const Complaint wrong = read_back(bench, "entry", *bytes, layers_of(*bytes, 50000));
      QVERIFY2(wrong.empty(), wrong.c_str());
    }
    for (const DeviceBlocks& blocks : {DeviceBlocks{"another", form()}, DeviceBlocks{"", form()},
                                       DeviceBlocks{"emulated", test::block_form(8, 4)}}) {
      auto accelerator = gpu::DeviceAccelerator::open(std::make_shared<HostDeviceMemory>());
      QVERIFY(accelerator);
      (*accelerator)->use_blocks(blocks);
      auto store = (*accelerator)->open_store("device", 0);
      QVERIFY(store && !(*store)->may_reside());
    }
  }

  /// As when another session of the same model opens.
  void theSameBlocksAgainKeepTheirPool() {
    DeviceBench bench = open_resident_bench(std::make_shared<HostDeviceMemory>(), form());
    QVERIFY(put_entry(*bench.tier, "entry", RaggedEntry(12).bytes));
    const DeviceGauges before = bench.accelerator->gauges();
    bench.accelerator->use_blocks({"emulated", form()});
    const DeviceGauges after = bench.accelerator->gauges();
    QVERIFY(before.used_bytes > 0);
    QCOMPARE(after.used_bytes, before.used_bytes);
    QCOMPARE(after.held_bytes, before.held_bytes);
  }

  void aThrottledTierDelaysBytes() {
    DeviceBench bench = open_resident_bench(std::make_shared<HostDeviceMemory>(), form());
    ThrottledTier tier(std::move(bench.tier), {.bandwidth_bytes_per_second = 1e9, .latency_seconds = 0});
    QVERIFY(tier.resident() == nullptr);
    QVERIFY(tier.set_limits({}).has_value());
    QVERIFY(tier.resident() != nullptr);
  }
};

QTEST_GUILESS_MAIN(ResidentEntriesTest)
#include "resident_entries_test.moc"
