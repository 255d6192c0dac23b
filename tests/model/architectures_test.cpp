// links: kv_experiments
// Architectures, stored formats and sliding windows against transformers (goldens of
// tests/parity/make_logits_goldens.py): 96 tokens, four times as many as the windows have.
#include <QTest>
#include <algorithm>
#include <cmath>

#include "core/model/expert_choice.h"
#include "tests/model/golden_model.h"
#include "tests/support/test_program.h"

namespace architectures_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr std::size_t tail = 40;  // tokens whose logits the goldens have

enum class Way { whole, chunks, chunks_evicting, layers_first, token_by_token };
constexpr Way all_ways[] = {Way::whole, Way::chunks, Way::chunks_evicting, Way::layers_first, Way::token_by_token};
constexpr const char* names_of_ways[] = {"prefill", "chunks of 7", "chunks of 7, evicting rows past windows",
                                         "layers first, evicting", "token by token"};

PrefillOptions options_of(Way way) {
  PrefillOptions options;
  options.chunk_tokens = way == Way::whole ? 256 : 7;
  options.logits = PrefillLogits::all;
  options.layers_first = way == Way::layers_first;
  return options;
}

std::vector<float> last_logits(std::span<const float> logits, std::size_t vocab) {
  return {logits.end() - static_cast<std::ptrdiff_t>(std::min(logits.size(), tail * vocab)), logits.end()};
}

/// Logits of the last tokens: [tail, vocab].
std::vector<float> logits_of(Transformer& model, KvCache& cache, const std::vector<std::int32_t>& tokens, Way way) {
  const auto vocab = static_cast<std::size_t>(model.config().vocab_size);
  if (way != Way::token_by_token) {
    const PrefillOptions options = options_of(way);
    PrefillTask task(model, cache, tokens, cache.sequence_length(), options);
    const bool evicts = way == Way::chunks_evicting || way == Way::layers_first;
    const Status status =
        evicts ? run_evicting(model, cache, task, options.chunk_tokens).map([](std::size_t) {}) : task.run();
    if (!status) qFatal("%s", status.error().message.c_str());
    return last_logits(task.logits(), vocab);
  }
  std::vector<float> logits(tokens.size() * vocab);
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    const auto status = model.decode(cache, tokens[t], static_cast<std::int32_t>(t), {&logits[t * vocab], vocab});
    if (!status) qFatal("%s", status.error().message.c_str());
  }
  return last_logits(logits, vocab);
}

GoldenCase golden_case(const QString& name) { return GoldenCase(name.toStdString(), GoldenCase::architectures()); }

LoadOptions exact(int isa) {
  return {.compute = ComputeType::fp32, .kv_type = {}, .memory_limit_bytes = 0, .isa = static_cast<Isa>(isa)};
}

}  // namespace

