// links: kv_ui
// The Pipeline dock over made-up time lines: which request it shows, sums, table and files. Its view:
// pipeline_view_test.cpp.
#include <QApplication>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>

#include "tests/support/test_program.h"
#include "tests/ui/live/pipeline_bench.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/live/requests/pipeline_dock.h"
#include "ui/text/words.h"

namespace pipeline_test {

using namespace kvantage;
using namespace kvantage::pipeline_bench;

class PipelineTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;

 private slots:
  void aSharedPrefillStepSaysSo() {
    Bench bench;
    RequestSpans spans{.request = 7, .layers = 2, .spans = {}};
    spans.spans.push_back({.kind = Kind::question_prefill,
                           .layer = 0,
                           .step = 0,
                           .tokens = 20,
                           .batch_tokens = 85,
                           .start_ns = 0,
                           .duration_ns = ms});
    spans.spans.push_back(
        {.kind = Kind::question_prefill, .layer = 1, .step = 0, .tokens = 20, .start_ns = ms, .duration_ns = ms});
    bench.spans.add(spans);
    bench.run.requests.request_started({7, "news-1", "news", "where?"});
    bench.run.requests.request_finished(record_of(7, "news-1"));
    emit bench.run.servedChanged();
    bench.dock->flush();
    const PipelineModel& model = bench.dock->model();
    QCOMPARE(model.spans()->spans.size(), std::size_t{2});
    const QString shared = model.span_text(model.spans()->spans[0]), alone = model.span_text(model.spans()->spans[1]);
    QVERIFY2(shared.contains("together with tokens of other requests: 65"), qPrintable(shared));
    QVERIFY2(!alone.contains("together"), qPrintable(alone));
  }

  // What was computed and what was read stand in one sentence, with what reading alone was to take.
  void aPartlyComputedContextSaysSo() {
    Bench bench;
    RequestSpans spans{.request = 7, .layers = 2, .spans = {}};
    const auto add = [&spans](Kind kind, int layer, int step, std::int64_t start, std::int64_t length,
                              std::uint64_t bytes, int tokens) {
      spans.spans.push_back({.kind = kind,
                             .layer = static_cast<std::int16_t>(layer),
                             .step = step,
                             .tokens = tokens,
                             .start_ns = start * ms,
                             .duration_ns = length * ms,
                             .bytes = bytes});
    };
    add(Kind::context_prefill, 0, 0, 3, 2, 0, 256);
    add(Kind::context_prefill, 1, 0, 5, 2, 0, 256);
    add(Kind::read, 0, 1, 3, 2, 4'000'000, 0);
    add(Kind::read, 1, 1, 5, 2, 4'000'000, 0);
    add(Kind::unpack, -1, 1, 7, 1, 8'000'000, 0);
    bench.spans.add(spans);
    RequestRecord record = record_of(7, "news-1");
    record.compute_or_load = {256, 244, 0.012, 0.03, 0.0125};
    bench.run.requests.request_started({7, "news-1", "news", "where?"});
    bench.run.requests.request_finished(record);
    emit bench.run.servedChanged();
    bench.dock->flush();
    const QString summary = bench.dock->summary_text();
    QVERIFY2(summary.contains("first 256 tokens of the context recomputed while the other 244 loaded"),
             qPrintable(summary));
    QVERIFY2(summary.contains("or " + seconds_text(0.03) + " with loading only"), qPrintable(summary));
    const PipelineModel& model = bench.dock->model();
    QVERIFY2(model.span_text(model.spans()->spans[2]).contains("segment 2"),
             qPrintable(model.span_text(model.spans()->spans[2])));
    QVERIFY2(model.span_text(model.spans()->spans[4]).contains("segment 2"),
             qPrintable(model.span_text(model.spans()->spans[4])));
    QVERIFY2(!model.span_text(model.spans()->spans[0]).contains("segment"),
             qPrintable(model.span_text(model.spans()->spans[0])));
    record.id = 9;
    record.compute_or_load = {500, 0, 0.012, 0.03, 0.0125};
    record.source = "prefill";
    bench.spans.add(RequestSpans{.request = 9, .layers = 2, .spans = {spans.spans.begin(), spans.spans.begin() + 2}});
    bench.run.requests.request_started({9, "news-1", "news", "where?"});
    bench.run.requests.request_finished(record);
    emit bench.run.servedChanged();
    bench.dock->flush();
    QVERIFY2(bench.dock->summary_text().contains("all 500 tokens of the context recomputed, although it is stored; " +
                                                 seconds_text(0.0125)),
             qPrintable(bench.dock->summary_text()));
    QVERIFY2(!bench.dock->summary_text().contains("loaded"), qPrintable(bench.dock->summary_text()));
    bench.answer(8, "news-2");
    QVERIFY2(!bench.dock->summary_text().contains("recomputed while"), qPrintable(bench.dock->summary_text()));
  }

