// links: kv_experiments kv_tiers
// Figures of KVPR on a small model: every claim of the paper about a figure is measured with an interval over the
// blocks, the blocks measure every cell, and the tier has the bandwidth that is given.
#include <QtTest>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "core/base/json.h"
#include "core/experiments/claims.h"
#include "core/experiments/figures/figure_makers.h"
#include "core/policy/plan_text.h"
#include "tests/kvpr/kvpr_testing.h"
#include "tests/support/layer_inputs.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace figure_claims_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

class Host final : public FigureHost {
 public:
  Host() { set_patience({.rounds = 0, .repeats = 0}); }  // its times are compared with nothing
  const Clock& clock() const override { return system_executor().clock(); }
  bool interrupted() const override { return false; }
  std::filesystem::path default_model() const override { return {}; }
  Expected<std::unique_ptr<StorageTier>> open_memory_tier(double bytes_per_second) override {
    return memory_tier(bytes_per_second);
  }
  std::unique_ptr<BufferLender> make_buffers(std::size_t bytes) override { return std::make_unique<BufferPool>(bytes); }

 protected:
  void write(const std::string&) override {}
};

std::vector<PaperClaim> all_claims() {
  auto claims = read_claims(source_directory() / "resources" / "claims.json");
  if (!claims) qFatal("%s", claims.error().message.c_str());
  return *claims;
}

std::size_t column_of(const FigureTable& table, const char* name) {
  return static_cast<std::size_t>(std::ranges::find(table.columns, name) - table.columns.begin());
}

}  // namespace

class FigureClaimsTest : public QObject {
  Q_OBJECT
  std::string last_progress_;
  std::map<std::string, FigureResult> made_;

  FigureArguments arguments_of(const std::string& figure) {
    FigureArguments arguments;
    arguments.figure = figure;
    arguments.width = 128;
    arguments.context_tokens = 128;
    arguments.answer_tokens = figure == "kvpr/table2" ? 2 : 8;  // that one has batches of up to 32 sequences
    arguments.max_batch = 2;
    arguments.blocks = 2;
    return arguments;
  }
  FigureResult made(FigureArguments arguments) {
    Host host;
    host.set_claims(all_claims());
    arguments.host = &host;
    arguments.lines =
        std::make_shared<FigureProgress>(host.clock(), [this](const std::string& line) { last_progress_ = line; });
    const Status status = make_figure(arguments);
    if (!status) qFatal("%s", status.error().message.c_str());
    const auto shown = host.take_shown();
    return shown.empty() ? FigureResult{} : shown.front();
  }
  /// With the arguments of arguments_of(), made once.
  const FigureResult& made_once(const std::string& figure) {
    if (!made_.contains(figure)) made_.emplace(figure, made(arguments_of(figure)));
    return made_.at(figure);
  }
  static const FigureTable* verdicts_of(const FigureResult& result) {
    const auto found = std::ranges::find(result.tables, claims_title, &FigureTable::title);
    return found == result.tables.end() ? nullptr : &*found;
  }

 private slots:
  void everyClaimIsMeasured_data() {
    QTest::addColumn<QString>("figure");
    std::set<std::string> figures;
    for (const PaperClaim& claim : all_claims())
      if (claim.figure.starts_with("kvpr/")) figures.insert(claim.figure);
    QVERIFY(figures.size() >= 9);
    for (const std::string& figure : figures) QTest::newRow(figure.c_str()) << QString::fromStdString(figure);
  }
  void everyClaimIsMeasured() {
    if (!layer_inputs_are_short()) QSKIP(no_short_inputs);
    QFETCH(QString, figure);
    const FigureResult& result = made_once(figure.toStdString());
    const FigureTable* table = verdicts_of(result);
    QVERIFY(table != nullptr);
    const std::size_t here = column_of(*table, "here"), interval = column_of(*table, "interval"),
                      verdict = column_of(*table, "verdict");
    std::size_t claims = 0;
    for (const PaperClaim& claim : all_claims()) {
      if (claim.figure != figure.toStdString()) continue;
      ++claims;
      const auto row = std::ranges::find_if(table->rows, [&](const auto& one) { return one.front() == claim.id; });
      QVERIFY2(row != table->rows.end(), claim.id.c_str());
      QVERIFY2(row->at(verdict) != "not measured with these settings", claim.id.c_str());
      QVERIFY2(!row->at(here).is_null() && !row->at(interval).is_null(), claim.id.c_str());
    }
    QCOMPARE(table->rows.size(), claims);
  }

