// links: kv_experiments
// DeepSeek's layers beside what architectures_test compares with transformers: what the cache holds of them, which
// experts are chosen, and which settings are refused.
#include <QTest>
#include <algorithm>
#include <cmath>
#include <functional>
#include <tuple>

#include "core/model/expert_choice.h"
#include "core/model/weight_plan.h"
#include "tests/model/golden_model.h"
#include "tests/support/test_program.h"

namespace latent_attention_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

GoldenCase golden_case(const char* name) { return GoldenCase(name, GoldenCase::architectures()); }

/// A plain second implementation of the choice: expert and weight, ascending.
std::vector<std::pair<int, double>> chosen_by_hand(const ExpertForm& form, const std::vector<float>& logits,
                                                   const std::vector<float>& correction) {
  const bool sigmoid = form.scores == ExpertScores::sigmoid;
  std::vector<double> scores, ranks;
  double all = 0;
  for (const float logit : logits) all += std::exp(static_cast<double>(logit));
  for (std::size_t e = 0; e < logits.size(); ++e) {
    const double power = std::exp(static_cast<double>(logits[e]));
    scores.push_back(sigmoid ? power / (1 + power) : power / all);
    ranks.push_back(scores.back() + (sigmoid ? static_cast<double>(correction[e]) : 0));
  }
  const std::size_t groups = form.groups > 1 ? static_cast<std::size_t>(form.groups) : 1, size = logits.size() / groups;
  std::vector<std::pair<double, std::size_t>> of_groups;  // negative, so that the best come first
  for (std::size_t g = 0; g < groups; ++g) {
    std::vector<double> members(ranks.begin() + static_cast<std::ptrdiff_t>(g * size),
                                ranks.begin() + static_cast<std::ptrdiff_t>((g + 1) * size));
    std::ranges::sort(members, std::greater{});
    of_groups.emplace_back(-members[0] - (sigmoid && size > 1 ? members[1] : 0), g);
  }
  std::ranges::sort(of_groups);
  if (form.groups > 1) of_groups.resize(static_cast<std::size_t>(form.groups_chosen));
  std::vector<std::pair<double, int>> candidates;
  for (const auto& [rank, g] : of_groups)
    for (std::size_t e = g * size; e < (g + 1) * size; ++e) candidates.emplace_back(-ranks[e], static_cast<int>(e));
  std::ranges::sort(candidates);
  candidates.resize(static_cast<std::size_t>(form.chosen));
  double sum = 0;
  for (const auto& [rank, expert] : candidates) sum += scores[static_cast<std::size_t>(expert)];
  std::vector<std::pair<int, double>> chosen;
  for (const auto& [rank, expert] : candidates)
    chosen.emplace_back(expert, scores[static_cast<std::size_t>(expert)] / (form.normalized ? sum : 1) * form.scale);
  std::ranges::sort(chosen);
  return chosen;
}

}  // namespace

class LatentAttentionTest : public QObject {
  Q_OBJECT

