// links: kv_ui
// The keep map beside its text: layers by KV heads, contexts of recorded runs, contexts of many thousand tokens.
#include <QElapsedTimer>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <algorithm>
#include <set>

#include "tests/support/test_program.h"
#include "tests/ui/look/color_sight.h"
#include "tests/ui/runs/memory_library.h"
#include "tests/ui/tokens/shown_keep_map.h"
#include "tests/ui/window/scripted_window.h"

namespace keep_map_views_test {

using namespace kvantage;

class KeepMapViewsTest : public QObject {
  Q_OBJECT

 private slots:
  void theGridShowsAndChoosesHeads() {
    Shown shown;
    shown.choose(0);
    shown.dock.model().set_removed_fraction(0.5);
    shown.settle();
    HeadGrid& grid = shown.dock.grid(0);
    QCOMPARE(grid.layers(), ScriptedInspector::layers);
    QCOMPARE(grid.kv_heads(), ScriptedInspector::kv_heads);
    for (int l = 0; l < grid.layers(); ++l)
      for (int h = 0; h < grid.kv_heads(); ++h)
        QCOMPARE(grid.share(l, h), static_cast<double>(shown.inspector.kept_of(l, h, 0.5)) / 12);
    QVERIFY2(grid.tip_at(grid.cell(1, 0).center()).startsWith("layer 1, KV head 0: 33.3 %"),
             qPrintable(grid.tip_at(grid.cell(1, 0).center())));
    QCOMPARE(shown.dock.grid_table().rows.size(), ScriptedInspector::layers * ScriptedInspector::kv_heads);

    KeepMapModel& model = shown.dock.model();
    const auto click = [&](int layer, int kv_head) {
      QTest::mouseClick(&grid, Qt::LeftButton, {}, grid.cell(layer, kv_head).center());
    };
    const auto views = [&](int layer, int kv_head) {
      shown.dock.flush();
      return model.layer() == layer && model.kv_head() == kv_head &&
             shown.dock.layer().currentData().toInt() == layer &&
             shown.dock.kv_head().currentData().toInt() == kv_head &&
             model.summed_heads() == (layer < 0 ? 3 : 1) * (kv_head < 0 ? 2 : 1);
    };
    constexpr int all = KeepMapModel::all;
    click(2, 1);
    QVERIFY(views(2, 1));
    click(2, 1);  // a second click
    QVERIFY(views(all, all));
    click(1, all);
    QVERIFY(views(1, all));
    click(all, 0);
    QVERIFY(views(all, 0));
    click(all, all);
    QVERIFY(views(all, all));
    QTest::keyClick(&grid, Qt::Key_Down);
    QTest::keyClick(&grid, Qt::Key_Down);
    QTest::keyClick(&grid, Qt::Key_Right);
    QVERIFY(views(1, 0));
    QTest::keyClick(&grid, Qt::Key_Home);
    QVERIFY(views(all, all));
    // The lists choose for the grid, too.
    shown.dock.layer().setCurrentIndex(3);
    emit shown.dock.layer().activated(3);
    QVERIFY(views(2, all));
    model.set_methods({"knorm", "snapkv"});
    shown.settle();
    QCOMPARE(shown.dock.grid(1).layers(), ScriptedInspector::layers);
  }

  // The mark of a line break is written on the ground of its token, as every other text.
  void theMarkOfALineBreakHasContrast() {
    for (const ThemeKind kind : {ThemeKind::light, ThemeKind::dark}) {
      const Theme& theme = theme_of(kind);
      TokenMap map;
      QFont large = map.font();
      large.setPointSize(40);  // strokes without edges alone
      map.setFont(large);
      map.set_theme(theme);
      map.set_tokens({"a", "\n", "b"});
      map.set_weights({1, 1, 1});
      map.resize(400, 200);
      map.show();
      const QRect area = map.box(1);
      QVERIFY(!area.isEmpty());
      const QImage drawn = map.viewport()->grab(area).toImage();
      const QColor ground = drawn.pixelColor(drawn.width() - 2, 1);
      double best = 1;
      for (int x = 0; x < drawn.width(); ++x)
        for (int y = 0; y < drawn.height(); ++y)
          best = std::max(best, testing::contrast_ratio(drawn.pixelColor(x, y), ground));
      QVERIFY2(best >= 4.5, qPrintable(QString::number(best)));
    }
  }

