// links: kv_experiments
// Attention of decode over heads of any lengths: the numbers of a plain softmax in double, the same bits however many
// threads there are and whatever is attended beside a head.
#include <QtTest>

#include <cmath>
#include <cstring>
#include <numeric>

#include "core/base/random.h"
#include "core/model/decode_attention.h"
#include "core/model/transformer.h"
#include "tests/support/test_program.h"

namespace decode_attention_test {

using namespace kvantage;

namespace {

std::vector<float> normals(std::size_t count, Random& random) {
  std::vector<float> made(count);
  for (float& x : made) x = static_cast<float>(random.normal());
  return made;
}

/// A head's rows in blocks, every second slot a hole where `holes`.
struct MadeHead {
  std::vector<std::vector<std::byte>> key_blocks, value_blocks;
  std::vector<const std::byte*> keys, values;
  std::vector<std::int32_t> row_slots;
  std::vector<float> plain_keys, plain_values;  // [kept, head_dim], as stored
  KvRows rows;

  MadeHead(int kept, int head_dim, int block_tokens, Element type, bool holes, Random& random) {
    const int used = holes ? 2 * kept : kept;
    const std::size_t width = static_cast<std::size_t>(head_dim), number = type == Element::bf16 ? 2 : 4;
    for (int block = 0; block * block_tokens < used; ++block) {
      key_blocks.emplace_back(static_cast<std::size_t>(block_tokens) * width * number);
      value_blocks.emplace_back(key_blocks.back().size());
    }
    const auto put = [&](std::vector<std::vector<std::byte>>& blocks, int slot, std::vector<float>& plain) {
      for (std::size_t d = 0; d < width; ++d) {
        float x = static_cast<float>(random.normal());
        std::byte* at = blocks[static_cast<std::size_t>(slot / block_tokens)].data() +
                        (static_cast<std::size_t>(slot % block_tokens) * width + d) * number;
        if (type == Element::bf16) {
          const Bf16 narrow = to_bf16(x);
          std::memcpy(at, &narrow, 2);
          x = to_float(narrow);
        } else {
          std::memcpy(at, &x, 4);
        }
        plain.push_back(x);
      }
    };
    for (int row = 0; row < kept; ++row) {
      const int slot = holes ? 2 * row + 1 : row;
      put(key_blocks, slot, plain_keys);
      put(value_blocks, slot, plain_values);
      if (holes) row_slots.push_back(slot);
    }
    for (const auto& block : key_blocks) keys.push_back(block.data());
    for (const auto& block : value_blocks) values.push_back(block.data());
    rows = {keys.data(), values.data(), block_tokens, kept, type, holes ? row_slots.data() : nullptr};
  }

  /// Of a dense head in bf16.
  void set_key(std::size_t row, std::size_t column, float x) {
    const std::size_t width = plain_keys.size() / static_cast<std::size_t>(rows.kept),
                      block = static_cast<std::size_t>(rows.block_tokens);
    const Bf16 narrow = to_bf16(x);
    std::memcpy(key_blocks[row / block].data() + (row % block * width + column) * sizeof(narrow), &narrow,
                sizeof(narrow));
    plain_keys[row * width + column] = to_float(narrow);
  }

  std::vector<double> attended(std::span<const float> query,
                               int head_dim) const {  // the query is scaled for powers of two
    const std::size_t width = static_cast<std::size_t>(head_dim), kept = plain_keys.size() / width;
    std::vector<double> scores(kept), out(width);
    for (std::size_t row = 0; row < kept; ++row)
      for (std::size_t d = 0; d < width; ++d)
        scores[row] += static_cast<double>(query[d]) * static_cast<double>(plain_keys[row * width + d]);
    const double highest = *std::ranges::max_element(scores);
    double sum = 0;
    for (std::size_t row = 0; row < kept; ++row) {
      const double weight = std::exp2(scores[row] - highest);
      sum += weight;
      for (std::size_t d = 0; d < width; ++d) out[d] += weight * static_cast<double>(plain_values[row * width + d]);
    }
    for (double& x : out) x /= sum;
    return out;
  }
};

}  // namespace

class DecodeAttentionTest : public QObject {
  Q_OBJECT

  std::vector<Isa> sets() const {
    std::vector<Isa> all;
    for (const Isa isa : {Isa::portable, Isa::avx2, Isa::avx512, Isa::avx512bf16})
      if (isa <= best_isa()) all.push_back(isa);
    return all;
  }

 private slots:
  void init() { set_compute_threads(2); }
  void cleanup() { set_compute_threads(0); }

