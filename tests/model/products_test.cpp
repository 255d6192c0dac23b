// links: kv_experiments
// Batch-invariant products: a row gets the same bits in any batch as alone, however threads and outputs are split, and
// is as near to a product in double precision as its sums allow.
#include <QTest>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <thread>
#include <vector>

#include "core/base/random.h"
#include "core/model/products/products.h"
#include "tests/support/test_program.h"

namespace products_test {

using namespace kvantage;

namespace {

constexpr int drawn_shapes = 10000;
constexpr double half_ulp = 0x1p-24;

struct Shape {
  int rows = 1, outputs = 1, columns = 1;
  std::size_t inputs() const { return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns); }
  std::size_t weights() const { return static_cast<std::size_t>(outputs) * static_cast<std::size_t>(columns); }
  std::size_t results() const { return static_cast<std::size_t>(rows) * static_cast<std::size_t>(outputs); }
};

/// Any, few of them with several chunks of columns or blocks of rows.
Shape drawn_shape(Random& random, int number) {
  const auto below = [&random](std::uint64_t bound) { return static_cast<int>(random.below(bound)); };
  Shape shape{1 + below(64), 1 + below(40), 1 + below(140)};
  if (number % 100 == 50) shape = {1 + below(12), 1 + below(12), 1000 + below(3200)};
  if (number % 1000 == 500) shape = {250 + below(60), 1 + below(10), 1024 + below(1100)};
  return shape;
}

/// Numbers in both types; `stored` is what a product of `type` reads.
struct Numbers {
  std::vector<float> wide;
  std::vector<Bf16> narrow;
  Element type = Element::fp32;

  Numbers(Random& random, std::size_t count, Element element) : wide(count), narrow(count), type(element) {
    for (std::size_t i = 0; i < count; ++i) {
      wide[i] = static_cast<float>(random.normal());
      narrow[i] = to_bf16(wide[i]);
      if (type == Element::bf16) wide[i] = to_float(narrow[i]);
    }
  }
  const void* at(std::size_t index) const {
    return type == Element::bf16 ? static_cast<const void*>(&narrow[index]) : &wide[index];
  }
};

struct Drawn {
  Shape shape;
  Element element;
  Numbers inputs, weights;
  std::vector<float> biases;

  Drawn(Random& random, const Shape& drawn, Element type)
      : shape(drawn), element(type), inputs(random, drawn.inputs(), type), weights(random, drawn.weights(), type) {
    if (random.below(2) == 0) return;
    biases.resize(static_cast<std::size_t>(drawn.outputs));
    for (float& bias : biases) bias = static_cast<float>(random.normal());
  }
  WeightProduct product(float* output) const {
    return {weights.at(0), biases.empty() ? nullptr : biases.data(), output, Element::fp32, shape.outputs};
  }
  InputRows rows(int first, int count) const {
    return {inputs.at(static_cast<std::size_t>(first) * static_cast<std::size_t>(shape.columns)), element,
            shape.columns, count, shape.columns};
  }
};

/// All rows at once, outputs in parts of any size, on several threads now and then.
std::vector<float> together(ProductSet set, const Drawn& drawn, Random& random, bool threaded) {
  std::vector<float> output(drawn.shape.results(), -7.0F);
  const PackedRows rows(set, drawn.element, drawn.rows(0, drawn.shape.rows));
  rows.pack(0, rows.tiles());
  const WeightProduct product = drawn.product(output.data());
  std::vector<std::jthread> threads;
  for (int block = 0; block < rows.blocks(); ++block)
    for (int first = 0, last = 0; first < drawn.shape.outputs; first = last) {
      last = std::min(drawn.shape.outputs, first + 1 + static_cast<int>(random.below(24)));
      const auto part = [&rows, &product, block, first, last] { rows.multiply(product, block, first, last); };
      if (threaded)
        threads.emplace_back(part);
      else
        part();
    }
  threads.clear();
  return output;
}

std::vector<float> alone(ProductSet set, const Drawn& drawn, int row) {
  std::vector<float> output(static_cast<std::size_t>(drawn.shape.outputs));
  const PackedRows rows(set, drawn.element, drawn.rows(row, 1));
  rows.pack(0, rows.tiles());
  rows.multiply(drawn.product(output.data()), 0, 0, drawn.shape.outputs);
  return output;
}

/// Roundings that a term meets at most: two a step of 4 columns or more within a chunk of 1024, the tree over up to 16
/// lanes, the chunks and the bias. AMX adds pair by pair.
double most_roundings(ProductSet set, int columns) {
  if (set == ProductSet::amx) return columns + 2.0;
  return 2.0 * ((std::min(columns, 1024) + 3) / 4) + 4 + (columns + 1023) / 1024 + 1.0;
}

}  // namespace

