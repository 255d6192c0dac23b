// links: core_cost
// What a policy asks room for, against the exact sizes of entries of every length.
#include "core/cost/encoded_size.h"

#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/random.h"
#include "core/kv/serial.h"
#include "core/policy/utility.h"
#include "core/runtime/windowed_rows.h"
#include "tests/model/golden_model.h"
#include "tests/support/test_program.h"

namespace encoded_size_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

/// Of an entry whose heads keep so many tokens, [layers * kv_heads].
std::optional<std::uint64_t> exact(const KvShape& shape, std::span<const int> kept, int tokens, const Method& method) {
  return entry_bytes(shape, kept, static_cast<std::size_t>(tokens), method.text().size(), *method.codec());
}

bool has_window(const KvShape& shape, std::size_t head) {
  return head / static_cast<std::size_t>(shape.kv_heads) % 2 == 1;
}

/// Layers with odd numbers have the window; 0: none.
std::vector<int> rows_of(const KvShape& shape, int tokens, int window) {
  std::vector<int> kept(static_cast<std::size_t>(shape.layers) * static_cast<std::size_t>(shape.kv_heads), tokens);
  for (std::size_t i = 0; window > 0 && i < kept.size(); ++i)
    if (has_window(shape, i)) kept[i] = std::min(tokens, window);
  return kept;
}

std::optional<EncodedSize> line_of(const KvShape& shape, const Method& method, int window = 0) {
  std::vector<int> max_rows(static_cast<std::size_t>(shape.layers), 0);
  for (std::size_t layer = 1; layer < max_rows.size(); layer += 2) max_rows[layer] = window;
  return encoded_size(shape, max_rows, method);
}

}  // namespace

class EncodedSizeTest : public QObject {
  Q_OBJECT

