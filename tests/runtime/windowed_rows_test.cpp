// links: kv_runtime
// What uncompressed forms keep of layers with a sliding window, in every architecture that has them: later tokens get
// the bits of the whole cache, sizes are those of the entries, and methods keep the same tokens.
#include "core/runtime/windowed_rows.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <span>
#include <string>

#include "core/compress/method.h"
#include "core/compress/observe.h"
#include "core/model/unseen_rows.h"
#include "core/runtime/observing.h"
#include "tests/kv/plain_cache.h"
#include "tests/model/golden_model.h"
#include "tests/support/must.h"
#include "tests/support/test_program.h"

namespace windowed_rows_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

using Tokens = std::vector<std::int32_t>;

constexpr int chunk = 32;
constexpr int queries_kept = 16;  // a longer context computes at least so many tokens of its own
constexpr const char* windowed_names[] = {"gemma2",         "gemma3",      "gpt_oss",
                                          "mistral_window", "qwen2_mixed", "qwen3_layer_types"};

/// A golden model as sessions have it.
struct Session {
  explicit Session(const std::string& name, bool bf16 = false) {
    runtime.model = load_golden(GoldenCase(name, GoldenCase::architectures()), folder, bf16, {});
    const KvShape shape = runtime.model->kv_shape();
    runtime.pool = std::make_unique<BlockPool>(shape, 32, std::size_t{64} << 20);
    runtime.identity.model = runtime.model->digest();
    runtime.identity.kv_type = shape.type;
    runtime.identity.prefill_chunk_tokens = chunk;
    runtime.window_queries = queries_kept;
    // A question and an answer, or a longer context, come on top of it.
    context =
        random_tokens(random, static_cast<std::size_t>(std::min(203, runtime.model->config().max_positions - 60)), 256);
  }
  std::vector<float> prefill(KvCache& cache, const Tokens& tokens, int chunk_tokens, WindowQueries* queries = nullptr) {
    PrefillTask task(
        *runtime.model, cache, tokens, cache.sequence_length(),
        {.chunk_tokens = chunk_tokens, .window_queries = queries != nullptr ? 64 : 0, .logits = PrefillLogits::all});
    must(task.run());
    if (queries != nullptr) *queries = task.take_window_queries();
    return {task.logits().begin(), task.logits().end()};
  }
  KvCache whole(WindowQueries* queries = nullptr) {
    KvCache cache(*runtime.pool);
    (void)prefill(cache, context, chunk, queries);
    return cache;
  }
  KvCache original(const KvCache& of) {
    KvCache cache = of.share();
    must(evict_unseen_rows(runtime, cache));
    return cache;
  }
  /// Its entry, and what a reader gets of it.
  KvCache stored(const KvCache& cache, std::uint64_t& entry_bytes) {
    EntryHeader header;
    header.identity = runtime.identity;
    header.token_ids = context;
    const auto bytes = serialize(cache, header, nullptr).value();
    entry_bytes = header.entry_bytes;
    if (bytes.size() != entry_bytes) qFatal("an entry of another length");
    const EntryHeader read = parse_entry_header(bytes).value();
    KvCache restored(*runtime.pool);
    for (int layer = 0; layer < read.shape.layers; ++layer) {
      const auto [begin, end] = read.layer_range(layer);
      must(restore_layer(read, layer, std::span(bytes).subspan(begin, end - begin), true, restored));
    }
    return restored;
  }
  int window(int layer) const { return runtime.model->config().window(layer); }
  std::size_t length() const { return context.size(); }
  /// After so many whole chunks.
  std::int32_t continuation() const { return (static_cast<std::int32_t>(length()) - queries_kept) / chunk * chunk; }

  QTemporaryDir folder;
  ModelRuntime runtime;
  Random random{7};
  Tokens context;
};

}  // namespace

class WindowedRowsTest : public QObject {
  Q_OBJECT

