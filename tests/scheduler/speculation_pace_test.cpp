// links: core_scheduler
// How many drafts a pass has, by planted times of passes and outcomes of drafts.
#include "core/scheduler/speculation_pace.h"

#include <QtTest>

#include <numeric>

#include "tests/support/test_program.h"

namespace speculation_pace_test {

using namespace kvantage;

namespace {

const SpeculationSetting automatic = parse_speculation("auto").value();

/// Decodes on a machine whose passes take `pass` and `row` seconds for each further row, with a model that accepts
/// every draft, or none. Times and outcomes are exact.
struct Machine {
  double pass = 0.01, row = 0.001;
  bool accepts = true;
  std::size_t requests = 1;
  double seconds = 0;
  int tokens = 0, drafts = 0, passes = 0;

  void decode(SpeculationPace& pace, int count, int offered = 8) {
    for (int i = 0; i < count; ++i) {
      const std::vector<DraftOffer> offers(requests, DraftOffer{offered > 0 ? 3 : 0, offered});
      const std::vector<int> drafted = pace.choose(offers);
      const int all = std::accumulate(drafted.begin(), drafted.end(), 0);
      const double took = pass + row * all;
      pace.note_pass(requests, all, took);
      for (const int own : drafted) {
        pace.note_outcome({offers[0].matched, accepts ? std::min(own + 1, offered) : 0, !accepts && offered > 0});
        tokens += 1 + (accepts ? own : 0);
      }
      seconds += took;
      drafts += all;
      ++passes;
    }
  }
};

}  // namespace

class SpeculationPaceTest : public QObject {
  Q_OBJECT

 private slots:
  void offAndLookupAskNoClock() {
    SpeculationPace pace;
    const std::vector<DraftOffer> offers{{3, 8}, {0, 0}, {1, 2}};
    pace.use(parse_speculation("lookup").value());
    for (int pass = 0; pass < 3; ++pass) {
      QVERIFY((pace.choose(offers) == std::vector<int>{8, 0, 2}));
      pace.note_pass(3, 10, 100);
      pace.note_outcome({3, 0, true});
    }
    QVERIFY((pace.choose(std::vector<DraftOffer>(2)) == std::vector<int>{0, 0}));
  }

  void aPassWithoutDraftsIsTheMeasureOfOthers() {
    SpeculationPace pace;
    pace.use(automatic);
    const std::vector<DraftOffer> one{{3, 8}};
    QCOMPARE(pace.choose(one)[0], 0);
    QVERIFY(pace.row_seconds() < 0);
    pace.note_pass(1, 0, 0.010);
    for (int learning = 0; learning < 2; ++learning) {
      QCOMPARE(pace.choose(one)[0], 8);
      pace.note_pass(1, 8, 0.018);
    }
    QCOMPARE(pace.row_seconds(), 0.001);
    QCOMPARE(pace.choose(std::vector<DraftOffer>{{3, 8}, {3, 8}}), (std::vector<int>{0, 0}));  // two are not known yet
  }

  // A half is accepted, so drafts are worth 1/2, 1/4, 1/8 of a token. At 10 ms a pass and 1 ms a row, tokens per
  // millisecond rise from 1/10 to 1.5/11 and 1.75/12; with a third draft they would fall to 1.875/13.
  void oneMoreIsDraftedWhileThatRaisesTheRate() {
    SpeculationPace pace;
    pace.use(automatic);
    pace.note_pass(1, 0, 0.010);
    for (int pass = 0; pass < 2; ++pass) pace.note_pass(1, 8, 0.018);
    QCOMPARE(pace.acceptance(3), 0.5);
    const std::vector<DraftOffer> one{{3, 8}};
    QCOMPARE(pace.choose(one)[0], 2);
    QCOMPARE(pace.choose(std::vector<DraftOffer>{{3, 1}})[0], 1);
  }

