// links: kv_experiments kvantage::torch
// Scorers beside bare operations of the same run on one core: knorm and keydiff beside one pass that sums the bytes of
// the same keys out of a contiguous buffer, snapkv beside libtorch's GEMM and exp at its shapes. Only generous floors
// are asserted; the metrics are printed.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <QtTest>
#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <numeric>

#include "core/base/random.h"
#include "core/compress/scorers/scorers.h"
#include "core/model/kernels/isa.h"
#include "tests/support/test_program.h"

namespace scorer_bench_test {

using namespace kvantage;

namespace {

constexpr int kv_heads = 4;
// Least shares of one pass's rate, keys counted once (paged_eviction: keys and values). Generous: other work on the
// machine moves them by half. keydiff has to read the keys twice.
constexpr double least_knorm = 0.15, least_keydiff = 0.06, least_paged_eviction = 0.15;
constexpr double least_snapkv = 0.25;  // of the slower of GEMM and exp

// Processor time of this thread: what else runs on the machine does not count, its use of memory does.
double now() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

template <class Work>
double seconds_of(const Work& work) {
  const double start = now();
  work();
  return now() - start;
}

double median(std::vector<double> samples) {
  std::ranges::sort(samples);
  return samples[samples.size() / 2];
}

/// One read of every byte: a sum over 64-bit words, which the compiler turns into vectors.
std::uint64_t sum_of(const std::vector<std::uint64_t>& words) {
  return std::accumulate(words.begin(), words.end(), std::uint64_t{0});
}

/// A cache of one layer whose keys hold random numbers, and as many bytes in one piece.
struct Bench {
  KvShape shape;
  BlockPool pool;
  KvCache cache{pool};
  std::vector<std::uint64_t> buffer, target;
  std::vector<std::uint64_t> others = std::vector<std::uint64_t>(std::size_t{96} << 17, 1);  // 96 MiB
  std::uint64_t seen = 0;

  Bench(int head_dim, int tokens, int block_tokens)
      : shape{1, kv_heads, head_dim, KvType::bf16},
        pool(shape, block_tokens,
             2 * shape.bytes_per_token() * static_cast<std::size_t>(tokens) + (std::size_t{8} << 20)),
        buffer(key_bytes(tokens) / 8, 1),
        target(buffer) {
    Random random(1);
    std::vector<std::uint16_t> numbers(key_bytes(tokens) / 2);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const auto number = static_cast<float>(i < 65536 ? random.normal() : 0);
      numbers[i] =
          i < 65536 ? static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(number) >> 16) : numbers[i % 65521];
    }
    std::vector<std::int32_t> positions(static_cast<std::size_t>(tokens));
    std::iota(positions.begin(), positions.end(), 0);
    const auto rows = std::as_bytes(std::span(numbers));
    if (!cache.append(0, rows, rows, positions)) qFatal("append");
    cache.set_sequence_length(tokens);
  }
  std::size_t key_bytes(int tokens) const { return static_cast<std::size_t>(tokens) * shape.bytes_per_token() / 2; }
  double stream() {
    sweep();
    return seconds_of([&] { seen += sum_of(buffer); });
  }
  double copy() {
    sweep();
    return seconds_of([&] { std::memcpy(target.data(), buffer.data(), 8 * buffer.size()); });
  }
  /// Where the keys are meant to come from memory: reads more than the processor caches.
  void sweep() {
    if (8 * buffer.size() > (std::size_t{8} << 20)) seen += sum_of(others);
  }
};

using Make = Expected<std::unique_ptr<Scorer>> (*)(const Parameters&);

std::unique_ptr<Scorer> scorer_of(Make make, const char* parameters) {
  const auto resolved = Parameters::resolve({}, parameters);
  auto scorer = make(resolved.value());
  if (!scorer) qFatal("%s", scorer.error().message.c_str());
  return std::move(*scorer);
}

/// Scores the layer again, what is gathered for it included.
double scoring(const Bench& bench, const Scorer& scorer, const Observation& observed = {}) {
  return seconds_of([&] {
    const auto view = view_layer(bench.cache, 0, observed, scorer.needs());
    if (!view) qFatal("%s", view.error().message.c_str());
    if (scorer.score(*view).numel() == 0) qFatal("no scores");
  });
}

}  // namespace

