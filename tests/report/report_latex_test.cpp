// links: kv_reports
// report.tex as documents take it: whatever names and notes hold, groups and environments are closed, every command is
// known to the classes that come with LaTeX, and LaTeX sets it without an error and within the page, as text that can
// be read again.
#include <QDir>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>

#include "core/base/files.h"
#include "core/base/random.h"
#include "core/report/formats/latex.h"
#include "core/report/formats/report_formats.h"
#include "core/report/run_plots.h"
#include "tests/report/sample_journal.h"
#include "tests/support/report_texts.h"
#include "tests/support/test_program.h"

namespace report_latex_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

const std::string hostile =
    "#1 $x$ & 100 % _a^b {c} ~ \\end{x} \\\\ [0.5] <script> | \"q\" `` ,, -- '' \t\x01\x7f ?` "
    "\\input{/etc/passwd} \\write18{id} ^^5cinput \xe2\x80\xae";
const std::string foreign =
    "naïve Łódź ßøå ð þ “q” … – µs ± × 漢字 кэш \xe2\x80\x8b\xf0\x9f\x9a\x80 \xff\xc3 \xef\xbf\xbe";

RunReport report_of(const std::string& name, const std::string& note) {
  std::vector<PolicyRun> runs{sample_run(1, name, 60), sample_run(2, "evicpress", 40)};
  runs[0].tiers[0].name = note;
  for (RequestRecord& record : runs[0].records) {
    if (record.source == "dram") record.source = note;
    if (!record.miss_reason.empty()) record.miss_reason = name;
    record.quality[note] = 0.5;
  }
  runs[1].faults = {{note, name}};
  RunReport report = build_report({{note, name}, {"quality_metric", note}, {"notes", {note, 1}}},
                                  {{"command", name}, {"workload", note}, {name, note}}, runs);
  report.plots = plots_of_runs({sample_journal("run-a", name, 1), sample_journal("run-b", "lru", 2)});
  return report;
}

/// A text of signs that TeX, tables and UTF-8 give a meaning.
std::string random_text(Random& random) {
  static const std::vector<std::string> letters{
      "#", "$", "%", "&",   "_",    "{",     "}", "~", "^",  "\\", "[",    "]",        "*",
      "<", ">", "|", "\"",  "'",    "`",     "-", ",", "\n", "\r", "\x02", "\x7f",     " ",
      "a", "B", "7", "end", "\\fi", "\\par", "é", "Ø", "ð",  "漢", "\xff", "\xe6\xbc", "\xf0\x9f\x9a\x80",
      "…", "µ"};
  std::string text;
  for (std::uint64_t i = 0; i < 1 + random.below(14); ++i) text += letters[random.below(letters.size())];
  return text;
}

/// Commands known to the classes that come with LaTeX, and those that the report defines.
const QSet<QString>& known_commands() {
  static const QSet<QString> known = [] {
    const QStringList names =
        QString(
            "allowbreak textbf texttt textasciitilde textasciicircum textbackslash textless textgreater textbar "
            "char ldots mu pm times circ cdot le ge to kvantageother kvantagebox begin end caption centering "
            "scriptsize setlength tabcolsep hline ifcsname endcsname else fi newsavebox newenvironment "
            "newcommand ifdim wd linewidth resizebox usebox noindent par subsection begingroup endgroup sloppy "
            "clearpage addplot addlegendentry pgfkeysvalueof")
            .split(' ');
    return QSet<QString>(names.begin(), names.end());
  }();
  return known;
}