  // Keys and values are recomputed from the layer inputs of one layer while the next one is read.
  void recomputeFromLayerInputsHasSpansOfItsOwn() {
    Bench bench;
    RequestSpans spans{.request = 6, .layers = 2, .spans = {}};
    const auto add = [&spans](Kind kind, int layer, std::int64_t start, std::int64_t length, std::uint64_t bytes = 0) {
      spans.spans.push_back({.kind = kind,
                             .layer = static_cast<std::int16_t>(layer),
                             .step = 0,
                             .tokens = 0,
                             .start_ns = start * ms,
                             .duration_ns = length * ms,
                             .bytes = bytes});
    };
    add(Kind::wait, -1, 0, 4);
    add(Kind::read, 0, 0, 4, 2'000'000);
    add(Kind::recompute, 0, 4, 3, 2'000'000);
    add(Kind::read, 1, 4, 4, 2'000'000);
    add(Kind::question_prefill, 0, 7, 1);
    add(Kind::recompute, 1, 8, 3, 2'000'000);
    add(Kind::question_prefill, 1, 11, 1);
    bench.spans.add(spans);
    RequestRecord record = record_of(6, "news-1");
    record.method = "layer_inputs";
    record.removed_fraction = 0;
    record.compute_or_load.tokens_from_inputs = 244;
    record.compute_or_load.recompute_seconds = 0.006;
    QVERIFY(!record.compute_or_load.used());  // it was loaded: no part of the context was computed from tokens
    bench.run.requests.request_started({6, "news-1", "news", "where?"});
    bench.run.requests.request_finished(record);
    emit bench.run.servedChanged();
    bench.dock->flush();
    const QString summary = bench.dock->summary_text();
    QVERIFY2(summary.contains(recomputed_text(record.compute_or_load)) && summary.contains("244") &&
                 summary.contains("(our extension)"),
             qPrintable(summary));
    QVERIFY2(!summary.contains("recomputed while") && !summary.contains("although it is stored"), qPrintable(summary));
    QVERIFY2(bench.dock->title_text().contains("layer_inputs"), qPrintable(bench.dock->title_text()));
    const PipelineModel& model = bench.dock->model();
    double recomputing = 0, sum = 0;
    for (const PipelineModel::Part& part : model.parts()) {
      sum += part.seconds;
      if (part.name == "recompute") recomputing = part.seconds;
    }
    QVERIFY(std::abs(recomputing - 0.006) < 1e-12 && std::abs(sum - 0.0145) < 1e-12);
    QCOMPARE(model.hidden_reading().value(), 0.5);  // the second read, beside the first layer's recompute
    const RequestSpan& recompute = model.spans()->spans[2];
    QVERIFY2(model.span_text(recompute).startsWith("Layer 1 of 2, recompute: " + seconds_text(0.003)),
             qPrintable(model.span_text(recompute)));
    QVERIFY(PipelineModel::lane_of(Kind::recompute) != PipelineModel::lane_of(Kind::read));
    QStringList legend, rows;
    for (const LegendItem& item : bench.dock->legend().items()) legend << item.text;
    QVERIFY2(legend.contains("recompute") && legend.contains("tier read") && !legend.contains("unpack"),
             qPrintable(legend.join(", ")));
    for (const QStringList& row : model.table_rows()) rows << row[1];
    QCOMPARE(rows.count(QString::fromLatin1(to_string(Kind::recompute))), 2);
  }

