// links: kv_experiments
// One figure on several models: a row for each claim and model, and the claims on which the verdicts differ.
#include "core/experiments/figures/model_comparison.h"

#include <utility>

#include "core/experiments/claims.h"
#include "core/experiments/paper_figures.h"
#include "tests/support/test_program.h"

namespace model_comparison_test {

using namespace kvantage;

class ModelComparisonTest : public QObject {
  Q_OBJECT

  using Row = std::vector<Json>;
  static FigureResult result_with(std::vector<Row> claims) {
    FigureResult result = begin_figure("kvpr/fig7");
    result.settings = Json::object();
    result.tables = {{"Data", {"x"}, {{1}}},
                     {claims_title, {"claim", "paper", "unit", "here", "interval", "verdict"}, std::move(claims)}};
    return result;
  }
  static Row claim(const char* id, const char* here, const char* verdict) {
    return {id, "up to 2", "ratio", here, "1 - 3", verdict};
  }

 private slots:
  void verdictsAreSideBySide() {
    // The second model has them in another order, lacks one and has one more.
    const std::vector<ModelResults> models{
        {"one", {result_with({claim("a", "1.5", "agrees"), claim("b", "2.5", "agrees"), claim("c", "9", "agrees")})}},
        {"two",
         {result_with({claim("b", "7", "contradicts: larger"), claim("a", "1.6", "agrees")}),
          result_with({claim("d", "3", "agrees")})}}};
    const FigureResult compared = compare_models("kvpr/fig7", models);
    QCOMPARE(compared.figure, std::string("kvpr/fig7"));
    QVERIFY2(compared.title.ends_with(" (one, two)"), compared.title.c_str());
    QCOMPARE(compared.settings.at("models").get<std::string>(), std::string("one, two"));
    QCOMPARE(compared.tables.size(), std::size_t{1});
    const FigureTable& table = compared.tables.front();
    QCOMPARE(table.title, std::string(model_claims_title));
    QCOMPARE(table.columns,
             (std::vector<std::string>{"claim", "model", "paper", "unit", "here", "interval", "verdict"}));
    const std::vector<Row> rows{{"a", "one", "up to 2", "ratio", "1.5", "1 - 3", "agrees"},
                                {"a", "two", "up to 2", "ratio", "1.6", "1 - 3", "agrees"},
                                {"b", "one", "up to 2", "ratio", "2.5", "1 - 3", "agrees"},
                                {"b", "two", "up to 2", "ratio", "7", "1 - 3", "contradicts: larger"},
                                {"c", "one", "up to 2", "ratio", "9", "1 - 3", "agrees"},
                                {"c", "two", nullptr, nullptr, nullptr, nullptr, "not measured"},
                                {"d", "one", nullptr, nullptr, nullptr, nullptr, "not measured"},
                                {"d", "two", "up to 2", "ratio", "3", "1 - 3", "agrees"}};
    QVERIFY2(table.rows == rows, to_text(compared).c_str());
    QCOMPARE(compared.findings, std::vector<std::string>{"models: the verdicts differ on 1 of 2 claims with a verdict "
                                                         "on two or more models: b"});
    // As any other result: it is saved and read back.
    const auto read = figure_result_from_json(to_json(compared), "compared");
    QVERIFY2(read, read ? "" : read.error().message.c_str());
    QVERIFY(read->tables.front().rows == rows);
  }

  // What is withheld or not measured is no verdict, and one verdict is one, whatever is said behind it.
  void onlyVerdictsAreCompared() {
    const std::vector<ModelResults> models{
        {"one",
         {result_with({claim("a", "1", "agrees"), claim("b", "1", "withheld: not in the paper's regime"),
                       claim("c", "1", "cannot tell: no interval"), claim("d", "1", "contradicts: smaller"),
                       claim("e", "1", "not measured with these settings")})}},
        {"two",
         {result_with({claim("a", "1", "withheld: the machine was disturbed"), claim("b", "1", "agrees"),
                       claim("c", "1", "cannot tell at this n"), claim("d", "1", "cannot tell at this n"),
                       claim("e", "1", "agrees")})}},
        {"three", {result_with({claim("a", "1", "contradicts: larger"), claim("c", "1", "cannot tell at this n")})}}};
    const FigureResult compared = compare_models("kvpr/fig7", models);
    QCOMPARE(compared.findings, std::vector<std::string>{"models: the verdicts differ on 2 of 3 claims with a verdict "
                                                         "on two or more models: a, d"});
    QCOMPARE(compared.tables.front().rows.size(), std::size_t{15});
    const FigureResult none =
        compare_models("kvpr/fig7", {{"one", {result_with({claim("a", "1", "agrees")})}},
                                     {"two", {result_with({claim("a", "1", "withheld: not in the paper's regime")})}}});
    QCOMPARE(none.findings, std::vector<std::string>{"no claim of the paper is compared between the models"});
    QCOMPARE(none.tables.front().rows.size(), std::size_t{2});
  }

  void theLeastDirectProvenanceIsShown() {
    FigureResult simulated = result_with({claim("a", "1", "agrees")}), measured = simulated;
    simulated.provenance = Provenance::simulated;
    for (const auto& [first, second] : {std::pair{simulated, measured}, std::pair{measured, simulated}}) {
      const FigureResult compared = compare_models("kvpr/fig7", {{"one", {first}}, {"two", {second}}});
      QVERIFY(compared.provenance == Provenance::simulated);
    }
  }

  void aFigureWithoutClaimsSaysSo() {
    FigureResult plain = begin_figure("kvpr/fig7");
    plain.tables = {{"Data", {"x"}, {{1}}}};
    const FigureResult compared = compare_models("kvpr/fig7", {{"one", {plain}}, {"two", {plain}}});
    QVERIFY(compared.tables.empty());
    QCOMPARE(compared.findings, std::vector<std::string>{"no claim of the paper is compared between the models"});
  }

  void aResultNamesItsModel() {
    FigureResult result = result_with({});
    const std::string title = result.title;
    name_model(result, "reference-mha");
    QCOMPARE(result.title, title + " (reference-mha)");
    QCOMPARE(result.settings.at("model name").get<std::string>(), std::string("reference-mha"));
  }
};

KV_TEST_APPLESS_MAIN(ModelComparisonTest)

}  // namespace model_comparison_test

#include "model_comparison_test.moc"
