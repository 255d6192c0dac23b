// links: kv_runtime kv_gpu_emulated
// The references of decode attention and of recomputation compared with core: the kernels of this processor, and
// KvRecompute on small models.
#include "tests/gpu/cache_image.h"  // before the kernels: it takes a word of Qt away

#include "core/model/recompute.h"
#include "core/model/rope.h"
#include "gpu/kernels/attend_paged.h"
#include "gpu/kernels/recompute_kv.h"
#include "tests/compress/random_context.h"
#include "tests/model/tiny_checkpoint.h"

using namespace kvantage;
using namespace kvantage::test;

namespace {

/// One head's attention by core in fp32: [query_group, head_dim].
std::vector<float> of_core(const KvCache& cache, int layer, int kv_head, std::span<const float> queries, Isa isa) {
  const HeadView view = cache.head(layer, kv_head);
  std::vector<const std::byte*> keys, values;
  for (const BlockId block : view.blocks) {
    keys.push_back(view.pool->keys(block));
    values.push_back(view.pool->values(block));
  }
  std::vector<std::int32_t> row_slots;
  for (std::size_t i = 0; i < static_cast<std::size_t>(view.kept); ++i) row_slots.push_back(view.slot(i));
  const int head_dim = cache.shape().head_dim;
  std::vector<float> scaled(queries.begin(), queries.end()), output(queries.size());
  for (float& number : scaled) number *= query_scale(head_dim);
  kvantage::DecodeAttention job;
  job.rows = {keys.data(), values.data(), view.pool->block_tokens(), view.kept, Element::bf16, row_slots.data()};
  job.head_dim = head_dim;
  job.group = query_group;
  job.queries = scaled.data();
  job.output = output.data();
  kernels(isa).attention_decode(job);
  return output;
}

/// A matrix or vector of a golden case; empty where it has none of that name.
std::vector<float> numbers_of(const NamedTensors& tensors, const std::string& name) {
  const auto found = tensors.find(name);
  return found == tensors.end() ? std::vector<float>() : found->second.numbers;
}
std::vector<std::uint16_t> narrow(const std::vector<float>& numbers) {
  std::vector<std::uint16_t> result;
  for (const float number : numbers) result.push_back(gpu::narrowed(number));
  return result;
}

}  // namespace

class ReferencesMatchCoreAttentionTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void attention_data() {
    QTest::addColumn<int>("head_dim");
    QTest::addColumn<int>("tokens");
    QTest::addColumn<double>("evicted");
    for (const int head_dim : {32, 64, 128})
      for (const int tokens : {1, 70, 200})
        for (const double evicted : {0.0, 0.4})
          if (tokens > 1 || evicted == 0)  // core is never asked for a head that keeps nothing
            QTest::addRow("head_dim %d, %d tokens, %g evicted", head_dim, tokens, evicted)
                << head_dim << tokens << evicted;
  }
  void attention() {
    QFETCH(int, head_dim);
    QFETCH(int, tokens);
    QFETCH(double, evicted);
    const KvShape shape{2, 2, head_dim, KvType::bf16};
    RandomContext context(shape, tokens);
    Random random(7);
    if (evicted > 0)
      for (int l = 0; l < shape.layers; ++l)
        QVERIFY(context.cache.evict(l, random_indices(context.cache, l, evicted, random)).has_value());
    auto arena = arena_of(context.pool, {&context.cache});
    const Image image(context.cache, arena);
    std::vector<float> queries;
    std::vector<std::uint16_t> rounded;
    for (int i = 0; i < image.heads.heads * query_group * head_dim; ++i) {
      rounded.push_back(gpu::narrowed(static_cast<float>(random.normal())));
      queries.push_back(gpu::widened(rounded.back()));
    }
    std::vector<std::uint16_t> reference(rounded.size());
    gpu::attend_paged_reference(image.heads, {rounded.data(), query_group, 1 / std::sqrt(static_cast<float>(head_dim))},
                                reference.data());
    const auto each = static_cast<std::size_t>(query_group * head_dim);
    for (int head = 0; head < image.heads.heads; ++head) {
      const auto at = static_cast<std::size_t>(head) * each;
      const auto core = of_core(context.cache, head / shape.kv_heads, head % shape.kv_heads,
                                std::span(queries).subspan(at, each), best_isa());
      for (std::size_t i = 0; i < each; ++i)
        QVERIFY2(std::abs(gpu::widened(reference[at + i]) - core[i]) <= 0x1p-8F * std::abs(core[i]) + 1e-5F,
                 qPrintable(QString("%1 for %2").arg(gpu::widened(reference[at + i])).arg(core[i])));
    }
  }

  void recomputation_data() {
    QTest::addColumn<QString>("name");
    for (const std::string& name : GoldenCase::names()) QTest::newRow(name.c_str()) << QString::fromStdString(name);
  }
  void recomputation() {
    QFETCH(QString, name);
    const GoldenCase golden(name.toStdString());
    QTemporaryDir folder;
    golden.write(folder.path().toStdString(), true);
    LoadOptions options;
    options.compute = ComputeType::fp32;
    options.kv_type = KvType::bf16;
    const auto loaded = Transformer::load(folder.path().toStdString(), options);
    QVERIFY2(loaded.has_value(), loaded ? "" : loaded.error().message.c_str());
    Transformer& model = **loaded;
    const ModelConfig& config = model.config();
    const NamedTensors tensors = golden.tensors();
    constexpr int tokens = 21, first_position = 5;
    Random random(3);
    std::vector<float> inputs;
    for (int i = 0; i < tokens * config.hidden; ++i)
      inputs.push_back(gpu::widened(gpu::narrowed(static_cast<float>(random.normal()))));
    const std::vector<std::uint16_t> narrow_inputs = narrow(inputs);
    std::vector<std::int32_t> positions(tokens), blocks, first_block;
    std::iota(positions.begin(), positions.end(), first_position);

    gpu::PagedHeads heads;  // one block per head
    heads.heads = config.kv_heads, heads.head_dim = config.head_dim, heads.block_tokens = tokens;
    heads.values_at = static_cast<std::size_t>(tokens * config.head_dim) * 2;
    heads.positions_at = 2 * heads.values_at;
    heads.block_bytes = heads.positions_at + tokens * sizeof(std::int32_t);
    std::vector<unsigned char> arena(heads.block_bytes * static_cast<std::size_t>(config.kv_heads));
    for (int head = 0; head < config.kv_heads; ++head) blocks.push_back(head), first_block.push_back(head);
    heads.arena = arena.data(), heads.blocks = blocks.data(), heads.first_block = first_block.data();

    KvRecompute recompute(model, tokens);
    for (int layer = 0; layer < config.layers; ++layer) {
      const std::string prefix = config.architecture == Architecture::opt ? "model.decoder.layers." : "model.layers.",
                        attention = prefix + std::to_string(layer) + ".self_attn.";
      const auto key = narrow(numbers_of(tensors, attention + "k_proj.weight")),
                 value = narrow(numbers_of(tensors, attention + "v_proj.weight"));
      const auto key_bias = numbers_of(tensors, attention + "k_proj.bias"),
                 value_bias = numbers_of(tensors, attention + "v_proj.bias"),
                 norm = numbers_of(tensors, attention + "k_norm.weight");
      const auto or_null = [](const std::vector<float>& numbers) { return numbers.empty() ? nullptr : numbers.data(); };
      gpu::recompute_kv_reference({narrow_inputs.data(), positions.data(), tokens},
                                  {key.data(), value.data(), or_null(key_bias), or_null(value_bias), or_null(norm),
                                   config.rms_eps, model.rope().data(), config.hidden},
                                  heads, 0);
      QVERIFY(recompute.run(layer, std::as_bytes(std::span(inputs)), first_position, tokens).has_value());
      const auto* const keys = reinterpret_cast<const std::uint16_t*>(recompute.keys().data());
      const auto* const values = reinterpret_cast<const std::uint16_t*>(recompute.values().data());
      // The reference rounds the product to bf16, as products in bf16 are: 2^-8 of it, which a bias or the other
      // channel of a pair may nearly cancel.
      double most = 0;
      for (int head = 0; head < config.kv_heads; ++head)
        for (int token = 0; token < tokens; ++token) {
          const std::size_t at =
              static_cast<std::size_t>(token * config.kv_heads + head) * static_cast<std::size_t>(config.head_dim);
          double largest = 0;
          for (int i = 0; i < config.head_dim; ++i)
            largest =
                std::max({largest, std::abs(static_cast<double>(gpu::widened(keys[at + static_cast<std::size_t>(i)]))),
                          std::abs(static_cast<double>(gpu::widened(values[at + static_cast<std::size_t>(i)])))});
          for (int i = 0; i < config.head_dim; ++i) {
            const auto n = static_cast<std::size_t>(i);
            most = std::max(
                {most,
                 std::abs(static_cast<double>(gpu::widened(heads.key(head, token)[n]) - gpu::widened(keys[at + n]))) /
                     largest,
                 std::abs(
                     static_cast<double>(gpu::widened(heads.value(head, token)[n]) - gpu::widened(values[at + n]))) /
                     largest});
          }
          QCOMPARE(*heads.position(head, token), first_position + token);
        }
      QVERIFY2(most < 0x1p-6, qPrintable(QString("layer %1: %2").arg(layer).arg(most)));
    }
  }
};

QTEST_GUILESS_MAIN(ReferencesMatchCoreAttentionTest)
#include "references_match_core_attention_test.moc"
