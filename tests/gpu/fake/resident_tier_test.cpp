// links: kv_base kv_tiers kv_gpu_device test_fake_cuda
// A hit on an entry that is in the memory of the device that computes the model, over the fake CUDA runtime: the tier
// has it verified by the kernel of checksums, of which only the count crosses the bus, and gives it as it is. The copy
// into a request's blocks is here the emulated kernel, at once; what a model sends to the device for it is not.
// Failures of the device on the way are misses.
#include <QtTest>

#undef slots  // a macro of Qt, and a name of the kernels; Q_SLOTS is the same

#include "gpu/device/cuda_memory.h"
#include "gpu/kernels/gather_paged.h"
#include "tests/gpu/fake/fake_cuda.h"
#include "tests/gpu/resident_bench.h"

using namespace kvantage;
using namespace kvantage::testing;

class ResidentTierTest : public QObject {
  Q_OBJECT

  static CacheBlockForm form() { return test::block_form(RaggedEntry::shape.head_dim, 16); }
  static std::shared_ptr<gpu::DeviceMemory> device() {
    auto memory = gpu::open_cuda_memory();
    if (!memory) qFatal("%s", memory.error().message.c_str());
    return std::move(*memory);
  }
  /// The request's blocks, in another order than the entry's, after a copy by the kernel; all of it in the device's
  /// memory.
  static DeviceBytes copied_into_a_request(const DeviceResidency& cache, std::byte* arena, std::uint64_t seed) {
    std::vector<std::uint64_t> from;
    for (int layer = 0; layer < RaggedEntry::shape.layers; ++layer)
      for (const std::uint64_t address : cache.addresses(layer)) from.push_back(address);
    std::vector<std::int32_t> to(from.size());
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<std::int32_t>(i);
    Random random(seed);
    random.shuffle(std::span(to));
    const std::uint64_t block = form().block_bytes;
    // The tables of a request are no part of its cache: here they are where the kernel finds them.
    const Status copied = gpu::launch_copy_blocks({from.data(), to.data(), static_cast<int>(from.size())},
                                                  reinterpret_cast<unsigned char*>(arena), block, nullptr);
    if (!copied) qFatal("%s", copied.error().message.c_str());
    DeviceBytes all;
    for (const std::int32_t target : to) {
      const std::byte* const first = arena + static_cast<std::size_t>(target) * block;
      all.insert(all.end(), first, first + block);
    }
    return all;
  }

 private Q_SLOTS:
  void init() { fake_cuda().reset(); }
  void cleanup() {
    QCOMPARE(fake_cuda().broken_rules.load(), 0);
    QVERIFY(fake_cuda().nothing_left());
  }

  void ofTheTiersPartOfAHitOnlyTheCountCrossesTheBus() {
    const auto memory = device();
    DeviceBench bench = open_resident_bench(memory, form());
    ResidentEntries& entries = *bench.tier->resident();
    const auto arena = memory->allocate(std::size_t{2} << 20);
    QVERIFY(arena);
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const RaggedEntry entry(seed, 200 + 100 * static_cast<int>(seed));
      QVERIFY(put_entry(*bench.tier, "entry", entry.bytes));
      const DeviceBytes expected = entry.blocks(form());
      QVERIFY(expected.size() <= std::size_t{2} << 20);
      const std::uint64_t in = fake_cuda().bytes_in, out = fake_cuda().bytes_out;
      const ResidentRead read = entries.read_resident(digest_of("entry"));
      QVERIFY2(read.status.has_value(), read.status ? "" : read.status.error().message.c_str());
      QVERIFY(copied_into_a_request(*read.cache, reinterpret_cast<std::byte*>(*arena), seed) == expected);
      QCOMPARE(fake_cuda().bytes_in.load(), in);
      QCOMPARE(fake_cuda().bytes_out.load(), out + sizeof(std::uint32_t));  // how many blocks changed
    }
    memory->release(*arena);
  }

  void aChangedBlockIsFoundThere() {
    DeviceBench bench = open_resident_bench(device(), form());
    Random random(2);
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      const RaggedEntry entry(seed, 300);
      QVERIFY(put_entry(*bench.tier, "entry", entry.bytes));
      ResidentEntries& entries = *bench.tier->resident();
      {
        const auto cache = entries.residency(digest_of("entry"));
        const std::size_t blocks = cache->addresses(1).size();
        QVERIFY(blocks > 0);
        byte_of(*cache, 1, random.below(blocks), random.below(form().block_bytes)) ^= std::byte{8};
      }
      const std::uint64_t out = fake_cuda().bytes_out;
      const ResidentRead read = entries.read_resident(digest_of("entry"));
      QVERIFY(!read.status);
      QCOMPARE(read.miss_reason, std::string("checksum"));
      QCOMPARE(fake_cuda().bytes_out.load(), out + sizeof(std::uint32_t));
      QVERIFY(!bench.tier->contains(digest_of("entry")));
    }
  }

  void aDeviceThatFailsMeanwhileIsAMiss_data() {
    QTest::addColumn<int>("call");
    for (const CudaCall call : {CudaCall::device, CudaCall::launch, CudaCall::record, CudaCall::copy, CudaCall::wait})
      QTest::addRow("call of kind %d", static_cast<int>(call)) << static_cast<int>(call);
  }
  void aDeviceThatFailsMeanwhileIsAMiss() {
    QFETCH(int, call);
    const auto memory = device();
    DeviceBench bench = open_resident_bench(memory, form());
    const RaggedEntry entry(3);
    // A wait after the first one is that of the copy's end, when the count is known.
    const int most = static_cast<CudaCall>(call) == CudaCall::wait ? 1 : 3;
    for (int after = 0; after < most; ++after) {
      fake_cuda().reset();
      QVERIFY(put_entry(*bench.tier, "entry", entry.bytes));
      ResidentEntries& entries = *bench.tier->resident();
      QVERIFY(entries.read_resident(digest_of("entry")).status.has_value());  // what is made at the first use is there
      fake_cuda().inject(static_cast<CudaCall>(call), after);
      const ResidentRead read = entries.read_resident(digest_of("entry"));
      if (!fake_cuda().has_failed()) {  // there are not so many such calls
        QVERIFY(after > 0 && read.status.has_value());
        fake_cuda().reset();
        break;
      }
      QVERIFY(!read.status && read.cache == nullptr);
      QCOMPARE(read.miss_reason, std::string("device"));
      QVERIFY(read.status.error().code == ErrorCode::io);
      fake_cuda().reset();
    }
  }

  /// By others, as bytes: through the bus, and each of them right.
  void otherReadersCrossTheBus() {
    DeviceBench bench = open_resident_bench(device(), form());
    const RaggedEntry entry(5);
    const std::uint64_t in = fake_cuda().bytes_in;
    QVERIFY(put_entry(*bench.tier, "entry", entry.bytes));
    QVERIFY(fake_cuda().bytes_in - in >= entry.blocks(form()).size());
    const std::uint64_t out = fake_cuda().bytes_out;
    const Complaint wrong = read_back(bench, "entry", *entry.bytes, layers_of(*entry.bytes, 30000));
    QVERIFY2(wrong.empty(), wrong.c_str());
    QVERIFY(fake_cuda().bytes_out - out >= entry.blocks(form()).size());
  }
};

QTEST_GUILESS_MAIN(ResidentTierTest)
#include "resident_tier_test.moc"
