// links: kv_reports
// Kernels and runtime on processors that lack what this one has: the same test programs in an emulator that knows no
// AVX-512 and no AMX at all, where one such instruction ends the program (the first test holds the emulator to that).
// A Haswell takes the AVX2 path, a Nehalem the portable one.
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <cstdio>
#include <cstring>
#include <filesystem>

#include "core/base/json.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace emulated_processors_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

// Without what the emulator has not and nothing here wants: it would warn of each in every thread.
constexpr const char* haswell = "Haswell-noTSX,-pcid,-x2apic,-tsc-deadline,-invpcid";
constexpr const char* nehalem = "Nehalem";
constexpr int patience_ms = 10 * 60 * 1000;  // an emulator on a busy machine

struct Outcome {
  bool ended = false;  // not by a signal
  int code = -1;
  QByteArray output;
};

/// One instruction of each set; what an emulated processor lacks ends the process with SIGILL.
int execute(const char* set) {
#if defined(__x86_64__)
  if (std::strcmp(set, "avx2") == 0) asm volatile("vpaddd %%ymm0, %%ymm0, %%ymm0" ::: "xmm0");
  if (std::strcmp(set, "avx512") == 0) asm volatile("vpxord %%zmm0, %%zmm0, %%zmm0" ::: "xmm0");
  if (std::strcmp(set, "amx") == 0) asm volatile("tilerelease");
#endif
  return std::strcmp(set, "none") == 0 || std::strncmp(set, "a", 1) == 0 ? 0 : 2;
}

}  // namespace

class EmulatedProcessorsTest : public QObject {
  Q_OBJECT

  QString emulator_ = QStandardPaths::findExecutable("qemu-x86_64");
  QTemporaryDir folder_;  // where a program that is ended leaves its core file

  Outcome run(const QString& processor, const QStringList& command) {
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("OMP_NUM_THREADS", "2");
    environment.insert("OMP_WAIT_POLICY", "passive");
    environment.insert("QT_QPA_PLATFORM", "offscreen");
    process.setProcessEnvironment(environment);
    process.setWorkingDirectory(folder_.path());
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(emulator_, QStringList{"-cpu", processor} + command);
    if (!process.waitForFinished(patience_ms)) return {};
    return {process.exitStatus() == QProcess::NormalExit, process.exitCode(), process.readAll()};
  }

 private slots:
  void initTestCase() {
    if (emulator_.isEmpty()) QSKIP("qemu-x86_64 is not installed: apt-get install qemu-user");
  }

  void theEmulatorEndsWhatItsProcessorCannotDo_data() {
    QTest::addColumn<QString>("processor");
    QTest::addColumn<QString>("set");
    QTest::addColumn<bool>("works");
    QTest::newRow("Haswell, nothing special") << haswell << "none" << true;
    QTest::newRow("Haswell, AVX2") << haswell << "avx2" << true;
    QTest::newRow("Haswell, AVX-512") << haswell << "avx512" << false;
    QTest::newRow("Haswell, AMX") << haswell << "amx" << false;
    QTest::newRow("Nehalem, nothing special") << nehalem << "none" << true;
    QTest::newRow("Nehalem, AVX2") << nehalem << "avx2" << false;
  }
  void theEmulatorEndsWhatItsProcessorCannotDo() {
    QFETCH(QString, processor);
    QFETCH(QString, set);
    QFETCH(bool, works);
    const Outcome outcome = run(processor, {QCoreApplication::applicationFilePath(), "--execute", set});
    QCOMPARE(outcome.ended && outcome.code == 0, works);
    if (!works) QVERIFY2(outcome.output.contains("signal 4"), outcome.output.constData());
  }