  // Rows of the paper's table 3 are the rows of ours, in the same order.
  void tableRowsAreTheOnesOfTheirClaims() {
    if (!layer_inputs_are_short()) QSKIP(no_short_inputs);
    FigureArguments arguments = arguments_of("kvpr/fig7");
    arguments.context_tokens = 256;  // three lengths
    const FigureResult result = made(arguments);
    const FigureTable &latency = result.tables.front(), *table = verdicts_of(result);
    QVERIFY(table != nullptr);
    QCOMPARE(latency.rows.size(), std::size_t{6});
    const int prompts[]{64, 128, 256}, generated[]{2, 8};
    for (std::size_t r = 0; r < latency.rows.size(); ++r) {
      const auto& row = latency.rows[r];
      QCOMPARE(row.at(column_of(latency, "prompt tokens")).get<int>(), prompts[r / 2]);
      QCOMPARE(row.at(column_of(latency, "generated")).get<int>(), generated[r % 2]);
      const std::string id =
          "kvpr/table-3-" + std::to_string(2 * prompts[r / 2]) + "-" + std::to_string(r % 2 == 0 ? 32 : 128);
      const auto claim = std::ranges::find_if(table->rows, [&](const auto& one) { return one.front() == id; });
      QVERIFY2(claim != table->rows.end(), id.c_str());
      const double saved = row.at(column_of(latency, "time saved %")).get<double>() / 100;
      QVERIFY2(std::abs(std::stod(claim->at(column_of(*table, "here")).get<std::string>()) - saved) <=
                   0.01 * std::abs(saved),
               id.c_str());
      const std::string shape = "; prompt " + std::to_string(prompts[r / 2]) + ", " + std::to_string(generated[r % 2]) +
                                " generated, batch 1";
      QVERIFY2(claim->at(column_of(*table, "here")).get<std::string>().ends_with(shape), id.c_str());
    }
  }

  // Lengths of the paper's tables 3, 4 and 5 and of its figure 12.
  void defaultsAreThePapersLengths() {
    const auto standards = [](const char* figure) {
      return figure_standard(figure, "--context-tokens") + "/" + figure_standard(figure, "--answer-tokens");
    };
    QCOMPARE(standards("kvpr/fig7"), std::string("512/128"));
    QCOMPARE(standards("kvpr/fig6"), std::string("1024/128"));
    QCOMPARE(standards("kvpr/table5"), std::string("1024/128"));
    QCOMPARE(standards("kvpr/fig12"), std::string("128/32"));
    for (const char* swept : {"kvpr/table1", "kvpr/fig7", "kvpr/fig12"})
      QCOMPARE(figure_standard(swept, "--bandwidth"), std::string("0.25x,1x,4x"));
    QCOMPARE(figure_standard("kvpr/fig6", "--bandwidth"), std::string());
  }

