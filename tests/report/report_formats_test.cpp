// links: kv_reports
// A report's files are a function of the run alone: whatever the locale and the day, the same bytes. What they hold is
// read here by rules that are not ours: RFC 4180 for CSV. PDF: tests/ui/report.
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <clocale>
#include <locale>
#include <map>
#include <set>

#include "core/base/files.h"
#include "core/report/formats/report_files.h"
#include "core/report/table.h"
#include "tests/report/sample_runs.h"
#include "tests/support/plain_drawing.h"
#include "tests/support/test_program.h"

namespace report_formats_test {

using namespace kvantage;

namespace {

/// 1234.5 as 1.234,5: what a number turns into wherever a stream or printf writes it.
struct CommaNumbers : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

std::map<std::string, std::string> files_of(const RunReport& report, const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  const auto written =
      write_report_files(report, folder, parse_report_formats("html,json,csv,latex").value(), test::plain_drawing());
  if (!written) return files;
  for (const auto& path : *written) files[path.filename().string()] = read_text_file(path).value();
  return files;
}

/// Rows of RFC 4180.
std::vector<std::vector<std::string>> rows_of(const std::string& csv) {
  std::vector<std::vector<std::string>> rows{{""}};
  bool quoted = false;
  for (std::size_t i = 0; i < csv.size(); ++i) {
    const char letter = csv[i];
    if (quoted && letter == '"' && i + 1 < csv.size() && csv[i + 1] == '"')
      rows.back().back() += csv[++i];
    else if (letter == '"')
      quoted = !quoted;
    else if (!quoted && letter == ',')
      rows.back().emplace_back();
    else if (!quoted && letter == '\n')
      rows.push_back({""});
    else
      rows.back().back() += letter;
  }
  rows.pop_back();
  return rows;
}

}  // namespace

class ReportFormatsTest : public QObject {
  Q_OBJECT

 private slots:
  void theLocaleChangesNoByte_data() {
    QTest::addColumn<QString>("locale");
    QTest::newRow("German") << "de_DE.UTF-8";
    QTest::newRow("commas in every stream") << QString();
  }
  void theLocaleChangesNoByte() {
    QFETCH(QString, locale);
    QTemporaryDir folder;
    const RunReport report = sample_report();
    const auto before = files_of(report, folder.filePath("c").toStdString());
    QCOMPARE(before.size(), std::size_t{6});  // three of CSV
    const std::locale old;
    if (locale.isEmpty()) {
      std::locale::global(std::locale(std::locale::classic(), new CommaNumbers));
    } else if (std::setlocale(LC_ALL, locale.toUtf8().constData()) == nullptr) {
      QSKIP("this machine has no locale de_DE.UTF-8");
    }
    const auto after = files_of(report, folder.filePath("other").toStdString());
    std::setlocale(LC_ALL, "C");
    std::locale::global(old);
    for (const auto& [name, bytes] : before) QVERIFY2(after.at(name) == bytes, name.c_str());
  }

  void csvHoldsEveryFigureOnce() {
    const RunReport report = sample_report();
    const auto rows = rows_of(to_csv(report));
    QCOMPARE(rows.front().size(), std::size_t{15});
    std::set<std::vector<std::string>> keys;
    for (const auto& row : rows) {
      QCOMPARE(row.size(), std::size_t{15});
      QVERIFY2(keys.insert({row[0], row[1], row[2]}).second, (row[0] + row[1] + row[2]).c_str());
    }
    const auto found = [&](const std::string& policy, const std::string& metric, const std::string& part) {
      for (const auto& row : rows)
        if (row[0] == policy && row[1] == metric && row[2] == part) return row;
      return std::vector<std::string>(15);
    };
    for (const PolicyRow& row : report.rows) {
      QCOMPARE(std::stod(found(row.policy, "ttft_service_seconds", "")[3]), row.ttft_service_seconds.mean);
      QCOMPARE(std::stod(found(row.policy, "quality", "token_f1")[8]), row.quality.at("token_f1").interval->low);
      QCOMPARE(std::stoull(found(row.policy, "quality", "token_f1")[6]), row.quality.at("token_f1").n);
      QCOMPARE(std::stoull(found(row.policy, "tier_used_bytes", "dram")[3]), row.tiers[0].used_bytes);
    }
  }

