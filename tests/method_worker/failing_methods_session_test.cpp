// links: app_wiring
// A session with methods that return NaN and that crash: its answers and decisions are those without them, each of them
// is one message, and the next run is served, too. In virtual time, with the numbers of the real model.
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>

#include "app/wiring/method_files.h"
#include "tests/support/method_files.h"
#include "tests/support/must.h"
#include "tests/support/test_program.h"
#include "tests/support/virtual_harness.h"

namespace failing_methods_session_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

constexpr std::uint64_t requests = 30;
constexpr int contexts = 6;

/// What two runs of one session gave.
struct Served {
  std::vector<RequestRecord> records;  // of both
  std::vector<std::string> errors;
  std::vector<std::string> profiled;  // methods of the curves of each context
};

Served served_with(const std::vector<std::string>& methods) {
  const QTemporaryDir folder;
  SessionOptions options;
  options.model = model_directory();
  options.workload = folder.path().toStdString() + "/workload";
  options.store = folder.path().toStdString() + "/store";
  must(write_workload(small_workload(contexts, 14, 13), options.workload));
  options.tiers = {"dram=340KiB", "ssd=680KiB,bandwidth=200MB/s"};
  options.policy = "evicpress";
  options.methods = methods;
  options.removed_fractions = {0.3, 0.6};
  options.profile_grid = ProfileGridKind::full;
  options.request_limit = requests;
  options.cold_start = true;
  options.frozen = true;
  const auto opened = open_virtual(options, ModelKind::timed);
  if (!opened) qFatal("%s", opened.error().message.c_str());
  EngineHarness& harness = **opened;
  harness.engine().profile_all();
  if (harness.wait(900) == RunState::failed) qFatal("%s", harness.engine().failure().message.c_str());
  for (int run = 0; run < 2; ++run) {
    harness.engine().start();
    if (harness.wait(900) != RunState::finished) qFatal("run %d did not finish", run);
  }
  Served served{harness.sink.records(), {}, {}};
  for (const auto& message : harness.sink.all<events::Message>())
    if (message.level == "error") served.errors.push_back(message.text);
  for (const ContextState& context : harness.engine().snapshot()->contexts) {
    std::string text;
    if (context.profile != nullptr)
      for (const ProfilePoint& point : context.profile->points)
        text += point.method + " " + std::to_string(point.removed_fraction) + ", ";
    served.profiled.push_back(text);
  }
  return served;
}

std::string said_and_decided(const RequestRecord& record) {
  return record.context_id + " | " + record.question + " | " + record.answer + " | " + record.source + " | " +
         record.method + " | " + std::to_string(record.removed_fraction);
}

}  // namespace

class FailingMethodsSessionTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
  }

  void requestsAreServedAsWithoutThem() {
    std::vector<std::string> methods{"knorm", "keydiff"};
    const Served plain = served_with(methods);
    for (const char* file : {"returns_nan", "crashes"})
      methods.push_back(open_method_file(golden_method_file(file)).value().name);
    const Served served = served_with(methods);

    QCOMPARE(served.records.size(), std::size_t{2 * requests});
    QCOMPARE(plain.records.size(), served.records.size());
    for (std::size_t i = 0; i < served.records.size(); ++i)
      QCOMPARE(said_and_decided(served.records[i]), said_and_decided(plain.records[i]));
    QVERIFY(std::ranges::any_of(served.records, [](const auto& record) { return !record.answer.empty(); }));
    QVERIFY(std::ranges::any_of(served.records, [](const auto& record) { return record.removed_fraction > 0; }));
    QCOMPARE(served.profiled, plain.profiled);
    QCOMPARE(served.profiled.size(), std::size_t{contexts});
    for (const std::string& methods_of_curve : served.profiled)
      QVERIFY2(methods_of_curve.find("keydiff 0.6") != std::string::npos, methods_of_curve.c_str());

    QVERIFY2(plain.errors.empty(), plain.errors.empty() ? "" : plain.errors.front().c_str());
    const auto said = [&](const std::string& method, const char* text) {
      return std::ranges::count_if(served.errors, [&](const std::string& error) {
        return error.starts_with("profiling failed: context 'c") && error.find(method) != std::string::npos &&
               error.find(text) != std::string::npos;
      });
    };
    QCOMPARE(served.errors.size(), std::size_t{2});
    QCOMPARE(said(methods[2], "returned NaN for token 3 of KV head 3"), std::ptrdiff_t{1});
    QCOMPARE(said(methods[3], "ended its process: Segmentation fault"), std::ptrdiff_t{1});
  }
};

KV_TEST_GUILESS_MAIN(FailingMethodsSessionTest)

}  // namespace failing_methods_session_test

#include "failing_methods_session_test.moc"