  // A tenth of a ratio near 1 is more than the gain: table 2 is compared by its gains.
  void streamedWeightsAreComparedByTheirGains() {
    if (!layer_inputs_are_short()) QSKIP(no_short_inputs);
    const FigureResult& result = made_once("kvpr/table2");
    const FigureTable &ratios = result.tables.at(1), *table = verdicts_of(result);
    QVERIFY(table != nullptr);
    QCOMPARE(ratios.rows.size(), std::size_t{6});
    for (const auto& row : ratios.rows) {
      const std::string id = "kvpr/table-2-batch-" + std::to_string(row.front().get<int>());
      const auto claim = std::ranges::find_if(table->rows, [&](const auto& one) { return one.front() == id; });
      QVERIFY2(claim != table->rows.end(), id.c_str());
      const double gain = row.at(column_of(ratios, "after W_K and W_V")).get<double>() - 1;
      QVERIFY(claim->at(column_of(*table, "here")).get<std::string>().starts_with(short_number(gain) + "; at "));
      QCOMPARE(claim->at(column_of(*table, "unit")).get<std::string>(), std::string("share"));
    }
    for (const PaperClaim& claim : all_claims())
      if (claim.id.starts_with("kvpr/table-2-batch-")) QVERIFY2(*claim.span.high < 0.1, claim.id.c_str());
  }

  void blocksMeasureEveryCell() {
    if (!layer_inputs_are_short()) QSKIP(no_short_inputs);
    FigureArguments arguments = arguments_of("kvpr/fig10");
    arguments.blocks = 3;
    const FigureResult result = made(arguments);
    QCOMPARE(last_progress_, std::string(R"({"cells_done":6,"cells":6})"));
    QCOMPARE(result.settings.at("blocks").get<int>(), 3);
    const FigureTable& table = result.tables.front();
    QCOMPARE(table.rows.size(), std::size_t{2});
    for (const auto& row : table.rows) {
      const std::size_t time = column_of(table, "ms/token");
      QVERIFY(row.at(time + 1).get<double>() < row.at(time).get<double>() &&
              row.at(time).get<double>() < row.at(time + 2).get<double>());
      const double waiting = row.at(column_of(table, "waiting for the link %")).get<double>(),
                   computing = row.at(column_of(table, "processor computes %")).get<double>();
      QVERIFY(std::abs(waiting + computing - 100) < 1e-6);
    }
    arguments.blocks = 1;  // no interval, so no verdict
    const FigureResult single = made(arguments);
    for (const auto& row : verdicts_of(single)->rows) QVERIFY2(row.at(4).is_null(), row.at(0).dump().c_str());
  }

  void theBandwidthIsTheGivenOne() {
    if (!layer_inputs_are_short()) QSKIP(no_short_inputs);
    FigureArguments arguments = arguments_of("kvpr/table1");
    arguments.bandwidth.list = "50";
    const FigureResult given = made(arguments);
    QCOMPARE(given.settings.at("bandwidth").get<std::string>(), std::string("given"));
    QVERIFY(given.settings.at("tier").get<std::string>().starts_with("memory throttled to 50 MB/s"));
    QVERIFY(std::ranges::count(given.findings, "claims of the paper are measured at 50 MB/s (given)") == 1);
    // A link is never faster than its throttle: bytes / 50 MB/s is the least that a transfer takes.
    const FigureTable& table = given.tables.front();
    QCOMPARE(table.rows.size(), std::size_t{3});
    for (const auto& row : table.rows)
      QVERIFY(row.at(column_of(table, "link ms")).get<double>() >=
              0.999 * row.at(column_of(table, "keys and values MB")).get<double>() / 50 * 1e3);
    const auto verdict_of = [](const FigureResult& result) {
      const FigureTable* verdicts = verdicts_of(result);
      return verdicts == nullptr ? "none"
                                 : verdicts->rows.front().at(column_of(*verdicts, "verdict")).get<std::string>();
    };
    QVERIFY2(verdict_of(given).find("link / recompute") == std::string::npos, verdict_of(given).c_str());
    arguments.bandwidth.list = "0";
    const FigureResult even = made(arguments);
    QVERIFY(even.settings.at("bandwidth").get<std::string>().starts_with("break-even"));
    QCOMPARE(verdict_of(even), std::string("withheld: link / recompute is 1 at break-even by construction"));
    // The given one of a list is the one that is compared.
    arguments.bandwidth.list = "1x,50";
    const FigureResult both = made(arguments);
    QVERIFY(std::ranges::count(both.findings, "claims of the paper are measured at 50 MB/s (given)") == 1);
    QVERIFY2(verdict_of(both).find("link / recompute") == std::string::npos, verdict_of(both).c_str());
    for (const char* no : {"-1", "0.5", "nan", "100,", "fast", "100,100"}) {
      arguments.bandwidth.list = no;
      const Status status = check_figure(arguments, *find_paper_figure(arguments.figure));
      const bool refused = !status && status.error().code == ErrorCode::usage;
      QVERIFY2(refused == (std::string_view(no) != "100,"), no);  // an empty item is none
    }
    for (const char* yes : {"", "0", "1", "32000", "0.25x,1x,4x"}) {
      arguments.bandwidth.list = yes;
      QVERIFY2(check_figure(arguments, *find_paper_figure(arguments.figure)).has_value(), yes);
    }
  }

