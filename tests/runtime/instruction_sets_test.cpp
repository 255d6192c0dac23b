// links: kv_experiments app_wiring
// Every set of kernels answers alike: 200 questions on the default model, each set in a process of its own (the
// plainest one on 20 short ones), libtorch limited to the same instructions. Where a token differs, the two must have
// been within bf16's error of each other; such ties are counted and few.
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "core/base/files.h"
#include "core/base/json.h"
#include "core/runtime/model_runtime.h"
#include "core/workload/make_workload.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace instruction_sets_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr int max_tokens = 24;

struct Step {
  std::int32_t token = 0, second = 0;
  float logit = 0, gap = 0;  // of the token; to the second
};

Step step_of(std::span<const float> logits) {
  const auto best = std::ranges::max_element(logits) - logits.begin();
  std::ptrdiff_t second = best == 0 ? 1 : 0;
  for (std::ptrdiff_t i = 0; i < std::ssize(logits); ++i)
    if (i != best && logits[static_cast<std::size_t>(i)] > logits[static_cast<std::size_t>(second)]) second = i;
  const float logit = logits[static_cast<std::size_t>(best)];
  return {static_cast<std::int32_t>(best), static_cast<std::int32_t>(second), logit,
          logit - logits[static_cast<std::size_t>(second)]};
}

Workload questions_of(int contexts_per_family, std::size_t tokens) {
  MakeWorkloadOptions options;
  options.seed = 31;
  options.families = {"registry", "meeting", "inventory", "needle", "fewshot"};
  options.contexts_per_family = static_cast<std::size_t>(contexts_per_family);
  options.min_tokens = tokens;
  options.max_tokens = tokens + tokens / 4;
  options.profile_questions = 4;
  options.held_out_questions = 6;
  return make_workload(options).value_or(Workload{});
}

/// In the process of one set: its answers as JSON.
int answer(const std::string& set, std::size_t wanted, const std::string& file) {
  ModelRuntimeOptions options;
  for (const Isa isa : {Isa::portable, Isa::avx2, Isa::avx512, Isa::avx512bf16})
    if (set == to_string(isa)) options.load.isa = isa;
  options.load.kv_type = KvType::bf16;
  const auto runtime = ModelRuntime::load(model_directory(), options);
  if (!runtime) return 1;
  ModelRuntime& model = **runtime;
  const Workload workload = wanted < 100 ? questions_of(1, 200) : questions_of(4, 300);
  const std::vector<std::int32_t> stops = model.stop_ids();
  Json answers = Json::array();
  for (std::size_t c = 0; c < workload.contexts.size() && answers.size() < wanted; ++c) {
    KvCache cache(*model.pool);
    PrefillTask prefill(*model.model, cache, model.prompt->encode_context(workload.contexts[c].text), 0,
                        {.chunk_tokens = model.chunk_tokens(), .logits = PrefillLogits::none});
    if (!prefill.run()) return 1;
    for (const WorkloadQuestion& question : workload.questions) {
      if (question.context != c || answers.size() == wanted) continue;
      KvCache working = cache.share();
      PrefillTask asked(*model.model, working, model.prompt->encode_question(question.question),
                        working.sequence_length(), {});
      if (!asked.run()) return 1;
      std::vector<float> logits(asked.logits().begin(), asked.logits().end());
      Json steps = Json::array();
      for (int i = 0; i < max_tokens; ++i) {
        const Step step = step_of(logits);
        steps.push_back({step.token, step.second, step.logit, step.gap});
        if (std::ranges::find(stops, step.token) != stops.end()) break;
        if (!model.model->decode(working, step.token, working.sequence_length(), logits)) return 1;
      }
      answers.push_back(std::move(steps));
    }
  }
  return write_text_file(file, Json{{"isa", to_string(std::min(options.load.isa.value_or(best_isa()), best_isa()))},
                                    {"answers", answers}}
                                   .dump())
             ? 0
             : 1;
}

}  // namespace

class InstructionSetsTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  /// libtorch, oneDNN and MKL choose for themselves, from the processor or from these.
  static QProcessEnvironment held_to(const char* set) {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    struct Row {
      const char *set, *aten, *onednn, *mkl;
    };
    for (const Row& row :
         {Row{"portable", "default", "SSE41", "SSE4_2"}, Row{"avx2", "avx2", "AVX2", "AVX2"},
          Row{"avx512", "avx512", "AVX512_CORE", "AVX512"}, Row{"without AMX", "avx512", "AVX512_CORE_BF16", "AVX512"}})
      if (std::strcmp(row.set, set) == 0) {
        environment.insert("ATEN_CPU_CAPABILITY", row.aten);
        environment.insert("ONEDNN_MAX_CPU_ISA", row.onednn);
        environment.insert("MKL_ENABLE_INSTRUCTIONS", row.mkl);
      }
    return environment;
  }

  Json answers_of(const char* set, int questions) {
    const QString file = folder_.filePath(QString::fromLatin1(set) + QString::number(questions));
    QProcess process;
    process.setProcessEnvironment(held_to(set));
    const char* const kernels = std::strcmp(set, "without AMX") == 0 ? to_string(best_isa()) : set;
    process.start(QCoreApplication::applicationFilePath(), {"--answers", kernels, QString::number(questions), file});
    if (!process.waitForFinished(1'200'000) || process.exitCode() != 0) return {};
    const auto text = read_text_file(file.toStdString());
    if (!text) return {};
    const auto json = parse_json(*text, set);
    return json ? *json : Json();
  }

 private slots:
  void greedyTokensAreTheSame_data() {
    QTest::addColumn<int>("questions");
    QTest::newRow("portable") << 20;
    QTest::newRow("avx2") << 200;
    QTest::newRow("avx512") << 200;
    QTest::newRow("without AMX") << 200;  // products of libtorch alone: kernels of ours use none
  }
  void greedyTokensAreTheSame() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
    QFETCH(int, questions);
    const char* set = QTest::currentDataTag();
    if (std::strcmp(to_string(best_isa()), "portable") == 0)
      QSKIP("this processor has the plainest set of kernels alone");
    const bool without_amx = std::strcmp(set, "without AMX") == 0;
    if (without_amx && read_text_file("/proc/cpuinfo").value_or("").find("amx_bf16") == std::string::npos)
      QSKIP("this processor has no AMX to go without");
    const Json best = answers_of(to_string(best_isa()), questions), other = answers_of(set, questions);
    QVERIFY(!best.is_null() && !other.is_null());
    QCOMPARE(best.at("answers").size(), static_cast<std::size_t>(questions));
    QCOMPARE(other.at("answers").size(), static_cast<std::size_t>(questions));
    if (!without_amx && other.at("isa") != set) QSKIP("this processor lacks these instructions");
    int ties = 0, tokens = 0;
    double widest = 0;
    for (std::size_t q = 0; q < best.at("answers").size(); ++q) {
      const Json& ours = best.at("answers")[q];
      const Json& theirs = other.at("answers")[q];
      for (std::size_t i = 0; i < ours.size(); ++i, ++tokens) {
        QVERIFY(i < theirs.size());
        if (ours[i][0] == theirs[i][0]) continue;
        // Behind it the two texts differ. A bf16 number has 8 bits: products and sums of some layers add up to a few
        // times 2^-8.
        const double gap = ours[i][3].get<double>(), bound = std::abs(ours[i][2].get<double>()) * 4 / 256;
        QVERIFY2(ours[i][1] == theirs[i][0] && gap <= bound,
                 qPrintable(QStringLiteral("question %1, token %2: %3 above the second, bound %4")
                                .arg(q)
                                .arg(i)
                                .arg(gap)
                                .arg(bound)));
        widest = std::max(widest, gap);
        ++ties;
        break;
      }
    }
    std::printf("%s beside %s: %d questions, %d tokens compared, %d answers part at a tie (widest gap %.3f)\n", set,
                best.at("isa").get<std::string>().c_str(), questions, tokens, ties, widest);
    QVERIFY(ties * 20 <= questions);
  }
};

KV_TEST_PROGRAM(argc, argv) {
  if (argc == 5 && std::strcmp(argv[1], "--answers") == 0)
    return answer(argv[2], static_cast<std::size_t>(std::atoi(argv[3])), argv[4]);
  qputenv("QTEST_FUNCTION_TIMEOUT", "2400000");  // the plainer sets take their time beside other work
  QCoreApplication application(argc, argv);
  InstructionSetsTest test;
  return QTest::qExec(&test, argc, argv);
}

}  // namespace instruction_sets_test

#include "instruction_sets_test.moc"
