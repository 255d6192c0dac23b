// links: kv_experiments
// Bandwidths of KVPR's figures: what --bandwidth takes, and several results as one.
#include <QtTest>

#include <algorithm>

#include "core/experiments/figures/kvpr/bandwidths.h"
#include "tests/support/test_program.h"

namespace bandwidths_test {

using namespace kvantage;

namespace {

/// At `mbps`, with a table of a number, a timeline, a table of the paper and a claim.
FigureResult result_at(double mbps, const char* origin, double value) {
  FigureResult result;
  result.settings = {{"tier", "memory"}, {"bandwidth", origin}, {"bandwidth MB/s", mbps}, {"seed", 1}};
  result.tables = {{"Times", {"variant", "ms"}, {{"split", value}}},
                   {"Timeline", {"lane", "from ms", "to ms"}, {{"link", 0, value}}},
                   {"Paper: numbers", {"ms"}, {{3}}}};
  result.tables[0].plot = FigurePlot{.kind = FigurePlot::Kind::bars, .x = "variant", .y = {"ms"}};
  result.tables[1].plot = FigurePlot{.kind = FigurePlot::Kind::spans, .x = "ms", .y = {"lane", "from ms", "to ms"}};
  result.findings = {"the same at both"};
  result.time_findings = {"takes " + std::to_string(static_cast<int>(value)) + " ms"};
  result.measured = {{"kvpr/a", {value, value}, true}};
  return result;
}

}  // namespace

class BandwidthsTest : public QObject {
  Q_OBJECT

 private slots:
  void listsAreRead() {
    const auto all = parse_bandwidths("0.25x, 1x,4x,1234.5");
    QVERIFY(all);
    QCOMPARE(*all, (std::vector<LinkBandwidth>{{0.25, true}, {1, true}, {4, true}, {1234.5, false}}));
    QCOMPARE(all->back().text(), std::string("1234.5"));
    QCOMPARE(all->front().text(), std::string("0.25x"));
    for (const LinkBandwidth& one : *all) QCOMPARE(parse_bandwidths(one.text())->front(), one);
    QCOMPARE(claims_place(*all), std::size_t{1});
    QCOMPARE(claims_place(*parse_bandwidths("100,2x")), std::size_t{0});
    QCOMPARE(given_place(*all), std::size_t{3});
    QCOMPARE(given_place(*parse_bandwidths("0.25x,1x,4x")), std::size_t{1});
    QCOMPARE(given_place(*parse_bandwidths("2x,4x")), std::size_t{0});
    for (const char* even : {"", "0", "1x", "1.0x"}) {
      const auto one = parse_bandwidths(even);
      QVERIFY2(one && one->size() == 1 && one->front().is_break_even(), even);
    }
  }

  void originsAreNamed() {
    QCOMPARE(parse_bandwidths("80")->front().origin(), std::string("given"));
    QCOMPARE(parse_bandwidths("4x")->front().origin(), std::string("4 times the break-even one"));
    QCOMPARE(parse_bandwidths("0")->front().origin(),
             std::string("break-even: loading a token takes as long as recomputing it"));
  }

