// links: kv_experiments
// Every method and budget that kvpress has keeps the tokens that kvpress keeps: on at least fifty prompts at each of
// four removed fractions, of two random checkpoints and of the default model, through our own model in fp32. The
// last tests show where we differ deliberately.
#include <array>
#include <numeric>

#include "tests/parity/kvpress_zoo.h"
#include "tests/support/test_program.h"

namespace kvpress_zoo_test {

using namespace kvantage;

namespace {

std::shared_ptr<const Method> method_of(const std::string& text) {
  auto method = parse_method(text);
  if (!method) qFatal("%s", method.error().message.c_str());
  return *method;
}

std::vector<float> keys_of(const KvCache& cache, int layer, int head) {
  std::vector<float> keys(static_cast<std::size_t>(cache.kept(layer, head) * cache.shape().head_dim));
  cache.gather_head(layer, head, reinterpret_cast<std::byte*>(keys.data()), nullptr, nullptr);
  return keys;
}

/// Scores of either sign are sums of terms that cancel where they are next to 0: differences are relative to at least
/// this.
double size_of_scores(const std::string& text) {
  const auto is_one_of = [&](std::initializer_list<const char*> names) {
    return std::ranges::any_of(names, [&](const char* name) { return text.starts_with(name); });
  };
  if (is_one_of({"leverage", "non_causal", "compactor"})) return 1;  // z-scores
  if (is_one_of({"qfilter", "kvzap"})) return 0.1;                   // products
  return text == "keydiff" ? 1e-2 : 1e-12;                           // a cosine
}

std::vector<std::int32_t> zero_channels(const KvCache& cache, int layer, int head) {
  const std::vector<float> keys = keys_of(cache, layer, head);
  const auto dim = static_cast<std::size_t>(cache.shape().head_dim);
  std::vector<std::int32_t> channels;
  for (std::size_t c = 0; c < dim; ++c) {
    bool zero = true;
    for (std::size_t i = c; i < keys.size(); i += dim) zero = zero && keys[i] == 0.0F;
    if (zero) channels.push_back(static_cast<std::int32_t>(c));
  }
  return channels;
}

}  // namespace

class KvpressZooTest : public QObject {
  Q_OBJECT

  std::map<std::string, std::unique_ptr<KvpressZoo>> zoos_;
  std::map<std::string, std::array<int, 4>> counts_;      // of a method: compared, close, ties, different
  std::map<std::string, std::map<double, int>> prompts_;  // of a method and fraction: prompts compared in every layer

