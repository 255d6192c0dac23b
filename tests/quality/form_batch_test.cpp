// links: core_quality
// A profile has the same cells whatever is measured together: forms, questions, on a full pool, stopped and resumed.
#include "core/quality/form_batch.h"

#include <QtTest>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "core/compress/method_files.h"
#include "core/model/generate.h"
#include "core/quality/profiler.h"
#include "tests/support/scorer_double.h"
#include "tests/support/small_workload.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace form_batch_test {

using namespace kvantage;
using namespace kvantage::test;

constexpr ProfileWidth one_by_one{.forms = 1, .questions = 1, .step_rows = 1};
constexpr const char* failing = "together_eeeeeeeeee";  // cannot score the second layer

ModelRuntime& runtime_of(bool together) {
  static std::map<bool, std::unique_ptr<ModelRuntime>> loaded;
  auto& runtime = loaded[together];
  if (runtime != nullptr) return *runtime;
  ModelRuntimeOptions options;
  options.load.batch_invariant = together;
  runtime = ModelRuntime::load(model_directory(), options).value();
  return *runtime;
}

/// What a profile has measured, to be compared as a whole.
struct Measured {
  std::vector<ProfileCell> cells;
  std::vector<double> chance;
  std::vector<std::string> failed;
  std::vector<std::vector<std::int32_t>> references;
};

void same(const Measured& got, const Measured& wanted) {
  QCOMPARE(got.cells.size(), wanted.cells.size());
  for (std::size_t i = 0; i < wanted.cells.size(); ++i) {
    const ProfilePoint &a = got.cells[i].point, &b = wanted.cells[i].point;
    QCOMPARE(a.method, b.method);
    QVERIFY(a.removed_fraction == b.removed_fraction);
    QVERIFY2(got.cells[i].scores == wanted.cells[i].scores, a.method.c_str());
    QVERIFY(a.quality == b.quality && a.quality_low == b.quality_low && a.quality_high == b.quality_high);
    QCOMPARE(a.n, b.n);
    QCOMPARE(a.bytes, b.bytes);
    QCOMPARE(a.kept_tokens, b.kept_tokens);
  }
  QVERIFY(got.chance == wanted.chance);
  QVERIFY(got.failed == wanted.failed);
  QVERIFY(got.references == wanted.references);
}

/// A context of 24 sentences with six profile questions and six others, in a pool of its own.
struct Session {
  explicit Session(bool together = true, std::uint64_t pool_bytes = std::uint64_t{64} << 20)
      : runtime(runtime_of(together)) {
    runtime.pool = std::make_unique<BlockPool>(runtime.model->kv_shape(), 32, pool_bytes);
    catalog = Catalog::build(small_workload(1, 24, 3, 2), runtime).value();
    cache = std::make_unique<KvCache>(*runtime.pool);
    PrefillTask prefill(*runtime.model, *cache, catalog->details(0).tokens, 0,
                        {.chunk_tokens = runtime.chunk_tokens(),
                         .window_queries = runtime.window_queries,
                         .logits = PrefillLogits::none});
    if (!prefill.run()) qFatal("prefill failed");
    queries = prefill.take_window_queries();
  }
  std::unique_ptr<ProfileTask> task(const ProfilePlan& plan, const ProfileWidth& width) {
    return std::make_unique<ProfileTask>(runtime, meter, catalog->facts(0), catalog->details(0), *cache,
                                         observation_of(runtime, queries), plan, width);
  }
  Measured take(ProfileTask& task) const {
    Measured taken{task.take_cells(), task.chance_scores(), {}, {}};
    for (const auto& method : task.failed_methods()) taken.failed.push_back(method.method + ": " + method.reason);
    for (const CatalogQuestion& question : catalog->details(0).questions)
      taken.references.push_back(question.reference_tokens);
    return taken;
  }
  int layers() const { return cache->shape().layers; }

