// links: core_store tiers
// Progress of long work as events, alone: one piece of work at a time, and each that began ends.
#include "core/runtime/progress.h"

#include <QtTest>

#include "tests/support/engine_parts.h"
#include "tests/support/test_program.h"

namespace progress_reporter_test {

using namespace kvantage;
using namespace kvantage::test;

struct Reporting {
  std::vector<std::string> reported() const {
    std::vector<std::string> texts;
    for (const auto& progress : sink.all<events::Progress>())
      texts.push_back(progress.what + " " + std::to_string(progress.done) + "/" + std::to_string(progress.total));
    return texts;
  }
  StepClock clock{1};
  EngineParts::Sink sink;
  EventBus events{clock, {&sink}};
  ProgressReporter progress{events};
};

using Texts = std::vector<std::string>;

class ProgressReporterTest : public QObject {
  Q_OBJECT

 private slots:
  void workIsReportedAsItGoes() {
    Reporting reporting;
    for (std::uint64_t done = 0; done <= 2; ++done) reporting.progress.report("a", done, 2);
    QVERIFY((reporting.reported() == Texts{"a 0/2", "a 1/2", "a 2/2"}));
  }

  void theNextWorkEndsTheOneBefore() {
    Reporting reporting;
    reporting.progress.report("a", 1, 9);
    reporting.progress.report("b", 0, 4);
    QVERIFY((reporting.reported() == Texts{"a 1/9", "a 9/9", "b 0/4"}));
  }

  void whatHasEndedIsNotEndedAgain() {
    Reporting reporting;
    reporting.progress.report("a", 2, 2);
    reporting.progress.report("b", 0, 4);
    reporting.progress.report("b", 4, 4);
    reporting.progress.report("a", 0, 2);
    QVERIFY((reporting.reported() == Texts{"a 2/2", "b 0/4", "b 4/4", "a 0/2"}));
  }
};

KV_TEST_GUILESS_MAIN(ProgressReporterTest)

}  // namespace progress_reporter_test

#include "progress_reporter_test.moc"
