// links: kv_reports profiles
// What a run prints, what it writes and what `kvantage-cli report` makes of its record later are the same metrics; a
// call that cannot be answered gets one clear line.
#include <sqlite3.h>

#include <QXmlStreamReader>
#include <QtTest>

#include "core/base/files.h"
#include "core/base/units.h"
#include "core/report/recorded_run.h"
#include "tests/app/two_recorded_runs.h"
#include "tests/support/command_line.h"
#include "tests/support/report_readers.h"
#include "tests/support/small_workload.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace report_command_test {

using namespace kvantage;
using namespace kvantage::test;
using std::filesystem::path;

namespace {

Answer report(const QStringList& arguments) { return call(QStringList{"report"} + arguments); }

Json parsed(const QString& text) { return parse_json(text.toStdString(), "output").value_or(Json()); }

/// Every row of every table of a page, as the texts of its cells.
QList<QStringList> rows_of_page(const std::string& page) {
  QList<QStringList> rows;
  QXmlStreamReader reader(QByteArray::fromStdString(page));
  while (!reader.atEnd()) {
    reader.readNext();
    if (!reader.isStartElement()) continue;
    if (reader.name() == u"tr") rows << QStringList{};
    if ((reader.name() == u"td" || reader.name() == u"th") && !rows.isEmpty())
      rows.back() << reader.readElementText(QXmlStreamReader::IncludeChildElements).simplified();
  }
  return reader.hasError() ? QList<QStringList>{} : rows;
}

}  // namespace

class ReportCommandTest : public QObject, private TwoRecordedRuns {
  Q_OBJECT

 private slots:
  void initTestCase() { QVERIFY(record_runs()); }

  // One run, shown as a table, as JSON, as files, and again from its record.
  void aRunAndItsReportAreTheSameFigures() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
    QVERIFY(write_workload(small_workload(4, 24, 5), at("workload")));
    const Answer run = call({"run",          text("workload"),
                             "--model",      text_of(model_directory()),
                             "--store",      text("store"),
                             "--tier",       "dram=1MiB",
                             "--tier",       "ssd=2MiB,bandwidth=400MB/s",
                             "--policy",     "full_prefill,lru,evicpress",
                             "--limit",      "10",
                             "--methods",    "knorm",
                             "--removed",    "0.5",
                             "--report-dir", text("files"),
                             "--details"});
    QVERIFY2(run.exit_code == 0, run.text());
    for (const char* name : {"html", "json"})
      QVERIFY2(run.error.contains("report: " + text("files/report.") + name), run.text());

    const QString database = text("store/kvantage.db");
    const Answer table = report({"--db", database, "--details"});
    QCOMPARE(table.out, run.out);
    const Json json = read_json_file(at("files/report.json")).value_or(Json());
    QVERIFY(json.is_object() && json == parsed(report({"--db", database, "--json"}).out));
    QCOMPARE(report({"--db", database, "--out", text("again"), "--quiet"}).exit_code, 0);
    for (const char* name : {"report.html", "report.json"})
      QVERIFY2(read_text_file(at("files") / name).value() == read_text_file(at("again") / name).value(), name);

    // Letter for letter the same cells on the page and in the table.
    const QList<QStringList> page = rows_of_page(read_text_file(at("files/report.html")).value());
    int compared = 0;
    for (const char* title : {"Time to first token, ms", "TTFT breakdown", "Quality: token_f1", "Hit rates",
                              "Bytes per tier", "Throughput"}) {
      const QStringList lines = table_of(run.out, title);
      QCOMPARE(lines.size(), qsizetype{4});
      for (const QString& line : lines) {
        QVERIFY2(page.contains(cells_of(line)), qPrintable(line));
        ++compared;
      }
    }
    QCOMPARE(compared, 24);

