// links: kv_experiments
// What gathering, compaction and attention over holes cost, each beside a bare memcpy or the dense case of the same
// run. Only generous floors are asserted; the metrics are printed.
#include <time.h>

#include <QtTest>
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <numeric>

#include "core/base/random.h"
#include "core/kv/compaction.h"
#include "core/model/kernels/kernels.h"
#include "tests/support/test_program.h"

namespace pool_bench_test {

using namespace kvantage;

namespace {

/// The clock that commit() reports by, on the thread's own time.
class ThreadClock final : public Clock {
 public:
  std::int64_t monotonic_ns() const override;
  std::int64_t utc_ns() const override { return monotonic_ns(); }
};
const ThreadClock thread_clock;
constexpr int rounds = 9;
constexpr double least_keep = 0.25, least_gather = 0.25;  // shares of memcpy's rate

double median(std::vector<double> samples) {
  std::ranges::sort(samples);
  return samples[samples.size() / 2];
}

/// Processor time of this thread: what else runs on the machine does not count, its use of memory does.
double thread_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

std::int64_t ThreadClock::monotonic_ns() const { return static_cast<std::int64_t>(thread_seconds() * 1e9); }

template <class Work>
double seconds_of(const Work& work) {
  const double start = thread_seconds();
  work();
  return thread_seconds() - start;
}

/// Fills a cache of one layer with rows whose bytes do not matter.
void fill(KvCache& cache, int tokens) {
  const auto count = static_cast<std::size_t>(tokens);
  const std::size_t bytes =
      count * static_cast<std::size_t>(cache.shape().kv_heads) * (cache.shape().bytes_per_head_token() / 2);
  const std::vector<std::byte> rows(bytes, std::byte{0x11});
  std::vector<std::int32_t> positions(count);
  std::iota(positions.begin(), positions.end(), 0);
  for (int l = 0; l < cache.shape().layers; ++l)
    if (!cache.append(l, rows, rows, positions)) qFatal("append");
}

KeptIndices draw(const KvCache& cache, double chance, Random& random) {
  KeptIndices indices(static_cast<std::size_t>(cache.shape().kv_heads));
  for (int h = 0; h < cache.shape().kv_heads; ++h)
    for (int i = 0; i < cache.kept(0, h); ++i)
      if (random.uniform() < chance) indices[static_cast<std::size_t>(h)].push_back(i);
  return indices;
}

/// The tokens of each head that are not named.
KeptIndices others(const KeptIndices& named, int tokens) {
  KeptIndices rest(named.size());
  for (std::size_t h = 0; h < named.size(); ++h) {
    auto next = named[h].begin();
    for (std::int32_t i = 0; i < tokens; ++i) {
      if (next != named[h].end() && *next == i)
        ++next;
      else
        rest[h].push_back(i);
    }
  }
  return rest;
}

/// Reads more memory than the processor caches, so that what is copied next comes from memory.
class CacheSweeper {
 public:
  void sweep() {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < memory_.size(); i += 8) sum += memory_[i];
    memory_[0] = sum | 1;
  }

 private:
  std::vector<std::uint64_t> memory_ = std::vector<std::uint64_t>(std::size_t{64} << 17, 1);  // 64 MiB
};

/// One memcpy between buffers whose pages are there.
struct BareCopy {
  std::vector<std::byte> source, target;
  explicit BareCopy(std::size_t bytes) : source(bytes, std::byte{7}), target(bytes, std::byte{3}) {}
  double rate(CacheSweeper& sweeper) {
    sweeper.sweep();
    return static_cast<double>(source.size()) /
           seconds_of([&] { std::memcpy(target.data(), source.data(), source.size()); });
  }
};

}  // namespace

class PoolBench : public QObject {
  Q_OBJECT