  // With decode offload the context is written to a slower tier before the question.
  void aContextThatIsWrittenToATierHasSpansOfItsOwn() {
    Bench bench;
    RequestSpans spans{.request = 5, .layers = 2, .spans = {}};
    const auto add = [&spans](Kind kind, int layer, std::int64_t start, std::int64_t length, std::uint64_t bytes = 0) {
      spans.spans.push_back({.kind = kind,
                             .layer = static_cast<std::int16_t>(layer),
                             .step = 0,
                             .tokens = 0,
                             .start_ns = start * ms,
                             .duration_ns = length * ms,
                             .bytes = bytes});
    };
    add(Kind::context_prefill, 0, 0, 1);
    add(Kind::context_prefill, 1, 1, 1);
    add(Kind::write, 0, 2, 1, 2'097'152);
    add(Kind::write, 1, 3, 1, 2'097'152);
    add(Kind::write, -1, 4, 4);
    add(Kind::read, 0, 8, 2, 2'000'000);
    add(Kind::wait, -1, 8, 2);
    add(Kind::question_prefill, 0, 10, 1);
    add(Kind::question_prefill, 1, 11, 1);
    bench.spans.add(spans);
    RequestRecord record = record_of(5, "news-1");
    record.source = "prefill";
    record.decoding.offload = OffloadRecord{
        .setting = "ssd(split=load_only)", .not_applied = {}, .stored_bytes = 4 << 20, .write_seconds = 0.006};
    bench.run.requests.request_started({5, "news-1", "news", "where?"});
    bench.run.requests.request_finished(record);
    emit bench.run.servedChanged();
    bench.dock->flush();
    const QString summary = bench.dock->summary_text();
    QVERIFY2(summary.contains("tier write 6.0 ms") && summary.contains("waiting for bytes 2.0 ms"),
             qPrintable(summary));
    QVERIFY2(summary.contains("context written to the tier in 6.0 ms (4.0 MiB)"), qPrintable(summary));
    const PipelineModel& model = bench.dock->model();
    double sum = 0;
    for (const PipelineModel::Part& part : model.parts()) sum += part.seconds;
    QVERIFY(std::abs(sum - 0.0145) < 1e-12);
    QCOMPARE(model.hidden_reading().value(), 0.0);  // a write is no read
    QCOMPARE(model.span_text(model.spans()->spans[2]),
             QString("Layer 1 of 2, tier write, packing: 1.0 ms, starting at 2.0 ms; 2.0 MiB"));
    QVERIFY2(model.span_text(model.spans()->spans[4]).startsWith("tier write, waiting until it is written: 4.0 ms"),
             qPrintable(model.span_text(model.spans()->spans[4])));
    QCOMPARE(PipelineModel::lane_of(Kind::write), PipelineModel::lane_of(Kind::read));
    const Theme theme = theme_of(ThemeKind::light);
    QVERIFY(PipelineView::color(theme, Kind::write) != PipelineView::color(theme, Kind::read));
    QStringList legend;
    for (const LegendItem& item : bench.dock->legend().items()) legend << item.text;
    QVERIFY2(legend.contains("tier write"), qPrintable(legend.join(", ")));
    const std::vector<QStringList> rows = model.table_rows();
    QCOMPARE(rows[2], (QStringList{"tier write", "tier write", "1", "", "0.002", "0.001", "", "2097152", QString()}));
    QCOMPARE(rows[5][0], QString("tier read"));
  }

  void itSaysWhatIsMissing() {
    Bench bench;
    QVERIFY2(bench.dock->empty_text().contains("press Start"), qPrintable(bench.dock->empty_text()));
    bench.answer(1, "news-1", false);
    QVERIFY2(bench.dock->empty_text().contains("no longer in memory"), qPrintable(bench.dock->empty_text()));
    bench.run.selection.choose_context("other-1");
    bench.dock->flush();
    QVERIFY2(bench.dock->empty_text().contains("No request on other-1"), qPrintable(bench.dock->empty_text()));
    PipelineDock blind(bench.run, nullptr);
    QVERIFY(blind.empty_text().contains("records no request timelines"));
  }

