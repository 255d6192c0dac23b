// links: kv_experiments kvantage::torch
// Batch-invariant products beside libtorch's (oneDNN) in bf16, at the shapes of models with 0.5 to 8 billion
// parameters: multiply-adds a second as a ratio, both in turns within one run, with weights that no cache holds.
//     products_bench_test [--threads N] [--set portable|avx2|avx512|avx512bf16|amx]      threads: 2; the best set
#include <ATen/ATen.h>  // libtorch before Qt, whose macros take "slots"
#include <c10/core/InferenceMode.h>

#include <QtTest>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "core/model/products/products.h"
#include "core/model/transformer_impl.h"
#include "tests/bench/machine_limits.h"
#include "tests/support/test_program.h"

namespace products_bench_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

/// Lowest ratios to libtorch that pass, for up to few_rows rows, where libtorch wastes, and for more. Medians of turns
/// on a machine that others use; only asserted for the best set of a processor that multiplies bf16.
constexpr int few_rows = 32;
constexpr double lowest_of_few = 0.9, lowest_of_many = 0.85;

constexpr int rounds = 5;
constexpr std::size_t uncached_bytes = std::size_t{128} << 20;
constexpr int row_counts[] = {1, 2, 4, 8, 16, 32, 64, 128, 512};
int threads = 2;
ProductSet chosen = product_set(best_isa());

struct Shape {
  int outputs, columns;
};
constexpr Shape shapes[] = {{896, 896}, {896, 4864}, {2048, 2048}, {4096, 4096}, {4096, 14336}};

/// Matrices of one shape, more than the caches hold; each call takes the next one.
class Weights {
 public:
  explicit Weights(const Shape& wanted) : shape_(wanted) {
    const std::size_t bytes = static_cast<std::size_t>(wanted.outputs) * static_cast<std::size_t>(wanted.columns) * 2;
    for (std::size_t held = 0; held < uncached_bytes || matrices_.size() < 2; held += bytes)
      matrices_.push_back(at::randn({wanted.outputs, wanted.columns}).to(at::kBFloat16));
  }
  const at::Tensor& next() { return matrices_[count_++ % matrices_.size()]; }
  const Shape& shape() const { return shape_; }

 private:
  Shape shape_;
  std::vector<at::Tensor> matrices_;
  std::size_t count_ = 0;
};

void multiply_own(const at::Tensor& input, const at::Tensor& weight, const at::Tensor& output) {
  const int rows = static_cast<int>(input.size(0)), columns = static_cast<int>(input.size(1)),
            outputs = static_cast<int>(weight.size(0));
  const PackedRows packed(chosen, Element::bf16, {input.const_data_ptr(), Element::bf16, columns, rows, columns});
  for_parts(packed.tiles(), (1 << 16) / columns + 1, [&](int first, int last) { packed.pack(first, last); });
  const WeightProduct product{weight.const_data_ptr(), nullptr, output.mutable_data_ptr(), Element::bf16, outputs};
  for_parts((outputs + product_unit - 1) / product_unit, 1, [&](int first, int last) {
    for (int block = 0; block < packed.blocks(); ++block)
      packed.multiply(product, block, first * product_unit, std::min(outputs, last * product_unit));
  });
}

/// Seconds of one product each, the median of rounds: {own, libtorch}.
std::pair<double, double> seconds_of(Weights& weights, int rows) {
  const Shape& shape = weights.shape();
  const at::Tensor input = at::randn({rows, shape.columns}).to(at::kBFloat16);
  at::Tensor output = at::empty({rows, shape.outputs}, at::TensorOptions(at::kBFloat16));
  const double work = static_cast<double>(rows + 8) * shape.outputs * shape.columns;
  const int repeats = std::clamp(static_cast<int>(2e9 / work), 1, 64);
  std::vector<double> own, library;
  for (int round = 0; round <= rounds; ++round) {  // the first one warms up
    const double start = now();
    for (int i = 0; i < repeats; ++i) multiply_own(input, weights.next(), output);
    const double middle = now();
    for (int i = 0; i < repeats; ++i) at::mm_out(output, input, weights.next().t());
    const double end = now();
    if (round == 0) continue;
    own.push_back((middle - start) / repeats);
    library.push_back((end - middle) / repeats);
  }
  return {median_of(own), median_of(library)};
}

}  // namespace

class ProductsBench : public QObject {
  Q_OBJECT

 private slots:
  void asFastAsTheLibrary_data() {
    QTest::addColumn<int>("shape");
    for (int shape = 0; shape < static_cast<int>(std::size(shapes)); ++shape)
      QTest::newRow((std::to_string(shapes[shape].outputs) + "x" + std::to_string(shapes[shape].columns)).c_str())
          << shape;
  }
  void asFastAsTheLibrary() {
    QFETCH(int, shape);
    const c10::InferenceMode inference;
    Weights weights(shapes[shape]);
    const bool asserts = chosen == product_set(best_isa()) && chosen >= ProductSet::avx512bf16;
    for (const int rows : row_counts) {
      const auto [own, library] = seconds_of(weights, rows);
      const double ratio = library / own;
      std::printf("%s, %3d rows, %s: %.2f times libtorch (%.0f GMAC/s)\n", QTest::currentDataTag(), rows,
                  to_string(chosen), ratio,
                  1e-9 * rows * static_cast<double>(shapes[shape].outputs) * shapes[shape].columns / own);
      if (asserts)
        QVERIFY2(ratio >= (rows <= few_rows ? lowest_of_few : lowest_of_many),
                 qPrintable(QString("%1 rows: %2 times libtorch").arg(rows).arg(ratio)));
    }
  }
};

KV_TEST_PROGRAM(argc, argv) {
  std::vector<char*> others;
  for (int i = 0; i < argc; ++i) {
    if (std::strcmp(argv[i], "--threads") == 0 && i + 1 < argc) {
      threads = std::max(1, std::atoi(argv[++i]));
    } else if (std::strcmp(argv[i], "--set") == 0 && i + 1 < argc) {
      ++i;
      for (int set = 0; set <= static_cast<int>(product_set(best_isa())); ++set)
        if (std::strcmp(argv[i], to_string(static_cast<ProductSet>(set))) == 0) chosen = static_cast<ProductSet>(set);
    } else {
      others.push_back(argv[i]);
    }
  }
  int count = static_cast<int>(others.size());
  QCoreApplication application(count, others.data());
  set_compute_threads(threads);
  ProductsBench bench;
  return QTest::qExec(&bench, count, others.data());
}

}  // namespace products_bench_test

#include "products_bench_test.moc"
