// links: kv_base kv_cli_program
// kvantage-cli fleet as a user starts it: table, JSON, refusals, and memory that does not grow with contexts.
#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <string>

#include "core/base/files.h"
#include "core/base/json.h"
#include "tests/support/command_line.h"
#include "tests/support/forked_command_line.h"
#include "tests/support/measured_process.h"
#include "tests/support/test_program.h"

namespace fleet_command_test {

using namespace kvantage;
using namespace kvantage::test;

class FleetCommandTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  static Json json_of(const Answer& answer) { return parse_json(answer.out.toStdString(), "output").value_or(Json()); }
  static QStringList small() {
    return {"fleet", "--engines", "5", "--contexts", "20000", "--store-bandwidth", "5GB/s", "--engine-zipf", "0.8"};
  }

 private slots:
  void anEpochHasItsGaps() {
    const Answer answer = call_forked(small() + QStringList{"--json", "--epochs", "2", "--drift", "0.05", "--quiet"});
    QVERIFY2(answer.exit_code == 0, answer.text());
    const Json json = json_of(answer);
    QCOMPARE(json["provenance"].get<std::string>(), std::string("modelled"));
    QCOMPARE(json["curves"].get<std::string>(), std::string("quickstart.profile.json"));
    QCOMPARE(json["classes"].get<int>(), 28);
    QVERIFY(json["priced_forms"].get<int>() < json["forms"].get<int>());
    QCOMPARE(json["epochs"].size(), std::size_t{2});
    for (const Json& epoch : json["epochs"]) {
      QCOMPARE(epoch["contexts"].get<int>(), 20'000);
      const double bound = epoch["bound"].get<double>(), prefill = epoch["prefill"].get<double>();
      QVERIFY(epoch["met"].get<bool>() && !epoch["fell_back"].get<bool>());
      QCOMPARE(epoch["messages"].get<std::size_t>(), 10 * (epoch["rounds"].size() + 1));
      for (const Json& plan : epoch["plans"]) {
        const double utility = plan["utility"].get<double>();
        QVERIFY(prefill <= utility && utility <= bound * (1 + 1e-12));
        QVERIFY(std::fabs(plan["gap"].get<double>() - (bound - utility) / std::fabs(bound)) < 1e-12);
        QVERIFY(std::fabs(plan["gain_gap"].get<double>() - (bound - utility) / (bound - prefill)) < 1e-12);
      }
      QVERIFY2(epoch["plans"][0]["gain_gap"].get<double>() < 0.01, answer.text());
    }
  }

  // The store's 20 % are of all contexts, an engine's shares of its own.
  void percentagesAreOfTheContexts() {
    const Json json = json_of(call_forked(small() + QStringList{"--json", "--quiet", "--length-scale", "2"}));
    const double context = json["context_bytes"].get<double>();
    QVERIFY(std::fabs(context - 2 * 1605.68 * 98304) < 0.001 * context);
    QVERIFY(std::fabs(json["store"]["budget_bytes"].get<double>() / (0.2 * 20'000 * context) - 1) < 1e-6);
    QVERIFY(std::fabs(json["tiers"][0]["budget_bytes"].get<double>() / (0.09 * 4000 * context) - 1) < 1e-3);
    QVERIFY(json["store"]["loaded_bytes_per_request"].is_null());
    const Json limited =
        json_of(call_forked(small() + QStringList{"--json", "--quiet", "--store-load", "2MB/s", "--rate", "4"}));
    QCOMPARE(limited["store"]["loaded_bytes_per_request"].get<double>(), 5e5);
  }

  void peopleGetATable() {
    const Answer answer = call_forked(small() + QStringList{"--loss", "1", "--rounds", "3"});
    QVERIFY2(answer.exit_code == 0, answer.text());
    for (const char* said : {"5 engines, 20000 contexts of ", "simulated with qwen3-30b-a3b-evicpress", "of gain %",
                             "equal split", "pooled greedy", "no engine ever answered: every lease stays as it was",
                             "curves of quickstart.profile.json, all utilities are simulated"})
      QVERIFY2(answer.out.simplified().contains(said), answer.text());
    for (const QString& line : answer.out.split('\n')) QVERIFY2(line.size() <= 100, qPrintable(line));
    QCOMPARE(call_forked(small() + QStringList{"--json", "--threads", "1"}).out.section("\"seconds\"", 0, 0),
             call_forked(small() + QStringList{"--json", "--threads", "3"}).out.section("\"seconds\"", 0, 0));
  }

  void whatCannotBeIsRefused_data() {
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("why");
    const auto row = [](const char* name, const QStringList& options, int code, const char* why) {
      QTest::newRow(name) << options << code << QString(why);
    };
    QVERIFY(write_text_file(folder_.filePath("other.json").toStdString(), "{\"format\": \"x\", \"version\": 1}"));
    row("contexts", {"--engines", "9", "--contexts", "8"}, 2, "--contexts: 8 are fewer than the 9 engines");
    row("store", {"--store-bytes", "lots"}, 2, "--store-bytes: 'lots' is neither bytes nor a percentage");
    row("percent", {"--store-bytes=-3%"}, 2, "--store-bytes: '-3%' is neither");
    row("bandwidth", {"--store-bandwidth", "5GB"}, 2, "--store-bandwidth: '5GB' is no bandwidth above 0");
    row("latency", {"--store-latency", "soon"}, 2, "--store-latency: ");
    row("load without rate", {"--store-load", "5GB/s"}, 2, "--rate");
    row("preset", {"--preset", "qwen3-30b"}, 2, "qwen3-30b-a3b-evicpress");
    row("preset without times", {"--preset", "llama-3.1-8b"}, 2, "llama-3.1-8b");
    row("preset without a store", {"--preset", "llama-3.1-8b-adaptcache"}, 2, "no times of a tier named remote");
    row("the store as a tier", {"--tier", "remote=5%"}, 2, "remote is the shared store");
    row("too many tiers", {"--tier", "a=1%,b=1%,c=1%,d=1%,e=1%"}, 2, "--tier");
    row("no profile", {"--curves", folder_.filePath("other.json")}, 3, "is not a profile");
    row("no file", {"--curves", folder_.filePath("missing.json")}, 3, "missing.json");
    row("loss", {"--loss", "1.5"}, 2, "--loss");
    row("no number", {"--zipf", "nan"}, 2, "--zipf: is not a number");
    const char* rates = "' is not a number from 1e-09 to 1e+12; give one";
    for (const char* rate : {"inf", "0", "1e-10", "1e13"})
      QTest::addRow("rate %s", rate) << QStringList{"--store-load", "5GB/s", "--rate", rate} << 2
                                     << QString("--rate: '") + rate + rates;
    row("rate nan", {"--store-load", "5GB/s", "--rate", "nan"}, 2, "--rate: is not a number");
  }
  void whatCannotBeIsRefused() {
    QFETCH(QStringList, options);
    QFETCH(int, code);
    QFETCH(QString, why);
    const Answer answer = call_forked(QStringList{"fleet", "--quiet"} + options);
    QVERIFY2(answer.exit_code == code && answer.out.isEmpty(), answer.text());
    QVERIFY2(answer.error.contains(why), answer.text());
    QVERIFY2(answer.error.count('\n') <= 2, answer.text());
  }

  // A hundred times the contexts, streamed by the same engines.
  void memoryDoesNotGrowWithContexts() {
    const auto peak = [](const char* contexts) {
      const Measured measured = measure({command_line_program(), "fleet", "--engines", "4", "--contexts", contexts,
                                         "--store-bandwidth", "5GB/s", "--threads", "1", "--quiet"},
                                        300);
      return measured.answer.exit_code == 0 ? measured.peak_mib : -1;
    };
    const double few = peak("100000"), many = peak("10000000");
    QVERIFY2(few > 0 && many > 0 && many < few + 16, qPrintable(QString("%1 and %2 MiB").arg(few).arg(many)));
  }
};

KV_TEST_GUILESS_MAIN(FleetCommandTest)

}  // namespace fleet_command_test

#include "fleet_command_test.moc"
