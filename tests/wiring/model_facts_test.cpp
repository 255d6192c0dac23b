// links: app_wiring
// Facts of models without their weights: numbers against the models that are here, refusals in the words of opening,
// and what is found in folders.
#include "app/wiring/model_facts_reader.h"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest>
#include <atomic>
#include <functional>
#include <memory>

#include "app/wiring/resources.h"
#include "app/wiring/session_setup.h"
#include "tests/model/gguf_checkpoint.h"
#include "tests/support/test_program.h"

namespace model_facts_test {

using namespace kvantage;
using namespace kvantage::test;
namespace fs = std::filesystem;

namespace {

const std::string lfs_pointer =
    "version https://git-lfs.github.com/spec/v1\n"
    "oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n";

void touch(const fs::path& path, const std::string& text = "x") {
  fs::create_directories(path.parent_path());
  write_file(path, text);
}

}  // namespace

class ModelFactsTest : public QObject {
  Q_OBJECT
  std::unique_ptr<QTemporaryDir> folder_;
  fs::path root() const { return folder_->path().toStdString(); }

  /// A copy of the default model, changed.
  fs::path copied(const std::function<void(const fs::path& model)>& change) const {
    const fs::path model = root() / "model";
    fs::remove_all(model);
    fs::copy(default_model_directory(), model);
    for (const auto& entry : fs::directory_iterator(model)) fs::permissions(entry.path(), fs::perms::owner_all);
    change(model);
    return model;
  }
  static void change_config(const fs::path& model, const std::function<void(Json& config)>& change) {
    Json config = *read_json_file(model / "config.json");
    change(config);
    write_file(model / "config.json", config.dump());
  }
  /// The one line that the reader, the check and opening in the window have in common.
  static void refused(const fs::path& model, const std::string& line) {
    QCOMPARE(read_model_facts(model).refusal, line);
    QVERIFY(line.find('\n') == std::string::npos);
    const Status checked = check_model(model);
    QVERIFY(!checked);
    QCOMPARE(checked.error().message, line);
    SessionOptions options;
    options.model = model;
    options.workload = quickstart_directory();
    const Status opened = check_loadable(options);
    QVERIFY(!opened);
    QCOMPARE(opened.error().message, line);
  }

 private slots:
  void init() { folder_ = std::make_unique<QTemporaryDir>(); }
  void initTestCase() {
    if (!fs::exists(default_model_directory() / "model.safetensors")) QSKIP("no model: resources/model is not there");
  }

  // resources/model/MODEL_CARD.md and config.json, and its safetensors header: 5,191,936 numbers, all in BF16.
  void factsOfTheDefaultModel() {
    const ModelFacts facts = read_model_facts(default_model_directory());
    QCOMPARE(facts.refusal, std::string());
    QCOMPARE(facts.name, std::string("default model"));
    QCOMPARE(facts.weights.architecture, std::string("Qwen2ForCausalLM"));
    QCOMPARE(facts.weights.parameters, std::uint64_t{5'191'936});
    QCOMPARE(facts.weights.stored_as, std::string("BF16"));
    QCOMPARE(facts.weights.file_bytes, std::uint64_t{10'383'872});
    QCOMPARE(facts.weights.loaded_bytes, std::uint64_t{5'191'936} * (facts.weights.computed_as == "bf16" ? 2 : 4));
    QCOMPARE(facts.caches.layers, 6);
    QCOMPARE(facts.caches.kv_heads, 4);
    QCOMPARE(facts.caches.head_dim, 32);
    QCOMPARE(facts.caches.type, std::string("bf16"));
    QCOMPARE(facts.caches.bytes_per_token, std::uint64_t{3072});
    QCOMPARE(facts.caches.pool_bytes_per_token, std::uint64_t{3072 + 4 * 24});  // a position a head
    QCOMPARE(facts.caches.max_positions, 8192);
    QCOMPARE(facts.caches.kivi4_tokens, 4096);
    QVERIFY(facts.caches.kivi4_bytes_per_token > 3072 / 4.0 && facts.caches.kivi4_bytes_per_token < 3072 / 2.0);
    QVERIFY(facts.caches.pool_limit_bytes > 0 && facts.workspace_bytes > 0);
    QVERIFY(facts.tokenizer.tokens > 2900 && facts.tokenizer.chat_template);
    QCOMPARE(facts.tokenizer.prompt_form, std::string("context_question"));
    QCOMPARE(facts.digest.size(), std::size_t{32});
    QCOMPARE(read_model_facts(copied([](const fs::path&) {})).digest, facts.digest);
    QVERIFY(read_model_facts(directory_of(shipped_models[1])).digest != facts.digest);
    QVERIFY(check_model(default_model_directory()));
  }

