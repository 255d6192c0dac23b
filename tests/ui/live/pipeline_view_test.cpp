// links: kv_ui
// The timeline of a request: slices in their lanes, what is seen of them by wheel, mouse and keys, and what they say.
#include "ui/live/requests/pipeline_view.h"

#include <QRubberBand>
#include <QSignalSpy>
#include <QTest>
#include <cmath>

#include "tests/support/test_program.h"
#include "tests/ui/charts/chart_hands.h"
#include "tests/ui/live/pipeline_bench.h"

namespace pipeline_view_test {

using namespace kvantage;
using namespace kvantage::pipeline_bench;

class PipelineViewTest : public QObject {
  Q_OBJECT

 private slots:
  void slicesLieInTheirLanesByTime() {
    Bench bench;
    bench.answer(1, "news-1");
    PipelineView& view = bench.dock->view();
    view.show_whole();
    const auto& spans = bench.dock->model().spans()->spans;
    for (std::size_t i = 0; i < spans.size(); ++i) {
      const QRectF box = view.slice(i);
      QVERIFY(box.width() > 0);
      QVERIFY(view.lane_box(PipelineModel::lane_of(spans[i].kind)).contains(box.center()));
      QVERIFY(std::abs(box.left() - view.x_of(static_cast<double>(spans[i].start_ns))) < 0.01);
      QCOMPARE(view.slice_at(box.center()), static_cast<int>(i));
    }
    // Up to the first token decoding is out of sight.
    view.show_first_token();
    QCOMPARE(view.from_ns(), 0.0);
    QCOMPARE(view.to_ns(), 14.5e6);
    QVERIFY(view.slice(spans.size() - 1).isEmpty());
    view.grab();
  }

  void zoomKeepsTheMomentUnderTheMouse() {
    Bench bench;
    bench.answer(1, "news-1");
    PipelineView& view = bench.dock->view();
    const double x = view.x_of(10e6);
    view.zoom(0.5, x);
    QVERIFY(std::abs(view.x_of(10e6) - x) < 0.01);
    QVERIFY(std::abs((view.to_ns() - view.from_ns()) - 7.25e6) < 1);
    const double from = view.from_ns();
    view.pan(50);
    QVERIFY(view.from_ns() > from);
    view.pan(-100000);
    QCOMPARE(view.from_ns(), 0.0);  // never before the arrival
    for (int i = 0; i < 100; ++i) view.zoom(0.5, x);
    QVERIFY(view.to_ns() - view.from_ns() >= 999);
    for (int i = 0; i < 100; ++i) view.zoom(2, x);
    QVERIFY(view.to_ns() <= 1.06 * 20e6);
  }

  void aBoxIsShownAndADoubleClickResets() {
    Bench bench;
    bench.answer(1, "news-1");
    PipelineView& view = bench.dock->view();
    const double all = view.to_ns();
    const QRectF plot = view.lane_box(PipelineModel::tier);
    const auto drag = [&view](const QPointF& from, const QPointF& to) {
      chart_hands::drag(view, from, to, Qt::LeftButton, Qt::ShiftModifier);
    };
    const QPointF left(std::round(view.x_of(4e6)), plot.center().y()), right(std::round(view.x_of(8e6)), plot.top());
    const double from = view.ns_at(left.x()), to = view.ns_at(right.x());
    chart_hands::mouse(view, QEvent::MouseButtonPress, left, Qt::LeftButton, Qt::ShiftModifier);
    chart_hands::mouse(view, QEvent::MouseMove, right, Qt::LeftButton, Qt::ShiftModifier);
    const auto* band = view.findChild<QRubberBand*>();
    QVERIFY(band && band->isVisible());
    QCOMPARE(view.from_ns(), 0.0);  // not before it is released, and it does not pan
    chart_hands::mouse(view, QEvent::MouseButtonRelease, right, Qt::LeftButton, Qt::ShiftModifier);
    QVERIFY(!view.findChild<QRubberBand*>());
    QVERIFY(std::abs(view.from_ns() - from) < 1 && std::abs(view.to_ns() - to) < 1);
    drag({plot.center().x(), plot.top()}, {plot.center().x() + 2, plot.bottom()});  // a click
    QVERIFY(std::abs(view.to_ns() - to) < 1);
    drag({plot.right() + 50, plot.top()}, {plot.left() - 50, plot.bottom()});  // all that is seen, from the right
    QVERIFY(std::abs(view.from_ns() - from) < 1 && std::abs(view.to_ns() - to) < 1);
    chart_hands::mouse(view, QEvent::MouseButtonDblClick, plot.center(), Qt::LeftButton);
    QCOMPARE(view.to_ns(), all);
    view.zoom(0.5, view.x_of(4e6));
    QTest::keyClick(&view, Qt::Key_0);
    QCOMPARE(view.from_ns(), 0.0);
    QCOMPARE(view.to_ns(), all);
  }

