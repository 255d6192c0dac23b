// links: kv_experiments
// By which metric figures of EvicPress measure quality: the paper's, where its embedder is there.
#include "core/experiments/studies/quality_experiment.h"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>

#include "core/experiments/claims.h"
#include "core/experiments/figures/adaptcache/fixed_forms.h"
#include "core/experiments/figures/experiments.h"
#include "tests/support/closed_host.h"
#include "tests/support/settled_claims.h"
#include "tests/support/test_program.h"

namespace quality_experiment_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

/// Keeps the metric that a session is asked for, and opens none.
class Host final : public ClosedHost {
 public:
  Expected<std::unique_ptr<FigureSession>> open_session(const FigureArguments& arguments, std::uint64_t,
                                                        const std::vector<std::string>& methods) override {
    metric = arguments.metric;
    asked_methods = methods;
    return fail(ErrorCode::usage, "this host opens no session");
  }

  std::string metric;
  std::vector<std::string> asked_methods;
};

/// One result with a claim, as if served.
class OneResult final : public QualityExperiment {
 public:
  OneResult() : QualityExperiment(find_experiment("evicpress/fig10")->figure()) {}

 protected:
  Expected<std::vector<FigureResult>> measure(const FigureArguments& arguments) const override {
    FigureResult result = begin_figure(figure());
    result.settings = {{"quality metric", arguments.metric}};
    result.findings = {"another"};
    result.measured = {{"evicpress/reprofiling-quality", {0.11, 0.11, Interval{0.1, 0.12}, Interval{0.1, 0.12}}}};
    return std::vector<FigureResult>{std::move(result)};
  }
};

FigureArguments served_arguments(Host& host, const std::string& figure) {
  FigureArguments arguments = arguments_for(host, figure);
  arguments.removed = "0.6";
  arguments.methods = "keydiff";
  arguments.rates = "4";
  arguments.budgets = "0.2";
  arguments.policies = "lru";
  return arguments;
}

std::string option_of(const std::vector<std::pair<std::string, std::string>>& options, const char* name) {
  const auto found = std::ranges::find(options, name, &std::pair<std::string, std::string>::first);
  return found == options.end() ? std::string() : found->second;
}

}  // namespace

class QualityExperimentTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;

  /// Whether the three files of the embedder are there; their content is not read before a session opens.
  void place_embedder(bool is_there) {
    for (const char* name : {"config.json", "vocab.txt", "model.safetensors"}) {
      QFile file(folder_.filePath(name));
      file.remove();
      if (is_there && !file.open(QIODevice::WriteOnly)) qFatal("%s cannot be written", name);
    }
    qputenv("KVANTAGE_EMBEDDING_MODEL", folder_.path().toLocal8Bit());
  }

 private slots:
  void thePapersMetricIsTheDefault() {
    QCOMPARE(choose_metric({}, true).name, std::string("cosine"));
    QVERIFY(!choose_metric({}, true).is_substitute);
    QCOMPARE(choose_metric({}, false).name, std::string("token_f1"));
    QVERIFY(choose_metric({}, false).is_substitute);
    // What was asked for by name stays, and fails where it cannot be had.
    for (const char* name : {"cosine", "token_f1", "rouge_l"}) {
      QCOMPARE(choose_metric(name, false).name, std::string(name));
      QVERIFY(!choose_metric(name, false).is_substitute);
    }
  }

  // All figures of EvicPress over a workload have it as a setting, and do without the embedder where they are quick.
  void eachFigureReadsIt() {
    std::size_t figures = 0;
    for (const Experiment* experiment : all_experiments()) {
      const PaperFigure& figure = experiment->figure();
      if (figure.paper != "evicpress" || !experiment->serves_sessions()) continue;
      ++figures;
      const auto setting = std::ranges::find(figure.settings, "--quality-metric", &FigureSetting::option);
      QVERIFY2(setting != figure.settings.end(), figure.name.c_str());
      QVERIFY2(setting->standard.empty() && setting->otherwise.starts_with("cosine"), figure.name.c_str());
      QVERIFY2(std::ranges::find(figure.more, "--quality-metric") == figure.more.end(), figure.name.c_str());
      if (!experiment->is_view()) QCOMPARE(option_of(figure.quick, "--quality-metric"), std::string("token_f1"));
      for (const bool is_there : {true, false}) {
        place_embedder(is_there);
        Host host;
        FigureArguments arguments = served_arguments(host, figure.name);
        QVERIFY(!experiment->run(arguments));
        QCOMPARE(host.metric, std::string(is_there ? "cosine" : "token_f1"));
        arguments.metric = "rouge_l";
        QVERIFY(!experiment->run(arguments));
        QCOMPARE(host.metric, std::string("rouge_l"));
      }
    }
    QCOMPARE(figures, std::size_t{12});
  }

  void thePapersPoolIsTheDefault() {
    for (const char* name : {"evicpress/fig8", "evicpress/fig10", "evicpress/limits", "evicpress/paper-scale"}) {
      const PaperFigure& figure = find_experiment(name)->figure();
      const auto setting = std::ranges::find(figure.settings, "--methods", &FigureSetting::option);
      QCOMPARE(setting->standard, std::string("keydiff,knorm,snapkv"));
    }
  }

  void byAnotherMetricVerdictsAreWithheld() {
    Host host;
    const OneResult one;
    place_embedder(true);
    const auto measured = one.run(served_arguments(host, "evicpress/fig10"));
    QVERIFY(measured && measured->size() == 1);
    QCOMPARE(measured->front().findings, (std::vector<std::string>{"another"}));
    QCOMPARE(measured->front().settings.at("quality metric").get<std::string>(), std::string("cosine"));
    QCOMPARE(test::verdict_of(measured->front(), "evicpress/reprofiling-quality"), std::string("agrees"));
    place_embedder(false);
    const auto substituted = one.run(served_arguments(host, "evicpress/fig10"));
    QVERIFY(substituted && substituted->size() == 1);
    QCOMPARE(substituted->front().findings, (std::vector<std::string>{substituted_text, "another"}));
    QVERIFY(substituted->front().settings.at("quality metric").get<std::string>().starts_with("token_f1, "));
    QCOMPARE(test::verdict_of(substituted->front(), "evicpress/reprofiling-quality"),
             std::string("withheld: not the paper's quality metric"));
    // By name it is what was wanted, and still not what the paper measured. No model is missing.
    for (const bool is_there : {true, false}) {
      place_embedder(is_there);
      for (const char* metric : {"token_f1", "rouge_l"}) {
        FigureArguments named = served_arguments(host, "evicpress/fig10");
        named.metric = metric;
        const auto results = one.run(named);
        QVERIFY(results && results->size() == 1);
        const std::string text =
            std::string("quality is ") + metric + ", as asked for, where claims of the paper are measured by cosine";
        QCOMPARE(results->front().findings, (std::vector<std::string>{text, "another"}));
        QCOMPARE(results->front().settings.at("quality metric").get<std::string>(), std::string(metric));
        QCOMPARE(results->front().off_regime.find("MiniLM"), std::string::npos);
        QCOMPARE(test::verdict_of(results->front(), "evicpress/reprofiling-quality"),
                 std::string("withheld: not the paper's quality metric"));
      }
    }
    place_embedder(true);
    FigureArguments named = served_arguments(host, "evicpress/fig10");
    named.metric = "cosine";
    const auto asked = one.run(named);
    QVERIFY(asked && asked->size() == 1);
    QCOMPARE(asked->front().findings, (std::vector<std::string>{"another"}));
    QCOMPARE(test::verdict_of(asked->front(), "evicpress/reprofiling-quality"), std::string("agrees"));
  }

  // Each figure of AdaptCache has one metric that settles its claims.
  void claimsOfAdaptCacheByMetric() {
    const MeasuredSpan twice{2, 2, Interval{1.9, 2.1}, Interval{1.9, 2.1}},
        seldom{0.38, 0.38, Interval{0.37, 0.39}, Interval{0.37, 0.39}};
    const auto settled = [&](const char* figure, const char* metric, const char* papers) {
      FigureResult result = begin_figure(figure);
      result.findings = {"another"};
      result.measured = {{"adaptcache/delay-vs-static", twice}, {"adaptcache/hit-rate-kivi2", seldom}};
      settle_by_metric(result, metric, papers);
      return result;
    };
    const auto verdicts = [](const FigureResult& result) {
      return std::pair(test::verdict_of(result, "adaptcache/delay-vs-static"),
                       test::verdict_of(result, "adaptcache/hit-rate-kivi2"));
    };
    const std::string agrees = "agrees", none = "none", withheld = "withheld: not the paper's quality metric";
    const FigureResult of_all = settled("adaptcache/fig2", "by_task", adaptcache_metric),
                       coding = settled("adaptcache/coding", "code_bleu", coding_metric);
    QCOMPARE(verdicts(of_all), std::pair(agrees, none));
    QCOMPARE(verdicts(coding), std::pair(none, agrees));
    for (const FigureResult* result : {&of_all, &coding})
      QCOMPARE(result->findings, (std::vector<std::string>{"another"}));
    for (const char* metric : {"code_bleu", "token_f1", "token_f1@prefill", "rouge_l@prefill"}) {
      const FigureResult other = settled("adaptcache/fig2", metric, adaptcache_metric);
      QCOMPARE(verdicts(other), std::pair(withheld, none));
      QCOMPARE(other.findings.front(), std::string("quality is ") + metric +
                                           ", as asked for, where claims of the paper are measured by by_task");
    }
    for (const char* metric : {"token_f1@prefill", "token_f1"}) {
      const FigureResult other = settled("adaptcache/coding", metric, coding_metric);
      QCOMPARE(verdicts(other), std::pair(none, withheld));
      QCOMPARE(other.findings.front(), std::string("quality is ") + metric +
                                           ", as asked for, where claims of the paper are measured by code_bleu");
    }
  }

  // The coding task is a study like figure 2, with a workload, a metric and a model of its own.
  void theCodingTaskOfAdaptCache() {
    const PaperFigure &coding = find_experiment("adaptcache/coding")->figure(),
                      &of_all = find_experiment("adaptcache/fig2")->figure();
    QVERIFY(!find_experiment("adaptcache/coding")->is_view());
    for (const auto& [option, ours, all] :
         {std::tuple{"--workload", "adaptcache-regime-code", "adaptcache-regime-tasks"},
          {"--quality-metric", "code_bleu", "by_task"},
          {"--model", "reference-mha", "reference-mha"},
          {"--methods", "kivi8,kivi4,kivi2,streaming_llm", "kivi8,kivi4,kivi2,streaming_llm"},
          {"--removed", "0.2714,0.5143,0.6286", "0.2714,0.5143,0.6286"}}) {
      QCOMPARE(figure_standard("adaptcache/coding", option), std::string(ours));
      QCOMPARE(figure_standard("adaptcache/fig2", option), std::string(all));
    }
    QCOMPARE(coding.settings.size(), of_all.settings.size());
    QCOMPARE(coding.more, of_all.more);
    QCOMPARE(option_of(coding.quick, "--limit"), std::string("4"));
    QCOMPARE(option_of(coding.quick, "--quality-metric"), std::string("token_f1@prefill"));
    QCOMPARE(option_of(coding.brief, "--budgets"), std::string("0.05,0.07,0.1"));
    Host host;
    FigureArguments arguments = served_arguments(host, "adaptcache/coding");
    arguments.metric = "code_bleu";
    arguments.methods = "kivi2";
    QVERIFY(!find_experiment("adaptcache/coding")->run(arguments));
    QCOMPARE(host.metric, std::string("code_bleu"));
    QCOMPARE(host.asked_methods, (std::vector<std::string>{"kivi2"}));
  }

  // A row of ours beside the paper's.
  void policiesOfAdaptCachesFigures() {
    QCOMPARE(fixed_forms_policies({"fixed(kivi2,0)"}),
             (std::vector<std::string>{"full_prefill", "lru", "fixed(kivi2,0)", "adaptcache(pool=paper)",
                                       "adaptcache(utility=printed,pool=paper)", "evicpress"}));
  }

  // Another reason for which there is no verdict stays.
  void aRegimeComesBeforeTheMetric() {
    FigureResult result;
    result.off_regime = "the workload is not in the paper's regime";
    tell_substitute(result);
    QCOMPARE(result.off_regime, std::string("the workload is not in the paper's regime"));
    QCOMPARE(result.findings, (std::vector<std::string>{substituted_text}));
    tell_other_metric(result, "rouge_l", "cosine");
    QCOMPARE(result.off_regime, std::string("the workload is not in the paper's regime"));
    QCOMPARE(result.findings.size(), std::size_t{2});
  }

  void axesOfQualityNameTheMetric() {
    FigureResult result;
    const auto add = [&result](std::vector<std::string> y, std::string title) {
      result.tables.push_back({"t", {"TTFT s", "quality"}, {}});
      result.tables.back().plot = FigurePlot{.x = "TTFT s", .y = std::move(y), .y_title = std::move(title)};
    };
    add({"quality"}, {});
    add({"quality", "uncompressed quality"}, "quality");
    add({"TTFT s"}, {});
    result.tables.push_back({"without a chart", {"quality"}, {}});
    name_quality_axes(result, "cosine");
    QCOMPARE(result.tables[0].plot->y_title, std::string("quality (cosine)"));
    QCOMPARE(result.tables[1].plot->y_title, std::string("quality (cosine)"));
    QVERIFY(result.tables[2].plot->y_title.empty());
    QCOMPARE(result.tables[0].plot->y, (std::vector<std::string>{"quality"}));
  }
};

KV_TEST_GUILESS_MAIN(QualityExperimentTest)

}  // namespace quality_experiment_test

#include "quality_experiment_test.moc"
