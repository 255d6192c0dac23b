// links: kv_base
// The list of the papers' figures: complete in words, with settings that say what they are; results as JSON both ways.
#include <QtTest>

#include <set>

#include "core/report/figure.h"
#include "core/report/paper_figures.h"

using namespace kvantage;

class PaperFiguresTest : public QObject {
  Q_OBJECT
 private slots:
  void everyFigureHasItsWords() {
    std::set<std::string> names, ids;
    for (const Paper& paper : papers()) ids.insert(paper.id);
    QVERIFY(paper_figures().size() >= 15);
    for (const PaperFigure& figure : paper_figures()) {
      QVERIFY2(names.insert(figure.name).second, figure.name.c_str());
      QVERIFY2(ids.contains(figure.paper), figure.name.c_str());
      for (const std::string& words : {figure.title, figure.does, figure.expected, figure.published}) QVERIFY2(!words.empty(), figure.name.c_str());
      QCOMPARE(find_paper_figure(figure.name), &figure);
      std::set<std::string> options;
      for (const FigureSetting& setting : figure.settings) {
        QVERIFY2(setting.option.starts_with("--") && options.insert(setting.option).second, setting.option.c_str());
        QVERIFY2(!setting.label.empty() && !setting.tip.empty(), (figure.name + setting.option).c_str());
        // Where nothing is handed over, it is said what that means.
        QVERIFY2(setting.standard.empty() != setting.otherwise.empty(), (figure.name + setting.option).c_str());
        QCOMPARE(figure_standard(figure.name, setting.option), setting.standard);
      }
    }
    QVERIFY(!find_paper_figure("000/99"));
    QVERIFY(!find_paper_figure(""));
    QCOMPARE(find_paper_figure("001/1"), find_paper_figure("001/2"));  // hits beside the same points
    for (const Paper& paper : papers())
      if (std::ranges::none_of(paper_figures(), [&](const PaperFigure& figure) { return figure.paper == paper.id; })) QVERIFY2(!paper.missing.empty(), paper.id.c_str());
  }

  void whatAFigureDoesNotReadIsRefused() {
    for (const PaperFigure& figure : paper_figures()) {
      std::vector<GivenOption> all;
      for (const FigureSetting& setting : figure.settings) {
        all.push_back({setting.option});
        // What a figure begins with is what it takes.
        if (setting.one) QVERIFY2(setting.standard.find(',') == std::string::npos, (figure.name + setting.option).c_str());
        QCOMPARE(check_figure_options(figure, {{setting.option, 2}}).has_value(), !setting.one);
      }
      for (const std::string& option : figure.more) {
        all.push_back({option});
        QVERIFY2(figure_standard(figure.name, option).empty(), (figure.name + option).c_str());
      }
      QVERIFY2(check_figure_options(figure, all).has_value(), figure.name.c_str());
      const auto refused = check_figure_options(figure, {{"--nosuch"}});
      QVERIFY(!refused && refused.error().code == ErrorCode::usage);
      QCOMPARE(refused.error().message, "figure " + figure.name + " takes no --nosuch; leave it out");
    }
    for (const auto& [name, option] : std::initializer_list<std::pair<const char*, const char*>>{
             {"000/3", "--methods"}, {"000/3", "--removed"}, {"000/4", "--removed"}, {"000/8", "--budgets"}, {"000/10", "--rates"}, {"000/limits", "--budgets"}, {"001/2", "--budgets"}, {"001/2", "--rates"}})
      QVERIFY2(!check_figure_options(*find_paper_figure(name), {{option, 3}}), name);
    QVERIFY(check_figure_options(*find_paper_figure("000/4"), {{"--methods", 3}}));
  }

  // Where the paper's shape shows on the model here (docs/reproduce.md).
  void figuresUnderARateBeginWhereTheyShow() {
    QCOMPARE(figure_standard("000/8", "--rates"), std::string("4,8,16,24"));
    QCOMPARE(figure_standard("000/8", "--methods"), std::string("keydiff+kivi4,knorm+kivi4,snapkv+kivi4,kivi4"));
    QCOMPARE(figure_standard("001/2", "--rates"), std::string("4"));
    QCOMPARE(figure_standard("000/10", "--rates"), std::string("12"));
    QCOMPARE(figure_standard("000/10", "--reprofile-threshold"), std::string("0.15"));
    QCOMPARE(figure_standard("000/10", "--alphas"), std::string("3"));
    QVERIFY(find_paper_figure("000/10")->published.find("threshold 0.3") != std::string::npos);
  }

  void aResultComesBackFromItsJson() {
    FigureResult result = begin_figure("000/3", Provenance::predicted);
    result.settings = {{"method", "keydiff"}, {"removed fraction", 0.9}};
    result.tables = {{"A, with \"quotes\"", {"family", "drop"}, {{"news", 0.1234567890123}, {"story", nullptr}}}};
    result.findings = {"one", "two"};
    result.runs = {"r1"};
    const auto back = figure_result_from_json(to_json(result), "test");
    QVERIFY(back && to_json(*back) == to_json(result));
    const std::string two = to_json(result).dump(2) + "\n" + to_json(result).dump() + "\n";
    const auto both = figure_results_of(two, "test");
    QVERIFY(both && both->size() == 2);
    const auto array = figure_results_of(Json::array({to_json(result), to_json(result), to_json(result)}).dump(2), "test");
    QVERIFY(array && array->size() == 3 && to_json(array->at(2)) == to_json(result));
    QVERIFY(figure_results_of("", "test")->empty());
    QCOMPARE(to_csv(result), std::string("\"A, with \"\"quotes\"\"\"\r\nfamily,drop\r\nnews,0.1234567890123\r\nstory,\r\n"));
  }

  void brokenResultsAreRefusedByName_data() {
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("part");
    QTest::newRow("title") << "/title" << "7" << "'title'";
    QTest::newRow("provenance") << "/provenance" << "\"guessed\"" << "guessed";
    QTest::newRow("tables") << "/tables" << "{}" << "'tables'";
    QTest::newRow("a short row") << "/tables/0/rows/0" << "[1]" << "row of 1 cells";
  }
  void brokenResultsAreRefusedByName() {
    QFETCH(QString, path);
    QFETCH(QString, value);
    QFETCH(QString, part);
    FigureResult result = begin_figure("000/3");
    result.tables = {{"t", {"a", "b"}, {{1, 2}}}};
    Json json = to_json(result);
    json[Json::json_pointer(path.toStdString())] = Json::parse(value.toStdString());
    const auto back = figure_result_from_json(json, "x.json");
    QVERIFY(!back);
    QVERIFY2(QString::fromStdString(back.error().message).contains(part), back.error().message.c_str());
    QVERIFY(QString::fromStdString(back.error().message).contains("x.json"));
    QVERIFY(!figure_results_of(json.dump(), "x.json"));
    QVERIFY(!figure_results_of("{", "x.json"));
  }
};

QTEST_GUILESS_MAIN(PaperFiguresTest)
#include "paper_figures_test.moc"
