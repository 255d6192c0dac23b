// links: kv_reports kv_tiers
// Loads of the tiers beside what the machine can do, in one run: a folder beside fio (same file, same block size, same
// depth, O_DIRECT on io_uring) or, where that is not installed, a plain loop of preads; host memory beside memcpy, into
// buffers (bench/loads has loads into blocks, which lend). Checksums are part of the load and their cost stands apart.
// Only a generous floor is asserted: the metrics are for docs/performance-tiers.md. `--rounds N` for more turns than
// the default 4; who begins a turn alternates, for a disk that was just busy may be slower, or quicker.
#include <QProcess>
#include <QStandardPaths>
#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>

#include "tests/bench/loads/plain_reads.h"
#include "tests/support/test_program.h"
#include "tests/tiers/tier_testing.h"
#include "tiers/mapped_memory.h"
#include "tiers/ssd/segment_entry.h"

namespace ssd_bench_test {

using namespace kvantage;
using namespace kvantage::testing;

namespace {

using SteadyClock = std::chrono::steady_clock;

double seconds_since(SteadyClock::time_point start) {
  return std::chrono::duration<double>(SteadyClock::now() - start).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : (values[values.size() / 2] + values[(values.size() - 1) / 2]) / 2;
}

std::string listed(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) text += (text.empty() ? "" : " ") + QString::number(value, 'f', 2).toStdString();
  return text;
}

/// Bytes a second of `operation`, which moves `bytes`, repeated for so long.
double rate(double seconds, std::uint64_t bytes, const std::function<void()>& operation) {
  const auto start = SteadyClock::now();
  std::uint64_t moved = 0;
  do {
    operation();
    moved += bytes;
  } while (seconds_since(start) < seconds);
  return static_cast<double>(moved) / seconds_since(start);
}

struct Load {
  double seconds = 0;
  double verify_seconds = 0;
  double first_layer_seconds = 0;
};

int rounds = 4;
constexpr std::uint64_t layer_count = 8;
constexpr std::uint64_t request_bytes = 1 << 20;  // what the device does by itself

/// The most that it has in flight of an entry: twice as much behind the first 4 MiB.
std::uint64_t bytes_in_flight(std::uint64_t entry_bytes) {
  constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;
  return std::min(entry_bytes, entry_bytes >= 16 * mebibyte ? 8 * mebibyte : 4 * mebibyte);
}
std::uint64_t block_bytes(std::uint64_t entry_bytes) { return std::min<std::uint64_t>(entry_bytes / 4, request_bytes); }

}  // namespace

