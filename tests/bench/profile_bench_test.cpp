// links: app_wiring
// Time per cell of a quality curve, beside kvpress's time for the same cells of the same model in the same run, where a
// Python with kvpress is available (build/venv-kv, or KVANTAGE_KVPRESS_PYTHON). And with batch-invariant products,
// beside the time of the same cells where each form and question is measured alone. Asserted: the same cells were
// measured and most answers agree, or all; no time ever.
//     profile_bench_test [--contexts N] [--questions N] [--threads N] [--model FOLDER] [--whole]
//     threads: 2; whole: 16 contexts, 5 methods, 8 fractions, 8 questions
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/quality/profiler.h"
#include "core/workload/workload.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace profile_bench_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

int threads = 2;
std::size_t contexts = 1, asked = 4;  // asked: questions per context
std::vector<std::string> methods{"knorm", "keydiff", "snapkv", "streaming_llm"};
std::vector<double> fractions{0.2, 0.4, 0.6, 0.8, 0.9};
std::filesystem::path given_model;  // empty: the test model

std::filesystem::path model_folder() { return given_model.empty() ? model_directory() : given_model; }

double seconds_since(std::int64_t start_ns) {
  return static_cast<double>(SystemClock().monotonic_ns() - start_ns) * 1e-9;
}

ProfilePlan plan() {
  return {.methods = methods,
          .removed_fractions = fractions,
          .quality_metric = "token_f1",
          .max_answer_tokens = 48,
          .questions = asked,
          .reference_answers = false};
}

/// Cells by context, and sums over contexts.
struct Profiled {
  std::vector<std::vector<ProfileCell>> cells;
  double prefill_seconds = 0, seconds = 0, tokens = 0;
};

}  // namespace

class ProfileBench : public QObject {
  Q_OBJECT

  static std::filesystem::path kvpress_python() {
    if (const char* given = std::getenv("KVANTAGE_KVPRESS_PYTHON")) return given;
    const auto default_python = source_directory() / "build" / "venv-kv" / "bin" / "python";
    return std::filesystem::exists(default_python) ? default_python : std::filesystem::path();
  }

  /// Those nearest to 1,024 tokens.
  static std::vector<std::size_t> choose_contexts(Catalog& catalog) {
    std::vector<std::size_t> chosen(catalog.size());
    std::iota(chosen.begin(), chosen.end(), std::size_t{0});
    std::ranges::stable_sort(chosen, {}, [&](std::size_t c) { return std::abs(catalog.state(c).tokens - 1024); });
    chosen.resize(std::min(chosen.size(), contexts));
    return chosen;
  }

  /// The uncompressed cache of a context, and the queries of its last tokens.
  static std::pair<KvCache, WindowQueries> prefilled(ModelRuntime& runtime, const ContextDetails& details) {
    KvCache cache(*runtime.pool);
    PrefillTask prefill(*runtime.model, cache, details.tokens, 0,
                        {.chunk_tokens = runtime.chunk_tokens(),
                         .window_queries = runtime.window_queries,
                         .logits = PrefillLogits::none});
    if (const Status ran = prefill.run(); !ran) qFatal("%s", ran.error().message.c_str());
    return {std::move(cache), prefill.take_window_queries()};
  }

  static void profile(ModelRuntime& runtime, Catalog& catalog, std::size_t context, QualityMeter& meter,
                      Profiled& profiled) {
    ContextDetails& details = catalog.details(context);
    std::vector<ProfileCell> cells;
    double prefilling = 0, taken = 0;
    for (int round = profiled.cells.empty() ? 0 : 1; round < 2; ++round) {  // the first one warms
      const std::int64_t start = SystemClock().monotonic_ns();
      const auto [cache, queries] = prefilled(runtime, details);
      prefilling = seconds_since(start);
      ProfileTask task(runtime, meter, catalog.state(context), details, cache, observation_of(runtime, queries),
                       plan());
      while (!task.done()) QVERIFY(task.step({}).has_value());
      taken = seconds_since(start);
      QCOMPARE(task.scorings(), static_cast<int>(methods.size()));
      cells = task.take_cells();
    }
    QCOMPARE(cells.size(), 1 + methods.size() * fractions.size());
    profiled.prefill_seconds += prefilling;
    profiled.seconds += taken;
    profiled.tokens += catalog.state(context).tokens;
    profiled.cells.push_back(std::move(cells));
  }