  // A recorded run has no text: it is the open workload's, where the very same context is in it, and that is said.
  void contextsOfARecordedRunAreRecomputed() {
    ScriptedInspector inspector;
    ScriptedWindow scripted;
    ScriptedSession session(12);
    auto library = std::make_shared<MemoryLibrary>();
    library->runs["same"] = scripted_run("same", 18, 40, 2);  // its first twelve are those of the session
    library->runs["other"] = scripted_run("other", 12, 40, 2);
    for (Event& event : library->runs["other"].events)
      if (auto* taken = std::get_if<events::SnapshotTaken>(&event.payload))
        for (RecordedContext& context : taken->contexts) context.key.low ^= 1;
    WindowOptions options = scripted.options();
    options.inspector = &inspector;
    options.runs = library;
    MainWindow window(session, options);
    window.show();
    session.set_state(RunState::ready);
    QTRY_VERIFY(run_of(window).snapshot() != nullptr);
    auto* dock = window.body<KeepMapDock>("tokens");
    window.show_view("tokens");
    const QString known = to_q(run_of(window).snapshot()->contexts[3].id);
    run_of(window).selection.choose_context(known);
    QTRY_VERIFY(dock->model().complete());
    QVERIFY(dock->provenance().isEmpty());

    replay_of(window).open("same");
    QTRY_VERIFY(replay_of(window).active());
    QVERIFY(modes_of(window).is_live());  // where a recorded run is gone through
    window.show_view("tokens");
    QTRY_VERIFY(dock->model().complete() && dock->empty_text().isEmpty());
    QTRY_VERIFY2(dock->provenance().contains("recomputed on the live model"), qPrintable(dock->provenance()));
    QTRY_VERIFY(dock->context().count() == 18);
    const std::size_t asked = inspector.requests.size();
    const QString unknown = to_q(run_of(window).snapshot()->contexts[15].id);
    run_of(window).selection.choose_context(unknown);
    QTRY_VERIFY2(dock->empty_text().contains(unknown + " is not in the open workload"), qPrintable(dock->empty_text()));
    QVERIFY2(dock->empty_text().contains("Open the workload scripted"), qPrintable(dock->empty_text()));
    test::settle(100);
    QCOMPARE(inspector.requests.size(), asked);
    run_of(window).selection.choose_context(known);
    QTRY_VERIFY(inspector.requests.size() > asked && dock->empty_text().isEmpty());

    replay_of(window).open("other");
    QTRY_COMPARE(replay_of(window).run_id(), QString("other"));
    window.show_view("tokens");
    QTRY_VERIFY2(dock->empty_text().contains("a different text"), qPrintable(dock->empty_text()));

    replay_of(window).close();
    QTRY_VERIFY(dock->empty_text().isEmpty() && dock->model().complete());
    QTRY_VERIFY(dock->provenance().isEmpty());
  }

  // A text is read by the page: a small screen shows thirty whole lines of it.
  void aSmallScreenShowsThirtyLines() {
    ScriptedInspector inspector(4'000);
    ScriptedWindow scripted;
    ScriptedSession session(12);
    WindowOptions options = scripted.options();
    options.inspector = &inspector;
    auto window = scripted.loaded(session, options);
    window->show_view("tokens");
    auto* dock = window->body<KeepMapDock>("tokens");
    run_of(*window).selection.choose_context(to_q(run_of(*window).snapshot()->contexts[3].id));
    QTRY_VERIFY(dock->model().complete() && dock->map(0).token_count() == 4'000);
    dock->flush();
    test::settle(200);
    QCOMPARE(window->size(), QSize(1280, 800));
    const TokenMap& map = dock->map(0);
    QVERIFY(map.isVisible());
    QVERIFY(map.verticalScrollBar()->maximum() > 0);  // there is more text than room
    const QRect seen = map.viewport()->rect();
    QCOMPARE(map.viewport()->visibleRegion().boundingRect(), seen);
    std::set<int> lines;
    for (std::size_t token = 0; token < map.token_count(); ++token)
      if (const QRect box = map.box(token); !box.isNull() && box.top() >= 0 && box.bottom() <= seen.bottom())
        lines.insert(box.top());
    QVERIFY2(lines.size() >= 30,
             qPrintable(QString("%1 lines in %2 pixels").arg(lines.size()).arg(map.viewport()->height())));
  }

  // What is painted is what is seen: a long context scrolls like a short one.
  void longContextsScrollLikeShortOnes() {
    std::vector<double> medians;
    for (const std::size_t tokens : {std::size_t{2'000}, std::size_t{16'000}}) {
      Shown shown(tokens);
      shown.choose(0);
      TokenMap& map = shown.dock.map(0);
      QCOMPARE(map.token_count(), tokens);
      test::settle(100);  // the grid beside it has taken its room
      const int layouts = map.layouts();
      std::vector<double> paints;
      QElapsedTimer clock;
      for (int i = 0; i < 101; ++i) {
        clock.start();
        map.verticalScrollBar()->setValue(map.verticalScrollBar()->maximum() * i / 100);
        map.viewport()->grab();
        paints.push_back(static_cast<double>(clock.nsecsElapsed()) * 1e-6);
      }
      QCOMPARE(map.layouts(), layouts);
      QVERIFY(map.box(tokens - 2).bottom() < map.viewport()->height());  // the end was reached
      clock.start();
      shown.dock.resize(shown.dock.width() - 40, shown.dock.height());
      QCoreApplication::processEvents();
      const double resized = static_cast<double>(clock.nsecsElapsed()) * 1e-6;
      std::ranges::sort(paints);
      medians.push_back(paints[50]);
      qInfo(
          "%zu tokens: scrolled and painted in %.2f ms (median), %.2f ms (most); laid out for another width in %.2f ms",
          tokens, paints[50], paints[100], resized);
    }
    QVERIFY2(medians[1] < 3 * medians[0] + 0.5, qPrintable(QString("%1 and %2 ms").arg(medians[0]).arg(medians[1])));
  }
};

KV_TEST_MAIN(KeepMapViewsTest)

}  // namespace keep_map_views_test

#include "keep_map_views_test.moc"
