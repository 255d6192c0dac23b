// links: kv_experiments kv_tiers
// Entries that hold layer inputs give the bits of the cache that they were made from, through bytes and a model.
#include "core/kvpr/stored_inputs.h"

#include <QTemporaryDir>
#include <QtTest>

#include "tests/kv/serial_sample.h"
#include "tests/kvpr/plain_decode.h"
#include "tests/support/test_program.h"

namespace stored_inputs_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr int context = 45;  // five chunks and a part of one

struct Entry {
  Entry(Transformer& of, const std::vector<std::int32_t>& prompt, const std::string& codec)
      : model(of), prefilled(of, prompt) {
    header.identity.prefill_chunk_tokens = chunk;
    header.compression = {.method = codec, .codec = codec, .removed_fraction = 0};
    header.token_ids = prompt;
    auto made = serialize(prefilled.cache, header, nullptr, &prefilled.inputs);
    if (!made) qFatal("%s", made.error().message.c_str());
    bytes = std::move(*made);
  }
  std::span<const std::byte> layer(int index) const {
    const auto [begin, end] = header.layer_range(index);
    return std::span(bytes).subspan(begin, end - begin);
  }
  Status restore(InputsReader& reader, KvCache& cache) const {
    for (int l = 0; l < header.shape.layers; ++l) KV_TRY(reader.restore(header, l, layer(l), true, cache));
    return {};
  }
  Transformer& model;
  PrefilledWithInputs prefilled;
  EntryHeader header;
  std::vector<std::byte> bytes;
};

/// Of a model of half the width.
class NarrowInputs final : public LayerInputRows {
 public:
  explicit NarrowInputs(const LayerInputRows& wide) : wide_(wide) {}
  std::size_t row_bytes() const override { return wide_.row_bytes() / 2; }
  int tokens() const override { return wide_.tokens(); }
  std::span<const std::byte> rows(int layer, int first, int count) const override {
    return wide_.rows(layer, first, count).first(static_cast<std::size_t>(count) * row_bytes());
  }

 private:
  const LayerInputRows& wide_;
};

}  // namespace

class StoredInputsTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  const std::shared_ptr<const Clock> clock_ = machine_clock();

  std::vector<std::int32_t> prompt_of(const GoldenCase& golden) const {
    return {golden.tokens.begin(), golden.tokens.begin() + context};
  }

 private slots:
  void theCacheIsTheOneStored_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("codec");
    QTest::addColumn<int>("inputs");
    for (const char* name : {"opt", "qwen3"}) {
      QTest::addRow("%s, all", name) << QString(name) << "layer_inputs" << context;
      QTest::addRow("%s, half", name) << QString(name) << "layer_inputs(share=0.5)" << 2 * chunk;
      QTest::addRow("%s, none", name) << QString(name) << "layer_inputs(share=0.1)" << 0;
    }
  }
  void theCacheIsTheOneStored() {
    QFETCH(QString, name);
    QFETCH(QString, codec);
    QFETCH(int, inputs);
    const GoldenCase golden(name.toStdString());
    const auto model = load_golden(golden, folder_, true);
    const Entry entry(*model, prompt_of(golden), codec.toStdString());
    KvCache cache(entry.prefilled.cache.pool());
    InputsReader reader(*model, *clock_);
    const Status restored = entry.restore(reader, cache);
    QVERIFY2(restored.has_value(), restored ? "" : restored.error().message.c_str());
    QVERIFY(same_contents(cache, entry.prefilled.cache));
    QCOMPARE(cache.sequence_length(), context);
    QCOMPARE(reader.done().tokens, inputs);
    QCOMPARE(reader.done().layers, model->config().layers);
    QVERIFY(reader.done().seconds > 0);
  }

  void aFullPoolChangesNothing() {
    const GoldenCase golden("opt");
    const auto model = load_golden(golden, folder_, true);
    const Entry entry(*model, prompt_of(golden), "layer_inputs(share=0.5)");
    const KvShape shape = model->kv_shape();
    // Room for all heads of a layer but one.
    BlockPool small(shape, context,
                    static_cast<std::size_t>(shape.kv_heads - 1) * context * shape.bytes_per_head_token());
    KvCache cache(small);
    InputsReader reader(*model, *clock_);
    const Status restored = reader.restore(entry.header, 0, entry.layer(0), true, cache);
    QVERIFY(!restored && restored.error().code == ErrorCode::no_space);
    QCOMPARE(cache.kept_rows(), std::size_t{0});
    QCOMPARE(cache.sequence_length(), 0);
    QCOMPARE(reader.done().layers, 0);
  }

  void inputsOfAnotherModelAreRefused() {
    const GoldenCase golden("opt");
    const auto model = load_golden(golden, folder_, true);
    Entry entry(*model, prompt_of(golden), "layer_inputs");
    const NarrowInputs narrow(entry.prefilled.inputs);
    entry.bytes = serialize(entry.prefilled.cache, entry.header, nullptr, &narrow).value();
    KvCache cache(entry.prefilled.cache.pool());
    InputsReader reader(*model, *clock_);
    const Status restored = reader.restore(entry.header, 0, entry.layer(0), true, cache);
    QVERIFY(!restored && restored.error().code == ErrorCode::corrupt);
    QCOMPARE(cache.kept_rows(), std::size_t{0});
  }

  void inputsAreRecordedAgainByAPrefill() {
    const GoldenCase golden("opt");
    const auto model = load_golden(golden, folder_, true);
    const auto prompt = prompt_of(golden);
    PrefilledWithInputs whole(*model, prompt);
    const auto front = record_layer_inputs(*model, whole.pool, std::span(prompt).first(3 * chunk), chunk);
    QVERIFY2(front.has_value(), front ? "" : front.error().message.c_str());
    QCOMPARE((*front)->tokens(), 3 * chunk);
    for (int layer = 0; layer < model->config().layers; ++layer)
      QVERIFY(std::ranges::equal((*front)->rows(layer, 0, 3 * chunk), whole.inputs.rows(layer, 0, 3 * chunk)));
    // The share of a short context may be below a chunk.
    const auto none = record_layer_inputs(*model, whole.pool, {}, chunk);
    QVERIFY2(none.has_value(), none ? "" : none.error().message.c_str());
    QCOMPARE((*none)->tokens(), 0);
    int asked = 0;
    const auto stopped = record_layer_inputs(*model, whole.pool, prompt, chunk, [&asked] { return ++asked > 2; });
    QVERIFY(!stopped && stopped.error().code == ErrorCode::cancelled);
  }

  void restoringTakesItsTime() {
    const GoldenCase golden("opt");
    const auto model = load_golden(golden, folder_, true);
    Entry entry(*model, prompt_of(golden), "layer_inputs(share=0.5)");
    const auto seconds = restore_seconds(*model, entry.prefilled.pool, entry.header, entry.bytes, *clock_);
    QVERIFY2(seconds.has_value(), seconds ? "" : seconds.error().message.c_str());
    QVERIFY(*seconds > 0);
    auto broken = entry.bytes;  // fewer bytes of an input than the model's
    broken[entry.header.layer_range(1).first + 4] ^= std::byte{0xff};
    const auto refused = restore_seconds(*model, entry.prefilled.pool, entry.header, broken, *clock_);
    QVERIFY(!refused && refused.error().code == ErrorCode::corrupt);
  }
};

KV_TEST_GUILESS_MAIN(StoredInputsTest)

}  // namespace stored_inputs_test

#include "stored_inputs_test.moc"