  struct Width {
    ProfileWidth width;
    double seconds = 0;  // of all contexts, without their prefills
    std::size_t steps = 0;
    std::vector<ProfileCell> cells = {};  // of the last context
  };
  static void profile_in_turns(ModelRuntime& runtime, Catalog& catalog, std::size_t context, QualityMeter& meter,
                               std::array<Width, 2>& widths) {
    ContextDetails& details = catalog.details(context);
    const auto [cache, queries] = prefilled(runtime, details);
    for (const bool warms : {true, false})
      for (Width& one : widths) {
        ProfileTask task(runtime, meter, catalog.state(context), details, cache, observation_of(runtime, queries),
                         plan(), one.width);
        const std::int64_t start = SystemClock().monotonic_ns();
        std::size_t steps = 0;
        for (; !task.done(); ++steps) QVERIFY(task.step({}).has_value());
        if (warms) continue;
        one.seconds += seconds_since(start);
        one.steps += steps;
        one.cells = task.take_cells();
      }
    QCOMPARE(widths[0].cells.size(), widths[1].cells.size());
    for (std::size_t c = 0; c < widths[0].cells.size(); ++c)
      QVERIFY(widths[0].cells[c].scores == widths[1].cells[c].scores);
  }

  /// What kvpress_profile.py is to do; golds: of the questions it asks, by context.
  static Json kvpress_job(ModelRuntime& runtime, Catalog& catalog, const std::vector<std::size_t>& chosen,
                          std::vector<std::vector<std::string>>& golds) {
    Json job{{"model", model_folder().string()}, {"threads", compute_threads()},
             {"contexts", Json::array()},        {"methods", methods},
             {"fractions", fractions},           {"max_tokens", 48},
             {"stop_ids", runtime.stop_ids()}};
    for (std::size_t c = 0; c < chosen.size(); ++c) {
      const ContextDetails& details = catalog.details(chosen[c]);
      Json context{{"tokens", details.tokens}, {"questions", Json::array()}};
      for (const CatalogQuestion& question : details.questions) {
        if (question.held_out || golds[c].size() == asked) continue;
        context["questions"].push_back(question.tokens);
        golds[c].push_back(question.gold);
      }
      job["contexts"].push_back(std::move(context));
    }
    return job;
  }

 private slots:
  void initTestCase() {
    if (model_folder().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
  }

  void timePerCell() {
    const auto workload = read_workload(source_directory() / "sample_workloads" / "quickstart");
    QVERIFY2(workload.has_value(), workload ? "" : workload.error().message.c_str());
    const auto runtime = ModelRuntime::load(model_folder()).value();
    const auto catalog = Catalog::build(*workload, *runtime).value();
    const std::vector<std::size_t> chosen = choose_contexts(*catalog);
    QualityMeter meter;
    Profiled profiled;
    for (const std::size_t context : chosen) {
      profile(*runtime, *catalog, context, meter, profiled);
      if (QTest::currentTestFailed()) return;
    }
    const auto& [cells, prefill_seconds, seconds, tokens] = profiled;
    const std::size_t all_cells = chosen.size() * cells[0].size();
    const auto count = static_cast<double>(all_cells);
    std::printf(
        "%zu contexts of %.0f tokens on average, %zu cells of %zu questions: %.1f ms in all, of it %zu prefills %.1f "
        "ms; %.2f ms a cell\n",
        chosen.size(), tokens / static_cast<double>(chosen.size()), all_cells, asked, seconds * 1e3, chosen.size(),
        prefill_seconds * 1e3, seconds * 1e3 / count);
    std::fflush(stdout);

    const auto python = kvpress_python();
    if (python.empty())
      QSKIP("no Python with kvpress (build/venv-kv or KVANTAGE_KVPRESS_PYTHON): its time stays unmeasured");
    std::vector<std::vector<std::string>> golds(chosen.size());
    const Json job = kvpress_job(*runtime, *catalog, chosen, golds);
    const QTemporaryDir folder;
    const std::filesystem::path file = std::filesystem::path(folder.path().toStdString()) / "job.json";
    QVERIFY(write_text_file(file, job.dump()).has_value());
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char* name : {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "OMP_NUM_THREADS"})
      environment.remove(name);  // a peer waits as it likes best
    process.setProcessEnvironment(environment);
    process.start(QString::fromStdString(python.string()),
                  {QString::fromStdString((source_directory() / "tests/bench/kvpress_profile.py").string()),
                   QString::fromStdString(file.string())});
    QVERIFY(process.waitForFinished(3600000));
    const QByteArray out = process.readAllStandardOutput();
    if (process.exitCode() != 0)
      QSKIP(("kvpress does not run here: " + process.readAllStandardError().right(300)).constData());
    const auto rows = parse_json(out.trimmed().toStdString(), "kvpress");
    QVERIFY2(rows.has_value(), rows ? "" : rows.error().message.c_str());
    QCOMPARE(rows->size(), all_cells);
    double their_prefill = 0, their_answers = 0;
    std::size_t same = 0, of = 0;
    for (const Json& row : *rows) {
      their_prefill += row.at("prefill_seconds").get<double>();
      their_answers += row.at("answer_seconds").get<double>();
      const std::size_t c = row.at("context").get<std::size_t>();
      for (const ProfileCell& cell : cells[c]) {
        if (cell.point.method != row.at("method") || cell.point.removed_fraction != row.at("removed_fraction"))
          continue;
        for (std::size_t q = 0; q < golds[c].size(); ++q, ++of)
          same += token_f1(runtime->tokenizer->decode(row.at("answers")[q].get<std::vector<std::int32_t>>()),
                           golds[c][q]) == cell.scores[q]
                      ? 1
                      : 0;
      }
    }
    const double theirs = their_prefill + their_answers;
    std::printf("kvpress 0.5: %.1f ms in all, of it %zu prefills %.1f ms; %.2f ms a cell\n", theirs * 1e3, rows->size(),
                their_prefill * 1e3, theirs * 1e3 / count);
    std::printf("kvpress / ours: %.1f a cell (answers alone: %.1f); equal scores in %zu of %zu answers\n",
                theirs / seconds, their_answers / (seconds - prefill_seconds), same, of);
    QCOMPARE(of, all_cells * golds[0].size());
    QVERIFY(same > of / 2);
  }

