// links: kv_experiments
// The list of figures: each is whole, is found by all of its names, checks what it is given, and is made by the object
// itself. A figure outside the list is made in the same way.
#include <QtTest>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>

#include "core/base/files.h"
#include "core/experiments/figures/experiments.h"
#include "core/experiments/figures/figure_makers.h"
#include "core/experiments/figures/reproduction.h"
#include "tests/support/closed_host.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace experiments_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

/// The figure's own options, as the command passes them.
FigureArguments standard_arguments(ClosedHost& host, const PaperFigure& figure) {
  FigureArguments arguments = arguments_for(host, figure.name);
  const std::map<std::string, std::string*> texts{
      {"--budgets", &arguments.budgets},  {"--rate", &arguments.rates},
      {"--alpha", &arguments.alphas},     {"--policy", &arguments.policies},
      {"--methods", &arguments.methods},  {"--eviction-methods", &arguments.eviction_methods},
      {"--removed", &arguments.removed},  {"--page-tokens", &arguments.page_tokens},
      {"--workload", &arguments.workload}};
  const std::map<std::string, int*> numbers{{"--context-tokens", &arguments.context_tokens},
                                            {"--answer-tokens", &arguments.answer_tokens},
                                            {"--width", &arguments.width}};
  for (const FigureSetting& setting : figure.settings) {
    if (setting.standard.empty()) continue;
    if (const auto text = texts.find(setting.option); text != texts.end()) *text->second = setting.standard;
    if (const auto number = numbers.find(setting.option); number != numbers.end())
      *number->second = std::stoi(setting.standard);
  }
  return arguments;
}

/// Two results, as figures of the same runs have.
class TwoResults final : public Experiment {
 public:
  TwoResults()
      : Experiment({.name = "test/two",
                    .paper = "kvpr",
                    .title = "two results",
                    .does = "Returns them.",
                    .expected = "Both.",
                    .published = "none"}) {}
  Status check(const FigureArguments& arguments) const override {
    if (arguments.seed == 0) return fail(ErrorCode::usage, "--seed: is 0; give another one");
    return {};
  }
  Expected<std::vector<FigureResult>> run(const FigureArguments&) const override {
    return std::vector<FigureResult>{begin_figure(figure()), begin_figure(figure(), Provenance::predicted)};
  }
};

}  // namespace

class ExperimentsTest : public QObject {
  Q_OBJECT
 private slots:
  void eachHasAnIdAPaperAndTexts() {
    std::set<std::string> ids, known_papers;
    for (const Paper& paper : papers()) known_papers.insert(paper.id);
    QVERIFY(all_experiments().size() >= 32);
    for (const Experiment* experiment : all_experiments()) {
      QVERIFY(experiment != nullptr);
      const PaperFigure& figure = experiment->figure();
      QVERIFY2(ids.insert(figure.name).second, figure.name.c_str());
      for (const std::string& other : figure.also) QVERIFY2(ids.insert(other).second, other.c_str());
      QVERIFY2(known_papers.contains(figure.paper), figure.name.c_str());
      for (const std::string& text : {figure.title, figure.does, figure.expected, figure.published})
        QVERIFY2(!text.empty(), figure.name.c_str());
    }
  }

  void theFiguresAreThoseOfTheList() {
    QCOMPARE(paper_figures().size(), all_experiments().size());
    for (std::size_t i = 0; i < all_experiments().size(); ++i) {
      const Experiment* experiment = all_experiments()[i];
      QCOMPARE(paper_figures()[i].name, experiment->figure().name);
      QCOMPARE(find_experiment(experiment->figure().name), experiment);
      for (const std::string& other : experiment->figure().also) QCOMPARE(find_experiment(other), experiment);
    }
    QCOMPARE(find_experiment("000/8"), find_experiment("evicpress/fig8"));
    QVERIFY(find_experiment("evicpress/fig99") == nullptr);
    // Papers in their order, each in one piece.
    std::vector<std::string> order;
    for (const PaperFigure& figure : paper_figures())
      if (order.empty() || order.back() != figure.paper) order.push_back(figure.paper);
    std::vector<std::string> expected;
    for (const Paper& paper : papers()) expected.push_back(paper.id);
    QCOMPARE(order, expected);
  }

