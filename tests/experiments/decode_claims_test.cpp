// links: kv_experiments
// Cells of answers under decode-time eviction with planted scores and times: which budget stands for one of a paper,
// and what follows for its claims.
#include "core/experiments/studies/decode_claims.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/experiments/studies/decode_settings.h"
#include "tests/support/test_program.h"

namespace decode_claims_test {

using namespace kvantage;

namespace {

DecodeCell cell(const std::string& method, double budget, std::vector<double> rouge = {},
                std::vector<double> seconds = {}) {
  return {.eviction_method = method,
          .budget_fraction = budget,
          .rouge = std::move(rouge),
          .token_seconds = std::move(seconds)};
}

}  // namespace

class DecodeClaimsTest : public QObject {
  Q_OBJECT

 private slots:
  void theNearestBudgetIsTaken() {
    std::vector<DecodeCell> cells{cell("", 1)};
    for (const double budget : {0.03125, 0.0625, 0.09375, 0.125, 0.25, 0.375, 0.5, 1.0})
      cells.push_back(cell("knorm", budget));
    const DecodeClaims claims(cells);
    // Of 7,514 tokens, the mean of the paper's five data sets.
    for (const auto& [tokens, budget] :
         {std::pair{256, 0.03125}, {512, 0.0625}, {1024, 0.125}, {2048, 0.25}, {4096, 0.5}})
      QCOMPARE(claims.nearest_budget(tokens / 7514.0), budget);
    // Of GovReport's 11,645 and MultiNews' 2,817.
    QCOMPARE(claims.nearest_budget(1024 / 11645.0), 0.09375);
    QCOMPARE(claims.nearest_budget(4096 / 11645.0), 0.375);
    QCOMPARE(claims.nearest_budget(1024 / 2817.0), 0.375);
    QCOMPARE(claims.nearest_budget(4096 / 2817.0), 1.0);
    // By ratio: 0.18 is less than half way from 0.125 to 0.25, and more than their geometric mean.
    QCOMPARE(claims.nearest_budget(0.18), 0.25);
    QCOMPARE(claims.nearest_budget(1e-6), 0.03125);
  }

  void scoresAreComparedWithEveryMethod() {
    const std::vector<DecodeCell> cells{cell("", 1, {1, 1}),
                                        cell("paged_eviction", 0.125, {0.5, 1}),
                                        cell("streaming_llm", 0.125, {0.5, 0.5}),
                                        cell("knorm", 0.125, {0.25, 0.5}),
                                        cell("keydiff", 0.125, {0, 0}),
                                        cell("keydiff", 0.5, {1, 1})};
    const DecodeClaims claims(cells);
    // keydiff scores 0 there: no ratio.
    const auto ratios = claims.score_ratios({"streaming_llm", "knorm", "keydiff"}, 0.125);
    QCOMPARE(ratios.size(), std::size_t{2});
    QCOMPARE(ratios[0].low, 1.5);
    QCOMPARE(ratios[1].low, 2.0);
    const auto gains = claims.score_gains({"streaming_llm", "knorm", "keydiff"}, 0.125);
    QCOMPARE(gains[0].low, 0.5);
    QCOMPARE(gains[1].low, 1.0);
    QVERIFY(claims.score_ratios({"streaming_llm"}, 0.5).empty());  // was not measured there
  }

