// links: kv_experiments
// Figures about eviction while decoding, at a tiny size: each measures every claim that resources/claims.json gives it,
// in blocks with intervals.
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/base/json.h"
#include "core/experiments/claims.h"
#include "core/experiments/figures/experiments.h"
#include "core/experiments/figures/figure_makers.h"
#include "core/report/figure_plot.h"
#include "tests/support/closed_host.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace measured_claims_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

class RecordingHost final : public ClosedHost {
 public:
  std::filesystem::path default_model() const override { return model_directory(); }
};

/// Every method and length that the claims about the figure need, and no more.
FigureArguments tiny(const std::string& figure) {
  FigureArguments arguments;
  arguments.figure = figure;
  arguments.json = true;
  arguments.eviction_methods = "paged_eviction,streaming_llm,knorm,keydiff";
  arguments.budgets = "0.5,1";
  arguments.contexts = 3;
  arguments.context_tokens = 200;
  arguments.answer_tokens = 24;
  arguments.compact_every = 8;
  arguments.blocks = 2;
  if (figure == "pagedeviction/fig4") arguments.page_tokens = "16,32";
  if (figure == "pagedeviction/fig3" || figure == "pagedeviction/fig4") arguments.max_batch = 2;
  if (figure == "compaction/decode") arguments.eviction_methods = "r_kv,triattention,quest";
  if (figure == "compaction/compaction") arguments.eviction_methods = "streaming_llm,knorm";
  if (figure == "compaction/overheads") arguments.eviction_methods = "knorm,snapkv";
  if (figure == "pagedeviction/throughput" || figure == "compaction/long-decode") {
    arguments.width = 256;
    arguments.context_tokens = 64;
    arguments.answer_tokens = 48;
    arguments.budgets = "32";
    arguments.max_batch = 2;
  }
  return arguments;
}

std::size_t column_of(const FigureTable& table, const std::string& name) {
  return static_cast<std::size_t>(std::ranges::find(table.columns, name) - table.columns.begin());
}

}  // namespace

class MeasuredClaimsTest : public QObject {
  Q_OBJECT

  struct Made {
    FigureResult result;
    std::set<std::pair<int, int>> cells;
  };

  std::vector<PaperClaim> claims_;
  std::map<std::string, Made> made_;  // by what tiny() leaves to a test

  /// Made once for the same arguments. `cells`: how many its progress expects and ends with.
  FigureResult made(const FigureArguments& given, std::set<std::pair<int, int>>& cells) {
    const std::string key = given.figure + ' ' + given.eviction_methods + ' ' + given.budgets + ' ' +
                            std::to_string(given.blocks) + ' ' + std::to_string(given.max_batch);
    const auto found = made_.find(key);
    const Made& one = found == made_.end() ? made_.emplace(key, made_now(given)).first->second : found->second;
    cells = one.cells;
    return one.result;
  }
  Made made_now(const FigureArguments& given) {
    RecordingHost host;
    host.set_claims(claims_);
    FigureArguments arguments = given;
    arguments.host = &host;
    Json last;
    arguments.lines =
        std::make_shared<FigureProgress>(host.clock(), [&last](const std::string& line) { last = Json::parse(line); });
    const Status status = make_figure(arguments);
    if (!status) qFatal("%s", status.error().message.c_str());
    const auto results = figure_results_of(host.written, "figure");  // refuses a plot of a column that there is not
    if (!results || results->size() != 1) qFatal("no figure: %s", host.written.c_str());
    return {results->front(), {{last.at("cells").get<int>(), last.at("cells_done").get<int>()}}};
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model here");
    auto claims = read_claims(source_directory() / "resources" / "claims.json");
    QVERIFY2(claims, claims ? "" : claims.error().message.c_str());
    claims_ = std::move(*claims);
  }