class ProductsTest : public QObject {
  Q_OBJECT

  static void sets() {
    QTest::addColumn<int>("set");
    for (int set = 0; set <= static_cast<int>(ProductSet::amx); ++set)
      QTest::newRow(to_string(static_cast<ProductSet>(set))) << set;
  }
  static bool is_there(int set) { return set <= static_cast<int>(product_set(best_isa())); }

 private slots:
  void eachRowGetsWhatItGetsAlone_data() { sets(); }
  void eachRowGetsWhatItGetsAlone() {
    QFETCH(int, set);
    if (!is_there(set)) QSKIP("this processor or system does not have it");
    const auto by = static_cast<ProductSet>(set);
    Random random(41);
    for (int number = 0; number < drawn_shapes; ++number) {
      const Drawn drawn(random, drawn_shape(random, number), number % 4 == 3 ? Element::fp32 : Element::bf16);
      const std::vector<float> all = together(by, drawn, random, number % 64 == 0);
      const auto width = static_cast<std::size_t>(drawn.shape.outputs);
      for (int row = 0; row < drawn.shape.rows; ++row) {
        const std::vector<float> one = alone(by, drawn, row);
        QVERIFY2(std::memcmp(one.data(), &all[static_cast<std::size_t>(row) * width], width * sizeof(float)) == 0,
                 qPrintable(QString("shape %1: %2 rows, %3 outputs, %4 columns, row %5")
                                .arg(number)
                                .arg(drawn.shape.rows)
                                .arg(drawn.shape.outputs)
                                .arg(drawn.shape.columns)
                                .arg(row)));
      }
    }
  }

  void sumsAreAsNearAsTheirRoundings_data() { sets(); }
  void sumsAreAsNearAsTheirRoundings() {
    QFETCH(int, set);
    if (!is_there(set)) QSKIP("this processor or system does not have it");
    Random random(42);
    for (int number = 0; number < 400; ++number) {
      const Drawn drawn(random, drawn_shape(random, number), number % 4 == 3 ? Element::fp32 : Element::bf16);
      const Shape& shape = drawn.shape;
      const std::vector<float> all = together(static_cast<ProductSet>(set), drawn, random, false);
      const double roundings = most_roundings(static_cast<ProductSet>(set), shape.columns) * half_ulp;
      for (std::size_t i = 0; i < all.size(); ++i) {
        const std::size_t row = i / static_cast<std::size_t>(shape.outputs),
                          n = i % static_cast<std::size_t>(shape.outputs),
                          columns = static_cast<std::size_t>(shape.columns);
        double sum = drawn.biases.empty() ? 0 : static_cast<double>(drawn.biases[n]), size = std::abs(sum);
        for (std::size_t k = 0; k < columns; ++k) {
          const double term = static_cast<double>(drawn.inputs.wide[row * columns + k]) *
                              static_cast<double>(drawn.weights.wide[n * columns + k]);
          sum += term;
          size += std::abs(term);
        }
        QVERIFY2(std::abs(static_cast<double>(all[i]) - sum) <= roundings / (1 - roundings) * size,
                 qPrintable(QString("shape %1, output %2").arg(number).arg(i)));
      }
    }
  }