  void othersAreRefused_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("part");
    QTest::newRow("no number") << "fast"
                               << "'fast' is neither MB/s nor a multiple";
    QTest::newRow("a unit") << "100MB"
                            << "'100MB' is neither";
    QTest::newRow("an x alone") << "x"
                                << "'x' is neither";
    QTest::newRow("hexadecimal") << "0x40"
                                 << "'0x40' is neither";
    QTest::newRow("nan") << "nan"
                         << "'nan' is neither";
    QTest::newRow("no item") << ","
                             << "',' is neither";
    QTest::newRow("slow") << "100,0.5"
                          << "0.5 is less than 1 MB/s; give more, or 0 for where";
    QTest::newRow("negative") << "-1"
                              << "-1 is less than 1 MB/s";
    QTest::newRow("fast") << "2e6"
                          << "exceeds the maximum";
    QTest::newRow("a small multiple") << "0.001x"
                                      << "is not between 0.01x and 100x";
    QTest::newRow("a large multiple") << "101x"
                                      << "is not between 0.01x and 100x";
    QTest::newRow("twice") << "1x,0"
                           << "'0' is given twice; leave one out";
  }
  void othersAreRefused() {
    QFETCH(const QString, text);
    QFETCH(const QString, part);
    const auto parsed = parse_bandwidths(text.toStdString());
    QVERIFY(!parsed && parsed.error().code == ErrorCode::usage);
    const QString said = QString::fromStdString(parsed.error().message);
    QVERIFY2(said.startsWith("--bandwidth: ") && said.contains(part), qPrintable(said));
  }

  void severalResultsAreOne() {
    const FigureResult all = swept({result_at(50, "given", 8), result_at(100, "break-even", 4)}, 1);
    QCOMPARE(all.tables.size(), std::size_t{4});
    const FigureTable& times = all.tables[0];
    QCOMPARE(times.columns, (std::vector<std::string>{"bandwidth MB/s", "variant", "ms"}));
    QCOMPARE(times.rows, (std::vector<std::vector<Json>>{{50.0, "split", 8.0}, {100.0, "split", 4.0}}));
    QCOMPARE(times.plot->by, std::vector<std::string>{"bandwidth MB/s"});
    QCOMPARE(all.tables[1].title, std::string("Timeline, 50 MB/s"));
    QCOMPARE(all.tables[2].title, std::string("Paper: numbers"));
    QCOMPARE(all.tables[2].columns.size(), std::size_t{1});
    QCOMPARE(all.tables[3].title, std::string("Timeline, 100 MB/s"));
    QCOMPARE(all.measured.size(), std::size_t{1});
    QCOMPARE(all.measured.front().measured.low, 4.0);
    QCOMPARE(all.measured.front().at, std::string("at 100 MB/s (break-even)"));
    QCOMPARE(all.findings, (std::vector<std::string>{"the same at both",
                                                     "claims of the paper are measured at 100 MB/s (break-even)"}));
    QCOMPARE(all.time_findings, (std::vector<std::string>{"at 50 MB/s: takes 8 ms", "at 100 MB/s: takes 4 ms"}));
    QCOMPARE(all.settings.at("bandwidth").get<std::string>(), std::string("given; break-even"));
    QCOMPARE(all.settings.at("bandwidth MB/s").get<std::string>(), std::string("50; 100"));
    QCOMPARE(all.settings.at("seed").get<int>(), 1);
  }

  void aSingleResultStaysAsItIs() {
    const FigureResult one = swept({result_at(50, "given", 8)}, 0);
    QCOMPARE(one.tables.size(), std::size_t{3});
    QCOMPARE(one.tables[0].columns, (std::vector<std::string>{"variant", "ms"}));
    QCOMPARE(one.time_findings, std::vector<std::string>{"takes 8 ms"});
    QCOMPARE(one.findings.back(), std::string("claims of the paper are measured at 50 MB/s (given)"));
    QCOMPARE(one.measured.front().at, std::string("at 50 MB/s (given)"));
  }

  // The shape follows the bandwidth, which is without what break-even means.
  void aClaimIsMeasuredAtABandwidthAndAShape() {
    FigureResult result = result_at(646, "break-even: loading a token takes as long as recomputing it", 8);
    result.measured.front().at = "prompt 128, 32 generated, batch 1";
    const FigureResult one = swept({std::move(result)}, 0);
    QCOMPARE(one.measured.front().at, std::string("at 646 MB/s (break-even); prompt 128, 32 generated, batch 1"));
  }
};

KV_TEST_APPLESS_MAIN(BandwidthsTest)

}  // namespace bandwidths_test

#include "bandwidths_test.moc"
