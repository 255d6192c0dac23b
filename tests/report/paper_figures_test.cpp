// links: kv_experiments
// The list of the papers' figures: complete in words, with settings that say what they are; results as JSON both ways.
#include <QtTest>

#include <set>

#include "core/experiments/paper_figures.h"
#include "core/report/figure.h"
#include "core/report/figure_plot.h"
#include "tests/support/test_program.h"

namespace paper_figures_test {

using namespace kvantage;

class PaperFiguresTest : public QObject {
  Q_OBJECT
 private slots:
  void everyFigureHasItsText() {
    std::set<std::string> names, ids;
    for (const Paper& paper : papers()) ids.insert(paper.id);
    QVERIFY(paper_figures().size() >= 15);
    for (const PaperFigure& figure : paper_figures()) {
      QVERIFY2(names.insert(figure.name).second, figure.name.c_str());
      QVERIFY2(ids.contains(figure.paper), figure.name.c_str());
      for (const std::string& words : {figure.title, figure.does, figure.expected, figure.published})
        QVERIFY2(!words.empty(), figure.name.c_str());
      QCOMPARE(find_paper_figure(figure.name), &figure);
      for (const std::string& other : figure.also) {
        QVERIFY2(names.insert(other).second, other.c_str());
        QCOMPARE(find_paper_figure(other), &figure);
      }
      std::set<std::string> options;
      for (const FigureSetting& setting : figure.settings) {
        QVERIFY2(setting.option.starts_with("--") && options.insert(setting.option).second, setting.option.c_str());
        QVERIFY2(!setting.label.empty() && !setting.tip.empty(), (figure.name + setting.option).c_str());
        // Where nothing is handed over, it is said what that means.
        QVERIFY2(setting.standard.empty() != setting.otherwise.empty(), (figure.name + setting.option).c_str());
        QCOMPARE(figure_standard(figure.name, setting.option), setting.standard);
      }
    }
    QVERIFY(!find_paper_figure("evicpress/fig99"));
    QVERIFY(!find_paper_figure(""));
    QCOMPARE(find_paper_figure("adaptcache/fig1"),
             find_paper_figure("adaptcache/fig2"));  // hits beside the same points
    for (const char* table : {"kvpr/table3", "kvpr/table4"})
      QCOMPARE(find_paper_figure(table), find_paper_figure("kvpr/fig7"));
    for (const Paper& paper : papers())
      if (std::ranges::none_of(paper_figures(), [&](const PaperFigure& figure) { return figure.paper == paper.id; }))
        QVERIFY2(!paper.missing.empty(), paper.id.c_str());
  }

  // Numbers of papers, as figures were called before.
  void earlierNamesAreRead() {
    for (const auto& [before, now] : {std::pair{"000/2", "evicpress/fig2"},
                                      {"000/12", "evicpress/fig12"},
                                      {"000/limits", "evicpress/limits"},
                                      {"001/1", "adaptcache/fig1"},
                                      {"002/4", "pagedeviction/fig4"},
                                      {"003/walls", "compaction/overheads"},
                                      {"decode", "compaction/decode"},
                                      {"004/table-3", "kvpr/table3"},
                                      {"004/context-load", "kvpr/context-load"}}) {
      QCOMPARE(current_figure_id(before), std::string(now));
      QVERIFY2(find_paper_figure(before) != nullptr, before);
      QCOMPARE(find_paper_figure(before), find_paper_figure(now));
    }
    for (const char* other : {"evicpress/fig2", "compaction/decode", "decode/1", "000", "0000/2", ""})
      QCOMPARE(current_figure_id(other), std::string(other));
    QVERIFY(find_paper_figure("000/") == nullptr);
    QVERIFY(find_paper_figure("000/99") == nullptr);
  }

