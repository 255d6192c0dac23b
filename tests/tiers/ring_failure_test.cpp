// links: kv_base kv_tiers
// A ring whose calls the kernel refuses all of a sudden: the transfers that meet it fail, what is in flight is waited
// for, and everything after continues without a ring.
#include <fcntl.h>
#include <unistd.h>

#include <functional>
#include <set>

#include "core/base/unique_fd.h"
#include "tests/support/test_program.h"
#include "tests/tiers/tier_testing.h"
#include "tiers/mapped_memory.h"
#include "tiers/uring_device.h"

namespace ring_failure_test {

using namespace kvantage;
using namespace kvantage::testing;

namespace {

std::set<int> ring_descriptors() {
  std::set<int> found;
  for (const auto& item : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const auto target = std::filesystem::read_symlink(item.path(), gone);
    if (target.string().find("io_uring") != std::string::npos) found.insert(std::stoi(item.path().filename().string()));
  }
  return found;
}

/// The rings' descriptors refer to something else from here on: every call for them is refused.
void break_rings(const std::set<int>& descriptors) {
  const UniqueFd other(::open("/dev/null", O_RDWR | O_CLOEXEC));
  for (const int descriptor : descriptors) QVERIFY(::dup2(other.get(), descriptor) == descriptor);
}

/// Transfers over a file from its beginning; `at` is called when so many are complete.
class WatchedBatch final : public TransferBatch {
 public:
  WatchedBatch(std::span<std::byte> memory, std::size_t at, std::function<void()> call)
      : memory_(memory), at_(at), call_(std::move(call)) {}
  std::optional<Transfer> next() override {
    if (given_ * step >= memory_.size()) return std::nullopt;
    const std::size_t begin = given_++ * step;
    return Transfer{begin, memory_.subspan(begin, step)};
  }
  Status done(std::size_t) override {
    if (++done_ == at_) call_();
    return {};
  }
  std::size_t done_count() const { return done_; }
  static constexpr std::size_t step = 1 << 20;

 private:
  std::span<std::byte> memory_;
  std::size_t at_;
  std::function<void()> call_;
  std::size_t given_ = 0, done_ = 0;
};

}  // namespace

class RingFailureTest : public QObject {
  Q_OBJECT

 private:
  static constexpr std::size_t file_bytes = 24 << 20;
  std::set<int> rings_;

  // Null where this machine gives no ring.
  std::shared_ptr<UringDevice> device() {
    const std::set<int> before = ring_descriptors();
    auto made = UringDevice::create();
    rings_.clear();
    for (const int descriptor : ring_descriptors())
      if (!before.contains(descriptor)) rings_.insert(descriptor);
    return made ? *made : nullptr;
  }

 private slots:
  void aBatchIsCutOffAndLaterOnesContinueWithout_data() {
    QTest::addColumn<quint64>("after");
    for (const quint64 after : {1, 3, 9}) QTest::addRow("after %llu transfers", after) << after;
  }
  void aBatchIsCutOffAndLaterOnesContinueWithout() {
    QFETCH(quint64, after);
    const auto ring = device();
    if (ring == nullptr) QSKIP("this system gives no ring");
    QCOMPARE(rings_.size(), std::size_t{2});
    QTemporaryDir folder;
    const auto path = std::filesystem::path(folder.path().toStdString()) / "data";
    const auto content = random_bytes(1, file_bytes);
    const auto memory = MappedMemory::map(file_bytes, true);
    std::memcpy(memory->data(), content->data(), file_bytes);
    const auto file = ring->open(path, true);
    QVERIFY(file);
    WatchedBatch whole(memory->bytes(), 0, {});
    QVERIFY((*file)->write_many(whole));
    std::ranges::fill(memory->bytes(), std::byte{0});

    WatchedBatch batch(memory->bytes(), after, [this] { break_rings(rings_); });
    const Status read = (*file)->read_many(batch);
    QVERIFY(!read);
    QCOMPARE(read.error().code, ErrorCode::io);
    QVERIFY2(read.error().message.find("the request ring failed") != std::string::npos, read.error().message.c_str());
    QVERIFY(batch.done_count() >= after && batch.done_count() * WatchedBatch::step < file_bytes);
    QVERIFY(std::equal(content->begin(),
                       content->begin() + static_cast<std::ptrdiff_t>(batch.done_count() * WatchedBatch::step),
                       memory->data()));
    QVERIFY(!ring->rings().reads->usable());

    // Nothing was in flight any more: what is put there stays.
    std::ranges::fill(memory->bytes(), std::byte{7});
    QTest::qSleep(50);
    QVERIFY(std::ranges::all_of(memory->bytes(), [](std::byte byte) { return byte == std::byte{7}; }));

    // The same file, the same device, without its ring; the other ring finds out when it is used.
    WatchedBatch again(memory->bytes(), 0, {});
    QVERIFY((*file)->read_many(again));
    QVERIFY(std::equal(content->begin(), content->end(), memory->data()));
    WatchedBatch refused(memory->bytes(), 0, {});
    QVERIFY(!(*file)->write_many(refused));
    WatchedBatch written(memory->bytes(), 0, {});
    QVERIFY((*file)->write_many(written));
  }

  void aTierMissesOnceAndContinues() {
    const auto ring = device();
    if (ring == nullptr) QSKIP("this system gives no ring");
    QTemporaryDir folder;
    OpenTierOptions options{.executor = system_executor()};
    options.device = ring;
    BufferPool pool(64 << 20);
    const auto bytes = random_bytes(1, 3 << 20);
    const auto tier = open_or_fail(in_folder(folder.path().toStdString()), options);
    for (const char* name : {"one", "two"}) QVERIFY(write_entry(*tier, name, bytes));
    break_rings(rings_);
    QCOMPARE(read_entry(*tier, pool, "one", *bytes).code(), ErrorCode::io);
    QCOMPARE(tier->statistics().misses.at("device"), std::uint64_t{1});
    const ReadOutcome other = read_entry(*tier, pool, "two", *bytes);
    QVERIFY(other.ok() && other.extents[0] == *bytes);
    QCOMPARE(write_entry(*tier, "three", bytes).error().code, ErrorCode::io);
    QVERIFY(write_entry(*tier, "three", bytes));
    QVERIFY(read_entry(*tier, pool, "three", *bytes).ok());
    QCOMPARE(tier->statistics().failed_writes.at("io"), std::uint64_t{1});
    QCOMPARE(pool.leased_bytes(), std::size_t{0});
  }
};

KV_TEST_GUILESS_MAIN(RingFailureTest)

}  // namespace ring_failure_test

#include "ring_failure_test.moc"
