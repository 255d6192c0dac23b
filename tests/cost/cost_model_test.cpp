// links: core_cost tiers
// The part of the engine that says what things cost, without the others. Its clock moves one millisecond a look, so
// that what it fits is known beforehand.
#include "core/cost/cost_model.h"

#include <QtTest>

#include "core/model/recompute.h"
#include "tests/support/engine_parts_work.h"
#include "tests/support/test_program.h"

namespace cost_model_test {

using namespace kvantage;
using namespace kvantage::test;

class CostModelTest : public QObject {
  Q_OBJECT

  static constexpr double step = EngineParts::step_ns * 1e-9;
  static CostScope settings_of(const EngineParts&, std::vector<std::string> methods = {}) {
    CostScope settings;
    settings.tiers.resize(1);
    settings.tiers[0].name = "dram";
    settings.methods = std::move(methods);
    return settings;
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void windowsForgetTheOldest() {
    SampleWindow window;
    for (int i = 0; i < 15; ++i) window.add(i, 1);
    QVERIFY(!window.is_enough());
    window.add(15, 1);
    QVERIFY(window.is_enough());
    for (int i = 16; i < 100; ++i) window.add(i, 2);
    QCOMPARE(window.x().size(), SampleWindow::max);
    QCOMPARE(window.x().front(), 100.0 - static_cast<double>(SampleWindow::max));
    QCOMPARE(window.seconds().size(), window.x().size());
  }

  // Every piece of work is between two looks at the clock: a prefill of any length and a question take one step.
  void aStartTimesModelTiersAndCodecs() {
    EngineParts parts(small_workload(2, 16, 3));
    CostModel costs(parts.services());
    const Status timed = costs.time_all(settings_of(parts, {"kivi4", "knorm"}));
    QVERIFY2(timed.has_value(), timed ? "" : timed.error().message.c_str());
    const Snapshot& snapshot = parts.catalog->snapshot();
    const double tokens = static_cast<double>(parts.catalog->details(parts.catalog->longest()).tokens.size());
    // Three lengths that took alike: least squares through nothing.
    const auto whole = static_cast<std::size_t>(tokens);
    double lengths = 0, squares = 0;
    for (const std::size_t part : {8, 2, 1}) {
      const auto length = static_cast<double>(whole / part);
      lengths += length;
      squares += length * length;
    }
    QVERIFY(std::abs(snapshot.prefill.seconds(tokens) - step * tokens * lengths / squares) < 1e-9);
    QVERIFY(std::abs(snapshot.question.seconds(tokens) - step) < 1e-9);
    QCOMPARE(snapshot.question.following_layers.value_or(0), parts.runtime->model->config().layers);
    QCOMPARE(snapshot.codec_costs.size(), std::size_t{1});  // knorm codes nothing
    QCOMPARE(snapshot.codec_costs[0].method, std::string("kivi4"));
    const auto encoded = parts.runtime->model->kv_shape();
    // Below half of the plain rows, and not below the 5 bits of 16 that the quantized ones take.
    const double plain = static_cast<double>(encoded.bytes_per_token());
    const auto& size = snapshot.codec_costs[0].encoded;
    QVERIFY(size && size->bytes_per_token < plain / 2 && size->bytes_per_token > plain * 5 / 16);
    QVERIFY(std::abs(snapshot.codec_costs[0].seconds_per_token * std::min(tokens, 512.0) -
                     2 * step * encoded.layers * encoded.kv_heads) < 1e-9);
    QVERIFY(costs.intake_seconds_per_byte() > 0);
    QVERIFY(parts.store->tiers().fit(0).samples() > 0);
    QCOMPARE(parts.sink.count<events::TierFitted>(), std::size_t{1});
    QCOMPARE(parts.store->tiers()[0].used_bytes(), std::uint64_t{0});  // nothing of the probe stays
    QCOMPARE(parts.store->tiers()[0].capacity(), EngineParts::tier_bytes);
    QCOMPARE(parts.runtime->pool->live_blocks(), std::size_t{0});
  }

  // A question's length is part of its time.
  void questionsOfTheLongestContextAreTimed() {
    struct Passes final : LayerInputSink {
      void take(int layer, std::int32_t first_position, int tokens, std::span<const std::byte>) override {
        if (layer == 0 && first_position == at) lengths.push_back(tokens);
      }
      std::int32_t at = 0;
      std::vector<int> lengths;
    } passes;
    EngineParts parts(small_workload(2, 16, 3));
    const ContextDetails& longest = parts.catalog->details(parts.catalog->longest());
    passes.at = static_cast<std::int32_t>(longest.tokens.size());  // where questions over all of it begin
    CostModel costs(parts.services());
    {
      const CaptureLayerInputs capture(*parts.runtime->model, passes);
      QVERIFY(costs.time_model().has_value());
    }
    QVERIFY(!longest.questions.empty() && passes.lengths.size() >= 3);
    for (std::size_t repeat = 0; repeat < passes.lengths.size(); ++repeat)
      QCOMPARE(passes.lengths[repeat],
               static_cast<int>(longest.questions[repeat % 3 % longest.questions.size()].tokens.size()));
    QVERIFY(passes.lengths.front() > static_cast<int>(parts.runtime->prompt->try_encode_question("?")->size()));
  }

  void aMethodThatJoinsIsTimedOnceAndNotAfterFreezing() {
    EngineParts parts(small_workload(1, 16, 3));
    CostModel costs(parts.services());
    QVERIFY(costs.time_all(settings_of(parts, {"kivi4"})).has_value());
    const std::vector<CodecCost>& timed = parts.catalog->snapshot().codec_costs;
    const double first = timed.at(0).seconds_per_token;
    QVERIFY(costs.time_codecs({"kivi4", "kivi2"}).has_value());
    QCOMPARE(timed.size(), std::size_t{2});
    QCOMPARE(timed[0].seconds_per_token, first);
    QCOMPARE(timed[1].method, std::string("kivi2"));
    QVERIFY(timed[1].seconds_per_token > 0);
    costs.freeze();
    QVERIFY(costs.time_codecs({"cachegen"}).has_value());
    QCOMPARE(timed.size(), std::size_t{2});
  }

  void aCommandStopsTheTiming() {
    EngineParts parts(small_workload(1, 16, 3));
    parts.interrupted = true;
    CostModel costs(parts.services());
    const Status timed = costs.time_all(settings_of(parts));
    QVERIFY(!timed && timed.error().code == ErrorCode::cancelled);
    QCOMPARE(parts.store->tiers()[0].used_bytes(), std::uint64_t{0});
  }

  void withoutContextsThereIsNothingToTime() {
    EngineParts parts(small_workload(0, 16, 3));
    CostModel costs(parts.services());
    QVERIFY(costs.time_all(settings_of(parts)).has_value());
    QVERIFY(parts.sink.events.empty());
  }

  // What was timed at the start holds until enough requests have shown something else.
  void questionsAreFittedOnceThereAreEnough() {
    EngineParts parts(small_workload(1, 16, 3));
    CostModel costs(parts.services());
    QuestionModel& question = parts.catalog->snapshot().question;
    question.base_seconds = 77;
    const auto task = served(parts, 0, 0);
    for (std::size_t i = 1; i <= SampleWindow::min; ++i) {
      QCOMPARE(question.base_seconds, 77.0);
      task->record().kept_tokens = static_cast<int>(100 * i);
      task->record().timing.question_prefill_seconds = 0.01 + 1e-5 * task->record().kept_tokens;
      costs.learn(*task, {});
    }
    QVERIFY(std::abs(question.base_seconds - 0.01) < 1e-9);
    QVERIFY(std::abs(question.seconds_per_kept_token - 1e-5) < 1e-12);
    QCOMPARE(question.following_layers.value_or(0), parts.runtime->model->config().layers);
  }

  // A step that several requests shared took longer than alone.
  void sharedPrefillsTeachNothing() {
    EngineParts parts(small_workload(1, 16, 3));
    CostModel costs(parts.services());
    Snapshot& snapshot = parts.catalog->snapshot();
    snapshot.question.base_seconds = snapshot.prefill.base_seconds = 77;
    const auto task = served(parts, 0, 0);
    RequestTiming& timing = task->record().timing;
    timing.shared_prefill = SharedPrefill{.context = {3, 0.3, 0.1}, .question = {3, 0.3, 0.1}};
    for (std::size_t i = 0; i < SampleWindow::max; ++i) costs.learn(*task, {});
    QVERIFY(snapshot.question.base_seconds == 77 && snapshot.prefill.base_seconds == 77);
    timing.shared_prefill->question = {};
    for (std::size_t i = 0; i < SampleWindow::min; ++i) costs.learn(*task, {});
    QVERIFY(snapshot.question.base_seconds != 77 && snapshot.prefill.base_seconds == 77);
    timing.shared_prefill->context = {};
    for (std::size_t i = 0; i < SampleWindow::min; ++i) costs.learn(*task, {});
    QVERIFY(snapshot.prefill.base_seconds != 77);
  }

  // Contexts that were computed whole: for want of an entry, or as that was sooner than reading it.
  void prefillsAreFittedOnceThereAreEnough() {
    for (const bool stored : {false, true}) {
      EngineParts parts(small_workload(1, 16, 3));
      CostModel costs(parts.services());
      PrefillModel& prefill = parts.catalog->snapshot().prefill;
      prefill.base_seconds = 77;
      if (stored) store_context(parts, 0, {.tier = 0});
      const auto task = served(parts, 0, 0, parts.store->find(parts.catalog->details(0).tokens));
      QCOMPARE(task->hit() != nullptr, stored);
      RequestRecord& record = task->record();
      if (stored) {
        record.bytes_loaded = 0;
        for (std::size_t i = 0; i < SampleWindow::max; ++i) costs.learn(*task, {});
        QCOMPARE(prefill.base_seconds, 77.0);  // it was loaded
      } else {
        record.prefix_hit_tokens = 1;
        for (std::size_t i = 0; i < SampleWindow::max; ++i) costs.learn(*task, {});
        QCOMPARE(prefill.base_seconds, 77.0);  // of the rest behind a prefix
        record.prefix_hit_tokens = 0;
      }
      for (std::size_t i = 1; i <= SampleWindow::min; ++i) {
        QCOMPARE(prefill.base_seconds, 77.0);
        record.context_tokens = static_cast<int>(100 * i);
        if (stored) record.compute_or_load.computed_tokens = record.context_tokens;
        record.timing.context_prefill_seconds = 2e-4 * record.context_tokens;
        costs.learn(*task, {});
      }
      QVERIFY(std::abs(prefill.seconds(1000) - 0.2) < 1e-6);
      QVERIFY(!parts.catalog->snapshot().prefill_at_rest);
      // Timed again, it starts over: what requests taught counts no more, and a single one teaches nothing.
      QVERIFY(costs.time_model().has_value());
      const double timed = prefill.seconds(1000);
      prefill.base_seconds = 77;
      QVERIFY(costs.time_model().has_value());
      QCOMPARE(prefill.base_seconds, 77.0);  // nothing was learned since
      prefill.base_seconds = 0;
      QVERIFY(std::abs(timed - 0.2) > 1e-6);
      record.timing.context_prefill_seconds = 7;
      costs.learn(*task, {});
      QCOMPARE(prefill.seconds(1000), timed);
      for (std::size_t i = 1; i <= SampleWindow::min; ++i) costs.learn(*task, {});
      QVERIFY(prefill.seconds(1000) > timed);
      QCOMPARE(parts.catalog->snapshot().prefill_at_rest->seconds(1000), timed);
    }
  }

  // A load moves its tier's fit at once. What the codec adds is counted by method and not with the tier.
  void loadsAreFittedAtOnce() {
    EngineParts parts(small_workload(1, 16, 3));
    CostModel costs(parts.services());
    Snapshot& snapshot = parts.catalog->snapshot();
    const Configuration placement{.tier = 0, .method = "kivi4"};
    store_context(parts, 0, placement);
    const auto task = served(parts, 0, 0, parts.store->find(parts.catalog->details(0).tokens));
    QVERIFY(task->load_sample().has_value());
    costs.learn(*task, {});  // its entry has gone since
    QCOMPARE(parts.store->tiers().fit(0).samples(), 0);
    costs.learn(*task, placement);
    QCOMPARE(parts.store->tiers().fit(0).samples(), 1);
    QCOMPARE(snapshot.tiers[0].model.decode_seconds_per_token,
             parts.store->tiers().fit(0).model().decode_seconds_per_token);
    QVERIFY(snapshot.tiers[0].model.decode_seconds_per_token > 0);
    for (int i = 2; i <= 32; ++i) costs.learn(*task, placement);
    QCOMPARE(parts.sink.count<events::TierFitted>(), std::size_t{2});  // now and then

    parts.store->tiers().set_fit(0, TierFit());
    snapshot.codec_costs = {{"knorm+kivi4", 1000}, {"kivi4", 1000}};
    costs.learn(*task, placement);
    QCOMPARE(snapshot.tiers[0].model.decode_seconds_per_token, 0.0);
  }

  void frozenCostsLearnNothing() {
    EngineParts parts(small_workload(1, 16, 3));
    CostModel costs(parts.services());
    Snapshot& snapshot = parts.catalog->snapshot();
    snapshot.question.base_seconds = snapshot.prefill.base_seconds = snapshot.tiers[0].model.latency_seconds = 77;
    const auto miss = served(parts, 0, 0);
    store_context(parts, 0, {.tier = 0});
    const auto hit = served(parts, 0, 0, parts.store->find(parts.catalog->details(0).tokens));
    costs.freeze();
    for (std::size_t i = 0; i < SampleWindow::max; ++i) {
      costs.learn(*miss, {});
      costs.learn(*hit, {.tier = 0});
    }
    QCOMPARE(snapshot.question.base_seconds, 77.0);
    QCOMPARE(snapshot.prefill.base_seconds, 77.0);
    QCOMPARE(snapshot.tiers[0].model.latency_seconds, 77.0);
    QCOMPARE(parts.store->tiers().fit(0).samples(), static_cast<int>(SampleWindow::max));
  }

  void frozenCostsStayWhatTheyAre() {
    EngineParts parts(small_workload(1, 16, 3));
    CostModel costs(parts.services());
    TierState& tier = parts.catalog->snapshot().tiers[0];
    tier.model.bytes_per_second = 12345;
    costs.freeze();
    QVERIFY(costs.time_tier(0, settings_of(parts).tiers[0]).has_value());
    QCOMPARE(tier.model.bytes_per_second, 12345.0);
    QVERIFY(parts.store->tiers().fit(0).samples() > 0);  // it was timed all the same
  }
};

KV_TEST_GUILESS_MAIN(CostModelTest)

}  // namespace cost_model_test

#include "cost_model_test.moc"
