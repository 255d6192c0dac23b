// links: core_quality
// Which questions a profile asks on which forms and in which order; which forms it passes over. The scores are the
// test's.
#include "core/quality/profile_grid.h"

#include <QtTest>

#include <cmath>
#include <map>

#include "tests/support/test_program.h"

namespace profile_grid_test {

using namespace kvantage;

using Questions = std::vector<std::size_t>;

/// Questions 0, 2, 4 are for the profile; 1 and 3 are held out.
struct Context {
  explicit Context(std::size_t questions = 5) {
    state.key = {7, 8};
    state.id = "c0";
    state.family = "even";
    details.questions.resize(questions);
    for (std::size_t q = 0; q < questions; ++q) details.questions[q].held_out = q % 2 == 1;
  }
  ProfileGrid grid(ProfilePlan plan, bool with_chance = false) const {
    return {state, details, std::move(plan), with_chance};
  }
  ContextState state;
  ContextDetails details;
};

Questions scored_in(const ProfileGrid::Group& group) {
  Questions scored;
  for (const auto& asked : group.asked)
    if (asked.scored) scored.push_back(asked.question);
  return scored;
}
Questions references_in(const ProfileGrid::Group& group) {
  Questions references;
  for (const auto& asked : group.asked)
    if (asked.reference) references.push_back(asked.question);
  return references;
}

std::string form_of(const ProfilePoint& point) {
  return point.method + " " + QString::number(point.removed_fraction).toStdString();
}

/// Measures all of it: `quality` of each form, which keeps as many tokens as it has percent. Returns the forms asked.
std::vector<std::string> measure(ProfileGrid& grid, const std::map<std::string, double>& quality) {
  std::vector<std::string> asked;
  while (!grid.done()) {
    if (!grid.group().chance) {
      asked.push_back(form_of(grid.point()));
      grid.point().kept_tokens = static_cast<int>(std::lround(100 * (1 - grid.point().removed_fraction)));
      grid.point().bytes = static_cast<std::uint64_t>(10 * grid.point().kept_tokens);
      for (std::size_t i = 0; i < scored_in(grid.group()).size(); ++i) grid.add_score(quality.at(asked.back()));
    }
    grid.finish_group();
  }
  return asked;
}

const ProfilePlan two_methods{.methods = {"knorm", "random"}, .removed_fractions = {0.2, 0.5, 0.8}};
using Forms = std::vector<std::string>;
const Forms all_forms{"none 0", "knorm 0.2", "knorm 0.5", "knorm 0.8", "random 0.2", "random 0.5", "random 0.8"};
const std::map<std::string, double> good{{"none 0", 1.0},     {"knorm 0.2", 0.95},  {"knorm 0.5", 0.9},
                                         {"knorm 0.8", 0.85}, {"random 0.2", 0.95}, {"random 0.5", 0.9},
                                         {"random 0.8", 0.8}};

std::map<std::string, double> good_but(const std::map<std::string, double>& others) {
  std::map<std::string, double> qualities = others;
  qualities.insert(good.begin(), good.end());
  return qualities;
}

/// Cells of an earlier profile.
std::vector<ProfileCell> cells_of(const std::map<std::string, double>& quality) {
  ProfileGrid grid = Context().grid(two_methods);
  measure(grid, quality);
  return grid.take_cells();
}

class ProfileGridTest : public QObject {
  Q_OBJECT

 private slots:
  void everyFormIsAskedUncompressedFirst() {
    ProfileGrid grid = Context().grid(two_methods);
    QCOMPARE(measure(grid, good), all_forms);
    QCOMPARE(grid.asked_forms(), all_forms.size());
    const auto cells = grid.take_cells();
    QCOMPARE(cells.size(), all_forms.size());
    for (std::size_t c = 0; c < cells.size(); ++c) {
      QCOMPARE(form_of(cells[c].point), all_forms[c]);
      QVERIFY(cells[c].context == (Digest128{7, 8}) && cells[c].context_id == "c0" && cells[c].family == "even");
    }
    const ContextProfile profile = profile_of(cells);
    QCOMPARE(profile.points.size(), cells.size());
    QCOMPARE(form_of(profile.points[3]), all_forms[3]);
    QCOMPARE(profile.points[3].quality, cells[3].point.quality);
  }