  void eachTakesItsOwnOptionsAndRefusesOthers() {
    ClosedHost host;
    for (const Experiment* experiment : all_experiments()) {
      const std::string& name = experiment->figure().name;
      const Status own = experiment->check(standard_arguments(host, experiment->figure()));
      QVERIFY2(own.has_value(), own ? "" : (name + ": " + own.error().message).c_str());
      // Values that no figure which reads them can take.
      FigureArguments wrong = standard_arguments(host, experiment->figure());
      wrong.budgets = wrong.rates = "much";
      wrong.eviction_methods = wrong.methods = "nosuch";
      wrong.width = 7;
      const Status refused = experiment->check(wrong);
      const bool reads_none = name == "evicpress/fig2" || name.ends_with("/examples");
      QCOMPARE(!refused, !reads_none);
      if (!refused) QVERIFY2(refused.error().code == ErrorCode::usage, (name + ": " + refused.error().message).c_str());
      const Status by_name = check_figure(wrong, experiment->figure());
      QCOMPARE(by_name.has_value(), refused.has_value());
    }
  }

  void figuresOverAWorkloadAskTheHostForASession() {
    ClosedHost host;
    for (const Experiment* experiment : all_experiments()) {
      const std::string& name = experiment->figure().name;
      QCOMPARE(serves_sessions(name), experiment->serves_sessions());
      const bool reads_workload = std::ranges::any_of(
          experiment->figure().settings, [](const FigureSetting& setting) { return setting.option == "--workload"; });
      QCOMPARE(experiment->serves_sessions(), reads_workload);
      if (!reads_workload) continue;
      const auto results = experiment->run(standard_arguments(host, experiment->figure()));
      QVERIFY2(!results && results.error().code == ErrorCode::usage, name.c_str());
      QVERIFY2(results.error().message.find("sessions cannot be made here") != std::string::npos, name.c_str());
    }
    QVERIFY(!serves_sessions("nosuch"));
  }

  void viewsAreMadeWithTheirRuns() {
    std::vector<std::string> views;
    const auto names = reproduced_figures();
    for (const Experiment* experiment : all_experiments()) {
      const bool made = std::ranges::find(names, experiment->figure().name) != names.end();
      QCOMPARE(made, !experiment->is_view());
      if (experiment->is_view()) views.push_back(experiment->figure().name);
    }
    QCOMPARE(views,
             (std::vector<std::string>{"evicpress/fig7", "evicpress/fig9", "evicpress/fig11", "evicpress/fig12"}));
  }

  // `reproduce all` makes the coding task of AdaptCache behind its figure 2, and then the paper's scale, of its curves.
  void adaptCacheHasThreeFigures() {
    std::vector<std::string> made;
    for (const std::string& name : reproduced_figures())
      if (name.starts_with("adaptcache/")) made.push_back(name);
    QCOMPARE(made, (std::vector<std::string>{"adaptcache/fig2", "adaptcache/coding", "adaptcache/paper-scale"}));
  }

  // Each of KVPR's fourteen figures is made, or what the paper misses names it.
  void whatIsMissingOfKvprIsNamed() {
    const auto paper = std::ranges::find(papers(), "kvpr", &Paper::id);
    QVERIFY(paper != papers().end());
    for (int number = 1; number <= 14; ++number) {
      const bool made = find_experiment("kvpr/fig" + std::to_string(number)) != nullptr;
      const bool named = std::regex_search(paper->missing, std::regex("\\b" + std::to_string(number) + "\\b"));
      QVERIFY2(made != named, std::to_string(number).c_str());
    }
  }

