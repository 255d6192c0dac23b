// links: core_quality tiers
// Anytime profiling over a session's contexts: plans on another thread, how often there is one, and what resumes.
#include "core/quality/racing_cells.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/support/engine_parts.h"
#include "tests/support/test_program.h"

namespace racing_cells_test {

using namespace kvantage;
using namespace kvantage::test;

/// Threads whose bodies run when the test says so, or when somebody waits for them.
class HeldExecutor final : public Executor {
 public:
  const Clock& clock() const override { return clock_; }
  std::unique_ptr<Thread> start(const std::string&, ThreadPriority, std::function<void()> body) override {
    ++started;
    auto thread = std::make_unique<Held>(std::move(body));
    last_ = thread->body;
    return thread;
  }
  void run() { run(*last_); }
  std::size_t started = 0;

 private:
  using Body = std::shared_ptr<std::function<void()>>;
  static void run(std::function<void()>& body) {
    if (const auto once = std::exchange(body, nullptr)) once();
  }
  struct Held final : Thread {
    explicit Held(std::function<void()> of) : body(std::make_shared<std::function<void()>>(std::move(of))) {}
    ~Held() override { HeldExecutor::run(*body); }
    Body body;
  };
  SystemClock clock_;
  Body last_;
};

bool any_context(std::size_t) { return true; }

using Asked = std::vector<std::tuple<std::size_t, std::string, double, int, int>>;  // context and cell

struct Racing {
  Racing(const Workload& workload, Executor* of_plans) : parts(workload), executor(of_plans) {
    Snapshot& live = parts.catalog->snapshot();
    live.alpha = 0.3;
    live.prefill = {0.01, 3e-4, 0};
    live.question = {0.002, 1e-7};
    live.tiers[0].model = {0.0002, 5.4e8, 0, 0};
    live.tiers[0].budget_bytes = parts.catalog->full_bytes() / 4;
    for (ContextState& context : live.contexts) context.frequency = 1;
    resume();
  }
  /// A session that has the answers so far from its database.
  void resume() {
    cells = std::make_unique<RacingCells>(parts.services(), executor);
    if (!cells->use(true, candidates, 0)) qFatal("nothing is to be learned");
    cells->learn(measured);
  }
  /// Every other context keeps its answers under most forms, the others soon lose them.
  static double score(std::size_t context, const ScheduledCell& cell, int question) {
    const double knee = context % 2 == 0 ? 0.7 : 0.2;
    const bool better = cell.method == "knorm";
    return cell.removed_fraction < knee + (better ? 0.1 : 0) || question % 3 == 1 ? 1 : 0;
  }
  std::size_t measure(const ScheduledBatch& batch, Asked* asked = nullptr) {
    std::size_t answers = 0;
    auto& all = measured[batch.context];
    for (const ScheduledCell& cell : batch.cells) {
      auto known = std::ranges::find_if(all, [&](const ProfileCell& other) {
        return other.point.method == cell.method && other.point.removed_fraction == cell.removed_fraction;
      });
      if (known == all.end()) {
        known = all.insert(all.end(), ProfileCell{});
        known->point.method = cell.method;
        known->point.removed_fraction = cell.removed_fraction;
      }
      const ContextFacts& facts = parts.catalog->facts(batch.context);
      known->point.kept_tokens = static_cast<int>(facts.tokens * (1 - cell.removed_fraction));
      known->point.bytes =
          static_cast<std::uint64_t>(static_cast<double>(facts.full_bytes) * (1 - cell.removed_fraction));
      for (int q = cell.first; q < cell.first + cell.count; ++q) {
        known->scores.push_back(score(batch.context, cell, q));
        ++answers;
      }
      known->point.n = static_cast<int>(known->scores.size());
      if (asked != nullptr)
        asked->emplace_back(batch.context, cell.method, cell.removed_fraction, cell.first, cell.count);
    }
    cells->learn(batch.context, all);
    return answers;
  }