  void factsOfSlidingWindows() {
    QCOMPARE(read_model_facts(default_model_directory()).windows.layers, 0);
    const ModelFacts facts = read_model_facts(copied([](const fs::path& model) {
      change_config(model, [](Json& config) {
        config["use_sliding_window"] = true;
        config["sliding_window"] = 64;
        config["max_window_layers"] = 2;
      });
    }));
    QCOMPARE(facts.refusal, std::string());
    QCOMPARE(facts.windows.layers, 4);
    QCOMPARE(facts.windows.longest, 64);
    QCOMPARE(facts.windows.bytes_per_token, std::uint64_t{1024});  // of two layers
    QCOMPARE(facts.caches.bytes_per_token, std::uint64_t{3072});
  }

  void factsOfAGgufFile() {
    const fs::path file = root() / "tiny.gguf";
    GgufWriter writer;
    writer.text("tokenizer.ggml.model", "gpt2")
        .text("tokenizer.ggml.pre", "gpt-2")
        .texts("tokenizer.ggml.tokens", {"a", "b", "c", "ab"})
        .texts("tokenizer.ggml.merges", {"a b"})
        .text("tokenizer.chat_template", "ab{{ messages[0].content }}");
    write_file(file, gguf_bytes(GoldenCase("qwen2"), Packing::tight, nullptr, writer));
    const ModelFacts facts = read_model_facts(file);
    QCOMPARE(facts.refusal, std::string());
    QCOMPARE(facts.name, std::string("tiny.gguf"));
    QCOMPARE(facts.weights.stored_as, std::string("Q8_0, F16, F32"));
    QCOMPARE(facts.weights.parameters, std::uint64_t{118'592});
    QCOMPARE(facts.weights.loaded_bytes,
             std::uint64_t{118'592} * (facts.weights.computed_as == "bf16" ? 2 : 4) + 89'856);
    QVERIFY(facts.weights.file_bytes < 118'592 * 2);
    QCOMPARE(facts.caches.bytes_per_token, std::uint64_t{384});  // 3 layers, 4 heads of 8, bf16
    QCOMPARE(facts.caches.max_positions, 512);
    QCOMPARE(facts.caches.kivi4_tokens, 512);
    QCOMPARE(facts.tokenizer.tokens, 4);
    QVERIFY(facts.tokenizer.chat_template);
    QCOMPARE(facts.tokenizer.template_source, std::string("tokenizer.chat_template"));
    QCOMPARE(facts.tokenizer.prompt_form, std::string("chat_template"));
  }

  void filesThatAreNotWhatTheyAreCalled() {
    for (const char* name : {"config.json", "model.safetensors", "tokenizer.json"}) {
      const fs::path model = copied([&](const fs::path& folder) { write_file(folder / name, lfs_pointer); });
      refused(model, (model / name).string() +
                         ": is a Git LFS pointer, not the file itself; run `git lfs pull` in its repository");
    }
    const fs::path gguf = root() / "m.gguf";
    write_file(gguf, lfs_pointer);
    refused(gguf, gguf.string() + ": is a Git LFS pointer, not the file itself; run `git lfs pull` in its repository");
    write_file(gguf, "PK\x03\x04 and so on");
    refused(gguf, gguf.string() +
                      ": is a PyTorch pickle, which can run code when it is read; convert the model to safetensors or "
                      "GGUF");
    write_file(gguf, "none of these");
    refused(gguf, gguf.string() + ": does not begin with GGUF; give a GGUF file or a Hugging Face model folder");
  }

  void formsThatAreNotRead() {
    const fs::path pickles = copied([](const fs::path& model) {
      fs::remove(model / "model.safetensors");
      write_file(model / "pytorch_model.bin", "PK\x03\x04");
    });
    refused(pickles, pickles.string() +
                         ": its weights are PyTorch pickles (pytorch_model.bin), which can run code when they are "
                         "read; convert the model to safetensors or GGUF");
    const fs::path beside = copied([](const fs::path& model) {
      fs::remove(model / "model.safetensors");
      write_file(model / "q4.gguf", "GGUF");
    });
    refused(beside, beside.string() + ": holds a GGUF file; give the file q4.gguf");
    const fs::path alone = copied([](const fs::path&) {}) / "model.safetensors";
    refused(alone, alone.string() + ": holds the weights alone; give its folder, with config.json and tokenizer.json");
    const fs::path quantized = copied([](const fs::path& model) {
      change_config(model, [](Json& config) {
        config["quantization_config"] = Json{{"quant_method", "bitsandbytes"}};
      });
    });
    refused(quantized, (quantized / "config.json").string() +
                           ": quantization 'bitsandbytes' is not supported (gptq, awq, fp8 and mxfp4 are); use a "
                           "checkpoint in bfloat16, float16 or float32, or a GGUF file");
    const fs::path other = copied([](const fs::path& model) {
      change_config(model, [](Json& config) { config["architectures"] = Json::array({"GPT2LMHeadModel"}); });
    });
    refused(other, (other / "config.json").string() +
                       ": architecture 'GPT2LMHeadModel' is not supported; use a checkpoint of one of "
                       "LlamaForCausalLM, MistralForCausalLM, Qwen2ForCausalLM, Qwen3ForCausalLM, OPTForCausalLM, "
                       "GemmaForCausalLM, Gemma2ForCausalLM, Gemma3ForCausalLM, Qwen3MoeForCausalLM, "
                       "MixtralForCausalLM, Phi3ForCausalLM, Olmo2ForCausalLM, GraniteForCausalLM, "
                       "SmolLM3ForCausalLM, GPTNeoXForCausalLM, GptOssForCausalLM, Gemma3ForConditionalGeneration, "
                       "DeepseekV2ForCausalLM, DeepseekV3ForCausalLM");
  }

  void partsThatAreMissing() {
    const fs::path silent = copied([](const fs::path& model) { fs::remove(model / "tokenizer.json"); });
    refused(silent, silent.string() + ": no tokenizer.json; fetch the model with its tokenizer.json");
    const fs::path pieces =
        copied([](const fs::path& model) { fs::rename(model / "tokenizer.json", model / "tokenizer.model"); });
    refused(pieces, pieces.string() +
                        ": no tokenizer.json (tokenizer.model is not read); fetch the model with its tokenizer.json");
    const fs::path small = copied(
        [](const fs::path& model) { change_config(model, [](Json& config) { config["num_hidden_layers"] = 7; }); });
    refused(small, small.string() +
                       ": tensor 'model.layers.6.input_layernorm.weight' is missing; the checkpoint does not fit its "
                       "config.json");
    const ModelFacts facts = read_model_facts(small);  // what could be read is there
    QCOMPARE(facts.caches.layers, 7);
    QVERIFY(facts.tokenizer.tokens > 0);
    refused(root() / "nothing", read_model_facts(root() / "nothing").refusal);
    QVERIFY(read_model_facts(root() / "nothing").refusal.find("no such model folder") != std::string::npos);
  }

  void modelsAreFoundBelowAFolder() {
    touch(root() / "b/llama/config.json");
    touch(root() / "b/llama/model.safetensors");
    touch(root() / "b/llama/inner/model.gguf");  // a part of that model
    touch(root() / "a/one.gguf");
    touch(root() / "a/big-00001-of-00002.gguf");
    touch(root() / "a/big-00002-of-00002.gguf");
    touch(root() / "old/config.json");
    touch(root() / "old/pytorch_model.bin");  // listed, so that its refusal is seen
    touch(root() / "config.d/config.json");   // weights are missing
    touch(root() / ".hidden/x.gguf");
    fs::create_directory_symlink(root(), root() / "a/loop");
    const fs::path snapshot = root() / "hub/models--Qwen--Qwen2.5-0.5B/snapshots/abc123";
    touch(snapshot / "config.json");
    touch(snapshot / "model.safetensors");
    touch(root() / "hub/models--TheBloke--Some-GGUF/snapshots/def/q4.gguf");
    const std::atomic<bool> no{false}, yes{true};
    QStringList found;
    for (const FoundModel& model : models_below(root(), no))
      found << QString::fromStdString(model.name) + " = " + QString::fromStdString(fs::path(model.path).filename());
    QCOMPARE(found, (QStringList{"Qwen/Qwen2.5-0.5B = abc123", "TheBloke/Some-GGUF/q4.gguf = q4.gguf",
                                 "a/big-00001-of-00002.gguf = big-00001-of-00002.gguf", "a/one.gguf = one.gguf",
                                 "b/llama = llama", "old = old"}));
    QVERIFY(models_below(root(), yes).empty());
    QVERIFY(models_below(root() / "nothing", no).empty());
  }

  void theSharedCacheIsWhereToolsLookForIt() {
    touch(root() / "hf/hub/x");
    touch(root() / "home/.cache/huggingface/hub/x");
    touch(root() / "own/x");
    for (const char* name : {"HF_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME"}) qunsetenv(name);
    const QByteArray home = qgetenv("HOME");
    qputenv("HOME", QByteArray::fromStdString((root() / "home").string()));
    QCOMPARE(huggingface_cache(), root() / "home/.cache/huggingface/hub");
    qputenv("HF_HOME", QByteArray::fromStdString((root() / "hf").string()));
    QCOMPARE(huggingface_cache(), root() / "hf/hub");
    qputenv("HF_HUB_CACHE", QByteArray::fromStdString((root() / "own").string()));
    QCOMPARE(huggingface_cache(), root() / "own");
    qputenv("HF_HUB_CACHE", QByteArray::fromStdString((root() / "gone").string()));
    QCOMPARE(huggingface_cache(), fs::path());
    for (const char* name : {"HF_HUB_CACHE", "HF_HOME"}) qunsetenv(name);
    qputenv("HOME", home);
  }

  // As a session opened with --products batch_invariant: buffers of twice the rows, and these packed.
  void theWorkspaceIsThatOfTheProducts() {
    const std::string model = default_model_directory().string();
    const std::uint64_t library = make_model_catalog(false)->read(model).workspace_bytes,
                        own = make_model_catalog(true)->read(model).workspace_bytes;
    QCOMPARE(read_model_facts(model).workspace_bytes, library);
    QCOMPARE(read_model_facts(model, true).workspace_bytes, own);
    QVERIFY2(own > library, qPrintable(QStringLiteral("%1, not above %2").arg(own).arg(library)));
    QVERIFY(own < 4 * library);
  }

  void theCatalogReadsThisMachine() {
    const auto catalog = make_model_catalog();
    const MemoryReading memory = catalog->memory();
    QVERIFY(memory.available_bytes > 0 && memory.available_bytes <= memory.total_bytes);
    QCOMPARE(catalog->read(default_model_directory().string()).caches.bytes_per_token, std::uint64_t{3072});
  }
};

KV_TEST_APPLESS_MAIN(ModelFactsTest)

}  // namespace model_facts_test

#include "model_facts_test.moc"
