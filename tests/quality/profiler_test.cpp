// links: app_wiring
// A context is prefilled once, scored and sorted once per method whatever the number of fractions; every metric is
// measured against what it says; readings of an answer equal decoding step by step.
#include "core/quality/profiler.h"

#include <QtTest>

#include <cmath>
#include <map>

#include "core/compress/method_files.h"
#include "core/model/bert_encoder.h"
#include "core/text/code/code_bleu.h"
#include "tests/support/embedding_model.h"
#include "tests/support/scorer_double.h"
#include "tests/support/test_program.h"
#include "tests/support/virtual_harness.h"

namespace profiler_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

/// One context of a small workload, prefilled.
struct Prepared {
  std::unique_ptr<ModelRuntime> runtime;
  std::unique_ptr<Catalog> catalog;
  std::unique_ptr<KvCache> cache;
  WindowQueries queries;

  explicit Prepared(const Workload& workload) {
    runtime = ModelRuntime::load(model_directory()).value();
    catalog = Catalog::build(workload, *runtime).value();
    cache = std::make_unique<KvCache>(*runtime->pool);
    PrefillTask prefill(
        *runtime->model, *cache, catalog->details(0).tokens, 0,
        {.chunk_tokens = 256, .window_queries = runtime->window_queries, .logits = PrefillLogits::none});
    if (!prefill.run()) qFatal("prefill failed");
    queries = prefill.take_window_queries();
  }
  ProfileTask task(QualityMeter& meter, ProfilePlan plan) {
    return {*runtime,       meter, catalog->state(0), catalog->details(0), *cache, observation_of(*runtime, queries),
            std::move(plan)};
  }
};

std::vector<ProfileCell> finished_cells(ProfileTask& task) {
  while (!task.done())
    if (const Status status = task.step({}); !status) qFatal("%s", status.error().message.c_str());
  return task.take_cells();
}

}  // namespace

class ProfilerTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
  }

  void aContextIsScoredAndSortedOnceAMethod_data() {
    QTest::addColumn<QList<double>>("fractions");
    QTest::newRow("one fraction") << QList<double>{0.5};
    QTest::newRow("six fractions") << QList<double>{0.2, 0.4, 0.5, 0.6, 0.8, 0.9};
  }
  void aContextIsScoredAndSortedOnceAMethod() {
    QFETCH(QList<double>, fractions);
    Prepared prepared(small_workload(1, 24, 3));
    QualityMeter meter;
    ProfileTask task = prepared.task(meter, {.methods = {"knorm", "keydiff", "snapkv"},
                                             .removed_fractions = {fractions.begin(), fractions.end()},
                                             .quality_metric = "token_f1",
                                             .max_answer_tokens = 4,
                                             .questions = 1,
                                             .reference_answers = false});
    const auto cells = finished_cells(task);
    QCOMPARE(cells.size(), static_cast<std::size_t>(1 + 3 * fractions.size()));
    QCOMPARE(task.scorings(), 3);
    const KvShape shape = prepared.cache->shape();
    QCOMPARE(task.sorts(), 3 * shape.layers * shape.kv_heads);
  }

  // What a request waits for at most: no step does the work of two layers, so that there are as many steps as layers of
  // all work, and one for each form to prepare, for a form's bytes and for each answer to grade.
  void aStepIsALayer_data() {
    QTest::addColumn<QStringList>("methods");
    QTest::addColumn<bool>("encoded");
    QTest::newRow("scorers") << QStringList{"knorm", "keydiff"} << false;
    QTest::newRow("with a codec") << QStringList{"knorm+kivi4", "keydiff+fp8"} << true;
    QTest::newRow("re-rotated") << QStringList{"rerotate(knorm)"} << false;
  }
  void aStepIsALayer() {
    QFETCH(QStringList, methods);
    QFETCH(bool, encoded);
    Prepared prepared(small_workload(1, 24, 3));
    QualityMeter meter;
    ProfilePlan plan{.methods = {},
                     .removed_fractions = {0.3, 0.6, 0.9},
                     .quality_metric = "token_f1",
                     .max_answer_tokens = 1,
                     .questions = 3,
                     .reference_answers = false};
    for (const QString& method : methods) plan.methods.push_back(method.toStdString());
    ProfileTask task = prepared.task(meter, plan);
    std::size_t steps = 0;
    for (; !task.done(); ++steps) QVERIFY(task.step({}));
    const auto layers = static_cast<std::size_t>(prepared.cache->shape().layers), questions = plan.questions,
               forms = plan.methods.size() * plan.removed_fractions.size();
    QVERIFY(layers > 1);
    // An answer of one token is read off the question's prefill, a layer per step: the questions are shorter than a
    // chunk.
    const std::size_t asking = questions * layers + questions;
    const std::size_t form = 1 + layers + (encoded ? layers : 1) + asking;
    QCOMPARE(steps, 1 + asking + plan.methods.size() * layers + forms * form);
  }

  // Answers to several questions decode together: a token of all of them takes as many steps as the model has layers.
  void answersDecodeALayerAStep() {
    Prepared prepared(small_workload(1, 24, 3));
    QualityMeter meter;
    ProfileTask task = prepared.task(meter, {.methods = {"none"},
                                             .removed_fractions = {0.5},
                                             .quality_metric = "token_f1",
                                             .max_answer_tokens = 12,
                                             .questions = 3,
                                             .reference_answers = false});
    std::size_t steps = 0;
    for (; !task.done(); ++steps) QVERIFY(task.step({}));
    const auto layers = static_cast<std::size_t>(prepared.cache->shape().layers);
    std::size_t answered = 0, rounds = 0;
    for (const CatalogQuestion& question : prepared.catalog->details(0).questions) {
      if (question.reference_tokens.empty()) continue;
      ++answered;  // its first token is the prefill's, and where it ends by itself the end is a token too
      rounds = std::max(rounds, question.reference_tokens.size() - (question.reference_ended ? 0 : 1));
    }
    QCOMPARE(answered, std::size_t{3});
    QVERIFY(rounds > 1);
    QCOMPARE(steps, 1 + (3 + rounds) * layers + 3);
  }

  // With the previous curve: what is asked again scores the same, what is skipped is expected to score no more than
  // what was asked.
  void hopelessFormsArePassedOver() {
    Prepared prepared(small_workload(1, 40, 3));
    QualityMeter meter;
    const ProfilePlan whole{.methods = {"knorm", "random", "keydiff"},
                            .removed_fractions = {0.2, 0.5, 0.8, 0.9},
                            .quality_metric = "top1_agreement",
                            .max_answer_tokens = 12};
    ProfileTask first = prepared.task(meter, whole);
    const auto before = finished_cells(first);
    QCOMPARE(first.asked_forms(), before.size());
    ProfilePlan again = whole;
    again.before = before;
    ProfileTask second = prepared.task(meter, again);
    const auto cells = finished_cells(second);
    QCOMPARE(cells.size(), before.size());
    QVERIFY2(second.asked_forms() < before.size(), "nothing was passed over");
    std::size_t asked = 0;
    std::map<std::string, double> last;  // quality of a method's last form that was asked
    for (const ProfileCell& cell : cells) {
      const auto same = std::ranges::find_if(before, [&](const ProfileCell& known) {
        return known.point.method == cell.point.method && known.point.removed_fraction == cell.point.removed_fraction;
      });
      QVERIFY(same != before.end());
      QCOMPARE(cell.point.bytes, same->point.bytes);
      QCOMPARE(cell.point.kept_tokens, same->point.kept_tokens);
      if (cell.point.n > 0) {
        QVERIFY(cell.scores == same->scores);
        last[cell.point.method] = cell.point.quality;
        ++asked;
      } else {
        QVERIFY(cell.scores.empty() && last.contains(cell.point.method));
        QVERIFY(cell.point.quality <= last[cell.point.method] && cell.point.quality <= same->point.quality);
        QVERIFY(cell.point.quality_low == cell.point.quality && cell.point.quality_high == cell.point.quality);
      }
    }
    QCOMPARE(second.asked_forms(), asked);
  }

  void everyContextIsPrefilledOnce() {
    QTemporaryDir folder;
    auto harness = open_virtual(folder.path().toStdString(), small_workload(3, 16, 4), {"dram=4MiB"}, "evicpress");
    QVERIFY2(harness.has_value(), harness ? "" : harness.error().message.c_str());
    Engine& engine = (*harness)->engine();
    engine.profile_all();
    QVERIFY((*harness)->wait() == RunState::ready);
    QCOMPARE((*harness)->sink.all<events::ContextComputed>().size(), std::size_t{3});
    QCOMPARE((*harness)->sink.all<events::ContextProfiled>().size(), std::size_t{3});
    SessionSettings settings = engine.settings();
    settings.removed_fractions = {0.2, 0.3, 0.5,
                                  0.6};  // more cells of the same contexts: the archive has the originals
    QVERIFY(engine.apply(settings).has_value());
    engine.profile_all();
    QVERIFY((*harness)->wait() == RunState::ready);
    QCOMPARE((*harness)->sink.all<events::ContextComputed>().size(), std::size_t{3});
    QVERIFY((*harness)->sink.all<events::ContextProfiled>().size() >= 6);
  }

  void everyMetricIsMeasured_data() {
    QTest::addColumn<QString>("name");
    for (const QualityMetric& metric : quality_metrics())
      QTest::newRow(metric.name.c_str()) << QString::fromStdString(metric.name);
  }
  void everyMetricIsMeasured() {
    QFETCH(QString, name);
    const QualityMetric& metric = *find_quality_metric(name.toStdString());
    if (metric.basis == QualityBasis::embeddings && embedding_directory().empty())
      QSKIP("all-MiniLM-L6-v2 is not in the cache: './run build' fetches it");
    if (const Status parser = code_parser_is_there(); metric.basis == QualityBasis::code && !parser)
      QSKIP(parser.error().message.c_str());
    Prepared prepared(small_workload(1, 40, 3));
    QualityMeter meter([]() -> Expected<std::unique_ptr<Embedder>> {
      auto encoder = BertEncoder::load(embedding_directory());
      if (!encoder) return tl::unexpected(encoder.error());
      return std::unique_ptr<Embedder>(std::move(*encoder));
    });
    ProfileTask task = prepared.task(meter, {.methods = {"random"},
                                             .removed_fractions = {0.3, 0.95},
                                             .quality_metric = metric.name,
                                             .max_answer_tokens = 12,
                                             .questions = 0,
                                             .reference_answers = false});
    const auto cells = finished_cells(task);
    QCOMPARE(cells.size(), std::size_t{3});
    for (const ProfileCell& cell : cells) {
      QCOMPARE(cell.point.n, 5);
      for (const double score : cell.scores) QVERIFY2(score >= 0 && score <= 1, qPrintable(QString::number(score)));
    }
    // What is compared with the reference answer is perfect without compression; nearly all tokens gone, it is not.
    if (metric.compares_with_reference()) QCOMPARE(cells[0].point.quality, 1.0);
    if (metric.compares_with_reference())
      QVERIFY(cells[2].point.quality < cells[0].point.quality);  // words may all be wrong
    QVERIFY(cells[2].point.quality <= cells[1].point.quality);
    // Chance needs the model only where predictions are compared, and is worse than the whole context.
    QCOMPARE(task.chance_scores().size(), std::size_t{metric.basis == QualityBasis::logits ? 5U : 0U});
    for (const double chance : task.chance_scores()) QVERIFY(chance >= 0 && chance < 1);
  }

  void questionsWithoutGoldAreHeldAgainstTheReference() {
    Workload workload = small_workload(1, 40, 3);
    for (WorkloadQuestion& question : workload.questions) question.gold.clear();
    Prepared prepared(workload);
    QualityMeter meter;
    ProfileTask task = prepared.task(meter, {.methods = {"random"},
                                             .removed_fractions = {0.95},
                                             .quality_metric = "rouge_l",
                                             .max_answer_tokens = 12,
                                             .questions = 0,
                                             .reference_answers = true});
    const auto cells = finished_cells(task);
    QCOMPARE(cells[0].point.quality, 1.0);
    QVERIFY(cells[1].point.n == 5 && cells[1].point.quality < 1.0);
    for (const CatalogQuestion& question : prepared.catalog->details(0).questions) {
      QVERIFY(question.reference_answer.has_value());
      QVERIFY(question.reference_readable());
    }
  }

  // The same metrics from decoding one token after another, computed here from the logits.
  void readingsEqualDecodingStepByStep() {
    Prepared prepared(small_workload(1, 40, 3));
    ModelRuntime& runtime = *prepared.runtime;
    const auto method = parse_method("random").value();
    const auto scores = method->scores(*prepared.cache, observation_of(*prepared.runtime, prepared.queries)).value();
    const KvCache compressed = compressed_copy(*prepared.cache, scores, *method, 0.8).value();
    const CatalogQuestion& question = prepared.catalog->details(0).questions[0];
    const std::vector<std::int32_t> answer = runtime.tokenizer->encode(" 4721 is it");

    const auto probabilities = [&](const KvCache& cache) {
      std::vector<std::vector<double>> rows;
      KvCache working = cache.share();
      PrefillTask prefill(*runtime.model, working, question.tokens, cache.sequence_length(),
                          {.logits = PrefillLogits::last});
      if (!prefill.run()) qFatal("prefill failed");
      std::vector<float> logits(prefill.logits().begin(), prefill.logits().end());
      for (std::size_t i = 0;; ++i) {
        std::vector<double> row(logits.begin(), logits.end());
        const double largest = *std::ranges::max_element(row);
        double sum = 0;
        for (double& value : row) sum += value = std::exp(value - largest);
        for (double& value : row) value /= sum;
        rows.push_back(row);
        if (i == answer.size()) return rows;
        if (!runtime.model->decode(working, answer[i], working.sequence_length(), logits)) qFatal("decode failed");
      }
    };
    const auto p = probabilities(*prepared.cache), q = probabilities(compressed);
    for (const bool ended : {true, false}) {
      const std::size_t positions = answer.size() + (ended ? 1 : 0);
      double kl = 0, same = 0;
      for (std::size_t i = 0; i < positions; ++i) {
        for (std::size_t t = 0; t < p[i].size(); ++t)
          if (p[i][t] > 0) kl += p[i][t] * std::log(p[i][t] / q[i][t]) / static_cast<double>(positions);
        same += std::ranges::max_element(p[i]) - p[i].begin() == std::ranges::max_element(q[i]) - q[i].begin()
                    ? 1.0 / static_cast<double>(positions)
                    : 0.0;
      }
      const auto read = [&](const KvCache& cache) {
        return read_forced(runtime, cache, question.tokens, answer, ended).value();
      };
      const LogitMetrics metrics = compare_readings(read(*prepared.cache), read(compressed));
      qInfo("KL %.4f, step by step %.4f; top-1 agreement %.3f, %.3f", metrics.kl_nats, kl, metrics.top1_agreement,
            same);
      QCOMPARE(metrics.tokens, static_cast<int>(positions));
      QVERIFY(kl > 0.05);                                          // there is something to be seen
      QVERIFY(std::abs(metrics.kl_nats - kl) < 0.05 * kl + 0.01);  // bf16 rounds other shapes otherwise
      QVERIFY(std::abs(metrics.top1_agreement - same) < 1.01 / static_cast<double>(positions));
      const LogitMetrics none = compare_readings(read(*prepared.cache), read(*prepared.cache));
      QCOMPARE(none.kl_nats, 0.0);
      QCOMPARE(none.top1_agreement, 1.0);
    }
  }

  // A scorer of a file that fails in its second layer: the other methods have their curves, and the reason is kept.
  void aMethodThatFailsCostsNoOther() {
    const auto host = std::make_shared<ScorerDouble>(
        "profiled", std::string(32, 'd'), reading({ScorerInput::keys}),
        [](const ScorerCall& call, const auto&, std::span<float> scores) -> Status {
          std::ranges::fill(scores, 1.0F);
          return call.layer == 0 ? Status{} : fail(ErrorCode::rejected_input, "took longer than 20 seconds");
        });
    QVERIFY(add_method_file(host).has_value());
    Prepared prepared(small_workload(1, 24, 3));
    QualityMeter meter;
    ProfileTask task = prepared.task(meter, {.methods = {"knorm", "profiled_dddddddddd", "keydiff"},
                                             .removed_fractions = {0.5, 0.8},
                                             .quality_metric = "token_f1",
                                             .max_answer_tokens = 4,
                                             .questions = 1,
                                             .reference_answers = false});
    std::vector<std::string> methods;
    for (const ProfileCell& cell : finished_cells(task)) methods.push_back(cell.point.method);
    QCOMPARE(methods, (std::vector<std::string>{"none", "knorm", "knorm", "keydiff", "keydiff"}));
    QCOMPARE(host->calls, 2);
    QCOMPARE(task.scorings(), 2);
    QCOMPARE(task.failed_methods().size(), std::size_t{1});
    QCOMPARE(task.failed_methods().front().method, std::string("profiled_dddddddddd"));
    QCOMPARE(task.failed_methods().front().reason,
             std::string("method 'profiled_dddddddddd': took longer than 20 seconds"));
  }
};

KV_TEST_GUILESS_MAIN(ProfilerTest)

}  // namespace profiler_test

#include "profiler_test.moc"
