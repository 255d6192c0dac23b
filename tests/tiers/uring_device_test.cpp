// links: kv_base kv_tiers
// Transfers on io_uring: compared with pread of the system, bounded, refused, faulty, cancelled. `--reads N` for more
// cancelled reads than the default 1,000.
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <thread>

#include "core/base/unique_fd.h"
#include "tests/support/test_program.h"
#include "tests/tiers/tier_testing.h"
#include "tiers/faulty_device.h"
#include "tiers/mapped_memory.h"
#include "tiers/uring_device.h"

namespace uring_device_test {

using namespace kvantage;
using namespace kvantage::testing;

namespace {

int cancelled_reads = 1000;

/// A batch from a list; at most `at_once` transfers in flight, as scratch memory would have it.
class ListedBatch final : public TransferBatch {
 public:
  explicit ListedBatch(std::vector<Transfer> transfers, std::size_t at_once = ~std::size_t{0})
      : transfers_(std::move(transfers)), at_once_(at_once) {}
  std::optional<Transfer> next() override {
    if (given_ == transfers_.size() || given_ - done_ >= at_once_ || stopped_) return std::nullopt;
    return transfers_[given_++];
  }
  Status done(std::size_t index) override {
    if (index != done_) qFatal("transfer %zu is done, not %zu", index, done_);
    ++done_;
    if (done_ == stop_after) {
      stopped_ = true;
      return fail(ErrorCode::cancelled, "test: enough");
    }
    return {};
  }
  std::size_t given() const { return given_; }
  std::size_t done_count() const { return done_; }
  std::size_t stop_after = 0;

 private:
  std::vector<Transfer> transfers_;
  std::size_t at_once_;
  std::size_t given_ = 0, done_ = 0;
  bool stopped_ = false;
};

/// From here on io_uring_setup is refused to this thread and those it starts.
bool refuse_rings() {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_io_uring_setup, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{static_cast<unsigned short>(std::size(filter)), filter};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

/// Takes the right to lock any amount of memory from this thread alone.
bool give_up_locking() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2]{};
  if (::syscall(SYS_capget, &header, data) != 0) return false;
  data[0].effective &= ~(1U << CAP_IPC_LOCK);
  return ::syscall(SYS_capset, &header, data) == 0;
}

}  // namespace

class UringDeviceTest : public QObject {
  Q_OBJECT

 private:
  static constexpr std::size_t file_bytes = 24 << 20;
  QTemporaryDir folder_;
  std::shared_ptr<const Bytes> content_ = random_bytes(5, file_bytes);

  std::filesystem::path path(const char* name) const {
    return std::filesystem::path(folder_.path().toStdString()) / name;
  }

  // Null where this machine gives no ring.
  static std::shared_ptr<UringDevice> device(const UringOptions& options = {}) {
    auto made = UringDevice::create(options);
    return made ? *made : nullptr;
  }

  static std::vector<std::byte> pread_all(const std::filesystem::path& path, std::uint64_t offset, std::size_t bytes) {
    std::vector<std::byte> got(bytes);
    const UniqueFd fd(::open(path.c_str(), O_RDONLY));
    if (::pread(fd.get(), got.data(), bytes, static_cast<off_t>(offset)) != static_cast<ssize_t>(bytes)) got.clear();
    return got;
  }

 private slots:
  void initTestCase() {
    const UniqueFd fd(::open(path("data").c_str(), O_WRONLY | O_CREAT, 0644));
    for (std::size_t at = 0; at < file_bytes;) {
      const ssize_t wrote = ::write(fd.get(), content_->data() + at, file_bytes - at);
      QVERIFY(wrote > 0);
      at += static_cast<std::size_t>(wrote);
    }
    QVERIFY(::fsync(fd.get()) == 0);
  }

