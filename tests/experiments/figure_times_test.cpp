// links: kv_experiments
// How long figures took: read from a reproduction and from results that the window keeps, and the time left of all.
#include "core/experiments/figures/figure_times.h"

#include <QTemporaryDir>
#include <QtTest>

#include <filesystem>

#include "core/base/files.h"
#include "core/experiments/paper_figures.h"
#include "tests/support/test_program.h"

namespace figure_times_test {

using namespace kvantage;

namespace {

MadeFigure made(const std::string& name, double seconds, const std::string& options = {}) {
  MadeFigure one{.name = name,
                 .command = "kvantage-cli reproduce " + name + options,
                 .begun = "2026-11-28 17:25",
                 .seconds = seconds};
  one.results = {begin_figure(name)};
  return one;
}

/// As the window writes it.
std::string kept(const std::string& figure, double seconds, const std::string& started, const Json& options) {
  return dump_json(Json{{"kvantage_figure", 1},
                        {"started", started},
                        {"seconds", seconds},
                        {"options", options},
                        {"result", to_json(begin_figure(figure))}});
}

}  // namespace

class FigureTimesTest : public QObject {
  Q_OBJECT
 private slots:
  void aReproductionHasTheTimesOfItsFigures() {
    const QTemporaryDir folder;
    const std::filesystem::path at = folder.filePath("all").toStdString();
    const auto none = times_of_reproduction(at);
    QVERIFY(!none && none.error().code == ErrorCode::rejected_input && !std::filesystem::exists(at));
    auto reproduction = Reproduction::open(at, {{"program", "0.2"}});
    QVERIFY(reproduction);
    MadeFigure runs = made("evicpress/runs", 381, " --budgets '0.08'");
    runs.results = {begin_figure("evicpress/fig7"), begin_figure("evicpress/fig9")};
    MadeFigure failed = made("kvpr/fig3", 9);
    failed.results.clear();
    failed.trouble = "no memory";
    for (const MadeFigure& one :
         {made("evicpress/fig3", 75.2), made("evicpress/fig5", 257, " --seed '2'"), runs, failed})
      QVERIFY(reproduction->keep(one));
    const auto times = times_of_reproduction(at);
    QVERIFY2(times, times ? "" : times.error().message.c_str());
    QCOMPARE(times->at("evicpress/fig3").seconds, 75.2);
    QCOMPARE(times->at("evicpress/fig3").made, std::string("2026-11-28 17:25"));
    QCOMPARE(time_text("evicpress/fig3", *times), std::string("took 1 min"));
    QCOMPARE(time_text("evicpress/fig5", *times), std::string("took 4 min with other options"));
    QCOMPARE(time_text("evicpress/runs", *times), std::string("took 6 min with other options"));
    for (const char* view : {"evicpress/fig7", "evicpress/fig9"})
      QCOMPARE(time_text(view, *times), std::string("took 6 min with evicpress/runs"));
    // fig30 is not fig3, and what has no result has no time.
    for (const char* other : {"kvpr/fig3", "evicpress/fig8", "evicpress/fig30"})
      QCOMPARE(time_text(other, *times), std::string("not measured yet here"));
  }

  void theWindowsResultsHaveTheTimeOfTheLastRun() {
    const QTemporaryDir folder;
    const std::filesystem::path at = folder.path().toStdString();
    const auto write = [&](const char* name, const std::string& text) { QVERIFY(write_text_file(at / name, text)); };
    const Json own =
        Json::array({{{"option", "--workload"}, {"value", figure_standard("evicpress/fig3", "--workload")}}});
    const Json few = Json::array({{{"option", "--seeds"}, {"value", "1"}}});
    write("a.json", kept("evicpress/fig3", 80, "2026-11-28T17:25:00.000Z", few));
    write("b.json", kept("evicpress/fig3", 82, "2026-11-29T08:00:00.000Z", own));
    write("c.json", kept("evicpress/fig3", 81, "2026-11-28T23:00:00.000Z", few));
    const Json three = Json::array({{{"option", "--seeds"}, {"value", "3"}}});
    write("d.json", kept("evicpress/fig8", 900, "2026-11-28T23:00:00.000Z", three));
    write("e.json", kept("kvpr/fig3", 0, "2026-11-28T23:00:00.000Z", Json::array()));  // imported
    write("f.json", "{");
    write("g.json", "[]");
    write("h.txt", kept("kvpr/fig6", 7, "2026-11-28T23:00:00.000Z", Json::array()));
    const FigureTimes times = times_of_kept_results(at);
    QCOMPARE(times.size(), std::size_t{2});
    QCOMPARE(times.at("evicpress/fig3").seconds, 82.0);
    QCOMPARE(times.at("evicpress/fig3").made, std::string("2026-11-29 08:00"));
    QCOMPARE(time_text("evicpress/fig3", times), std::string("took 1 min"));
    QCOMPARE(times.at("evicpress/fig8").command, std::string("kvantage-cli reproduce evicpress/fig8 --seeds '3'"));
    QVERIFY(times_of_kept_results(at / "nowhere").empty());
  }

  void durationsAreRough_data() {
    QTest::addColumn<double>("seconds");
    QTest::addColumn<QString>("text");
    for (const auto& [seconds, text] : {std::pair{0.04, "1 s"},
                                        {7.4, "7 s"},
                                        {59.4, "59 s"},
                                        {59.6, "1 min"},
                                        {90.0, "2 min"},
                                        {750.0, "13 min"},
                                        {3569.0, "59 min"},
                                        {3571.0, "1 h"},
                                        {5300.0, "1 h 30 min"},
                                        {9150.0, "2 h 30 min"},
                                        {14400.0, "4 h"}})
      QTest::addRow("%g", seconds) << seconds << text;
  }
  void durationsAreRough() {
    QFETCH(double, seconds);
    QFETCH(QString, text);
    QCOMPARE(QString::fromStdString(rough_duration(seconds)), text);
  }

  // By the mean of what has a result; arithmetic takes no time.
  void whatIsLeftFollowsTheFiguresThatWereMade() {
    const std::vector<std::string> left{"evicpress/fig4", "kvpr/fig9", "kvpr/examples"};
    std::vector<MadeFigure> all{made("evicpress/fig2", 0.04), made("evicpress/examples", 0.06)};
    QVERIFY(!seconds_left({}, left) && !seconds_left(all, left));
    MadeFigure failed = made("evicpress/fig5", 1000);
    failed.results.clear();
    all.push_back(failed);
    QVERIFY(!seconds_left(all, left));
    all.push_back(made("evicpress/fig3", 80));
    QCOMPARE(seconds_left(all, left).value_or(-1), 160.0);
    all.push_back(made("kvpr/fig10", 20));
    QCOMPARE(seconds_left(all, left).value_or(-1), 100.0);
    QCOMPARE(seconds_left(all, {}).value_or(-1), 0.0);
  }
};

KV_TEST_GUILESS_MAIN(FigureTimesTest)

}  // namespace figure_times_test

#include "figure_times_test.moc"