  void itFollowsTheLatestAndTheChosenRequest() {
    Bench bench;
    bench.answer(1, "news-1");
    QVERIFY2(bench.dock->title_text().startsWith("#1 news-1, from ssd, keydiff 60 %"),
             qPrintable(bench.dock->title_text()));
    bench.answer(2, "story-1");
    QVERIFY(bench.dock->title_text().startsWith("#2"));
    bench.run.selection.choose_request(1, "news-1");
    bench.dock->flush();
    QVERIFY(bench.dock->title_text().startsWith("#1"));
    bench.answer(3, "story-1");
    QVERIFY(bench.dock->title_text().startsWith("#1"));  // it stays with what was chosen
    bench.run.selection.choose_context("story-1");
    bench.dock->flush();
    QVERIFY(bench.dock->title_text().startsWith("#3"));
    bench.run.selection.choose_context({});
    bench.answer(4, "news-1");
    QVERIFY(bench.dock->title_text().startsWith("#4"));
  }

  void partsAddUpToTtft() {
    Bench bench;
    bench.answer(1, "news-1");
    double sum = 0;
    QStringList names;
    for (const PipelineModel::Part& part : bench.dock->model().parts()) {
      sum += part.seconds;
      names << part.name;
    }
    QVERIFY(std::abs(sum - 0.0145) < 1e-12);
    QCOMPARE(names, (QStringList{"queueing", "lookup", "waiting for bytes", "unpack", "question prefill", "other"}));
    QVERIFY2(bench.dock->summary_text().contains("TTFT 14.5 ms (throttled) = queueing 2.0 ms"),
             qPrintable(bench.dock->summary_text()));
    // 8 ms of reading, 5 of them waited for.
    QCOMPARE(bench.dock->model().hidden_reading().value(), 0.375);
    // Only what this request did is in the legend.
    QStringList legend;
    for (const LegendItem& item : bench.dock->legend().items()) {
      legend << item.text;
      const bool waits = item.text.startsWith("waiting") || item.text == "queueing";  // drawn as the slices are
      QCOMPARE(item.sign, waits ? LegendItem::Sign::hatched : LegendItem::Sign::swatch);
    }
    QVERIFY(legend.contains("tier read") && legend.contains("decode") && !legend.contains("context prefill"));
  }

  void theTableHoldsEverySpan() {
    Bench bench;
    bench.answer(1, "news-1");
    const ChartTable table = bench.dock->table();
    QCOMPARE(table.rows.size(), static_cast<qsizetype>(bench.dock->model().spans()->spans.size()));
    for (const QStringList& row : table.rows) QCOMPARE(row.size(), table.header.size());
    QCOMPARE(table.rows[3], (QStringList{"tier read", "tier read", "1", "", "0.003", "0.004", "", "4000000", "1e+09"}));
    QTemporaryDir folder;
    for (const char* kind : {"png", "svg", "csv"}) {
      const QString path = folder.filePath(QStringLiteral("p.") + kind);
      QVERIFY(QByteArray(kind) == "png"   ? save_png(bench.dock->view(), path)
              : QByteArray(kind) == "svg" ? save_svg(bench.dock->view(), path, "Pipeline")
                                          : save_csv(table, path));
      QVERIFY(QFileInfo(path).size() > 500);
    }
  }

  // In a window: one of its docks, off while hidden, and a recorded run says that it has none.
  void hiddenItDoesNothing() {
    ScriptedSession session;
    ScriptedSpans spans;
    WindowOptions options = scripted_.options();
    options.spans = &spans;
    MainWindow window(session, options);
    window.show();
    session.set_state(RunState::ready);
    QTRY_COMPARE(session.state(), RunState::running);
    auto* dock = window.body<PipelineDock>("pipeline");
    dock_of(window, "pipeline")->hide();
    QSignalSpy changed(&dock->model(), &PipelineModel::changed);
    session.serve(10);
    QTRY_COMPARE(run_of(window).served(), 10u);
    test::settle(400);
    QVERIFY(changed.isEmpty());
    spans.add(two_layers(10));
    docks_of(window).bring_up("pipeline");
    QTRY_VERIFY(dock->model().spans() != nullptr);
    run_of(window).stash();
    dock->flush();
    dock->model().refresh();
    QVERIFY2(dock->empty_text().contains("Recorded runs"), qPrintable(dock->empty_text()));
    run_of(window).unstash();
  }
};

KV_TEST_MAIN(PipelineTest)

}  // namespace pipeline_test

#include "pipeline_test.moc"
