// links: kv_base
// A schedule of requests: read strictly, served in its order and at its times, faster or slower in proportion.
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <map>

#include "core/base/files.h"
#include "core/workload/arrivals.h"
#include "tests/support/small_workload.h"
#include "tests/support/test_program.h"

namespace explicit_schedule_test {

using namespace kvantage;
using namespace kvantage::test;
namespace fs = std::filesystem;

class ExplicitScheduleTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  fs::path at(const char* name) const { return fs::path(folder_.path().toStdString()) / name; }
  static std::size_t held_out(const Workload& workload, std::size_t context, std::size_t nth = 0) {
    for (std::size_t q = 0; q < workload.questions.size(); ++q)
      if (workload.questions[q].context == context && workload.questions[q].split == QuestionSplit::held_out &&
          nth-- == 0)
        return q;
    qFatal("no such question");
  }
  // Three contexts, asked in an order and at times that no process would draw.
  static Workload scheduled() {
    Workload workload = small_workload(3, 20, 4);
    const auto ask = [&](double seconds, std::size_t context, std::size_t nth) {
      workload.schedule.push_back({seconds, context, held_out(workload, context, nth)});
    };
    ask(0.5, 2, 1);
    ask(0.75, 2, 1);
    ask(4, 0, 0);
    ask(4, 1, 1);
    ask(6.5, 2, 0);
    return workload;
  }

 private slots:
  void requestsComeInItsOrderAndAtItsTimes() {
    QVERIFY(write_workload(scheduled(), at("w")).has_value());
    const auto read = read_workload(at("w"));
    QVERIFY2(read.has_value(), read ? "" : read.error().message.c_str());
    QVERIFY(read->schedule == scheduled().schedule);
    QCOMPARE(read->arrivals.requests, std::uint64_t{5});
    QCOMPARE(read->arrivals.requests_per_second, 4 / 6.0);
    QCOMPARE(read->digest().hex(), scheduled().digest().hex());  // profiles stay
    for (const std::uint64_t seed : {0, 7}) {
      const std::vector<WorkloadRequest> requests = read->requests(0, seed);
      QCOMPARE(requests.size(), std::size_t{5});
      for (std::size_t i = 0; i < requests.size(); ++i) {
        QCOMPARE(requests[i].context, *read->schedule[i].context);
        QCOMPARE(requests[i].question, *read->schedule[i].question);
        QVERIFY(std::abs(requests[i].arrival_seconds - read->schedule[i].arrival_seconds) < 1e-9);
      }
    }
  }

  void fewerProfileQuestionsLeaveTheScheduleAsItWas() {
    const Workload all = scheduled();
    Workload fewer = all;
    keep_profile_questions(fewer, 0);
    QCOMPARE(fewer.questions.size(), all.questions.size());
    keep_profile_questions(fewer, 1);
    std::map<std::size_t, int> profiled;
    std::size_t asked = 0;
    for (const WorkloadQuestion& question : fewer.questions)
      if (question.split == QuestionSplit::profile)
        ++profiled[question.context];
      else
        ++asked;
    QCOMPARE(profiled, (std::map<std::size_t, int>{{0, 1}, {1, 1}, {2, 1}}));
    QCOMPARE(asked, static_cast<std::size_t>(
                        std::ranges::count(all.questions, QuestionSplit::held_out, &WorkloadQuestion::split)));
    QVERIFY(fewer.questions.size() < all.questions.size() && fewer.digest().hex() != all.digest().hex());
    for (std::size_t i = 0; i < all.schedule.size(); ++i) {
      QCOMPARE(fewer.schedule[i].context, all.schedule[i].context);
      QCOMPARE(fewer.questions[*fewer.schedule[i].question].question,
               all.questions[*all.schedule[i].question].question);
    }
  }

  void anotherRateKeepsProportions() {
    const Workload workload = scheduled();
    std::vector<WorkloadRequest> requests = workload.requests(0, 1);
    space_requests(requests, 2 * recorded_rate(workload.schedule), 3);
    for (std::size_t i = 0; i < requests.size(); ++i)
      QVERIFY(std::abs(requests[i].arrival_seconds - workload.schedule[i].arrival_seconds / 2) < 1e-9);
    space_requests(requests, 0, 3);
    QCOMPARE(requests.back().arrival_seconds, 0.0);  // each when the one before is answered
  }

  void theLeastSecondsHaveNoRate() {
    const std::vector<ScheduledRequest> schedule{{0, {}, {}}, {5e-324, {}, {}}};
    QCOMPARE(recorded_rate(schedule), 0.0);
    QCOMPARE(scheduled_gap(schedule, 1), 0.0);
  }

