// links: kv_experiments kvantage::torch
// Attention of decode over heads of different lengths at tens of thousands of tokens, as a share of the bandwidth at
// which this machine reads memory; one thread and several, each on a core of its own: where the system places them, a
// worker that slept may wake on the core of the thread that woke it and stay there for longer than a round takes. No
// cache holds heads between rounds. Asserted: threads change no bit.
//     decode_attention_bench_test [--tokens N] [--threads N]      threads: 2
#include "tests/bench/machine_limits.h"  // libtorch before Qt, whose macros take "slots"

#include <QtTest>

#include <sched.h>
#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>

#include "core/model/compute_cores.h"
#include "core/model/decode_attention.h"
#include "core/model/transformer.h"
#include "tests/support/test_program.h"

namespace decode_attention_bench_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

int tokens = 32768, threads_together = 2;

/// Ragged heads in blocks of 32 tokens: each head's one behind the other, as a pool gives them out for a prefill, or
/// scattered, as after much coming and going.
struct Heads {
  static constexpr int block_tokens = 32;
  std::vector<std::vector<const std::byte*>> keys, values;
  std::unique_ptr<Bf16[], decltype(&std::free)> memory{nullptr, &std::free};  // in huge pages, as a pool's
  std::vector<float> queries, outputs;
  std::vector<HeadAttention> heads;
  double bytes = 0;

  /// Seconds that a thread takes to read all blocks in place, and do nothing with them, asking for each block while
  /// the one before it is read.
  double read_plainly() const {
    std::uint64_t sum = 0;
    const std::size_t words = block_tokens * static_cast<std::size_t>(head_dim) / 4;
    const double start = now();
    for (std::size_t h = 0; h < keys.size(); ++h)
      for (std::size_t b = 0; b < keys[h].size(); ++b)
        for (const auto* const list : {&keys[h], &values[h]}) {
          const auto* const at = reinterpret_cast<const std::uint64_t*>((*list)[b]);
          const std::byte* const next = (*list)[std::min(b + 1, list->size() - 1)];
          for (std::size_t i = 0; i < words; i += 8) {
            __builtin_prefetch(next + i * 8, 0, 2);
            for (std::size_t k = 0; k < 8; ++k) sum += at[i + k];
          }
        }
    const double seconds = now() - start;
    return sum == 0 ? 0 : seconds;
  }
  int head_dim = 0;

  Heads(int kv_heads, int dim, int group, bool scattered) : head_dim(dim) {
    std::mt19937 random(7);
    std::vector<int> kept;
    std::size_t blocks = 0;
    for (int h = 0; h < kv_heads; ++h) {  // half to one and a half of the mean
      kept.push_back(tokens / 2 + static_cast<int>(random() % static_cast<unsigned>(tokens)));
      blocks += static_cast<std::size_t>((kept.back() + block_tokens - 1) / block_tokens);
    }
    const std::size_t block = static_cast<std::size_t>(block_tokens * head_dim);
    constexpr std::size_t page = std::size_t{2} << 20;
    const std::size_t numbers = 2 * blocks * block, bytes_of_all = (numbers * sizeof(Bf16) + page - 1) / page * page;
    memory.reset(static_cast<Bf16*>(std::aligned_alloc(page, bytes_of_all)));
    ::madvise(memory.get(), bytes_of_all, MADV_HUGEPAGE);
    std::normal_distribution<float> normal;
    std::vector<Bf16> some(65536);
    for (Bf16& x : some) x = to_bf16(normal(random));
    for (std::size_t i = 0; i < numbers; ++i) memory[i] = some[(i * 7919 + i / 65536) % some.size()];
    std::vector<std::size_t> order(blocks);
    for (std::size_t b = 0; b < blocks; ++b) order[b] = b;
    if (scattered) std::ranges::shuffle(order, random);
    const std::size_t width = static_cast<std::size_t>(group * head_dim);
    queries.resize(width * static_cast<std::size_t>(kv_heads));
    for (float& x : queries) x = normal(random) * query_scale(head_dim);
    outputs.resize(queries.size());
    std::size_t next = 0;
    keys.resize(static_cast<std::size_t>(kv_heads));
    values.resize(keys.size());
    for (std::size_t h = 0; h < keys.size(); ++h) {
      for (int row = 0; row < kept[h]; row += block_tokens, ++next) {
        const Bf16* at = memory.get() + order[next] * 2 * block;
        keys[h].push_back(reinterpret_cast<const std::byte*>(at));
        values[h].push_back(reinterpret_cast<const std::byte*>(at + block));
      }
      heads.push_back({{keys[h].data(), values[h].data(), block_tokens, kept[h], Element::bf16, nullptr},
                       &queries[h * width],
                       &outputs[h * width]});
      bytes += 4.0 * kept[h] * head_dim;
    }
  }
};

