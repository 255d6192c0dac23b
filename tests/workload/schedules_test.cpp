// links: kv_base
// Schedules of requests: flat tails, bursts and drift, against a second implementation and against what their
// definitions let expect.
#include <QtTest>

#include <cmath>
#include <map>
#include <set>

#include "core/base/json.h"
#include "core/workload/arrivals.h"
#include "core/workload/arrivals_json.h"
#include "core/workload/popularity.h"
#include "tests/support/test_program.h"

namespace schedules_test {

using namespace kvantage;

namespace {

/// Contexts with so many held-out questions of phase 0 and of phase 1 each.
Workload workload_of(std::size_t contexts, std::size_t phase_0, std::size_t phase_1, const ArrivalProcess& arrivals,
                     std::uint64_t seed = 5) {
  Workload workload;
  workload.seed = seed;
  workload.arrivals = arrivals;
  for (std::size_t c = 0; c < contexts; ++c) {
    workload.contexts.push_back({"c" + std::to_string(c), "f", "text " + std::to_string(c)});
    for (std::size_t q = 0; q < phase_0 + phase_1; ++q)
      workload.questions.push_back({c, "q" + std::to_string(q), "g", QuestionSplit::held_out, {}, q < phase_0 ? 0 : 1});
  }
  return workload;
}

int phase_of(const Workload& workload, const WorkloadRequest& request) {
  return workload.questions[request.question].phase;
}

/// Pearson's statistic of counts against chances; cells with fewer than five expected go into one.
struct ChiSquare {
  double statistic = 0;
  int freedom = -1;
  bool likely() const { return statistic <= freedom + 5 * std::sqrt(2.0 * freedom) + 1e-9; }
};
ChiSquare chi_square(const std::vector<double>& counts, const std::vector<double>& chances, double n) {
  ChiSquare sum;
  double rare_count = 0, rare_mean = 0;
  const auto add = [&](double count, double mean) {
    sum.statistic += (count - mean) * (count - mean) / mean;
    ++sum.freedom;
  };
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double mean = chances[i] * n;
    if (mean >= 5) {
      add(counts[i], mean);
    } else {
      rare_count += counts[i];
      rare_mean += mean;
    }
  }
  if (rare_mean > 0) add(rare_count, rare_mean);
  return sum;
}

/// Ranks of the contexts: who is asked most by a law steep enough that ranks cannot be mistaken.
std::vector<std::size_t> ranks_of(Workload workload) {
  workload.arrivals = {.requests_per_second = 0, .zipf_exponent = 1.0, .requests = 1};
  std::vector<std::size_t> counts(workload.contexts.size());
  for (const WorkloadRequest& request : workload.requests(400'000, 77)) ++counts[request.context];
  std::vector<std::size_t> ranks(counts.size());
  for (std::size_t c = 0; c < counts.size(); ++c)
    for (std::size_t count : counts) ranks[c] += count > counts[c] ? 1 : 0;
  return ranks;
}

const Bursts some_bursts{.factor = 8, .mean_requests = 10, .mean_quiet_requests = 30, .contexts = 3};

}  // namespace

class SchedulesTest : public QObject {
  Q_OBJECT

 private slots:
  void sequencesAreThoseOfASecondImplementation_data() {
    QTest::addColumn<int>("golden");
    const auto goldens =
        read_json_file(std::filesystem::path(KVANTAGE_SOURCE_DIR) / "tests" / "goldens" / "schedules.json");
    QVERIFY(goldens && goldens->size() >= 40);
    goldens_ = *goldens;
    for (std::size_t i = 0; i < goldens_.size(); ++i)
      QTest::newRow(goldens_[i]["name"].get<std::string>().c_str()) << static_cast<int>(i);
  }
  void sequencesAreThoseOfASecondImplementation() {
    QFETCH(int, golden);
    const Json& wanted = goldens_[static_cast<std::size_t>(golden)];
    const auto arrivals = arrivals_from_json(wanted["arrivals"], "golden");
    QVERIFY2(arrivals, arrivals ? "" : arrivals.error().message.c_str());
    const Workload workload =
        workload_of(wanted["contexts"], wanted["per_phase"][0], wanted["per_phase"][1], *arrivals, wanted["seed"]);
    const auto made = workload.requests(80, wanted["run_seed"]);
    std::vector<std::size_t> questions;
    for (const WorkloadRequest& request : made) questions.push_back(request.question);
    QCOMPARE(questions, wanted["questions"].get<std::vector<std::size_t>>());
    const double last = wanted["last_arrival_seconds"];
    QVERIFY(std::abs(made.back().arrival_seconds - last) <= 1e-9 * last);
  }

  void aLongerSequenceBeginsWithTheShorterOne() {
    Random random(3);
    for (int round = 0; round < 300; ++round) {
      ArrivalProcess arrivals{.requests_per_second = static_cast<double>(random.below(2)) * 3.5,
                              .zipf_exponent = random.uniform() * 2,
                              .requests = 1 + random.below(300)};
      if (random.below(2) == 1) arrivals.tail_share = random.uniform();
      if (random.below(2) == 1)
        arrivals.bursts = {1 + random.uniform() * 9, 1 + random.uniform() * 20, 1 + random.uniform() * 20,
                           1 + random.below(5)};
      if (random.below(2) == 1) {
        const double begin = random.uniform();
        arrivals.drift = {begin, begin + (1 - begin) * random.uniform(), random.below(2) == 1};
      }
      QVERIFY(check(arrivals));
      const Workload workload = workload_of(1 + random.below(9), 2, 2, arrivals, random.next());
      const std::uint64_t run_seed = random.next(), shorter = 1 + random.below(400);
      const auto whole = workload.requests(400, run_seed), cut = workload.requests(shorter, run_seed);
      QCOMPARE(cut.size(), static_cast<std::size_t>(shorter));
      for (std::size_t i = 0; i < cut.size(); ++i)
        QVERIFY(cut[i].context == whole[i].context && cut[i].question == whole[i].question &&
                cut[i].arrival_seconds == whole[i].arrival_seconds && cut[i].pace == whole[i].pace);
    }
  }

  void aScheduleChangesNoDrawOfAnother() {
    ArrivalProcess arrivals{.requests_per_second = 0, .zipf_exponent = 0.9, .requests = 2000};
    const auto plain = workload_of(9, 2, 2, arrivals).requests(0, 1);
    arrivals.drift = Drift{.begin = 0.2, .end = 0.9};
    const auto drifting = workload_of(9, 2, 2, arrivals).requests(0, 1);
    arrivals.drift.reset();
    arrivals.bursts = some_bursts;
    const auto bursting = workload_of(9, 2, 2, arrivals).requests(0, 1);
    int quiet = 0;
    for (std::size_t i = 0; i < plain.size(); ++i) {
      QCOMPARE(drifting[i].context, plain[i].context);
      if (bursting[i].pace > 1) continue;
      QCOMPARE(bursting[i].context, plain[i].context);
      ++quiet;
    }
    QVERIFY(quiet > 1000 && quiet < 1900);
  }

  void eachContextMayComeFirst() {
    ArrivalProcess arrivals{.requests_per_second = 3, .zipf_exponent = 0, .requests = 500};
    Workload workload = workload_of(9, 2, 0, arrivals);
    workload.questions.erase(workload.questions.begin() + 8, workload.questions.begin() + 10);  // of the fifth one
    const auto plain = workload.requests(0, 1);
    workload.arrivals.each_context_first = true;
    const auto first = workload.requests(0, 1);
    QCOMPARE(first.size(), std::size_t{500});
    const std::vector<std::size_t> in_order{0, 1, 2, 3, 5, 6, 7, 8};
    std::set<std::size_t> later;
    for (std::size_t i = 0; i < first.size(); ++i) {
      QCOMPARE(first[i].context, i < in_order.size() ? in_order[i] : plain[i].context);
      QCOMPARE(first[i].arrival_seconds, plain[i].arrival_seconds);
      if (i >= in_order.size()) later.insert(first[i].context);
    }
    QCOMPARE(later.size(), in_order.size());
    QCOMPARE(workload.requests(5, 1).back().context, std::size_t{5});  // a shorter sequence is its beginning
    // A schedule that names its contexts comes before it.
    workload.schedule = {{.arrival_seconds = 0, .context = 7, .question = {}},
                         {.arrival_seconds = 1, .context = {}, .question = {}}};
    QCOMPARE(workload.requests(2, 1)[0].context, std::size_t{7});
    QCOMPARE(workload.requests(2, 1)[1].context, std::size_t{1});
  }

  void eachContextFirstGoesThroughFiles() {
    ArrivalProcess arrivals;
    QVERIFY(!arrivals_to_json(arrivals).contains("each_context_first"));
    arrivals.each_context_first = true;
    const auto read = arrivals_from_json(Json::parse(arrivals_to_json(arrivals).dump()), "t");
    QVERIFY(read && read->each_context_first);
    const auto wrong = arrivals_from_json(Json{{"each_context_first", 1}}, "t");
    QVERIFY(!wrong && wrong.error().message.find("each_context_first") != std::string::npos);
  }

  void popularityHasItsTail_data() {
    QTest::addColumn<double>("exponent");
    QTest::addColumn<double>("tail");
    for (const double exponent : {0.0, 0.8, 1.5})
      for (const double tail : {0.0, 0.1, 0.5, 1.0})
        QTest::addRow("%g with a tail of %g", exponent, tail) << exponent << tail;
  }
  void popularityHasItsTail() {
    QFETCH(double, exponent);
    QFETCH(double, tail);
    constexpr std::size_t contexts = 25;
    constexpr double requests = 200'000;
    const Workload workload = workload_of(
        contexts, 1, 0, {.requests_per_second = 0, .zipf_exponent = exponent, .requests = 1, .tail_share = tail});
    double law = 0;
    for (std::size_t r = 0; r < contexts; ++r) law += std::pow(static_cast<double>(r + 1), -exponent);
    const std::vector<std::size_t> ranks = ranks_of(workload);
    std::vector<double> counts(contexts), chances(contexts);
    for (const WorkloadRequest& request : workload.requests(static_cast<std::uint64_t>(requests), 5))
      ++counts[ranks[request.context]];
    const Popularity popularity(contexts, exponent, tail);
    for (std::size_t r = 0; r < contexts; ++r) {
      chances[r] =
          (1 - tail) * std::pow(static_cast<double>(r + 1), -exponent) / law + tail / static_cast<double>(contexts);
      QVERIFY(std::abs(popularity.chance(r) - chances[r]) < 1e-12);
    }
    const ChiSquare distance = chi_square(counts, chances, requests);
    QVERIFY2(distance.likely(), qPrintable(QString::number(distance.statistic)));
  }

  void burstsAreAboutFewContextsAndComeFast() {
    ArrivalProcess arrivals{.requests_per_second = 4, .zipf_exponent = 0.9, .requests = 1, .bursts = some_bursts};
    constexpr std::size_t requests = 200'000;
    const auto made = workload_of(20, 1, 0, arrivals).requests(requests, 6);
    std::vector<std::size_t> burst_lengths, quiet_lengths;
    std::vector<double> of_bursts(20);
    double inside = 0, last = 0, burst_gaps = 0, quiet_gaps = 0;
    std::set<std::size_t> about;
    for (std::size_t i = 0; i < requests; ++i) {
      const bool burst = made[i].pace > 1;
      auto& lengths = burst ? burst_lengths : quiet_lengths;
      if (i == 0 || burst != (made[i - 1].pace > 1)) {
        lengths.push_back(0);
        about.clear();
      }
      ++lengths.back();
      (burst ? burst_gaps : quiet_gaps) += made[i].arrival_seconds - last;
      last = made[i].arrival_seconds;
      if (!burst) continue;
      ++inside;
      ++of_bursts[made[i].context];
      about.insert(made[i].context);
      QVERIFY(about.size() <= 3);
    }
    const double quiet = static_cast<double>(requests) - inside;
    const auto near = [](double found, double wanted, double share) {
      return std::abs(found - wanted) < share * wanted;
    };
    QVERIFY(made.front().pace < 1);  // it begins quietly
    QVERIFY(near(inside / static_cast<double>(burst_lengths.size()), 10, 0.05));
    QVERIFY(near(quiet / static_cast<double>(quiet_lengths.size()), 30, 0.05));
    QVERIFY(near(last, static_cast<double>(requests) / 4, 0.03));  // the mean rate stands
    QVERIFY(near((quiet_gaps / quiet) / (burst_gaps / inside), some_bursts.factor, 0.03));
    // Lengths are geometric: the standard deviation is nearly the mean.
    double squares = 0;
    for (const std::size_t length : burst_lengths)
      squares += (static_cast<double>(length) - 10) * (static_cast<double>(length) - 10);
    QVERIFY(near(std::sqrt(squares / static_cast<double>(burst_lengths.size())), std::sqrt(90.0), 0.07));
    // Every context has its bursts, popular or not. Bursts, not requests, are what is drawn: about 30 requests count
    // as 3.
    for (const double count : of_bursts) QVERIFY(near(count, inside / 20, 0.15));
  }

  void aBurstIsGoodForWhoeverKeepsWhatIsAskedNow() {
    // The share of requests whose context was among the last three different ones: what a small cache would find.
    const auto found_in_three = [](const ArrivalProcess& arrivals) {
      std::vector<std::size_t> recent;
      double found = 0;
      for (const WorkloadRequest& request : workload_of(40, 1, 0, arrivals).requests(20'000, 2)) {
        const auto at = std::ranges::find(recent, request.context);
        if (at != recent.end()) {
          ++found;
          recent.erase(at);
        }
        recent.insert(recent.begin(), request.context);
        if (recent.size() > 3) recent.pop_back();
      }
      return found / 20'000;
    };
    ArrivalProcess arrivals{.requests_per_second = 0, .zipf_exponent = 0.7, .requests = 1};
    const double without = found_in_three(arrivals);
    arrivals.bursts = some_bursts;
    const double with = found_in_three(arrivals);
    QVERIFY2(with > without + 0.1, qPrintable(QStringLiteral("%1 and %2").arg(without).arg(with)));
  }

  void theShareOfPhaseOneRisesOnSchedule_data() {
    QTest::addColumn<bool>("oneByOne");
    QTest::newRow("together") << false;
    QTest::newRow("one by one") << true;
  }
  void theShareOfPhaseOneRisesOnSchedule() {
    QFETCH(bool, oneByOne);
    constexpr std::uint64_t requests = 100'000;
    ArrivalProcess arrivals{.requests_per_second = 0, .zipf_exponent = 0, .requests = requests};
    arrivals.drift = Drift{.begin = 0.3, .end = 0.7, .one_by_one = oneByOne};
    const Workload workload = workload_of(50, 3, 4, arrivals);
    const auto made = workload.requests(0, 4);
    constexpr std::size_t window = 5000;
    for (std::size_t begin = 0; begin < requests; begin += window) {
      double later = 0;
      for (std::size_t i = begin; i < begin + window; ++i) later += phase_of(workload, made[i]);
      const double middle = (static_cast<double>(begin) + window / 2.0) / requests;
      const double wanted = std::clamp((middle - 0.3) / 0.4, 0.0, 1.0);
      const double share = later / window;
      QVERIFY2(std::abs(share - wanted) < (wanted == 0 || wanted == 1 ? 1e-12 : 0.04),
               qPrintable(QStringLiteral("%1: %2").arg(middle).arg(share)));
    }
    // One by one, a context never goes back; together, all contexts mix both for the whole drift.
    std::map<std::size_t, std::pair<std::size_t, std::size_t>> last_early_first_late;
    for (std::size_t i = 0; i < made.size(); ++i) {
      auto& [last_early, first_late] = last_early_first_late.try_emplace(made[i].context, 0, requests).first->second;
      if (phase_of(workload, made[i]) == 0)
        last_early = i;
      else
        first_late = std::min(first_late, i);
    }
    std::set<std::size_t> changes;
    for (const auto& [context, both] : last_early_first_late) {
      QCOMPARE(both.second > both.first, oneByOne);
      QVERIFY(both.second >= 30'000 && both.first < 70'000);
      changes.insert(both.second * 50 / requests);
    }
    QVERIFY(oneByOne ? changes.size() > 15 : changes.size() <= 5);
  }

  void whoDriftsFirstBelongsToTheWorkload() {
    const auto order = [](std::uint64_t seed, std::uint64_t run_seed) {
      ArrivalProcess arrivals{.requests_per_second = 0, .zipf_exponent = 0, .requests = 4000};
      arrivals.drift = Drift{.begin = 0, .end = 1, .one_by_one = true};
      const Workload workload = workload_of(6, 1, 1, arrivals, seed);
      std::vector<std::size_t> changed;
      for (const WorkloadRequest& request : workload.requests(0, run_seed))
        if (phase_of(workload, request) == 1 && std::ranges::find(changed, request.context) == changed.end())
          changed.push_back(request.context);
      return changed;
    };
    QCOMPARE(order(1, 1), order(1, 2));
    QVERIFY(order(1, 1) != order(2, 1) || order(1, 1) != order(3, 1));
  }

  void questionsOfAPhaseAreAskedInTurn() {
    ArrivalProcess arrivals{.requests_per_second = 0, .zipf_exponent = 0.5, .requests = 1000};
    arrivals.drift = Drift{.begin = 0.2, .end = 0.8};
    const Workload workload = workload_of(3, 4, 5, arrivals);
    std::map<std::pair<std::size_t, int>, std::vector<std::size_t>> asked;
    for (const WorkloadRequest& request : workload.requests(0, 1))
      asked[{request.context, phase_of(workload, request)}].push_back(request.question);
    QCOMPARE(asked.size(), std::size_t{6});
    for (const auto& [of, questions] : asked) {
      const std::size_t own = of.second == 0 ? 4 : 5;
      QCOMPARE(std::set<std::size_t>(questions.begin(), questions.end()).size(), own);
      for (std::size_t i = own; i < questions.size(); ++i) QCOMPARE(questions[i], questions[i - own]);
    }
  }

  void withoutADriftOnlyPhaseZeroIsAsked() {
    const Workload workload = workload_of(5, 2, 3, {.requests_per_second = 0, .zipf_exponent = 0.5, .requests = 500});
    for (const WorkloadRequest& request : workload.requests(0, 1)) QCOMPARE(phase_of(workload, request), 0);
  }

  void schedulesAreWrittenAndReadBack() {
    ArrivalProcess arrivals{.requests_per_second = 0.1, .zipf_exponent = 1.0 / 3, .requests = 7};
    const auto back = [](const ArrivalProcess& process) {
      const auto read = arrivals_from_json(Json::parse(arrivals_to_json(process).dump()), "file");
      return read && read->requests_per_second == process.requests_per_second &&
             read->zipf_exponent == process.zipf_exponent && read->requests == process.requests &&
             read->tail_share == process.tail_share && read->bursts == process.bursts && read->drift == process.drift;
    };
    QVERIFY(back(arrivals));
    QCOMPARE(arrivals_to_json(arrivals).size(), std::size_t{3});  // what is not in use leaves no trace in the file
    arrivals.tail_share = 1.0 / 7;
    arrivals.bursts = Bursts{.factor = 1.1, .mean_requests = 3.3, .mean_quiet_requests = 1e6, .contexts = 1};
    QVERIFY(back(arrivals));
    arrivals.drift = Drift{.begin = 0.1, .end = 0.1, .one_by_one = true};
    QVERIFY(back(arrivals));
  }

  void impossibleSchedulesAreRefusedInALine_data() {
    QTest::addColumn<QString>("json");
    QTest::addColumn<QString>("part");
    const auto row = [](const char* json, const char* part) {
      QTest::newRow(json) << QString::fromLatin1(json) << QString::fromLatin1(part);
    };
    row(R"({"tail_share":-0.1})", "'tail_share'");
    row(R"({"tail_share":1.5})", "'tail_share'");
    row(R"({"tail_share":"half"})", "'tail_share'");
    row(R"({"bursts":5})", "bursts");
    row(R"({"bursts":{"factor":0.9}})", "'bursts.factor'");
    row(R"({"bursts":{"factor":null}})", "'bursts.factor'");  // no number
    row(R"({"bursts":{"factor":1e300}})", "'bursts.factor'");
    row(R"({"bursts":{"mean_requests":0}})", "'bursts.mean_requests'");
    row(R"({"bursts":{"mean_quiet_requests":-3}})", "'bursts.mean_quiet_requests'");
    row(R"({"bursts":{"contexts":0}})", "'bursts.contexts'");
    row(R"({"bursts":{"contexts":-1}})", "contexts");
    row(R"({"bursts":{"contexts":1.5}})", "contexts");
    row(R"({"bursts":{"length":3}})", "'length'");
    row(R"({"drift":[]})", "drift");
    row(R"({"drift":{"begin":-0.1}})", "'drift.begin'");
    row(R"({"drift":{"end":1.1}})", "'drift.end'");
    row(R"({"drift":{"begin":0.6,"end":0.5}})", "'drift.end' is before 'drift.begin'");
    row(R"({"drift":{"begin":null,"end":0.5}})", "'drift.begin'");
    row(R"({"drift":{"one_by_one":1}})", "one_by_one");
    row(R"({"drift":{"start":1}})", "'start'");
    row(R"({"burst":{}})", "'burst'");
    row(R"([])", "arrivals");
  }
  void impossibleSchedulesAreRefusedInALine() {
    QFETCH(QString, json);
    QFETCH(QString, part);
    const auto read = arrivals_from_json(Json::parse(json.toStdString()), "workload.json");
    QVERIFY(!read);
    QCOMPARE(read.error().code, ErrorCode::rejected_input);
    const QString message = QString::fromStdString(read.error().message);
    QVERIFY2(message.startsWith("workload.json") && message.contains(part) && !message.contains('\n'),
             qPrintable(message));
  }

 private:
  static inline Json goldens_;
};

KV_TEST_GUILESS_MAIN(SchedulesTest)

}  // namespace schedules_test

#include "schedules_test.moc"