  void methodsThatRemoveNothingHaveOneForm() {
    ProfileGrid grid =
        Context().grid({.methods = {"none", "kivi4", "no such method", "knorm"}, .removed_fractions = {0, 0.5}});
    QCOMPARE(measure(grid, {{"none 0", 1}, {"kivi4 0", 1}, {"knorm 0.5", 1}}),
             (Forms{"none 0", "kivi4 0", "knorm 0.5"}));
  }

  void whatAllMethodsNeedIsObservedAtOnce() {
    QCOMPARE(Context().grid({.methods = {"knorm"}, .removed_fractions = {0.5}}).needs().window_queries, 0);
    const ObservationNeeds needs =
        Context()
            .grid({.methods = {"snapkv(window=16)", "kvzip", "snapkv(window=32)"}, .removed_fractions = {0.5}})
            .needs();
    QCOMPARE(needs.window_queries, 32);
    QVERIFY(needs.repeat_pass && !needs.calibration);
  }

  void profileQuestionsAreScoredAndTheOthersAnsweredForReference() {
    ProfileGrid grid = Context().grid(two_methods);
    QCOMPARE(scored_in(grid.group()), (Questions{0, 2, 4}));
    QCOMPARE(references_in(grid.group()), (Questions{0, 1, 2, 3, 4}));
    grid.finish_group();
    QCOMPARE(scored_in(grid.group()), (Questions{0, 2, 4}));
    QVERIFY(references_in(grid.group()).empty() && grid.group().asked.size() == 3);
  }

  void whichQuestionsAreAsked_data() {
    QTest::addColumn<int>("questions");
    QTest::addColumn<bool>("reference_answers");
    QTest::addColumn<QList<int>>("asked");
    QTest::addColumn<QList<int>>("scored");
    QTest::addColumn<QList<int>>("references");
    QTest::newRow("at most two") << 2 << false << QList<int>{} << QList{0, 2} << QList{0, 2};
    QTest::newRow("at most two, references of all") << 2 << true << QList<int>{} << QList{0, 2} << QList{0, 1, 2, 3, 4};
    QTest::newRow("more than there are") << 9 << false << QList<int>{} << QList{0, 2, 4} << QList{0, 2, 4};
    QTest::newRow("those asked for") << 0 << false << QList{4, 1} << QList{1, 4} << QList{1, 4};
    QTest::newRow("the first of those asked for") << 1 << false << QList{4, 1} << QList{1} << QList{1};
  }
  void whichQuestionsAreAsked() {
    QFETCH(int, questions);
    QFETCH(bool, reference_answers);
    QFETCH(QList<int>, asked);
    QFETCH(QList<int>, scored);
    QFETCH(QList<int>, references);
    ProfilePlan plan = two_methods;
    plan.questions = static_cast<std::size_t>(questions);
    plan.reference_answers = reference_answers;
    plan.asked.assign(asked.begin(), asked.end());
    ProfileGrid grid = Context().grid(plan);
    QCOMPARE(scored_in(grid.group()), Questions(scored.begin(), scored.end()));
    QCOMPARE(references_in(grid.group()), Questions(references.begin(), references.end()));
    grid.finish_group();
    QCOMPARE(scored_in(grid.group()), Questions(scored.begin(), scored.end()));
  }