 private slots:
  void expertsAreChosenWithinGroups_data() {
    QTest::addColumn<bool>("sigmoid");
    QTest::addColumn<bool>("normalized");
    QTest::addColumn<int>("groups");
    for (const bool sigmoid : {false, true})
      for (const bool normalized : {false, true})
        for (const int groups : {0, 1, 4})
          QTest::addRow("%s%s, %d groups", sigmoid ? "sigmoid" : "softmax", normalized ? ", normalized" : "", groups)
              << sigmoid << normalized << groups;
  }
  void expertsAreChosenWithinGroups() {
    QFETCH(bool, sigmoid);
    QFETCH(bool, normalized);
    QFETCH(int, groups);
    ExpertForm form{.count = 16, .chosen = 5, .intermediate = 1, .normalized = normalized};
    form.scores = sigmoid ? ExpertScores::sigmoid : ExpertScores::softmax;
    form.groups = groups;
    form.groups_chosen = groups / 2;
    form.scale = 1.5;
    Random random(7);
    const auto drawn = [&](double width) {
      std::vector<float> numbers(16);
      for (float& number : numbers) number = static_cast<float>((random.uniform() - 0.5) * width);
      return numbers;
    };
    for (int round = 0; round < 200; ++round) {
      const auto logits = drawn(6), correction = drawn(0.5);
      const auto chosen = choose_experts(form, logits, correction);
      const auto wanted = chosen_by_hand(form, logits, correction);
      QCOMPARE(chosen.size(), wanted.size());
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        QCOMPARE(chosen[i].expert, wanted[i].first);
        QVERIFY(std::abs(static_cast<double>(chosen[i].weight) - wanted[i].second) < 1e-5);
      }
    }
  }

  // The cache holds whole heads. Values have 12 of 24 channels, and the rotated channels of keys are the same in all.
  void theCacheHoldsKeysAndValuesOfEachHead() {
    const GoldenCase golden = golden_case("deepseek_v2_lite");
    const QTemporaryDir folder;
    LoadOptions options;
    options.compute = ComputeType::fp32;
    const auto model = load_golden(golden, folder, false, options);
    const KvShape shape = model->kv_shape();
    QCOMPARE(shape.kv_heads, 4);
    QCOMPARE(shape.head_dim, 24);
    BlockPool pool(shape, 32, std::size_t{64} << 20);
    KvCache cache(pool);
    PrefillTask task(*model, cache, golden.tokens, 0, {});
    QVERIFY(task.run().has_value());
    const std::size_t tokens = golden.tokens.size(), dim = 24;
    for (int layer = 0; layer < shape.layers; ++layer) {
      std::vector<std::vector<float>> keys(4, std::vector<float>(tokens * dim)), values = keys;
      for (int head = 0; head < 4; ++head)
        cache.gather_head(layer, head, reinterpret_cast<std::byte*>(keys[static_cast<std::size_t>(head)].data()),
                          reinterpret_cast<std::byte*>(values[static_cast<std::size_t>(head)].data()), nullptr);
      double plain = 0;
      for (std::size_t t = 0; t < tokens; ++t)
        for (std::size_t c = 0; c < dim; ++c)
          for (std::size_t head = 0; head < 4; ++head) {
            const std::size_t at = t * dim + c;
            const bool rotated = c % 12 < 4;  // the first 4 of 12 pairs (c, c + 12)
            if (rotated) QCOMPARE(keys[head][at], keys[0][at]);
            if (!rotated && head > 0) plain += std::abs(static_cast<double>(keys[head][at] - keys[0][at]));
            if (c >= 12) QCOMPARE(values[head][at], 0.0F);
          }
      QVERIFY(plain > 0);
    }
  }

  // More than in the file: heads have as many channels in values as in keys, and take them from the whole vector.
  void memoryIsPlannedForWholeHeads() {
    for (const auto& [name, stored, wanted] :
         {std::tuple{"deepseek_v2_lite", 194'080, 215'584}, std::tuple{"deepseek_v3", 185'768, 207'272}}) {
      const GoldenCase golden = golden_case(name);
      std::size_t in_file = 0, in_memory = 0;
      for (const auto& [tensor, of] : golden.tensors()) {
        in_file += of.numbers.size();
        in_memory += tensor.ends_with("kv_b_proj.weight") ? std::size_t{2} * 4 * 24 * (32 + 8)
                     : tensor.ends_with("o_proj.weight")  ? static_cast<std::size_t>(of.shape[0]) * 4 * 24
                                                          : of.numbers.size();
      }
      QCOMPARE(in_file, static_cast<std::size_t>(stored));
      QCOMPARE(in_memory, static_cast<std::size_t>(wanted));
      const QTemporaryDir folder;
      const std::filesystem::path path = folder.path().toStdString();
      golden.write(path, false);
      QCOMPARE(plan_weights(read_model_config(path).value(), WeightFiles::open(path).value()).weight_bytes,
               4 * std::uint64_t{in_memory});
    }
  }

  void settingsOfOtherModelsAreRefused() {
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.path().toStdString();
    const auto refusal = [&](const char* name, const std::function<void(Json&)>& change) {
      Json config = golden_case(name).json["config"];
      change(config);
      write_file(path / "config.json", config.dump());
      const auto read = read_model_config(path);
      return read ? std::string("(read)") : read.error().message;
    };
    const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
    QVERIFY(
        has(refusal("deepseek_v2", [](Json& c) { c["norm_topk_prob"] = true; }), "norm_topk_prob other than false"));
    QVERIFY(has(refusal("deepseek_v2", [](Json& c) { c["topk_method"] = "noaux_tc"; }), "topk_method 'noaux_tc'"));
    QVERIFY(has(refusal("deepseek_v2", [](Json& c) { c["scoring_func"] = "sigmoid"; }), "scoring_func other than"));
    QVERIFY(has(refusal("deepseek_v2", [](Json& c) { c["n_group"] = 3; }), "n_group (3)"));
    QVERIFY(has(refusal("deepseek_v2", [](Json& c) { c["v_head_dim"] = 26; }), "no less than v_head_dim"));
    QVERIFY(has(refusal("deepseek_v2", [](Json& c) { c["qk_rope_head_dim"] = 7; }), "must be even"));
    QVERIFY(has(refusal("deepseek_v2", [](Json& c) { c["kv_lora_rank"] = 65537; }), "sizes are larger than those of"));
    QVERIFY(has(refusal("deepseek_v2", [](Json& c) { c["num_key_value_heads"] = 2; }), "num_key_value_heads must be"));
    QVERIFY(has(refusal("deepseek_v2", [](Json& c) { c["attention_bias"] = true; }), "attention_bias other than"));
    QVERIFY(has(refusal("deepseek_v3", [](Json& c) { c["scoring_func"] = "softmax"; }), "scoring_func other than"));
    QVERIFY(has(refusal("deepseek_v3", [](Json& c) { c["moe_layer_freq"] = 2; }), "moe_layer_freq other than 1"));
    QCOMPARE(refusal("deepseek_v3", [](Json&) {}), std::string("(read)"));
    const std::string text = read_model_config(path)->canonical_text();
    QCOMPARE(refusal("deepseek_v3", [](Json& c) { c["rope_interleave"] = false; }), std::string("(read)"));
    QVERIFY(read_model_config(path)->canonical_text() != text);
  }
};

KV_TEST_GUILESS_MAIN(LatentAttentionTest)

}  // namespace latent_attention_test

#include "latent_attention_test.moc"
