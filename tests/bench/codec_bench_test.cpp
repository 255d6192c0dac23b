// links: kv_experiments
// Codecs as fractions of one memcpy of the same bf16 bytes in the same run, from memory (larger than all caches) and
// from the last cache. Fractions mean the same on every machine; the floors asserted are half of what is aimed at.
#include <QtTest>
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "core/kv/codecs/kivi.h"
#include "tests/kv/codec_rows.h"
#include "tests/support/test_program.h"

namespace codec_bench_test {

using namespace kvantage;
using namespace kvantage::testing;

namespace {

// Processor time of this thread: other work on the machine does not count.
double now() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

struct Speeds {
  double copy = 0, encode = 0, decode = 0;  // bytes of bf16 rows a second; medians
  double bits = 0;                          // stored for an element
};

/// Copy, encode and decode in turns, so that noise of the machine hits all alike. The target of every one was written
/// before.
Speeds measure(const Codec& codec, const CodecRows& rows, const std::vector<std::byte>& data, int rounds) {
  std::vector<std::byte> copy(data.size()), back(data.size()), encoded;
  if (!codec.encode(rows, data, encoded)) qFatal("encode");
  const double bits = 8.0 * static_cast<double>(encoded.size()) / static_cast<double>(rows.elements());
  std::memcpy(copy.data(), data.data(), data.size());
  std::memcpy(back.data(), data.data(), data.size());
  std::vector<double> copies, encodes, decodes;
  for (int i = 0; i < rounds; ++i) {
    const double start = now();
    std::memcpy(copy.data(), data.data(), data.size());
    const double copied = now();
    encoded.clear();
    if (!codec.encode(rows, data, encoded)) qFatal("encode");
    const double done = now();
    if (!codec.decode(rows, encoded, back)) qFatal("decode");
    decodes.push_back(now() - done);
    encodes.push_back(done - copied);
    copies.push_back(copied - start);
  }
  const auto speed = [&](std::vector<double>& seconds) {
    std::ranges::sort(seconds);
    return static_cast<double>(data.size()) / seconds[seconds.size() / 2];
  };
  return {speed(copies), speed(encodes), speed(decodes), bits};
}

CodecRows rows_of(std::size_t mebibytes, ExtentKind kind) {
  return {{6, 2, 64, KvType::bf16}, 0, kind, static_cast<int>(mebibytes * 8192)};
}

/// The same 8192 rows again and again: drawing them all would take longer than everything else.
std::vector<std::byte> data_of(const CodecRows& rows) {
  const std::vector<std::byte> once = channel_rows(rows_of(1, rows.kind), 5);
  std::vector<std::byte> data;
  while (data.size() < rows.bytes()) data.insert(data.end(), once.begin(), once.end());
  return data;
}

const char* name_of(ExtentKind kind) { return kind == ExtentKind::keys ? "keys" : "values"; }

}  // namespace

class CodecBench : public QObject {
  Q_OBJECT

 private slots:
  void kiviKeepsUpWithMemory() {
    std::printf("KIVI, head dimension 64, bf16 rows; fractions of memcpy, encode / decode\n");
    for (const std::size_t mebibytes : {96, 4})
      for (const auto kind : {ExtentKind::keys, ExtentKind::values}) {
        const CodecRows rows = rows_of(mebibytes, kind);
        const auto data = data_of(rows);
        for (const int bits : {8, 4, 2}) {
          const Speeds speeds = measure(*make_kivi({bits, 128, 32}, best_isa()), rows, data, mebibytes > 50 ? 5 : 15);
          std::printf("  %3zu MiB %-6s kivi%d (%s): %.2f / %.2f of %.1f GB/s, %.3f bits an element\n", mebibytes,
                      name_of(kind), bits, to_string(best_isa()), speeds.encode / speeds.copy,
                      speeds.decode / speeds.copy, speeds.copy * 1e-9, speeds.bits);
          if (mebibytes < 50 || best_isa() < Isa::avx512) continue;
          QVERIFY(speeds.encode >= 0.25 * speeds.copy);
          QVERIFY(speeds.decode >= 0.25 * speeds.copy);
        }
      }
  }

  void otherInstructionSets() {
    const CodecRows rows = rows_of(4, ExtentKind::keys);
    const auto data = data_of(rows);
    for (const Isa isa : {Isa::avx2, Isa::portable}) {
      if (isa > best_isa()) continue;
      const Speeds speeds = measure(*make_kivi({4, 128, 32}, isa), rows, data, 5);
      std::printf("  kivi4 keys (%s): encode %.2f GB/s, decode %.2f GB/s\n", to_string(isa), speeds.encode * 1e-9,
                  speeds.decode * 1e-9);
      QVERIFY(speeds.decode >= 0.005 * speeds.copy);
    }
  }

  void othersAreNotFarBehind() {
    // CacheGen is aimed at 100 MB/s of bf16 rows on one core; memory copies some 10 GB/s.
    const CodecRows rows = rows_of(8, ExtentKind::keys);
    const auto data = channel_rows(rows, 5);
    const double from_memory =
        measure(*parse_codec("bf16").value(), rows_of(96, ExtentKind::keys), data_of(rows_of(96, ExtentKind::keys)), 5)
            .copy;
    for (const char* text : {"cachegen(level=1)", "cachegen", "cachegen(level=3)", "fp8", "zstd", "kivi4+zstd"}) {
      const Speeds speeds = measure(*parse_codec(text).value(), rows, data, 5);
      std::printf("  %-17s encode %.0f MB/s, decode %.0f MB/s, %.2f bits an element\n", text, speeds.encode * 1e-6,
                  speeds.decode * 1e-6, speeds.bits);
      if (!QByteArray(text).startsWith("cachegen")) continue;
      QVERIFY(speeds.encode >= 0.003 * from_memory);
      QVERIFY(speeds.decode >= 0.003 * from_memory);
    }
  }
};

KV_TEST_GUILESS_MAIN(CodecBench)

}  // namespace codec_bench_test

#include "codec_bench_test.moc"