  void withoutQuestionsThereIsNothingToAsk() {
    ProfileGrid grid = Context(0).grid(two_methods, true);
    QVERIFY(grid.done());
    const auto cells = grid.take_cells();
    QCOMPARE(cells.size(), all_forms.size());
    QVERIFY(cells[0].point.n == 0 && cells[0].point.quality == 0);
    // Held-out ones alone are answered for reference, and score nothing.
    Context held_out(1);
    held_out.details.questions[0].held_out = true;
    ProfileGrid references = held_out.grid(two_methods, true);
    QCOMPARE(references_in(references.group()), Questions{0});
    references.finish_group();
    QVERIFY(references.done());
  }

  void chanceIsAskedLastAndCountsForNoForm() {
    ProfileGrid grid = Context().grid(two_methods, true);
    for (std::size_t form = 0; form < all_forms.size(); ++form) {
      QVERIFY(!grid.group().chance);
      grid.add_score(1);
      grid.finish_group();
    }
    QVERIFY(!grid.done() && grid.group().chance);
    QCOMPARE(scored_in(grid.group()), (Questions{0, 2, 4}));
    QCOMPARE(grid.group().asked.size(), std::size_t{3});
    grid.add_score(0.25);
    grid.add_score(0.5);
    grid.finish_group();
    QVERIFY(grid.done());
    QCOMPARE(grid.chance_scores(), (std::vector{0.25, 0.5}));
    QCOMPARE(grid.asked_forms(), all_forms.size());
    QCOMPARE(grid.take_cells()[0].scores, std::vector{1.0});
  }

  void aFormsQualityIsTheMeanOfItsScores() {
    ProfileGrid grid = Context().grid({.methods = {"knorm"}, .removed_fractions = {0.5}});
    for (const double score : {1.0, 0.5, 0.0}) grid.add_score(score);
    grid.finish_group();
    grid.add_score(0.25);
    grid.finish_group();
    const auto cells = grid.take_cells();
    QCOMPARE(cells[0].scores, (std::vector{1.0, 0.5, 0.0}));
    const MeanWithInterval wanted = mean_with_interval(cells[0].scores);
    QCOMPARE(cells[0].point.quality, 0.5);
    QVERIFY(cells[0].point.quality_low == wanted.low && cells[0].point.quality_high == wanted.high);
    QVERIFY(wanted.low < 0.5 && wanted.high > 0.5);
    QCOMPARE(cells[0].point.n, 3);
    QVERIFY(cells[1].point.quality == 0.25 && cells[1].point.n == 1);
  }

  void theBestMethodOfTheEarlierProfileIsAskedFirst() {
    ProfilePlan again = two_methods;
    again.before = cells_of(good_but({{"knorm 0.8", 0.5}}));
    ProfileGrid grid = Context().grid(again);
    QCOMPARE(measure(grid, good),
             (Forms{"none 0", "random 0.2", "random 0.5", "random 0.8", "knorm 0.2", "knorm 0.5", "knorm 0.8"}));
  }

  void whatIsPassedOver_data() {
    using Qualities = std::map<std::string, double>;
    QTest::addColumn<Qualities>("quality");
    QTest::addColumn<Forms>("passed_over");
    const auto row = [](const char* name, const Qualities& quality, const Forms& passed_over) {
      QTest::newRow(name) << quality << passed_over;
    };
    row("nothing where all are good", {}, {});
    row("below half of the uncompressed", {{"knorm 0.2", 0.49}}, {"knorm 0.5", "knorm 0.8"});
    row("half of it is not lost", {{"knorm 0.2", 0.51}}, {});
    row("of the uncompressed quality, not of 1", {{"none 0", 0.6}, {"knorm 0.2", 0.35}}, {});
    row("the smallest has none below it", {{"knorm 0.8", 0.1}}, {});
    row("far behind another method at its size", {{"random 0.2", 0.69}}, {"random 0.5", "random 0.8"});
    row("far behind a smaller form of another", {{"random 0.2", 0.59}, {"knorm 0.2", 0.8}, {"knorm 0.8", 0.86}},
        {"random 0.5", "random 0.8"});
    row("not far enough behind", {{"random 0.2", 0.71}}, {});
    row("behind a larger form says nothing", {{"random 0.5", 0.66}}, {});
  }
  void whatIsPassedOver() {
    using Qualities = std::map<std::string, double>;
    QFETCH(Qualities, quality);
    QFETCH(Forms, passed_over);
    ProfilePlan again = two_methods;
    again.before = cells_of(good);
    Forms wanted = all_forms;
    std::erase_if(wanted, [&](const std::string& form) { return std::ranges::count(passed_over, form) > 0; });
    for (const bool with_chance : {false, true}) {
      ProfileGrid grid = Context().grid(again, with_chance);
      QCOMPARE(measure(grid, good_but(quality)), wanted);
      QCOMPARE(grid.asked_forms(), wanted.size());
    }
    ProfileGrid first = Context().grid(two_methods);
    QCOMPARE(measure(first, good_but(quality)), all_forms);  // never without an earlier profile
  }