  void whatAFigureDoesNotReadIsRefused() {
    for (const PaperFigure& figure : paper_figures()) {
      std::vector<GivenOption> all;
      for (const FigureSetting& setting : figure.settings) {
        all.push_back({setting.option});
        // What a figure begins with is what it takes.
        if (setting.one)
          QVERIFY2(setting.standard.find(',') == std::string::npos, (figure.name + setting.option).c_str());
        QCOMPARE(check_figure_options(figure, {{setting.option, 2}}).has_value(), !setting.one);
      }
      for (const std::string& option : figure.more) {
        if (option != "--model") all.push_back({option});  // stands for --width
        QVERIFY2(figure_standard(figure.name, option).empty(), (figure.name + option).c_str());
      }
      QVERIFY2(check_figure_options(figure, all).has_value(), figure.name.c_str());
      const auto refused = check_figure_options(figure, {{"--nosuch"}});
      QVERIFY(!refused && refused.error().code == ErrorCode::usage);
      QCOMPARE(refused.error().message, "figure " + figure.name + " takes no --nosuch; leave it out");
    }
    for (const auto& [name, option] :
         std::initializer_list<std::pair<const char*, const char*>>{{"evicpress/fig3", "--methods"},
                                                                    {"evicpress/fig3", "--removed"},
                                                                    {"evicpress/fig4", "--removed"},
                                                                    {"evicpress/fig8", "--budgets"},
                                                                    {"evicpress/fig10", "--rate"},
                                                                    {"evicpress/limits", "--budgets"},
                                                                    {"adaptcache/fig2", "--rate"},
                                                                    {"adaptcache/coding", "--rate"}})
      QVERIFY2(!check_figure_options(*find_paper_figure(name), {{option, 3}}), name);
    QVERIFY(check_figure_options(*find_paper_figure("evicpress/fig4"), {{"--methods", 3}}));
    QVERIFY(check_figure_options(*find_paper_figure("adaptcache/fig2"), {{"--budgets", 5}}));
  }

  void aModelIsReadOrRefused() {
    for (const PaperFigure& figure : paper_figures()) {
      const bool is_arithmetic = figure.name == "evicpress/fig2" || figure.name.ends_with("/examples");
      QCOMPARE(figure.random_weights, (figure.paper == "kvpr" && !is_arithmetic) ||
                                          figure.name == "pagedeviction/throughput" ||
                                          figure.name == "compaction/long-decode");
      QCOMPARE(figure.without_model, is_arithmetic);
      QCOMPARE(uses_model(figure), !figure.random_weights && !figure.without_model);
      const bool reads = uses_model(figure) || std::ranges::find(figure.more, "--model") != figure.more.end();
      QCOMPARE(reads_model(figure), reads);
      const auto checked = check_figure_options(figure, {{"--model", 3}});  // a folder's name may have commas
      QCOMPARE(checked.has_value(), reads);
      // Where there is no prompt, its form is not read.
      QCOMPARE(check_figure_options(figure, {{"--prompt-form"}}).has_value(), uses_model(figure));
      QCOMPARE(check_figure_options(figure, {{"--max-model-len"}}).has_value(), reads);
      if (figure.without_model)
        QCOMPARE(checked.error().message,
                 "figure " + figure.name + " takes no --model: it computes without a model; leave it out");
      else if (!reads)
        QVERIFY2(checked.error().message.starts_with("figure " + figure.name +
                                                     " takes no --model: it uses random weights; leave it out, or use "
                                                     "it with a figure that takes it: kvpr/fig7"),
                 checked.error().message.c_str());
    }
    const auto both = check_figure_options(*find_paper_figure("kvpr/fig7"), {{"--width"}, {"--model"}});
    QVERIFY(!both && both.error().code == ErrorCode::usage &&
            both.error().message.find("not both: ") != std::string::npos);
  }

  // Where the paper's shape shows on the model here (docs/figures.md).
  void figuresUnderARateBeginWhereTheyShow() {
    // In the paper's regime, with its pool; rates are multiples of what the machine prefills.
    const auto otherwise = [](const char* figure, const char* option) {
      for (const FigureSetting& setting : find_paper_figure(figure)->settings)
        if (setting.option == option) return setting.standard + setting.otherwise;
      return std::string();
    };
    QCOMPARE(figure_standard("evicpress/fig8", "--workload"), std::string("evicpress-regime"));
    QVERIFY(
        otherwise("evicpress/fig8", "--rate")
            .ends_with("in steps of 1.39, of others than evicpress from 0.19 to 7; 4,8,16,24 outside of the regime"));
    // Two of the paper's three models have 8.3 % of their KV in DRAM; bounds are relative to the machine.
    QVERIFY(otherwise("evicpress/fig8", "--budgets").starts_with("0.08 in the regime, as 80 GB hold 8.3 % "));
    QVERIFY(otherwise("evicpress/fig8", "--ttft-bound").starts_with("twice the mean prefill of a context: "));
    QVERIFY(otherwise("evicpress/fig8", "--itl-bound").starts_with("twice that of requests served one at a time, "));
    for (const char* bound : {"--budgets", "--ttft-bound", "--itl-bound"})
      QCOMPARE(figure_standard("evicpress/fig8", bound), std::string());
    QCOMPARE(figure_standard("evicpress/fig8", "--methods"), std::string("keydiff,knorm,snapkv"));
    QCOMPARE(figure_standard("adaptcache/fig2", "--workload"), std::string("adaptcache-regime-tasks"));
    QCOMPARE(figure_standard("adaptcache/fig2", "--quality-metric"), std::string("by_task"));
    for (const char* figure : {"adaptcache/fig2", "adaptcache/coding"})
      QCOMPARE(otherwise(figure, "--rate"), std::string("that of the regime; 4 outside of one"));
    QCOMPARE(figure_standard("evicpress/fig10", "--workload"), std::string("azure-drift"));
    QCOMPARE(figure_standard("evicpress/fig10", "--rate"), std::string("12"));
    QCOMPARE(figure_standard("evicpress/fig10", "--reprofile-when"), std::string("absolute(0.3)"));
    QCOMPARE(figure_standard("evicpress/fig10", "--profile-questions"), std::string("1"));
    QCOMPARE(figure_standard("evicpress/fig10", "--alpha"), std::string("3"));
    QVERIFY(find_paper_figure("evicpress/fig10")->published.find("threshold 0.3") != std::string::npos);
  }