 private slots:
  void anEntryAnswersAsTheWholeCache_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<bool>("bf16");
    for (const auto& name : GoldenCase::names(GoldenCase::architectures()))
      for (const bool bf16 : {false, true})
        QTest::addRow("%s, %s", name.c_str(), bf16 ? "bf16" : "fp32") << QString::fromStdString(name) << bf16;
  }
  void anEntryAnswersAsTheWholeCache() {
    QFETCH(QString, name);
    QFETCH(bool, bf16);
    Session session(name.toStdString(), bf16);
    const ModelRuntime& runtime = session.runtime;
    const std::size_t length = session.length();
    KvCache whole = session.whole();
    const KvCache original = session.original(whole);
    std::vector<int> rows;
    for (int layer = 0; layer < original.shape().layers; ++layer)
      for (int head = 0; head < original.shape().kv_heads; ++head) {
        const int window = session.window(layer);
        const int gone = window == 0 ? 0 : (session.continuation() - window + 1) / 64 * 64;
        rows.push_back(static_cast<int>(length) - gone);
        QCOMPARE(original.kept(layer, head), rows.back());
      }
    QCOMPARE(first_continuation(runtime, length), session.continuation());
    QVERIFY(original_rows(runtime, length) == rows);
    const bool fewer = original.kept_rows() < whole.kept_rows();
    if (length == 203) QCOMPARE(fewer, runtime.model->config().has_windows());
    QCOMPARE(passes_a_window(runtime, length), runtime.model->config().has_windows());

    std::uint64_t bytes = 0, bytes_of_all = 0;
    KvCache restored = session.stored(original, bytes);
    (void)session.stored(whole, bytes_of_all);
    QCOMPARE(original_bytes(runtime, length).entry, bytes);
    QCOMPARE(predicted_entry_bytes(original.shape(), length, length, 4), bytes_of_all);
    QCOMPARE(bytes < bytes_of_all, fewer);
    QVERIFY(contents(restored) == contents(original));

    const Tokens question = random_tokens(session.random, 40, 256);  // longer than the windows of 24 and 25
    QVERIFY(session.prefill(restored, question, 7) == session.prefill(whole, question, 7));
    std::vector<float> of_entry(256), of_whole(256);
    for (const std::int32_t token : random_tokens(session.random, 5, 256)) {
      must(runtime.model->decode(restored, token, restored.sequence_length(), of_entry));
      must(runtime.model->decode(whole, token, whole.sequence_length(), of_whole));
      QVERIFY(of_entry == of_whole);
    }
  }

  // The rest of a longer context begins at a whole chunk, with the bits of a prefill of all of it.
  void aLongerContextContinuesIt_data() { anEntryAnswersAsTheWholeCache_data(); }
  void aLongerContextContinuesIt() {
    QFETCH(QString, name);
    QFETCH(bool, bf16);
    Session session(name.toStdString(), bf16);
    std::uint64_t bytes = 0;
    KvCache front = session.stored(session.original(session.whole()), bytes);
    const std::int32_t continuation = session.continuation();
    front.truncate(continuation);
    front.set_sequence_length(continuation);
    QVERIFY(has_seen_rows(*session.runtime.model, front, continuation));
    Tokens longer = session.context;
    for (const std::int32_t token : random_tokens(session.random, 21, 256)) longer.push_back(token);
    KvCache all(*session.runtime.pool);
    const auto of_all = session.prefill(all, longer, chunk);
    const auto of_rest = session.prefill(front, {longer.begin() + continuation, longer.end()}, chunk);
    QVERIFY(std::ranges::equal(of_rest, std::span(of_all).last(of_rest.size())));
    const Tokens question = random_tokens(session.random, 9, 256);
    QVERIFY(session.prefill(front, question, 256) == session.prefill(all, question, 256));
  }

  void aTextWithinItsWindowsStaysWhole() {
    Session session("mistral_window");
    for (const std::size_t tokens : {std::size_t{5}, std::size_t{24}, std::size_t{80}, std::size_t{111}}) {
      session.context.resize(tokens);
      const KvCache whole = session.whole();
      QVERIFY(contents(session.original(whole)) == contents(whole));
      const OriginalBytes bytes = original_bytes(session.runtime, tokens);
      QCOMPARE(bytes.entry, predicted_entry_bytes(whole.shape(), tokens, tokens, 4));
      QCOMPARE(passes_a_window(session.runtime, tokens), tokens > 24);
      QCOMPARE(bytes.windowed, tokens > 24 ? whole.payload_bytes() : std::size_t{0});
    }
  }

  void rowsHaveABoundInEveryLength() {
    for (const std::string name : windowed_names) {
      Session session(name);
      const auto heads = static_cast<std::size_t>(session.runtime.model->kv_shape().kv_heads);
      for (const auto& [chunk_tokens, queries] : {std::pair{32, 16}, {32, 0}, {256, 64}}) {
        session.runtime.identity.prefill_chunk_tokens = chunk_tokens;
        session.runtime.window_queries = queries;
        const std::vector<int> bounds = max_original_rows(session.runtime);
        std::vector<int> largest(bounds.size(), 0);
        for (std::size_t tokens = 1; tokens < 2000; ++tokens) {
          const std::vector<int> rows = original_rows(session.runtime, tokens);
          for (std::size_t i = 0; i < rows.size(); ++i) largest[i / heads] = std::max(largest[i / heads], rows[i]);
        }
        for (std::size_t layer = 0; layer < bounds.size(); ++layer) {
          QCOMPARE(bounds[layer] == 0, session.window(static_cast<int>(layer)) == 0);
          if (bounds[layer] > 0) QVERIFY(largest[layer] <= bounds[layer] && largest[layer] > bounds[layer] - 64);
        }
      }
    }
  }

  void methodsKeepTheSameTokens_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("method");
    for (const std::string name : windowed_names)
      for (const char* method : {"knorm", "keydiff", "snapkv(window=8)", "streaming_llm", "adakv(snapkv(window=8))",
                                 "global(knorm)", "pyramid(knorm)", "chunkkv(knorm)", "knorm+zstd"})
        QTest::addRow("%s, %s", name.c_str(), method) << QString::fromStdString(name) << method;
  }
  void methodsKeepTheSameTokens() {
    QFETCH(QString, name);
    QFETCH(QString, method);
    Session session(name.toStdString());
    WindowQueries queries;
    const KvCache whole = session.whole(&queries), original = session.original(whole);
    const Observation observed = observation_of(session.runtime, queries);
    const auto parsed = parse_method(method.toStdString()).value();
    const auto of_whole = parsed->scores(whole, observed), of_original = parsed->scores(original, observed);
    QVERIFY2(of_original.has_value(), of_original ? "" : of_original.error().message.c_str());
    for (const double removed : {0.3, 0.5, 0.9}) {
      const KvCache form = compressed_copy(original, *of_original, *parsed, removed).value();
      QVERIFY(contents(form) == contents(compressed_copy(whole, *of_whole, *parsed, removed).value()));
      for (int layer = 0; layer < form.shape().layers; ++layer)
        for (int head = 0; session.window(layer) > 0 && head < form.shape().kv_heads; ++head) {
          const auto kept = static_cast<std::size_t>(form.kept(layer, head));
          QCOMPARE(form.kept(layer, head), session.window(layer));
          std::vector<std::int32_t> positions(kept);
          form.gather_head(layer, head, nullptr, nullptr, positions.data());
          QCOMPARE(positions.front(), static_cast<std::int32_t>(session.length() - kept));
          QCOMPARE(positions.back(), static_cast<std::int32_t>(session.length()) - 1);
        }
    }
    const KvCache all = compressed_copy(original, *of_original, *parsed, 0).value();
    QVERIFY(contents(all) == contents(original));
  }

  void codecsTakeTheRowsThatAreThere() {
    for (const std::string name : windowed_names) {
      Session session(name);
      WindowQueries queries;
      const KvCache original = session.original(session.whole(&queries));
      const Observation observed = observation_of(session.runtime, queries);
      for (const char* text : {"zstd", "fp8", "think(removed=0.5,window=8)"}) {
        const auto method = parse_method(text).value();
        const auto scores = method->scores(original, observed);
        QVERIFY2(scores.has_value(), scores ? "" : scores.error().message.c_str());
        const KvCache form = compressed_copy(original, *scores, *method, 0).value();
        QCOMPARE(form.kept_rows(), original.kept_rows());
        const KvCache read = as_read(form.share(), *method, {}).value();
        QCOMPARE(contents(read) == contents(original), method->info().lossless);
      }
      const auto refused = parse_method("layer_inputs").value()->scores(original, observed);
      QVERIFY(!refused && refused.error().code == ErrorCode::rejected_input);
      QVERIFY(refused.error().message.find("sliding window") != std::string::npos);
    }
  }

  void normsAreThoseOfLayersThatAreScored() {
    for (const std::string name : windowed_names) {
      Session session(name);
      const KvCache whole = session.whole(), original = session.original(whole);
      const auto norms_of = [&](const KvCache& cache) {
        return observe(*session.runtime.model, cache, session.context, {.output_norms = true}, {}, chunk).value();
      };
      const OutputNorms of_whole = norms_of(whole).output_norms, of_original = norms_of(original).output_norms;
      QCOMPARE(of_original.layers.size(), of_whole.layers.size());
      for (std::size_t layer = 0; layer < of_whole.layers.size(); ++layer) {
        QVERIFY(of_original.layers[layer].absolute == of_whole.layers[layer].absolute);
        QCOMPARE(of_original.layers[layer].absolute.empty(), session.window(static_cast<int>(layer)) > 0);
      }
    }
  }
};

KV_TEST_GUILESS_MAIN(WindowedRowsTest)

}  // namespace windowed_rows_test

#include "windowed_rows_test.moc"