  void readsAreThoseOfPread_data() {
    QTest::addColumn<bool>("bypass");
    QTest::addColumn<quint64>("request");
    QTest::addColumn<quint64>("in_flight");
    QTest::newRow("O_DIRECT") << true << quint64{1 << 20} << quint64{8 << 20};
    QTest::newRow("page cache") << false << quint64{1 << 20} << quint64{8 << 20};
    QTest::newRow("small requests") << true << quint64{64 << 10} << quint64{512 << 10};
    QTest::newRow("one at a time") << true << quint64{1 << 20} << quint64{4096};
  }
  void readsAreThoseOfPread() {
    QFETCH(bool, bypass);
    QFETCH(quint64, request);
    QFETCH(quint64, in_flight);
    const auto made = device({{request, request / 4, in_flight}, bypass, true});
    if (made == nullptr) QSKIP("this system gives no ring");
    auto file = made->open(path("data"), false);
    QVERIFY(file);
    const auto memory = MappedMemory::map(16 << 20, true);
    const auto registered = made->register_memory(memory->bytes().first(4 << 20), false);
    Random random(request + in_flight);
    constexpr std::uint64_t pages = file_bytes / 4096;
    for (int round = 0; round < 60; ++round) {
      std::vector<Transfer> transfers;
      std::size_t used = 0;
      std::uint64_t page = random.below(pages);
      for (std::uint64_t i = 0, count = 1 + random.below(40); i < count; ++i) {
        // Neighbors in the file, some of them in memory too; gaps; jumps back and forth; a few large ones.
        const std::uint64_t kind = random.below(8);
        if (kind == 0) page = random.below(pages);
        if (kind == 1) page = std::min(pages - 1, page + random.below(5));
        if (kind == 2) used += 4096;
        if (page >= pages) page = 0;
        const std::uint64_t length = std::min(pages - page, 1 + random.below(kind == 3 ? 700 : 30)) * 4096;
        if (used + length > memory->size()) break;
        transfers.push_back({page * 4096, memory->bytes().subspan(used, length)});
        used += length;
        page += length / 4096;
      }
      if (transfers.empty()) continue;
      std::fill(memory->bytes().begin(), memory->bytes().end(), std::byte{0});
      ListedBatch batch(transfers, random.below(2) == 0 ? ~std::size_t{0} : 1 + random.below(4));
      const Status done = (*file)->read_many(batch);
      QVERIFY2(done.has_value(), done ? "" : done.error().message.c_str());
      QCOMPARE(batch.done_count(), transfers.size());
      for (const Transfer& transfer : transfers) {
        const auto expected = pread_all(path("data"), transfer.offset, transfer.bytes.size());
        QVERIFY(std::equal(transfer.bytes.begin(), transfer.bytes.end(), expected.begin(), expected.end()));
      }
    }
    QVERIFY(made->rings().reads->requests() > 0);
    QVERIFY(made->rings().reads->peak_bytes_in_flight() <= std::max(in_flight, quint64{4096}));
    if (registered != nullptr) QVERIFY(made->rings().reads->registered_requests() > 0);
  }

  void writesAreWhatPreadFinds() {
    const auto made = device();
    if (made == nullptr) QSKIP("this system gives no ring");
    const auto memory = MappedMemory::map(8 << 20, true);
    std::copy_n(content_->begin(), 8 << 20, memory->bytes().begin());
    auto file = made->open(path("written"), true);
    QVERIFY(file);
    QVERIFY((*file)->reserve(0, 8 << 20));
    std::vector<Transfer> transfers;
    Random random(3);
    for (std::uint64_t at = 0; at < (8 << 20);) {
      const std::uint64_t length = std::min<std::uint64_t>((8 << 20) - at, (1 + random.below(400)) * 4096);
      transfers.push_back({at, memory->bytes().subspan(at, length)});
      at += length;
    }
    ListedBatch batch(transfers, 3);
    QVERIFY((*file)->write_many(batch));
    QVERIFY((*file)->sync());
    QVERIFY(pread_all(path("written"), 0, 8 << 20) == Bytes(content_->begin(), content_->begin() + (8 << 20)));
  }

