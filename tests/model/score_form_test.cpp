// links: core_model_kernels
// What some architectures do to scores (windows, soft caps, sinks) and their activations, against plain
// double-precision arithmetic, for every instruction set that runs here.
#include <limits>

#include "tests/model/kernel_rows.h"
#include "tests/support/test_program.h"

namespace score_form_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr double log2_e = score_unit;

/// A form with its numbers as a model defines them.
struct Form {
  const char* name;
  int window;  // rows that a query sees; 0: all
  double cap;  // of scores; 0: none
  bool sinks;
};
constexpr Form forms[] = {{"window of 1", 1, 0, false},
                          {"window of 63", 63, 0, false},
                          {"window of 130", 130, 0, false},
                          {"cap", 0, 1.5, false},
                          {"sinks", 0, 0, true},
                          {"all of them", 70, 2, true},
                          {"window of all rows", 700, 0, false}};

double sink_of(int head) { return 0.75 * head - 1; }

/// Attention of one query over the rows [first, visible).
std::vector<double> naive(const Rows& rows, const float* query, int first, int visible, const Form& form, int head) {
  std::vector<double> sum(static_cast<std::size_t>(rows.head_dim));
  double total = form.sinks ? std::exp(sink_of(head)) : 0;
  for (int t = first; t < visible; ++t) {
    double score = 0;
    for (int d = 0; d < rows.head_dim; ++d)
      score += static_cast<double>(query[d]) *
               static_cast<double>(rows.keys[static_cast<std::size_t>(t * rows.head_dim + d)]);
    score /= std::sqrt(rows.head_dim);
    if (form.cap > 0) score = form.cap * std::tanh(score / form.cap);
    const double weight = std::exp(score);
    total += weight;
    for (int d = 0; d < rows.head_dim; ++d)
      sum[static_cast<std::size_t>(d)] +=
          weight * static_cast<double>(rows.values[static_cast<std::size_t>(t * rows.head_dim + d)]);
  }
  for (double& x : sum) x /= total;
  return sum;
}

/// A chunk of `queries` tokens at the end of the rows: [queries, group, head_dim].
std::vector<float> prefill(const Rows& rows, int group, int queries, const std::vector<float>& q, const Form& form,
                           int split) {
  const Blocks blocks(rows, 32);
  std::vector<float> scaled = q, output(q.size()), sinks;
  for (float& x : scaled) x *= query_scale(rows.head_dim);
  for (int h = 0; h < group; ++h) sinks.push_back(static_cast<float>(sink_of(h) * log2_e));
  std::vector<std::int32_t> begins;
  for (int i = 0; i < queries; ++i) begins.push_back(std::max(0, rows.kept - queries + i + 1 - form.window));
  PrefillAttention job;
  job.rows = blocks.rows;
  job.head_dim = rows.head_dim;
  job.group = group;
  job.visible_before = rows.kept - queries;
  job.queries = scaled.data();
  job.output = output.data();
  job.stride = group * rows.head_dim;
  job.form.cap = static_cast<float>(form.cap * log2_e);
  if (form.window > 0) job.form.begins = begins.data();
  if (form.sinks) job.form.sinks = sinks.data();
  for (int part = 0; part < split; ++part) {
    job.first = queries * part / split;
    job.last = queries * (part + 1) / split;
    kernels(isa_of_row()).attention_prefill(job);
  }
  return output;
}

}  // namespace

class ScoreFormTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { qInfo("best instruction set here: %s", to_string(best_isa())); }
  void initTestCase_data() { isa_rows(); }

  void prefillSeesWhatItShould_data() {
    QTest::addColumn<int>("form");
    for (int i = 0; i < static_cast<int>(std::size(forms)); ++i) QTest::newRow(forms[i].name) << i;
  }
  void prefillSeesWhatItShould() {
    QFETCH(int, form);
    const Form& wanted = forms[form];
    for (const Shape& shape : shapes) {
      const Rows rows(shape.kept, shape.head_dim, Element::fp32, 3);
      const auto q = normals(static_cast<std::size_t>(shape.queries * shape.group * shape.head_dim), 4);
      const auto output = prefill(rows, shape.group, shape.queries, q, wanted, 1);
      for (int i = 0; i < shape.queries * shape.group; ++i) {
        const int visible = shape.kept - shape.queries + i / shape.group + 1;
        const int first = wanted.window == 0 ? 0 : std::max(0, visible - wanted.window);
        const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(i) * shape.head_dim;
        const auto exact = naive(rows, &q[static_cast<std::size_t>(at)], first, visible, wanted, i % shape.group);
        for (int d = 0; d < shape.head_dim; ++d)
          QVERIFY(std::abs(static_cast<double>(output[static_cast<std::size_t>(at + d)]) -
                           exact[static_cast<std::size_t>(d)]) < 2e-5);
      }
      QVERIFY(same_bits(output, prefill(rows, shape.group, shape.queries, q, wanted, std::min(3, shape.queries))));
    }
  }

  void decodingCapsScores() {
    const Form form{"cap", 0, 1.5, false};
    for (const Shape& shape : shapes)
      for (const Element type : {Element::fp32, Element::bf16}) {
        const Rows rows(shape.kept, shape.head_dim, type, 5);
        const Blocks blocks(rows, 32);
        const auto q = decode_queries(shape.head_dim, shape.group);
        std::vector<float> scaled = q, output(q.size());
        for (float& x : scaled) x *= query_scale(shape.head_dim);
        DecodeAttention job;
        job.rows = blocks.rows;
        job.head_dim = shape.head_dim;
        job.group = shape.group;
        job.queries = scaled.data();
        job.output = output.data();
        job.type = type;
        job.cap = static_cast<float>(form.cap * log2_e);
        kernels(isa_of_row()).attention_decode(job);
        for (int g = 0; g < shape.group; ++g) {
          const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(g) * shape.head_dim;
          const auto exact = naive(rows, &q[static_cast<std::size_t>(at)], 0, shape.kept, form, g);
          for (int d = 0; d < shape.head_dim; ++d)
            QVERIFY(std::abs(static_cast<double>(output[static_cast<std::size_t>(at + d)]) -
                             exact[static_cast<std::size_t>(d)]) < (type == Element::fp32 ? 2e-5 : 0.03));
        }
      }
  }

  void activations_data() {
    QTest::addColumn<int>("activation");
    QTest::newRow("silu") << static_cast<int>(Activation::silu);
    QTest::newRow("relu") << static_cast<int>(Activation::relu);
    QTest::newRow("gelu") << static_cast<int>(Activation::gelu);
    QTest::newRow("gelu_tanh") << static_cast<int>(Activation::gelu_tanh);
  }
  void activations() {
    QFETCH(int, activation);
    const auto form = static_cast<Activation>(activation);
    const auto exact = [form](double x) {
      switch (form) {
        case Activation::silu:
          return x / (1 + std::exp(-x));
        case Activation::gelu:
          return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
        case Activation::gelu_tanh:
          return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
        default:
          return std::max(x, 0.0);
      }
    };
    auto x = normals(1003, 7, 3.0F);
    x.insert(x.end(), {0.0F, -0.0F, 60.0F, -60.0F, 1e-20F});
    const auto up = normals(x.size(), 8);
    std::vector<float> gated(x.size()), plain = x;
    kernels(isa_of_row()).gated(form, x.data(), up.data(), gated.data(), x.size(), Element::fp32);
    kernels(isa_of_row()).activate(form, plain.data(), plain.size(), Element::fp32);
    auto narrow = halves(x);
    const auto before = narrow;
    kernels(isa_of_row()).activate(form, narrow.data(), narrow.size(), Element::bf16);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double wanted = exact(static_cast<double>(x[i])), size = std::max(1.0, std::abs(wanted));
      QVERIFY(std::abs(static_cast<double>(plain[i]) - wanted) < 2e-6 * size);
      QVERIFY(std::abs(static_cast<double>(gated[i]) - wanted * static_cast<double>(up[i])) < 1e-5 * size);
      const double of_half = exact(static_cast<double>(to_float(before[i])));
      QVERIFY(std::abs(static_cast<double>(to_float(narrow[i])) - of_half) < 0.005 * std::max(1.0, std::abs(of_half)));
    }
  }

  void clampedSwiglu() {
    auto gate = normals(509, 9, 4.0F), up = normals(509, 10, 4.0F);
    gate[0] = 30, gate[1] = -30, up[2] = 30, up[3] = -30;
    std::vector<float> output(gate.size());
    kernels(isa_of_row())
        .gated(Activation::clamped_swiglu, gate.data(), up.data(), output.data(), gate.size(), Element::fp32);
    for (std::size_t i = 0; i < gate.size(); ++i) {
      const double g = std::min(static_cast<double>(gate[i]), 7.0),
                   u = std::clamp(static_cast<double>(up[i]), -7.0, 7.0);
      const double wanted = (u + 1) * g / (1 + std::exp(-1.702 * g));
      QVERIFY(std::abs(static_cast<double>(output[i]) - wanted) < 2e-5 * std::max(1.0, std::abs(wanted)));
    }
  }
};

KV_TEST_APPLESS_MAIN(ScoreFormTest)

}  // namespace score_form_test

#include "score_form_test.moc"
