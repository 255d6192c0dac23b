// links: core_model_kernels
// Kernels over the rows of a head against plain double-precision arithmetic, for every instruction set that runs here,
// with odd sizes, holes and head dimensions that fill no vector. No libtorch: this test also runs in an emulator of an
// older processor.
#include "core/model/kernels/row_kernels.h"

#include <QTest>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

#include "tests/support/test_program.h"

namespace row_kernels_test {

using namespace kvantage;

namespace {

/// Rows of one plane in blocks, NaN where nothing is kept; with holes the i-th row is in a later slot.
struct Plane {
  int kept, head_dim;
  std::vector<float> numbers;  // [kept, head_dim], exact in `type`
  std::vector<std::vector<std::byte>> memory;
  std::vector<const std::byte*> blocks;
  std::vector<std::int32_t> places;
  KvRows rows;

  Plane(int kept_, int head_dim_, Element type, int block_tokens, bool holes, unsigned seed = 1)
      : kept(kept_), head_dim(head_dim_) {
    std::mt19937 random(seed), gaps(seed + 1);
    std::normal_distribution<float> normal;
    std::int32_t slot = 0;
    for (int i = 0; i < kept; ++i, ++slot) {
      if (holes) slot += static_cast<std::int32_t>(gaps() % 3);
      places.push_back(slot);
    }
    const auto row = static_cast<std::size_t>(head_dim), element = type == Element::bf16 ? sizeof(Bf16) : sizeof(float);
    for (int b = 0; b * block_tokens < slot; ++b)
      memory.emplace_back(static_cast<std::size_t>(block_tokens) * row * element, std::byte{0xff});
    for (int i = 0; i < kept; ++i) {
      const auto at = static_cast<std::size_t>(places[static_cast<std::size_t>(i)]),
                 size = static_cast<std::size_t>(block_tokens);
      for (std::size_t d = 0; d < row; ++d) {
        float number = normal(random);
        const Bf16 half = to_bf16(number);
        if (type == Element::bf16) number = to_float(half);
        numbers.push_back(number);
        std::byte* target = memory[at / size].data() + (at % size * row + d) * element;
        std::memcpy(target, type == Element::bf16 ? static_cast<const void*>(&half) : &number, element);
      }
    }
    for (const auto& block : memory) blocks.push_back(block.data());
    rows = {blocks.data(), blocks.data(), block_tokens, kept, type, holes ? places.data() : nullptr};
  }
  double dot(int row, const float* vector) const {
    double sum = 0;
    for (int d = 0; d < head_dim; ++d)
      sum +=
          static_cast<double>(numbers[static_cast<std::size_t>(row * head_dim + d)]) * static_cast<double>(vector[d]);
    return sum;
  }
  double norm(int row) const { return std::sqrt(dot(row, &numbers[static_cast<std::size_t>(row * head_dim)])); }
};

std::vector<float> normals(int count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> list(static_cast<std::size_t>(count));
  for (float& x : list) x = normal(random);
  return list;
}

bool near(double got, double expected, double relative) {
  if (std::abs(got - expected) <= relative * std::max(1.0, std::abs(expected))) return true;
  std::fprintf(stderr, "%.9g, expected %.9g\n", got, expected);
  return false;
}

struct Case {
  int kept, head_dim, block_tokens;
};
constexpr Case cases[] = {{1, 8, 16},     {15, 32, 16},  {16, 64, 32},  {64, 128, 16}, {65, 32, 16},
                          {130, 20, 4},   {333, 6, 12},  {200, 100, 8}, {777, 64, 16}, {300, 48, 16},
                          {150, 256, 32}, {500, 80, 48}, {260, 96, 64}};

template <class Body>
void for_cases(const Body& body) {
  for (const Case& c : cases)
    for (const Element type : {Element::bf16, Element::fp32})
      for (const bool holes : {false, true}) body(Plane(c.kept, c.head_dim, type, c.block_tokens, holes));
}

}  // namespace

class RowKernelsTest : public QObject {
  Q_OBJECT

  static const RowKernels& table() {
    QFETCH_GLOBAL(int, isa);
    return row_kernels(static_cast<Isa>(isa));
  }

 private slots:
  void initTestCase_data() {
    QTest::addColumn<int>("isa");
    for (int isa = 0; isa <= static_cast<int>(best_isa()); ++isa)
      QTest::newRow(to_string(static_cast<Isa>(isa))) << isa;
  }
  void initTestCase() { std::printf("best instruction set here: %s\n", to_string(best_isa())); }

  void normsAreTheRootsOfTheSumsOfSquares() {
    for_cases([](const Plane& plane) {
      std::vector<float> norms(static_cast<std::size_t>(plane.kept) + 1, -7.0F);
      table().norms({plane.rows, plane.rows.keys, plane.head_dim, norms.data(), nullptr});
      for (int i = 0; i < plane.kept; ++i)
        QVERIFY(near(static_cast<double>(norms[static_cast<std::size_t>(i)]), plane.norm(i), 1e-6));
      QCOMPARE(norms.back(), -7.0F);  // nothing behind the last row is written
    });
  }