 private slots:
  void gatheringAtHalfRemovedBesideMemcpy_data() {
    QTest::addColumn<int>("head_dim");
    QTest::addColumn<int>("tokens");
    QTest::addColumn<int>("block_tokens");
    QTest::newRow("head_dim 32, 32 MiB") << 32 << 65536 << 32;
    QTest::newRow("head_dim 32, 32 MiB, pages of 16") << 32 << 65536 << 16;
    QTest::newRow("head_dim 32, 4 MiB") << 32 << 8192 << 32;
    QTest::newRow("head_dim 64, 32 MiB, pages of 16") << 64 << 32768 << 16;
    QTest::newRow("head_dim 128, 64 MiB, pages of 16") << 128 << 32768 << 16;
    QTest::newRow("head_dim 128, 64 MiB") << 128 << 32768 << 32;
    QTest::newRow("head_dim 256, 64 MiB, pages of 16") << 256 << 16384 << 16;
  }
  void gatheringAtHalfRemovedBesideMemcpy() {
    QFETCH(int, head_dim);
    QFETCH(int, tokens);
    QFETCH(int, block_tokens);
    const KvShape shape{1, 4, head_dim, KvType::bf16};
    const std::size_t full = shape.bytes_per_token() * static_cast<std::size_t>(tokens);
    BlockPool pool(shape, block_tokens, 2 * full);
    Random random(1);
    CacheSweeper sweeper;
    const std::size_t row_bytes = shape.bytes_per_head_token() + sizeof(std::int32_t);
    const std::size_t all_rows = static_cast<std::size_t>(tokens) * static_cast<std::size_t>(shape.kv_heads);
    BareCopy copy(all_rows / 2 * row_bytes);  // as many bytes as are kept
    std::vector<std::byte> keys(static_cast<std::size_t>(tokens) * shape.bytes_per_head_token() / 2), values = keys;
    std::vector<std::int32_t> positions(static_cast<std::size_t>(tokens));
    // Each as a share of memcpy's rate around it: other work on the machine then hits both.
    std::vector<double> bare, keep_shares, holes_shares, dense_shares, evict_times;
    for (int round = 0; round < rounds; ++round) {
      KvCache cache(pool);
      fill(cache, tokens);
      const KeptIndices dropped = draw(cache, 0.5, random);
      const KeptIndices kept = others(dropped, tokens);
      std::size_t rows = 0;
      for (const auto& head : kept) rows += head.size();
      const auto share_of = [&](std::size_t moved_rows, const auto& work) {
        const double before = copy.rate(sweeper);
        sweeper.sweep();
        const double rate = static_cast<double>(moved_rows * row_bytes) / seconds_of(work);
        const double after = copy.rate(sweeper);
        bare.push_back((before + after) / 2);
        return rate / bare.back();
      };
      const auto read = [&](const KvCache& from) {
        for (int h = 0; h < shape.kv_heads; ++h) from.gather_head(0, h, keys.data(), values.data(), positions.data());
      };
      KvCache holes = cache.share();
      const double evicting = seconds_of([&] { QVERIFY(holes.evict(0, dropped).has_value()); });
      evict_times.push_back(evicting * 1e9 / static_cast<double>(all_rows));
      dense_shares.push_back(share_of(all_rows, [&] { read(cache); }));
      holes_shares.push_back(share_of(rows, [&] { read(holes); }));
      holes.clear();
      keep_shares.push_back(share_of(rows, [&] { QVERIFY(cache.keep(0, kept).has_value()); }));
    }
    std::printf(
        "%s: memcpy %.2f GB/s; of it keep() %.2f, gather_head over holes %.2f, dense %.2f; evict %.2f ns a token\n",
        QTest::currentDataTag(), median(bare) * 1e-9, median(keep_shares), median(holes_shares), median(dense_shares),
        median(evict_times));
    QVERIFY(median(keep_shares) >= least_keep);
    QVERIFY(median(holes_shares) >= least_gather);
  }