  void neighborsBecomeOneRequestAndLargeOnesSeveral() {
    const auto made = device({{1 << 20, 1 << 20, 8 << 20}, true, true});
    if (made == nullptr) QSKIP("this system gives no ring");
    auto file = made->open(path("data"), false);
    const auto memory = MappedMemory::map(8 << 20, true);
    std::vector<Transfer> transfers;
    for (std::uint64_t i = 0; i < 256; ++i)  // neighbors in the file, not in memory
      transfers.push_back({i * 4096, memory->bytes().subspan(i * 8192, 4096)});
    ListedBatch small(transfers);
    QVERIFY((*file)->read_many(small));
    QCOMPARE(made->rings().reads->requests(), std::uint64_t{1});
    ListedBatch large({{0, memory->bytes()}});
    QVERIFY((*file)->read_many(large));
    QCOMPARE(made->rings().reads->requests(), std::uint64_t{9});
    QCOMPARE(made->rings().reads->peak_bytes_in_flight(), std::uint64_t{8 << 20});
  }

  void theFirstRequestsOfABatchAreSmaller() {
    const auto made = device({{1 << 20, 256 << 10, 8 << 20}, true, true});
    if (made == nullptr) QSKIP("this system gives no ring");
    auto file = made->open(path("data"), false);
    const auto memory = MappedMemory::map(4 << 20, true);
    ListedBatch batch({{0, memory->bytes()}});
    QVERIFY((*file)->read_many(batch));
    QCOMPARE(made->rings().reads->requests(), std::uint64_t{4 + 3});
    QVERIFY(std::equal(memory->bytes().begin(), memory->bytes().end(), content_->begin()));
  }

  void aReadBeyondTheEndIsCorruptAndNothingStaysInFlight() {
    const auto made = device();
    if (made == nullptr) QSKIP("this system gives no ring");
    auto file = made->open(path("data"), false);
    const auto memory = MappedMemory::map(8 << 20, true);
    ListedBatch batch({{file_bytes - (3 << 20), memory->bytes()}});
    const Status done = (*file)->read_many(batch);
    QVERIFY(!done);
    QCOMPARE(done.error().code, ErrorCode::corrupt);
    QCOMPARE(batch.done_count(), std::size_t{0});
    ListedBatch again({{0, memory->bytes()}});  // the ring is as good as new
    QVERIFY((*file)->read_many(again));
    QVERIFY(std::equal(memory->bytes().begin(), memory->bytes().end(), content_->begin()));
  }

  void aBatchThatStopsStartsNothingMore() {
    const auto made = device({{1 << 20, 1 << 20, 2 << 20}, true, true});
    if (made == nullptr) QSKIP("this system gives no ring");
    auto file = made->open(path("data"), false);
    const auto memory = MappedMemory::map(16 << 20, true);
    std::vector<Transfer> transfers;
    for (std::uint64_t i = 0; i < 16; ++i) transfers.push_back({i << 20, memory->bytes().subspan(i << 20, 1 << 20)});
    ListedBatch batch(transfers);
    batch.stop_after = 3;
    const Status done = (*file)->read_many(batch);
    QVERIFY(!done);
    QCOMPARE(done.error().code, ErrorCode::cancelled);
    QCOMPARE(batch.done_count(), std::size_t{3});
    QVERIFY(batch.given() <= 8);
  }

  void aRefusedRingIsAReadAllTheSame() {
    // The kernel itself refuses, as a container's filter makes it do.
    bool filtered = false, ring = true;
    std::string note, error;
    ReadOutcome outcome;
    const auto bytes = random_bytes(1, 3000000);
    QTemporaryDir folder;
    std::thread([&] {
      filtered = refuse_rings();
      ring = device() != nullptr;
      BufferPool pool(16 << 20);
      const auto tier = open_or_fail(in_folder(folder.path().toStdString()));
      note = tier->describe().note;
      if (!write_entry(*tier, "entry", bytes)) return;
      outcome = read_entry(*tier, pool, "entry", *bytes);
    }).join();
    if (!filtered) QSKIP("no seccomp here");
    QVERIFY(!ring);
    QVERIFY(outcome.ok() && outcome.extents[0] == *bytes);
    QVERIFY2(note.find("io_uring refused here") != std::string::npos, note.c_str());
  }