 private slots:
  void theLineIsAboveEveryEntryAndNear_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("layers");
    QTest::addColumn<int>("window");
    for (const char* text :
         {"kivi4", "kivi2", "kivi4(residual=64)", "kivi4(residual=100)", "kivi8", "kivi8(residual=512)", "fp8"})
      for (const int layers : {6, 24})
        for (const int window : {0, 512, 6000})
          QTest::addRow("%s, %d layers, window %d", text, layers, window) << QString(text) << layers << window;
  }
  void theLineIsAboveEveryEntryAndNear() {
    QFETCH(QString, text);
    QFETCH(int, layers);
    QFETCH(int, window);
    const KvShape shape{.layers = layers, .kv_heads = 2, .head_dim = 64, .type = KvType::bf16};
    const auto method = parse_method(text.toStdString());
    QVERIFY2(method, method ? "" : method.error().message.c_str());
    const auto size = line_of(shape, **method, window);
    QVERIFY(size.has_value());
    for (int tokens = 1; tokens < 20'000; tokens += tokens < 1000 ? 1 : 61) {
      const auto bytes =
          static_cast<double>(exact(shape, rows_of(shape, tokens, window), tokens, **method).value_or(0));
      QVERIFY2(bytes > 0 && size->bytes(tokens) >= bytes, qPrintable(QString::number(tokens)));
      if (tokens > 4000 + window) QVERIFY2(size->bytes(tokens) < 1.15 * bytes, qPrintable(QString::number(tokens)));
    }
  }

  // How many rows of a layer with a window there are rises and falls with the text.
  void anyRowsWithinTheLimitsAreBelowTheLine_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("limit");
    for (const char* text : {"kivi4", "kivi2", "kivi4(residual=100)", "kivi8(residual=512)"})
      for (const int limit : {1, 128, 511, 512, 700})
        QTest::addRow("%s, at most %d rows", text, limit) << QString(text) << limit;
  }
  void anyRowsWithinTheLimitsAreBelowTheLine() {
    QFETCH(QString, text);
    QFETCH(int, limit);
    const KvShape shape{.layers = 6, .kv_heads = 2, .head_dim = 64, .type = KvType::bf16};
    const auto method = parse_method(text.toStdString());
    QVERIFY2(method, method ? "" : method.error().message.c_str());
    const auto size = line_of(shape, **method, limit);
    QVERIFY(size.has_value());
    Random random(11);
    for (int round = 0; round < 3000; ++round) {
      const int tokens = static_cast<int>(1 + random.below(8000));
      std::vector<int> kept = rows_of(shape, tokens, limit);
      for (std::size_t i = 0; i < kept.size(); ++i)
        if (has_window(shape, i)) kept[i] = static_cast<int>(1 + random.below(static_cast<std::uint64_t>(kept[i])));
      const auto bytes = static_cast<double>(exact(shape, kept, tokens, **method).value_or(0));
      QVERIFY2(bytes > 0 && size->bytes(tokens) >= bytes, qPrintable(QString::number(tokens)));
    }
  }

  // Originals of a model with windows, in every length.
  void aModelsWindowsAreKnown() {
    const QTemporaryDir folder;
    ModelRuntime runtime;
    runtime.model = load_golden(GoldenCase("qwen2_mixed", GoldenCase::architectures()), folder, true, {});
    QVERIFY(runtime.model->config().has_windows());
    const auto method = parse_method("kivi4");
    QVERIFY(method);
    for (const int chunk : {32, 256})
      for (const int queries : {0, 64}) {
        runtime.identity.prefill_chunk_tokens = chunk;
        runtime.window_queries = queries;
        const auto size = encoded_size(runtime, **method);
        QVERIFY(size.has_value());
        for (int tokens = 1; tokens < 6000; ++tokens) {
          const std::vector<int> rows = original_rows(runtime, static_cast<std::size_t>(tokens));
          const auto bytes = static_cast<double>(exact(runtime.model->kv_shape(), rows, tokens, **method).value_or(0));
          QVERIFY2(bytes > 0 && size->bytes(tokens) >= bytes, qPrintable(QString::number(tokens)));
          if (tokens > 5000) QVERIFY2(size->bytes(tokens) < 1.6 * bytes, qPrintable(QString::number(tokens)));
        }
      }
  }

  // Tokens become layer inputs in whole chunks of the prefill.
  void layerInputsAreBelowTheLine_data() {
    QTest::addColumn<QString>("text");
    for (const char* text : {"layer_inputs(share=1)", "layer_inputs(share=0.3)", "layer_inputs(share=0.05)"})
      QTest::newRow(text) << QString(text);
  }
  void layerInputsAreBelowTheLine() {
    QFETCH(QString, text);
    const QTemporaryDir folder;
    ModelRuntime runtime;
    runtime.model = load_golden(GoldenCase("llama_mha_linear"), folder, true, {});
    runtime.identity.prefill_chunk_tokens = 256;
    const auto method = parse_method(text.toStdString());
    QVERIFY2(method, method ? "" : method.error().message.c_str());
    const auto size = encoded_size(runtime, **method);
    QVERIFY(size.has_value());
    for (int tokens = 1; tokens < 30'000; tokens += tokens < 12'000 ? 1 : 61) {
      const std::uint64_t bytes = runtime.bytes_with_inputs(*(*method)->codec(), static_cast<std::size_t>(tokens));
      QVERIFY2(size->bytes(tokens) >= static_cast<double>(bytes), qPrintable(QString::number(tokens)));
    }
  }

  // A budget may give the heads different numbers of tokens.
  void headsMayKeepDifferentNumbersOfTokens() {
    const KvShape shape{.layers = 4, .kv_heads = 4, .head_dim = 32, .type = KvType::bf16};
    const auto method = parse_method("kivi4");
    QVERIFY(method);
    const auto size = line_of(shape, **method);
    QVERIFY(size.has_value());
    Random random(7);
    for (int round = 0; round < 200; ++round) {
      std::vector<int> kept(16);
      int most = 0;
      double sum = 0;
      for (int& each : kept) {
        each = static_cast<int>(1 + random.below(3000));
        most = std::max(most, each);
        sum += each;
      }
      const std::uint64_t bytes = exact(shape, kept, most, **method).value_or(0);
      // The line knows the header of a context of as many tokens as are kept.
      const double header = 8.0 * most + 4096;
      QVERIFY(bytes > 0 && size->bytes(sum / 16) + header >= static_cast<double>(bytes));
    }
  }

  // Windows that the text has passed stay whatever is removed, and count once.
  void formsWithFewerTokensAreBelowTheirEstimate() {
    constexpr int window = 128, more = 383;
    const KvShape shape{.layers = 6, .kv_heads = 2, .head_dim = 64, .type = KvType::bf16};
    const auto method = parse_method("knorm+kivi4");
    QVERIFY(method);
    Snapshot snapshot;
    snapshot.codec_costs = {{.method = (*method)->text(), .encoded = line_of(shape, **method, window + more)}};
    QVERIFY(snapshot.codec_costs.front().encoded.has_value());
    ContextState context;
    context.full_bytes = std::uint64_t{1} << 40;
    context.windowed_bytes = context.full_bytes / 3;
    for (context.tokens = 200; context.tokens < 9000; context.tokens += 7)
      for (const double removed : {0.1, 0.5, 0.9}) {
        std::vector<int> kept = rows_of(shape, static_cast<int>(std::ceil(context.tokens * (1 - removed))), 0);
        for (std::size_t i = 0; i < kept.size(); ++i)
          if (has_window(shape, i)) kept[i] = window;
        const auto bytes = static_cast<double>(exact(shape, kept, context.tokens, **method).value_or(0));
        const auto estimate = static_cast<double>(configuration_bytes(snapshot, context, (*method)->text(), removed));
        QVERIFY2(bytes > 0 && estimate >= bytes, qPrintable(QString("%1, %2").arg(context.tokens).arg(removed)));
        if (context.tokens > 7000 && removed < 0.6)
          QVERIFY2(estimate < 1.3 * bytes, qPrintable(QString("%1, %2").arg(context.tokens).arg(removed)));
      }
  }

  // Nor what later tokens take, where a codec leaves all of the first ones plain.
  void whatIsNotKnownBeforehandHasNone() {
    const KvShape shape{.layers = 2, .kv_heads = 2, .head_dim = 64, .type = KvType::bf16};
    for (const char* text : {"cachegen", "kivi4+zstd", "kivi4(residual=3000)", "kivi2(residual=600)"}) {
      const auto method = parse_method(text);
      QVERIFY2(method, text);
      QVERIFY2(!line_of(shape, **method), text);
    }
  }
};

KV_TEST_GUILESS_MAIN(EncodedSizeTest)

}  // namespace encoded_size_test

#include "encoded_size_test.moc"
