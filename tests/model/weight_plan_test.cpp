// links: kv_experiments
// What loading a model takes, known before it is loaded: the same bytes, types and errors as loading has, and the
// memory that a process really needs.
#include <QTemporaryDir>
#include <QTest>

#include <fstream>
#include <functional>

#include "core/model/random_llama.h"
#include "core/model/weight_plan.h"
#include "tests/model/gguf_checkpoint.h"
#include "tests/support/test_program.h"

namespace weight_plan_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

/// Memory of this process that is not of files.
std::uint64_t anonymous_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::uint64_t kib = 0;
    if (word == "RssAnon:" && status >> kib) return kib * 1024;
  }
  return 0;
}

/// In bytes on this processor, of all tensors of a case: no golden case has one that its model does not take.
std::uint64_t loaded_bytes(const GoldenCase& golden, bool bf16) {
  std::uint64_t numbers = 0;
  for (const auto& [name, tensor] : golden.tensors()) numbers += tensor.numbers.size();
  return numbers * (bf16 && best_isa() == Isa::avx512bf16 ? 2 : 4);
}

Status prefill(Transformer& model, KvCache& cache, int tokens) {
  std::vector<std::int32_t> ids(static_cast<std::size_t>(tokens));
  for (std::size_t i = 0; i < ids.size(); ++i)
    ids[i] = static_cast<std::int32_t>(i % static_cast<std::size_t>(model.config().vocab_size));
  PrefillTask task(model, cache, ids, 0, {.chunk_tokens = 256, .window_queries = 64});
  return task.run();
}

}  // namespace

class WeightPlanTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  std::filesystem::path path() const { return folder_.path().toStdString(); }

  /// The tensors of the case "llama" with one change, as a folder.
  void write_changed(const std::function<void(NamedTensors&)>& change, bool bf16 = false) const {
    const GoldenCase golden("llama");
    golden.write(path(), bf16);
    NamedTensors tensors = golden.tensors();
    change(tensors);
    write_file(path() / "model.safetensors", safetensors_bytes(tensors, bf16));
  }
  /// The same in bf16, with another type of 16 bits for the bytes of one matrix.
  void write_as_type(const std::string& type) const {
    write_changed([](NamedTensors&) {}, true);
    std::string bytes = *read_text_file(path() / "model.safetensors");
    const std::size_t at = bytes.find("\"BF16\"", bytes.find("model.layers.1.self_attn.q_proj.weight"));
    bytes.replace(at, 6, '"' + type + "\" ");  // JSON as long as before
    write_file(path() / "model.safetensors", bytes);
  }
  /// Refused without loading in the words of loading.
  void same_refusal(const char* part) const {
    const auto config = read_model_config(path());
    const auto files = WeightFiles::open(path());
    QVERIFY(config && files);
    const Status checked = check_tensors(*config, *files, path().string());
    const auto loaded = Transformer::load(path());
    QVERIFY2(!checked && !loaded, part);
    QCOMPARE(checked.error().message, loaded.error().message);
    QVERIFY2(checked.error().message.find(part) != std::string::npos, checked.error().message.c_str());
  }

 private slots:
  void init() {
    for (const auto& entry : std::filesystem::directory_iterator(path())) std::filesystem::remove_all(entry.path());
  }

  // https://huggingface.co/Qwen/Qwen2.5-0.5B-Instruct/blob/main/config.json; what follows from it by hand.
  void bytesOfAPublishedModel() {
    write_file(path() / "config.json",
               R"({"architectures": ["Qwen2ForCausalLM"], "hidden_size": 896, "intermediate_size": 4864,
                   "max_position_embeddings": 32768, "num_attention_heads": 14, "num_hidden_layers": 24,
                   "num_key_value_heads": 2, "rms_norm_eps": 1e-06, "rope_theta": 1000000.0, "sliding_window": 32768,
                   "tie_word_embeddings": true, "torch_dtype": "bfloat16", "use_sliding_window": false,
                   "vocab_size": 151936})");
    const auto config = read_model_config(path());
    QVERIFY2(config, config ? "" : config.error().message.c_str());
    QCOMPARE(config->parameters(), std::uint64_t{494'032'768});
    const KvShape shape{config->layers, config->kv_heads, config->head_dim, KvType::bf16};
    QCOMPARE(shape.bytes_per_token(), std::size_t{12'288});
    QCOMPARE(pool_bytes_per_token(shape, 32), std::uint64_t{12'480});
    QCOMPARE(prefill_bytes(*config, ComputeType::bf16, KvType::bf16, 256), std::uint64_t{14'566'912});
    // Of the 14,566,912 bytes, 8,454,144 are 33,024 for each of 256 tokens. A pass of several prefills has 512. Rows of
    // 4,864 columns are packed in tiles of 3 or 16, in fp32 where the CPU does not multiply bf16.
    constexpr std::uint64_t of_pass = 14'566'912 + 8'454'144;
    const auto with = [&](ProductSet set, int chunk) {
      return prefill_bytes(*config, ComputeType::bf16, KvType::bf16, chunk, set);
    };
    QCOMPARE(with(ProductSet::portable, 256), of_pass + 513 * 4864 * 4);
#if defined(__x86_64__)
    QCOMPARE(with(ProductSet::avx512bf16, 256), of_pass + 513 * 4864 * 2);
    QCOMPARE(with(ProductSet::amx, 256), of_pass + 512 * 4864 * 2);
    QCOMPARE(with(ProductSet::amx, 1024), of_pass + 512 * 33'024 + 1024 * 4864 * 2);
#endif
    // Of 4,096 tokens, keys of a head: 163,840 bytes of codes, scales and minima; values: 158,720 of 3,968 tokens, and
    // 16,384 of the newest 128.
    const auto kivi = encoded_bytes_per_token(shape, "kivi4", 4096);
    QVERIFY(kivi);
    QCOMPARE(*kivi, 48 * (163'840.0 + 158'720 + 16'384) / 4096);
    QVERIFY(!encoded_bytes_per_token(shape, "kivi5", 4096) && !encoded_bytes_per_token(shape, "kivi4", 0));
  }

  void everyGoldenModelIsPlannedAsItLoads_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<bool>("bf16");
    for (const auto& name : GoldenCase::names())
      for (const bool bf16 : {false, true})
        QTest::addRow("%s %s", name.c_str(), bf16 ? "bf16" : "fp32") << QString::fromStdString(name) << bf16;
  }
  void everyGoldenModelIsPlannedAsItLoads() {
    QFETCH(QString, name);
    QFETCH(bool, bf16);
    const GoldenCase golden(name.toStdString());
    golden.write(path(), bf16);
    const auto config = read_model_config(path());
    const auto files = WeightFiles::open(path());
    const auto loaded = Transformer::load(path());
    QVERIFY2(config && files && loaded, loaded ? "" : loaded.error().message.c_str());
    const Status checked = check_tensors(*config, *files, path().string());
    QVERIFY2(checked, checked ? "" : checked.error().message.c_str());
    const WeightPlan plan = plan_weights(*config, *files);
    QCOMPARE(plan.weight_bytes, loaded_bytes(golden, bf16));
    QCOMPARE((*loaded)->weight_bytes(), plan.weight_bytes);
    const bool computes_bf16 = bf16 && best_isa() == Isa::avx512bf16;
    QVERIFY(plan.compute == (computes_bf16 ? ComputeType::bf16 : ComputeType::fp32));
    QVERIFY((*loaded)->compute() == plan.compute);
    QVERIFY(plan.kv_type == (bf16 ? KvType::bf16 : KvType::fp32));
    QVERIFY((*loaded)->kv_shape().type == plan.kv_type);
  }

  void packedMatricesCountBesides() {
    const std::filesystem::path file = path() / "model.gguf";
    write_file(file, gguf_bytes(GoldenCase("qwen2"), Packing::tight));
    const auto config = read_model_config(file);
    const auto files = WeightFiles::open(file);
    const auto loaded = Transformer::load(file);
    QVERIFY2(config && files && loaded, loaded ? "" : loaded.error().message.c_str());
    QVERIFY(check_tensors(*config, *files, file.string()));
    const WeightPlan plan = plan_weights(*config, *files);
    QCOMPARE(config->parameters(), std::uint64_t{118'592});
    // 79,872 numbers in Q8_0: a byte each and 4 for the scale of 32.
    QCOMPARE(plan.weight_bytes, 118'592 * (plan.compute == ComputeType::bf16 ? 2 : 4) + std::uint64_t{89'856});
    QCOMPARE(plan.weight_bytes, (*loaded)->weight_bytes());
  }

  void refusalsAreThoseOfLoading() {
    write_changed([](NamedTensors& tensors) { tensors.erase("model.layers.2.mlp.up_proj.weight"); });
    same_refusal("tensor 'model.layers.2.mlp.up_proj.weight' is missing");
    write_changed([](NamedTensors& tensors) { tensors.at("model.norm.weight").shape = {1, 64}; });
    same_refusal("tensor 'model.norm.weight' is [1, 64] F32 but its config.json asks for [64] F32");
    write_as_type("I16");
    same_refusal(
        "tensor 'model.layers.1.self_attn.q_proj.weight' has type I16; convert the checkpoint to bfloat16, float16 or "
        "float32");
  }

  // Of one matrix among those in bf16: the plan is what loading takes.
  void halfPrecisionIsPlannedAsItLoads() {
    write_as_type("F16");
    const auto config = read_model_config(path());
    const auto files = WeightFiles::open(path());
    const auto loaded = Transformer::load(path());
    QVERIFY2(config && files && loaded, loaded ? "" : loaded.error().message.c_str());
    QCOMPARE(files->stored_types().at("F16"), 1);
    const Status checked = check_tensors(*config, *files, path().string());
    QVERIFY2(checked, checked ? "" : checked.error().message.c_str());
    const WeightPlan plan = plan_weights(*config, *files);
    QCOMPARE(plan.weight_bytes, loaded_bytes(GoldenCase("llama"), true));
    QCOMPARE((*loaded)->weight_bytes(), plan.weight_bytes);
    QVERIFY(plan.compute == (*loaded)->compute() && plan.kv_type == KvType::bf16);
    QVERIFY((*loaded)->kv_shape().type == plan.kv_type);
  }

  // A head that is stored with other values than the embeddings counts besides, whatever config.json says.
  void aStoredHeadIsPlannedAsItLoads() {
    const GoldenCase golden("llama");
    Json config = golden.json["config"];
    config["tie_word_embeddings"] = true;
    NamedTensors tensors = golden.tensors();
    tensors["lm_head.weight"] = tensors.at("model.embed_tokens.weight");
    const auto plan_of = [&]() -> std::uint64_t {
      golden.write(path(), false);
      write_file(path() / "model.safetensors", safetensors_bytes(tensors, false));
      write_file(path() / "config.json", config.dump());
      auto read = read_model_config(path());
      const auto files = WeightFiles::open(path());
      const auto loaded = Transformer::load(path());
      if (!read || !files || !loaded) return 0;
      read->tied_embeddings = is_head_tied(*read, *files);
      const std::uint64_t planned = plan_weights(*read, *files).weight_bytes;
      return planned == (*loaded)->weight_bytes() ? planned : 0;
    };
    const std::uint64_t tied = plan_of();
    NamedTensor& head = tensors.at("lm_head.weight");
    head.numbers.back() += 1;
    const std::uint64_t untied = plan_of();
    QVERIFY(tied > 0);
    QCOMPARE(untied, tied + 4 * head.numbers.size());  // fp32
    std::swap(head.shape[0], head.shape[1]);
    QCOMPARE(plan_of(), std::uint64_t{0});
    auto read = read_model_config(path());
    const auto files = WeightFiles::open(path());
    QVERIFY(read && files);
    read->tied_embeddings = is_head_tied(*read, *files);
    const Status checked = check_tensors(*read, *files, path().string());
    QVERIFY(!checked && checked.error().message.find("tensor 'lm_head.weight' is [") != std::string::npos);
    QCOMPARE(checked.error().message, Transformer::load(path()).error().message);
  }

  void aTensorThatAGgufFileHasBesidesIsRefused() {
    GgufWriter writer;
    writer.tensor("blk.7.attn_q.weight", {64, 64}, std::vector<float>(64 * 64, 1));
    const std::filesystem::path file = path() / "model.gguf";
    write_file(file, gguf_bytes(GoldenCase("qwen2"), Packing::none, nullptr, writer));
    const auto config = read_model_config(file);
    const auto files = WeightFiles::open(file);
    QVERIFY(config && files);
    const Status checked = check_tensors(*config, *files, file.string());
    const auto loaded = Transformer::load(file);
    QVERIFY(!checked && !loaded);
    QCOMPARE(checked.error().message, loaded.error().message);
  }

  // Within 25 %: weights above 64 MiB are copied into memory of their own, and the cache is in blocks.
  void theEstimateIsWhatAProcessTakes() {
    GoldenCase("llama").write(path(), false);  // once, for what libraries allocate at first use
    {
      const auto small = Transformer::load(path());
      QVERIFY(small);
      BlockPool pool((*small)->kv_shape(), 32, std::size_t{8} << 20);
      KvCache cache(pool);
      QVERIFY(prefill(**small, cache, 300));
    }
    constexpr int tokens = 1024;
    QTemporaryDir made;
    const std::filesystem::path large = made.path().toStdString();
    QVERIFY(write_random_llama(large, {.hidden = 1024, .heads = 16, .layers = 4, .ffn = 2752, .vocab = 256}, 1));
    const auto config = read_model_config(large);
    const auto files = WeightFiles::open(large);
    QVERIFY(config && files);
    const WeightPlan plan = plan_weights(*config, *files);
    const std::uint64_t before = anonymous_bytes();
    if (before == 0) QSKIP("this system does not report RssAnon");
    const auto model = Transformer::load(large);
    QVERIFY2(model, model ? "" : model.error().message.c_str());
    const KvShape shape = (*model)->kv_shape();
    BlockPool pool(shape, 32, std::size_t{256} << 20);
    KvCache cache(pool);
    QVERIFY(prefill(**model, cache, tokens));
    const auto grown = static_cast<double>(anonymous_bytes()) - static_cast<double>(before);
    const auto estimate =
        static_cast<double>(plan.weight_bytes + prefill_bytes(*config, plan.compute, plan.kv_type, 256) +
                            pool_bytes_per_token(shape, 32) * tokens);
    qInfo("%.1f MiB, estimated %.1f MiB", grown / 1048576, estimate / 1048576);
    QVERIFY2(grown > 0.75 * estimate && grown < 1.25 * estimate,
             qPrintable(QStringLiteral("%1 MiB, estimated %2").arg(grown / 1048576).arg(estimate / 1048576)));
  }
};

KV_TEST_GUILESS_MAIN(WeightPlanTest)

}  // namespace weight_plan_test

#include "weight_plan_test.moc"