  void speedsAreOfAllRequestsSideBySide() {
    std::vector<DecodeCell> cells{cell("", 1, {}, {1, 1}), cell("paged_eviction", 0.5, {}, {0.25, 0.5}),
                                  cell("knorm", 0.5, {}, {0.5, 1})};
    for (DecodeCell& one : cells) one.side_by_side = 8;
    QCOMPARE(cells[1].tokens_per_second(), (std::vector<double>{32, 16}));
    const DecodeClaims claims(cells);
    const auto speeds = claims.speeds({"knorm"}, claims.pages());
    QCOMPARE(speeds.size(), std::size_t{1});
    QCOMPARE(speeds.front().low, 2.0);
    const auto told = [&cells] {
      FigureResult result;
      add_decode_findings({.scores = false, .times = true}, cells, result);
      return result.time_findings;
    };
    const std::string finding =
        "at 50 % of the prompt paged_eviction is the fastest: 3 times the full cache's tokens per second, ";
    QCOMPARE(told(), std::vector<std::string>{finding + "8 requests side by side"});
    for (DecodeCell& one : cells) one.side_by_side = 1;
    QCOMPARE(told(), std::vector<std::string>{finding + "one answer at a time"});
  }

  // Two texts of one kind and one of the other: each kind has its own mean.
  void scoresAreSplitByKind() {
    const DecodeMeasures measures{.scores = true, .times = false, .kinds = {"ledger", "news"}};
    std::vector<DecodeCell> cells{cell("", 1, {1, 0.5, 0})};
    cells.front().f1 = {0.5, 0.25, 1};
    cells.front().exact = {1, 0, 0};
    std::vector<AskedText> asked(3);
    asked[0].kind = asked[1].kind = "ledger";
    asked[2].kind = "news";
    const auto tables = decode_tables(measures, cells, asked);
    QCOMPARE(tables.size(), std::size_t{3});
    QCOMPARE(tables[0].rows.at(0).at(5), Json(0.5));
    QVERIFY(!tables[1].plot);
    for (const auto& [r, rouge, f1, n] : {std::tuple{0, 0.75, 0.375, 2}, {1, 0.0, 1.0, 1}}) {
      const auto& row = tables[1].rows.at(static_cast<std::size_t>(r));
      QCOMPARE(row.size(), tables[1].columns.size());
      QCOMPARE(row.at(5), Json(asked[r == 0 ? 0 : 2].kind));
      QCOMPARE(row.at(6), Json(rouge));
      QCOMPARE(row.at(9), Json(f1));
      QCOMPARE(row.at(12), Json(n));
    }
    // Of one kind there is nothing to split.
    QCOMPARE(decode_tables({.scores = true, .times = false}, cells, asked).size(), std::size_t{2});
  }

  // Kind by kind, as many of each, and ledgers are the same whatever comes after them.
  void textsAreOfTheKindsAskedFor() {
    FigureArguments arguments;
    arguments.contexts = 2;
    arguments.context_tokens = 200;
    arguments.answer_tokens = 24;
    const auto ledgers = ask_texts(arguments, {"ledger"}), all = ask_texts(arguments, {"ledger", "news", "story"});
    QCOMPARE(ledgers.size(), std::size_t{2});
    QCOMPARE(all.size(), std::size_t{6});
    for (std::size_t t = 0; t < all.size(); ++t) {
      QCOMPARE(all[t].kind, std::vector<std::string>({"ledger", "news", "story"})[t / 2]);
      QVERIFY(!all[t].context.empty() && !all[t].question.empty());
      QVERIFY(all[t].context.find(all[t].reference) != std::string::npos || all[t].kind == "ledger");
      if (t < 2) QCOMPARE(all[t].context, ledgers[t].context);
    }
  }

  void aBatchIsOneNumber() {
    const auto settings = with_batch(decode_settings("0.5", "16", four_methods), "8");
    const auto batch = std::ranges::find(settings, "--max-batch", &FigureSetting::option);
    QVERIFY(batch != settings.end() && batch->one);
    QCOMPARE(batch->standard, std::string("8"));
    const auto quick = quick_batch();
    QCOMPARE(quick.back(), (std::pair<std::string, std::string>{"--max-batch", "2"}));
    QCOMPARE(quick.size(), quick_answers(true).size() + 1);
  }
};

KV_TEST_GUILESS_MAIN(DecodeClaimsTest)

}  // namespace decode_claims_test

#include "decode_claims_test.moc"