  void namesCannotBreakOut() {
    RunReport report = build_report(Json{{"note", "100 %\n\\end{x}"}}, Json::object(),
                                    {sample_run(1, "a,\"b\"\n=1+1_&%$#{}~^\\", 30)});
    const auto rows = rows_of(to_csv(report));
    QCOMPARE(rows[1][0], std::string("a,\"b\"\n=1+1_&%$#{}~^\\"));
    report.rows[0].policy = "=cmd()";
    QCOMPARE(rows_of(to_csv(report))[1][0], std::string("'=cmd()"));
    static const QRegularExpression point(
        "^\\([-+0-9.e]+, [-+0-9.e]+\\)"
        "( \\+= \\([-+0-9.e]+, [-+0-9.e]+\\)( -= \\([-+0-9.e]+, [-+0-9.e]+\\))?)?$|^\\};$");
    for (const QString& line : QString::fromStdString(to_latex(report)).split('\n'))
      QVERIFY2(line.isEmpty() || line.startsWith('%') || line.startsWith('\\') || line.endsWith("\\\\") ||
                   point.match(line).hasMatch(),
               qPrintable(line));
  }

  void latexHasAsManyCellsAsItsColumns() {
    const QStringList lines = QString::fromStdString(to_latex(sample_report())).split('\n');
    qsizetype columns = 0, tables = 0;
    for (const QString& line : lines) {
      const auto begin = QRegularExpression("^\\\\begin\\{tabular\\}\\{([lr]+)\\}$").match(line);
      if (begin.hasMatch()) {
        columns = begin.captured(1).size();
        ++tables;
      } else if (line.endsWith(" \\\\")) {
        QCOMPARE(QString(line).remove("\\&").count('&') + 1, columns);
      }
    }
    QVERIFY(tables >= 5);
  }

  // A program without a window writes everything else, and says before any file that it has no page and no PDF.
  void theProgramDrawsPageAndPdf() {
    QTemporaryDir folder;
    const std::filesystem::path target = folder.filePath("report").toStdString();
    const RunReport report = sample_report();
    for (const char* format : {"html", "pdf"}) {
      const auto refused = write_report_files(report, target, {"json", format});
      QVERIFY(!refused);
      QVERIFY(refused.error().code == ErrorCode::usage);
      QCOMPARE(refused.error().message, std::string("report: this build has no window and so no HTML or PDF; use "
                                                    "--format json, csv or latex"));
      QVERIFY(!std::filesystem::exists(target));
    }
    const auto written = write_report_files(report, target, {"html", "pdf"}, test::plain_drawing());
    QVERIFY(written && *written == (std::vector{target / "report.html", target / "report.pdf"}));
    QCOMPARE(read_text_file(target / "report.pdf").value(), "pages of " + report.title);
    const auto charts = test::plain_charts(report).value();
    QVERIFY(charts.size() >= 5);
    const std::string page = read_text_file(target / "report.html").value();
    QCOMPARE(page, to_html(report, charts));
    for (const std::string& chart : charts)
      QVERIFY2(page.find("<figure>\n" + chart) != std::string::npos, chart.c_str());
    ReportDrawing failing;
    failing.charts = [](const RunReport&) -> Expected<std::vector<std::string>> {
      return fail(ErrorCode::io, "no font");
    };
    failing.pdf = [](const RunReport&, const std::filesystem::path&) -> Status {
      return fail(ErrorCode::io, "no font");
    };
    for (const char* format : {"html", "pdf"}) {
      const auto failed = write_report_files(report, target, {format}, failing);
      QVERIFY(!failed && failed.error().message == "no font");
    }
  }
};

KV_TEST_GUILESS_MAIN(ReportFormatsTest)

}  // namespace report_formats_test

#include "report_formats_test.moc"
