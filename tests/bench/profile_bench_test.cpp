// links: kv_wiring
// Time per cell of a quality curve, beside kvpress's time for the same cells of the same model in the same run, where a
// Python with kvpress is at hand (build/venv-kv, or KVANTAGE_KVPRESS_PYTHON). Asserted: the same cells came about and most
// answers agree; no time ever.
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include <cstdio>
#include <map>

#include "core/base/clock.h"
#include "core/base/json.h"
#include "core/base/files.h"
#include "core/engine/profiler.h"
#include "core/workload/workload.h"
#include "tests/support/test_model.h"

using namespace kvantage;
using namespace kvantage::test;

class ProfileBench : public QObject {
  Q_OBJECT

  static constexpr std::size_t asked = 4;  // questions a context

  static std::filesystem::path kvpress_python() {
    if (const char* given = std::getenv("KVANTAGE_KVPRESS_PYTHON")) return given;
    const auto usual = source_directory() / "build" / "venv-kv" / "bin" / "python";
    return std::filesystem::exists(usual) ? usual : std::filesystem::path();
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
  }

  void timePerCell() {
    const auto workload = read_workload(source_directory() / "sample_workloads" / "quickstart");
    QVERIFY2(workload.has_value(), workload ? "" : workload.error().message.c_str());
    const auto runtime = ModelRuntime::load(model_directory()).value();
    const auto catalogue = Catalogue::build(*workload, *runtime).value();
    const SystemClock clock;
    const std::vector<std::string> methods{"knorm", "keydiff", "snapkv", "streaming_llm"};
    const std::vector<double> fractions{0.2, 0.4, 0.6, 0.8, 0.9};
    std::size_t context = 0;  // the one nearest to 1,024 tokens
    for (std::size_t c = 0; c < catalogue->size(); ++c)
      if (std::abs(catalogue->state(c).tokens - 1024) < std::abs(catalogue->state(context).tokens - 1024)) context = c;
    ContextDetails& details = catalogue->details(context);
    const auto seconds_since = [&](std::int64_t start) { return static_cast<double>(clock.monotonic_ns() - start) * 1e-9; };

    QualityMeter meter;
    double prefill_seconds = 0, seconds = 0;
    std::vector<ProfileCell> cells;
    for (int round = 0; round < 2; ++round) {  // the first one warms
      const std::int64_t start = clock.monotonic_ns();
      KvCache cache(*runtime->pool);
      PrefillTask prefill(*runtime->model, cache, details.tokens, 0,
                          {.chunk_tokens = runtime->chunk_tokens(), .window_queries = runtime->window_queries, .logits = PrefillLogits::none});
      QVERIFY(prefill.run().has_value());
      const WindowQueries queries = prefill.take_window_queries();
      prefill_seconds = seconds_since(start);
      ProfileTask task(*runtime, meter, catalogue->state(context), details, cache, observation_of(*runtime, queries),
                       {.methods = methods, .removed_fractions = fractions, .quality_metric = "token_f1", .max_answer_tokens = 48,
                        .questions = asked, .reference_answers = false});
      while (!task.done()) QVERIFY(task.step({}).has_value());
      seconds = seconds_since(start);
      QCOMPARE(task.scorings(), static_cast<int>(methods.size()));
      cells = task.take_cells();
    }
    const auto count = static_cast<double>(cells.size());
    QCOMPARE(cells.size(), 1 + methods.size() * fractions.size());
    std::printf("%d tokens, %zu cells of %zu questions: %.1f ms in all, of it one prefill %.1f ms; %.2f ms a cell\n",
                catalogue->state(context).tokens, cells.size(), asked, seconds * 1e3, prefill_seconds * 1e3, seconds * 1e3 / count);

    const auto python = kvpress_python();
    if (python.empty()) QSKIP("no Python with kvpress (build/venv-kv or KVANTAGE_KVPRESS_PYTHON): its time stays unmeasured");
    Json job{{"model", model_directory().string()}, {"threads", compute_threads()}, {"context", details.tokens}, {"methods", methods},
             {"fractions", fractions}, {"max_tokens", 48}, {"stop_ids", runtime->stop_ids()}, {"questions", Json::array()}};
    std::vector<std::string> golds;
    for (const CatalogueQuestion& question : details.questions) {
      if (question.held_out || golds.size() == asked) continue;
      job["questions"].push_back(question.tokens);
      golds.push_back(question.gold);
    }
    const QTemporaryDir folder;
    const std::filesystem::path file = std::filesystem::path(folder.path().toStdString()) / "job.json";
    QVERIFY(write_text_file(file, job.dump()).has_value());
    QProcess process;
    process.start(QString::fromStdString(python.string()),
                  {QString::fromStdString((source_directory() / "tests/bench/kvpress_profile.py").string()), QString::fromStdString(file.string())});
    QVERIFY(process.waitForFinished(600000));
    const QByteArray out = process.readAllStandardOutput();
    if (process.exitCode() != 0) QSKIP(("kvpress does not run here: " + process.readAllStandardError().right(300)).constData());
    const auto rows = parse_json(out.trimmed().toStdString(), "kvpress");
    QVERIFY2(rows.has_value(), rows ? "" : rows.error().message.c_str());
    QCOMPARE(rows->size(), cells.size());
    double their_prefill = 0, their_answers = 0;
    int same = 0, of = 0;
    for (const Json& row : *rows) {
      their_prefill += row.at("prefill_seconds").get<double>();
      their_answers += row.at("answer_seconds").get<double>();
      for (const ProfileCell& cell : cells) {
        if (cell.point.method != row.at("method") || cell.point.removed_fraction != row.at("removed_fraction")) continue;
        for (std::size_t q = 0; q < golds.size(); ++q, ++of)
          same += token_f1(runtime->tokenizer->decode(row.at("answers")[q].get<std::vector<std::int32_t>>()), golds[q]) == cell.scores[q] ? 1 : 0;
      }
    }
    const double theirs = their_prefill + their_answers;
    std::printf("kvpress 0.5: %.1f ms in all, of it %zu prefills %.1f ms; %.2f ms a cell\n", theirs * 1e3, rows->size(), their_prefill * 1e3,
                theirs * 1e3 / count);
    std::printf("kvpress / ours: %.1f a cell (answers alone: %.1f); equal scores in %d of %d answers\n", theirs / seconds,
                their_answers / (seconds - prefill_seconds), same, of);
    QCOMPARE(of, static_cast<int>(cells.size() * golds.size()));
    QVERIFY(same > of / 2);
  }
};

QTEST_GUILESS_MAIN(ProfileBench)
#include "profile_bench_test.moc"
