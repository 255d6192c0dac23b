// links: kv_experiments
// Figures read from quality curves, against sums done by hand.
#include <QtTest>
#include <numeric>

#include "core/experiments/profile_figures.h"
#include "core/experiments/worked_example.h"
#include "core/report/plots/plotted_bars.h"
#include "tests/support/test_program.h"

namespace profile_figures_test {

using namespace kvantage;

namespace {

ContextState context(std::string id, std::string family, int tokens, std::vector<ProfilePoint> points) {
  ContextState state;
  state.id = std::move(id);
  state.family = std::move(family);
  state.tokens = tokens;
  state.full_bytes = static_cast<std::uint64_t>(tokens) * 1000;
  state.profile = std::make_shared<ContextProfile>(ContextProfile{.points = std::move(points)});
  return state;
}

ProfilePoint point(std::string method, double removed, double quality, int tokens) {
  const auto kept = static_cast<int>(tokens * (1 - removed) + 0.5);
  return {std::move(method), removed, quality, quality, quality, 4, static_cast<std::uint64_t>(kept) * 1000, kept};
}

Snapshot three_contexts() {
  Snapshot s;
  s.tiers = {{"dram", 1 << 30, {0, 1e6, 0, 0}, false}};  // one second per thousand tokens
  s.contexts = {context("a", "story", 1000,
                        {point("none", 0, 1, 1000), point("x", 0.5, 0.9, 1000), point("x", 0.9, 0.8, 1000),
                         point("y", 0.5, 0.6, 1000), point("y", 0.9, 0.1, 1000)}),
                context("b", "story", 2000,
                        {point("none", 0, 0.8, 2000), point("x", 0.5, 0.8, 2000), point("x", 0.9, 0.4, 2000),
                         point("y", 0.5, 0.8, 2000), point("y", 0.9, 0.2, 2000)}),
                context("c", "code", 500,
                        {point("none", 0, 1, 500), point("x", 0.5, 0.2, 500), point("x", 0.9, 0, 500),
                         point("y", 0.5, 0.3, 500), point("y", 0.9, 0.05, 500)})};
  return s;
}

const std::vector<Json>& row(const FigureTable& table, const std::string& name) {
  for (const auto& row : table.rows)
    if (row.front() == name) return row;
  static const std::vector<Json> none(12);
  return none;
}
const PaperFigure& named(const char* name) { return *find_paper_figure(name); }
bool near(const Json& value, double expected) {
  return value.is_number() && std::fabs(value.get<double>() - expected) < 1e-9;
}

}  // namespace

class ProfileFiguresTest : public QObject {
  Q_OBJECT
 private slots:
  void sensitivityIsTheRelativeDrop() {
    const Snapshot s = three_contexts();
    QVERIFY(std::fabs(*sensitivity(s.contexts[1], "x", 0.9) - 0.5) < 1e-12);
    QVERIFY(!sensitivity(s.contexts[1], "x", 0.7));
    ContextState nothing = s.contexts[1];
    nothing.profile = nullptr;
    QVERIFY(!sensitivity(nothing, "x", 0.9));
  }
  void sensitivitiesByFamily() {
    const FigureResult figure = figure_sensitivities(named("evicpress/fig3"), three_contexts(), "x", 0.9);
    const FigureTable& families = figure.tables.at(1);
    QVERIFY(near(row(families, "story")[2], 0.35));  // median of 0.2 and 0.5
    QVERIFY(near(row(families, "story")[3], 0.2) &&
            near(row(families, "story")[4], 0.5));  // two contexts: either of them, or both
    QVERIFY(near(row(families, "story")[8], std::sqrt(0.045) / 0.35));
    QVERIFY(near(row(families, "code")[2], 1));
    QVERIFY(row(families, "code")[3].is_null() && row(families, "code")[8].is_null());  // one context does not vary
    QVERIFY(near(row(figure.tables[0], "median")[1], 0.5));
    QVERIFY(near(row(figure.tables[0], "mean")[1], 1.7 / 3) &&
            row(figure.tables[0], "mean")[2].get<double>() < 1.7 / 3);
    QCOMPARE(families.rows.front().front().get<std::string>(), std::string("story"));  // least sensitive first
    const FigureTable& contexts = figure.tables.at(2);  // each by itself, as the paper's curves have them
    QCOMPARE(contexts.plot->kind, FigurePlot::Kind::cdf);
    QCOMPARE(contexts.rows.size(), std::size_t{3});
    QVERIFY(near(contexts.rows[0][1], 1) && near(contexts.rows[1][1], 0.2) && near(contexts.rows[2][1], 0.5));
  }
  void aTieIsSharedAndToldApart() {
    const FigureResult figure = figure_least_hurting(named("evicpress/fig4"), three_contexts(), {"x", "y"}, 0.5);
    const FigureTable& table = figure.tables.at(0);
    QVERIFY(near(row(table, "x")[1], 50));         // a, half of b
    QVERIFY(near(row(table, "x")[4], 100.0 / 3));  // a
    QVERIFY(near(row(table, "y")[1], 50));         // c, half of b
    QVERIFY(near(row(table, "y")[2], 0) && near(row(table, "y")[3], 100));
    QVERIFY(near(row(table, "y")[7], 1250));
    QVERIFY(figure.findings.at(0).find("33.3 % of the contexts are ties") != std::string::npos);
  }
  // As the paper draws them: a length of each context that a method hurts least, in its group.
  void theLengthsAreADistributionAMethod() {
    const FigureResult figure = figure_least_hurting(named("evicpress/fig4"), three_contexts(), {"x", "y"}, 0.5);
    const FigureTable& lengths = figure.tables.at(1);
    const auto group = [&](const char* method) {
      std::vector<double> tokens;
      for (const auto& row : lengths.rows)
        if (row[0] == method) tokens.push_back(row[1].get<double>());
      return tokens;
    };
    QCOMPARE(group("x"), (std::vector<double>{1000, 2000}));  // a and the tie b
    QCOMPARE(group("y"), (std::vector<double>{2000, 500}));   // b and c
    QCOMPARE(lengths.rows.size(), std::size_t{4});
    const PlottedBins bins = plotted_bins(lengths);
    QCOMPARE(bins.groups.size(), std::size_t{2});
    for (const BinGroup& counted : bins.groups)
      QCOMPARE(std::accumulate(counted.counts.begin(), counted.counts.end(), std::size_t{0}), std::size_t{2});
  }
  // The paper's shares are marks over the bars of their methods.
  void thePapersSharesAreMarks() {
    const std::vector<std::string> methods{"kvzip", "knorm", "snapkv"};
    Snapshot s = three_contexts();
    for (ContextState& context : s.contexts) {
      ContextProfile profile{.points = {context.profile->points.front()}};
      for (const std::string& method : methods) profile.points.push_back(point(method, 0.6, 0.5, context.tokens));
      context.profile = std::make_shared<ContextProfile>(std::move(profile));
    }
    const FigureResult figure = figure_least_hurting(named("evicpress/fig4"), s, methods, 0.6);
    const FigureTable& shares = figure.tables.at(0);
    QCOMPARE(shares.plot->published.size(), methods.size());
    for (const PublishedMark& mark : shares.plot->published) {
      QVERIFY(near(row(shares, mark.at.get<std::string>())[1], 100.0 / 3));
      QVERIFY(mark.low == mark.high && mark.low > 19);
    }
  }
  // A method that leads nowhere has Wilson's interval: draws of zeros would be zeros, too.
  void aMethodThatLeadsNowhereHasAnInterval() {
    Snapshot s;
    for (int i = 0; i < 180; ++i)
      s.contexts.push_back(
          context(std::to_string(i), "story", 1000,
                  {point("none", 0, 1, 1000), point("kvzip", 0.6, 0.9, 1000), point("knorm", 0.6, 0.2, 1000)}));
    const FigureResult figure = figure_least_hurting(named("evicpress/fig4"), s, {"kvzip", "knorm"}, 0.6);
    const FigureTable& table = figure.tables.at(0);
    for (const std::size_t share : {1, 4}) {  // with ties, and without
      QVERIFY(near(row(table, "knorm")[share], 0) && near(row(table, "knorm")[share + 1], 0));
      QVERIFY(near(row(table, "knorm")[share + 2], 2.0895497921612875));
      QVERIFY(near(row(table, "kvzip")[share], 100) && near(row(table, "kvzip")[share + 2], 100));
      QVERIFY(near(row(table, "kvzip")[share + 1], 100 - 2.0895497921612875));
    }
    const auto claim = std::ranges::find(figure.measured, "evicpress/best-method-knorm", &MeasuredClaim::claim);
    QVERIFY(claim != figure.measured.end() && claim->measured.low == 0 && claim->measured.low_interval->low == 0);
    QVERIFY(std::fabs(claim->measured.low_interval->high - 0.020895497921612875) < 1e-9);
  }
  void theBestFractionBalancesQualityAndTime() {
    const FigureResult figure = figure_best_fractions(named("evicpress/fig5"), three_contexts(), {"x", "y"}, 0);
    const FigureTable& table = figure.tables.at(0);
    // a: 0.9 - 0.5 = 0.4 against 0.8 - 0.1 = 0.7; b: 1 - 0.5 against 0.5 - 0.1; c: nothing above 0.
    QVERIFY(near(row(table, "story")[2], 0.7));
    QVERIFY(near(row(table, "story")[5], std::sqrt(0.08)));
    QCOMPARE(table.plot->y, (std::vector<std::string>{"mean removed fraction", "standard deviation"}));
    const PlottedBars bars = plotted_bars(table);
    const auto& deviations = bars.groups.at(1).bars.at(1);  // "story" has the larger mean, and comes last
    QVERIFY(deviations && std::fabs(deviations->value - std::sqrt(0.08)) < 1e-9);
    QVERIFY(!deviations->interval);  // no interval is claimed of it
    QVERIFY(near(row(table, "code")[2], 0));
  }
  void theWorkedExampleIsThePapers() {
    const FigureResult figure = figure_worked_example(named("evicpress/fig2"));
    QCOMPARE(figure.tables.at(0).rows.size(), 3UL);
    QCOMPARE(QString::fromStdString(figure.findings.at(0)), "all numbers match the paper's");
    QCOMPARE(figure.provenance, Provenance::simulated);
  }
  void printsWhatItHolds() {
    const FigureResult figure = figure_worked_example(named("evicpress/fig2"));
    const std::string text = to_text(figure);
    for (const char* words : {"evicpress/fig2", "(simulated)", "2.4", "evicpress", "The paper: total TTFT 0.3"})
      QVERIFY2(text.find(words) != std::string::npos, words);
    for (const char* line_end : {" \n"}) QVERIFY(text.find(line_end) == std::string::npos);
    const Json json = to_json(figure);
    QCOMPARE(json["tables"][0]["rows"].size(), 3UL);
  }
};

KV_TEST_GUILESS_MAIN(ProfileFiguresTest)

}  // namespace profile_figures_test

#include "profile_figures_test.moc"