  ModelRuntime& runtime;
  QualityMeter meter;
  std::unique_ptr<Catalog> catalog;
  std::unique_ptr<KvCache> cache;
  WindowQueries queries;
};

/// Steps to the end, or so many. With `random`, no block is free in one of 16 steps. Returns the steps.
std::size_t run(ProfileTask& task, BlockPool& pool, Random* random = nullptr, std::size_t most = 1'000'000) {
  std::size_t steps = 0;
  for (; !task.done() && steps < most; ++steps) {
    std::vector<BlockId> held;
    if (random != nullptr && random->below(16) == 0)
      while (pool.free_blocks() > 0) held.push_back(pool.allocate().value());
    const Status stepped = task.step();
    for (const BlockId block : held) pool.release(block);
    if (!stepped && (held.empty() || stepped.error().code != ErrorCode::no_space))
      qFatal("%s", stepped.error().message.c_str());
  }
  return steps;
}

Measured measured(const ProfilePlan& plan, const ProfileWidth& width, bool together = true,
                  std::size_t* steps = nullptr) {
  Session session(together);
  const auto task = session.task(plan, width);
  const std::size_t taken = run(*task, *session.runtime.pool);
  if (steps != nullptr) *steps = taken;
  return session.take(*task);
}

ProfilePlan plan_of(const std::string& metric) {
  return {.methods = {"knorm", failing, "keydiff+kivi4", "rerotate(knorm)", "snapkv"},
          .removed_fractions = {0.3, 0.6, 0.9},
          .quality_metric = metric,
          .max_answer_tokens = 8};
}

class FormBatchTest : public QObject {
  Q_OBJECT

  static ProfilePlan drawn_plan(Random& random) {
    ProfilePlan plan;
    for (const char* method : {"knorm", "keydiff", "snapkv", "knorm+kivi4", "rerotate(keydiff)"})
      if (random.below(2) > 0) plan.methods.emplace_back(method);
    if (random.below(3) == 0)
      plan.methods.insert(plan.methods.begin() + static_cast<std::ptrdiff_t>(random.below(plan.methods.size() + 1)),
                          failing);
    for (const double fraction : {0.2, 0.5, 0.8, 0.95})
      if (random.below(2) > 0) plan.removed_fractions.push_back(fraction);
    const char* metrics[] = {"token_f1", "logit_kl", "token_f1@prefill", "top1_agreement"};
    plan.quality_metric = metrics[random.below(4)];
    plan.questions = random.below(4);
    plan.max_answer_tokens = 1 + static_cast<int>(random.below(6));
    plan.reference_answers = random.below(2) > 0;
    return plan;
  }
  static ProfileWidth drawn_width(Random& random) {
    return {.forms = 1 + random.below(8),
            .questions = 1 + random.below(40),
            .step_rows = 1 + static_cast<int>(random.below(300))};
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
    const auto host = std::make_shared<ScorerDouble>(
        "together", std::string(32, 'e'), reading({ScorerInput::keys}),
        [](const ScorerCall& call, const auto&, std::span<float> scores) -> Status {
          std::ranges::fill(scores, 1.0F);
          return call.layer == 0 ? Status{} : fail(ErrorCode::rejected_input, "took longer than 20 seconds");
        });
    QVERIFY(add_method_file(host).has_value());
  }