class ArchitecturesTest : public QObject {
  Q_OBJECT
  void rows() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("isa");
    for (const auto& name : GoldenCase::names(GoldenCase::architectures()))
      for (int isa = 0; isa <= static_cast<int>(best_isa()); ++isa)
        QTest::addRow("%s, %s", name.c_str(), to_string(static_cast<Isa>(isa))) << QString::fromStdString(name) << isa;
  }

 private slots:
  void everyCaseIsThere() {
    QCOMPARE(GoldenCase::names(GoldenCase::architectures()).size(), std::size_t{30});
    for (const auto& name : GoldenCase::names(GoldenCase::architectures())) {
      const GoldenCase golden(name, GoldenCase::architectures());
      QCOMPARE(golden.logits.size(), tail * static_cast<std::size_t>(golden.vocab_size));
      QVERIFY(golden.json["logits_std"].get<double>() >= 1.0);
    }
  }

  void fp32IsWithinOneTenThousandth_data() { rows(); }
  void fp32IsWithinOneTenThousandth() {
    QFETCH(QString, name);
    QFETCH(int, isa);
    const GoldenCase golden = golden_case(name);
    const QTemporaryDir folder;
    const auto model = load_golden(golden, folder, false, exact(isa));
    BlockPool pool(model->kv_shape(), 32, std::size_t{64} << 20);
    for (std::size_t way = 0; way < std::size(all_ways); ++way) {
      KvCache cache(pool);
      const double difference =
          largest_difference(logits_of(*model, cache, golden.tokens, all_ways[way]), golden.logits);
      qInfo("%s: %.2e", names_of_ways[way], difference);
      QVERIFY2(difference <= 1e-4, names_of_ways[way]);
    }
  }

  void bf16IsAsNearAsTransformersIs_data() { rows(); }
  void bf16IsAsNearAsTransformersIs() {
    QFETCH(QString, name);
    QFETCH(int, isa);
    const GoldenCase golden = golden_case(name);
    const QTemporaryDir folder;
    LoadOptions options;
    options.isa = static_cast<Isa>(isa);
    const auto model = load_golden(golden, folder, true, options);
    QCOMPARE(model->kv_shape().type, KvType::bf16);
    BlockPool pool(model->kv_shape(), 32, std::size_t{64} << 20);
    for (std::size_t way = 0; way < std::size(all_ways); ++way) {
      KvCache cache(pool);
      const double difference =
          largest_difference(logits_of(*model, cache, golden.tokens, all_ways[way]), golden.logits);
      qInfo("%s: %.3f, transformers' own %.3f", names_of_ways[way], difference, golden.bf16_difference);
      QVERIFY2(difference <= 1.5 * golden.bf16_difference, names_of_ways[way]);
    }
  }

  // A token may differ only where the two likeliest are nearer to each other than the numbers are to transformers'.
  void greedyAnswers_data() {
    QTest::addColumn<QString>("name");
    for (const auto& name : GoldenCase::names(GoldenCase::architectures()))
      QTest::newRow(name.c_str()) << QString::fromStdString(name);
  }
  void greedyAnswers() {
    QFETCH(QString, name);
    const GoldenCase golden = golden_case(name);
    const QTemporaryDir folder;
    const auto model = load_golden(golden, folder, false, exact(static_cast<int>(best_isa())));
    BlockPool pool(model->kv_shape(), 32, std::size_t{64} << 20);
    KvCache cache(pool);
    std::vector<float> logits = logits_of(*model, cache, golden.tokens, Way::chunks_evicting);
    const auto vocab = static_cast<std::size_t>(golden.vocab_size);
    logits.erase(logits.begin(), logits.end() - static_cast<std::ptrdiff_t>(vocab));
    const auto wanted = golden.json["greedy"].get<std::vector<std::int32_t>>();
    QCOMPARE(wanted.size(), std::size_t{24});
    int ties = 0;
    auto position = static_cast<std::int32_t>(golden.tokens.size());
    for (const std::int32_t token : wanted) {  // with transformers' answer so far, so that each token is compared
      const float best = *std::max_element(logits.begin(), logits.end()), own = logits[static_cast<std::size_t>(token)];
      QVERIFY2(best - own <= 2e-4F, qPrintable(QString("token %1: %2 below the best").arg(token).arg(best - own)));
      ties += best != own ? 1 : 0;
      QVERIFY(model->decode(cache, token, position++, logits).has_value());
    }
    qInfo("%d ties of %zu tokens; the nearest two of transformers: %.2e", ties, wanted.size(),
          golden.json["greedy_margin"].get<double>());
    QVERIFY(ties == 0 || golden.json["greedy_margin"].get<double>() < 1e-3);
  }

  void windowedLayersHoldTheirWindow_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("windows");
    QTest::newRow("all layers") << "mistral_window"
                                << "24 24 24";
    QTest::newRow("later layers") << "qwen2_mixed"
                                  << "0 24 24";
    QTest::newRow("named layers") << "qwen3_layer_types"
                                  << "25 0 25";
    QTest::newRow("every other layer") << "gpt_oss"
                                       << "24 0 24";
    QTest::newRow("gemma") << "gemma3"
                           << "24 24 0 24";
  }
  void windowedLayersHoldTheirWindow() {
    QFETCH(QString, name);
    QFETCH(QString, windows);
    const GoldenCase golden = golden_case(name);
    const QTemporaryDir folder;
    const auto model = load_golden(golden, folder, false, exact(static_cast<int>(best_isa())));
    BlockPool pool(model->kv_shape(), 32, std::size_t{64} << 20);
    KvCache cache(pool);
    const std::int32_t context = 90;
    const std::vector<std::int32_t> first(golden.tokens.begin(), golden.tokens.begin() + context),
        question(golden.tokens.begin() + context, golden.tokens.end());
    logits_of(*model, cache, first, Way::chunks_evicting);
    const QStringList each = windows.split(' ');
    QCOMPARE(each.size(), model->config().layers);
    for (int layer = 0; layer < model->config().layers; ++layer) {
      const int window = each[layer].toInt();
      QCOMPARE(model->config().window(layer), window);
      // The next token sees itself and window - 1 before it; rows go by tiles of 64.
      const int gone = window == 0 ? 0 : (context - window + 1) / 64 * 64;
      QCOMPARE(gone, window == 0 ? 0 : 64);
      for (int head = 0; head < model->config().kv_heads; ++head) {
        QCOMPARE(cache.kept(layer, head), context - gone);
        QVERIFY(cache.head(layer, head).row_slots.empty());
        std::vector<std::int32_t> positions(static_cast<std::size_t>(cache.kept(layer, head)));
        cache.gather_head(layer, head, nullptr, nullptr, positions.data());
        QCOMPARE(positions.back(), context - 1);
        QCOMPARE(positions.front(), gone);
      }
    }
    const std::size_t rows = cache.kept_rows();
    const std::vector<float> answer = logits_of(*model, cache, question, Way::chunks_evicting);
    const std::vector<float> wanted(golden.logits.end() - static_cast<std::ptrdiff_t>(answer.size()),
                                    golden.logits.end());
    QVERIFY(largest_difference(answer, wanted) <= 1e-4);
    cache.truncate(context);  // the question leaves the context as it was
    QCOMPARE(cache.kept_rows(), rows);
    QVERIFY(logits_of(*model, cache, question, Way::chunks_evicting) == answer);
  }

  // The published form of Gemma 3 from 4B on: the text model's tensors and settings one level deeper.
  void theTextModelOfAMultimodalOne() {
    const GoldenCase golden = golden_case("gemma3");
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.path().toStdString();
    Json text = golden.json["config"];
    for (const char* key : {"architectures", "dtype"}) text.erase(key);
    write_file(path / "config.json", Json{{"architectures", {"Gemma3ForConditionalGeneration"}},
                                          {"model_type", "gemma3"},
                                          {"dtype", "float32"},
                                          {"eos_token_id", {1, 106}},
                                          {"text_config", text}}
                                         .dump());
    NamedTensors tensors;
    for (auto& [name, tensor] : golden.tensors()) tensors["language_model." + name] = tensor;
    tensors["vision_tower.patch.weight"] = {{2, 2}, {1, 2, 3, 4}};  // of no use here
    write_file(path / "model.safetensors", safetensors_bytes(tensors, false));
    const auto model = Transformer::load(path, exact(static_cast<int>(best_isa())));
    QVERIFY2(model.has_value(), model ? "" : model.error().message.c_str());
    QCOMPARE((*model)->config().eos_ids, (std::vector<std::int32_t>{1, 106}));
    BlockPool pool((*model)->kv_shape(), 32, std::size_t{64} << 20);
    KvCache cache(pool);
    QVERIFY(largest_difference(logits_of(**model, cache, golden.tokens, Way::whole), golden.logits) <= 1e-4);
  }

  // Once, as in llama.cpp and vLLM: a context's keys do not depend on what follows it.
  void longropeIsChosenByTheLengthServed() {
    const GoldenCase golden = golden_case("phi3_longrope");  // 512 positions, of which the short factors serve 128
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.path().toStdString();
    const std::string file = (path / "config.json").string();
    golden.write(path, false);
    const ModelConfig shorter = read_model_config(path).value(), longer = read_model_config(path, 512).value();
    QCOMPARE(shorter.max_positions, 128);
    QCOMPARE(longer.max_positions, 512);
    QCOMPARE(shorter.rope.stretch.divisors, (std::vector<double>{1.0, 1.25, 2.0}));
    QCOMPARE(longer.rope.stretch.divisors, (std::vector<double>{1.5, 2.5, 4.0}));
    QCOMPARE(longer.rope.stretch.attention_factor, shorter.rope.stretch.attention_factor);
    QVERIFY(longer.canonical_text() != shorter.canonical_text());  // so do digests differ, and stored caches
    QCOMPARE(read_model_config(path, 128)->canonical_text(), shorter.canonical_text());
    QCOMPARE(read_model_config(path, 129)->canonical_text(), longer.canonical_text());
    QCOMPARE(read_model_config(path, 513).error().message,
             file +
                 ": a maximum length of 513 tokens is more than the model's 512 positions (max_position_embeddings "
                 "in " +
                 file + "); lower --max-model-len");
    LoadOptions options = exact(static_cast<int>(best_isa()));
    const auto model = Transformer::load(path, options).value();
    options.max_model_len = 200;
    QVERIFY(Transformer::load(path, options).value()->digest() != model->digest());
    BlockPool pool(model->kv_shape(), 32, std::size_t{64} << 20);
    KvCache cache(pool);
    std::vector<float> logits(256);
    QCOMPARE(model->decode(cache, 3, 128, logits).error().message,
             "position 128 is beyond the model's 128 positions (original_max_position_embeddings in " + file +
                 "; --max-model-len 512 serves longer texts, with longrope's long factors); shorten the context");
  }

  // A window between the positions of the short factors and those of the long ones is one of the long ones alone.
  void windowsAreOfThePositionsServed() {
    const GoldenCase golden = golden_case("phi3_longrope");
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.path().toStdString();
    Json config = golden.json["config"];
    config["sliding_window"] = 200;
    write_file(path / "config.json", config.dump());
    QVERIFY(!read_model_config(path)->has_windows());
    QCOMPARE(read_model_config(path, 512)->windows(), (std::vector<std::int32_t>{200, 200, 200}));
  }

  void expertsAreChosenByTheirLogits() {
    ExpertForm form{.count = 5, .chosen = 2, .intermediate = 1};
    const std::vector<float> logits{0.5F, 2.0F, -1.0F, 2.0F, 1.0F};
    const auto among_chosen = choose_experts(form, logits);
    QCOMPARE(among_chosen.size(), std::size_t{2});
    QCOMPARE(among_chosen[0].expert, 1);  // of equal ones the first
    QCOMPARE(among_chosen[1].expert, 3);
    QCOMPARE(among_chosen[0].weight, 0.5F);
    form.normalized = false;
    const double sum = std::exp(-1.5) + 2 + std::exp(-3.0) + std::exp(-1.0);
    QVERIFY(std::abs(static_cast<double>(choose_experts(form, logits)[0].weight) - 1 / sum) < 1e-7);
  }
};

KV_TEST_GUILESS_MAIN(ArchitecturesTest)

}  // namespace architectures_test

#include "architectures_test.moc"
