// links: kv_experiments
// The papers' claims as a file: what is wrong with it is said in one line.
#include <QTemporaryDir>
#include <fstream>

#include "core/experiments/claims.h"
#include "tests/support/test_program.h"

namespace claims_test {

using namespace kvantage;

class ClaimsTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  std::filesystem::path file(const std::string& text) const {
    const std::filesystem::path path = std::filesystem::path(folder_.path().toStdString()) / "claims.json";
    std::ofstream(path) << text;
    return path;
  }

 private:
  // Planted: one figure's claims, and what it measured of them.
  static std::vector<PaperClaim> planted_claims() {
    const auto claim = [](const char* id, PaperSpan span, const char* figure = "kvpr/fig7") {
      return PaperClaim{.id = id, .span = span, .unit = "share", .figure = figure};
    };
    return {claim("inside", {0.1, 0.3}),
            claim("above", {0.1, 0.3}),
            claim("at least", {1, {}}),
            claim("wide", {0.1, 0.3}),
            claim("no interval", {0.1, 0.3}),
            claim("no number", {}),
            claim("left out", {0.1, 0.3}),
            claim("of time", {0.1, 0.3}),
            claim("of another figure", {0.1, 0.3}, "kvpr/fig6")};
  }
  static FigureResult planted_result() {
    const auto at = [](double value, double half) {
      const Interval interval{value - half, value + half};
      return MeasuredSpan{value, value, interval, interval};
    };
    FigureResult result;
    result.figure = "kvpr/fig7";
    result.tables = {{"Data", {"x"}, {{1}}}};
    result.measured = {{"inside", at(0.2, 0.05)},        {"above", at(0.9, 0.05)},         {"at least", at(1.5, 0.4)},
                       {"wide", at(0.2, 0.5)},           {"no interval", {0.2, 0.2}},      {"no number", at(0.2, 0)},
                       {"of time", at(0.2, 0.05), true}, {"of another figure", at(0.2, 0)}};
    return result;
  }
  static std::string verdict(const FigureTable& of, const char* id) {
    for (const auto& row : of.rows)
      if (row[0] == id) return row.back().get<std::string>();
    return "none";
  }