  void severalBandwidthsAreOneResult_data() {
    QTest::addColumn<QString>("figure");
    for (const char* figure : {"kvpr/fig7", "kvpr/fig10", "kvpr/table1", "kvpr/table2", "kvpr/table5", "kvpr/fig3"})
      QTest::newRow(figure) << figure;
  }
  void severalBandwidthsAreOneResult() {
    if (!layer_inputs_are_short()) QSKIP(no_short_inputs);
    QFETCH(const QString, figure);
    FigureArguments arguments = arguments_of(figure.toStdString());
    arguments.bandwidth.list = "0.5x,1x";
    const FigureResult result = made(arguments);
    const Json progress = Json::parse(last_progress_);
    QCOMPARE(progress.at("cells_done").get<int>(), progress.at("cells").get<int>());
    std::size_t swept = 0;
    double even = 0;
    for (const FigureTable& table : result.tables) {
      if (table.columns.front() != "bandwidth MB/s") {
        QVERIFY2(
            table.title.starts_with("Paper:") || table.title == claims_title || table.title.starts_with("Timeline"),
            table.title.c_str());
        continue;
      }
      ++swept;
      std::set<double> bandwidths;
      for (const auto& row : table.rows) bandwidths.insert(row.front().get<double>());
      QCOMPARE(bandwidths.size(), std::size_t{2});
      // Break-even is measured once.
      QVERIFY(std::abs(*bandwidths.rbegin() / *bandwidths.begin() - 2) < 1e-9);
      even = *bandwidths.rbegin();
      QVERIFY(!table.plot || std::ranges::count(table.plot->by, "bandwidth MB/s") == 1);
    }
    QVERIFY(swept > 0);
    if (verdicts_of(result) == nullptr) return;  // a timeline has no claims
    // The claims are those of break-even, which is the second.
    const std::string where = "claims of the paper are measured at " + short_number(even) + " MB/s";
    QCOMPARE(std::ranges::count_if(result.findings, [&](const auto& one) { return one.starts_with(where); }), 1);
    if (figure != "kvpr/fig10") return;
    const FigureTable &shares = result.tables.front(), &verdicts = *verdicts_of(result);
    const auto claim =
        std::ranges::find_if(verdicts.rows, [](const auto& row) { return row.front() == "kvpr/gpu-utilization-kvpr"; });
    QVERIFY(claim != verdicts.rows.end());
    const double computes = shares.rows.back().at(column_of(shares, "processor computes %")).get<double>() / 100;
    QCOMPARE(claim->at(column_of(verdicts, "here")).get<std::string>(),
             short_number(computes) + "; at " + short_number(even) + " MB/s (break-even)");
  }
};

KV_TEST_GUILESS_MAIN(FigureClaimsTest)

}  // namespace figure_claims_test

#include "figure_claims_test.moc"