  void keysZoomMoveAndTell() {
    Bench bench;
    bench.answer(1, "news-1");
    PipelineView& view = bench.dock->view();
    QSignalSpy told(&view, &PipelineView::told);
    const double wide = view.to_ns() - view.from_ns();
    QTest::keyClick(&view, Qt::Key_Plus);
    QVERIFY(view.to_ns() - view.from_ns() < wide);
    const double from = view.from_ns();
    QTest::keyClick(&view, Qt::Key_Right);
    QVERIFY(view.from_ns() > from);
    QTest::keyClick(&view, Qt::Key_End);
    QVERIFY(view.to_ns() >= 20e6);
    QTest::keyClick(&view, Qt::Key_Home);
    QCOMPARE(view.to_ns(), 14.5e6);
    QStringList texts;
    for (std::size_t i = 0; i < bench.dock->model().spans()->spans.size(); ++i) {
      QTest::keyClick(&view, Qt::Key_Right, Qt::ControlModifier);
      texts << told.back().front().toString();
    }
    QVERIFY2(texts.front().startsWith("queueing: 2.0 ms, starting at 0"), qPrintable(texts.front()));
    const QString all = texts.join('\n');
    QVERIFY2(all.contains("Layer 2 of 2, tier read: 4.0 ms, starting at 7.0 ms; 7.6 MiB, 2.00 GB/s (throttled)"),
             qPrintable(all));
    QVERIFY2(all.contains("Layer 1 of 2, question prefill, chunk 1 of 18 tokens: 2.0 ms"), qPrintable(all));
    QVERIFY2(all.contains("decode, answer token 2, batched with 2 other requests"), qPrintable(all));
    QVERIFY(view.chosen() >= 0);
    // The last one was brought into sight.
    QVERIFY(!view.slice(static_cast<std::size_t>(view.chosen())).isEmpty());
  }

  void hoveringTells() {
    Bench bench;
    bench.answer(1, "news-1");
    PipelineView& view = bench.dock->view();
    QSignalSpy told(&view, &PipelineView::told);
    QTest::mouseMove(&view, view.slice(3).center().toPoint());
    QTRY_VERIFY(!told.isEmpty());
    QVERIFY(told.back().front().toString().contains("tier read"));
  }

  void longQueuesDoNotHideTheService() {
    Bench bench;
    RequestSpans spans = two_layers(1);
    for (RequestSpan& span : spans.spans)
      if (span.kind == Kind::queue)
        span.duration_ns += 998 * ms;
      else
        span.start_ns += 998 * ms;
    bench.spans.add(std::move(spans));
    RequestRecord record = record_of(1, "news-1");
    record.timing.queue_seconds = 1;
    record.timing.ttft_seconds = 1.0125;
    bench.run.requests.request_started({1, "news-1", "news", "where?"});
    bench.run.requests.request_finished(record);
    emit bench.run.servedChanged();
    bench.dock->flush();
    QCOMPARE(bench.dock->view().from_ns(), 1e9);
    bench.dock->view().show_whole();
    QCOMPARE(bench.dock->view().from_ns(), 0.0);
  }
};

KV_TEST_MAIN(PipelineViewTest)

}  // namespace pipeline_view_test

#include "pipeline_view_test.moc"