    // And the numbers behind them.
    for (std::size_t i = 0; i < 3; ++i) {
      const Json& row = json.at("rows")[i];
      const QStringList times = cells_of(table_of(run.out, "Time to first token, ms")[static_cast<qsizetype>(i) + 1]);
      const auto shown = [&](const Json& figure, const char* key) {
        const bool throttled = figure.at("provenance") == "shaped";
        return QString::fromStdString(format_fixed(figure.at(key).get<double>() * 1e3, 1)) + (throttled ? "^" : "");
      };
      QCOMPARE(times[0].toStdString(), row.at("policy").get<std::string>());
      QCOMPARE(times[1].toInt(), row.at("requests").get<int>());
      QCOMPARE(times[2], shown(row.at("ttft_service_seconds"), "mean"));
      QCOMPARE(times[5], shown(row.at("ttft_service_seconds"), "p95"));
      QCOMPARE(times[7], shown(row.at("ttft_seconds"), "mean"));
      const QStringList quality = cells_of(table_of(run.out, "Quality: token_f1")[static_cast<qsizetype>(i) + 1]);
      QCOMPARE(quality[1].toStdString(), format_fixed(row.at("quality").at("token_f1").at("mean").get<double>(), 3));
      double hits = 0;
      for (const Json& source : row.at("sources")) hits += source.at("hit_rate_requests").get<double>();
      QVERIFY(std::abs(hits - 1) < 1e-9);
    }
  }

  void oneRunByItsIdAsJson() {
    const Answer answer = report({"--db", database_, "--run", "lru-id", "--json"});
    QVERIFY2(answer.exit_code == 0, answer.text());
    const Json json = parsed(answer.out);
    QCOMPARE(json.at("rows").size(), std::size_t{1});
    QCOMPARE(json.at("rows")[0].at("policy").get<std::string>(), std::string("lru"));
  }

  void runsAreNamedAsEverywhere() {
    const Answer whole = report({"--db", database_, "--run", "lru-id", "--json"});
    QCOMPARE(report({"--db", database_, "--run", "lru-i", "--json"}).out, whole.out);  // a beginning that only one has
    const Answer last = report({"--db", database_, "--run", "last", "--json"});
    QCOMPARE(last.exit_code, 0);
    QCOMPARE(last.out, report({"--db", database_, "--json"}).out);
    // As an argument, as of replay, export and compare; of several each once.
    QCOMPARE(report({"--db", database_, "lru-id", "--json"}).out, whole.out);
    QCOMPARE(report({"lru-i", "--db", database_, "--run", "lru-i", "--json"}).out, whole.out);
    const Json several = parsed(report({"lru-id", "evicpress-id", "both", "--db", database_, "--json"}).out);
    QCOMPARE(several.at("rows").size(), std::size_t{2});
  }

  void theNewestGroupGoesToTheFilesAskedFor() {
    const Answer answer = report({"--db", database_, "--out", text("out"), "--format", "json"});
    QVERIFY2(answer.exit_code == 0, answer.text());
    QVERIFY(answer.out.contains("  lru ") && answer.out.contains("  evicpress "));
    QCOMPARE(read_json_file(at("out/report.json")).value_or(Json()).at("rows").size(), std::size_t{2});
    QVERIFY(!std::filesystem::exists(at("out/report.html")));
  }

  // Wide tables continue below where the terminal is narrower; a file or a pipe gets them whole.
  void detailsFitTheTerminal_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<int>("widest_line");  // more than that, when nothing is wrapped
    QTest::newRow("report") << QStringList{"report", "--details", "--run", "both"} << 130;
    QTest::newRow("compare") << QStringList{"compare", "--details", "both"} << 90;
  }
  void detailsFitTheTerminal() {
    QFETCH(QStringList, words);
    QFETCH(int, widest_line);
    const QString command = command_line_program() + " " + words.join(' ') + " --db '" + database_ + "'";
    const auto lines_at = [&](int columns) {
      const Answer shown =
          call_words({"script", "-qec", QString("stty cols %1; %2").arg(columns).arg(command), "/dev/null"});
      return QString(shown.out).remove('\r').split('\n');
    };
    const QStringList piped = call(words + QStringList{"--db", database_}).out.split('\n');
    const auto widest = [](const QStringList& lines) {
      return std::ranges::max(lines, {}, [](const QString& line) { return line.size(); }).size();
    };
    QVERIFY2(widest(piped) > widest_line, qPrintable(piped.join('\n')));
    QVERIFY2(widest(lines_at(80)) <= 80, qPrintable(lines_at(80).join('\n')));
    QVERIFY2(widest(lines_at(130)) <= 130 && widest(lines_at(130)) > 80, qPrintable(lines_at(130).join('\n')));
    QVERIFY(widest(lines_at(40)) <= 80);
    // Nothing is left out: every word is there.
    const auto words_of = [](const QStringList& lines) {
      const QStringList all = lines.join(' ').simplified().split(' ');
      return QSet<QString>(all.begin(), all.end());
    };
    QCOMPARE(words_of(lines_at(80)), words_of(piped));
  }

  // Qt starts for a PDF alone, without a display and without a word of its own.
  void aPdfNeedsNoDisplay() {
    const QStringList words{"report", "--db",  database_,     "--run",    "both", "--baseline",
                            "lru",    "--out", text("pages"), "--format", "pdf"};
    const QStringList wrapper{"env", "-u", "DISPLAY", "-u", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM=xcb", "LC_ALL=C"};
    const Answer answer = call(words, wrapper);
    QVERIFY2(answer.exit_code == 0, answer.text());
    QCOMPARE(answer.error_lines(), QStringList{"report: " + text("pages/report.pdf")});
    QCOMPARE(answer.out, report({"--db", database_, "--run", "both", "--baseline", "lru"}).out);
    const std::string pdf = read_text_file(at("pages/report.pdf")).value();
    QVERIFY(pdf.starts_with("%PDF-") && pdf.find("/FontFile2") != std::string::npos);
    const auto lines = pdf_lines(text("pages/report.pdf"));
    if (!lines) QSKIP("pdftotext is not installed (package poppler-utils; ./run test installs it)");
    for (const char* line : {"What was run", "Headline metrics", "What is significant", "Appendix: charts"})
      QVERIFY2(lines->contains(line), line);
  }

  void aMachineWithoutFontsHasNoPdf() {
    QVERIFY(QDir().mkpath(text("no fonts")));
    QVERIFY(write_text_file(at("fonts.conf"),
                            "<?xml version=\"1.0\"?><!DOCTYPE fontconfig SYSTEM \"fonts.dtd\"><fontconfig><dir>" +
                                at("no fonts").string() + "</dir></fontconfig>"));
    const QStringList wrapper{"env", "FONTCONFIG_FILE=" + text("fonts.conf")};
    const Answer answer = call({"report", "--db", database_, "--out", text("fontless"), "--format", "pdf"}, wrapper);
    QVERIFY2(answer.exit_code == 1 && answer.error_lines().size() == 1, answer.text());
    QVERIFY2(answer.error.contains("no font") && answer.error.contains("fonts-dejavu-core"), answer.text());
    QVERIFY(!std::filesystem::exists(at("fontless/report.pdf")));
    QCOMPARE(call({"report", "--db", database_, "--out", text("fontless"), "--format", "html"}, wrapper).exit_code, 0);
  }

  void quietPrintsNothing() {
    const Answer answer = report({"--db", database_, "--out", text("quiet"), "--quiet"});
    QCOMPARE(answer.exit_code, 0);
    QVERIFY2(answer.out.isEmpty() && answer.error.isEmpty(), answer.text());
    QVERIFY(std::filesystem::exists(at("quiet/report.html")));
  }

  void reportsDoNotChangeTheDatabase() {
    const std::string before = read_text_file(database_.toStdString()).value();
    QCOMPARE(report({"--db", database_}).exit_code, 0);
    QVERIFY(read_text_file(database_.toStdString()).value() == before);
  }

  void differencesToABaseline() {
    const Answer plain = report({"--db", database_, "--run", "both", "--json"});
    QVERIFY(!parsed(plain.out).contains("differences"));
    const Answer answer = report({"--db", database_, "--run", "both", "--baseline", "lru", "--json"});
    QVERIFY2(answer.exit_code == 0, answer.text());
    const Json differences = parsed(answer.out).at("differences");
    QCOMPARE(differences.at("baseline").get<std::string>(), std::string("lru"));
    QVERIFY(differences.at("figures").size() > 5);
    for (const Json& one : differences.at("figures"))
      QCOMPARE(one.at("run").get<std::string>(), std::string("evicpress"));
    QVERIFY(report({"--db", database_, "--run", "both", "--baseline", "evicpress-i"})
                .out.contains("Differences to evicpress"));
    // A baseline from elsewhere in the database comes into the report.
    const Answer other = report({"--db", database_, "--run", "evicpress-id", "--baseline", "lru-id", "--json"});
    QVERIFY2(other.exit_code == 0, other.text());
    QCOMPARE(parsed(other.out).at("rows").size(), std::size_t{2});
    QCOMPARE(parsed(other.out).at("differences").at("figures"), differences.at("figures"));
    const Answer unknown = report({"--db", database_, "--run", "both", "--baseline", "gdsf"});
    QVERIFY2(unknown.exit_code == 2 && unknown.error.contains("'gdsf'") && unknown.error.contains("lru-id (lru)"),
             unknown.text());
    const Answer alone = report({"--db", database_, "--run", "lru-id", "--baseline", "lru"});
    QVERIFY2(alone.exit_code == 2 && alone.error.contains("nothing to compare"), alone.text());
  }

  // A run that is there but cannot be read is not an unknown name.
  void aBaselineThatCannotBeReadIsSaid() {
    const path damaged = at("damaged.sqlite");
    std::filesystem::copy_file(database_.toStdString(), damaged);
    sqlite3* connection = nullptr;
    QCOMPARE(sqlite3_open(damaged.c_str(), &connection), SQLITE_OK);
    QCOMPARE(
        sqlite3_exec(connection,
                     "UPDATE events SET body = 'no event' WHERE run = (SELECT id FROM runs WHERE run_id = 'lru-id')",
                     nullptr, nullptr, nullptr),
        SQLITE_OK);
    QVERIFY(sqlite3_changes(connection) > 0);
    sqlite3_close(connection);
    const QStringList one{"--db", text_of(damaged), "--run", "evicpress-id", "--baseline"};
    const Answer answer = report(one + QStringList{"lru-id"});
    QVERIFY2(answer.exit_code != 0 && answer.error_lines().size() == 1, answer.text());
    QVERIFY2(answer.error.contains("damaged") && !answer.error.contains("names no single run"), answer.text());
    const Answer unknown = report(one + QStringList{"gdsf"});
    QVERIFY2(unknown.exit_code == 2 && unknown.error.contains("names no single run"), unknown.text());
  }

  void wrongCallsGetOneClearLine_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("exit_code");
    QTest::addColumn<QString>("named");
    QTest::newRow("two ways, two runs") << QStringList{"--db", database_, "lru-id", "--run", "evicpress-id"} << 2
                                        << "report: RUN and --run name different runs; give all of them as RUN";
    QTest::newRow("unknown argument") << QStringList{"--db", database_, "nowhere"} << 3
                                      << "no recorded run 'nowhere'; ";
    QTest::newRow("unknown format") << QStringList{"--db", database_, "--format", "docx"} << 2
                                    << "html, json, csv, latex, pdf";
    QTest::newRow("unknown run") << QStringList{"--db", database_, "--run", "nowhere"} << 3 << "evicpress-id";
    QTest::newRow("no database") << QStringList{"--db", text("none.sqlite")} << 3 << "none.sqlite";
    QTest::newRow("another file") << QStringList{"--db", QStringLiteral(KVANTAGE_SOURCE_DIR "/CMakeLists.txt")} << 3
                                  << "CMakeLists.txt";
    QTest::newRow("folder") << QStringList{"--db", folder_.path()} << 3 << "folder";
    QTest::newRow("unwritable target") << QStringList{"--db", database_, "--out", database_ + "/below"} << 3 << "below";
  }
  void wrongCallsGetOneClearLine() {
    QFETCH(QStringList, arguments);
    QFETCH(int, exit_code);
    QFETCH(QString, named);
    const Answer answer = report(arguments);
    QVERIFY2(answer.exit_code == exit_code, answer.text());
    QVERIFY2(answer.error.startsWith("error: ") && answer.error_lines().size() == 1, answer.text());
    QVERIFY2(answer.error.contains(named) && answer.out.isEmpty(), answer.text());
  }
};

KV_TEST_GUILESS_MAIN(ReportCommandTest)

}  // namespace report_command_test

#include "report_command_test.moc"
