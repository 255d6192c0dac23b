// links: kv_ui
// Views that paint themselves as pictures for a paper: as wide as a column, light on white, in the font of the format;
// the view is as it was afterwards. Tables have no such picture.
#include <QApplication>
#include <QFile>
#include <QHBoxLayout>
#include <QImage>
#include <QScrollBar>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_session.h"
#include "ui/charts/chart_table.h"
#include "ui/charts/heat_map.h"
#include "ui/live/pool/pool_grid.h"
#include "ui/live/tiers/occupancy_plot.h"
#include "ui/papers/charts/paper_picture.h"
#include "ui/runs/scrub_bar.h"
#include "ui/session/run_model.h"
#include "ui/tokens/head_grid.h"
#include "ui/tokens/token_map.h"

namespace paper_view_test {

using namespace kvantage;

class PaperViewTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

 private slots:
  void initTestCase() { apply_theme(*qobject_cast<QApplication*>(qApp), ThemeKind::dark); }

  void occupancyIsAsWideAsAColumn() {
    ScriptedSession session;
    RunModel run(session);
    session.set_state(RunState::ready);
    run.tick();
    OccupancyPlot plot(run.tiers, "dram");
    run.tiers.tier_occupancy(1, {"dram", 12 << 20, 13 << 20, {{"none", 12 << 20}}});
    run.tiers.tier_occupancy(40, {"dram", 6 << 20, 13 << 20, {{"keydiff", 6 << 20}}});
    plot.set_theme(theme_of(ThemeKind::dark));
    plot.resize(600, 220);
    plot.show();
    plot.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&plot));
    plot.setFocus();
    QVERIFY(plot.hasFocus());  // its frame is for the screen alone
    QCoreApplication::processEvents();
    const QImage before = plot.grab().toImage();
    const QFont font = plot.font();
    QVERIFY(has_paper_picture(plot));
    for (const auto& [width, pixels] : {std::pair{PaperWidth::one_column, 1004}, {PaperWidth::two_columns, 2102}}) {
      const QString path = folder_.filePath(QString::number(pixels) + ".png");
      QVERIFY(save_paper_picture(plot, PaperFormat{width, {{}, 8}}, "png", path));
      const QImage image(path);
      QCOMPARE(image.width(), pixels);
      QVERIFY(image.height() > pixels / 4 && image.height() < pixels);
      QCOMPARE(image.pixelColor(1, 1), QColor(Qt::white));
      int drawn = 0;
      for (int y = 0; y < image.height(); y += 7)
        for (int x = 0; x < image.width(); x += 7) drawn += image.pixelColor(x, y).lightness() < 200;
      QVERIFY(drawn > 50);
    }
    QCOMPARE(plot.size(), QSize(600, 220));
    QCOMPARE(plot.font(), font);
    QCOMPARE(plot.grab().toImage(), before);
    QVERIFY(!save_paper_picture(plot, PaperWidth::one_column, "png", "/nowhere/at/all.png"));
  }

  void theFontIsThatOfTheFormat() {
    const QString family = paper_font_families().value(0);
    QVERIFY2(!family.isEmpty(), "this machine has no font that scales");
    ScriptedSession session;
    RunModel run(session);
    session.set_state(RunState::ready);
    run.tick();
    OccupancyPlot plot(run.tiers, "dram");
    run.tiers.tier_occupancy(1, {"dram", 12 << 20, 13 << 20, {{"none", 12 << 20}}});
    plot.resize(600, 220);
    const QString path = folder_.filePath("font.svg");
    QVERIFY(save_paper_picture(plot, PaperFormat{PaperWidth::one_column, {family, 9}}, "svg", path));
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray svg = file.readAll();
    QVERIFY2(svg.contains("width=\"85mm\""), svg.left(300).constData());
    QVERIFY2(svg.contains("font-family=\"" + family.toUtf8() + "\" font-size=\"12\""), svg.right(2000).constData());
  }

  // Its lines break elsewhere on paper, and there is no bar beside them.
  void whatScrollsIsWhereItWas() {
    TokenMap map;
    map.set_theme(theme_of(ThemeKind::dark));
    map.resize(300, 200);
    map.show();
    map.set_tokens(std::vector<QString>(3000, QStringLiteral("word ")));
    QCoreApplication::processEvents();
    QScrollBar& bar = *map.verticalScrollBar();
    bar.setValue(bar.maximum() - 10);
    const int scrolled = bar.value();
    QVERIFY(scrolled > 500);
    for (const PaperWidth width : {PaperWidth::one_column, PaperWidth::two_columns}) {
      const QString path = folder_.filePath("map.png");
      QVERIFY(save_paper_picture(map, PaperFormat{width, {{}, 9}}, "png", path));
      const QImage image(path);
      for (int y = 2; y < image.height(); y += 9) QCOMPARE(image.pixelColor(image.width() - 3, y), QColor(Qt::white));
      QCOMPARE(bar.value(), scrolled);
      QVERIFY(bar.isVisible());
    }
    QCOMPARE(map.size(), QSize(300, 200));
  }

  // Neither the frame nor the place of the keyboard is drawn, though the window shows both.
  void aPictureHasNoMarksOfTheKeyboard() {
    QWidget window;
    auto* row = new QHBoxLayout(&window);
    auto* map = new TokenMap;
    auto* heads = new HeadGrid;
    auto* bar = new ScrubBar;
    for (QWidget* view : {static_cast<QWidget*>(map), static_cast<QWidget*>(heads), static_cast<QWidget*>(bar)})
      row->addWidget(view);
    map->set_tokens(std::vector<QString>(40, QStringLiteral("word ")));
    heads->set_shares(2, 2, {0.1, 0.4, 0.6, 0.9});
    window.resize(700, 300);
    window.show();
    window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    QTest::keyClick(map, Qt::Key_Right);
    for (QWidget* view : {static_cast<QWidget*>(map), static_cast<QWidget*>(heads), static_cast<QWidget*>(bar)}) {
      window.setFocus();
      QVERIFY(!view->hasFocus());
      const QImage without = view->grab().toImage(), picture = picture_image(*view, 1);
      view->setFocus();
      QVERIFY(view->hasFocus());
      QVERIFY2(view->grab().toImage() != without, view->metaObject()->className());
      QCOMPARE(picture_image(*view, 1), picture);
    }
  }

  void onlyWhatPaintsItselfHasAPaperPicture() {
    SensitivityModel model;
    HeatMap heat(model);
    PoolGrid grid;
    QTableView table;
    QWidget page;
    QVERIFY(has_paper_picture(heat) && has_paper_picture(grid));
    QVERIFY(!has_paper_picture(table) && !has_paper_picture(page));
    QObject owner;
    QCOMPARE(paper_actions(owner, {&grid, "Pool", {}}).size(), 3);
    QVERIFY(paper_actions(owner, {&table, "Table", {}}).isEmpty());
    QVERIFY(!save_paper_picture(page, PaperWidth::one_column, "png", folder_.filePath("page.png")));
    QVERIFY(!QFile::exists(folder_.filePath("page.png")));
  }
};

KV_TEST_MAIN(PaperViewTest)

}  // namespace paper_view_test

#include "paper_view_test.moc"
