// links: kv_base
// Which context is asked when: skew against the frequencies that a power law gives, gaps against an exponential.
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "core/workload/arrivals.h"
#include "tests/support/small_workload.h"
#include "tests/support/test_program.h"

namespace arrivals_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

Workload workload_of(int contexts, double zipf_exponent, std::uint64_t seed = 9) {
  Workload workload = small_workload(contexts, 17, seed);  // two held-out questions each
  workload.arrivals = {.requests_per_second = 0, .zipf_exponent = zipf_exponent, .requests = 50};
  return workload;
}

std::vector<double> counts_of(const Workload& workload, std::uint64_t requests, std::uint64_t run_seed) {
  std::vector<double> counts(workload.contexts.size(), 0);
  for (const WorkloadRequest& request : workload.requests(requests, run_seed)) ++counts[request.context];
  return counts;
}

bool same(const WorkloadRequest& a, const WorkloadRequest& b) {
  return a.context == b.context && a.question == b.question && a.arrival_seconds == b.arrival_seconds;
}

}  // namespace

class ArrivalsTest : public QObject {
  Q_OBJECT

 private slots:
  void popularityFollowsThePowerLaw_data() {
    QTest::addColumn<double>("exponent");
    QTest::addColumn<int>("contexts");
    for (const double exponent : {0.0, 0.5, 0.9, 1.0, 1.5, 3.0})
      for (const int contexts : {1, 2, 20, 60}) QTest::addRow("%g over %d", exponent, contexts) << exponent << contexts;
  }
  void popularityFollowsThePowerLaw() {
    QFETCH(double, exponent);
    QFETCH(int, contexts);
    constexpr double requests = 100'000;
    const Workload workload = workload_of(contexts, exponent);
    std::vector<double> counts = counts_of(workload, static_cast<std::uint64_t>(requests), 5);
    std::ranges::sort(counts, std::greater());
    std::vector<double> expected;
    for (int rank = 1; rank <= contexts; ++rank) expected.push_back(1.0 / std::pow(rank, exponent));
    const double sum = std::accumulate(expected.begin(), expected.end(), 0.0);
    double chi_square = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const double mean = expected[i] / sum * requests;
      chi_square += (counts[i] - mean) * (counts[i] - mean) / mean;
    }
    // Mean k, variance 2k with k degrees of freedom; sorting only lowers it where ranks are near each other. For k = 1
    // five deviations are still less than what a rank off by one would give.
    const double freedom = contexts - 1;
    QVERIFY2(chi_square <= freedom + 5 * std::sqrt(2 * freedom) + 1e-9, qPrintable(QString::number(chi_square)));
  }

  void whoIsPopularBelongsToTheWorkload() {
    std::set<std::size_t> favorites;
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      const Workload workload = workload_of(20, 1.2, seed);
      const auto favorite = [&](std::uint64_t run_seed) {
        const std::vector<double> counts = counts_of(workload, 4000, run_seed);
        return static_cast<std::size_t>(std::ranges::max_element(counts) - counts.begin());
      };
      favorites.insert(favorite(0));
      for (std::uint64_t run_seed = 1; run_seed < 4; ++run_seed) QCOMPARE(favorite(run_seed), favorite(0));
    }
    QVERIFY(favorites.size() >= 5);  // and differs between workloads
  }

  void theSameSeedGivesTheSameRequests() {
    Workload workload = workload_of(12, 0.9);
    workload.arrivals.requests_per_second = 3;
    const auto first = workload.requests(500, 7);
    QVERIFY(std::ranges::equal(workload.requests(500, 7), first, same));
    QVERIFY(!std::ranges::equal(workload.requests(500, 8), first, same));
    QVERIFY(std::ranges::equal(workload.requests(123, 7), std::span(first).first(123), same));  // a limit only cuts
    QCOMPARE(workload.requests(0, 7).size(), std::size_t{50});  // no limit: the workload's own length
  }

  void theNumbersAreTheSameOnEveryMachine() {
    // Written down from another implementation of the same definition.
    std::vector<std::size_t> contexts;
    for (const WorkloadRequest& request : workload_of(6, 0.5).requests(16, 4)) contexts.push_back(request.context);
    const std::vector<std::size_t> written_down{1, 5, 2, 5, 4, 5, 4, 4, 1, 4, 3, 1, 1, 1, 2, 4};
    QCOMPARE(contexts, written_down);
  }

  void onlyHeldOutQuestionsAreAskedEachInTurn() {
    const Workload workload = workload_of(6, 0.7);
    std::map<std::size_t, std::vector<std::size_t>> asked;
    for (const WorkloadRequest& request : workload.requests(300, 2)) {
      const WorkloadQuestion& question = workload.questions.at(request.question);
      QCOMPARE(question.context, request.context);
      QVERIFY(question.split == QuestionSplit::held_out);
      asked[request.context].push_back(request.question);
    }
    QCOMPARE(asked.size(), std::size_t{6});
    for (const auto& [context, questions] : asked)
      for (std::size_t i = 2; i < questions.size(); ++i) {
        QCOMPARE(questions[i], questions[i - 2]);
        QVERIFY(questions[i] != questions[i - 1]);
      }
  }

  void contextsWithoutAQuestionAreNeverAsked() {
    Workload workload = workload_of(4, 0.5);
    for (WorkloadQuestion& question : workload.questions)
      if (question.context == 2) question.split = QuestionSplit::profile;
    for (const WorkloadRequest& request : workload.requests(500, 1)) QVERIFY(request.context != 2);
    workload.questions.clear();
    QVERIFY(workload.requests(500, 1).empty());
  }

  void gapsAreExponential_data() {
    QTest::addColumn<double>("rate");
    for (const double rate : {0.01, 1.0, 250.0}) QTest::addRow("%g a second", rate) << rate;
  }
  void gapsAreExponential() {
    QFETCH(double, rate);
    constexpr std::size_t count = 20'000;
    std::vector<WorkloadRequest> requests(count);
    space_requests(requests, rate, 11);
    std::vector<double> gaps;
    double before = 0;
    for (const WorkloadRequest& request : requests) {
      gaps.push_back(request.arrival_seconds - before);
      before = request.arrival_seconds;
      QVERIFY(gaps.back() >= 0);
    }
    QVERIFY(gaps.front() > 0);
    std::ranges::sort(gaps);
    double distance = 0;  // Kolmogorov-Smirnov, against 1 - exp(-rate t)
    for (std::size_t i = 0; i < count; ++i) {
      const double model = -std::expm1(-rate * gaps[i]);
      distance = std::max({distance, std::abs(model - static_cast<double>(i) / count),
                           std::abs(model - static_cast<double>(i + 1) / count)});
    }
    QVERIFY2(distance < 1.95 / std::sqrt(count),
             qPrintable(QString::number(distance)));  // one seed in a thousand fails
  }

  void withoutARateAllComeAtOnce() {
    std::vector<WorkloadRequest> requests(5, {.context = 0, .question = 0, .arrival_seconds = 3});
    space_requests(requests, 0, 1);
    for (const WorkloadRequest& request : requests) QCOMPARE(request.arrival_seconds, 0.0);
  }

  void impossibleProcessesAreRefused_data() {
    QTest::addColumn<double>("rate");
    QTest::addColumn<double>("exponent");
    QTest::addColumn<qulonglong>("requests");
    QTest::addColumn<QString>("field");
    QTest::newRow("negative rate") << -1.0 << 1.0 << 1ULL << "requests_per_second";
    QTest::newRow("rate not a number") << std::nan("") << 1.0 << 1ULL << "requests_per_second";
    QTest::newRow("infinite rate") << HUGE_VAL << 1.0 << 1ULL << "requests_per_second";
    QTest::newRow("a request in a million ages") << 5e-324 << 1.0 << 1ULL << "requests_per_second";
    QTest::newRow("negative exponent") << 0.0 << -0.1 << 1ULL << "zipf_exponent";
    QTest::newRow("exponent not a number") << 0.0 << std::nan("") << 1ULL << "zipf_exponent";
    QTest::newRow("no requests") << 0.0 << 1.0 << 0ULL << "requests";
    QTest::newRow("too many") << 0.0 << 1.0 << static_cast<qulonglong>(max_requests + 1) << "requests";
  }
  void impossibleProcessesAreRefused() {
    QFETCH(double, rate);
    QFETCH(double, exponent);
    QFETCH(qulonglong, requests);
    QFETCH(QString, field);
    QVERIFY(check(ArrivalProcess{}));
    const Status status = check({.requests_per_second = rate, .zipf_exponent = exponent, .requests = requests});
    QVERIFY(!status);
    QCOMPARE(status.error().code, ErrorCode::usage);
    QVERIFY(QString::fromStdString(status.error().message).contains("'" + field + "'"));
  }
};

KV_TEST_GUILESS_MAIN(ArrivalsTest)

}  // namespace arrivals_test

#include "arrivals_test.moc"