  void compactionPerSlotCopy() {
    const KvShape shape{1, 4, 32, KvType::bf16};
    constexpr int tokens = 16384, round_start = tokens - 2048;
    BlockPool pool(shape, 16, std::size_t{64} << 20);
    Random random(2);
    for (const bool fill_holes : {false, true}) {
      std::vector<double> planning, committing;
      CompactionReport last;
      for (int round = 0; round < rounds; ++round) {
        KvCache cache(pool);
        fill(cache, tokens);
        QVERIFY(cache.evict(0, draw(cache, 0.125, random)).has_value());
        CompactionPlan plan;
        const double plan_seconds =
            seconds_of([&] { plan = fill_holes ? plan_hole_fill(cache, {}, round_start) : plan_repack(cache); });
        last = commit(cache, plan, thread_clock).value();
        planning.push_back(plan_seconds * 1e9 / static_cast<double>(last.slot_copies));
        committing.push_back(last.seconds * 1e9 / static_cast<double>(last.slot_copies));
      }
      std::printf(
          "%s: %zu slot copies free %zu blocks of 16; a slot copy takes %.1f ns (%.2f GB/s), planning it %.1f ns\n",
          fill_holes ? "hole filling" : "repack", last.slot_copies, last.blocks_freed, median(committing),
          static_cast<double>(shape.bytes_per_head_token() + 4) / median(committing), median(planning));
      QVERIFY(last.blocks_freed > 0);
    }
  }

  void attentionOverHolesBesideDense() {
    constexpr int kept = 2048, group = 2;
    for (const int head_dim : {32, 128}) {
      const auto dim = static_cast<std::size_t>(head_dim);
      for (const int block_tokens : {16, 32}) {
        const int blocks = kept / block_tokens;
        std::vector<std::vector<Bf16>> memory(static_cast<std::size_t>(4 * blocks),
                                              std::vector<Bf16>(static_cast<std::size_t>(block_tokens) * dim));
        Random random(3);
        for (auto& block : memory)
          for (Bf16& x : block) x = to_bf16(static_cast<float>(random.normal()));
        std::vector<const std::byte*> keys, values;  // twice as many slots as rows
        for (std::size_t b = 0; b < static_cast<std::size_t>(2 * blocks); ++b) {
          keys.push_back(reinterpret_cast<const std::byte*>(memory[2 * b].data()));
          values.push_back(reinterpret_cast<const std::byte*>(memory[2 * b + 1].data()));
        }
        std::vector<std::int32_t> same(kept), holes(kept), scrambled(kept);
        std::iota(same.begin(), same.end(), 0);
        for (std::size_t i = 0; i < holes.size(); ++i) holes[i] = static_cast<std::int32_t>(2 * i + random.below(2));
        scrambled = same;
        random.shuffle(std::span(scrambled));
        std::vector<float> queries(group * dim, 0.1F), output(group * dim);
        const auto nanoseconds = [&](const std::vector<std::int32_t>* slots_of_rows) {
          DecodeAttention job;
          job.rows = {keys.data(), values.data(), block_tokens,
                      kept,        Element::bf16, slots_of_rows == nullptr ? nullptr : slots_of_rows->data()};
          job.head_dim = head_dim;
          job.group = group;
          job.queries = queries.data();
          job.output = output.data();
          return seconds_of([&] {
                   for (int i = 0; i < 20; ++i) kernels(best_isa()).attention_decode(job);
                 }) *
                 1e9 / (20.0 * kept);
        };
        std::vector<double> dense, listed, over_holes, over_scrambled;
        for (int round = 0; round < 4 * rounds; ++round) {
          dense.push_back(nanoseconds(nullptr));
          listed.push_back(nanoseconds(&same));
          over_holes.push_back(nanoseconds(&holes));
          over_scrambled.push_back(nanoseconds(&scrambled));
        }
        std::printf(
            "decode attention, head_dim %d, pages of %d: dense %.2f ns a row; the same rows through slots x%.3f, every "
            "second slot a hole x%.3f, scrambled x%.3f\n",
            head_dim, block_tokens, median(dense), median(listed) / median(dense), median(over_holes) / median(dense),
            median(over_scrambled) / median(dense));
        QVERIFY(median(over_scrambled) < 4 * median(dense));
      }
    }
  }
};

KV_TEST_GUILESS_MAIN(PoolBench)

}  // namespace pool_bench_test

#include "pool_bench_test.moc"