  void unitRowsAreSummedUp() {
    for_cases([](const Plane& plane) {
      std::vector<float> norms(static_cast<std::size_t>(plane.kept)),
          sum(static_cast<std::size_t>(plane.head_dim) + 1, -7.0F);
      table().norms({plane.rows, plane.rows.keys, plane.head_dim, norms.data(), sum.data()});
      std::vector<double> expected(sum.size());
      for (int i = 0; i < plane.kept; ++i) {
        QVERIFY(near(static_cast<double>(norms[static_cast<std::size_t>(i)]), plane.norm(i), 1e-6));
        for (int d = 0; d < plane.head_dim; ++d)
          expected[static_cast<std::size_t>(d)] +=
              static_cast<double>(plane.numbers[static_cast<std::size_t>(i * plane.head_dim + d)]) / plane.norm(i);
      }
      for (std::size_t d = 0; d + 1 < sum.size(); ++d) QVERIFY(near(static_cast<double>(sum[d]), expected[d], 5e-6));
      QCOMPARE(sum.back(), -7.0F);
    });
  }

  void aRowOfZerosHasNoDirection() {
    Plane plane(5, 32, Element::bf16, 16, false);
    std::memset(plane.memory[0].data() + 2 * 64, 0, 64);  // row 2
    std::vector<float> norms(5), sum(32);
    table().norms({plane.rows, plane.rows.keys, 32, norms.data(), sum.data()});
    QCOMPARE(norms[2], 0.0F);
    for (const float x : sum) QVERIFY(std::isfinite(x) && std::abs(x) <= 4.0F);
  }

  void productsAreInnerProducts() {
    for (const int count : {1, 3})
      for_cases([count](const Plane& plane) {
        const auto vectors = normals(count * plane.head_dim, 5);
        std::vector<float> products(static_cast<std::size_t>(count * plane.kept) + 1, -7.0F);
        table().products({plane.rows, plane.rows.keys, plane.head_dim, count, vectors.data(), products.data()});
        for (int v = 0; v < count; ++v)
          for (int i = 0; i < plane.kept; ++i)
            QVERIFY(near(static_cast<double>(products[static_cast<std::size_t>(v * plane.kept + i)]),
                         plane.dot(i, &vectors[static_cast<std::size_t>(v * plane.head_dim)]), 1e-5));
        QCOMPARE(products.back(), -7.0F);
      });
  }

  void holesAndBlocksChangeNoBit() {
    for (const int head_dim : {20, 32, 64, 80, 128, 256}) {
      std::vector<std::vector<float>> results;
      const auto queries = normals(2 * 9 * head_dim, 6);
      for (const int block_tokens : {4, 16, 64}) {
        const Plane plane(205, head_dim, Element::bf16, block_tokens, block_tokens == 16);
        std::vector<float> all(3 * 205 + static_cast<std::size_t>(head_dim));
        table().norms({plane.rows, plane.rows.keys, head_dim, all.data(), &all[3 * 205]});
        table().products({plane.rows, plane.rows.keys, head_dim, 1, queries.data(), &all[205]});
        table().attention_paid({plane.rows, head_dim, 2, 9, queries.data(), &all[2 * 205]});
        results.push_back(all);
      }
      QVERIFY(results[0] == results[1] && results[1] == results[2]);
    }
  }

  void backwardAndDividedChangesNoBit() {
    std::mt19937 random(8);
    for_cases([&](const Plane& plane) {
      const auto count = static_cast<std::size_t>(plane.kept);
      const auto vector = normals(plane.head_dim, 5);
      std::vector<float> plain(count), divisors(count);
      table().products({plane.rows, plane.rows.keys, plane.head_dim, 1, vector.data(), plain.data()});
      for (float& divisor : divisors)  // some too small to divide by, zero among them
        divisor =
            random() % 4 == 0 ? static_cast<float>(random() % 3) * 4e-9F : static_cast<float>(random() % 1000 + 1);
      for (const bool in_place : {false, true})
        for (const bool backward : {false, true}) {
          std::vector<float> got(divisors);
          got.push_back(-7.0F);
          table().products({plane.rows, plane.rows.keys, plane.head_dim, 1, vector.data(), got.data(),
                            in_place ? got.data() : divisors.data(), backward});
          for (std::size_t i = 0; i < count; ++i) QVERIFY(got[i] == plain[i] / std::max(divisors[i], 1e-8F));
          QCOMPARE(got.back(), -7.0F);
        }
      std::vector<float> undivided(count);
      table().products(
          {plane.rows, plane.rows.keys, plane.head_dim, 1, vector.data(), undivided.data(), nullptr, true});
      QVERIFY(undivided == plain);
    });
  }

