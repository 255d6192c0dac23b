// links: kv_experiments
// Codecs as fractions of one memcpy of the same bf16 bytes in the same run, from memory (larger than all caches) and
// from the last cache. Fractions mean the same on every machine; the floors asserted are half of what is aimed at.
#include <QtTest>
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "core/kv/codecs/fp8_kernels.h"
#include "core/kv/codecs/kivi.h"
#include "tests/kv/codec_rows.h"
#include "tests/support/test_program.h"

namespace codec_bench_test {

using namespace kvantage;
using namespace kvantage::testing;

namespace {

// Least shares of memcpy's rate, where what is read and what is written counts on both sides. Generous: other work on
// the machine moves them by half. Set for AVX-512, from memory and from the caches.
constexpr double least_kivi_from_memory = 0.15, least_kivi_from_cache = 0.1;
constexpr double least_fp8_from_memory = 0.15, least_fp8_from_cache = 0.1;

// Processor time of this thread: other work on the machine does not count.
double now() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

struct Speeds {
  double copy = 0, encode = 0, decode = 0;  // bytes of bf16 rows a second; medians
  double bits = 0;                          // stored for an element
  double encoded_share = 0;                 // bytes encoded / bytes of rows

  /// Shares of memcpy's rate: bytes read and written a second / those of memcpy.
  double encode_moved() const { return encode * (1 + encoded_share) / (2 * copy); }
  double decode_moved() const { return decode * (1 + encoded_share) / (2 * copy); }
};

/// Copy, encode and decode in turns, so that noise of the machine hits all alike. The target of every one was written
/// before.
Speeds measure(const Codec& codec, const CodecRows& rows, const std::vector<std::byte>& data, int rounds) {
  std::vector<std::byte> copy(data.size()), back(data.size()), encoded;
  if (!codec.encode(rows, data, encoded)) qFatal("encode");
  const double bits = 8.0 * static_cast<double>(encoded.size()) / static_cast<double>(rows.elements());
  const double encoded_share = static_cast<double>(encoded.size()) / static_cast<double>(data.size());
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
  return {speed(copies), speed(encodes), speed(decodes), bits, encoded_share};
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
          std::printf(
              "  %3zu MiB %-6s kivi%d (%s): %.2f / %.2f of %.1f GB/s, of the bytes moved %.2f / %.2f, %.3f bits an "
              "element\n",
              mebibytes, name_of(kind), bits, to_string(best_isa()), speeds.encode / speeds.copy,
              speeds.decode / speeds.copy, speeds.copy * 1e-9, speeds.encode_moved(), speeds.decode_moved(),
              speeds.bits);
          if (best_isa() >= Isa::avx512) {
            const double least = mebibytes > 50 ? least_kivi_from_memory : least_kivi_from_cache;
            QVERIFY(speeds.encode_moved() >= least && speeds.decode_moved() >= least);
          }
          if (mebibytes < 50 || best_isa() < Isa::avx512) continue;
          QVERIFY(speeds.encode >= 0.25 * speeds.copy);
          QVERIFY(speeds.decode >= 0.25 * speeds.copy);
        }
      }
  }

  void fp8KeepsUpWithMemory() {
    std::printf("fp8, bf16 rows; fractions of memcpy, encode / decode\n");
    for (const std::size_t mebibytes : {96, 4}) {
      const CodecRows rows = rows_of(mebibytes, ExtentKind::keys);
      const auto data = data_of(rows);
      const Speeds speeds = measure(*parse_codec("fp8").value(), rows, data, mebibytes > 50 ? 5 : 15);
      std::printf("  %3zu MiB (%s): %.2f / %.2f of %.1f GB/s, of the bytes moved %.2f / %.2f\n", mebibytes,
                  to_string(best_isa()), speeds.encode / speeds.copy, speeds.decode / speeds.copy, speeds.copy * 1e-9,
                  speeds.encode_moved(), speeds.decode_moved());
      if (best_isa() < Isa::avx512) continue;
      const double least = mebibytes > 50 ? least_fp8_from_memory : least_fp8_from_cache;
      QVERIFY(speeds.encode_moved() >= least && speeds.decode_moved() >= least);
    }
  }

  void fp8OnEveryInstructionSet() {
    const auto data = data_of(rows_of(4, ExtentKind::keys));
    const std::size_t elements = data.size() / sizeof(Bf16);
    std::vector<std::byte> codes(elements), back(data.size());
    for (const Isa isa : {Isa::avx512, Isa::avx2, Isa::portable}) {
      if (isa > best_isa()) continue;
      const Fp8Kernels& kernels = fp8_kernels(true, isa);
      std::vector<double> encodes, decodes;
      for (int i = 0; i < 7; ++i) {
        const double start = now();
        kernels.encode(data.data(), elements, codes.data());
        const double encoded = now();
        kernels.decode(codes.data(), elements, back.data());
        decodes.push_back(now() - encoded);
        encodes.push_back(encoded - start);
      }
      std::ranges::sort(encodes);
      std::ranges::sort(decodes);
      const auto bytes = static_cast<double>(data.size());
      std::printf("  fp8, 4 MiB (%s): encode %.2f GB/s, decode %.2f GB/s\n", to_string(isa), bytes / encodes[3] * 1e-9,
                  bytes / decodes[3] * 1e-9);
      kernels.encode(back.data(), elements, codes.data());
      std::vector<std::byte> again(back.size());
      kernels.decode(codes.data(), elements, again.data());
      QVERIFY(again == back);  // what was timed is e4m3
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
