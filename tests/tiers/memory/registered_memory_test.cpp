// links: kv_base kv_tiers
// Buffers that a device knows beforehand, in parts as the pool uses them; and how many bytes of a batch are in flight.
#include <QFile>
#include <atomic>
#include <thread>

#include "tests/support/test_program.h"
#include "tests/tiers/tier_testing.h"
#include "tiers/mapped_memory.h"
#include "tiers/posix_device.h"
#include "tiers/uring_device.h"

namespace registered_memory_test {

using namespace kvantage;
using namespace kvantage::testing;

namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

/// Counts what is registered with it; takes at most `limit` bytes.
class CountingDevice final : public PosixDevice {
 public:
  explicit CountingDevice(std::size_t limit) : PosixDevice(Options{true, {}}), limit_(limit) {}
  std::shared_ptr<void> register_memory(std::span<std::byte> memory, bool for_writes) override {
    ++asked;
    if (for_writes || bytes() + memory.size() > limit_) return nullptr;
    parts->push_back(memory);
    return {memory.data(), [kept = parts, memory](void*) {
              std::erase_if(*kept, [&](auto part) { return part.data() == memory.data(); });
            }};
  }
  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const auto& part : *parts) sum += part.size();
    return sum;
  }

  int asked = 0;
  std::shared_ptr<std::vector<std::span<std::byte>>> parts = std::make_shared<std::vector<std::span<std::byte>>>();

 private:
  std::size_t limit_;
};

/// A file read from its beginning in transfers of 1 MiB.
class WholeFile final : public TransferBatch {
 public:
  explicit WholeFile(std::span<std::byte> memory) : memory_(memory) {}
  std::optional<Transfer> next() override {
    if (given_ == memory_.size() / mebibyte) return std::nullopt;
    const std::size_t at = given_++ * mebibyte;
    return Transfer{at, memory_.subspan(at, mebibyte)};
  }
  Status done(std::size_t) override {
    ++done_;
    return {};
  }
  std::size_t done_count() const { return done_; }

 private:
  std::span<std::byte> memory_;
  std::size_t given_ = 0, done_ = 0;
};

}  // namespace

class RegisteredMemoryTest : public QObject {
  Q_OBJECT

 private slots:
  void partsDoubleAsThePoolGrows() {
    const auto device = std::make_shared<CountingDevice>(1024 * mebibyte), other = std::make_shared<CountingDevice>(0);
    {
      BufferPool pool(64 * mebibyte);
      pool.register_with({device, other}, 24 * mebibyte);
      auto small = pool.lease(mebibyte);
      QVERIFY(small && device->parts->empty());  // not worth a slot yet
      std::vector<std::unique_ptr<LeasedBuffer>> held;
      for (int i = 0; i < 15; ++i) held.push_back(std::move(*pool.lease(2 * mebibyte)));
      const auto parts = *device->parts;
      QVERIFY(parts.size() >= 2 && parts.size() <= 3);
      QVERIFY(device->bytes() >= 12 * mebibyte && device->bytes() <= 24 * mebibyte);
      for (std::size_t i = 0; i + 1 < parts.size(); ++i) {  // without gaps
        QVERIFY(parts[i].data() + parts[i].size() == parts[i + 1].data());
        QVERIFY(parts[i + 1].size() >= parts[i].size());
      }
      QVERIFY((*small)->bytes().data() == parts[0].data());
      QCOMPARE(other->asked, 1);  // it refused once
      held.clear();
      for (int i = 0; i < 15; ++i) held.push_back(std::move(*pool.lease(2 * mebibyte)));
      QCOMPARE(device->parts->size(), parts.size());  // memory that is used again is known
    }
    QVERIFY(device->parts->empty());
  }