/// What is wrong with the groups, environments, conditions and commands of a file; empty when nothing is.
QString flaw(const std::string& file) {
  static const QRegularExpression comment("(?<!\\\\)(\\\\\\\\)*%.*$"), command("\\\\([A-Za-z]+)"),
      environment("\\\\(begin|end)\\{([a-z]+)\\}");
  QString text;
  for (const QString& line : QString::fromStdString(file).split('\n')) {
    QString bare_line = line;
    text += bare_line.remove(comment) + "\n";
  }
  for (const QChar letter : std::as_const(text))
    if ((letter < ' ' && letter != '\n') || letter == QChar(0x7f) || (letter >= QChar(0x80) && letter < QChar(0xa0)))
      return QString("control character %1").arg(letter.unicode());
  const qsizetype macros = text.indexOf("\\ifcsname kvantagebox"), behind = text.indexOf("\\begingroup\\sloppy");
  if (macros < 0 || behind < macros) return "no macros";
  text = text.mid(behind);
  for (auto it = command.globalMatch(QString(text).remove("\\\\")); it.hasNext();)
    if (const QString name = it.next().captured(1); !known_commands().contains(name)) return "command \\" + name;
  QStringList open;
  for (auto it = environment.globalMatch(text); it.hasNext();) {
    const auto one = it.next();
    if (one.captured(1) == "begin")
      open << one.captured(2);
    else if (open.isEmpty() || open.takeLast() != one.captured(2))
      return "end of " + one.captured(2);
  }
  if (!open.isEmpty()) return "no end of " + open.last();
  if (text.count("\\ifcsname") != text.count("\\fi\n")) return "conditions";
  int depth = 0, dollars = 0;
  for (qsizetype i = 0; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == '{')
      ++depth;
    else if (text[i] == '}' && --depth < 0)
      return "a brace too many at " + text.mid(std::max<qsizetype>(0, i - 60), 80);
    else if (text[i] == '$')
      ++dollars;
    else if (text[i] == '#' || text[i] == '~' || text[i] == '"' || (text[i] == '^' && text.mid(i, 6) != "^\\circ"))
      return "a bare " + QString(text[i]) + " at " + text.mid(std::max<qsizetype>(0, i - 60), 80);
  }
  if (depth != 0 || dollars % 2 != 0) return QString("%1 braces, %2 dollars").arg(depth).arg(dollars);
  // Cells are as many as the columns say; no row begins with what the line's end before it would take.
  qsizetype columns = 0;
  static const QRegularExpression tabular("^\\\\begin\\{tabular\\}\\{([lr]+)\\}$"), cell_end("(?<!\\\\)&");
  for (const QString& line : text.split('\n')) {
    if (const auto begin = tabular.match(line); begin.hasMatch())
      columns = begin.captured(1).size();
    else if (line.endsWith(" \\\\") &&
             (line.count(cell_end) + 1 != columns || line.startsWith('[') || line.startsWith('*')))
      return "row " + line;
  }
  return {};
}

bool has_package(const char* file) {
  QProcess process;
  process.start("kpsewhich", {file});
  return process.waitForFinished(60000) && process.exitCode() == 0;
}

struct Typeset {
  int exit_code = -1;
  QString log;
  QString path;  // of the PDF
};

/// The report in a document of the class article with these lines before it begins.
Typeset typeset(const QTemporaryDir& folder, const std::string& tex, const std::string& preamble) {
  const std::filesystem::path root = folder.path().toStdString();
  if (!write_text_file(root / "report.tex", tex) ||
      !write_text_file(root / "paper.tex",
                       "\\documentclass{article}\n" + preamble +
                           "\\begin{document}\nWords before.\n\\input{report}\nWords behind.\n\\end{document}\n"))
    return {};
  QProcess process;
  process.setWorkingDirectory(folder.path());
  process.start("pdflatex", {"-interaction=nonstopmode", "-halt-on-error", "paper.tex"});
  if (!process.waitForFinished(240000)) return {};
  return {process.exitCode(), QString::fromLatin1(process.readAllStandardOutput()).replace("\r", ""),
          folder.filePath("paper.pdf")};
}

/// "Overfull \hbox (31.2pt too wide) in ..." of more than 20 points.
QStringList overfull(const QString& log) {
  static const QRegularExpression box("Overfull \\\\[hv]box \\(([0-9.]+)pt too (?:wide|high)\\).*");
  QStringList boxes;
  for (auto it = box.globalMatch(log); it.hasNext();)
    if (const auto one = it.next(); one.captured(1).toDouble() > 20) boxes << one.captured(0);
  return boxes;
}

/// From the first error on.
QString said(const Typeset& done) {
  return done.log.contains("\n!") ? done.log.mid(done.log.indexOf("\n!"), 1500) : done.log.right(1500);
}

}  // namespace

class ReportLatexTest : public QObject {
  Q_OBJECT

