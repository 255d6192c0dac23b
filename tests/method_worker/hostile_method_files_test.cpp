// links: app_method_worker core_base
// Files that read, write, loop, crash, take memory or return nonsense: each is one clear error, and the next call is
// served. What the worker's process can reach is looked at from outside.
#include <QTemporaryDir>
#include <QtTest>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/support/method_files.h"
#include "tests/support/test_program.h"

namespace hostile_method_files_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

std::vector<float> scores_of_small_call() { return std::vector<float>(80); }

/// Enough tokens that libtorch computes with all threads.
ScorerCall large_call() {
  ScorerCall large = small_call();
  large.tokens = 30'000;
  large.inputs = {{ScorerInput::keys, {2, 30'000, 64}}};
  large.write = [](std::size_t, std::span<std::byte> memory) { std::ranges::fill(memory, std::byte{0}); };
  return large;
}

void check_line(const std::string& message) {
  QVERIFY2(message.size() < 420 && message.find('\n') == std::string::npos, message.c_str());
}

}  // namespace

class HostileMethodFilesTest : public QObject {
  Q_OBJECT

 private slots:
  void aFileThatCannotBeAMethodIsRefused_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* file, const char* says) { QTest::newRow(file) << file << says; };
    row("text", "is no TorchScript file that libtorch 2.11.0 can load");
    row("tensors", "constants.pkl");
    row("truncated", "failed finding central directory");
    row("no_method", "has neither score() nor forward()");
    row("returns_list", "returns no tensor");
    row("takes_a_word", "argument 'word' of forward() is a str");
    row("unknown_argument", "argument 'weights' of forward() is not known; its arguments may be keys, values");
    row("bad_window", "attribute 'window_queries' is not a whole number");
    row("loops_on_load", "took longer than 3 seconds and was ended");
  }
  void aFileThatCannotBeAMethodIsRefused() {
    QFETCH(const QString, file);
    QFETCH(const QString, says);
    MethodWorkerSettings settings = small_worker();
    if (file == "loops_on_load") settings.load_seconds = 3;
    const auto opened = MethodWorker::open(golden_method_file(file.toStdString()), settings);
    QVERIFY(!opened);
    QVERIFY(opened.error().code == ErrorCode::rejected_input);
    const QString message = QString::fromStdString(opened.error().message);
    QVERIFY2(message.contains(says) && message.contains(file + ".pt"), opened.error().message.c_str());
    check_line(opened.error().message);
  }

  void aScorerThatFailsLeavesTheSessionRunning_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* file, const char* says) { QTest::newRow(file) << file << says; };
    row("reads_file", "Operation not permitted");
    row("takes_memory", "can't allocate memory");
    row("grows", "allocate memory");
    row("loops", "took longer than 2 seconds and was ended");
    row("crashes", "ended its process: Segmentation fault");
    row("returns_nan", "returned NaN for token 3 of KV head 1");
    row("returns_infinity", "returned infinity for token 0 of KV head 0");
    row("wrong_shape", "returned a tensor of shape [2, 8]; return scores [kv_heads, tokens], here [2, 40]");
    row("wrong_type", "returned a tensor of type Long; return floating-point scores");
    row("throws", "not today");
    row("fails_in_an_op", "Expected size for first two dimensions of batch2 tensor");
  }
  void aScorerThatFailsLeavesTheSessionRunning() {
    QFETCH(const QString, file);
    QFETCH(const QString, says);
    MethodWorkerSettings settings = small_worker();
    if (file == "loops") settings.score_seconds = 2;
    if (file == "grows") settings.score_seconds = 60;
    const auto worker = MethodWorker::open(golden_method_file(file.toStdString()), settings);
    QVERIFY2(worker.has_value(), worker ? "" : worker.error().message.c_str());
    const ScorerCall call = small_call();
    auto scores = scores_of_small_call();
    for (int attempt = 0; attempt < 2; ++attempt) {  // also after its process was started again
      const Status failed = (*worker)->score(call, scores);
      QVERIFY(!failed && failed.error().code == ErrorCode::rejected_input);
      const QString message = QString::fromStdString(failed.error().message);
      QVERIFY2(message.contains(says), failed.error().message.c_str());
      QVERIFY(message.startsWith("method '" + QString::fromStdString((*worker)->facts().name) + "': layer 1: "));
      check_line(failed.error().message);
    }
  }

  // The threads that a smaller team leaves over end, and its process can start no others.
  void aScorerOutlivesFewerThreadsAndMoreAgain() {
    int threads = 4;
    MethodWorkerSettings settings = small_worker();
    settings.threads = [&threads] { return threads; };
    const auto worker = MethodWorker::open(golden_method_file("script_knorm"), settings).value();
    const ScorerCall large = large_call();
    std::vector<float> scores(60'000);
    QVERIFY(worker->score(large, scores).has_value());
    const auto process = worker->process();
    for (const int next : {2, 4, 1, 3, 4}) {
      threads = next;
      const Status scored = worker->score(large, scores);
      QVERIFY2(scored.has_value(), scored ? "" : scored.error().message.c_str());
    }
    QCOMPARE(worker->process(), process);
  }

  // It cannot start threads: with large inputs libtorch ends its process, with small ones it does without.
  void aScorerThatForksIsAnsweredOrEnds() {
    const auto worker = MethodWorker::open(golden_method_file("forks"), small_worker()).value();
    auto scores = scores_of_small_call();
    const ScorerCall large = large_call();
    std::vector<float> many(60'000);
    for (int i = 0; i < 2; ++i)
      if (const Status scored = worker->score(large, many); !scored) check_line(scored.error().message);
    if (const Status scored = worker->score(small_call(), scores); !scored) check_line(scored.error().message);
  }

  void aFileIsNotWritten() {
    const std::filesystem::path written = "/tmp/kvantage-method-was-here";
    std::filesystem::remove(written);
    const auto worker = MethodWorker::open(golden_method_file("writes_file"), small_worker()).value();
    auto scores = scores_of_small_call();
    (void)worker->score(small_call(), scores);
    QVERIFY(!std::filesystem::exists(written));
  }

  // Three ends of its process in a row, and it is not started again: the session would wait for each.
  void aFileThatOnlyCrashesIsGivenUp() {
    const auto worker = MethodWorker::open(golden_method_file("crashes"), small_worker()).value();
    auto scores = scores_of_small_call();
    for (int i = 0; i < 3; ++i) QVERIFY(!worker->score(small_call(), scores));
    const auto begun = std::chrono::steady_clock::now();
    const Status given_up = worker->score(small_call(), scores);
    QVERIFY(std::chrono::steady_clock::now() - begun < std::chrono::milliseconds(100));
    QVERIFY2(!given_up && given_up.error().message.find("3 times, so it is not run again") != std::string::npos,
             given_up.error().message.c_str());
    QVERIFY(!worker->process());
  }

  // Whoever asks would wait as long for each layer.
  void aFileThatTakesTooLongIsGivenUpAtOnce() {
    MethodWorkerSettings settings = small_worker();
    settings.score_seconds = 1;
    const auto worker = MethodWorker::open(golden_method_file("loops"), settings).value();
    auto scores = scores_of_small_call();
    const std::string says = "layer 1: took longer than 1 second and was ended, so it is not run again; load it again";
    const Status late = worker->score(small_call(), scores);
    QVERIFY2(!late && late.error().message.ends_with(says), late ? "" : late.error().message.c_str());
    QVERIFY(!worker->process());
    const auto begun = std::chrono::steady_clock::now();
    for (int i = 0; i < 3; ++i) {
      const Status given_up = worker->score(small_call(), scores);
      QVERIFY2(!given_up && given_up.error().message.ends_with(says), given_up ? "" : given_up.error().message.c_str());
    }
    QVERIFY(std::chrono::steady_clock::now() - begun < std::chrono::milliseconds(300));
    QVERIFY(!worker->process());
  }

  void aKilledWorkerIsStartedAgain() {
    const auto worker = MethodWorker::open(golden_method_file("script_knorm"), small_worker()).value();
    const ScorerCall call = small_call();
    auto scores = scores_of_small_call();
    for (int i = 0; i < 5; ++i) {
      QVERIFY(worker->score(call, scores).has_value());
      QVERIFY(scores[39] < scores[38] && scores[79] < scores[40]);  // larger first numbers, larger norms
      const auto process = worker->process();
      QVERIFY(process.has_value());
      QCOMPARE(::kill(*process, SIGKILL), 0);
      const Status ended = worker->score(call, scores);
      QVERIFY2(!ended && ended.error().message.find("ended its process: Killed") != std::string::npos,
               ended ? "" : ended.error().message.c_str());
    }
    QVERIFY(worker->score(call, scores).has_value());
  }

  void theWorkerHasNothingToReach() {
    const auto worker = MethodWorker::open(golden_method_file("script_keydiff"), small_worker()).value();
    QVERIFY(worker->facts().confined);
    const std::string process = "/proc/" + std::to_string(worker->process().value());
    // Its standard streams are /dev/null, and besides them it has its socket and the shared memory.
    std::vector<std::string> files;
    std::error_code unreadable;
    for (const auto& entry : std::filesystem::directory_iterator(process + "/fd", unreadable))
      files.push_back(std::filesystem::read_symlink(entry.path(), unreadable).string());
    if (unreadable) QSKIP("the worker's files cannot be looked at by this user");
    std::ranges::sort(files);
    QCOMPARE(files.size(), std::size_t{5});
    QVERIFY(std::ranges::count(files, "/dev/null") == 3);
    QVERIFY(std::ranges::any_of(files, [](const std::string& file) { return file.starts_with("socket:"); }));
    QVERIFY(std::ranges::any_of(files, [](const std::string& file) { return file.starts_with("/memfd:"); }));
    std::ifstream status(process + "/status");
    std::string line, seccomp, privileges;
    while (std::getline(status, line)) {
      if (line.starts_with("Seccomp:")) seccomp = line.substr(line.find_last_of(" \t") + 1);
      if (line.starts_with("NoNewPrivs:")) privileges = line.substr(line.find_last_of(" \t") + 1);
    }
    QCOMPARE(seccomp, std::string("2"));
    QCOMPARE(privileges, std::string("1"));
    // Every thread of it, not only the first.
    for (const auto& thread : std::filesystem::directory_iterator(process + "/task")) {
      std::ifstream of_thread(thread.path() / "status");
      while (std::getline(of_thread, line))
        if (line.starts_with("Seccomp:")) QVERIFY2(line.ends_with("2"), line.c_str());
    }
    std::ifstream environment(process + "/environ");
    const std::string variables((std::istreambuf_iterator<char>(environment)), std::istreambuf_iterator<char>());
    QVERIFY(variables.find("HOME=") == std::string::npos && variables.find("KVANTAGE") == std::string::npos);
  }

  void theWorkerEndsWithItsOwner() {
    pid_t process = 0;
    {
      const auto worker = MethodWorker::open(golden_method_file("script_keydiff"), small_worker()).value();
      process = worker->process().value();
      QCOMPARE(::kill(process, 0), 0);
    }
    QCOMPARE(::kill(process, 0), -1);
  }

  void aMissingWorkerIsSaid() {
    MethodWorkerSettings settings = small_worker();
    settings.program = "/nowhere/kvantage-method-worker";
    const auto opened = MethodWorker::open(golden_method_file("script_knorm"), settings);
    QVERIFY(!opened && opened.error().code == ErrorCode::io);
    settings.program = "/bin/true";
    const auto other = MethodWorker::open(golden_method_file("script_knorm"), settings);
    QVERIFY(!other && other.error().code == ErrorCode::io);
    QVERIFY2(other.error().message.find("KVANTAGE_METHOD_WORKER") != std::string::npos, other.error().message.c_str());
  }

  void moreThanFitsIsRefused() {
    const auto worker = MethodWorker::open(golden_method_file("script_keydiff"), small_worker()).value();
    ScorerCall call = small_call();
    call.inputs = {{ScorerInput::keys, {2, 1'000'000'000, 8}}};
    auto scores = scores_of_small_call();
    const Status refused = worker->score(call, scores);
    QVERIFY2(!refused && refused.error().message.find("use a shorter context") != std::string::npos,
             refused ? "" : refused.error().message.c_str());
    QVERIFY(worker->score(small_call(), scores).has_value());
  }
};

KV_TEST_GUILESS_MAIN(HostileMethodFilesTest)

}  // namespace hostile_method_files_test

#include "hostile_method_files_test.moc"