class ScorerBench : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    at::set_num_threads(1);
    std::printf("instruction set %s; bf16 keys of %d heads\n", to_string(best_isa()), kv_heads);
  }

  void normsBesideOnePassOverTheKeys_data() {
    QTest::addColumn<int>("mebibytes");
    QTest::addColumn<int>("head_dim");
    QTest::addColumn<int>("block_tokens");
    for (const int mebibytes : {32, 4})
      for (const int head_dim : {32, 64, 128, 256})
        for (const int block_tokens : {16, 32})
          QTest::addRow("%2d MiB, head_dim %3d, blocks of %d", mebibytes, head_dim, block_tokens)
              << mebibytes << head_dim << block_tokens;
  }
  void normsBesideOnePassOverTheKeys() {
    QFETCH(int, mebibytes);
    QFETCH(int, head_dim);
    QFETCH(int, block_tokens);
    const int tokens = (mebibytes << 20) / (kv_heads * head_dim * 2);
    Bench bench(head_dim, tokens, block_tokens);
    // Each as a share of the rate of one pass around it: other work on the machine then hits both.
    std::vector<double> passes, copies;
    struct Share {
      const char* name;
      std::unique_ptr<Scorer> scorer;
      double planes;  // as many bytes as the keys are counted: keydiff's once, though it must read them twice
      double floor;   // of one pass
      std::vector<double> of_pass, of_copy;
    };
    std::vector<Share> shares;
    shares.push_back({"knorm", scorer_of(make_knorm, "keep=low"), 1, least_knorm, {}, {}});
    shares.push_back({"keydiff", scorer_of(make_keydiff, ""), 1, least_keydiff, {}, {}});
    shares.push_back({"paged_eviction", scorer_of(make_paged_eviction, ""), 2, least_paged_eviction, {}, {}});
    for (int round = 0; round < (mebibytes > 4 ? 6 : 21); ++round)
      for (Share& share : shares) {
        const double before = bench.stream();
        copies.push_back(bench.copy());
        bench.sweep();
        const double seconds = scoring(bench, *share.scorer);
        passes.push_back((before + bench.stream()) / 2);
        if (round == 0) continue;  // warms up
        share.of_pass.push_back(share.planes * passes.back() / seconds);
        share.of_copy.push_back(share.planes * copies.back() / seconds);
      }
    const auto bytes = static_cast<double>(8 * bench.buffer.size());
    std::printf("%s: one pass %.1f GB/s, memcpy %.1f; shares of both:", QTest::currentDataTag(),
                bytes / median(passes) * 1e-9, bytes / median(copies) * 1e-9);
    for (const Share& share : shares)
      std::printf(" %s %.2f %.2f", share.name, median(share.of_pass), median(share.of_copy));
    std::printf("\n");
    QVERIFY(bench.seen > 0);
    if (best_isa() < Isa::avx2) return;
    for (const Share& share : shares) QVERIFY2(median(share.of_pass) >= share.floor, share.name);
  }

  void snapkvBesideGemmAndExp_data() {
    QTest::addColumn<int>("head_dim");
    QTest::addColumn<int>("group");
    QTest::addColumn<int>("tokens");
    for (const auto& [head_dim, group] : {std::pair{32, 2}, std::pair{64, 2}, std::pair{128, 4}})
      for (const int tokens : {2048, 8192, 32768})
        QTest::addRow("head_dim %3d, group %d, %5d tokens", head_dim, group, tokens) << head_dim << group << tokens;
  }
  void snapkvBesideGemmAndExp() {
    QFETCH(int, head_dim);
    QFETCH(int, group);
    QFETCH(int, tokens);
    constexpr int window = 64;
    Bench bench(head_dim, tokens, 16);
    const auto snapkv = scorer_of(make_snapkv, "window=64,kernel=5");
    Random random(2);
    Observation observed;
    observed.queries = {kv_heads * group, window, {{}}};
    for (int i = 0; i < kv_heads * group * window * head_dim; ++i)
      observed.queries.layers[0].push_back(static_cast<float>(random.normal()));
    const at::Tensor queries = at::randn({group * window, head_dim}), keys = at::randn({tokens, head_dim});
    const at::Tensor drawn = -at::rand({group * window, tokens}) * 8;
    at::Tensor logits = at::empty({group * window, tokens});
    std::vector<double> gemms, exps, shares, times;
    for (int round = 0; round < 9; ++round) {
      double gemm = 0, exp = 0;
      for (int h = 0; h < kv_heads; ++h) gemm += seconds_of([&] { at::mm_out(logits, queries, keys.t()); });
      for (int h = 0; h < kv_heads; ++h) {
        logits.copy_(drawn);
        exp += seconds_of([&] { logits.exp_(); });
      }
      const double seconds = scoring(bench, *snapkv, observed);
      if (round == 0) continue;  // warms up
      gemms.push_back(gemm);
      exps.push_back(exp);
      times.push_back(seconds);
      shares.push_back(std::max(gemm, exp) / seconds);
    }
    const double numbers = static_cast<double>(kv_heads) * group * window * tokens;
    std::printf("%s: GEMM %.0f GFLOP/s, exp %.2f G/s; of the slower snapkv %.2f (%.2f ns a weight)\n",
                QTest::currentDataTag(), 2 * numbers * head_dim / median(gemms) * 1e-9, numbers / median(exps) * 1e-9,
                median(shares), median(times) / numbers * 1e9);
    if (best_isa() < Isa::avx2) return;
    QVERIFY(median(shares) >= least_snapkv);
  }
};

KV_TEST_GUILESS_MAIN(ScorerBench)

}  // namespace scorer_bench_test

#include "scorer_bench_test.moc"