 private slots:
  void namesAndNotesBreakNothing() {
    QCOMPARE(flaw(to_latex(sample_report())), QString());
    QCOMPARE(flaw(to_latex(report_of(hostile, foreign))), QString());
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      Random random(seed);
      const std::string name = random_text(random), note = random_text(random);
      const QString found = flaw(to_latex(report_of(name, note)));
      QVERIFY2(
          found.isEmpty(),
          qPrintable(
              QString("seed %1, name %2: %3")
                  .arg(seed)
                  .arg(QString::fromStdString(Json(name).dump(-1, ' ', true, Json::error_handler_t::replace)), found)));
    }
  }

  // What the check would find in a file of a writer that let one through.
  void aNameThatIsNotEscapedIsFound() {
    const std::string tex = to_latex(report_of("NAME", "NOTE"));
    for (const char* raw :
         {"{", "}", "\\unknown ", "\\end{table}", "$", "#", "~", "^", "\"", "& x", "\x01", "\\ifcsname x\\endcsname"}) {
      std::string broken = tex;
      const std::size_t at = broken.find("NAME", broken.find("\\begin{tabular}"));
      broken.replace(at, 4, raw);
      QVERIFY2(!flaw(broken).isEmpty(), raw);
    }
  }

  void textIsReadAsItWasWritten() {
    for (const std::string& text :
         {std::string("a_b^c~d\\e{f}g&h%i$j#k<l>m|n\"o"),
          std::string("kvantage-cli run --policy 'lru,evicpress' --tier ssd=2MiB,bandwidth=400MB/s")}) {
      QCOMPARE(latex_plain(QString::fromStdString(latex_escaped(text))), QString::fromStdString(text));
      QCOMPARE(latex_plain(QString::fromStdString(latex_breakable(text))), QString::fromStdString(text));
    }
    QCOMPARE(latex_breakable(std::string(60, 'x')),
             std::string(24, 'x') + "\\allowbreak{}" + std::string(24, 'x') + "\\allowbreak{}" + std::string(12, 'x'));
  }

  void latexSetsItWithinThePage_data() {
    QTest::addColumn<QString>("preamble");
    QTest::addColumn<QString>("packages");
    QTest::newRow("no packages") << QString() << QString();
    QTest::newRow("graphicx") << QString("\\usepackage{graphicx}\n") << QString();
    QTest::newRow("pgfplots") << QString("\\usepackage{pgfplots}\n") << QString("pgfplots.sty");
  }
  void latexSetsItWithinThePage() {
    QFETCH(QString, preamble);
    QFETCH(QString, packages);
    if (QStandardPaths::findExecutable("pdflatex").isEmpty())
      QSKIP("no LaTeX is installed (package texlive-latex-base; ./run test installs it)");
    for (const QString& file : packages.split(' ', Qt::SkipEmptyParts))
      if (!has_package(file.toLatin1()))
        QSKIP("pgfplots is not installed (package texlive-pictures; ./run test installs it)");
    const QTemporaryDir folder;
    const RunReport report = report_of(hostile, foreign);
    const Typeset done = typeset(folder, to_latex(report), preamble.toStdString());
    QVERIFY2(done.exit_code == 0, qPrintable(said(done)));
    for (const char* trouble : {"Undefined", "Float too large", "Missing character", "pkfonts", ".600pk"})
      QVERIFY2(!done.log.contains(trouble),
               qPrintable(trouble + QString(": ") +
                          done.log.mid(std::max<qsizetype>(0, done.log.indexOf(trouble) - 400), 800)));
    // Without graphicx nothing can be scaled: a wide table stays as it is.
    if (!preamble.isEmpty()) QVERIFY2(overfull(done.log).isEmpty(), qPrintable(overfull(done.log).join('\n')));
  }

  // Claim, every row of every table and every definition are text of its pages.
  void thePagesHoldTheText() {
    if (QStandardPaths::findExecutable("pdflatex").isEmpty())
      QSKIP("no LaTeX is installed (package texlive-latex-base; ./run test installs it)");
    if (QStandardPaths::findExecutable("pdftotext").isEmpty())
      QSKIP("poppler-utils is not installed (./run test installs it)");
    const QTemporaryDir folder;
    const RunReport report = sample_report();
    const Typeset done = typeset(folder, to_latex(report), "\\usepackage{graphicx}\n");
    QVERIFY2(done.exit_code == 0, qPrintable(said(done)));
    const auto lines = pdf_lines(done.path);
    QVERIFY(lines);
    // Words that are hyphenated or fall on two pages are put together again.
    const QString text = bare(lines->join('\n')
                                  .replace(QRegularExpression("\n\\s*\\d+\n"), "\n")
                                  .replace("ﬁ", "fi")
                                  .replace("ﬂ", "fl")
                                  .replace("ﬀ", "ff")
                                  .replace("ﬃ", "ffi")
                                  .remove(QChar(0x02c6)));
    QVERIFY(text.contains(bare(report.claim)));
    for (const Table& table : tables_of(report))
      for (const auto& row : table.rows) {
        QString line;
        for (const Cell& cell : row) line += QString::fromStdString(cell.text) + " ";
        QVERIFY2(text.contains(bare(line)), qPrintable(line));
      }
    for (const MetricDefinition& metric : metric_definitions())
      QVERIFY2(text.contains(bare(metric.name)), metric.name.c_str());
    QVERIFY(text.contains(bare(QString("kvantage-cli run 'quick <start>' --policy 'lru,evicpress'"))));
  }
};

KV_TEST_GUILESS_MAIN(ReportLatexTest)

}  // namespace report_latex_test

#include "report_latex_test.moc"