  void memoryThatMayNotBeLockedIsUsedUnregistered() {
    if (device() == nullptr) QSKIP("this system gives no ring");
    rlimit before{};
    QVERIFY(::getrlimit(RLIMIT_MEMLOCK, &before) == 0);
    bool given_up = false;
    std::string note;
    ReadOutcome outcome;
    const auto bytes = random_bytes(1, 3000000);
    QTemporaryDir folder;
    std::thread([&] {
      // Enough for a ring and too little for its pages. What other processes of the same user have locked counts, too.
      given_up = give_up_locking();
      for (rlim_t limit = 64 << 10; given_up && limit <= 1 << 30; limit += 8 << 20) {
        const rlimit little{limit, before.rlim_max};
        given_up = ::setrlimit(RLIMIT_MEMLOCK, &little) == 0;
        BufferPool pool(16 << 20);
        const auto tier = open_or_fail(in_folder(folder.path().toStdString()));
        note = tier->describe().note;
        if (note.find("io_uring refused here") != std::string::npos) continue;
        if (write_entry(*tier, "entry", bytes))
          outcome = read_extents(*tier, pool, "entry", {extent_of(*bytes, 77, 2900000)});
        break;
      }
    }).join();
    ::setrlimit(RLIMIT_MEMLOCK, &before);
    if (!given_up) QSKIP("limits cannot be changed here");
    QVERIFY(outcome.ok() && std::equal(outcome.extents[0].begin(), outcome.extents[0].end(), bytes->begin() + 77));
    QVERIFY2(note.find("not registered") != std::string::npos, note.c_str());
  }

  void aFolderInMemorySaysSo() {
    if (!std::filesystem::is_directory("/dev/shm")) QSKIP("no /dev/shm");
    QTemporaryDir folder("/dev/shm/kvantage-XXXXXX");
    const auto tier = open_or_fail(in_folder(folder.path().toStdString()));
    QVERIFY(tier->describe().note.find("is in memory") != std::string::npos);
    BufferPool pool(16 << 20);
    const auto bytes = random_bytes(1, 3000000);
    QVERIFY(write_entry(*tier, "entry", bytes));
    QVERIFY(read_entry(*tier, pool, "entry", *bytes).ok());
  }

  void faultsAffectBatchesOnTheRing() {
    const auto ring = device();
    if (ring == nullptr) QSKIP("this system gives no ring");
    QTemporaryDir folder;
    const auto faulty = std::make_shared<FaultyDevice>(system_executor().clock(), ring, 3);
    OpenTierOptions options{.executor = system_executor()};
    options.device = faulty;
    BufferPool pool(64 << 20);
    const auto bytes = random_bytes(1, 8 << 20);
    std::vector<ReadExtent> layers;
    for (std::uint64_t i = 0; i < 16; ++i) layers.push_back(extent_of(*bytes, i << 19, 1 << 19, 1 << 16));
    const auto tier = open_or_fail(in_folder(folder.path().toStdString()), options);
    Random random(4);
    std::map<std::string, int> seen;
    for (int i = 0; i < 60; ++i) {
      if (!tier->contains(key_of("entry"))) QVERIFY(write_entry(*tier, "entry", bytes));
      const std::uint64_t before = ring->rings().reads->requests();
      const std::uint64_t kind = random.below(4);
      faulty->set_plan(
          {.flip_on_read = kind == 0 ? 0.1 : 0, .short_read = kind == 1 ? 0.1 : 0, .read_error = kind == 2 ? 0.1 : 0});
      const auto injected = [&] {
        std::uint64_t total = 0;
        for (const auto& [name, count] : faulty->counts()) total += count;
        return total;
      };
      const std::uint64_t injected_before = injected();
      const ReadOutcome outcome = read_extents(*tier, pool, "entry", layers);
      faulty->set_plan({});
      QCOMPARE(outcome.ok(), injected() == injected_before);  // a fault that was read is a miss, nothing else is
      ++seen[outcome.ok() ? "right" : to_string(outcome.code())];
      for (std::size_t layer = 0; layer < outcome.statuses.size(); ++layer)
        if (outcome.statuses[layer])
          QVERIFY(std::equal(outcome.extents[layer].begin(), outcome.extents[layer].end(),
                             bytes->begin() + static_cast<std::ptrdiff_t>(layer << 19)));
      if (outcome.ok()) QVERIFY(ring->rings().reads->requests() >= before + 8);
    }
    QVERIFY(seen["right"] > 0 && seen["corrupt"] > 0 && seen["io"] > 0);
    QCOMPARE(pool.leased_bytes(), std::size_t{0});
  }

