// links: kv_experiments
// Prefills that are stepped together get what each of them gets alone, bit for bit.
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

#include "core/kv/codecs/codec.h"
#include "core/model/batch/batch_prefill.h"
#include "core/model/recompute.h"
#include "tests/model/cache_contents.h"
#include "tests/model/gguf_quantized.h"
#include "tests/model/golden_model.h"
#include "tests/model/prefill_outcome.h"
#include "tests/support/test_program.h"

namespace batch_prefill_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr std::size_t pool_bytes = std::size_t{64} << 20;

/// A prefill of tokens behind what is in `context`.
struct Drawn {
  KvCache context;
  std::vector<std::int32_t> tokens;
  PrefillOptions options = {};
};

PrefillTask task_of(Transformer& model, const Drawn& drawn, KvCache& cache) {
  return {model, cache, drawn.tokens, drawn.context.sequence_length(), drawn.options};
}

PrefillOutcome alone(Transformer& model, const Drawn& drawn) {
  KvCache cache = drawn.context.share();
  PrefillTask task = task_of(model, drawn, cache);
  must(task.run());
  return outcome_of(task, cache);
}

KvCache prefilled(Transformer& model, BlockPool& pool, const std::vector<std::int32_t>& tokens) {
  KvCache cache(pool);
  if (tokens.empty()) return cache;
  PrefillTask task(model, cache, tokens, 0, {.logits = PrefillLogits::none});
  must(task.run());
  return cache;
}

/// Drops another share of rows from every head.
void make_ragged(KvCache& cache) {
  for (int layer = 0; layer < cache.shape().layers; ++layer) {
    KeptIndices dropped(static_cast<std::size_t>(cache.shape().kv_heads));
    for (std::size_t head = 0; head < dropped.size(); ++head)
      for (std::int32_t i = 1; i < cache.kept(layer, static_cast<int>(head)); i += 2 + static_cast<std::int32_t>(head))
        dropped[head].push_back(i);
    must(cache.evict(layer, dropped));
  }
}

PrefillOptions drawn_options(Random& random) {
  constexpr std::array chunks{2, 7, 16, 64}, windows{0, 0, 5, 100};
  return {.chunk_tokens = chunks[random.below(chunks.size())],
          .window_queries = windows[random.below(windows.size())],
          .logits = static_cast<PrefillLogits>(random.below(3)),
          .layers_first = random.below(2) == 0};
}

/// Some have the context of the one before, in shared blocks.
std::vector<Drawn> drawn_prefills(Transformer& model, BlockPool& pool, Random& random, std::size_t count) {
  const int vocabulary = model.config().vocab_size;
  std::vector<Drawn> all;
  while (all.size() < count) {
    const bool shares = !all.empty() && random.below(4) == 0;
    KvCache context = shares ? all.back().context.share()
                             : prefilled(model, pool, random_tokens(random, random.below(40), vocabulary));
    if (random.below(4) == 0) make_ragged(context);
    all.push_back({std::move(context), random_tokens(random, 1 + random.below(40), vocabulary), drawn_options(random)});
  }
  return all;
}

/// Steps all to their end, each time most of those that are at one layer.
void run_together(std::vector<PrefillTask>& tasks, Random& random) {
  for (;;) {
    std::vector<PrefillTask*> left;
    for (PrefillTask& task : tasks)
      if (!task.done()) left.push_back(&task);
    if (left.empty()) return;
    const int layer = left[random.below(left.size())]->next_layer();
    std::erase_if(left, [&](const PrefillTask* task) { return task->next_layer() != layer || random.below(8) == 0; });
    for (const Status& status : step_together(left)) must(status);
  }
}

/// The first one that differs from itself alone; nothing: none does.
std::optional<std::size_t> different(Transformer& model, const std::vector<Drawn>& all, Random& random) {
  std::vector<KvCache> caches;
  std::vector<PrefillTask> tasks;
  caches.reserve(all.size());
  for (const Drawn& drawn : all) {
    caches.push_back(drawn.context.share());
    tasks.push_back(task_of(model, drawn, caches.back()));
  }
  run_together(tasks, random);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!(outcome_of(tasks[i], caches[i]) == alone(model, all[i]))) return i;
  return std::nullopt;
}

LoadOptions loaded(int isa, bool batch_invariant) {
  LoadOptions options;
  options.isa = static_cast<Isa>(isa);
  options.batch_invariant = batch_invariant;
  return options;
}

