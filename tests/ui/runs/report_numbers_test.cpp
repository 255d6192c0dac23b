// links: kv_ui app_wiring
// The numbers of one run are the same in the window, HTML, PDF, CSV, JSON and LaTeX: a real engine serves, the shipped
// writers write, and every file is read back by another reader. A metric that one of them lacks is named.
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>

#include "profiles/run_library.h"
#include "tests/support/engine_harness.h"
#include "tests/support/report_readers.h"
#include "tests/support/test_program.h"
#include "ui/runs/runs_dock.h"
#include "ui/text/words.h"

namespace report_numbers_test {

using namespace kvantage;
using namespace kvantage::test;

class ReportNumbersTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  std::shared_ptr<RunLibrary> library_;
  QStringList runs_;
  Exact metrics_;  // as report.json has them

  QString file(const char* name) const { return folder_.filePath(QString("report/") + name); }

  /// What is in one and not in the other, by name; empty when they hold the same.
  template <class A, class B>
  static QStringList missing(const A& wanted, const B& there) {
    QStringList names;
    for (auto it = wanted.begin(); it != wanted.end(); ++it) {
      if (!there.contains(it.key()))
        names << it.key();
      else
        for (auto field = it.value().begin(); field != it.value().end(); ++field)
          if (!there[it.key()].contains(field.key())) names << it.key() + " | " + field.key();
    }
    return names;
  }
  static QByteArray named(const QStringList& names) { return ("missing: " + names.join("; ")).toUtf8(); }

  /// Every metric is there, none is made up, and each is the exact one rounded at its last digit, with six that count.
  void check_shown(const Shown& shown) {
    QVERIFY(shown.size() > 40);
    QVERIFY2(missing(metrics_, shown).isEmpty(), named(missing(metrics_, shown)));
    QVERIFY2(missing(shown, metrics_).isEmpty(), named(missing(shown, metrics_)));
    for (auto it = metrics_.begin(); it != metrics_.end(); ++it)
      for (auto field = it.value().begin(); field != it.value().end(); ++field) {
        const QString text = shown[it.key()][field.key()];
        const double exact = field.value();
        QVERIFY2(shows(text, exact),
                 qPrintable(QString("%1 %2: %3 for %4").arg(it.key(), field.key(), text).arg(exact, 0, 'g', 17)));
        const bool all_digits = exact == 0 || (std::round(exact) == exact && !text.contains('.'));
        QVERIFY2(all_digits || counting_digits(text) >= 6, qPrintable(it.key() + ": " + text));
      }
  }
  static bool stands_in(const QStringList& pdf, const QStringList& row) {
    const QString line = row.join(' ').simplified();
    return std::ranges::any_of(pdf, [&](const QString& text) { return text.simplified() == line; });
  }
  double exact(const QString& run, const QString& metric, const QString& part = {},
               const QString& field = "value") const {
    const auto found = metrics_.find(key(run, metric, part));
    return found != metrics_.end() && found->contains(field) ? found->value(field) : std::nan("");
  }

