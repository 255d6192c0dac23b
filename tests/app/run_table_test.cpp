// links: kv_reports profiles kv_cli_program
// `kvantage-cli run` on a small workload: what it prints, what its options change, and how Ctrl-C ends it.
#include <signal.h>

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QtTest>

#include "core/base/json.h"
#include "core/base/random.h"
#include "core/base/units.h"
#include "core/experiments/experiment_runner.h"
#include "profiles/run_notes.h"
#include "profiles/stores.h"
#include "tests/support/database_rows.h"
#include "tests/support/forked_command_line.h"
#include "tests/support/small_workload.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace run_table_test {

using namespace kvantage;
using namespace kvantage::test;
using std::filesystem::path;

namespace {

const QStringList policies{"full_prefill",      "lru",      "fixed(knorm,0.5)", "fixed(keydiff,0.5)",
                           "fixed(snapkv,0.5)", "evicpress"};

double number_of(QString cell) {
  bool fine = false;
  const double value = cell.remove(QRegularExpression("[~^?]$")).toDouble(&fine);
  return fine ? value : -1;
}

/// Requests recorded so far, as another process sees them.
int requests_in(const path& database) {
  const auto rows = rows_of(database, "SELECT max(requests) FROM runs");
  return rows.empty() ? 0 : std::atoi(rows[0][0].c_str());
}

}  // namespace

class RunTableTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  Answer served_;  // of the run under each policy that the tables are about

  path at(const std::string& name) const { return path(folder_.path().toStdString()) / name; }
  QStringList run(const QStringList& rest, const QString& workload = "workload", const QString& store = "store") const {
    return QStringList{"run",
                       text_of(at(workload.toStdString())),
                       "--model",
                       text_of(model_directory()),
                       "--store",
                       text_of(at(store.toStdString())),
                       "--methods",
                       "knorm,keydiff,snapkv",
                       "--removed",
                       "0.5",
                       "--compute-or-load",
                       "off"} +
           rest;
  }
  static QStringList tiers() { return {"--tier", "dram=1MiB", "--tier", "ssd=2MiB"}; }
  static Json json_of(const Answer& answer) { return parse_json(answer.out.toStdString(), "stdout").value_or(Json()); }

  /// Starts it, sends the signal once `due` says so, and gives what it said in the end.
  static Answer interrupt(const QStringList& arguments, const std::function<bool()>& due, int signal) {
    QProcess process;
    process.setChildProcessModifier([] { ::signal(SIGHUP, SIG_DFL); });  // nohup has the tests ignore it
    process.start(command_line_program(), arguments);
    if (!process.waitForStarted()) return {};
    QElapsedTimer timer;
    timer.start();
    while (!due() && timer.elapsed() < 120000 && process.state() == QProcess::Running) process.waitForFinished(20);
    ::kill(static_cast<pid_t>(process.processId()), signal);
    if (!process.waitForFinished(120000)) {
      process.kill();
      process.waitForFinished();
      return {-1, "", "did not end"};
    }
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
            QString::fromUtf8(process.readAllStandardOutput()), QString::fromUtf8(process.readAllStandardError())};
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
    QVERIFY(write_workload(small_workload(4, 32, 5), at("workload")));
    served_ = call(run(tiers() + QStringList{"--policy", policies.join(','), "--limit", "10"}, "workload", "summary"));
    QVERIFY2(served_.exit_code == 0, served_.text());
  }

  void oneRowPerPolicyInEveryTable() {
    QVERIFY2(!served_.error.contains("error") && !served_.error.contains("warning"), served_.text());
    const Answer answer = call_forked({"report", "--db", text_of(at("summary/kvantage.db")), "--details"});
    QVERIFY2(answer.exit_code == 0, answer.text());
    const auto table = [&](const char* title, QStringList columns) {
      QStringList lines = table_of(answer.out, title);
      if (lines.isEmpty() || cells_of(lines.takeFirst()) != (columns.prepend("policy"), columns)) lines.clear();
      return lines;
    };
    const QStringList times =
        table("Time to first token, ms", {"requests", "service mean", "95 % interval", "p50", "p95", "95 % interval",
                                          "with queue mean", "p95", "95 % interval"});
    const QStringList split =
        table("TTFT breakdown", {"lookup", "load", "unpack", "context prefill", "question prefill", "other", "sum"});
    const QStringList quality_columns{"mean",   "95 % interval", "n", "contexts", "uncompressed", "95 % interval", "n",
                                      "chance", "95 % interval", "n"};
    const QStringList quality = table("Quality: token_f1", quality_columns);
    const QStringList exact = table("Quality: exact_match", quality_columns),
                      rouge = table("Quality: rouge_l", quality_columns);
    QStringList hit_columns;
    const auto add_source = [&](const QString& name) {
      hit_columns << name + " requests"
                  << "95 % interval" << name + " tokens" << name + " bytes";
    };
    add_source("dram");
    add_source("ssd");
    const bool write_back =
        answer.out.contains("write-back requests");  // where a request came before its entry was written
    if (write_back) add_source("write-back");
    const int prefill = static_cast<int>(hit_columns.size()) + 1;
    add_source("prefill");
    const QStringList hits = table("Hit rates", hit_columns);
    const QStringList bytes =
        table("Bytes per tier", {"dram used", "dram peak", "dram budget", "ssd used", "ssd peak", "ssd budget"});
    const QRegularExpression interval("^\\[-?[0-9.]+, -?[0-9.]+\\]$");
    for (const QStringList& rows : {times, split, quality, exact, rouge, hits, bytes}) {
      QVERIFY2(rows.size() == policies.size(), answer.text());
      for (qsizetype i = 0; i < rows.size(); ++i) QCOMPARE(cells_of(rows[i]).front(), policies[i]);
    }
    for (qsizetype i = 0; i < policies.size(); ++i) {
      const QStringList time = cells_of(times[i]), parts = cells_of(split[i]), good = cells_of(quality[i]),
                        hit = cells_of(hits[i]), stored = cells_of(bytes[i]);
      QCOMPARE(time[1], QString("10"));
      const double mean = number_of(time[2]), p95 = number_of(time[5]);
      QVERIFY2(mean > 0 && p95 >= number_of(time[4]) && interval.match(time[3]).hasMatch(), qPrintable(times[i]));
      double sum = 0;
      for (int part = 1; part <= 6; ++part) sum += number_of(parts[part]);
      QVERIFY2(std::abs(sum - mean) < 0.5 && number_of(parts[7]) == mean, qPrintable(split[i]));
      for (const int figure : {1, 5, 8}) {  // the answers, those with uncompressed KV, those to other questions
        QVERIFY2(number_of(good[figure]) >= 0 && number_of(good[figure]) <= 1, qPrintable(quality[i]));
        QVERIFY2(interval.match(good[figure + 1]).hasMatch(), qPrintable(quality[i]));
        QCOMPARE(good[figure == 1 ? 3 : figure + 2], QString("10"));
      }
      if (policies[i] == "full_prefill" || policies[i] == "lru") QCOMPARE(good[5], good[1]);
      for (const int kind : {1, 3, 4})  // the second is the interval of the first
        QVERIFY2(std::abs(number_of(hit[kind]) + number_of(hit[kind + 4]) + number_of(hit[prefill + kind - 1]) +
                          (write_back && hit[kind + 8] != "-" ? number_of(hit[kind + 8]) : 0) - 100) < 0.31,
                 qPrintable(hits[i]));
      for (const int tier : {1, 4}) {
        QCOMPARE(stored[tier + 2], tier == 1 ? QString("1.0 MiB") : QString("2.0 MiB"));
        const auto used = parse_bytes(QString(stored[tier]).remove(' ').toStdString());
        QVERIFY2(used && *used <= (tier == 1 ? std::uint64_t{1} << 20 : std::uint64_t{2} << 20), qPrintable(bytes[i]));
      }
      if (policies[i] == "full_prefill")
        QCOMPARE(hit[prefill], QString("100.0"));
      else
        QVERIFY2(number_of(hit[prefill]) < 100, qPrintable(hits[i]));  // every other policy serves from a tier
    }
    // Uncompressed caches answer like none: request by request the same, so the same means.
    QCOMPARE(cells_of(quality[0]).mid(1), cells_of(quality[1]).mid(1));
  }

  // One table of a terminal's width; the rest is a --details away.
  void aRunPrintsItsSummary() {
    const Answer& answer = served_;
    QVERIFY2(answer.error_lines().value(0) == "Loading the model", answer.error.toUtf8());
    for (const QString& line : answer.error_lines().mid(1))
      QVERIFY2(line.startsWith("Profiling contexts"), qPrintable(line));
    for (const QString& line : answer.out.split('\n')) QVERIFY2(line.size() <= 100, qPrintable(line));
    const QStringList table = answer.out.section("\n\n", 0, 0).split('\n');
    QCOMPARE(cells_of(table.front()),
             (QStringList{"policy", "n", "TTFT ms [95 % CI]", "p95", "token_f1 [95 % CI]", "hit %", "KV read"}));
    QCOMPARE(table.size(), policies.size() + 1);
    for (const char* more : {"TTFT breakdown", "Throughput", "Bytes per tier"}) QVERIFY(!answer.out.contains(more));
    const Json report = json_of(call_forked({"report", "--db", text_of(at("summary/kvantage.db")), "--json"}));
    for (qsizetype i = 0; i < policies.size(); ++i) {
      const QStringList cells = cells_of(table[i + 1]);
      const Json& row = report.at("rows")[static_cast<std::size_t>(i)];
      const auto interval = [](const Json& figure, double unit, int digits) {
        const Json& ends = figure.at("interval_95");
        return QString("[%1, %2]")
            .arg(ends[0].get<double>() * unit, 0, 'f', digits)
            .arg(ends[1].get<double>() * unit, 0, 'f', digits);
      };
      const Json &ttft = row.at("ttft_service_seconds"), &quality = row.at("quality").at("token_f1");
      QCOMPARE(cells[0], policies[i]);
      QCOMPARE(cells[1], QString("10"));
      QCOMPARE(cells[2],
               QString("%1 %2").arg(ttft.at("mean").get<double>() * 1e3, 0, 'f', 1).arg(interval(ttft, 1e3, 1)));
      QCOMPARE(cells[3], QString::number(ttft.at("p95").get<double>() * 1e3, 'f', 1));
      QCOMPARE(cells[4],
               QString("%1 %2").arg(quality.at("mean").get<double>(), 0, 'f', 3).arg(interval(quality, 1, 3)));
      QCOMPARE(cells[5], QString::number(row.at("hit_rate").at("value").get<double>() * 100, 'f', 1));
      QCOMPARE(cells[6] == "0 B", cells[5] == "0.0");  // few hits of lru where writes are slow
      if (policies[i] == "full_prefill") QCOMPARE(cells[6], QString("0 B"));
    }
    // The same from its record, and first of all with --details.
    QCOMPARE(call_forked({"report", "--db", text_of(at("summary/kvantage.db"))}).out, answer.out);
    const Answer details = call_forked({"report", "--db", text_of(at("summary/kvantage.db")), "--details"});
    QVERIFY2(details.out.startsWith(table.join('\n') + "\n\n") && details.out.contains("\nTTFT breakdown"),
             details.text());
  }

  // Where both streams go into one file, the names of the files do not fall into the middle of a table.
  void theReportsNamesComeAfterTheTables() {
    const Answer answer =
        call(run(tiers() + QStringList{"--policy", "lru", "--limit", "2", "--report-dir", text_of(at("together"))}),
             {"sh", "-c", "\"$@\" 2>&1", "sh"});
    QVERIFY2(answer.exit_code == 0, answer.text());
    const QStringList lines = answer.out.split('\n', Qt::SkipEmptyParts);
    QVERIFY2(lines.indexOf(QRegularExpression("^ *policy +n .*")) == 1 &&
                 lines[lines.size() - 2].startsWith("report: ") && lines.back().startsWith("report: "),
             answer.text());
  }

  void jsonIsAllThereIsOnStdout() {
    const Answer answer = call(
        run(tiers() + QStringList{"--policy", "lru,fixed(knorm,0.5)", "--limit", "6", "--alpha", "0.25", "--json"}));
    QVERIFY2(answer.exit_code == 0, answer.text());
    const Json report = json_of(answer);
    QVERIFY2(report.is_object() && report.at("rows").size() == 2, answer.text());
    QCOMPARE(report.at("format").get<std::string>(), std::string("kvantage-report"));
    QCOMPARE(report.at("rows")[1].at("policy").get<std::string>(), std::string("fixed(knorm,0.5)"));
    for (const Json& row : report.at("rows")) {
      QCOMPARE(row.at("requests").get<int>(), 6);
      QCOMPARE(row.at("warmup_requests").get<int>(), 4);  // every context once
      QCOMPARE(row.at("alpha").at("value").get<double>(), 0.25);
      for (const char* key : {"ttft_service_seconds", "ttft_seconds"})
        QVERIFY(row.at(key).at("mean").get<double>() > 0 && row.at(key).at("p95").get<double>() > 0);
      QCOMPARE(row.at("quality").at("token_f1").at("n").get<int>(), 6);
      const auto on_their_way = std::ranges::count(row.at("sources"), Json("write-back"),
                                                   [](const Json& share) { return share.at("source"); });
      QVERIFY(row.at("sources").size() == 3 + static_cast<std::size_t>(on_their_way) && row.at("tiers").size() == 2);
    }
    const Json& environment = report.at("environment");
    QCOMPARE(environment.at("workload").get<std::string>(), std::string("small"));
    const QString command = QString::fromStdString(environment.at("command").get<std::string>());
    QVERIFY2(command.contains("--policy 'lru,fixed(knorm,0.5)'") && command.contains("--alpha '0.25'"),
             qPrintable(command));
    QVERIFY(!QString::fromStdString(report.at("claim").get<std::string>()).contains("Not complete"));
  }

  // Each block has an order of its own; the report has the order in which the policies were given.
  void policiesAreServedInOrdersDrawnFromTheSeed() {
    const std::vector<std::string> given{"lru", "full_prefill", "lfu"};
    std::vector<std::string> served, reported{"lru", "full_prefill", "lfu", "lru (2)", "full_prefill (2)", "lfu (2)"};
    std::vector<std::string> blocks;
    for (const std::uint64_t block : {0, 1})
      for (const std::size_t place : drawn_order(given.size(), derive_seed(2, block))) {
        served.push_back(given[place]);
        blocks.push_back(block == 0 ? "block 1 of 2" : "block 2 of 2");
      }
    QVERIFY(served != (std::vector<std::string>{"lru", "full_prefill", "lfu", "lru", "full_prefill", "lfu"}));
    QVERIFY(!std::equal(served.begin(), served.begin() + 3, served.begin() + 3));
    const Answer answer = call(run(tiers() + QStringList{"--policy", "lru,full_prefill,lfu", "--repeat", "2", "--seed",
                                                         "2", "--limit", "2", "--no-warmup", "--json"},
                                   "workload", "blocks"));
    QVERIFY2(answer.exit_code == 0, answer.text());
    const auto policies_of = [](const Json& report) {
      std::vector<std::string> names;
      for (const Json& row : report.at("rows")) names.push_back(row.at("policy").get<std::string>());
      return names;
    };
    QCOMPARE(policies_of(json_of(answer)), reported);
    const auto stores = open_stores(at("blocks/kvantage.db"), StoreAccess::read_only, machine_clock());
    QVERIFY(stores);
    const auto runs = (*stores)->runs().runs();
    QVERIFY(runs && runs->size() == served.size());
    for (std::size_t i = 0; i < served.size(); ++i) {  // oldest first
      const RunSummary& one = (*runs)[i];
      QCOMPARE(one.policy, served[i]);
      QCOMPARE(one.settings.at("group"), runs->front().settings.at("group"));
      const auto notes = (*stores)->runs().load_result(one.run_id, notes_result_name);
      QVERIFY(notes && *notes);
      QCOMPARE((*notes)->at("text").get<std::string>(), blocks[i]);
    }
    const Json again = json_of(call({"report", "--db", text_of(at("blocks/kvantage.db")), "--json"}));
    QVERIFY(again == json_of(answer));
  }

  // One policy after the other, as given, where that is asked for.
  void policiesAreServedOneAfterTheOtherIfAskedFor() {
    const Answer answer = call(run(tiers() + QStringList{"--policy", "lru,full_prefill", "--repeat", "2",
                                                         "--no-interleave", "--limit", "2", "--no-warmup", "--json"},
                                   "workload", "one-by-one"));
    QVERIFY2(answer.exit_code == 0, answer.text());
    const auto stores = open_stores(at("one-by-one/kvantage.db"), StoreAccess::read_only, machine_clock());
    QVERIFY(stores);
    const auto runs = (*stores)->runs().runs();
    std::vector<std::string> served;
    for (const RunSummary& one : *runs) served.push_back(one.policy);
    QCOMPARE(served, (std::vector<std::string>{"lru", "lru", "full_prefill", "full_prefill"}));
    QVERIFY(call_forked(run({"--policy", "lru", "--interleave", "--no-interleave"})).exit_code == 2);
    // What is printed has each policy once, over all of its answers; every run with --details.
    const QStringList twice{"--policy", "lru,full_prefill", "--repeat", "2", "--limit", "2", "--no-warmup"};
    const Answer printed = call(run(tiers() + twice, "workload", "printed"));
    QVERIFY2(printed.exit_code == 0, printed.text());
    QVERIFY2(printed.out.contains("lru (2 runs)") && printed.out.contains("full_prefill (2 runs)") &&
                 printed.out.contains("Of 2 compared") && !printed.out.contains("lru (2)"),
             printed.text());
    // Compared, the repetitions are one side each; with --each-run they are four.
    const QString database = text_of(at("one-by-one/kvantage.db"));
    QCOMPARE(json_of(call({"compare", "last", "--db", database, "--json"})).at("runs").size(), std::size_t{2});
    QCOMPARE(json_of(call({"compare", "last", "--db", database, "--each-run", "--json"})).at("runs").size(),
             std::size_t{4});
  }

  void moreRunsThanAReportShowsAreRefused() {
    for (const auto& [blocks, named] : {std::pair{"1001", "2000"}, std::pair{"0", "--repeat"}}) {
      const Answer answer = call_forked(run({"--policy", "lru,full_prefill", "--blocks", blocks}));
      QVERIFY2(answer.exit_code == 2 && answer.error.contains(named) && answer.out.isEmpty(), answer.text());
    }
  }

  void optionsChangeWhatTheySay() {
    const QStringList base{"--tier", "ssd=64MiB", "--policy", "lru", "--limit", "6", "--json"};
    const Json cold = json_of(call(run(base + QStringList{"--no-warmup"}, "workload", "options")));
    const Json kept = json_of(call(run(base + QStringList{"--no-warmup", "--keep-store"}, "workload", "options")));
    QVERIFY(cold.is_object() && kept.is_object());
    QCOMPARE(cold.at("rows")[0].at("warmup_requests").get<int>(), 0);
    const auto misses = [](const Json& report) {
      int sum = 0;
      for (const auto& [reason, count] : report.at("rows")[0].at("misses").items()) sum += count.get<int>();
      return sum;
    };
    QVERIFY2(misses(kept) == 0 && misses(cold) > 0, qPrintable(QString("%1 %2").arg(misses(kept)).arg(misses(cold))));

    const auto questions = [&](const QStringList& more, const QString& store) {
      QVERIFY2(call(run(base + more, "workload", store)).exit_code == 0, "run");
    };
    questions({"--seed", "3"}, "seed a");
    questions({"--seed", "3"}, "seed b");
    questions({"--seed", "4"}, "seed c");
    std::vector<std::vector<std::string>> asked;
    for (const char* store : {"seed a", "seed b", "seed c"}) {
      const auto stores = open_stores(at(store) / "kvantage.db", StoreAccess::read_only, machine_clock());
      QVERIFY(stores);
      const auto runs = (*stores)->runs().runs();
      const auto events = (*stores)->runs().events(runs.value().back().run_id, {event_type(events::RequestFinished{})});
      std::vector<std::string>& list = asked.emplace_back();
      for (const Event& event : events.value())
        list.push_back(std::get<events::RequestFinished>(event.payload).record.question);
      QCOMPARE(list.size(), std::size_t{10});
    }
    QVERIFY(asked[0] == asked[1] && asked[0] != asked[2]);
  }

  void aWorkloadWithoutHeldOutQuestionsSaysSo() {
    Workload workload = small_workload(2, 16, 6);
    for (WorkloadQuestion& question : workload.questions)
      if (question.context == 1) question.split = QuestionSplit::profile;
    QVERIFY(write_workload(workload, at("half")));
    const Answer half =
        call(run(tiers() + QStringList{"--policy", "lru", "--limit", "5", "--json"}, "half", "half store"));
    QCOMPARE(json_of(half).at("rows")[0].at("requests").get<int>(), 5);  // only one warm-up request, and all five count
    QCOMPARE(json_of(half).at("rows")[0].at("warmup_requests").get<int>(), 1);
    for (WorkloadQuestion& question : workload.questions) question.split = QuestionSplit::profile;
    QVERIFY(write_workload(workload, at("none")));
    const Answer none = call(run(tiers() + QStringList{"--policy", "lru"}, "none", "none store"));
    QVERIFY2(none.exit_code == 0 && none.out.contains("No request was answered."), none.text());
  }

  void interruptedRunsShowWhatTheyHave_data() {
    QTest::addColumn<int>("signal");
    QTest::newRow("SIGINT") << SIGINT;
    QTest::newRow("SIGTERM") << SIGTERM;
    QTest::newRow("SIGHUP") << SIGHUP;
  }
  void interruptedRunsShowWhatTheyHave() {
    QFETCH(int, signal);
    const QString store = QString("signal %1").arg(signal);
    const path database = at(store.toStdString()) / "kvantage.db";
    QCOMPARE(drawn_order(3, derive_seed(0, 0)), (std::vector<std::size_t>{0, 2, 1}));  // lru is the first
    const Answer answer = interrupt(
        run(tiers() + QStringList{"--policy", "lru,full_prefill,lfu", "--limit", "1000000", "--details"}, "workload",
            store),
        [&] { return requests_in(database) >= 12; }, signal);
    QVERIFY2(answer.exit_code == 130, answer.text());
    const QRegularExpressionMatch said =
        QRegularExpression("^interrupted: 'lru' was stopped after ([0-9]+) requests; not run: full_prefill, lfu; ")
            .match(answer.error_lines().value(answer.error_lines().size() - 1));
    QVERIFY2(said.hasMatch(), answer.text());
    const QStringList rows = table_of(answer.out, "Time to first token, ms").mid(1);
    QVERIFY2(rows.size() == 1 && cells_of(rows[0])[0] == "lru" && cells_of(rows[0])[1] == said.captured(1),
             answer.text());
    QVERIFY2(said.captured(1).toInt() >= 8 && answer.out.contains("Not complete: lru (stopped)."), answer.text());
    // The same from its record.
    QCOMPARE(call_forked({"report", "--db", text_of(database), "--details"}).out, answer.out);
    const Answer again = call_forked({"report", "--db", text_of(database), "--json"});
    QCOMPARE(again.exit_code, 0);
    QCOMPARE(json_of(again).at("rows")[0].at("requests").get<int>(), said.captured(1).toInt());
    const Answer next = call(run(tiers() + QStringList{"--policy", "lru", "--limit", "3"}, "workload", store));
    QVERIFY2(next.exit_code == 0 && !next.error.contains("error"), next.text());
  }

  void profilingCanBeInterruptedAndResumed() {
    QVERIFY(write_workload(small_workload(10, 20, 8), at("long")));
    const QStringList words = QStringList{"profile",   text_of(at("long")),
                                          "--model",   text_of(model_directory()),
                                          "--store",   text_of(at("profiled")),
                                          "--methods", "knorm,keydiff",
                                          "--removed", "0.3,0.7",
                                          "--json"} +
                              tiers();
    const auto profiled = [&] {
      return rows_of(at("profiled/kvantage.db"), "SELECT context_id FROM profile_cells GROUP BY context_id").size();
    };
    const Answer answer = interrupt(
        words, [&] { return profiled() >= 2; }, SIGINT);
    QVERIFY2(answer.exit_code == 130 && answer.error.contains("interrupted while profiling"), answer.text());
    const std::size_t before = profiled();
    QVERIFY2(before >= 2 && before < 10, qPrintable(QString::number(before)));
    QCOMPARE(json_of(answer).at("cells").size(), before * 5);
    const Answer rest = call(words);
    QVERIFY2(rest.exit_code == 0, rest.text());
    QCOMPARE(json_of(rest).at("cells").size(), std::size_t{10 * 5});
    QCOMPARE(profiled(), std::size_t{10});
  }
};

KV_TEST_GUILESS_MAIN(RunTableTest)

}  // namespace run_table_test

#include "run_table_test.moc"