  void testsPassThere_data() {
    QTest::addColumn<QString>("processor");
    QTest::addColumn<QString>("test");
    QTest::addColumn<QStringList>("functions");
    QTest::addColumn<QString>("says");
    // All of them take minutes.
    const auto short_form = [](const QStringList& names) {
      return qEnvironmentVariableIsSet("KVANTAGE_LONG") ? QStringList{} : names;
    };
    const QStringList kernels =
        short_form({"decodeAgreesWithDoublePrecision", "extremeScoresStayFinite",
                    "matvecAgreesWithDoublePrecisionAndIgnoresTheBatch", "rowsAppendedLaterChangeNoBitOfEarlierQueries",
                    "roundingToBf16IsToNearestEven", "layerNormAgreesWithDoublePrecision", "siluGateIsExactToRounding",
                    "headsAreBiasedNormedAndRotated", "quantizedMatvecTakesZerosAndShowsWhatIsNotFinite"});
    const QStringList rows = short_form({"normsAreTheRootsOfTheSumsOfSquares", "holesAndBlocksChangeNoBit",
                                         "aRowOfZerosHasNoDirection", "softmaxSumsToOne"});
    for (const auto& [processor, isa] : {std::pair{haswell, "avx2"}, std::pair{nehalem, "portable"}}) {
      const QString says = QStringLiteral("best instruction set here: %1").arg(isa);
      QTest::addRow("kernels, %s", isa) << processor << "kernels_test" << kernels << says;
      QTest::addRow("row kernels, %s", isa) << processor << "row_kernels_test" << rows << says;
    }
    const QString fp32 = "fp32IsWithinOneTenThousandth:%1, %2", bf16 = "bf16IsAsNearAsTransformersIs:%1, %2";
    for (const auto& [processor, isa] : {std::pair{haswell, "avx2"}, std::pair{nehalem, "portable"}})
      QTest::addRow("logits, %s", isa) << processor << "logits_test"
                                       << QStringList{fp32.arg("qwen2", isa), fp32.arg("qwen3", isa),
                                                      bf16.arg("qwen2", isa), bf16.arg("mistral_sharded", isa)}
                                       << isa;
    const QStringList exact{"removingNothingIsExact", "decodeStepsEqualDecode"};
    const QStringList blocks{"blockSizeAndThreadsChangeNoBit", "generationStopsWhenToldTo"};
    QTest::newRow("runtime, Nehalem") << nehalem << "runtime_test" << exact << "decodeStepsEqualDecode(bf16)";
    QTest::newRow("runtime, Haswell") << haswell << "runtime_test" << exact << "decodeStepsEqualDecode(bf16)";
    if (qEnvironmentVariableIsSet("KVANTAGE_LONG"))
      QTest::newRow("blocks, Haswell") << haswell << "runtime_test" << blocks << "generationStopsWhenToldTo(bf16)";
  }
  void testsPassThere() {
    QFETCH(QString, processor);
    QFETCH(QString, test);
    QFETCH(QStringList, functions);
    QFETCH(QString, says);
    const QString program = QStringLiteral(KVANTAGE_BINARY_DIR "/tests/model_tests");
    QVERIFY2(std::filesystem::exists(program.toStdString()), "model_tests is not built");
    const Outcome outcome = run(processor, QStringList{program, test} + functions);
    QVERIFY2(outcome.ended && outcome.code == 0, outcome.output.constData());
    QVERIFY2(outcome.output.contains(" 0 failed, 0 skipped"), outcome.output.constData());
    QVERIFY2(outcome.output.contains(says.toUtf8()), outcome.output.constData());
    const auto passed = static_cast<int>(outcome.output.count("PASS   :"));
    QVERIFY2(passed >= functions.size() + 2, outcome.output.constData());
  }

  // The program itself, without any vector extension: it answers, or a processor is too old and it says so in one line.
  void theProgramAnswersOnANehalem() {
    const QString program = QStringLiteral(KVANTAGE_BINARY_DIR "/app/kvantage-cli");
    if (!std::filesystem::exists(program.toStdString())) QSKIP("kvantage-cli is not built");
    const std::filesystem::path model = model_directory();
    if (model.empty()) QSKIP("no model: neither resources/model nor ../shared/data/models/trial-qa is there");
    QFile prompt(folder_.filePath("prompt.txt"));
    QVERIFY(prompt.open(QIODevice::WriteOnly));
    prompt.write("The badge of Mara Holt is 7392 .");
    prompt.close();
    const Outcome outcome = run(nehalem, {program, "model", "generate", QString::fromStdString(model.string()),
                                          "--prompt-file", prompt.fileName(), "--max-tokens", "4", "--json"});
    QVERIFY2(outcome.ended && outcome.code == 0, outcome.output.constData());
    const QByteArray said = outcome.output;
    const auto answer = parse_json({said.constData(), static_cast<std::size_t>(said.size())}, "its answer");
    QVERIFY2(answer.has_value(), said.constData());
    QVERIFY(answer->at("path").get<std::string>().starts_with("fp32 GEMM, portable attention"));
    QCOMPARE(answer->at("ids").size(), std::size_t{4});
  }
};

KV_TEST_PROGRAM(argc, argv) {
  if (argc == 3 && std::strcmp(argv[1], "--execute") == 0) return execute(argv[2]);
  qputenv("QTEST_FUNCTION_TIMEOUT", "900000");
  QCoreApplication application(argc, argv);
  EmulatedProcessorsTest test;
  return QTest::qExec(&test, argc, argv);
}

}  // namespace emulated_processors_test

#include "emulated_processors_test.moc"