  void aLongerRunBeginsItAgain() {
    Workload workload = scheduled();
    workload.arrivals.requests_per_second = recorded_rate(workload.schedule);
    const std::vector<WorkloadRequest> requests = workload.requests(7, 1);
    QCOMPARE(requests.size(), std::size_t{7});
    QCOMPARE(requests[5].question, requests[0].question);
    QVERIFY(std::abs(requests[5].arrival_seconds - (6.5 + 1.5)) < 1e-9);  // a mean gap behind the last
    QVERIFY(std::abs(requests[6].arrival_seconds - (8 + 0.25)) < 1e-9);
  }

  void timesAloneKeepPopularityAndDrift() {
    Workload drawn = small_workload(4, 24, 4);
    for (WorkloadQuestion& question : drawn.questions)
      if (question.split == QuestionSplit::held_out)
        question.phase = static_cast<int>(&question - drawn.questions.data()) % 4 == 1 ? 0 : 1;
    drawn.arrivals = {
        .requests_per_second = 1, .zipf_exponent = 1, .requests = 40, .drift = Drift{.begin = 0.5, .end = 0.5}};
    Workload timed = drawn;
    for (int i = 0; i < 40; ++i) timed.schedule.push_back({0.1 * i * i, {}, {}});
    timed.arrivals.requests_per_second = recorded_rate(timed.schedule);
    const auto before = drawn.requests(0, 3), after = timed.requests(0, 3);
    QCOMPARE(after.size(), before.size());
    std::set<int> phases;
    for (std::size_t i = 0; i < after.size(); ++i) {
      QCOMPARE(after[i].context, before[i].context);
      QCOMPARE(after[i].question, before[i].question);
      QVERIFY(std::abs(after[i].arrival_seconds - timed.schedule[i].arrival_seconds) < 1e-6);
      phases.insert(timed.questions[after[i].question].phase);
    }
    QCOMPARE(phases.size(), std::size_t{2});
  }

  void aFolderThatIsWrittenAgainHasNoOldSchedule() {
    QVERIFY(write_workload(scheduled(), at("again")).has_value());
    QVERIFY(write_workload(small_workload(3, 20, 4), at("again")).has_value());
    QVERIFY(!fs::exists(at("again") / "schedule.jsonl"));
    QVERIFY(read_workload(at("again"))->schedule.empty());
  }

  void wrongLinesAreNamed_data() {
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<QByteArray>("message");
    const auto row = [](const char* name, const char* line, const char* message) {
      QTest::newRow(name) << QByteArray(line) << QByteArray(message);
    };
    row("unknown field", R"({"arrival_seconds": 9, "at": 1})", "unknown field 'at'");
    row("no time", R"({"context": "c0"})", "field 'arrival_seconds' is missing");
    row("before the one above", R"({"arrival_seconds": 6})",
        "field 'arrival_seconds' is earlier than the line above; ");
    row("never", R"({"arrival_seconds": 1e12})", "field 'arrival_seconds' is out of range; ");
    row("no such context", R"({"arrival_seconds": 9, "context": "c9"})",
        "names 'c9', which contexts.jsonl does not have; ");
    row("question about nothing", R"({"arrival_seconds": 9, "question": "Q"})", "field 'question' has no 'context'; ");
    row("no such question", R"({"arrival_seconds": 9, "context": "c0", "question": "Q"})",
        "field 'question' is not a held-out question about 'c0'");
    row("no object", "7", "schedule.jsonl:6: ");
  }
  void wrongLinesAreNamed() {
    QFETCH(QByteArray, line);
    QFETCH(QByteArray, message);
    QVERIFY(write_workload(scheduled(), at("wrong")).has_value());
    const fs::path file = at("wrong") / "schedule.jsonl";
    QVERIFY(write_text_file(file, read_text_file(file).value() + line.toStdString() + "\n").has_value());
    const auto read = read_workload(at("wrong"));
    QVERIFY(!read && read.error().code == ErrorCode::rejected_input);
    QVERIFY2(read.error().message.starts_with(file.string() + ":6: ") &&
                 read.error().message.find(message.toStdString()) != std::string::npos,
             read.error().message.c_str());
  }

  void anEmptyScheduleIsRefused() {
    QVERIFY(write_workload(scheduled(), at("empty")).has_value());
    QVERIFY(write_text_file(at("empty") / "schedule.jsonl", "\n").has_value());
    const auto read = read_workload(at("empty"));
    QVERIFY(!read && read.error().message.find("schedule.jsonl: holds no request; ") != std::string::npos);
  }
};

KV_TEST_GUILESS_MAIN(ExplicitScheduleTest)

}  // namespace explicit_schedule_test

#include "explicit_schedule_test.moc"
