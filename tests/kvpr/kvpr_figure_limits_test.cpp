// links: kv_experiments
// When a claim of KVPR gets no verdict, and the shape that a claim is measured at, on planted numbers.
#include <QtTest>

#include "core/experiments/claims.h"
#include "core/experiments/figures/kvpr/claim_limits.h"
#include "core/experiments/figures/kvpr/length_cells.h"
#include "core/experiments/measured_spans.h"
#include "tests/support/test_program.h"

namespace kvpr_figure_limits_test {

using namespace kvantage;

namespace {

MeasuredCell cell(int prompt, int generated, int batch) {
  return {.cell = {.prompt = prompt, .generated = generated, .batch = batch}, .blocks = {}};
}

/// The row of the only claim, settled.
std::vector<Json> row_of(const MeasuredClaim& measured, bool disturbed = false) {
  const PaperClaim claim{.id = "kvpr/a", .says = "So.", .span = {0.2, 0.2}, .unit = "share", .figure = "kvpr/fig7"};
  FigureResult result;
  result.figure = "kvpr/fig7";
  result.measured = {measured};
  settle_claims(result, {claim}, disturbed);
  return result.tables.back().rows.front();
}

}  // namespace

class KvprFigureLimitsTest : public QObject {
  Q_OBJECT

 private slots:
  void aMultipleOfBreakEvenSetsTheRatio() {
    QCOMPARE(transfer_withheld({1, true}), std::string("link / recompute is 1 at break-even by construction"));
    QCOMPARE(transfer_withheld({4, true}), std::string("link / recompute is set by the multiple of break-even"));
    QCOMPARE(transfer_withheld({1, false}), std::string());
    QCOMPARE(transfer_withheld({400, false}), std::string());
  }

  void aSaturatedSplitCannotChange() {
    const auto withheld = [](const std::vector<SplitEnds>& blocks) { return split_withheld(blocks, 128); };
    const std::string at_prompt = "our split ends at the prompt", none = "our split recomputes no token";
    QCOMPARE(withheld({{128, 128}}), at_prompt);
    QCOMPARE(withheld({{64, 72}, {128, 128}}), at_prompt);  // one block suffices
    QCOMPARE(withheld({{0, 0}, {64, 72}}), none);
    QCOMPARE(withheld({{64, 64}, {64, 72}}), std::string());  // does not change, and could
    QCOMPARE(withheld({{120, 128}, {128, 120}, {0, 8}}), std::string());
    QCOMPARE(withheld({}), std::string());
    QCOMPARE(split_withheld(std::vector<SplitEnds>{{128, 128}}, 512), std::string());
  }

  void shapesAreNamed() {
    const std::vector<MeasuredCell> cells{cell(128, 32, 1), cell(512, 32, 4), cell(256, 32, 2)};
    QCOMPARE(shape_text(cells), std::string("prompt 128 - 512, 32 generated, batch 1 - 4"));
    QCOMPARE(shape_text(std::span(cells).first(1)), std::string("prompt 128, 32 generated, batch 1"));
    FigureResult result;
    add_claim_of(cells, result, "kvpr/a", {exactly(0.25), exactly(0.5)});
    add_claim_of(cells, result, "kvpr/b", {});
    add_claim_of({}, result, "kvpr/c", {exactly(1)});
    QCOMPARE(result.measured.size(), std::size_t{1});
    QCOMPARE(result.measured.front().at, shape_text(cells));
    QVERIFY(result.measured.front().of_time);
    QCOMPARE(result.measured.front().measured.low, 0.25);
    QCOMPARE(result.measured.front().measured.high, 0.5);
  }

  void aRowHasTheShapeAndTheReason() {
    MeasuredClaim claim{.claim = "kvpr/a", .measured = exactly(0.215), .of_time = true, .at = "at 646 MB/s"};
    const std::vector<Json> compared = row_of(claim);
    QCOMPARE(compared.at(3).get<std::string>(), std::string("0.215; at 646 MB/s"));
    QCOMPARE(compared.at(5).get<std::string>(), std::string("agrees"));
    claim.withheld = "our split ends at the prompt";
    const std::vector<Json> withheld = row_of(claim);
    QCOMPARE(withheld.at(3).get<std::string>(), std::string("0.215; at 646 MB/s"));
    QCOMPARE(withheld.at(5).get<std::string>(), std::string("withheld: our split ends at the prompt"));
    QCOMPARE(row_of(claim, true).at(5), withheld.at(5));  // holds on a machine at rest, too
    claim.withheld.clear();
    QCOMPARE(row_of(claim, true).at(5).get<std::string>(), std::string("withheld: the machine was disturbed"));
  }
};

KV_TEST_APPLESS_MAIN(KvprFigureLimitsTest)

}  // namespace kvpr_figure_limits_test

#include "kvpr_figure_limits_test.moc"