  void aFormPassedOverIsAsBefore() {
    ProfilePlan again = two_methods;
    again.before = cells_of(good_but({{"knorm 0.8", 0.3}}));
    again.methods = {"knorm"};
    for (ProfileCell& cell : again.before) cell.point.bytes += 5;
    ProfileGrid grid = Context().grid(again);
    measure(grid, good_but({{"knorm 0.2", 0.4}}));
    const auto cells = grid.take_cells();
    QCOMPARE(cells.size(), std::size_t{4});
    const ProfilePoint &half = cells[2].point, &fifth = cells[3].point;
    QVERIFY(half.kept_tokens == 50 && half.bytes == 505 && half.n == 0 && cells[2].scores.empty());
    for (const double of_the_last_asked : {half.quality, half.quality_low, half.quality_high})
      QCOMPARE(of_the_last_asked, 0.4);
    QVERIFY(fifth.kept_tokens == 20 && fifth.quality == 0.3);  // it was worse before
  }

  void aFormThatWasNeverMeasuredIsAsked() {
    ProfilePlan again = two_methods;
    again.before = cells_of(good);
    std::erase_if(again.before, [](const ProfileCell& cell) { return form_of(cell.point) == "knorm 0.8"; });
    ProfileGrid grid = Context().grid(again);
    const Forms asked = measure(grid, good_but({{"knorm 0.2", 0.1}, {"knorm 0.8", 0.1}}));
    QVERIFY(std::ranges::count(asked, "knorm 0.5") == 0 && std::ranges::count(asked, "knorm 0.8") == 1);
  }

  // Its cells are missing from the curve, and the questions of the others are asked.
  void aMethodThatCannotScoreIsLeftOut() {
    const Context context;
    ProfileGrid grid =
        context.grid({.methods = {"knorm", "keydiff", "snapkv"}, .removed_fractions = {0.25, 0.5}}, true);
    std::vector<std::string> asked;
    while (!grid.done()) {
      if (!grid.group().chance && grid.point().method == "keydiff") {
        grid.leave_out_method();
        continue;
      }
      asked.push_back(grid.group().chance ? "chance" : form_of(grid.point()));
      for (const auto& question : grid.group().asked)
        if (question.scored) grid.add_score(0.5);
      grid.finish_group();
    }
    QCOMPARE(asked,
             (std::vector<std::string>{"none 0", "knorm 0.25", "knorm 0.5", "snapkv 0.25", "snapkv 0.5", "chance"}));
    std::vector<std::string> measured;
    for (const ProfileCell& cell : grid.take_cells()) {
      measured.push_back(form_of(cell.point));
      QCOMPARE(cell.point.n, 3);
      QCOMPARE(cell.point.quality, 0.5);
    }
    QCOMPARE(measured, (std::vector<std::string>{"none 0", "knorm 0.25", "knorm 0.5", "snapkv 0.25", "snapkv 0.5"}));
  }
};

KV_TEST_GUILESS_MAIN(ProfileGridTest)

}  // namespace profile_grid_test

#include "profile_grid_test.moc"