class SsdBenchTest : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_{QString::fromLocal8Bit(qgetenv("KVANTAGE_BENCH_DIR").isEmpty()
                                                   ? QByteArray("kvantage-bench-XXXXXX")
                                                   : qgetenv("KVANTAGE_BENCH_DIR") + "/kvantage-bench-XXXXXX")};
  BufferPool pool_{std::size_t{256} << 20};

  static void sizes() {
    QTest::addColumn<quint64>("mebibytes");
    for (const quint64 size : {1, 4, 16, 64}) QTest::addRow("%llu MiB", size) << size;
  }

  /// The layers of an entry as the engine reads them; verified in pieces of 64 KiB.
  static std::vector<ReadExtent> layers_of(const Bytes& bytes, bool verified) {
    std::vector<ReadExtent> layers;
    const std::uint64_t layer = bytes.size() / layer_count;
    for (std::uint64_t i = 0; i < layer_count; ++i)
      layers.push_back(verified ? extent_of(bytes, i * layer, layer, 64 << 10) : ReadExtent{i * layer, layer, {}});
    return layers;
  }

  Load load(StorageTier& tier, const std::vector<ReadExtent>& layers, const std::string& name = "entry") {
    const auto start = SteadyClock::now();
    Load load;
    CompletionQueue queue(system_executor().clock());
    tier.submit_read(key_of(name), layers, lease_all(pool_, layers), queue);
    for (bool ended = false; !ended;)
      for (const Completion& completion : queue.wait(60)) {
        if (!completion.status) qFatal("%s", completion.status.error().message.c_str());
        if (completion.index == 0) load.first_layer_seconds = seconds_since(start);
        load.verify_seconds += completion.verify_seconds;
        ended = completion.last;
      }
    load.seconds = seconds_since(start);
    return load;
  }

  /// Bytes a second of fio over the entry in that file, 0 when it did not run. `passes`: it reads the entry so often
  /// from beginning to end, as loads do; 0: for a second without ever letting its queue run empty.
  /// `huge`: its buffers are on huge pages, as ours are.
  static double fio(const std::filesystem::path& file, std::uint64_t bytes, bool direct, int passes, bool huge) {
    const std::uint64_t block = block_bytes(bytes), depth = bytes_in_flight(bytes) / block;
    QStringList arguments{"--name=load",
                          "--readonly",
                          "--rw=read",
                          "--ioengine=io_uring",
                          "--output-format=json",
                          "--direct=" + QString::number(direct ? 1 : 0),
                          "--filename=" + QString::fromStdString(file.string()),
                          "--offset=4096",
                          "--size=" + QString::number(bytes),
                          "--bs=" + QString::number(block),
                          "--iodepth=" + QString::number(depth)};
    if (passes > 0)
      arguments << "--loops=" + QString::number(passes);
    else
      arguments << "--time_based"
                << "--runtime=1";
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("GLIBC_TUNABLES", huge ? "glibc.malloc.hugetlb=1" : "glibc.malloc.hugetlb=0");
    process.setProcessEnvironment(environment);
    process.start("fio", arguments);
    if (!process.waitForFinished(60000) || process.exitCode() != 0) return 0;
    const QByteArray output = process.readAllStandardOutput();
    const auto json = nlohmann::json::parse(output.mid(output.indexOf('{')).toStdString(), nullptr, false);
    if (json.is_discarded()) return 0;
    return json.at("jobs").at(0).at("read").at("bw_bytes").get<double>();
  }

  /// Bytes a second of preads in so many passes over the entry in that file; 0: refused.
  static double plain_reads(const std::filesystem::path& file, std::uint64_t bytes, bool direct, int passes) {
    PlainReads reads(file, 4096, bytes, block_bytes(bytes), bytes_in_flight(bytes) / block_bytes(bytes), direct);
    const auto start = SteadyClock::now();
    const bool good = reads.pass(static_cast<std::uint64_t>(passes));
    return good ? static_cast<double>(bytes) * passes / seconds_since(start) : 0;
  }

 private slots:
  void aLoadFromAFolderBesideFio_data() { sizes(); }
  void aLoadFromAFolderBesideFio() {
    const bool has_fio = !QStandardPaths::findExecutable("fio").isEmpty();
    QFETCH(quint64, mebibytes);
    const std::filesystem::path folder = folder_.path().toStdString() + "/ssd";
    const auto bytes = random_bytes(mebibytes, mebibytes << 20);
    const auto tier = open_or_fail(in_folder(folder));
    for (const EntryInfo& info : tier->entries()) QVERIFY(tier->erase(info.key));
    QVERIFY(write_entry(*tier, "entry", bytes));
    std::filesystem::path file;
    for (const auto& item : std::filesystem::directory_iterator(folder))
      if (parse_segment_file_name(item.path().filename().string()) && item.file_size() == bytes->size() + 4096)
        file = item.path();
    const bool direct = tier->describe().note.find("O_DIRECT refused") == std::string::npos;
    const std::vector<ReadExtent> layers = layers_of(*bytes, true), unverified = layers_of(*bytes, false);
    std::vector<double> ours, bare, theirs, verify, first, ratios;
    for (int round = 0; round < rounds; ++round) {
      const auto their_turn = [&] {
        const int passes = static_cast<int>(512 / mebibytes);
        theirs.push_back(has_fio ? fio(file, bytes->size(), direct, passes, true)
                                 : plain_reads(file, bytes->size(), direct, passes));
        return theirs.back() > 0;
      };
      if (round % 2 == 0 && !their_turn()) QSKIP("fio did not run here");
      ours.push_back(rate(0.4, bytes->size(), [&] {
        const Load done = load(*tier, layers);
        verify.push_back(done.verify_seconds / done.seconds);
        first.push_back(done.first_layer_seconds / done.seconds);
      }));
      if (round % 2 == 1 && !their_turn()) QSKIP("fio did not run here");
      ratios.push_back(ours.back() / theirs.back());
      bare.push_back(rate(0.2, bytes->size(), [&] { load(*tier, unverified); }));
    }
    const double small_pages = has_fio ? fio(file, bytes->size(), direct, static_cast<int>(512 / mebibytes), false) : 0;
    const double streamed = has_fio ? fio(file, bytes->size(), direct, 0, true) : 0;
    qInfo(
        "%llu MiB: %.2f GB/s with checksums, %.3f x %s %.2f GB/s for passes over the entry (%.2f GB/s with its "
        "default pages, %.2f "
        "GB/s streaming); "
        "without checksums %.2f GB/s. Checksums are %.1f %% of the time, the first of %llu layers is there after "
        "%.0f %%. Turn by turn %s. %s",
        static_cast<unsigned long long>(mebibytes), median(ours) / 1e9, median(ratios),
        has_fio ? "fio's" : "the preads'", median(theirs) / 1e9, small_pages / 1e9, streamed / 1e9, median(bare) / 1e9,
        median(verify) * 100, static_cast<unsigned long long>(layer_count), median(first) * 100, listed(ratios).c_str(),
        tier->describe().note.c_str());
    QVERIFY(median(ratios) > 0.3);
    if (mebibytes >= 64) QVERIFY(median(first) < 0.9);  // the first layer never waits for the last
  }

  void aLoadFromMemoryBesideMemcpy_data() { sizes(); }
  void aLoadFromMemoryBesideMemcpy() {
    // Entry after entry, of many: a store is larger than the processor's caches, and a load is not one that just was.
    QFETCH(quint64, mebibytes);
    const std::size_t entry_bytes = mebibytes << 20, count = (std::size_t{512} << 20) / entry_bytes;
    const auto bytes = random_bytes(mebibytes, entry_bytes);
    const auto tier = open_or_fail({.name = "dram"});
    for (std::size_t i = 0; i < count; ++i) QVERIFY(write_entry(*tier, std::to_string(i), bytes));
    const std::vector<ReadExtent> layers = layers_of(*bytes, false);
    const auto source = MappedMemory::map(count * entry_bytes, true), target = MappedMemory::map(entry_bytes, true);
    for (std::size_t i = 0; i < count; ++i) std::memcpy(source->data() + i * entry_bytes, bytes->data(), entry_bytes);
    const std::size_t layer = entry_bytes / layer_count;
    std::size_t next = 0;
    const auto following = [&] { return next = (next + 1) % count; };
    std::vector<double> ours, theirs, ratios, layer_ratios;
    for (int round = 0; round < 9; ++round) {
      theirs.push_back(rate(0.05, entry_bytes, [&] {
        std::memcpy(target->data(), source->data() + following() * entry_bytes, entry_bytes);
      }));
      ours.push_back(rate(0.05, entry_bytes, [&] { load(*tier, layers, std::to_string(following())); }));
      ratios.push_back(ours.back() / theirs.back());
      layer_ratios.push_back(ours.back() / rate(0.05, entry_bytes, [&] {
                               const std::byte* const from = source->data() + following() * entry_bytes;
                               for (std::size_t at = 0; at < entry_bytes; at += layer)
                                 std::memcpy(target->data() + at, from + at, layer);
                             }));
    }
    // A single memcpy of more than the caches hold goes past them; layers that are used next should not.
    qInfo("%llu MiB: %.1f GB/s, %.2f x memcpy's %.1f GB/s, %.2f x memcpy layer by layer",
          static_cast<unsigned long long>(mebibytes), median(ours) / 1e9, median(ratios), median(theirs) / 1e9,
          median(layer_ratios));
    QVERIFY(median(ratios) > 0.2);
  }

  void aChecksumBesideMemcpy() {
    const auto bytes = random_bytes(1, 64 << 20);
    const auto target = MappedMemory::map(bytes->size(), true);
    std::uint64_t sum = 0;
    const double checked = rate(0.5, bytes->size(), [&] { sum ^= checksum_of(*bytes); });
    const double copied = rate(0.5, bytes->size(), [&] { std::memcpy(target->data(), bytes->data(), bytes->size()); });
    qInfo("XXH3 over 64 MiB: %.1f GB/s, %.2f x memcpy (%llx)", checked / 1e9, checked / copied,
          static_cast<unsigned long long>(sum));
  }
};

KV_TEST_PROGRAM(count, arguments) {
  if (count >= 3 && std::strcmp(arguments[1], "--rounds") == 0) {
    rounds = std::max(1, std::atoi(arguments[2]));
    arguments[2] = arguments[0];
    count -= 2;
    arguments += 2;
  }
  QCoreApplication app(count, arguments);
  SsdBenchTest test;
  return QTest::qExec(&test, count, arguments);
}

}  // namespace ssd_bench_test

#include "ssd_bench_test.moc"