/// The rows of `plain`, quantized.
KvCache encoded(BlockPool& pool, const KvCache& plain) {
  const auto codec = parse_codec("kivi4").value();
  auto rows = std::make_shared<EncodedRows>(codec, plain.shape());
  for (int layer = 0; layer < plain.shape().layers; ++layer) {
    std::vector<EncodedRows::Head> heads;
    for (int head = 0; head < plain.shape().kv_heads; ++head) {
      const CodecRows keys{plain.shape(), layer, ExtentKind::keys, plain.kept(layer, head)},
          values{plain.shape(), layer, ExtentKind::values, plain.kept(layer, head)};
      std::vector<std::byte> key_bytes(keys.bytes()), value_bytes(values.bytes());
      plain.gather_head(layer, head, key_bytes.data(), value_bytes.data(), nullptr);
      EncodedRows::Head one;
      one.rows = keys.count;
      must(codec->encode(keys, key_bytes, one.keys));
      must(codec->encode(values, value_bytes, one.values));
      heads.push_back(std::move(one));
    }
    must(rows->put(layer, std::move(heads)));
  }
  KvCache cache(pool);
  cache.set_encoded(std::move(rows));
  cache.set_sequence_length(plain.sequence_length());
  return cache;
}

/// What keys and values of each step were made from.
struct InputRecorder final : LayerInputSink {
  struct Input {
    int layer;
    std::int32_t first;
    int tokens;
    std::vector<std::byte> rows;
  };
  std::vector<Input> inputs;
  void take(int layer, std::int32_t first_position, int tokens, std::span<const std::byte> rows) override {
    inputs.push_back({layer, first_position, tokens, {rows.begin(), rows.end()}});
  }
};

}  // namespace

class BatchPrefillTest : public QObject {
  Q_OBJECT

  static void add_row(const std::string& name, bool bf16, int isa, bool batch_invariant = true) {
    QTest::addRow("%s, %s, %s%s", name.c_str(), bf16 ? "bf16" : "fp32", to_string(static_cast<Isa>(isa)),
                  batch_invariant ? "" : ", library")
        << QString::fromStdString(name) << bf16 << isa << batch_invariant;
  }
  /// Every form at the best instruction set; some with all of them, and some with libtorch's products.
  static void models(bool with_library) {
    QTest::addColumn<QString>("name");
    QTest::addColumn<bool>("bf16");
    QTest::addColumn<int>("isa");
    QTest::addColumn<bool>("batch_invariant");
    const int best = static_cast<int>(best_isa());
    for (const auto& from : {GoldenCase::folder(), GoldenCase::architectures()})
      for (const auto& name : GoldenCase::names(from))
        for (const bool bf16 : {false, true}) add_row(name, bf16, best);
    for (const char* name : {"qwen2", "opt_norm_after", "olmo2", "gemma2", "mixtral", "gpt_oss"})
      for (const bool bf16 : {false, true}) {
        for (int isa = 0; isa < best; ++isa) add_row(name, bf16, isa);
        if (with_library) add_row(name, bf16, best, false);
      }
  }

 private slots:
  void eachGetsWhatItGetsAlone_data() { models(true); }
  void eachGetsWhatItGetsAlone() {
    QFETCH(QString, name);
    QFETCH(bool, bf16);
    QFETCH(int, isa);
    QFETCH(bool, batch_invariant);
    const QTemporaryDir folder;
    const auto model = load_golden(golden_of(name.toStdString()), folder, bf16, loaded(isa, batch_invariant));
    QCOMPARE(prefills_together(*model), batch_invariant);
    Random random(41);
    for (const std::size_t count : {1 + random.below(16), std::uint64_t{16}}) {
      BlockPool pool(model->kv_shape(), 32, pool_bytes);
      const auto wrong = different(*model, drawn_prefills(*model, pool, random, count), random);
      QVERIFY2(!wrong, qPrintable(QString("%1 of %2").arg(wrong.value_or(0)).arg(count)));
    }
  }