 private slots:
  void aClaimIsRead() {
    const auto claims = read_claims(file(
        R"([{"id": "kvpr/a", "where": "table 1", "says": "It is so.", "low": null, "high": 2.19, "unit": "ratio",
             "figure": "kvpr/table1", "out_of_scope": null, "note": "elsewhere 3.77"},
            {"id": "kvpr/b", "where": "abstract", "says": "So.", "low": 1.5, "high": 2, "unit": "ms", "figure": null,
             "out_of_scope": "another machine"}])"));
    QVERIFY2(claims, claims ? "" : claims.error().message.c_str());
    QCOMPARE(claims->size(), std::size_t{2});
    QCOMPARE((*claims)[0].figure, std::string("kvpr/table1"));
    QCOMPARE((*claims)[0].note, std::string("elsewhere 3.77"));
    QCOMPARE(span_text((*claims)[0]), std::string("at most 2.19"));
    QCOMPARE(span_text((*claims)[1]), std::string("1.5 - 2"));
    QCOMPARE((*claims)[1].out_of_scope, std::string("another machine"));
    QCOMPARE(span_text(PaperClaim{.span = {5, {}}}), std::string("at least 5"));
    QCOMPARE(span_text(PaperClaim{.span = {5, 5}}), std::string("5"));
    QCOMPARE(span_text(PaperClaim{.span = {5, 5}, .up_to = true}), std::string("up to 5"));
    QCOMPARE(span_text(PaperClaim{}), std::string());
  }

  void aFigureGivesAVerdictOnEachOfItsClaims() {
    const std::vector<PaperClaim> claims = planted_claims();
    FigureResult result = planted_result();
    const FigureResult before = result;
    settle_claims(result, claims, true);
    QCOMPARE(result.tables.size(), std::size_t{2});
    QVERIFY(result.measured.empty());
    const FigureTable& table = result.tables[1];
    QCOMPARE(table.rows.size(), std::size_t{8});
    QCOMPARE(verdict(table, "inside"), std::string("agrees"));
    QCOMPARE(verdict(table, "above"), std::string("contradicts: larger"));
    QCOMPARE(verdict(table, "at least"), std::string("agrees"));
    QCOMPARE(verdict(table, "wide"), std::string("cannot tell at this n: about 42 times as many samples needed"));
    QCOMPARE(verdict(table, "no interval"), std::string("cannot tell: no interval"));
    QCOMPARE(verdict(table, "no number"), std::string("cannot tell: the paper gives no number"));
    QCOMPARE(verdict(table, "left out"), std::string("not measured with these settings"));
    QCOMPARE(verdict(table, "of time"), std::string("withheld: the machine was disturbed"));
    QCOMPARE(verdict(table, "of another figure"), std::string("none"));
    QCOMPARE(result.findings.back(),
             std::string("claims of the paper: agrees 2; cannot tell 2; cannot tell at this n 1; contradicts 1; not "
                         "measured with these settings 1; withheld 1"));
    FigureResult at_rest = before;
    settle_claims(at_rest, claims, false);
    QCOMPARE(verdict(at_rest.tables[1], "of time"), std::string("agrees"));
    FigureResult elsewhere = before;
    elsewhere.off_regime = "no verdict: load / prefill, ssd is 0.6, 33.3 % off the regime's 0.45";
    settle_claims(elsewhere, claims, false);
    for (const auto& row : elsewhere.tables[1].rows)
      QVERIFY(row.back() == "withheld: not in the paper's regime" || row.back() == "not measured with these settings");
    QCOMPARE(
        elsewhere.findings.back(),
        std::string("claims of the paper: not measured with these settings 1; withheld 7; " + elsewhere.off_regime));
    FigureResult other_metric = before;
    other_metric.off_regime = off_metric;
    settle_claims(other_metric, claims, false);
    for (const auto& row : other_metric.tables[1].rows)
      QVERIFY(row.back() == "withheld: not the paper's quality metric" ||
              row.back() == "not measured with these settings");
    QVERIFY2(other_metric.findings.back().ends_with("; quality is not measured by the paper's metric"),
             other_metric.findings.back().c_str());
    FigureResult nothing;
    nothing.figure = "kvpr/fig9";
    settle_claims(nothing, claims, false);
    QVERIFY(nothing.tables.empty() && nothing.findings.empty());  // no claim is about it
    nothing.figure = "kvpr/fig6";
    settle_claims(nothing, claims, false);
    QCOMPARE(verdict(nothing.tables.at(0), "of another figure"), std::string("not measured with these settings"));
  }

  void conditionsOfAFigureLimitItsVerdicts() {
    const std::vector<PaperClaim> claims = planted_claims();
    FigureResult result = planted_result();
    settle_claims(result, claims, true);
    // Conditions of the figure's own limit what a verdict says, and withhold none.
    FigureResult own_conditions = planted_result();
    own_conditions.limit = "outside of evicpress-regime, 2 tiers instead of 3, 1 of 4 ratios off";
    settle_claims(own_conditions, claims, true);
    const FigureTable& limited = own_conditions.tables[1];
    QCOMPARE(verdict(limited, "inside"), "agrees: " + own_conditions.limit);
    QCOMPARE(verdict(limited, "above"), "contradicts: larger; " + own_conditions.limit);
    QCOMPARE(verdict(limited, "wide"),
             "cannot tell at this n: about 42 times as many samples needed; " + own_conditions.limit);
    QCOMPARE(verdict(limited, "no interval"), "cannot tell: no interval; " + own_conditions.limit);
    QCOMPARE(verdict(limited, "left out"), std::string("not measured with these settings"));
    QCOMPARE(verdict(limited, "of time"), std::string("withheld: the machine was disturbed"));
    QCOMPARE(own_conditions.findings.back(), result.findings.back());  // the same counts
  }

  void whatIsWrongIsOneLine_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("part");
    const auto one = [](const char* rest) {
      return QString(R"([{"id": "a", "where": "w", "says": "s", "unit": "u", %1}])").arg(rest);
    };
    QTest::newRow("no list") << "{}"
                             << "not a list";
    QTest::newRow("no text") << R"([{"id": "a"}])"
                             << "where";
    QTest::newRow("neither") << one(R"("figure": null, "out_of_scope": null)") << "neither a figure nor a reason";
    QTest::newRow("both") << one(R"("figure": "kvpr/fig3", "out_of_scope": "x")") << "or both";
    QTest::newRow("no such figure") << one(R"("figure": "kvpr/fig99")") << "unknown figure 'kvpr/fig99'";
    QTest::newRow("upside down") << one(R"("figure": "kvpr/fig3", "low": 3, "high": 2)") << "low is above high";
    QTest::newRow("no number") << one(R"("figure": "kvpr/fig3", "low": "x")") << "low";
    QTest::newRow("twice") << R"([{"id": "a", "where": "w", "says": "s", "unit": "u", "out_of_scope": "x"},
                                  {"id": "a", "where": "w", "says": "s", "unit": "u", "out_of_scope": "x"}])"
                           << "twice";
  }
  void whatIsWrongIsOneLine() {
    QFETCH(QString, text);
    QFETCH(QString, part);
    const auto claims = read_claims(file(text.toStdString()));
    QVERIFY(!claims);
    QCOMPARE(claims.error().code, ErrorCode::rejected_input);
    const QString said = QString::fromStdString(claims.error().message);
    QVERIFY2(said.contains(part) && said.startsWith("claims.json") && !said.contains('\n'), qPrintable(said));
  }
};

KV_TEST_GUILESS_MAIN(ClaimsTest)

}  // namespace claims_test

#include "claims_test.moc"
