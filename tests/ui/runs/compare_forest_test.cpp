// links: kv_ui
// The rows of the forest plot are the comparison of core/report, scaled by the baseline: exact differences and
// intervals of planted runs, what they say in words, and what is drawn of them. Settings, summary and exports of the
// same runs.
#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/units.h"
#include "core/report/table.h"
#include "tests/support/test_program.h"
#include "tests/ui/runs/compare_samples.h"
#include "ui/runs/compare/forest_paint.h"
#include "ui/runs/compare/model/compare_export.h"
#include "ui/runs/compare/model/compare_summary.h"
#include "ui/runs/compare/model/settings_diff_model.h"
#include "ui/text/words.h"

namespace compare_forest_test {

using namespace kvantage;

namespace {

/// A comparison with every kind of judgment that an export shows.
RunComparison written_comparison() {
  const auto value = [](double number, std::size_t n) {
    ComparedValue made;
    made.value = number;
    made.n = n;
    return made;
  };
  const auto compared = [&](double number, std::size_t n, double delta, Judgment judgment) {
    ComparedValue made = value(number, n);
    made.delta = delta;
    made.judgment = judgment;
    made.pairs = n;
    return made;
  };
  ComparedValue faster = compared(50, 60, -50, Judgment::better),
                better = compared(0.52, 60, 0.02, Judgment::no_difference);
  faster.delta_interval = Interval{-60, -40};
  better.delta_interval = Interval{-0.01, 0.05};
  RunComparison comparison;
  comparison.runs = {"run-a", "run-b"};
  comparison.names = comparison.policies = {"lru", "evicpress"};
  comparison.unfinished = {"", ""};
  comparison.metrics = {{"TTFT, service", "ms", {value(100, 60), faster}},
                        {"served from tiers", "%", {value(40, 60), std::nullopt}},
                        {"quality, token_f1", "1", {value(0.5, 60), better}},
                        {"requests", "1/s", {value(2.5, 0), compared(5, 0, 2.5, Judgment::single)}}};
  return comparison;
}

}  // namespace

class CompareForestTest : public QObject {
  Q_OBJECT
  std::shared_ptr<MemoryLibrary> library_ = test::planted_library();

  static void compare(RunComparisonModel& model, const QStringList& ids) {
    QSignalSpy compared(&model, &RunComparisonModel::compared);
    model.compare(ids);
    QTRY_COMPARE(compared.count(), 1);
  }
  static QString words(const ForestModel& forest, const char* metric) {
    return forest.index(forest.row_of(metric), ForestModel::words_column).data().toString();
  }
  static std::vector<RecordedRun> recorded(const MemoryLibrary& library, const std::vector<std::string>& ids) {
    std::vector<RecordedRun> runs;
    for (const std::string& id : ids) runs.push_back({library.runs.at(id).summary, library.runs.at(id).events});
    return runs;
  }