  void aResultComesBackFromItsJson() {
    FigureResult result = begin_figure("evicpress/fig3", Provenance::predicted);
    result.settings = {{"method", "keydiff"}, {"removed fraction", 0.9}};
    result.tables = {{"A, with \"quotes\"", {"family", "drop"}, {{"news", 0.1234567890123}, {"story", nullptr}}}};
    result.findings = {"one", "two"};
    result.runs = {"r1"};
    const auto back = figure_result_from_json(to_json(result), "test");
    QVERIFY(back && to_json(*back) == to_json(result));
    const std::string two = to_json(result).dump(2) + "\n" + to_json(result).dump() + "\n";
    const auto both = figure_results_of(two, "test");
    QVERIFY(both && both->size() == 2);
    const auto array =
        figure_results_of(Json::array({to_json(result), to_json(result), to_json(result)}).dump(2), "test");
    QVERIFY(array && array->size() == 3 && to_json(array->at(2)) == to_json(result));
    QVERIFY(figure_results_of("", "test")->empty());
    const std::string csv = "\"A, with \"\"quotes\"\"\"\r\nfamily,drop\r\nnews,0.1234567890123\r\nstory,\r\n",
                      text = to_text(result);
    QCOMPARE(to_csv(result), csv);
    QVERIFY(!to_json(result)["tables"][0].contains("plot"));  // as it was kept before there were any
    QVERIFY(!back->tables.front().plot);
    result.tables.front().plot = FigurePlot{.x = "drop", .y = {"drop"}, .y_title = "drop of quality", .by = {"family"}};
    const auto drawn = figure_result_from_json(to_json(result), "test");
    QVERIFY(drawn && drawn->tables.front().plot && to_json(*drawn) == to_json(result));
    QCOMPARE(to_csv(result), csv);
    QCOMPARE(to_text(result), text);
  }

  void linesAreReadByTheirColumns() {
    FigureTable table{"rates", {"policy", "alpha s", "rate 1/s", "TTFT s", "low", "high", "hits %"}, {}};
    table.rows = {{"lru", nullptr, 8, 0.5, 0.4, 0.7, 10.0},
                  {"lru", nullptr, 4, 0.25, nullptr, nullptr, 20.0},
                  {"evicpress", 0.1, 4, 0.125, 0.1, 0.2, nullptr},
                  {"evicpress", 3.0, 4, 0.5, 0.1, 0.2, nullptr},
                  {"lru", nullptr, "unloaded", 0.1, 0.1, 0.1, 30.0}};
    QVERIFY(plotted_lines(table).empty());
    table.plot = FigurePlot{.x = "rate 1/s", .y = {"TTFT s"}, .by = {"policy", "alpha s"}};
    auto lines = plotted_lines(table);
    QCOMPARE(lines.size(), std::size_t{3});
    QCOMPARE(lines[0].name, std::string("lru"));
    QCOMPARE(lines[1].name, std::string("evicpress, alpha s 0.1"));
    QCOMPARE(lines[2].values, (std::vector<std::string>{"evicpress", "3"}));
    QCOMPARE(lines[0].points.size(), std::size_t{2});  // the unloaded run has no rate
    QCOMPARE(lines[0].points[0].x, 4.0);               // rising
    QVERIFY(!lines[0].points[0].interval && lines[0].points[1].interval->high == 0.7);
    table.plot = FigurePlot{.x = "rate 1/s", .y = {"TTFT s", "hits %"}, .y_title = "?"};
    lines = plotted_lines(table);
    QCOMPARE(lines.size(), std::size_t{2});
    QCOMPARE(lines[1].name, std::string("hits %"));
    QCOMPARE(lines[1].points.size(), std::size_t{2});
    table.rows.resize(2);  // one policy is left: it distinguishes nothing
    table.plot->by = {"alpha s", "policy"};
    QCOMPARE(plotted_lines(table)[1].name, std::string("hits %"));
    table.plot->x = "no such";
    QVERIFY(plotted_lines(table).empty());
  }