  void whatIsAcceptedIsLearntByTheLengthOfTheMatch() {
    SpeculationPace pace;
    pace.use(automatic);
    pace.note_outcome({2, 3, true});  // after 2, 3 and 4 tokens it agreed, after 5 it did not
    for (const int matched : {2, 3, 4}) QCOMPARE(pace.acceptance(matched), 2.0 / 3);
    QCOMPARE(pace.acceptance(5), 1.0 / 3);
    for (const int matched : {1, 6, 8}) QCOMPARE(pace.acceptance(matched), 0.5);
    pace.note_outcome({0, 0, false});
    QCOMPARE(pace.acceptance(1), 0.5);
    pace.note_outcome({8, 5, false});
    QVERIFY(pace.acceptance(8) > 0.8 && pace.acceptance(8) < 1);
    QCOMPARE(pace.acceptance(100), pace.acceptance(8));
  }

  void whereDraftsAreAcceptedTheRateRises() {
    SpeculationPace pace;
    pace.use(automatic);
    Machine machine;
    machine.decode(pace, 200);
    QVERIFY2(machine.tokens / machine.seconds > 4 * 100, std::to_string(machine.tokens / machine.seconds).c_str());
    QVERIFY(machine.drafts < 200 * 8);  // passes without drafts keep the measure right
  }

  // A row as expensive as a pass: only the first passes and rare trials draft.
  void whereVerifyingDoesNotPayOffItTurnsItselfOff() {
    SpeculationPace pace;
    pace.use(automatic);
    Machine machine{.pass = 0.01, .row = 0.01};
    machine.decode(pace, 2000);
    QVERIFY2(machine.drafts <= 2 * 8 + 3 * 6, std::to_string(machine.drafts).c_str());
    QVERIFY(machine.seconds < 1.02 * 2000 * machine.pass);
  }

  void whereNothingIsAcceptedItTurnsItselfOff() {
    SpeculationPace pace;
    pace.use(automatic);
    Machine machine;
    machine.accepts = false;
    machine.decode(pace, 2000);
    QVERIFY2(machine.seconds < 1.02 * 2000 * machine.pass, std::to_string(machine.seconds).c_str());
    // It notices without drafting that drafts would be right again.
    machine.accepts = true;
    const int before = machine.drafts;
    machine.decode(pace, 100);
    QVERIFY2(machine.drafts - before > 200, std::to_string(machine.drafts - before).c_str());
  }

  // A row that was expensive becomes cheap, as where others left the machine: the next trial shows it.
  void aTrialFindsThatRowsBecameCheap() {
    SpeculationPace pace;
    pace.use(automatic);
    Machine machine{.pass = 0.01, .row = 0.01};
    machine.decode(pace, 10);
    machine.row = 0.0001;
    machine.drafts = 0;
    machine.decode(pace, 2000);
    QVERIFY2(machine.drafts > 1000, std::to_string(machine.drafts).c_str());
  }

  // With more requests a row is cheaper beside the pass, and each request gets its share.
  void draftsAreSharedByTheirWorth() {
    SpeculationPace pace;
    pace.use(automatic);
    pace.note_pass(2, 0, 0.010);
    for (int pass = 0; pass < 2; ++pass) pace.note_pass(2, 8, 0.018);
    for (int i = 0; i < 50; ++i) {
      pace.note_outcome({8, 4, false});
      pace.note_outcome({1, 0, true});
    }
    const std::vector<int> drafts = pace.choose(std::vector<DraftOffer>{{1, 8}, {8, 8}});
    QCOMPARE(drafts[0], 0);
    QVERIFY2(drafts[1] >= 4, std::to_string(drafts[1]).c_str());
  }

  void anotherSettingForgetsWhatWasMeasured() {
    SpeculationPace pace;
    pace.use(automatic);
    pace.note_pass(1, 0, 0.010);
    pace.note_pass(1, 1, 0.011);
    pace.use(automatic);
    QVERIFY(pace.row_seconds() > 0);
    pace.use(parse_speculation("auto(k=4)").value());
    QVERIFY(pace.row_seconds() < 0);
    QCOMPARE(pace.setting().draft_tokens, 4);
  }

  void oneSlowPassDoesNotDecide() {
    SpeculationPace pace;
    pace.use(automatic);
    Machine machine;
    machine.decode(pace, 100);
    pace.note_pass(1, 8, 5.0);  // the machine was away
    machine.drafts = 0;
    machine.decode(pace, 100);
    QVERIFY2(machine.drafts > 200, std::to_string(machine.drafts).c_str());
  }
};

KV_TEST_APPLESS_MAIN(SpeculationPaceTest)

}  // namespace speculation_pace_test

#include "speculation_pace_test.moc"