  void layersArriveWhileLaterOnesAreInFlight() {
    // A fault in the last layer: all before it were handed out, verified, while it was still to come.
    QTemporaryDir folder;
    BufferPool pool(64 << 20);
    const auto bytes = random_bytes(1, 16 << 20);
    const auto tier = open_or_fail(in_folder(folder.path().toStdString()));
    QVERIFY(write_entry(*tier, "entry", bytes));
    std::vector<ReadExtent> layers;
    for (std::uint64_t i = 0; i < 16; ++i) layers.push_back(extent_of(*bytes, i << 20, 1 << 20, 1 << 16));
    layers.back().pieces.back().checksum ^= 1;
    const ReadOutcome outcome = read_extents(*tier, pool, "entry", layers);
    for (std::size_t i = 0; i < 15; ++i) QVERIFY(outcome.statuses[i].has_value());
    QVERIFY(!outcome.statuses[15]);
    QCOMPARE(pool.leased_bytes(), std::size_t{0});
  }

  void cancelledReadsLeakNoBuffer() {
    QTemporaryDir folder;
    BufferPool pool(64 << 20);
    const auto bytes = random_bytes(1, 4 << 20);
    const auto tier = open_or_fail(in_folder(folder.path().toStdString()));
    QVERIFY(write_entry(*tier, "entry", bytes));
    std::vector<ReadExtent> layers;
    for (std::uint64_t i = 0; i < 8; ++i) layers.push_back({i << 19, 1 << 19, {}});
    Random random(6);
    CompletionQueue queue(system_executor().clock());
    std::uint64_t cancelled = 0, read = 0, ended = 0;
    const auto take = [&](std::vector<Completion> completions) {
      for (Completion& completion : completions) {
        if (!completion.last) continue;
        ++ended;
        ++(completion.status ? read : cancelled);
      }
    };
    for (int i = 0; i < cancelled_reads; ++i) {
      const std::size_t count = 1 + random.below(layers.size());
      const std::vector<ReadExtent> extents(layers.begin(), layers.begin() + static_cast<std::ptrdiff_t>(count));
      const Ticket ticket = tier->submit_read(key_of("entry"), extents, lease_all(pool, extents), queue);
      if (const std::uint64_t spins = random.below(3); spins > 0)
        std::this_thread::sleep_for(std::chrono::microseconds(random.below(spins == 1 ? 100 : 1000)));
      tier->cancel(ticket);
      while (ended < static_cast<std::uint64_t>(i) + 1) take(queue.wait(60));
    }
    QCOMPARE(ended, static_cast<std::uint64_t>(cancelled_reads));
    QCOMPARE(pool.leased_bytes(), std::size_t{0});
    qInfo("%llu reads cancelled, %llu were quicker", static_cast<unsigned long long>(cancelled),
          static_cast<unsigned long long>(read));
    QVERIFY(cancelled > 0);
    QCOMPARE(tier->statistics().misses.at("cancelled"), cancelled);
    BufferPool after(64 << 20);
    QVERIFY(read_entry(*tier, after, "entry", *bytes).ok());
  }
};

KV_TEST_PROGRAM(argc, argv) {
  std::vector<char*> rest;
  for (int i = 0; i < argc; ++i) {
    if (std::string(argv[i]) == "--reads" && i + 1 < argc)
      cancelled_reads = std::atoi(argv[++i]);
    else
      rest.push_back(argv[i]);
  }
  int count = static_cast<int>(rest.size());
  rest.push_back(nullptr);
  QCoreApplication app(count, rest.data());
  UringDeviceTest test;
  return QTest::qExec(&test, count, rest.data());
}

}  // namespace uring_device_test

#include "uring_device_test.moc"