  const CurveCandidates candidates{{"knorm", "keydiff"}, {0.3, 0.6, 0.9}};
  EngineParts parts;
  Executor* executor;
  std::map<std::size_t, std::vector<ProfileCell>> measured;
  std::unique_ptr<RacingCells> cells;
};

enum class Way { at_once, aside, resumed };

Asked race(const Workload& workload, Way way, std::size_t batches) {
  HeldExecutor executor;
  Racing racing(workload, way == Way::aside ? &executor : nullptr);
  Asked asked;
  for (std::size_t done = 0; done < batches; ++done) {
    if (way == Way::resumed) racing.resume();
    while (!racing.cells->ready(any_context, way == Way::aside)) executor.run();
    const ScheduledBatch* next = racing.cells->next(any_context);
    if (next == nullptr) break;
    const ScheduledBatch batch = *next;
    (void)racing.measure(batch, &asked);
  }
  return asked;
}

class RacingCellsTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  // What is asked is a function of the answers: with plans aside, and where every batch is another session's.
  void batchesAreThoseOfAResumedSession() {
    const Workload workload = small_workload(40, 8, 3, 1);
    const Asked at_once = race(workload, Way::at_once, 100);
    QVERIFY(at_once.size() > 40 * 3);  // the coarse batches, an uncompressed cell and one of each method, and a race
    QVERIFY(race(workload, Way::aside, 100) == at_once);
    QVERIFY(race(workload, Way::resumed, 100) == at_once);
  }

  // However many contexts there are, a turn of the engine's thread only begins a plan or takes one; coarse batches
  // share plans.
  void manyContextsArePlannedBesideTheEngine() {
    HeldExecutor executor;
    Racing racing(small_workload(5000, 2, 3, 1), &executor);
    for (int turn = 0; turn < 100; ++turn) QVERIFY(!racing.cells->ready(any_context, true));
    QCOMPARE(executor.started, std::size_t{1});
    QVERIFY(racing.cells->next(any_context) == nullptr && !racing.cells->take_renewed());
    executor.run();
    QVERIFY(racing.cells->ready(any_context, true));
    QVERIFY(racing.cells->take_renewed() && !racing.cells->take_renewed());
    std::size_t answers = 0;
    while (answers < 2 * 5000 / 8) {
      if (!racing.cells->ready(any_context, true)) {
        QVERIFY2(answers >= 5000 / 8, "a plan for fewer answers than an eighth of the contexts");
        executor.run();
        continue;
      }
      const ScheduledBatch batch = *racing.cells->next(any_context);
      answers += racing.measure(batch);
    }
    QCOMPARE(executor.started, std::size_t{2});
    QCOMPARE(racing.cells->gauge()->answers, std::uint64_t{answers});
  }

  // Answers that came while a plan was made are not planned without.
  void aPlanOfEarlierAnswersIsDropped() {
    HeldExecutor executor;
    Racing racing(small_workload(4, 8, 3, 1), &executor);
    QVERIFY(!racing.cells->ready(any_context, true));
    (void)racing.measure({1, {{"none", 0, 0, 2}}});
    executor.run();
    QVERIFY(!racing.cells->ready(any_context, true));
    QVERIFY(!racing.cells->take_renewed());
    QCOMPARE(executor.started, std::size_t{2});
    executor.run();
    QVERIFY(racing.cells->ready(any_context, true) && racing.cells->take_renewed());
    QCOMPARE(racing.cells->gauge()->answers, std::uint64_t{2});
  }

  // What is shown after profiling was stopped is that of all answers.
  void theGaugeIsOfAllAnswers() {
    Racing racing(small_workload(40, 8, 3, 1), nullptr);
    for (int batch = 0; batch < 60; ++batch) {
      QVERIFY(racing.cells->ready(any_context, false));
      const ScheduledBatch next = *racing.cells->next(any_context);
      (void)racing.measure(next);
    }
    racing.cells->catch_up();
    const ProfilingGauge stopped = racing.cells->gauge().value();
    std::size_t answers = 0;
    for (const auto& [context, cells] : racing.measured)
      for (const ProfileCell& cell : cells) answers += cell.scores.size();
    QCOMPARE(stopped.answers, std::uint64_t{answers});
    racing.resume();
    QVERIFY(racing.cells->ready(any_context, false));
    const ProfilingGauge resumed = racing.cells->gauge().value();
    QCOMPARE(stopped.answers_left, resumed.answers_left);
    QCOMPARE(stopped.may_rise, resumed.may_rise);
    QCOMPARE(stopped.half_width, resumed.half_width);
    QVERIFY(stopped.has_coarse && resumed.has_coarse);
  }