  void softmaxSumsToOne() {
    for (const int count : {1, 7, 16, 17, 100}) {
      auto x = normals(count, 7);
      x[static_cast<std::size_t>(count) / 2] = 300.0F;  // far beyond what 2^x of a float holds
      if (count > 2) x[0] = 299.0F;
      std::vector<double> expected;
      double sum = 0;
      for (const float logit : x) sum += expected.emplace_back(std::exp2(static_cast<double>(logit) - 300.0));
      x.push_back(-7.0F);
      table().softmax(x.data(), count);
      for (std::size_t i = 0; i < expected.size(); ++i)
        QVERIFY(std::abs(static_cast<double>(x[i]) - expected[i] / sum) <= 1e-6);
      QCOMPARE(x.back(), -7.0F);
    }
  }
  // Down to the smallest that fp32 has, to its last bit, where it has them at all: without AVX-512 they are 0.
  void smallWeightsAreExact() {
    QFETCH_GLOBAL(int, isa);
    const bool has_denormals = static_cast<Isa>(isa) >= Isa::avx512;
    std::vector<float> x{0.0F};  // of weight 1, also in the sum
    for (int i = 0; i < 400; ++i) x.push_back(-120.0F - static_cast<float>(i) * 0.078125F);
    const std::vector<float> exponents = x;
    table().softmax(x.data(), static_cast<int>(x.size()));
    int denormal = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double expected = std::exp2(static_cast<double>(exponents[i])), got = static_cast<double>(x[i]);
      const double smallest = has_denormals ? 0x1p-149 : 0x1p-126;
      QVERIFY2(std::abs(got - expected) <= smallest + 2e-7 * expected, qPrintable(QString::number(exponents[i])));
      denormal += got > 0 && got < 0x1p-126 ? 1 : 0;
    }
    QVERIFY(denormal > 250 || !has_denormals);
  }

  // Also where queries are taken in several turns (kept > 8192: 32 at a time) and where maxima rise late.
  void attentionPaidIsTheColumnSumOfTheSoftmax_data() {
    QTest::addColumn<int>("kept");
    QTest::addColumn<int>("head_dim");
    QTest::addColumn<int>("group");
    QTest::addColumn<int>("window");
    QTest::addColumn<bool>("holes");
    QTest::addColumn<float>("scale");
    QTest::newRow("one row") << 1 << 8 << 1 << 1 << false << 1.0F;
    QTest::newRow("the whole context") << 40 << 20 << 2 << 40 << false << 1.0F;
    QTest::newRow("tile and one") << 97 << 32 << 2 << 64 << true << 1.0F;
    QTest::newRow("one query") << 301 << 64 << 1 << 1 << false << 1.0F;
    QTest::newRow("odd group") << 333 << 6 << 7 << 5 << true << 1.0F;
    QTest::newRow("steep") << 500 << 128 << 3 << 17 << false << 30.0F;
    QTest::newRow("several turns") << 9001 << 16 << 3 << 33 << true << 2.0F;
  }
  void attentionPaidIsTheColumnSumOfTheSoftmax() {
    QFETCH(int, kept);
    QFETCH(int, head_dim);
    QFETCH(int, group);
    QFETCH(int, window);
    QFETCH(bool, holes);
    QFETCH(float, scale);
    for (const Element type : {Element::bf16, Element::fp32}) {
      const Plane plane(kept, head_dim, type, 16, holes, 3);
      auto queries = normals(group * window * head_dim, 4);
      for (float& q : queries) q *= scale;
      std::vector<double> expected(static_cast<std::size_t>(kept));
      for (int q = 0; q < group * window; ++q) {
        const int visible = kept - window + q % window + 1;
        std::vector<double> weights;
        double largest = -1e300, sum = 0;
        for (int t = 0; t < visible; ++t) {
          weights.push_back(plane.dot(t, &queries[static_cast<std::size_t>(q * head_dim)]) / std::sqrt(head_dim));
          largest = std::max(largest, weights.back());
        }
        for (double& w : weights) sum += w = std::exp(w - largest);
        for (std::size_t t = 0; t < weights.size(); ++t) expected[t] += weights[t] / sum;
      }
      for (float& q : queries) q *= query_scale(head_dim);
      std::vector<float> paid(expected.size() + 1, -7.0F);
      table().attention_paid({plane.rows, head_dim, group, window, queries.data(), paid.data()});
      for (std::size_t t = 0; t < expected.size(); ++t) {
        const double error = std::abs(static_cast<double>(paid[t]) - expected[t]);
        QVERIFY2(error <= 6e-6 * static_cast<double>(scale) * (expected[t] + 1e-3),
                 qPrintable(QString("%1: %2, expected %3").arg(t).arg(static_cast<double>(paid[t])).arg(expected[t])));
      }
      QCOMPARE(paid.back(), -7.0F);
    }
  }
};

KV_TEST_GUILESS_MAIN(RowKernelsTest)

}  // namespace row_kernels_test

#include "row_kernels_test.moc"