  void togetherBesideOneAfterTheOther() {
    const auto workload = read_workload(source_directory() / "sample_workloads" / "quickstart");
    QVERIFY2(workload.has_value(), workload ? "" : workload.error().message.c_str());
    ModelRuntimeOptions options;
    options.load.batch_invariant = true;
    const auto runtime = ModelRuntime::load(model_folder(), options).value();
    const auto catalog = Catalog::build(*workload, *runtime).value();
    QualityMeter meter;
    std::array<Width, 2> widths{Width{{.forms = 1, .questions = 1, .step_rows = 1}}, Width{{}}};
    for (const std::size_t context : choose_contexts(*catalog)) {
      profile_in_turns(*runtime, *catalog, context, meter, widths);
      if (QTest::currentTestFailed()) return;
    }
    const auto& [alone, together] = widths;
    std::printf(
        "batch-invariant products, without prefills: forms and questions alone %.1f ms in %zu steps, together "
        "%.1f ms in %zu steps; alone / together: %.2f\n",
        alone.seconds * 1e3, alone.steps, together.seconds * 1e3, together.steps, alone.seconds / together.seconds);
    std::fflush(stdout);
    QVERIFY(together.steps < alone.steps);
  }
};

KV_TEST_PROGRAM(argc, argv) {
  std::vector<char*> others;
  for (int i = 0; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--contexts" && i + 1 < argc)
      contexts = std::max<std::size_t>(1, std::strtoul(argv[++i], nullptr, 10));
    else if (word == "--questions" && i + 1 < argc)
      asked = std::max<std::size_t>(1, std::strtoul(argv[++i], nullptr, 10));
    else if (word == "--threads" && i + 1 < argc)
      threads = std::max(1, std::atoi(argv[++i]));
    else if (word == "--model" && i + 1 < argc)
      given_model = argv[++i];
    else if (word == "--whole") {
      contexts = 16;
      asked = 8;
      methods.push_back("tova");
      fractions = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8};
    } else
      others.push_back(argv[i]);
  }
  qputenv("QTEST_FUNCTION_TIMEOUT",
          "7200000");  // the whole experiment takes kvpress longer than a test may usually take
  int count = static_cast<int>(others.size());
  QCoreApplication application(count, others.data());
  set_compute_threads(threads);
  ProfileBench bench;
  return QTest::qExec(&bench, count, others.data());
}

}  // namespace profile_bench_test

#include "profile_bench_test.moc"
