// links: kv_experiments
// Random damage to a small model in a GGUF file: its tokenizer and its weights are each read, and then work, or are
// refused in one line. KVANTAGE_FUZZ_EXECUTIONS sets the number of tries (default 4,000), KVANTAGE_FUZZ_SEED where they
// begin.
#include <QTemporaryDir>
#include <QtTest>

#include "core/model/transformer.h"
#include "core/text/tokenizer.h"
#include "tests/support/gguf_damage.h"
#include "tests/support/test_program.h"

namespace gguf_damage_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

/// One layer of two heads of four channels, eight tokens of either kind of tokenizer.
std::string model_bytes(bool byte_level) {
  GgufWriter writer;
  writer.text("general.architecture", "llama")
      .u32("llama.embedding_length", 8)
      .u32("llama.block_count", 1)
      .u32("llama.feed_forward_length", 4);
  writer.u32("llama.attention.head_count", 2).u32("llama.attention.head_count_kv", 1).u32("llama.context_length", 32);
  writer.f32("llama.attention.layer_norm_rms_epsilon", 1e-5F)
      .u32("llama.rope.dimension_count", 4)
      .f32("llama.rope.freq_base", 1e4F);
  writer.text("tokenizer.ggml.model", byte_level ? "gpt2" : "llama")
      .ints("tokenizer.ggml.token_type", {2, 3, 3, 1, 1, 1, 1, 4});
  writer.texts("tokenizer.ggml.tokens", {"<unk>", "<s>", "</s>", byte_level ? "Ġ" : "▁", "a", "b", "ab", "<|x|>"})
      .u32("tokenizer.ggml.eos_token_id", 2);
  if (byte_level)
    writer.text("tokenizer.ggml.pre", "qwen2").texts("tokenizer.ggml.merges", {"a b"});
  else
    writer.floats("tokenizer.ggml.scores", {0, 0, 0, -1, -2, -3, -1, 0});
  std::vector<float> numbers;
  for (int i = 0; i < 64; ++i) numbers.push_back(static_cast<float>(i * 37 % 64) / 32 - 1);
  const auto tensor = [&](const char* name, std::uint64_t columns, std::uint64_t rows) {
    writer.tensor(
        name, rows == 0 ? std::vector<std::uint64_t>{columns} : std::vector<std::uint64_t>{columns, rows},
        {numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(columns * std::max<std::uint64_t>(rows, 1))});
  };
  tensor("token_embd.weight", 8, 8);
  tensor("output_norm.weight", 8, 0);
  tensor("blk.0.attn_norm.weight", 8, 0);
  tensor("blk.0.ffn_norm.weight", 8, 0);
  tensor("blk.0.attn_q.weight", 8, 8);
  tensor("blk.0.attn_k.weight", 8, 4);
  tensor("blk.0.attn_v.weight", 8, 4);
  tensor("blk.0.attn_output.weight", 8, 8);
  tensor("blk.0.ffn_gate.weight", 8, 4);
  tensor("blk.0.ffn_up.weight", 8, 4);
  tensor("blk.0.ffn_down.weight", 4, 8);
  return writer.bytes();
}

}  // namespace

class GgufDamageTest : public QObject {
  Q_OBJECT

 private slots:
  void damagedModelsAreReadOrRefused_data() {
    QTest::addColumn<bool>("byte_level");
    QTest::newRow("llama") << false;
    QTest::newRow("gpt2") << true;
  }
  void damagedModelsAreReadOrRefused() {
    QFETCH(bool, byte_level);
    const std::uint64_t executions = fuzz_executions(4'000) / 2, seed = fuzz_number("KVANTAGE_FUZZ_SEED", 1);
    const std::string whole = model_bytes(byte_level);
    const std::size_t head = whole.size() - 1504;  // the model's metadata; its numbers follow
    QTemporaryDir folder;
    const std::filesystem::path path = std::filesystem::path(folder.path().toStdString()) / "m.gguf";
    const std::string name = path.string() + ": ";
    std::uint64_t encoded = 0, computed = 0;
    for (std::uint64_t i = 0; i <= executions; ++i) {
      Random random(derive_seed(seed, i));
      const std::string bytes = i == 0 ? whole : damaged_gguf(whole.substr(0, head), random) + whole.substr(head);
      std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
      const auto told = [&](const Error& error) {
        return "seed " + std::to_string(seed) + ", try " + std::to_string(i) + ": " + error.message;
      };
      const auto tokenizer = Tokenizer::load(path);
      if (tokenizer) {
        (*tokenizer)->decode((*tokenizer)->encode("ab a<|x|> é", true));
        ++encoded;
      } else {
        QVERIFY2(is_whole_refusal(tokenizer.error(), name), told(tokenizer.error()).c_str());
      }
      const auto model =
          Transformer::load(path, {.compute = {}, .kv_type = {}, .memory_limit_bytes = 64 << 20, .isa = {}});
      if (!model) {
        QVERIFY2(i > 0 && is_whole_refusal(model.error(), name), told(model.error()).c_str());
        continue;
      }
      BlockPool pool((*model)->kv_shape(), 8, std::size_t{1} << 20);
      KvCache cache(pool);
      PrefillTask task(**model, cache, {1, 4, 5}, 0,
                       {.chunk_tokens = 256, .window_queries = 0, .logits = PrefillLogits::last});
      if (const auto status = task.run(); status)
        ++computed;
      else
        QVERIFY2(status.error().code == ErrorCode::rejected_input || status.error().code == ErrorCode::no_space,
                 told(status.error()).c_str());
    }
    qInfo("of %llu: %llu tokenizers and %llu models work", static_cast<unsigned long long>(executions),
          static_cast<unsigned long long>(encoded), static_cast<unsigned long long>(computed));
    if (executions >= 1000)
      QVERIFY(encoded > executions / 100 && encoded < executions && computed > executions / 100 &&
              computed < executions);
  }
};

KV_TEST_PROGRAM(argc, argv) {
  lift_time_limit_of_long_runs();
  QTEST_SET_MAIN_SOURCE_PATH
  GgufDamageTest test;
  return QTest::qExec(&test, argc, argv);
}

}  // namespace gguf_damage_test

#include "gguf_damage_test.moc"