  void spansAreReadByTheirColumns() {
    FigureTable table{"time line",
                      {"lane", "what", "layer", "from ms", "to ms"},
                      {{"link", "weights", 0, -1.5, 2.0},
                       {"processor", "layer", 1, 2.0, nullptr},
                       {"processor", "layer", 2, 2.0, 3.5}}};
    table.plot = FigurePlot{
        .kind = FigurePlot::Kind::spans, .x = "ms", .y = {"lane", "from ms", "to ms"}, .by = {"layer", "what"}};
    QVERIFY(plotted_lines(table).empty());
    const auto spans = plotted_spans(table);
    QCOMPARE(spans.size(), std::size_t{2});
    QCOMPARE(spans[0].lane, std::string("link"));
    QCOMPARE(spans[0].begin, -1.5);
    QCOMPARE(spans[1].label, std::string("2"));
    QCOMPARE(spans[1].kind, std::string("layer"));
    table.plot->by = {"what"};
    QCOMPARE(plotted_spans(table)[0].label, std::string("weights"));
    QVERIFY(plotted_spans(table)[0].kind.empty());
  }

  void brokenResultsAreRefusedByName_data() {
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("part");
    QTest::newRow("title") << "/title"
                           << "7"
                           << "'title'";
    QTest::newRow("provenance") << "/provenance"
                                << "\"guessed\""
                                << "guessed";
    QTest::newRow("tables") << "/tables"
                            << "{}"
                            << "'tables'";
    QTest::newRow("a short row") << "/tables/0/rows/0"
                                 << "[1]"
                                 << "row of 1 cells";
    QTest::newRow("a plot's kind") << "/tables/0/plot/kind"
                                   << "\"pie\""
                                   << "plot: kind: is none of lines, scatter, cdf, bars, histogram, heat_map, spans";
    QTest::newRow("a plot's x") << "/tables/0/plot/x"
                                << "\"c\""
                                << "plot: x: the table has no column 'c'";
    QTest::newRow("a plot's y") << "/tables/0/plot/y"
                                << "[\"b\", \"c\"]"
                                << "plot: y: the table has no column 'c'";
    QTest::newRow("a plot's lines") << "/tables/0/plot/by"
                                    << "[\"c\"]"
                                    << "plot: by: the table has no column 'c'";
    QTest::newRow("a plot without y") << "/tables/0/plot/y"
                                      << "[]"
                                      << "plot: y: has 0 columns";
    QTest::newRow("a plot of spans with one y") << "/tables/0/plot/kind"
                                                << "\"spans\""
                                                << "spans need 3";
    QTest::newRow("a plot's unknown field") << "/tables/0/plot/z"
                                            << "1"
                                            << "'z'";
    QTest::newRow("no plot") << "/tables/0/plot"
                             << "7"
                             << "plot";
  }
  void brokenResultsAreRefusedByName() {
    QFETCH(QString, path);
    QFETCH(QString, value);
    QFETCH(QString, part);
    FigureResult result = begin_figure("evicpress/fig3");
    result.tables = {{"t", {"a", "b"}, {{1, 2}}, FigurePlot{.x = "a", .y = {"b"}}}};
    Json json = to_json(result);
    json[Json::json_pointer(path.toStdString())] = Json::parse(value.toStdString());
    const auto back = figure_result_from_json(json, "x.json");
    QVERIFY(!back);
    QVERIFY2(QString::fromStdString(back.error().message).contains(part), back.error().message.c_str());
    QVERIFY(QString::fromStdString(back.error().message).contains("x.json"));
    QVERIFY(!figure_results_of(json.dump(), "x.json"));
    QVERIFY(!figure_results_of("{", "x.json"));
    const auto deep = figure_results_of(std::string(100'000, '['), "x.json");
    QVERIFY(!deep && deep.error().message.find("nested too deeply") != std::string::npos);
  }
};

KV_TEST_GUILESS_MAIN(PaperFiguresTest)

}  // namespace paper_figures_test

#include "paper_figures_test.moc"