 private slots:
  void marksAreTheDifferencesOfCore() {
    RunComparisonModel model(library_);
    ForestModel forest(model);
    QAbstractItemModelTester tester(&forest, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QCOMPARE(forest.rowCount(), 0);
    compare(model, {"run-a", "run-b"});
    const RunComparison expected = compare_runs(recorded(*library_, {"run-a", "run-b"}));
    int metrics = 0, intervals = 0;
    for (int row = 0; row < forest.rowCount(); ++row) {
      const ComparedMetric* shown = forest.metric(row);
      if (shown == nullptr) continue;
      ++metrics;
      const auto metric = std::ranges::find(expected.metrics, shown->name, &ComparedMetric::name);
      const ComparedValue &before = *metric->values[0], &after = *metric->values[1];
      const std::vector<ForestMark> marks = forest.marks(row);
      if (before.value == 0) {
        QVERIFY(marks.empty());
        continue;
      }
      QCOMPARE(marks.size(), std::size_t{1});
      QCOMPARE(marks[0].difference, *after.delta / before.value);
      QVERIFY(marks[0].judgment == after.judgment);
      QCOMPARE(marks[0].interval.has_value(), after.delta_interval.has_value());
      if (!marks[0].interval) continue;
      ++intervals;
      QCOMPARE(marks[0].interval->low, after.delta_interval->low / before.value);
      QCOMPARE(marks[0].interval->high, after.delta_interval->high / before.value);
    }
    QCOMPARE(metrics, static_cast<int>(expected.metrics.size()));
    QVERIFY2(metrics >= 10 && intervals >= 5, qPrintable(QStringLiteral("%1 %2").arg(metrics).arg(intervals)));
    // What was planted: half of every time.
    const ForestMark ttft = forest.marks(forest.row_of("TTFT, service")).front();
    QVERIFY(std::abs(ttft.difference + 0.5) < 1e-9);
    QVERIFY(ttft.judgment == Judgment::better && ttft.interval->low < -0.5 && ttft.interval->high > -0.5 &&
            ttft.interval->high < 0);
  }

  void metricsAreInGroups() {
    RunComparisonModel model(library_);
    ForestModel forest(model);
    compare(model, {"run-a", "run-b"});
    QStringList headings;
    std::map<std::string, QString> group;
    for (int row = 0; row < forest.rowCount(); ++row) {
      const QModelIndex first = forest.index(row, ForestModel::metric_column);
      if (const ComparedMetric* metric = forest.metric(row)) {
        group[metric->name] = headings.back();
        QVERIFY(first.flags() & Qt::ItemIsSelectable);
      } else {
        headings << first.data().toString();
        QCOMPARE(first.flags(), Qt::ItemFlags(Qt::NoItemFlags));
      }
    }
    QCOMPARE(headings, (QStringList{"Latency", "Quality", "Tiers", "Cost"}));
    QCOMPARE(group.at("TTFT, service, p95"), QString("Latency"));
    QCOMPARE(group.at("end to end"), QString("Latency"));
    QCOMPARE(group.at("quality, token_f1"), QString("Quality"));
    QCOMPARE(group.at("served from tiers"), QString("Tiers"));
    QCOMPARE(group.at("requests"), QString("Cost"));
  }

  void differencesAreSaidInWords() {
    RunComparisonModel model(library_);
    ForestModel forest(model);
    compare(model, {"run-a", "run-b", "run-c"});
    const ComparedMetric& ttft = model.comparison().metrics.front();
    const double base = ttft.values[0]->value;
    const auto percent = [&](double ms) { return to_q(format_fixed(-100 * ms / base, 0)); };
    QCOMPARE(words(forest, "TTFT, service"),
             QStringLiteral("B is faster by 50 % (%1 to %2 %)")
                 .arg(percent(ttft.values[1]->delta_interval->high), percent(ttft.values[1]->delta_interval->low)));
    QCOMPARE(words(forest, "quality, token_f1"), QString("not significant (n = 60)"));
    QCOMPARE(words(forest, "end to end"), QString("the same for each of n = 60"));
    QVERIFY(words(forest, "requests").endsWith("not judged"));

    forest.set_other(2);  // other questions: nothing is paired
    QCOMPARE(words(forest, "TTFT, service"), QString("C is faster by 80 %, other questions"));
    QCOMPARE(words(forest, "quality, token_f1"), QString("not significant (n = 60 and 60)"));
    QVERIFY(!forest.marks(forest.row_of("TTFT, service")).front().interval);

    // The other way around, and letters stay those of the runs.
    QSignalSpy compared(&model, &RunComparisonModel::compared);
    forest.set_other(1);
    model.set_baseline(1);
    QTRY_COMPARE(compared.count(), 1);
    QCOMPARE(forest.other(), 0);
    QVERIFY2(words(forest, "TTFT, service").startsWith("A is slower by 100 % ("),
             qPrintable(words(forest, "TTFT, service")));
    QCOMPARE(forest.headerData(ForestModel::baseline_column, Qt::Horizontal, Qt::DisplayRole).toString(), QString("B"));
    QCOMPARE(forest.headerData(ForestModel::other_column, Qt::Horizontal, Qt::DisplayRole).toString(), QString("A"));
  }

  void whatIsNotJudgedIsSaid() {
    RunComparison comparison = written_comparison();
    ComparedMetric& ttft = comparison.metrics[0];
    const auto said = [&](Judgment judgment) {
      ttft.values[1]->judgment = judgment;
      return difference_text(comparison, ttft, 1);
    };
    QCOMPARE(said(Judgment::incomplete), QString("not judged: run not complete"));
    QCOMPARE(said(Judgment::disturbed), QString("not judged: machine disturbed"));
    QCOMPARE(said(Judgment::unknown), QString("not known: no interval"));
    QCOMPARE(said(Judgment::better), QString("B is faster by 50 % (40 to 60 %)"));
    QCOMPARE(difference_text(comparison, comparison.metrics[1], 1), QString("B lacks this metric"));
    QCOMPARE(difference_text(comparison, comparison.metrics[3], 1), QString("B is higher by 100 %; not judged"));
    QCOMPARE(difference_text(comparison, ttft, 0), QString());
    ttft.values[0].reset();
    QCOMPARE(difference_text(comparison, ttft, 1), QString("the baseline lacks this metric"));
    QVERIFY(!forest_mark(comparison, ttft, 1));
  }

  // Nothing is faster by 152 %: where the interval passes the baseline's value, the words have the metric's unit.
  void noPercentPassesTheBaseline() {
    RunComparison comparison = written_comparison();
    ComparedMetric& ttft = comparison.metrics[0];
    ttft.values[0]->value = 200;
    ComparedValue& after = *ttft.values[1];
    const auto said = [&](double delta, Interval interval) {
      after.delta = delta;
      after.delta_interval = interval;
      return difference_text(comparison, ttft, 1);
    };
    QCOMPARE(said(-114, {-304, -84}), QString("B is faster by 114.0 ms (84.0 to 304.0 ms)"));
    QCOMPARE(said(-114, {-200, -84}), QString("B is faster by 57 % (42 to 100 %)"));  // all of it is possible
    QCOMPARE(said(-114, {-200.5, -84}), QString("B is faster by 114.0 ms (84.0 to 200.5 ms)"));
    after.judgment = Judgment::worse;
    QCOMPARE(said(300, {240, 500}), QString("B is slower by 150 % (120 to 250 %)"));  // that can be
    after.judgment = Judgment::better;
    ttft.name = "decode_offload";
    ttft.unit = "";
    QCOMPARE(said(-114, {-304, -84}), QString("B is lower by 114.0 (84.0 to 304.0)"));
    ttft.unit = "MiB";
    QCOMPARE(said(-114, {-304, -84}), QString("B is lower by 114.0 MiB (84.0 to 304.0 MiB)"));
  }

  void severalRunsAreInOnePlot() {
    RunComparisonModel model(library_);
    ForestModel forest(model);
    compare(model, {"run-a", "run-b"});
    forest.plot_all(true);
    QVERIFY(!forest.can_plot_all() && !forest.plots_all());
    compare(model, {"run-a", "run-b", "run-c"});
    QVERIFY(forest.plots_all());
    const std::vector<ForestMark> marks = forest.marks(forest.row_of("TTFT, service"));
    QCOMPARE(marks.size(), std::size_t{2});
    QCOMPARE(marks[0].side, std::size_t{1});
    QCOMPARE(marks[1].side, std::size_t{2});
    QVERIFY(std::abs(marks[1].difference + 0.8) < 1e-9);
    QVERIFY(forest.limit() >= 0.8 && forest.limit() <= 1);
    forest.plot_all(false);
    QCOMPARE(forest.marks(forest.row_of("TTFT, service")).size(), std::size_t{1});
  }

  void significanceIsColorAndShape() {
    for (const ThemeKind kind : {ThemeKind::light, ThemeKind::dark}) {
      const Theme& theme = theme_of(kind);
      const ForestLook better = forest_look(Judgment::better, theme), worse = forest_look(Judgment::worse, theme),
                       alike = forest_look(Judgment::no_difference, theme),
                       single = forest_look(Judgment::single, theme);
      QVERIFY(better.filled && worse.filled && !alike.filled && !single.filled);
      QVERIFY(better.shape != worse.shape && worse.shape != alike.shape && alike.shape != single.shape);
      QVERIFY(better.color != worse.color && better.color != alike.color && worse.color != alike.color);
      QCOMPARE(forest_legend(theme).size(), std::size_t{4});
    }
    const ForestAxis axis = forest_axis(QRectF(100, 0, 200, 20), 0.5);
    QCOMPARE(axis.at(0), 200.0);
    QCOMPARE(axis.at(0.5) - 200, 200 - axis.at(-0.5));
    QCOMPARE(axis.at(7), axis.at(0.5));
    QVERIFY(axis.at(-0.5) > 100 && axis.at(0.5) < 300 && axis.holds(0.5) && !axis.holds(-0.6));
  }

  void settingsThatDifferAndAll() {
    RunComparisonModel model(library_);
    ForestModel forest(model);
    SettingsDiffModel settings(model, forest);
    QAbstractItemModelTester tester(&settings, QAbstractItemModelTester::FailureReportingMode::QtTest);
    compare(model, {"run-a", "run-b"});
    const auto rows = [&] {
      QStringList found;
      for (int row = 0; row < settings.rowCount(); ++row)
        found << settings.index(row, 0).data().toString() + '=' + settings.index(row, 1).data().toString() + '/' +
                     settings.index(row, 2).data().toString();
      return found;
    };
    QCOMPARE(rows(), (QStringList{"environment/seed=3/4", "policy=lru/evicpress"}));
    QCOMPARE(settings.differing(), 2);
    settings.show_all(true);
    const QStringList all = rows();
    QVERIFY2(all.contains("tiers/0/budget_bytes=4.0 MiB/4.0 MiB") && all.contains("alpha=0.250/0.250") &&
                 all.contains("environment/seed=3/4") && all.contains("environment/workload=quickstart/quickstart"),
             qPrintable(all.join('\n')));
    QCOMPARE(settings.differing(), 2);
    // The comparison names the same ones.
    for (const DifferingSetting& setting : model.comparison().settings)
      QVERIFY(all.filter(to_q(setting.name) + '=').size() == 1);
  }

  void theSummaryNamesConditionsAndWarns() {
    auto library = test::planted_library();
    test::PlantedRun odd;
    odd.id = "run-d";
    odd.workload = "own text";
    odd.model = "other-model";
    odd.seed = 9;
    odd.provenance = Provenance::simulated;
    library->runs["run-d"] = test::planted_run(odd);
    library->runs["run-d"].summary.settings["repeats"] = "run-z";
    RunComparisonModel model(library);
    compare(model, {"run-a", "run-b", "run-c", "run-d"});
    const ComparedSummary plain = compared_summary(model, 1);
    QCOMPARE(plain.warnings, QStringList{"The seeds differ: 3, 4."});
    QVERIFY2(plain.text.startsWith("B (evicpress) against the baseline A (lru). Both answered the same 60 question"),
             qPrintable(plain.text));
    QVERIFY(plain.text.contains("(contexts: 6)"));
    QVERIFY(plain.text.contains("Significant: TTFT, service: B is faster by 50 % ("));
    QVERIFY(plain.text.contains("Not significant: ") && plain.text.contains("Not judged: requests; answer tokens."));
    QVERIFY(plain.text.endsWith("Caution: The seeds differ: 3, 4."));
    QVERIFY(compared_summary(model, 2).text.contains("The runs answered other questions, so nothing is paired"));
    QCOMPARE(
        compared_summary(model, 3).warnings,
        (QStringList{"The workloads differ: quickstart, own text.", "The models differ: kvantage-12M, other-model.",
                     "The seeds differ: 3, 9.", "D is simulated: its times are computed, not measured.",
                     "D repeats the recorded run run-z."}));
    QVERIFY(compared_summary(model, 0).text.isEmpty());  // the baseline itself
  }

  void theTableIsForBooktabs() {
    const std::string expected = R"tex(% \usepackage{booktabs}
% A: run-a, lru  (baseline)
% B: run-b, evicpress
\begin{tabular}{lrrrrr}
\toprule
Metric & A & B & B $-$ A & 95\,\% interval & n \\
\midrule
\multicolumn{6}{l}{\textit{Latency}} \\
TTFT, service & 100.0 ms & 50.0 ms & $-$50.0* & [$-$60.0, $-$40.0] & 60 \\
\midrule
\multicolumn{6}{l}{\textit{Quality}} \\
quality, token\_f1 & 0.500 & 0.520 & +0.020 & [$-$0.010, +0.050] & 60 \\
\midrule
\multicolumn{6}{l}{\textit{Tiers}} \\
served from tiers & 40.0 \% & -- & -- & -- & -- \\
\midrule
\multicolumn{6}{l}{\textit{Cost}} \\
requests & 2.50 1/s & 5.00 1/s & +2.50 & -- & -- \\
\bottomrule
\end{tabular}
% *: significant
)tex";
    QCOMPARE(compared_booktabs(written_comparison(), 1), expected + "% " + mark_legend() + "\n");
  }