  // Matrices that stay packed, and contexts that stay quantized.
  void packedWeightsAndEncodedRows_data() {
    QTest::addColumn<QString>("type");
    for (const char* type : {"BF16", "Q8_0", "Q4_0", "Q5_0", "Q4_K", "Q6_K"}) QTest::newRow(type) << QString(type);
  }
  void packedWeightsAndEncodedRows() {
    QFETCH(QString, type);
    const QTemporaryDir folder;
    const std::filesystem::path file = std::filesystem::path(folder.path().toStdString()) / "model.gguf";
    const auto named = [&](const QuantizedType& one) { return one.name == type.toStdString(); };
    write_file(file, quantized_model(*std::ranges::find_if(quantized_types(), named)));
    const auto model = Transformer::load(file, loaded(static_cast<int>(best_isa()), true));
    QVERIFY2(model.has_value(), model ? "" : model.error().message.c_str());
    BlockPool pool((*model)->kv_shape(), 32, pool_bytes);
    Random random(43);
    std::vector<Drawn> all = drawn_prefills(**model, pool, random, 9);
    for (std::size_t i = 0; i < all.size(); i += 2) {
      const KvCache plain = prefilled(**model, pool, random_tokens(random, 30 + 30 * i, (*model)->config().vocab_size));
      all[i].context = encoded(pool, plain);
    }
    const auto wrong = different(**model, all, random);
    QVERIFY2(!wrong, qPrintable(QString::number(wrong.value_or(0))));
  }

  // More rows than a pass takes.
  void longChunks() {
    const QTemporaryDir folder;
    const auto model = load_golden(GoldenCase("qwen2"), folder, true, loaded(static_cast<int>(best_isa()), true));
    BlockPool pool(model->kv_shape(), 32, std::size_t{256} << 20);
    Random random(47);
    std::vector<Drawn> all;
    for (const std::size_t tokens : {200, 300, 20, 512, 30, 500, 1})
      all.push_back({KvCache(pool), random_tokens(random, tokens, model->config().vocab_size), {.chunk_tokens = 600}});
    const auto wrong = different(*model, all, random);
    QVERIFY2(!wrong, qPrintable(QString::number(wrong.value_or(0))));
  }

  // It keeps its place, the others advance; afterwards it continues as if nothing had been.
  void aMemberWithoutBlocks_data() {
    QTest::addColumn<int>("layer");
    QTest::addColumn<int>("place");
    for (int layer = 0; layer < 3; ++layer)
      for (int place = 0; place < 3; ++place) QTest::addRow("layer %d, place %d", layer, place) << layer << place;
  }
  void aMemberWithoutBlocks() {
    QFETCH(int, layer);
    QFETCH(int, place);
    const QTemporaryDir folder;
    const auto model = load_golden(GoldenCase("llama"), folder, true, loaded(static_cast<int>(best_isa()), true));
    QCOMPARE(model->config().layers, 3);
    BlockPool plain(model->kv_shape(), 32, pool_bytes), tight(model->kv_shape(), 32, pool_bytes / 16);
    std::vector<Drawn> all;
    std::vector<KvCache> caches;
    std::vector<PrefillTask> tasks;
    caches.reserve(3);
    for (int i = 0; i < 3; ++i) {  // with 32 tokens the blocks are full
      Random random(static_cast<std::uint64_t>(i));
      const auto context = random_tokens(random, i == place ? 32 : 10, model->config().vocab_size);
      all.push_back({prefilled(*model, plain, context),
                     random_tokens(random, 7, model->config().vocab_size),
                     {.window_queries = 3, .logits = static_cast<PrefillLogits>((i + place) % 3)}});
      caches.push_back(prefilled(*model, tight, context));
      tasks.push_back(task_of(*model, all.back(), caches.back()));
    }
    const std::array<PrefillTask*, 3> every{&tasks[0], &tasks[1], &tasks[2]};
    for (int step = 0; step < layer; ++step)
      for (const Status& status : step_together(every)) must(status);
    std::vector<BlockId> filler;
    while (tight.free_blocks() > 0) filler.push_back(tight.allocate().value());
    const auto statuses = step_together(every);
    for (int i = 0; i < 3; ++i) {
      QCOMPARE(statuses[static_cast<std::size_t>(i)].has_value(), i != place);
      QCOMPARE(tasks[static_cast<std::size_t>(i)].steps_left(), 3 - layer - (i == place ? 0 : 1));
    }
    QCOMPARE(statuses[static_cast<std::size_t>(place)].error().code, ErrorCode::no_space);
    for (const BlockId block : filler) tight.release(block);
    Random random(53);
    run_together(tasks, random);
    for (std::size_t i = 0; i < 3; ++i) QVERIFY(outcome_of(tasks[i], caches[i]) == alone(*model, all[i]));
  }