  void everyClaimIsMeasured_data() {
    QTest::addColumn<QString>("figure");
    QTest::addColumn<int>("cells");
    // Answers once, times in two blocks.
    QTest::newRow("scores") << "pagedeviction/fig2" << 1 + 4 * 2;
    QTest::newRow("times") << "pagedeviction/fig3" << 2 * (1 + 4 * 2);
    QTest::newRow("page sizes") << "pagedeviction/fig4" << 3 * 2 * (1 + 4 * 2);
    // The full cache, pages, and three methods with compaction and without, for two kinds of pools.
    QTest::newRow("side by side") << "pagedeviction/throughput" << 2 * 2 * (1 + 1 + 3 * 2);
    QTest::newRow("every method") << "compaction/decode" << 3 * (1 + 3 * 2);
    // The cases of the pool, then a prefill alone and with each of two methods.
    QTest::newRow("overheads") << "compaction/overheads" << 1 + 2 * (1 + 2);
    QTest::newRow("compaction") << "compaction/compaction" << 2 * (1 + 2 * 2 * 3);
    QTest::newRow("a long generation") << "compaction/long-decode" << 2 * (1 + 1 + 3 * 2);
  }
  void everyClaimIsMeasured() {
    QFETCH(const QString, figure);
    QFETCH(const int, cells);
    std::set<std::pair<int, int>> counted;
    const FigureResult result = made(tiny(figure.toStdString()), counted);
    QCOMPARE(counted, (std::set<std::pair<int, int>>{{cells, cells}}));
    const FigureTable& table = result.tables.back();
    QCOMPARE(table.title, std::string("Claims of the paper"));
    std::set<std::string> expected, measured;
    for (const PaperClaim& claim : claims_)
      if (claim.figure == result.figure) expected.insert(claim.id);
    QVERIFY(!expected.empty());
    for (const auto& row : table.rows) {
      const auto id = row.at(0).get<std::string>(), verdict = row.back().get<std::string>();
      // Two blocks, or three questions, give every number an interval.
      QVERIFY2(!verdict.starts_with("not measured") && verdict != "cannot tell: no interval",
               (id + ": " + verdict).c_str());
      measured.insert(id);
    }
    QCOMPARE(measured, expected);
    if (figure != "compaction/decode") return;
    // The article's accuracies are shares of full attention's, and so are the scores beside them.
    const auto shares = std::ranges::find_if(
        result.tables, [](const FigureTable& one) { return one.title.starts_with("Scores over the full cache's"); });
    QVERIFY(shares != result.tables.end() && shares->rows.size() == 3 && shares->plot->published.size() == 4);
    QCOMPARE(shares->plot->published[1].low, 73.7);
    for (const auto& row : shares->rows) QVERIFY(row.size() == shares->columns.size() && row[1].get<double>() >= 0);
  }

  // What the page's own scripts assert is the same here, to the last block and copy.
  void thePagesOwnCasesAgree() {
    std::set<std::pair<int, int>> counted;
    const FigureResult result = made(tiny("compaction/overheads"), counted);
    std::map<std::string, std::string> verdicts;
    for (const auto& row : result.tables.back().rows) verdicts[row.at(0)] = row.back();
    verdicts.erase("compaction/eager-fallback");  // of time
    QVERIFY(verdicts.size() >= 12 && verdicts.contains("compaction/online-softmax-finite"));
    for (const auto& [claim, verdict] : verdicts) QVERIFY2(verdict == "agrees", (claim + ": " + verdict).c_str());
  }

  // The paper's data sets have ROUGE or F1.
  void scoresAreRougeAndF1() {
    std::set<std::pair<int, int>> counted;
    FigureArguments arguments = tiny("pagedeviction/fig2");
    arguments.eviction_methods = "streaming_llm";
    const FigureResult result = made(arguments, counted);
    const FigureTable& scores = result.tables.front();
    QCOMPARE(scores.plot->y, (std::vector<std::string>{"ROUGE-L", "token F1"}));
    QCOMPARE(scores.plot->published.size(), std::size_t{8});
    for (const auto& row : scores.rows) {
      const std::size_t f1 = column_of(scores, "token F1");
      const double mean = row.at(f1).get<double>();
      QVERIFY(mean >= 0 && mean <= 1 && row.at(f1 + 1).get<double>() <= mean && row.at(f1 + 2).get<double>() >= mean);
      QCOMPARE(row.at(column_of(scores, "n")).get<int>(), 9);  // three of each kind
    }
  }

  // As many of each kind: the mean of the kinds is that of all texts.
  void eachKindHasItsScores() {
    std::set<std::pair<int, int>> counted;
    FigureArguments arguments = tiny("pagedeviction/fig2");
    arguments.eviction_methods = "streaming_llm";
    const FigureResult result = made(arguments, counted);
    QCOMPARE(result.settings.at("kinds_of_text").get<std::string>(), std::string("ledger, news, story"));
    const FigureTable &scores = result.tables.at(0), &kinds = result.tables.at(1);
    QCOMPARE(kinds.title, std::string("Scores by kind of text"));
    QCOMPARE(kinds.rows.size(), 3 * scores.rows.size());
    const std::size_t kind = column_of(kinds, "kind of text"), n = column_of(kinds, "n");
    for (std::size_t r = 0; r < scores.rows.size(); ++r)
      for (const char* score : {"ROUGE-L", "token F1"}) {
        double sum = 0;
        for (std::size_t k = 0; k < 3; ++k) {
          const auto& row = kinds.rows[3 * r + k];
          QCOMPARE(row.at(kind).get<std::string>(), std::vector<std::string>({"ledger", "news", "story"})[k]);
          QCOMPARE(row.at(n).get<int>(), 3);
          for (std::size_t c = 0; c < kind; ++c) QCOMPARE(row[c], scores.rows[r][c]);  // of the same cell
          sum += row.at(column_of(kinds, score)).get<double>();
        }
        QVERIFY(std::abs(sum / 3 - scores.rows[r].at(column_of(scores, score)).get<double>()) < 1e-12);
      }
  }