  void theForestPlotIsForPgfplots() {
    const std::string expected = R"tex(% \usepackage{pgfplots}
% A: run-a, lru  (baseline)
% B: run-b, evicpress
\begin{tikzpicture}
\begin{axis}[width=0.7\linewidth, height=3cm, y dir=reverse, ymin=-0.5, ymax=2.5, ytick={0,1,2}, )tex"
                                 R"tex(yticklabels={{TTFT, service},{quality, token\_f1},{requests}}, xmajorgrids, )tex"
                                 R"tex(xlabel={B $-$ A (\% of A)}, legend style={at={(0.5,1.03)}, anchor=south, )tex"
                                 R"tex(font=\scriptsize, legend columns=3}]
\addplot[black, no marks, forget plot] coordinates {(0, -0.5) (0, 2.5)};
\addplot[black, only marks, mark=*, error bars/.cd, x dir=both, x explicit] coordinates {
(-50.0, 0) += (10.0, 0) -= (10.0, 0)
};
\addlegendentry{significant}
\addplot[black!60, only marks, mark=o, mark options={solid}, error bars/.cd, x dir=both, x explicit] coordinates {
(4.0, 1) += (6.0, 0) -= (6.0, 0)
};
\addlegendentry{not significant}
\addplot[black!60, only marks, mark=x, error bars/.cd, x dir=both, x explicit] coordinates {
(100.0, 2)
};
\addlegendentry{not judged}
\end{axis}
\end{tikzpicture}
)tex";
    QCOMPARE(compared_forest_pgfplots(written_comparison(), 1), expected);
  }

  void theContextsAreForPgfplots() {
    ComparedDetails details;
    details.contexts["TTFT, service"] = {{{"c0", {10, 5}}, {"c1", {20, 5}}, {"only here", {1, 1}}},
                                         {{"c0", {5, 5}}, {"c1", {12, 4}}}};
    const std::string text = compared_contexts_pgfplots(written_comparison(), details, 1, "TTFT, service");
    QVERIFY2(text.find("(10.0, 5.0)\n(20.0, 12.0)\n") != std::string::npos, text.c_str());
    QVERIFY(text.find("xlabel={A: TTFT, service, ms}, ylabel={B: TTFT, service, ms}") != std::string::npos);
    QVERIFY(text.find("dashed") != std::string::npos);  // the diagonal
    QVERIFY(compared_contexts_pgfplots(written_comparison(), details, 1, "requests").find("tikz") == std::string::npos);
  }
};

KV_TEST_MAIN(CompareForestTest)

}  // namespace compare_forest_test

#include "compare_forest_test.moc"