  // A member that is dropped between two layers changes nothing for the others.
  void aMemberThatIsCanceled() {
    const QTemporaryDir folder;
    const auto model = load_golden(GoldenCase("llama"), folder, true, loaded(static_cast<int>(best_isa()), true));
    Random random(59);
    for (std::size_t canceled = 0; canceled < 5; ++canceled) {
      BlockPool pool(model->kv_shape(), 32, pool_bytes);
      std::vector<Drawn> all = drawn_prefills(*model, pool, random, 5);
      std::vector<KvCache> caches;
      std::vector<PrefillTask> tasks;
      caches.reserve(all.size());
      std::vector<PrefillTask*> every;
      for (Drawn& drawn : all) {
        drawn.options.layers_first = false;
        caches.push_back(drawn.context.share());
        tasks.push_back(task_of(*model, drawn, caches.back()));
      }
      for (PrefillTask& task : tasks) every.push_back(&task);
      for (const Status& status : step_together(every)) must(status);
      tasks.erase(tasks.begin() + static_cast<std::ptrdiff_t>(canceled));
      caches[canceled].truncate(all[canceled].context.sequence_length());
      QVERIFY(contents(caches[canceled]) == contents(all[canceled].context));
      run_together(tasks, random);
      for (std::size_t i = 0; i < all.size(); ++i)
        if (i != canceled) QVERIFY(outcome_of(tasks[i > canceled ? i - 1 : i], caches[i]) == alone(*model, all[i]));
    }
  }

  void errorsAreOfTheirMemberAlone() {
    const QTemporaryDir folder;
    const auto model = load_golden(GoldenCase("llama"), folder, true, loaded(static_cast<int>(best_isa()), true));
    BlockPool pool(model->kv_shape(), 32, pool_bytes);
    KvCache first(pool), second(pool), third(pool);
    PrefillTask good(*model, first, {1, 2, 3}, 0), bad(*model, second, {1, 1 << 20}, 0), other(*model, third, {4}, 0);
    const auto statuses = step_together(std::array{&good, &bad, &other});
    QVERIFY(statuses[0] && !statuses[1] && statuses[2]);
    QCOMPARE(statuses[1].error().code, ErrorCode::rejected_input);
    QCOMPARE(good.next_layer(), 1);
    QCOMPARE(bad.next_layer(), 0);
    QCOMPARE(second.kept_rows(), std::size_t{0});
    must(other.step());
    for (const Status& status : step_together(std::array{&good, &other}))  // at different layers
      QVERIFY(!status && status.error().code == ErrorCode::internal);
    QCOMPARE(good.next_layer(), 1);
    QVERIFY(step_together({}).empty());
  }

  // Keys and values projected alone from the recorded inputs are those of a prefill, which projects them together.
  void projectedTogetherAsAlone_data() { models(false); }
  void projectedTogetherAsAlone() {
    QFETCH(QString, name);
    QFETCH(bool, bf16);
    QFETCH(int, isa);
    const QTemporaryDir folder;
    const auto model = load_golden(golden_of(name.toStdString()), folder, bf16, loaded(isa, true));
    BlockPool pool(model->kv_shape(), 32, pool_bytes);
    Random random(61);
    KvCache left(pool), right(pool);
    PrefillTask short_one(*model, left, random_tokens(random, 9, model->config().vocab_size), 0),
        long_one(*model, right, random_tokens(random, 33, model->config().vocab_size), 0);
    InputRecorder recorder;
    {
      const CaptureLayerInputs capture(*model, recorder);
      while (!long_one.done())
        for (const Status& status : step_together(std::array{&short_one, &long_one})) must(status);
    }
    KvCache left_again(pool), right_again(pool);
    KvRecompute recompute(*model, 33);
    for (const InputRecorder::Input& input : recorder.inputs) {
      KvCache& cache = input.tokens == 9 ? left_again : right_again;
      std::vector<std::int32_t> positions;
      for (int i = 0; i < input.tokens; ++i) positions.push_back(input.first + i);
      must(recompute.run(input.layer, input.rows, input.first, input.tokens));
      must(cache.append(input.layer, recompute.keys(), recompute.values(), positions));
    }
    QCOMPARE(recorder.inputs.size(), static_cast<std::size_t>(2 * model->config().layers));
    QVERIFY(contents(left_again) == contents(left) && contents(right_again) == contents(right));
  }
};

KV_TEST_GUILESS_MAIN(BatchPrefillTest)

}  // namespace batch_prefill_test

#include "batch_prefill_test.moc"