  // A batch is named where there is one, and its throughput is that of all of its requests.
  void requestsAreTimedSideBySide() {
    for (const int batch : {1, 2}) {
      FigureArguments arguments = tiny("pagedeviction/fig3");
      arguments.eviction_methods = "paged_eviction";
      arguments.budgets = "0.5";
      arguments.blocks = 1;
      arguments.max_batch = batch;
      std::set<std::pair<int, int>> counted;
      const FigureResult result = made(arguments, counted);
      QCOMPARE(result.settings.contains("side_by_side"), batch > 1);
      if (batch > 1) QCOMPARE(result.settings.at("side_by_side").get<int>(), 2);
      const FigureTable &times = result.tables.front(), &blocks = result.tables.at(3);
      QCOMPARE(times.rows.size(), std::size_t{2});
      for (const auto& row : times.rows) {
        const double ms = row.at(column_of(times, "ms/output token")).get<double>();
        QVERIFY(std::abs(row.at(column_of(times, "tokens/s")).get<double>() * ms / 1e3 - batch) < 1e-9);
      }
      QCOMPARE(blocks.title, std::string("Blocks of the pool"));
      for (const auto& row : blocks.rows) {
        QVERIFY(row.at(column_of(blocks, "peak MiB")).get<double>() > 0);
        QCOMPARE(row.at(column_of(blocks, "holes %")).is_null(), batch > 1);
        QCOMPARE(row.at(column_of(blocks, "KV entries read %")).get<double>(), 100.0);
      }
      if (batch > 1)  // half of the prompt's 200 tokens
        QCOMPARE(times.rows.back().at(column_of(times, "budget tokens")).get<double>(), 100.0);
    }
  }

  // Random tokens calibrate nothing, and a batch of them is not asked to.
  void aBatchRefusesWhatItCannotShow() {
    FigureArguments arguments = tiny("pagedeviction/fig3");
    for (const char* method : {"quest", "triattention"}) {
      arguments.eviction_methods = method;
      arguments.max_batch = 2;
      const Status refused = find_experiment("pagedeviction/fig3")->check(arguments);
      QVERIFY(!refused && refused.error().code == ErrorCode::usage);
      QVERIFY2(refused.error().message.find(method) != std::string::npos, refused.error().message.c_str());
      arguments.max_batch = 1;
      QVERIFY(find_experiment("pagedeviction/fig3")->check(arguments));
    }
  }

  // Means with intervals where there are several blocks, means alone where there is one.
  void blocksGiveIntervals() {
    for (const int blocks : {1, 2}) {
      FigureArguments arguments = tiny("pagedeviction/fig3");
      arguments.eviction_methods = "paged_eviction";
      arguments.budgets = "0.5";
      arguments.blocks = blocks;
      std::set<std::pair<int, int>> counted;
      const FigureResult result = made(arguments, counted);
      const FigureTable& times = result.tables.front();
      QCOMPARE(times.title, std::string("Times"));
      const auto lines = plotted_lines(times);
      QCOMPARE(lines.size(), std::size_t{2});
      for (const PlottedLine& line : lines) {
        QCOMPARE(line.points.size(), std::size_t{1});
        QCOMPARE(line.points.front().interval.has_value(), blocks > 1);
      }
      // The time per output token and the throughput over the full cache's have plots of their own.
      const FigureTable &per_token = result.tables.at(1), &over_full = result.tables.at(2);
      QCOMPARE(per_token.title, std::string("Time per output token"));
      QCOMPARE(per_token.plot->y, std::vector<std::string>{"ms/output token"});
      QCOMPARE(over_full.plot->y, std::vector<std::string>{"x full cache"});
      QCOMPARE(over_full.plot->published.size(), std::size_t{3});
      for (std::size_t r = 0; r < times.rows.size(); ++r)
        for (const FigureTable* table : {&per_token, &over_full}) {
          const std::string& column = table->plot->y.front();
          QCOMPARE(table->rows[r].at(column_of(*table, column)), times.rows[r].at(column_of(times, column)));
        }
      // The full cache over itself is exactly 1, block by block.
      QCOMPARE(times.rows.front().at(column_of(times, "x full cache")).get<double>(), 1.0);
      QCOMPARE(times.rows.front().at(column_of(times, "x full cache") + 1).is_null(), blocks == 1);
    }
  }
};

KV_TEST_GUILESS_MAIN(MeasuredClaimsTest)

}  // namespace measured_claims_test

#include "measured_claims_test.moc"
