// links: core_quality tiers
// What is measured of ways to decode: the answers are those of requests served that way, and only steps take time.
#include "core/quality/decode_option_task.h"

#include <QtTest>

#include <cmath>
#include <functional>

#include "core/request/request_task.h"
#include "tests/support/request_stages.h"
#include "tests/support/test_program.h"

namespace decode_option_task_test {

using namespace kvantage;
using namespace kvantage::test;

constexpr int max_answer_tokens = 12;

struct Measuring {
  StageParts parts{small_workload(1, 16, 3)};
  QualityMeter meter;
  KvCache original = parts.computed();

  /// between: called after each step.
  std::vector<DecodeOption> measured(const std::vector<std::string>& options,
                                     const std::function<void()>& between = {}) {
    DecodeOptionTask task(*parts.runtime, meter, parts.clock, parts.catalog->details(0), original,
                          {.options = options, .quality_metric = "token_f1", .max_answer_tokens = max_answer_tokens});
    for (int steps = 0; !task.done(); ++steps) {
      if (steps > 100000) qFatal("measuring does not end");
      must(task.step());
      if (between) between();
    }
    return task.take_measured();
  }

  /// A request about the first context, served to its end.
  RequestRecord served(std::size_t question, const std::string& eviction) {
    RequestInput input = input_of(parts, 0, question, max_answer_tokens);
    if (const auto parsed = parse_decode_eviction(eviction).value())
      input.decode_eviction = std::make_shared<const DecodeEvictionSetting>(*parsed);
    RequestTask task(*parts.runtime, parts.lender, parts.serving_clock, std::move(input), std::nullopt, 0.0,
                     [](const std::string&) {});
    while (!task.done()) {
      if (task.needs() == RequestTask::Need::compute) {
        must(task.compute());
        continue;
      }
      BatchDecodeTask decode(*parts.runtime->model, {task.decode().next_decode()});
      must(decode.run());
      task.decode().take_token(decode.logits(0));
    }
    return task.record();
  }
};

class DecodeOptionTaskTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there and ../shared is absent");
  }

  void answersAreThoseOfRequestsServedThatWay() {
    Measuring measuring;
    const std::vector<std::string> options{"none", "paged_eviction(budget=10%)", "h2o(budget=25%)",
                                           "quest(budget=25%)"};
    const auto measured = measuring.measured(options);
    QCOMPARE(measured.size(), options.size());
    const auto& questions = measuring.parts.catalog->details(0).questions;
    for (std::size_t i = 0; i < options.size(); ++i) {
      double score = 0, gaps = 0;
      int answers = 0;
      for (std::size_t q = 0; q < questions.size(); ++q) {
        if (questions[q].held_out) continue;
        const RequestRecord record = measuring.served(q, options[i]);
        score += best_score(*find_quality_metric("token_f1"), record.answer, questions[q].golds());
        gaps += static_cast<double>(record.timing.token_gaps_seconds.size());
        ++answers;
      }
      QVERIFY(answers > 0);
      QCOMPARE(measured[i].option, options[i]);
      QCOMPARE(measured[i].n, answers);
      QVERIFY(std::fabs(measured[i].quality - score / answers) < 1e-12);
      QVERIFY(measured[i].quality_low <= measured[i].quality && measured[i].quality <= measured[i].quality_high);
      QVERIFY(std::fabs(measured[i].gaps_per_answer - gaps / answers) < 1e-12);
      QVERIFY(measured[i].gaps_per_answer == 0 || measured[i].inter_token_seconds > 0);
    }
  }

  // Requests are served between two steps: the option does not pay for them.
  void timeBetweenStepsDoesNotCount() {
    Measuring measuring;
    const std::vector<std::string> options{"none", "knorm(budget=25%)"};
    const auto quiet = measuring.measured(options);
    const auto busy = measuring.measured(options, [&] {
      for (int looks = 0; looks < 50; ++looks) (void)measuring.parts.clock.monotonic_ns();
    });
    QCOMPARE(busy.size(), quiet.size());
    for (std::size_t i = 0; i < quiet.size(); ++i) {
      QVERIFY(quiet[i].inter_token_seconds > 0);
      QVERIFY(std::fabs(busy[i].inter_token_seconds - quiet[i].inter_token_seconds) < 1e-9);
      QCOMPARE(busy[i].quality, quiet[i].quality);
    }
  }

  void theOriginalStaysAsItIsAndNoBlockIsLost() {
    Measuring measuring;
    const Digest128 before = digest_of(measuring.original);
    const std::size_t live = measuring.parts.runtime->pool->live_blocks();
    (void)measuring.measured({"none", "paged_eviction(budget=10%)", "tova(budget=25%)"});
    QVERIFY(digest_of(measuring.original) == before);
    QCOMPARE(measuring.parts.runtime->pool->live_blocks(), live);
  }

  // Reference answers come from decoding without eviction, and are not replaced.
  void referenceAnswersAreThoseWithoutEviction() {
    Measuring measuring;
    auto& questions = measuring.parts.catalog->details(0).questions;
    (void)measuring.measured({"none", "paged_eviction(budget=10%)"});
    for (std::size_t q = 0; q < questions.size(); ++q) {
      if (questions[q].held_out) continue;
      QCOMPARE(questions[q].reference_answer.value(), measuring.served(q, "none").answer);
      questions[q].reference_answer = "known before";
    }
    (void)measuring.measured({"none"});
    for (const CatalogQuestion& question : questions)
      if (!question.held_out) QCOMPARE(question.reference_answer.value(), std::string("known before"));
  }

  void withoutProfileQuestionsNothingIsMeasured() {
    Measuring measuring;
    for (CatalogQuestion& question : measuring.parts.catalog->details(0).questions) question.held_out = true;
    const auto measured = measuring.measured({"none", "knorm(budget=25%)"});
    QCOMPARE(measured.size(), std::size_t{2});
    for (const DecodeOption& option : measured) QCOMPARE(option.n, 0);
  }

  void aMetricOfPredictionsIsRefused() {
    Measuring measuring;
    DecodeOptionTask task(*measuring.parts.runtime, measuring.meter, measuring.parts.clock,
                          measuring.parts.catalog->details(0), measuring.original,
                          {.options = {"none"}, .quality_metric = "logit_kl", .max_answer_tokens = 2});
    Status status;
    while (!task.done() && status) status = task.step();
    QVERIFY(!status && status.error().code == ErrorCode::usage);
  }
};

KV_TEST_GUILESS_MAIN(DecodeOptionTaskTest)

}  // namespace decode_option_task_test

#include "decode_option_task_test.moc"