  void readsIntoLeasedBuffersUseIt() {
    auto made = UringDevice::create();
    if (!made) QSKIP("this system gives no ring");
    const auto probe = MappedMemory::map(32 * mebibyte, false);
    if ((*made)->register_memory(probe->bytes(), false) == nullptr) QSKIP("too little memory may be locked here");
    QTemporaryDir folder;
    OpenTierOptions options{.executor = system_executor()};
    options.device = *made;
    const auto tier = open_or_fail(in_folder(folder.path().toStdString()), options);
    BufferPool unknown(64 * mebibyte), pool(64 * mebibyte);
    pool.register_with({*made});
    const auto bytes = random_bytes(1, 16 * mebibyte);
    QVERIFY(write_entry(*tier, "entry", bytes));
    std::vector<ReadExtent> layers;
    for (std::uint64_t layer = 0; layer < 8; ++layer)
      layers.push_back(extent_of(*bytes, layer * 2 * mebibyte, 2 * mebibyte));
    std::vector<std::uint64_t> registered;  // scratch memory is registered without the pool, too
    for (BufferPool* const buffers : {&unknown, &pool}) {
      const std::uint64_t before = (*made)->rings().reads->registered_requests();
      const ReadOutcome outcome = read_extents(*tier, *buffers, "entry", layers);
      QVERIFY(outcome.ok());
      for (std::size_t layer = 0; layer < 8; ++layer)
        QVERIFY(std::equal(outcome.extents[layer].begin(), outcome.extents[layer].end(),
                           bytes->begin() + static_cast<std::ptrdiff_t>(layers[layer].offset)));
      registered.push_back((*made)->rings().reads->registered_requests() - before);
    }
    QVERIFY(registered[1] > registered[0]);
  }

  void memoryIsRegisteredWhileReadsAreInFlight() {
    auto made = UringDevice::create();
    if (!made) QSKIP("this system gives no ring");
    QTemporaryDir folder;
    const std::filesystem::path path = std::filesystem::path(folder.path().toStdString()) / "data";
    const auto bytes = random_bytes(2, 32 * mebibyte);
    QFile file(QString::fromStdString(path.string()));
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(reinterpret_cast<const char*>(bytes->data()), static_cast<qint64>(bytes->size())),
             static_cast<qint64>(bytes->size()));
    file.close();
    const auto memory = MappedMemory::map(32 * mebibyte, true), other = MappedMemory::map(4 * mebibyte, true);
    std::atomic<bool> over{false};
    std::thread registering([&] {
      while (!over) (void)(*made)->register_memory(other->bytes(), false);
    });
    bool same = true;
    for (int round = 0; round < 20; ++round) {
      WholeFile batch(memory->bytes());
      auto opened = (*made)->open(path, false);
      same = same && opened && (*opened)->read_many(batch).has_value() &&
             std::equal(bytes->begin(), bytes->end(), memory->bytes().begin());
      std::fill(memory->bytes().begin(), memory->bytes().end(), std::byte{0});
    }
    over = true;
    registering.join();
    QVERIFY(same);
  }

  void moreIsInFlightBehindTheFirstLayers() {
    for (const std::uint64_t later : {std::uint64_t{0}, std::uint64_t{8}}) {
      auto made = UringDevice::create({{mebibyte, mebibyte, 4 * mebibyte, later * mebibyte}, true, false});
      if (!made) QSKIP("this system gives no ring");
      QTemporaryDir folder;
      const std::filesystem::path path = std::filesystem::path(folder.path().toStdString()) / "data";
      QFile file(QString::fromStdString(path.string()));
      QVERIFY(file.open(QIODevice::WriteOnly) && file.resize(static_cast<qint64>(32 * mebibyte)));
      file.close();
      const auto memory = MappedMemory::map(32 * mebibyte, true);
      WholeFile batch(memory->bytes());
      auto opened = (*made)->open(path, false);
      QVERIFY(opened && (*opened)->read_many(batch));
      QCOMPARE(batch.done_count(), std::size_t{32});
      QVERIFY((*made)->rings().reads->peak_bytes_in_flight() <= std::max<std::uint64_t>(4, later) * mebibyte);
      if (later == 0) QCOMPARE((*made)->rings().reads->peak_bytes_in_flight(), std::uint64_t{4 * mebibyte});
      if (later > 0) QVERIFY((*made)->rings().reads->peak_bytes_in_flight() > 4 * mebibyte);
    }
  }
};

KV_TEST_GUILESS_MAIN(RegisteredMemoryTest)

}  // namespace registered_memory_test

#include "registered_memory_test.moc"
