// links: kv_experiments kvantage::torch
// Products with weights of 4 to 6 bits at the shapes of models with 0.5 and 1.5 billion parameters: many rows beside
// libtorch's large product in bf16 (gemm_peak), one row beside the memory's bandwidth, with weights that no cache
// holds.
//     packed_bench_test [--threads N] [--isa portable|avx2|avx512|avx512bf16]      threads: 2; the best set
#include "tests/bench/machine_limits.h"  // libtorch before Qt, whose macros take "slots"

#include <QtTest>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <span>
#include <vector>

#include "core/model/packed/packed_weights.h"
#include "core/model/transformer.h"
#include "tests/model/kernel_rows.h"
#include "tests/model/packed_blocks.h"
#include "tests/support/test_program.h"

namespace packed_bench_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

/// Lowest that passes: 512 rows as a multiple of libtorch's rate, and one row as a share of the bandwidth. Half
/// to three quarters of what was measured at rest; asserted for the best set of a processor that multiplies bf16.
constexpr double lowest_of_many = 0.75, lowest_of_one = 0.4;

constexpr int rounds = 5, many = 512;
constexpr std::size_t uncached_bytes = std::size_t{128} << 20;
int threads = 2;
Isa chosen = best_isa();

struct Shape {
  int outputs, columns;
};
constexpr Shape shapes[] = {{4864, 896}, {896, 4864}, {8960, 1536}, {1536, 8960}};

/// Matrices of one shape, more than the caches hold.
std::vector<std::shared_ptr<const PackedWeights>> matrices_of(PackedType type, const Shape& shape) {
  const auto blocks = drawn_blocks(type, shape.outputs, shape.columns, 1);
  const std::size_t bytes = blocks.size() / static_cast<std::size_t>(shape.outputs);
  std::vector<std::shared_ptr<const PackedWeights>> made;
  for (std::size_t held = 0; held < uncached_bytes; held += blocks.size())
    made.push_back(pack_weights({type, shape.outputs, shape.columns, {}}, chosen, [&](int row) {
      return std::span(blocks).subspan(static_cast<std::size_t>(row) * bytes, bytes);
    }));
  return made;
}

}  // namespace

class PackedBench : public QObject {
  Q_OBJECT
  double peak_ = 0;  // multiply-adds a second of libtorch's product

 private slots:
  void initTestCase() { peak_ = gemm_peak() / 2; }

  void besideTheMachine_data() {
    QTest::addColumn<int>("type");
    QTest::addColumn<int>("shape");
    for (const PackedType type : packed_all)
      for (int shape = 0; shape < static_cast<int>(std::size(shapes)); ++shape)
        if (shapes[shape].columns % packed_form(type).columns == 0)
          QTest::addRow("%s %dx%d", packed_form(type).name, shapes[shape].outputs, shapes[shape].columns)
              << static_cast<int>(type) << shape;
  }
  void besideTheMachine() {
    QFETCH(int, type);
    QFETCH(int, shape);
    const auto [outputs, columns] = shapes[shape];
    const auto matrices = matrices_of(static_cast<PackedType>(type), shapes[shape]);
    const double bytes = static_cast<double>(matrices.front()->tiles.nbytes());
    const auto input = normals(static_cast<std::size_t>(many) * static_cast<std::size_t>(columns), 2);
    std::vector<float> output(static_cast<std::size_t>(many) * static_cast<std::size_t>(outputs));
    const auto seconds_of = [&](int rows) {
      const double start = now();
      for (const auto& matrix : matrices) {
        const PackedTarget target{matrix.get(), nullptr, output.data(), Element::fp32, outputs};
        multiply_packed({&target, 1}, {input.data(), Element::fp32, columns, rows});
      }
      return (now() - start) / static_cast<double>(matrices.size());
    };
    ReadBandwidth memory;
    std::vector<double> rates, shares;
    for (int round = 0; round < rounds; ++round) {
      rates.push_back(static_cast<double>(many) * outputs * columns / seconds_of(many));
      const double before = memory.pass(threads), one = seconds_of(1);
      shares.push_back(2 * bytes / one / (before + memory.pass(threads)));
    }
    const double rate = median_of(rates), share = median_of(shares);
    std::printf("%s, %s: %d rows %.0f GMAC/s, %.2f times libtorch in bf16; one row %.2f of the bandwidth\n",
                QTest::currentDataTag(), to_string(chosen), many, rate * 1e-9, rate / peak_, share);
    std::fflush(stdout);
    QVERIFY(rate > 0 && share > 0);
    if (chosen < Isa::avx512bf16) return;
    QVERIFY(rate / peak_ >= lowest_of_many);
    QVERIFY(share >= lowest_of_one);
  }
};

KV_TEST_PROGRAM(argc, argv) {
  std::vector<char*> others;
  for (int i = 0; i < argc; ++i) {
    if (std::strcmp(argv[i], "--threads") == 0 && i + 1 < argc) {
      threads = std::max(1, std::atoi(argv[++i]));
    } else if (std::strcmp(argv[i], "--isa") == 0 && i + 1 < argc) {
      ++i;
      for (int isa = 0; isa <= static_cast<int>(best_isa()); ++isa)
        if (std::strcmp(argv[i], to_string(static_cast<Isa>(isa))) == 0) chosen = static_cast<Isa>(isa);
    } else {
      others.push_back(argv[i]);
    }
  }
  int count = static_cast<int>(others.size());
  QCoreApplication application(count, others.data());
  set_compute_threads(threads);
  PackedBench bench;
  return QTest::qExec(&bench, count, others.data());
}

}  // namespace packed_bench_test

#include "packed_bench_test.moc"