void stay_on(const std::vector<int>& cores) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) CPU_SET(static_cast<std::size_t>(core), &set);
  (void)::sched_setaffinity(0, sizeof(set), &set);
}

}  // namespace

class DecodeAttentionBench : public QObject {
  Q_OBJECT

 private slots:
  void shareOfTheBandwidth() {
    const std::vector<int> allowed = allowed_cores();
    const int all = std::min(threads_together, static_cast<int>(allowed.size()));
    const std::vector<int> cores(allowed.end() - all, allowed.end());
    use_compute_cores({all, cores});  // workers stay there from now on
    ReadBandwidth memory;
    struct Shape {
      int kv_heads, head_dim, group;
    };
    for (const bool scattered : {false, true}) {
      for (const auto& [kv_heads, head_dim, group] :
           {Shape{8, 64, 1}, Shape{8, 64, 2}, Shape{4, 128, 4}, Shape{8, 64, 7}, Shape{8, 128, 8}}) {
        Heads made(kv_heads, head_dim, group, scattered);
        std::vector<float> alone;
        for (const int threads : {1, all}) {
          set_compute_threads(threads);
          std::vector<double> rates, shares, plainly;
          double before = memory.pass(threads);  // and no cache holds heads
          for (int round = 0; round < 9; ++round) {
            stay_on({cores.front()});
            const double start = now();
            attend_heads(kernels(best_isa()), made.heads, {head_dim, group, Element::bf16});
            rates.push_back(made.bytes / (now() - start));
            stay_on(cores);
            (void)memory.pass(1);
            if (threads == 1) plainly.push_back(made.read_plainly() * rates.back() / made.bytes);
            const double after = memory.pass(threads);
            shares.push_back(2 * rates.back() / (before + after));
            before = after;
          }
          std::printf(
              "%s blocks, %d KV heads of about %d tokens x %d, %d queries each, %d thread%s: %.1f GB/s, %.2f of the "
              "bandwidth between rounds",
              scattered ? "scattered" : "ordered", kv_heads, tokens, head_dim, group, threads, threads == 1 ? "" : "s",
              median_of(rates) * 1e-9, median_of(shares));
          if (threads == 1) std::printf(", %.2f of reading these blocks", median_of(plainly));
          std::printf(" (medians of nine)\n");
          std::fflush(stdout);
          if (threads == 1) alone = made.outputs;
          QVERIFY(std::memcmp(alone.data(), made.outputs.data(), alone.size() * sizeof(float)) == 0);
        }
      }
    }
  }
};

KV_TEST_PROGRAM(argc, argv) {
  std::vector<char*> others;
  for (int i = 0; i < argc; ++i) {
    if (std::strcmp(argv[i], "--tokens") == 0 && i + 1 < argc)
      tokens = std::max(64, std::atoi(argv[++i]));
    else if (std::strcmp(argv[i], "--threads") == 0 && i + 1 < argc)
      threads_together = std::max(1, std::atoi(argv[++i]));
    else
      others.push_back(argv[i]);
  }
  int count = static_cast<int>(others.size());
  QCoreApplication application(count, others.data());
  DecodeAttentionBench bench;
  return QTest::qExec(&bench, count, others.data());
}

}  // namespace decode_attention_bench_test

#include "decode_attention_bench_test.moc"