  // Until the first curves it is their answers that are left, at the pace of the latest batches, and the prefills of
  // contexts that wait; then those of the race.
  void theTimeLeftIsThatOfTheFirstCurvesFirst() {
    Racing racing(small_workload(12, 8, 3, 1), nullptr);
    QVERIFY(racing.cells->ready(any_context, false));
    QVERIFY(racing.cells->gauge()->seconds_left < 0);  // no pace yet
    QVERIFY(racing.cells->progress().is_coarse);
    const Snapshot& live = racing.parts.catalog->snapshot();
    std::uint64_t until_curves = racing.cells->gauge()->answers_left;
    for (std::size_t done = 0; done < 12; ++done) {
      QVERIFY(racing.cells->ready(any_context, false));
      const ProfilingGauge before = racing.cells->gauge().value();
      QVERIFY(!before.has_coarse && racing.cells->progress().is_coarse);
      QCOMPARE(before.answers_left, until_curves);
      const ScheduledBatch batch = *racing.cells->next(any_context);
      const std::size_t answers = racing.measure(batch);
      racing.cells->note(answers, 0.5 * static_cast<double>(answers));
      until_curves -= answers;
      double prefills = 0;
      for (std::size_t c = 0; c < live.contexts.size(); ++c)
        if (!racing.measured.contains(c)) prefills += live.prefill.seconds(live.contexts[c].tokens);
      if (done < 11)
        QVERIFY(std::abs(racing.cells->gauge()->seconds_left - 0.5 * static_cast<double>(until_curves) - prefills) <
                1e-6);
    }
    QCOMPARE(until_curves, std::uint64_t{0});
    QVERIFY(racing.cells->ready(any_context, false));
    const ProfilingGauge race = racing.cells->gauge().value();
    QVERIFY(race.has_coarse && !racing.cells->progress().is_coarse && race.answers_left > 0);
    QCOMPARE(race.seconds_left, 0.5 * static_cast<double>(race.answers_left));
    for (std::size_t batch = 0; batch < AnswerPace::latest; ++batch) racing.cells->note(2, 4);
    QCOMPARE(racing.cells->gauge()->seconds_left, 2 * static_cast<double>(race.answers_left));  // others are forgotten
  }

  // Whether it is good enough is shown by the present setting, as the next plan decides it.
  void goodEnoughIsByThePresentSetting() {
    Racing racing(small_workload(40, 8, 3, 1), nullptr);
    for (int batch = 0; batch < 60; ++batch) {
      QVERIFY(racing.cells->ready(any_context, false));
      const ScheduledBatch next = *racing.cells->next(any_context);
      (void)racing.measure(next);
    }
    racing.cells->catch_up();
    const ProfilingGauge strict = racing.cells->gauge().value();
    QVERIFY(strict.has_coarse && strict.may_rise > 0 && !strict.is_good_enough);
    for (const bool enough : {true, false}) {
      QVERIFY(!racing.cells->use(true, racing.candidates, enough ? strict.may_rise : strict.may_rise / 2));
      QCOMPARE(racing.cells->gauge()->is_good_enough, enough);
      QVERIFY(racing.cells->ready(any_context, false));
      QCOMPARE(racing.cells->gauge()->is_good_enough, enough);
      QCOMPARE(racing.cells->next(any_context) == nullptr, enough);
    }
  }
};

KV_TEST_GUILESS_MAIN(RacingCellsTest)

}  // namespace racing_cells_test

#include "racing_cells_test.moc"