  void oneCallerShowsWhatItReturns() {
    ClosedHost host;
    const Experiment& worked = *find_experiment("evicpress/fig2");
    const auto returned = worked.run(arguments_for(host, "evicpress/fig2"));
    QVERIFY(returned && returned->size() == 1 && host.written.empty() && host.take_shown().empty());
    QCOMPARE(returned->front().figure, std::string("evicpress/fig2"));
    QVERIFY(returned->front().tables.front().plot && !returned->front().tables.front().plot->published.empty());
    QVERIFY(make_figure(arguments_for(host, "evicpress/fig2")));
    const auto shown = host.take_shown();
    QCOMPARE(shown.size(), std::size_t{1});
    QVERIFY(shown.front().tables.front().rows == returned->front().tables.front().rows);
    QVERIFY(host.written.find("evicpress/fig2") != std::string::npos);
    const Status unknown = make_figure(arguments_for(host, "evicpress/fig99"));
    QVERIFY(!unknown && unknown.error().code == ErrorCode::usage);
  }

  // What a figure prints besides is in its line of JSON, and is kept nowhere.
  void furtherMembersArePrintedLast() {
    ClosedHost host;
    FigureResult result = begin_figure("compaction/decode");
    result.more["rows"] = OrderedJson::array({{{"method", "knorm"}, {"budget_fraction", 0.5}}});
    host.show(result, true);
    QVERIFY2(host.written.ends_with("\"rows\":[{\"method\":\"knorm\",\"budget_fraction\":0.5}]}\n"),
             host.written.c_str());
    QCOMPARE(std::ranges::count(host.written, '\n'), std::ptrdiff_t{1});
    QVERIFY(figure_results_of(host.written, "written").has_value());
    QVERIFY(!to_json(host.take_shown().front()).contains("rows"));
  }

  void aFigureOutsideTheListIsMadeAlike() {
    ClosedHost host;
    const TwoResults two;
    FigureArguments arguments = arguments_for(host, two.figure().name);
    arguments.seed = 0;
    QVERIFY(!two.check(arguments));
    arguments.seed = 1;
    QVERIFY(two.check(arguments) && !two.serves_sessions() && !two.is_view());
    const auto results = two.run(arguments);
    QVERIFY(results && results->size() == 2);
    QCOMPARE(results->back().title, std::string("two results"));
    QCOMPARE(results->back().provenance, Provenance::predicted);
  }

  // Those under arrivals at a rate, but for the one in whose idle time the engine profiles.
  void figuresThatWaitForArrivalsLeaveThatOut() {
    std::set<std::string> leaving;
    for (const Experiment* experiment : all_experiments())
      if (experiment->leaves_out_idle()) leaving.insert(experiment->figure().name);
    QVERIFY((leaving == std::set<std::string>{"adaptcache/coding", "adaptcache/fig2", "evicpress/fig8"}));
  }

  // One file and one row a figure, in the folder of its paper.
  void eachHasAFileAndARow() {
    namespace fs = std::filesystem;
    const fs::path figures = test::source_directory() / "core" / "experiments" / "figures";
    std::size_t rows = 0;
    for (const Paper& paper : papers()) {
      const auto list = read_text_file(figures / paper.id / "figures.inl");
      QVERIFY2(list, paper.id.c_str());
      static const std::regex row(R"(\nKV_FIGURE\(([a-z]+)_(\w+)\))");
      for (std::sregex_iterator at(list->begin(), list->end(), row), end; at != end; ++at, ++rows) {
        QCOMPARE((*at)[1].str(), paper.id);
        const fs::path file = figures / paper.id / ((*at)[2].str() + ".cpp");
        QVERIFY2(fs::exists(file), file.c_str());
      }
    }
    QCOMPARE(rows, all_experiments().size());
  }
};

KV_TEST_GUILESS_MAIN(ExperimentsTest)

}  // namespace experiments_test

#include "experiments_test.moc"