 private slots:
  void initTestCase() {
    if (model_directory().empty()) QSKIP("no model: resources/model is not there yet and ../shared is absent");
    const std::filesystem::path path = folder_.path().toStdString();
    {
      auto harness =
          EngineHarness::open(path, small_workload(4, 40, 5), {"dram=192KiB", "ssd=2MiB,bandwidth=400MB/s"}, "lru");
      QVERIFY2(harness.has_value(), harness ? "" : harness.error().message.c_str());
      for (const char* policy : {"lru", "evicpress"}) {
        const auto records = (*harness)->serve(policy, 40);
        QVERIFY2(records.has_value(), records ? "" : records.error().message.c_str());
      }
    }
    auto library = open_run_library(path / "store" / "kvantage.db", machine_clock());
    QVERIFY2(library.has_value(), library ? "" : library.error().message.c_str());
    library_ = std::move(*library);
    const auto listed = library_->list(0);
    QVERIFY(listed.has_value());
    for (const ListedRun& run : *listed) runs_ << to_q(run.summary.run_id);
    QCOMPARE(runs_.size(), qsizetype{2});

    RunFiles files(library_);
    QSignalSpy finished(&files, &RunFiles::finished);
    files.write_report(runs_, folder_.filePath("report"), RunFiles::Against{0});  // lru
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 60000);
    const JsonReport json(bytes_of(file("report.json")));
    metrics_ = json.metrics;
    QCOMPARE(json.taken, json.numbers);  // no number of the file is passed over here
    QVERIFY(metrics_.size() > 80);
    // On a busy disk what is asked for again is read while it is still being written.
    QVERIFY(exact("lru", "hit_rate") > 0 &&
            (exact("lru", "hit_rate_requests", "ssd") > 0 || exact("lru", "hit_rate_requests", "write-back") > 0));
  }

  void csvHasEveryDigit() {
    const Exact csv = csv_figures(bytes_of(file("report.csv")));
    QVERIFY2(missing(metrics_, csv).isEmpty(), named(missing(metrics_, csv)));
    QVERIFY2(missing(csv, metrics_).isEmpty(), named(missing(csv, metrics_)));
    QCOMPARE(csv, metrics_);
  }

  void pageHasEveryFigure() { check_shown(shown_of(html_tables(bytes_of(file("report.html"))))); }

  void latexHasEveryFigure() { check_shown(shown_of(latex_tables(bytes_of(file("report.tex"))))); }

  void pdfHasEveryFigureAsText() {
    const auto lines = pdf_lines(file("report.pdf"));
    if (!lines) QSKIP("pdftotext is not installed (package poppler-utils; ./run test installs it)");
    check_shown(shown_of(*lines));
  }

  void windowHasEveryFigure() {
    RunMetricsModel model(library_);
    QSignalSpy done(&model, &RunMetricsModel::shown);
    model.show_runs(runs_);
    QTRY_COMPARE_WITH_TIMEOUT(done.count(), 1, 60000);
    Shown shown;
    for (int r = 0; r < model.rowCount(); ++r) {
      QStringList cells;
      for (int c = RunMetricsModel::metric; c <= RunMetricsModel::p99; ++c)
        cells << model.index(r, c).data().toString();
      if (cells[1].isEmpty()) cells[1] = "–";
      add_shown(shown, model.index(r, RunMetricsModel::run).data().toString(), cells, "–");
    }
    check_shown(shown);
  }

  // The tables before "Every figure" are the same cells everywhere, and what they show are these metrics, rounded.
  void tablesToReadShowTheSameFigures() {
    QStringList marks;
    const QList<ReadTable> page = html_tables(bytes_of(file("report.html")), &marks),
                           latex = latex_tables(bytes_of(file("report.tex")));
    const auto pdf = pdf_lines(file("report.pdf"));
    const auto of = [](const QList<ReadTable>& tables, const QString& title) {
      for (const ReadTable& table : tables)
        if (table.title == title || table.title.startsWith(title + " (")) return table.rows;
      return Rows();
    };
    struct Column {
      QString name;  // and which of that name
      int nth;
      QString metric, part, field;
      double factor;
    };
    const auto times = [](const char* name, int nth, const char* metric, const char* field) {
      return Column{name, nth, metric, "", field, 1e3};
    };
    QMap<QString, QList<Column>> wanted{{"Time to first token, ms",
                                         {times("service mean", 0, "ttft_service_seconds", "value"),
                                          times("p50", 0, "ttft_service_seconds", "p50"),
                                          times("p95", 0, "ttft_service_seconds", "p95"),
                                          times("with queue mean", 0, "ttft_seconds", "value"),
                                          times("p95", 1, "ttft_seconds", "p95"),
                                          {"requests", 0, "requests", "", "value", 1}}},
                                        {"Quality: token_f1",
                                         {{"mean", 0, "quality", "token_f1", "value", 1},
                                          {"n", 0, "quality", "token_f1", "n", 1},
                                          {"contexts", 0, "quality", "token_f1", "contexts", 1},
                                          {"uncompressed", 0, "quality_uncompressed", "token_f1", "value", 1},
                                          {"chance", 0, "quality_chance", "token_f1", "value", 1}}},
                                        {"Throughput, inter-token latency and request time",
                                         {{"requests/s", 0, "requests_per_second", "", "value", 1},
                                          {"output tokens/s", 0, "output_tokens_per_second", "", "value", 1},
                                          times("inter-token mean", 0, "token_gap_seconds", "value"),
                                          times("p99", 0, "token_gap_seconds", "p99"),
                                          times("request mean", 0, "e2e_seconds", "value")}}};
    for (const char* part : {"lookup", "load", "unpack", "context prefill", "question prefill", "other"})
      wanted["TTFT breakdown, mean ms"] << Column{part, 0, "ttft_split", ttft_part_of(part), "value", 1e3};
    for (const char* source : {"dram", "ssd", "prefill"})
      for (const char* kind : {"requests", "tokens", "bytes"})
        wanted["Hit rates, % of all requests, context tokens and KV bytes"]
            << Column{QString("%1 %2").arg(source, kind), 0, QString("hit_rate_") + kind, source, "value", 100};
    for (auto it = wanted.begin(); it != wanted.end(); ++it) {
      const Rows rows = of(page, it.key());
      QVERIFY2(rows.size() == 3, qPrintable(it.key()));
      QCOMPARE(of(latex, it.key()), rows);
      for (const QStringList& row : rows.mid(1)) {
        if (pdf) {
          QVERIFY2(stands_in(*pdf, row),
                   qPrintable(row.join(' ') + " is not among: " + pdf->filter(row.value(1)).join(" | ")));
        }
        for (const Column& column : it.value()) {
          qsizetype at = -1;
          for (int nth = 0; nth <= column.nth; ++nth) at = rows[0].indexOf(column.name, at + 1);
          QVERIFY2(at > 0, qPrintable(column.name));
          const double value = exact(row[0], column.metric, column.part, column.field) * column.factor;
          QVERIFY2(shows(row[at], value),
                   qPrintable(QString("%1, %2: %3 for %4").arg(it.key(), column.name, row[at]).arg(value)));
        }
      }
    }
    // What a pointer over the parts of a bar says.
    int parts = 0;
    for (const QString& mark : marks)
      if (const auto found = QRegularExpression("^(\\w+), ([a-z ]+): ([0-9.]+) ms$").match(mark); found.hasMatch()) {
        QVERIFY2(
            shows(found.captured(3), exact(found.captured(1), "ttft_split", ttft_part_of(found.captured(2))) * 1e3),
            qPrintable(mark));
        ++parts;
      }
    QVERIFY(parts >= 6);
  }

  // JSON and CSV have every digit of each difference, page, LaTeX and PDF the same rounded; values are those of the
  // metrics.
  void differencesToTheBaselineAreTheSameEverywhere() {
    const AgainstBaseline exact_ones = json_differences(bytes_of(file("report.json"))),
                          csv = csv_differences(bytes_of(file("report.csv")));
    QCOMPARE(exact_ones.baseline, QString("lru"));
    QVERIFY(exact_ones.metrics.size() >= 10 && exact_ones.settings.contains(key("evicpress", "policy", "")));
    QCOMPARE(csv.baseline, exact_ones.baseline);
    QCOMPARE(csv.metrics, exact_ones.metrics);
    QCOMPARE(csv.judged, exact_ones.judged);
    QCOMPARE(csv.settings.keys(), exact_ones.settings.keys());

    const QMap<QString, std::pair<QString, double>> known{{"TTFT, service", {"ttft_service_seconds", 1e3}},
                                                          {"TTFT, with queue", {"ttft_seconds", 1e3}},
                                                          {"end to end", {"e2e_seconds", 1e3}},
                                                          {"served from tiers", {"hit_rate", 100}}};
    for (auto it = known.begin(); it != known.end(); ++it) {
      const Key at = key("evicpress", it.key(), it->second > 100 ? "ms" : "%");
      QVERIFY2(exact_ones.metrics.contains(at), qPrintable(at));
      const auto& one = exact_ones.metrics[at];
      QVERIFY(std::abs(one["value"] - exact("evicpress", it->first) * it->second) < 1e-9);
      QVERIFY(std::abs(one["baseline"] - exact("lru", it->first) * it->second) < 1e-9);
      QCOMPARE(one["n"], exact("evicpress", it->first, {}, "n"));
    }

    const auto pdf = pdf_lines(file("report.pdf"));
    const Rows page = rows_titled(html_tables(bytes_of(file("report.html"))), "Differences to lru"),
               latex = rows_titled(latex_tables(bytes_of(file("report.tex"))), "Differences to lru");
    QCOMPARE(page.size(), exact_ones.metrics.size() + 1);
    QCOMPARE(latex, page);
    for (const QStringList& row : page.mid(1)) {
      const Key at = key(row[0], row[1], row[2]);
      QVERIFY2(exact_ones.metrics.contains(at), qPrintable(at));
      const auto& one = exact_ones.metrics[at];
      QVERIFY2(shows(row[3], one["baseline"]) && shows(row[4], one["value"]) && shows(row[5], one["difference"]),
               qPrintable(row.join(" | ")));
      const QStringList ends = QString(row[6]).remove('[').remove(']').split(", ");
      QCOMPARE(ends.size() == 2, one.contains("low"));
      if (ends.size() == 2) QVERIFY2(shows(ends[0], one["low"]) && shows(ends[1], one["high"]), qPrintable(row[6]));
      QCOMPARE(row[8].isEmpty() || row[8] == "-", exact_ones.judged[at].isEmpty());
      if (!exact_ones.judged[at].isEmpty()) QCOMPARE(row[8], exact_ones.judged[at]);
    }
    const Rows settings = rows_titled(html_tables(bytes_of(file("report.html"))), "Settings that differ from lru");
    QCOMPARE(rows_titled(latex_tables(bytes_of(file("report.tex"))), "Settings that differ from lru"), settings);
    QCOMPARE(settings.size(), exact_ones.settings.size() + 1);
    for (const QStringList& row : settings.mid(1)) {
      const auto& both = exact_ones.settings[key(row[0], row[1], "")];
      QCOMPARE(QStringList({row[2], row[3]}),
               QStringList({both.first == "null" ? "-" : both.first, both.second == "null" ? "-" : both.second}));
    }
    if (!pdf) QSKIP("pdftotext is not installed (package poppler-utils; ./run test installs it)");
    for (const Rows& rows : {page, settings})
      for (const QStringList& row : rows) {
        QVERIFY2(stands_in(*pdf, row), qPrintable(row.join(' ')));
      }
  }

  void rowsOfTheDockAndTheComparisonShowThem() {
    RunsDock dock(library_);
    dock.resize(1000, 300);
    dock.show();
    QTRY_COMPARE(dock.model().rowCount(), 2);
    QTRY_COMPARE(dock.model().missing_figures(), std::size_t{0});
    const QStringList policies{"lru", "evicpress"};
    for (int r = 0; r < 2; ++r) {
      const auto cell = [&](int column) { return dock.model().index(r, column).data().toString(); };
      const QString run = policies[r];
      QCOMPARE(cell(RunsModel::policy), run);
      QCOMPARE(cell(RunsModel::requests).toDouble(),
               exact(run, "requests") + exact(run, "cancelled") + exact(run, "warmup_requests"));
      QVERIFY2(shows(cell(RunsModel::ttft), exact(run, "ttft_service_seconds")), qPrintable(cell(RunsModel::ttft)));
      QVERIFY2(shows(cell(RunsModel::quality), exact(run, "quality", "token_f1")),
               qPrintable(cell(RunsModel::quality)));
    }
    RunComparisonModel& model = dock.comparison();
    dock.choose(runs_);
    dock.compare_chosen();
    QTRY_COMPARE_WITH_TIMEOUT(model.sides(), 2, 60000);
    // What the window says of a difference, the report says, too.
    const AgainstBaseline said = json_differences(bytes_of(file("report.json")));
    int judged = 0;
    for (int r = 0; r < model.rowCount(); ++r)
      for (auto it = said.judged.begin(); it != said.judged.end(); ++it)
        if (it.key().startsWith("evicpress | " + model.index(r, 0).data().toString() + " |")) {
          QVERIFY2(model.index(r, 2).data().toString().contains(it.value()), qPrintable(it.key() + ": " + it.value()));
          ++judged;
        }
    QCOMPARE(judged, static_cast<int>(said.judged.size()));
    struct Line {
      const char* name;
      QString metric, part, value, before;  // before: of the interval's ends
    };
    const QList<Line> lines{{"TTFT, service", "ttft_service_seconds", "", "value", ""},
                            {"TTFT, service, p95", "ttft_service_seconds", "", "p95", "p95_"},
                            {"TTFT, with queue", "ttft_seconds", "", "value", ""},
                            {"TTFT, with queue, p95", "ttft_seconds", "", "p95", "p95_"},
                            {"inter-token latency", "itl_seconds", "", "value", ""},
                            {"end to end", "e2e_seconds", "", "value", ""},
                            {"served from tiers", "hit_rate", "", "value", ""},
                            {"quality, token_f1", "quality", "token_f1", "value", ""}};
    for (const Line& line : lines) {
      int row = -1;
      for (int r = 0; r < model.rowCount(); ++r)
        if (model.index(r, 0).data().toString() == line.name) row = r;
      QVERIFY2(row > 0, line.name);
      for (int side = 0; side < 2; ++side) {
        const QString text = model.index(row, side + 1).data().toString().split('\n').front();
        const auto parts = QRegularExpression("^([^\\[,]+?)(?: \\[([^,]+), ([^\\]]+)\\])?, n = (\\d+)$").match(text);
        QVERIFY2(parts.hasMatch(), qPrintable(text));
        const double factor = text.contains(" ms") ? 1e3 : text.contains(" %") ? 100 : 1;
        const auto value = [&](const QString& field) { return exact(policies[side], line.metric, line.part, field); };
        QVERIFY2(shows(parts.captured(1), value(line.value)), qPrintable(text));
        QVERIFY2(shows(parts.captured(2), value(line.before + "low") * factor) &&
                     shows(parts.captured(3), value(line.before + "high") * factor),
                 qPrintable(text));
        QCOMPARE(parts.captured(4).toDouble(), value("n"));
      }
    }
  }
};

KV_TEST_MAIN(ReportNumbersTest)

}  // namespace report_numbers_test

#include "report_numbers_test.moc"