  // Against a loop of its own: a form at a time, and on it a question at a time.
  void scoresAreThoseOfAskingEachQuestionAlone() {
    const ProfilePlan plan = plan_of("token_f1");
    const Measured got = measured(plan, {});
    QCOMPARE(got.failed.size(), std::size_t{1});
    Session session;
    const ContextDetails& details = session.catalog->details(0);
    GenerateOptions options;
    options.max_tokens = plan.max_answer_tokens;
    options.stop_tokens = session.runtime.stop_ids();
    options.chunk_tokens = session.runtime.chunk_tokens();
    for (const ProfileCell& cell : got.cells) {
      KvCache form = session.cache->share();
      if (cell.point.method != "none") {
        const auto method = parse_method(cell.point.method).value();
        const Observation observed = observation_of(session.runtime, session.queries);
        const LayerScores scores = method->scores(*session.cache, observed).value();
        form = as_read(compressed_copy(*session.cache, scores, *method, cell.point.removed_fraction).value(), *method,
                       observed.frequencies)
                   .value();
      }
      std::vector<double> scores;
      for (const CatalogQuestion& question : details.questions) {
        if (question.held_out) continue;
        KvCache asked = form.share();
        const Generation given = generate(*session.runtime.model, asked, question.tokens, options).value();
        scores.push_back(token_f1(session.runtime.tokenizer->decode(given.tokens), question.gold));
      }
      QVERIFY2(scores == cell.scores, cell.point.method.c_str());
    }
    QCOMPARE(got.cells.size(), std::size_t{1 + 4 * 3});
  }

  void aWidthChangesNoCell_data() {
    QTest::addColumn<QString>("metric");
    for (const char* metric : {"token_f1", "rouge_l@prefill", "logit_kl", "top1_agreement"})
      QTest::newRow(metric) << metric;
  }
  void aWidthChangesNoCell() {
    QFETCH(QString, metric);
    const ProfilePlan plan = plan_of(metric.toStdString());
    std::size_t alone = 0, together = 0;
    const Measured wanted = measured(plan, one_by_one, true, &alone);
    QCOMPARE(wanted.cells.size(), std::size_t{1 + 4 * 3});
    same(measured(plan, {}, true, &together), wanted);
    QVERIFY2(4 * together < 3 * alone, qPrintable(QString("%1 steps, alone %2").arg(together).arg(alone)));
    for (const ProfileWidth& width : {ProfileWidth{.forms = 3, .questions = 20, .step_rows = 64},
                                      ProfileWidth{.forms = 1}, ProfileWidth{.forms = 64, .questions = 1000}})
      same(measured(plan, width), wanted);
  }

  // There, nothing is measured together: neither cells nor steps depend on the width.
  void withoutSuchProductsAWidthChangesNothing() {
    for (const char* metric : {"token_f1", "logit_kl"}) {
      const ProfilePlan plan = plan_of(metric);
      std::size_t narrow = 0, wide = 0;
      const Measured wanted = measured(plan, one_by_one, false, &narrow);
      same(measured(plan, {}, false, &wide), wanted);
      QCOMPARE(wide, narrow);
    }
  }

  // Which forms are skipped depends on those before, so each is measured alone.
  void whatIsSkippedAfterADriftStaysSkipped() {
    ProfilePlan plan = plan_of("top1_agreement");
    plan.before = measured(plan, one_by_one).cells;
    for (ProfileCell& cell : plan.before)
      if (cell.point.method == "snapkv") cell.point.quality = 1;
    const auto asked_forms = [&plan](const ProfileWidth& width, Measured& result) {
      Session session;
      const auto task = session.task(plan, width);
      run(*task, *session.runtime.pool);
      result = session.take(*task);
      return task->asked_forms();
    };
    Measured wanted, got;
    QCOMPARE(asked_forms({}, got), asked_forms(one_by_one, wanted));
    same(got, wanted);
  }

  // Of drawn grids, in pools of drawn sizes that are full now and then.
  void drawnGridsHaveTheSameCells() {
    Random random(21);
    for (int draw = 0; draw < 24; ++draw) {
      const ProfilePlan plan = drawn_plan(random);
      const ProfileWidth width = drawn_width(random);
      const Measured wanted = measured(plan, one_by_one);
      Session session(true, (10 + random.below(28)) << 20);
      BlockPool& pool = *session.runtime.pool;
      const std::size_t before = pool.live_blocks();
      auto task = session.task(plan, width);
      run(*task, pool, random.below(3) > 0 ? &random : nullptr);
      same(session.take(*task), wanted);
      task.reset();
      QCOMPARE(pool.live_blocks(), before);
    }
  }