  KvpressZoo& zoo(const QString& name) {
    auto& one = zoos_[name.toStdString()];
    if (!one) one = std::make_unique<KvpressZoo>(name.toStdString());
    return *one;
  }
  static void models() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"llama", "qwen3", "default_model", "llama_more", "qwen3_more"})
      QTest::newRow(name) << QString(name);
  }
  /// Where the cut of a prompt, method, fraction and layer is nearer than rounding can resolve.
  static bool undecided(const KvpressZoo& zoo, const Json& golden, std::size_t layer) {
    const auto at = [](const auto& list, const auto& value) {
      return static_cast<std::size_t>(std::ranges::find(list, value) - list.begin());
    };
    const std::size_t cut = (at(zoo.methods, golden.at("method").get<std::string>()) * zoo.fractions.size() +
                             at(zoo.fractions, golden.at("removed_fraction").get<double>())) *
                                static_cast<std::size_t>(zoo.layers()) +
                            layer;
    return zoo.golden.at("prompts")[golden.at("prompt").get<std::size_t>()].at("cuts")[cut][1].get<double>() < 1e-5;
  }
  /// XXH3-64 of the weights that ship; nothing when there are none.
  static std::string shipped_weights() {
    const auto weights = read_text_file(KvpressZoo::shipped_model() / "model.safetensors");
    if (!weights) return {};
    char digest[17];
    std::snprintf(digest, sizeof digest, "%016llx",
                  static_cast<unsigned long long>(checksum_of(std::as_bytes(std::span(*weights)))));
    return digest;
  }
  static std::string expected_weights() {
    return read_json_file(KvpressZoo::file("default_model")).value().at("weights");
  }
  /// The reason not to compare with the default model, or nothing.
  static QString skipped(const QString& name) {
    if (name != "default_model") return {};
    if (shipped_weights().empty()) return "resources/model holds no weights";
    return shipped_weights() == expected_weights() ? QString() : "the golden is of other weights";
  }

 private slots:
  void theGoldenIsOfTheDefaultModel() {
    if (shipped_weights().empty()) QSKIP("resources/model holds no weights");
    QVERIFY2(shipped_weights() == expected_weights(),
             "other weights ship now; run tests/parity/make_kvpress_zoo_goldens.py --only default_model");
  }

  void theSameTokensAreKept_data() { models(); }
  void theSameTokensAreKept() {
    QFETCH(QString, name);
    if (const QString reason = skipped(name); !reason.isEmpty()) QSKIP(qPrintable(reason));
    KvpressZoo& zoo = this->zoo(name);
    std::array<int, 4> all{};
    for (std::size_t p = 0; p < zoo.prompts.size(); ++p) {
      const auto& prompt = zoo.prompts[p];
      const Json& golden = zoo.golden.at("prompts")[p];
      auto cut = golden.at("cuts").begin();
      for (const std::string& text : zoo.methods) {
        const auto method = method_of(zoo.with_files(text));
        const auto scores = method->scores(prompt.cache, prompt.observed).value();
        auto& count = counts_[text];
        for (const double fraction : zoo.fractions) {
          const auto kept = method->keep_for(scores, fraction);
          const int before = count[0];
          for (int l = 0; l < zoo.layers(); ++l, ++cut) {
            const double margin = (*cut)[1];
            if (margin < 1e-5) {
              ++count[margin == 0 ? 2 : 1];
              ++all[margin == 0 ? 2 : 1];
              continue;
            }
            ++count[0];
            ++all[0];
            if ((*cut)[0] == digest_of_heads(kept[static_cast<std::size_t>(l)])) continue;
            ++count[3];
            ++all[3];
            qWarning("%s %s, %d tokens, removed %.1f, layer %d: other tokens, margin %.1e", qPrintable(name),
                     text.c_str(), golden.at("tokens").get<int>(), fraction, l, margin);
          }
          prompts_[text][fraction] += count[0] - before == zoo.layers();
        }
      }
      QVERIFY(cut == golden.at("cuts").end());
    }
    qInfo("%s, %zu prompts: %d cuts compared, %d close calls and %d ties skipped, %d different", qPrintable(name),
          zoo.prompts.size(), all[0], all[1], all[2], all[3]);
    QCOMPARE(all[3], 0);
    QVERIFY(all[0] > 4 * all[1]);
  }

  void everyMethodWasComparedOnFiftyPromptsAtEveryFraction() {
    if (zoos_.size() < 5) QSKIP("not every model was compared");
    for (const auto& [text, count] : counts_) {
      std::string prompts;
      for (const auto& [fraction, compared] : prompts_[text]) prompts += " " + std::to_string(compared);
      qInfo("%-45s %5d compared, %4d close, %4d ties, %d different; prompts%s", text.c_str(), count[0], count[1],
            count[2], count[3], prompts.c_str());
      for (const auto& [fraction, compared] : prompts_[text])
        QVERIFY2(compared >= 50, (text + " at " + std::to_string(fraction)).c_str());
      QVERIFY2(count[0] > 2 * count[1], text.c_str());
    }
  }

  /// From those of kvpress in double precision. A trained model pays its attention to few tokens: a last bit of a logit
  /// near 100 is seen in a score, and kvpress' own fp32 scores are further away. There ours may be as far as those.
  void scoresDifferByLessThanOneTenThousandth_data() { models(); }
  void scoresDifferByLessThanOneTenThousandth() {
    QFETCH(QString, name);
    if (const QString reason = skipped(name); !reason.isEmpty()) QSKIP(qPrintable(reason));
    KvpressZoo& zoo = this->zoo(name);
    std::map<std::string, double> worst;
    int compared = 0, near = 0;
    for (const Json& golden : zoo.golden.at("scores")) {
      const std::string text = golden.at("method");
      const auto& prompt = zoo.prompts[golden.at("prompt").get<std::size_t>()];
      const auto scores = method_of(zoo.with_files(text))->scores(prompt.cache, prompt.observed).value();
      Random random(scores.tokens());
      for (const double expected : golden.at("values")) {
        const auto layer = random.below(static_cast<std::uint64_t>(zoo.layers()));
        const auto head = random.below(static_cast<std::uint64_t>(zoo.kv_heads()));
        const auto token = random.below(scores.tokens());
        if (text.find("kvzip") != std::string::npos && token < 4) continue;  // pinned, each in its own way
        const double ours = static_cast<double>(scores.layers[layer][head].scores[token]);
        const double least = size_of_scores(text);
        const double difference = std::abs(ours - expected) / std::max(std::abs(expected), least);
        double& most = worst[text];
        most = std::max(most, difference);
        near += difference <= 1e-4;
        ++compared;
      }
    }
    QVERIFY(compared > 1000);
    qInfo("%d of %d scores within 1e-4", near, compared);
    for (const auto& [text, difference] : worst) {
      const double rounding = zoo.golden.at("rounding").at("scores").at(text);
      qInfo("%-35s %.1e, kvpress in fp32 %.1e", text.c_str(), difference, rounding);
      QVERIFY2(difference <= (name == "default_model" ? std::clamp(rounding, 1e-4, 1e-3) : 1e-4), text.c_str());
    }
    QVERIFY(100 * near >= 99 * compared);
  }

  void rerotatedKeysAreThoseOfKvpress_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"llama", "qwen3", "default_model"}) QTest::newRow(name) << QString(name);
  }
  void rerotatedKeysAreThoseOfKvpress() {
    QFETCH(QString, name);
    if (const QString reason = skipped(name); !reason.isEmpty()) QSKIP(qPrintable(reason));
    KvpressZoo& zoo = this->zoo(name);
    double worst = 0;
    int compared = 0;
    for (const Json& golden : zoo.golden.at("keys")) {
      const auto method = method_of(golden.at("method"));
      const auto& prompt = zoo.prompts[golden.at("prompt").get<std::size_t>()];
      const auto scores = method->scores(prompt.cache, prompt.observed).value();
      auto stored = compressed_copy(prompt.cache, scores, *method, golden.at("removed_fraction")).value();
      const KvCache read = as_read(std::move(stored), *method, zoo.model->rope()).value();
      const auto dim = static_cast<std::uint64_t>(read.shape().head_dim);
      Random random(scores.tokens());
      for (const double expected : golden.at("values")) {
        const auto layer = static_cast<int>(random.below(static_cast<std::uint64_t>(zoo.layers())));
        const auto head = static_cast<int>(random.below(static_cast<std::uint64_t>(zoo.kv_heads())));
        const auto row = random.below(static_cast<std::uint64_t>(read.kept(layer, head)));
        const auto channel = random.below(dim);
        if (undecided(zoo, golden, static_cast<std::size_t>(layer))) continue;  // other tokens may be kept
        const auto ours = static_cast<double>(keys_of(read, layer, head)[row * dim + channel]);
        worst = std::max(worst, std::abs(ours - expected) / std::max(1.0, std::abs(expected)));
        ++compared;
      }
    }
    qInfo("%d keys compared, largest difference %.1e", compared, worst);
    QVERIFY(compared >= 200);
    QVERIFY(
        worst <=
        (name == "default_model" ? std::clamp(zoo.golden.at("rounding").at("keys").get<double>(), 1e-5, 1e-3) : 1e-5));
  }

  /// ThinKPress alone and behind SnapKVPress: the key channels that it sets to 0.
  void theSameChannelsArePruned_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"llama_more", "qwen3_more"}) QTest::newRow(name) << QString(name);
  }
  void theSameChannelsArePruned() {
    QFETCH(QString, name);
    KvpressZoo& zoo = this->zoo(name);
    int compared = 0, close = 0;
    for (std::size_t p = 0; p < zoo.prompts.size(); ++p) {
      auto cut = zoo.golden.at("prompts")[p].at("channels").begin();
      for (const auto& text : zoo.golden.at("think").get<std::vector<std::string>>()) {
        const auto method = method_of(text);
        const auto& prompt = zoo.prompts[p];
        const auto scores = method->scores(prompt.cache, prompt.observed).value();
        const double removed = method->info().removes_tokens ? 0.5 : 0.0;
        const KvCache stored = compressed_copy(prompt.cache, scores, *method, removed).value();
        for (int l = 0; l < zoo.layers(); ++l, ++cut) {
          const double margin = (*cut)[1];
          if (margin < 1e-5) {
            ++close;
            continue;
          }
          KeptIndices pruned;
          for (int h = 0; h < zoo.kv_heads(); ++h) pruned.push_back(zero_channels(stored, l, h));
          QVERIFY2((*cut)[0] == digest_of_heads(pruned), text.c_str());
          ++compared;
        }
      }
    }
    qInfo("%s: %d layers compared, %d close", qPrintable(name), compared, close);
    QVERIFY(compared >= 300 && compared > 4 * close);
  }

  // Where we differ deliberately.

  void keptIndicesAscendWhereKvpressKeepsTheOrderOfScores() {
    KvpressZoo& zoo = this->zoo("llama");
    auto theirs = zoo.golden.at("traps").at("knorm_order").get<std::vector<std::int32_t>>();
    const auto method = method_of("knorm");
    const auto scores = method->scores(zoo.prompts[0].cache, zoo.prompts[0].observed).value();
    const auto ours = method->keep_for(scores, 0.6)[0][0];
    QVERIFY(!std::ranges::is_sorted(theirs));
    QVERIFY(std::ranges::is_sorted(ours));
    std::ranges::sort(theirs);
    QCOMPARE(ours, theirs);
  }

  void snapkvScoresShortPromptsThatKvpressRefuses() {
    KvpressZoo& zoo = this->zoo("llama");
    QCOMPARE(QString::fromStdString(zoo.golden.at("traps").at("snapkv_of_40_tokens")),
             QString("Query length 40 should be greater than the window size 64"));
    auto tokens = KvpressZoo::tokens_of(zoo.golden.at("prompts")[0], zoo.model->config().vocab_size);
    tokens.resize(40);
    KvCache cache(*zoo.pool);
    PrefillTask task(*zoo.model, cache, tokens, 0, {.window_queries = 40, .logits = PrefillLogits::none});
    QVERIFY(task.run().has_value());
    Observation observed;
    observed.queries = task.take_window_queries();
    QVERIFY(compress(cache, observed, *method_of("snapkv"), 0.5).has_value());
    QCOMPARE(cache.kept(0, 0), 20);
  }

  void adakvFreesWhatKvpressOnlyMasks() {
    KvpressZoo& zoo = this->zoo("llama");
    const auto& prompt = zoo.prompts[0];
    const int tokens = prompt.cache.kept(0, 0);
    QCOMPARE(zoo.golden.at("traps").at("adakv_holds_tokens").get<int>(), tokens);  // of which 60 % are masked
    for (const auto& [text, removed] :
         {std::pair("adakv(snapkv)", 0.6), std::pair("adakv(snapkv)", 0.2), std::pair("adakv(keydiff)", 0.6)}) {
      KvCache ours = prompt.cache.share();
      QVERIFY(compress(ours, prompt.observed, *method_of(text), removed).has_value());
      const auto kept = kept_tokens(static_cast<std::size_t>(tokens), removed);
      QCOMPARE(ours.payload_bytes(), kept * zoo.pool->shape().bytes_per_token());
      bool unequal = false;
      for (int l = 0; l < zoo.layers(); ++l) {
        QCOMPARE(static_cast<std::size_t>(ours.kept(l, 0) + ours.kept(l, 1)), 2 * kept);
        unequal = unequal || ours.kept(l, 0) != ours.kept(l, 1);
      }
      // A budget below SnapKV's window is spent on it alone, where all heads have the same scores.
      QCOMPARE(unequal, kept > 64 || text != std::string("adakv(snapkv)"));
    }
  }

  // All tokens of the window have one score in kvpress, so that which of them stay depends on its sort.
  void aBudgetBelowTheWindowKeepsTheNewestOfEachHead() {
    KvpressZoo& zoo = this->zoo("llama");
    const auto& prompt = zoo.prompts[0];
    const auto tokens = static_cast<std::size_t>(prompt.cache.kept(0, 0)), kept = kept_tokens(tokens, 0.6);
    QVERIFY(kept < 64);
    std::vector<std::int32_t> newest(kept);
    std::iota(newest.begin(), newest.end(), static_cast<std::int32_t>(tokens - kept));
    for (const char* text : {"snapkv", "adakv(snapkv)"}) {
      const auto method = method_of(text);
      const auto scores = method->scores(prompt.cache, prompt.observed).value();
      for (const auto& layer : method->keep_for(scores, 0.6))
        for (const auto& head : layer) QCOMPARE(head, newest);
    }
  }

  void kvzipScoresTheStartOfTheContextWhichKvpressDropsFirst() {
    // With a chat template kvpress scores nothing of its prefix behind the sinks: zeros, the first to go.
    KvpressZoo& zoo = this->zoo("llama");
    const Json& trap = zoo.golden.at("traps").at("kvzip_prefix");
    QCOMPARE(trap.at("kept").get<int>(), 0);
    const auto method = method_of("global(kvzip)");
    const auto scores = method->scores(zoo.prompts[0].cache, zoo.prompts[0].observed).value();
    int kept = 0;
    for (const auto& layer : method->keep_for(scores, trap.at("removed_fraction")))
      for (const auto& head : layer)
        for (const std::int32_t token : head) kept += token >= 4 && token < trap.at("tokens").get<int>();
    QVERIFY(kept > 0);
  }
};

KV_TEST_GUILESS_MAIN(KvpressZooTest)

}  // namespace kvpress_zoo_test

#include "kvpress_zoo_test.moc"