  void isThatOfAPlainSoftmax_data() {
    QTest::addColumn<int>("head_dim");
    QTest::addColumn<int>("group");
    QTest::addColumn<int>("block_tokens");
    QTest::addColumn<bool>("bf16");
    QTest::addColumn<bool>("holes");
    for (const int group : {1, 2, 3, 4, 7, 8})
      for (const int head_dim : {32, 40, 64, 128})
        QTest::addRow("%d queries, %d wide", group, head_dim)
            << head_dim << group << (group % 2 == 0 ? 32 : 24) << (head_dim != 40) << (group == 3);
  }
  void isThatOfAPlainSoftmax() {
    QFETCH(int, head_dim);
    QFETCH(int, group);
    QFETCH(int, block_tokens);
    QFETCH(bool, bf16);
    QFETCH(bool, holes);
    Random random(11);
    std::vector<MadeHead> made;
    for (const int kept : {1, 3, 64, 65, split_rows - 1, split_rows, split_rows + 1, 2 * split_rows + 77})
      made.emplace_back(kept, head_dim, block_tokens, bf16 ? Element::bf16 : Element::fp32, holes, random);
    const std::size_t width = static_cast<std::size_t>(group * head_dim);
    std::vector<float> queries = normals(made.size() * width, random);
    for (float& x : queries) x *= query_scale(head_dim);
    for (const Isa isa : sets()) {
      std::vector<float> together(queries.size()), alone(queries.size()), one_thread(queries.size());
      const auto heads = [&](std::vector<float>& output) {
        std::vector<HeadAttention> all;
        for (std::size_t h = 0; h < made.size(); ++h)
          all.push_back({made[h].rows, &queries[h * width], &output[h * width]});
        return all;
      };
      double furthest = 0;
      for (const Element type : {Element::bf16, Element::fp32}) {
        attend_heads(kernels(isa), heads(together), {head_dim, group, type});
        set_compute_threads(1);
        attend_heads(kernels(isa), heads(one_thread), {head_dim, group, type});
        set_compute_threads(2);
        for (const HeadAttention& head : heads(alone)) attend_heads(kernels(isa), {&head, 1}, {head_dim, group, type});
        QVERIFY(std::memcmp(together.data(), one_thread.data(), together.size() * sizeof(float)) == 0);
        QVERIFY(std::memcmp(together.data(), alone.data(), together.size() * sizeof(float)) == 0);
      }
      for (std::size_t h = 0; h < made.size(); ++h)
        for (std::size_t g = 0; g < static_cast<std::size_t>(group); ++g) {
          const std::size_t at = h * width + g * static_cast<std::size_t>(head_dim);
          const std::vector<double> want =
              made[h].attended(std::span(queries).subspan(at, static_cast<std::size_t>(head_dim)), head_dim);
          for (std::size_t d = 0; d < want.size(); ++d)
            furthest = std::max(furthest, std::abs(static_cast<double>(together[at + d]) - want[d]));
        }
      QVERIFY2(furthest < 2e-5, qPrintable(QStringLiteral("%1: %2").arg(to_string(isa)).arg(furthest)));
    }
  }

  /// Heads that are split, in bf16: scores are whole numbers, so that nothing is rounded but sums.
  void splitHeadsInBf16AreThatOfAPlainSoftmax() {
    constexpr int head_dim = 64, group = 7;
    Random random(5);
    for (const int kept : {split_rows + 1, 2 * split_rows + 77}) {
      MadeHead made(kept, head_dim, 32, Element::bf16, false, random);
      for (std::size_t row = 0; row < static_cast<std::size_t>(kept); ++row)
        for (std::size_t d = 0; d < head_dim; ++d) {
          const float x = random.below(head_dim) < 6 ? (random.below(2) == 0 ? 1.0F : -1.0F) : 0.0F;
          made.set_key(row, d, x);
        }
      std::vector<float> queries(group * head_dim), output(queries.size());
      for (float& x : queries) x = random.below(2) == 0 ? 1.0F : -1.0F;
      for (const Isa isa : sets()) {
        const HeadAttention head{made.rows, queries.data(), output.data()};
        attend_heads(kernels(isa), {&head, 1}, {head_dim, group, Element::bf16});
        for (std::size_t g = 0; g < group; ++g) {
          const std::vector<double> want = made.attended(std::span(queries).subspan(g * head_dim, head_dim), head_dim);
          for (std::size_t d = 0; d < head_dim; ++d)
            QVERIFY(std::abs(static_cast<double>(output[g * head_dim + d]) - want[d]) < 2e-5);
        }
      }
    }
  }

  // A query alone has the bits that it has within its group: heads whose queries read chosen rows are attended one by
  // one.
  void aQueryAloneHasTheSameBits() {
    Random random(3);
    const MadeHead made(split_rows + 300, 64, 32, Element::bf16, false, random);
    constexpr int group = 7, head_dim = 64;
    std::vector<float> queries = normals(group * head_dim, random), whole(queries.size()), single(queries.size());
    for (const Isa isa : sets()) {
      for (const Element type : {Element::bf16, Element::fp32}) {
        const HeadAttention head{made.rows, queries.data(), whole.data()};
        attend_heads(kernels(isa), {&head, 1}, {head_dim, group, type});
        for (int g = 0; g < group; ++g) {
          const HeadAttention one{made.rows, queries.data() + g * head_dim, single.data() + g * head_dim};
          attend_heads(kernels(isa), {&one, 1}, {head_dim, 1, type});
        }
        QVERIFY(std::memcmp(whole.data(), single.data(), whole.size() * sizeof(float)) == 0);
      }
    }
  }
};

KV_TEST_GUILESS_MAIN(DecodeAttentionTest)

}  // namespace decode_attention_test

#include "decode_attention_test.moc"
