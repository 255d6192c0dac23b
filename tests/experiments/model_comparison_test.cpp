// links: kv_experiments
// One figure on several models: a row for each claim and model, and on how many claims the verdicts differ.
#include "core/experiments/figures/model_comparison.h"

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
    QCOMPARE(table.columns, (std::vector<std::string>{"claim", "model", "paper", "here", "interval", "verdict"}));
    const std::vector<Row> rows{{"a", "one", "up to 2", "1.5", "1 - 3", "agrees"},
                                {"a", "two", "up to 2", "1.6", "1 - 3", "agrees"},
                                {"b", "one", "up to 2", "2.5", "1 - 3", "agrees"},
                                {"b", "two", "up to 2", "7", "1 - 3", "contradicts: larger"},
                                {"c", "one", "up to 2", "9", "1 - 3", "agrees"},
                                {"c", "two", nullptr, nullptr, nullptr, "not measured"},
                                {"d", "one", nullptr, nullptr, nullptr, "not measured"},
                                {"d", "two", "up to 2", "3", "1 - 3", "agrees"}};
    QVERIFY2(table.rows == rows, to_text(compared).c_str());
    QCOMPARE(compared.findings, std::vector<std::string>{"models: the verdicts differ on 3 of 4 claims"});
    // As any other result: it is saved and read back.
    const auto read = figure_result_from_json(to_json(compared), "compared");
    QVERIFY2(read, read ? "" : read.error().message.c_str());
    QVERIFY(read->tables.front().rows == rows);
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
