// links: kv_experiments kv_tiers
// Attention over rows that stay in their codec gives the bits of attention over the same rows decoded, in memory of the
// codes' size.
#include <QtTest>

#include "tests/load/stored_contexts.h"
#include "tests/support/test_program.h"

namespace quantized_attention_test {

using namespace kvantage;
using namespace kvantage::test;

class QuantizedAttentionTest : public QObject {
  Q_OBJECT
  std::unique_ptr<StoredContexts> contexts_;

  /// The stored form in a cache, unpacked or as it is.
  KvCache loaded(const StoredForm& form, bool leave_encoded) {
    KvCache cache(*contexts_->runtime->pool);
    for (int layer = 0; layer < form.header->shape.layers; ++layer) {
      const auto [begin, end] = form.header->layer_range(layer);
      const Status status = restore_layer(*form.header, layer, std::span(*form.entry).subspan(begin, end - begin), true,
                                          cache, leave_encoded);
      if (!status) qFatal("%s", status.error().message.c_str());
    }
    return cache;
  }

  /// Logits behind the question and behind each of the tokens decoded after it.
  std::vector<std::vector<float>> logits(KvCache& cache, const std::vector<std::int32_t>& question, int decoded) {
    Transformer& model = *contexts_->runtime->model;
    PrefillTask task(model, cache, question, cache.sequence_length(), {.chunk_tokens = 16});
    if (const auto status = task.run(); !status) qFatal("%s", status.error().message.c_str());
    std::vector<std::vector<float>> all{{task.logits().begin(), task.logits().end()}};
    for (int step = 0; step < decoded; ++step) {
      all.push_back(all.back());
      if (const auto status = model.decode(cache, greedy(all.back()), cache.sequence_length(), all.back()); !status)
        qFatal("%s", status.error().message.c_str());
    }
    return all;
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model to attend with");
    contexts_ = std::make_unique<StoredContexts>(560, 256, 2700);  // longer than a piece of a split head
    QVERIFY(contexts_->tokens.size() > 2200);
  }

  void theBitsOfDecodedRows_data() {
    QTest::addColumn<QString>("method");
    QTest::addColumn<double>("removed_fraction");
    for (const char* codec : {"kivi8", "kivi4", "kivi2", "kivi4(residual=0)", "kivi4(residual=64,group=16)"})
      QTest::addRow("%s", codec) << QString(codec) << 0.0;
    QTest::newRow("half of the rows, heads of other lengths") << "adakv(snapkv) + kivi4" << 0.5;
    QTest::newRow("a tenth of the rows") << "snapkv + kivi2" << 0.9;
  }
  void theBitsOfDecodedRows() {
    QFETCH(QString, method);
    QFETCH(double, removed_fraction);
    if (!parse_method(method.toStdString())) method.replace(" + ", "+");
    QVERIFY2(parse_method(method.toStdString()).has_value(), qPrintable(method));
    const StoredForm form = contexts_->store(method.toStdString(), removed_fraction);
    KvCache plain = loaded(form, false), encoded = loaded(form, true);
    QVERIFY(encoded.encoded() != nullptr && plain.encoded() == nullptr);
    QCOMPARE(encoded.kept_rows(), std::size_t{0});
    QCOMPARE(encoded.encoded()->total_rows(), plain.kept_rows());
    QCOMPARE(encoded.kept_mean(), plain.kept_mean());
    QCOMPARE(encoded.sequence_length(), plain.sequence_length());
    QVERIFY2(encoded.held_bytes() < plain.held_bytes(),
             qPrintable(QString("%1 and %2").arg(encoded.held_bytes()).arg(plain.held_bytes())));

    KvCache second = encoded.share();  // two requests on one context
    const auto& question = contexts_->questions.front();
    const auto expected = logits(plain, question, 12);
    QVERIFY(logits(encoded, question, 12) == expected);
    const int threads = compute_threads();
    set_compute_threads(1);
    const auto alone = logits(second, question, 12);
    set_compute_threads(threads);
    QVERIFY(contexts_->runtime->model->compute() != ComputeType::bf16 || alone == expected);
    encoded.truncate(static_cast<std::int32_t>(contexts_->tokens.size()));  // as after an answer
    encoded.set_sequence_length(static_cast<std::int32_t>(contexts_->tokens.size()));
    QVERIFY(logits(encoded, question, 3).front() == expected.front());
    encoded.clear();
    QVERIFY(encoded.encoded() == nullptr);
  }

  // Entropy coders decode from the first row to the last: their rows are unpacked as ever.
  void codecsWithoutRangesAreUnpacked() {
    const StoredForm form = contexts_->store("cachegen", 0);
    KvCache cache = loaded(form, true);
    QVERIFY(cache.encoded() == nullptr && cache.kept_rows() > 0);
  }

  void rangesAreSlicesOfTheWhole() {
    Random random(9);
    for (const char* text :
         {"kivi8", "kivi4", "kivi2(residual=0)", "kivi4(residual=32,group=8)", "kivi2(residual=1,group=48)"})
      for (const int head_dim : {32, 64, 80})
        for (const int count : {0, 1, 31, 32, 33, 160, 301})
          for (const ExtentKind kind : {ExtentKind::keys, ExtentKind::values}) {
            const auto codec = parse_codec(text).value();
            const CodecRows rows{{1, 1, head_dim, KvType::bf16}, 0, kind, count};
            std::vector<std::byte> held(rows.bytes()), whole(held.size()), bytes;
            for (std::size_t i = 0; i < held.size(); i += 2) {
              const std::uint16_t number = static_cast<std::uint16_t>(0x3f00 + random.below(0x200));  // around 1
              std::memcpy(&held[i], &number, 2);
            }
            QVERIFY(codec->encode(rows, held, bytes).has_value() && codec->decode(rows, bytes, whole).has_value());
            const RowRanges* ranges = codec->ranges();
            QVERIFY(ranges != nullptr && ranges->check(rows, bytes).has_value());
            const std::size_t row = static_cast<std::size_t>(head_dim) * 2;
            for (int round = 0; round < 12 && count > 0; ++round) {
              const int first = static_cast<int>(random.below(static_cast<std::uint64_t>(count))),
                        some = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(count - first)));
              std::vector<std::byte> part(static_cast<std::size_t>(some) * row);
              ranges->decode(rows, bytes, first, some, part);
              QVERIFY2(std::equal(part.begin(), part.end(),
                                  whole.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(first) * row)),
                       qPrintable(QString("%1, %2 channels, %3 rows: %4 from %5")
                                      .arg(text)
                                      .arg(head_dim)
                                      .arg(count)
                                      .arg(some)
                                      .arg(first)));
            }
            if (count == 0) continue;
            QVERIFY(!ranges->check(rows, std::span(bytes).first(bytes.size() - 1)).has_value());
            if (count < 160) continue;                            // some rows are encoded
            bytes[1] = std::byte{0x7c}, bytes[0] = std::byte{0};  // an infinite scale
            QVERIFY(!ranges->check(rows, bytes).has_value());
          }
  }
};

KV_TEST_GUILESS_MAIN(QuantizedAttentionTest)

}  // namespace quantized_attention_test

#include "quantized_attention_test.moc"