  // As anytime profiling stops and resumes: a stopped batch has the first scores of each cell, and the rest are asked
  // later.
  void scheduledCellsAreStoppedAndResumedAnywhere() {
    Random random(22);
    for (int draw = 0; draw < 24; ++draw) {
      ProfilePlan plan = drawn_plan(random);
      for (const std::string& method : plan.methods)
        for (const double fraction : plan.removed_fractions)
          if (random.below(2) > 0) plan.cells.push_back({method, fraction, 0, 1 + static_cast<int>(random.below(6))});
      if (random.below(3) > 0 || plan.cells.empty()) plan.cells.push_back({"none", 0, 0, 3});
      const ProfileWidth width = drawn_width(random);
      const Measured wanted = measured(plan, one_by_one);
      Session session(true, 24 << 20);
      std::map<std::pair<std::string, double>, std::vector<double>> scores;
      for (int stops = 0; !plan.cells.empty(); ++stops) {
        const auto task = session.task(plan, width);
        run(*task, *session.runtime.pool, stops % 2 == 0 ? &random : nullptr,
            stops < 20 ? 1 + random.below(300) : 1'000'000);
        const bool done = task->done();
        for (const ProfileCell& cell : task->take_cells()) {
          auto& known = scores[{cell.point.method, cell.point.removed_fraction}];
          known.insert(known.end(), cell.scores.begin(), cell.scores.end());
          const auto asked = std::ranges::find_if(plan.cells, [&](const ScheduledCell& wants) {
            return wants.method == cell.point.method && wants.removed_fraction == cell.point.removed_fraction;
          });
          if (asked == plan.cells.end()) continue;
          asked->first += static_cast<int>(cell.scores.size());
          asked->count -= static_cast<int>(cell.scores.size());
        }
        std::erase_if(plan.cells, [&](const ScheduledCell& cell) { return done || cell.count == 0; });
      }
      for (const ProfileCell& cell : wanted.cells) {
        const auto& got = scores[{cell.point.method, cell.point.removed_fraction}];
        QVERIFY2(got == cell.scores, cell.point.method.c_str());
      }
    }
  }

  // Forms are made ahead as long as half of the pool stays free; where requests fill it, the last ones wait.
  void aBatchIsAsLargeAsThePoolAllows() {
    Session session;
    BlockPool& pool = *session.runtime.pool;
    FormBatch batch(session.runtime, session.catalog->details(0), *session.cache, 8, {.forms = 4});
    const FormBatch::Questions questions{0, 1, 2};
    const auto add = [&] { batch.add(std::make_unique<KvCache>(session.cache->share()), questions); };
    std::vector<BlockId> held;
    while (pool.free_blocks() > pool.capacity_blocks() / 2) held.push_back(pool.allocate().value());
    QVERIFY(batch.has_room(questions));  // one form always
    add();
    QVERIFY(!batch.has_room(questions));
    for (const BlockId block : std::exchange(held, {})) pool.release(block);
    for (int more = 0; more < 3; ++more) {
      QVERIFY(batch.has_room(questions));
      add();
    }
    QVERIFY(!batch.has_room(questions));  // four forms
    batch.begin_answers();
    while (pool.free_blocks() > 0) held.push_back(pool.allocate().value());
    for (int steps = 0; batch.size() > 1; ++steps) QVERIFY(steps < 100 && batch.step().has_value());
    const Status refused = batch.step();
    QVERIFY(!refused && refused.error().code == ErrorCode::no_space);
    for (const BlockId block : held) pool.release(block);
    while (!batch.first_is_measured()) QVERIFY(batch.step().has_value());
    QCOMPARE(batch.take_answers().size(), questions.size());
    QVERIFY(batch.empty());
    add();
    QVERIFY(!batch.has_room(questions));  // it stays narrow
  }
};

KV_TEST_GUILESS_MAIN(FormBatchTest)

}  // namespace form_batch_test

#include "form_batch_test.moc"