  // A bf16 output is the fp32 one rounded once, and rows of fp32 are rounded to bf16 first where weights are bf16.
  void outputsAndRowsAreRoundedToNearestEven_data() { sets(); }
  void outputsAndRowsAreRoundedToNearestEven() {
    QFETCH(int, set);
    if (!is_there(set)) QSKIP("this processor or system does not have it");
    Random random(43);
    const Shape shape{19, 37, 101};
    const Drawn drawn(random, shape, Element::bf16);
    const std::vector<float> all = together(static_cast<ProductSet>(set), drawn, random, false);
    std::vector<float> unrounded = drawn.inputs.wide;  // that round to the same numbers
    for (float& number : unrounded) number *= 1.0F + 0x1p-10F;
    const PackedRows rows(static_cast<ProductSet>(set), Element::bf16,
                          {unrounded.data(), Element::fp32, shape.columns, shape.rows, shape.columns});
    rows.pack(0, rows.tiles());
    std::vector<Bf16> narrow(all.size());
    WeightProduct product = drawn.product(nullptr);
    product.output = narrow.data();
    product.type = Element::bf16;
    for (int block = 0; block < rows.blocks(); ++block) rows.multiply(product, block, 0, shape.outputs);
    for (std::size_t i = 0; i < all.size(); ++i) QCOMPARE(narrow[i].bits, to_bf16(all[i]).bits);
  }

  // Infinities and NaN go through, in the row that has them alone; every NaN has the same bits.
  void oddNumbersStayInTheirRow_data() { sets(); }
  void oddNumbersStayInTheirRow() {
    QFETCH(int, set);
    if (!is_there(set)) QSKIP("this processor or system does not have it");
    const Shape shape{7, 21, 75};
    Random random(44);
    Drawn drawn(random, shape, Element::bf16);
    const auto put = [&](int row, int column, float number) {
      drawn.inputs.narrow[static_cast<std::size_t>(row * shape.columns + column)] = to_bf16(number);
    };
    constexpr float infinity = std::numeric_limits<float>::infinity();
    put(1, 74, infinity);
    put(3, 2, std::numeric_limits<float>::quiet_NaN());
    put(5, 40, infinity);
    put(5, 41, -infinity);
    for (int n = 0; n < shape.outputs; ++n)  // no zero meets an infinity, and those of row 5 meet one sign
      for (const int column : {40, 41, 74})
        drawn.weights.narrow[static_cast<std::size_t>(n * shape.columns + column)] =
            to_bf16(column == 74 ? -2.0F : 1.0F);
    const std::vector<float> odd = together(static_cast<ProductSet>(set), drawn, random, false);
    for (int row = 0; row < shape.rows; ++row) {
      const std::vector<float> one = alone(static_cast<ProductSet>(set), drawn, row);
      for (int n = 0; n < shape.outputs; ++n) {
        const float number = odd[static_cast<std::size_t>(row * shape.outputs + n)];
        QVERIFY(std::memcmp(&number, &one[static_cast<std::size_t>(n)], sizeof(number)) == 0);
        if (row == 1) QCOMPARE(number, -infinity);
        if (row == 3 || row == 5) QCOMPARE(std::bit_cast<std::uint32_t>(number), 0x7fc00000U);
        if (row % 2 == 0) QVERIFY(std::isfinite(number));
      }
    }
  }

  // VDPBF16PS and TDPBF16PS have none below 2^-126; the others do.
  void smallNumbersCountOnlyWhereTheInstructionHasThem_data() { sets(); }
  void smallNumbersCountOnlyWhereTheInstructionHasThem() {
    QFETCH(int, set);
    if (!is_there(set)) QSKIP("this processor or system does not have it");
    const Bf16 small = to_bf16(0x1p-130F), large = to_bf16(0x1p100F);
    float output = -1;
    const PackedRows rows(static_cast<ProductSet>(set), Element::bf16, {&small, Element::bf16, 1, 1, 1});
    rows.pack(0, rows.tiles());
    rows.multiply({&large, nullptr, &output, Element::fp32, 1}, 0, 0, 1);
    QCOMPARE(output, set >= static_cast<int>(ProductSet::avx512bf16) ? 0.0F : 0x1p-30F);
  }

  void setsNeedNoMoreThanTheInstructionSet() {
    QCOMPARE(product_set(Isa::portable), ProductSet::portable);
    for (int isa = 0; isa <= static_cast<int>(best_isa()); ++isa) {
      const int set = static_cast<int>(product_set(static_cast<Isa>(isa)));
      QVERIFY(set == isa || (set == static_cast<int>(ProductSet::amx) && static_cast<Isa>(isa) == Isa::avx512bf16));
    }
  }
};

KV_TEST_APPLESS_MAIN(ProductsTest)

}  // namespace products_test

#include "products_test.moc"
