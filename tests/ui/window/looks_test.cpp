// links: kv_ui
// What the eye needs: frames that stand out from their ground in both themes, letters that nothing cuts, room that is
// used, text of any size with marks and icons of that size.
#include <QAbstractItemView>
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QGroupBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QPainter>
#include <QProgressBar>
#include <QSpinBox>
#include <QTableWidget>
#include <QTest>
#include <QToolBar>
#include <algorithm>
#include <cmath>
#include <map>

#include "core/policy/policy_info.h"
#include "tests/support/test_program.h"
#include "tests/ui/runs/memory_library.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/charts/chart_table.h"
#include "ui/look/font_scale.h"
#include "ui/look/provenance_look.h"
#include "ui/runs/runs_dock.h"
#include "ui/welcome/start_page.h"

namespace looks_test {

using namespace kvantage;

namespace {

double luminance(const QColor& color) {
  const auto linear = [](double c) { return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
  return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

/// Of the Web Content Accessibility Guidelines, 1 to 21.
double contrast(const QColor& a, const QColor& b) {
  const double x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

/// The strongest contrast to `ground` on a line from the left edge inwards, at half height.
double frame_contrast(QWidget& widget, const QColor& ground, int reach) {
  const QImage picture = widget.grab().toImage();
  double best = 1;
  for (int x = 0; x < reach; ++x) best = std::max(best, contrast(picture.pixelColor(x, picture.height() / 2), ground));
  return best;
}

}  // namespace

class LooksTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;

 private slots:
  void cleanup() { set_font_percent(100); }

  // Setting the style again restyles every widget of the program, which takes longer than making a window.
  void aThemeIsSetOnce() {
    auto& application = *static_cast<QApplication*>(QApplication::instance());
    apply_theme(application, ThemeKind::light);
    const QStyle* const style = QApplication::style();
    const QString sheet = application.styleSheet();
    QVERIFY(!sheet.isEmpty());
    apply_theme(application, ThemeKind::light);
    QVERIFY(QApplication::style() == style);
    set_font_percent(200);
    apply_theme(application, ThemeKind::light);
    QVERIFY(QApplication::style() == style);
    QVERIFY2(application.styleSheet() != sheet, "sizes in pixels follow the font");
    const QColor light = QApplication::palette().color(QPalette::Base);
    apply_theme(application, ThemeKind::dark);
    QVERIFY(QApplication::palette().color(QPalette::Base) != light);
    apply_theme(application, ThemeKind::light);
    QCOMPARE(QApplication::palette().color(QPalette::Base), light);
  }

  // Controls are off while the model loads; what they look like then must not stay.
  void whatWasDisabledLooksEnabledAgain() {
    for (const ThemeKind kind : {ThemeKind::light, ThemeKind::dark}) {
      apply_theme(*static_cast<QApplication*>(QApplication::instance()), kind);
      const auto pictured = [](bool disabled_first) {
        QWidget ground;
        auto* box = new QCheckBox(&ground);
        auto* choice = new QComboBox(&ground);
        auto* spin = new QSpinBox(&ground);
        box->setChecked(true);
        int y = 4;
        for (QWidget* one : std::initializer_list<QWidget*>{box, choice, spin}) {
          one->setFocusPolicy(Qt::NoFocus);
          one->setGeometry(4, y, 90, 24);
          y += 30;
        }
        ground.resize(120, 100);
        ground.setEnabled(!disabled_first);
        ground.show();
        if (disabled_first) {
          (void)ground.grab();
          ground.setEnabled(true);
        }
        return ground.grab().toImage();
      };
      const QImage again = pictured(true), always = pictured(false);
      QCOMPARE(again, always);
    }
  }

  // Choices open below their box, never over the menu bar.
  void choicesOpenBelowTheirBox() {
    apply_theme(*static_cast<QApplication*>(QApplication::instance()), ThemeKind::light);
    QWidget ground;
    auto* choice = new QComboBox(&ground);
    for (int i = 0; i < 19; ++i) choice->addItem(QString::number(i));
    choice->setCurrentIndex(15);
    choice->setGeometry(4, 60, 90, 24);
    ground.resize(200, 500);
    ground.move(0, 0);
    ground.show();
    choice->showPopup();
    QTRY_VERIFY(choice->view()->isVisible());
    const int top = choice->view()->mapToGlobal(QPoint(0, 0)).y();
    const int below = choice->mapToGlobal(QPoint(0, choice->height())).y();
    QVERIFY2(top + 2 >= below, qPrintable(QStringLiteral("%1, box ends at %2").arg(top).arg(below)));
    choice->hidePopup();
  }

  // One hue means one method: a policy that applies a method has its hue, and no other policy has any method's.
  void noPolicyLooksLikeAMethod() {
    for (const ThemeKind kind : {ThemeKind::light, ThemeKind::dark}) {
      const Theme& theme = theme_of(kind);
      QCOMPARE(theme.policy("fixed(keydiff,0.5)"), theme.method("keydiff"));
      QCOMPARE(theme.policy("fixed(keydiff+kivi4,0.4)"), theme.method("keydiff+kivi4"));
      QCOMPARE(theme.policy("fixed(chunkkv(snapkv),0.5)"), theme.method("chunkkv(snapkv)"));
      for (const char* policy : {"evicpress", "adaptcache", "lru", "lfu", "s3fifo", "gdsf", "sieve", "arc", "optimal",
                                 "impress", "important_fraction", "w_tinylfu", "evicpress(start=quality)"}) {
        for (const char* method : {"keydiff", "knorm", "snapkv", "streaming_llm", "random", "kivi4", "kivi2", "fp8"})
          QVERIFY2(theme.policy(policy) != theme.method(method), policy);
        QVERIFY2(contrast(theme.policy(policy), theme.base) >= 4.5, policy);
      }
    }
  }

  // Nor has a tier, a line without a meaning of its own, or a family the hue of a method; none is hard to see.
  void noTierOrFamilyLooksLikeAMethod() {
    const auto gray = [](const QColor& color) {
      return std::max({color.red(), color.green(), color.blue()}) -
                 std::min({color.red(), color.green(), color.blue()}) <=
             24;
    };
    for (const ThemeKind kind : {ThemeKind::light, ThemeKind::dark}) {
      const Theme& theme = theme_of(kind);
      std::vector<QColor> seen;
      for (const char* method : {"keydiff", "knorm", "snapkv", "streaming_llm", "random", "kivi4", "kivi2", "fp8"}) {
        QVERIFY2(!gray(theme.method(method)), method);
        seen.push_back(theme.method(method));
      }
      for (std::size_t i = 0; i < 8; ++i) {
        const QColor color = theme.neutral(i);
        QVERIFY2(gray(color) && contrast(color, theme.base) >= 3, qPrintable(color.name()));
        QVERIFY2(std::ranges::find(seen, color) == seen.end(), qPrintable(color.name()));
        seen.push_back(color);
        for (std::size_t before = 0; before < i; ++before) QVERIFY(line_dashes(before) != line_dashes(i));
      }
      for (const char* tier : {"dram", "ssd", "device", "remote", "archive"}) QVERIFY2(gray(theme.tier(tier)), tier);
      for (const auto& [one, other] :
           {std::pair("dram", "ssd"), std::pair("dram", "device"), std::pair("ssd", "remote")})
        QVERIFY2(contrast(theme.tier(one), theme.tier(other)) >= 1.3, one);
      for (const char* family : {"needle", "inventory", "meeting", "registry", "news", "story", "fewshot", "config"}) {
        const QColor color = theme.family(family);
        QVERIFY2(contrast(color, theme.base) >= 3, family);
        QVERIFY2(color.hslSaturationF() < 0.42, family);  // a method's is higher
        QVERIFY2(std::ranges::find(seen, color) == seen.end(), family);
        seen.push_back(color);
      }
    }
  }

  // Without color, the strokes inside their markers distinguish policies.
  void everyPolicyHasStrokesOfItsOwn() {
    const auto marker = [](const std::string& policy, MarkerLook look) {
      QImage image(24, 24, QImage::Format_RGB32);
      image.fill(Qt::white);
      QPainter painter(&image);
      draw_marker(painter, QPointF(12, 12), look, Qt::black, Qt::white, 4, true,
                  policy_strokes(QString::fromStdString(policy)));
      painter.end();
      return image;
    };
    QVERIFY(policy_infos().size() > 10);
    for (const MarkerLook look : {MarkerLook::measured, MarkerLook::throttled, MarkerLook::simulated,
                                  MarkerLook::what_if, MarkerLook::imported}) {
      std::vector<QImage> drawn;
      for (const PolicyInfo& info : policy_infos()) {
        const QImage image = marker(info.offers.front().text, look);
        QVERIFY2(std::ranges::find(drawn, image) == drawn.end(), info.name.c_str());
        drawn.push_back(image);
      }
    }
    QCOMPARE(policy_strokes("evicpress(drop=best)"), policy_strokes("evicpress"));  // one policy, other parameters
    QCOMPARE(policy_strokes("fixed(keydiff,0.5)"), 0U);                             // the color of its method
    QCOMPARE(policy_strokes("no policy"), 0U);
  }

  // Curves have no markers: each policy that has one has a color of its own. Points have strokes beside their color.
  void noTwoPoliciesLookAlike() {
    for (const ThemeKind kind : {ThemeKind::light, ThemeKind::dark}) {
      std::map<std::pair<unsigned, QRgb>, std::string> looks;
      std::map<QRgb, std::string> curves;
      for (const PolicyInfo& info : policy_infos())
        for (const OfferedPolicy& offered : info.offers) {
          const QString text = QString::fromStdString(offered.text);
          const QRgb color = theme_of(kind).policy(text).rgb();
          const auto look = looks.emplace(std::pair(policy_strokes(text), color), offered.text);
          QVERIFY2(look.second, qPrintable(text + " and " + QString::fromStdString(look.first->second)));
          const auto policy = make_policy(offered.text);
          QVERIFY2(policy, offered.text.c_str());
          if (!(*policy)->uses_alpha()) continue;
          const auto curve = curves.emplace(color, offered.text);
          QVERIFY2(curve.second, qPrintable(text + " and " + QString::fromStdString(curve.first->second)));
        }
      QVERIFY(curves.size() >= 7 && looks.size() >= 18);
    }
  }

  void textHasContrastInBothThemes() {
    for (const ThemeKind kind : {ThemeKind::light, ThemeKind::dark}) {
      const Theme& theme = theme_of(kind);
      apply_theme(*static_cast<QApplication*>(QApplication::instance()), kind);
      for (const QColor& ground : {theme.base, theme.panel, theme.alternate, theme.window}) {
        QVERIFY(contrast(theme.text, ground) >= 7);
        QVERIFY2(contrast(theme.muted, ground) >= 4.5, qPrintable(ground.name()));
        QVERIFY(contrast(qApp->palette().color(QPalette::PlaceholderText), ground) >= 4.5);
        for (const QColor& judged : {theme.good, theme.warning, theme.error})
          QVERIFY2(contrast(judged, ground) >= 4.5, qPrintable(judged.name() + " on " + ground.name()));
      }
    }
  }

  void framesStandOutInBothThemes() {
    for (const ThemeKind kind : {ThemeKind::light, ThemeKind::dark}) {
      apply_theme(*static_cast<QApplication*>(QApplication::instance()), kind);
      const Theme& theme = theme_of(kind);
      QWidget ground;
      QPalette palette = ground.palette();
      palette.setColor(QPalette::Window, theme.panel);
      ground.setPalette(palette);
      auto* box = new QCheckBox(&ground);  // not checked: its frame is all there is of it
      auto* line = new QLineEdit(&ground);
      auto* spin = new QSpinBox(&ground);
      int y = 4;
      for (QWidget* one : std::initializer_list<QWidget*>{box, line, spin}) {
        one->setFocusPolicy(Qt::NoFocus);
        one->setGeometry(4, y, 90, 24);
        y += 30;
      }
      ground.resize(120, 100);
      ground.show();
      for (QWidget* one : std::initializer_list<QWidget*>{box, line, spin}) {
        const double found = frame_contrast(*one, theme.panel, 4);
        QVERIFY2(found >= 2,
                 qPrintable(QStringLiteral("%1, %2: %3")
                                .arg(one->metaObject()->className(), kind == ThemeKind::dark ? "dark" : "light")
                                .arg(found)));
      }
    }
  }

  void titlesOfGroupsStandAboveWhatTheyName() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    window->resize(2400, 1400);
    for (const int percent : {100, 200, 160}) {
      window->set_font_size(percent);
      test::settle(50);
      int groups = 0;
      for (QGroupBox* group : controls_of(*window).findChildren<QGroupBox*>()) {
        if (group->title().isEmpty()) continue;
        ++groups;
        QVERIFY2(group->contentsRect().top() >= group->fontMetrics().height(),
                 qPrintable(QStringLiteral("%1 at %2 %: %3 of %4")
                                .arg(group->title())
                                .arg(percent)
                                .arg(group->contentsRect().top())
                                .arg(group->fontMetrics().height())));
      }
      QVERIFY(groups >= 4);
    }
  }

  void marksAndIconsGrowWithTheText() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    auto* bar = window->findChild<QToolBar*>("runToolBar");
    const auto mark = [&] { return window->style()->pixelMetric(QStyle::PM_IndicatorWidth); };
    const int before = mark();
    QCOMPARE(bar->iconSize(), QSize(16, 16));
    window->set_font_size(200);
    QCOMPARE(bar->iconSize(), QSize(32, 32));
    QCOMPARE(mark(), 2 * before);
    window->set_font_size(100);
    QCOMPARE(mark(), before);
  }

  void questionsGetTheRoomThatThereIs() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    session.serve(5);
    docks_of(*window).bring_up("requests");
    QHeaderView& header = *requests_of(*window).table().horizontalHeader();
    window->resize(1280, 800);
    test::settle(50);
    const int narrow = header.sectionSize(RequestsModel::question);
    window->resize(2560, 1440);
    QTRY_VERIFY(header.sectionSize(RequestsModel::question) > narrow + 100);
    QVERIFY(header.sectionSize(RequestsModel::answer) > 100);
    QTRY_COMPARE(header.length(), requests_of(*window).table().viewport()->width());
    window->resize(1280, 800);
    QTRY_COMPARE(header.sectionSize(RequestsModel::question), narrow);
    window->set_font_size(140);
    test::settle(120);
    const int large = header.sectionSize(RequestsModel::question);
    QVERIFY(large > narrow);
    window->resize(3440, 1440);  // beside three docks of large text
    QTRY_VERIFY(header.sectionSize(RequestsModel::question) > large + 50);
    window->set_font_size(100);
    window->resize(1280, 800);
    QTRY_COMPARE(header.sectionSize(RequestsModel::question), narrow);
    test::settle(250);                                  // what the writing set going is over
    header.resizeSection(RequestsModel::question, 77);  // by hand: it stays
    window->resize(2560, 1440);
    test::settle(50);
    QCOMPARE(header.sectionSize(RequestsModel::question), 77);
  }

  void whatIsLoadedIsReadableInTheSmallestWindow() {
    ScriptedSession session;
    MainWindow window(session, scripted_.options());
    window.resize(1280, 800);
    window.show();
    for (const char* what : {"Loading the model", "Reading the contexts", "Opening the tiers",
                             "Timing the model and the tiers", "Reading the quality profiles", "Ready"})
      session.emit_event(events::Progress{what, 1, 1});
    auto* page = window.findChild<StartPage*>();
    QTRY_COMPARE(page->work_count(), 6);
    test::settle(50);
    int labels = 0;
    for (const QLabel* label : page->findChildren<QLabel*>())
      if (label->text().startsWith("Loading the model") || label->text().startsWith("Reading") ||
          label->text().startsWith("Timing")) {
        ++labels;
        QVERIFY2(label->height() >= label->fontMetrics().height(), qPrintable(label->text()));
      }
    QVERIFY(labels >= 4);
    window.resize(2560, 1440);
    for (const QProgressBar* bar : page->findChildren<QProgressBar*>()) QTRY_VERIFY(bar->width() <= 560);
  }

  // Quality ends at 1, and the axis says so.
  void theAxisOfQualityNamesItsEnd() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    session.serve(40);
    QTRY_COMPARE(run_of(*window).served(), 40u);
    frontier_of(*window).flush();
    for (QAbstractAxis* axis : frontier_of(*window).chart().axes(Qt::Vertical)) {
      auto* quality = qobject_cast<QValueAxis*>(axis);
      QVERIFY(quality);
      QCOMPARE(quality->tickAnchor(), 0.0);
      if (quality->max() < 1) continue;
      // As Qt counts them: whole intervals from the first tick to the end.
      const double step = quality->tickInterval(), first = std::ceil(quality->min() / step) * step;
      QCOMPARE(first + step * static_cast<int>((quality->max() - first) / step), 1.0);
    }
  }

  void numbersOfATableStandAtTheRight() {
    QWidget window;
    QMenu menu;
    add_chart_actions(menu, {&window, "Numbers", [] { return ChartTable{{"policy", "value"}, {{"lru", "0.25"}}}; }});
    menu.actions().front()->trigger();
    auto* table = window.findChild<QTableWidget*>();
    QVERIFY(table);
    QVERIFY(table->item(0, 1)->textAlignment() & Qt::AlignRight);
    QVERIFY(!(table->item(0, 0)->textAlignment() & Qt::AlignRight));
    QVERIFY(table->rowHeight(0) <= table->fontMetrics().height() + 8);  // as high as rows are elsewhere
  }

  void oneRunIsARun() {
    auto library = std::make_shared<MemoryLibrary>();
    library->runs["a"] = scripted_run("a", 4, 6, 2);
    RunsDock dock(library);
    dock.show();
    const auto says = [&dock](const QString& text) {
      return std::ranges::any_of(dock.findChildren<QLabel*>(),
                                 [&](const QLabel* label) { return label->text() == text; });
    };
    QTRY_VERIFY(says("1 run"));
    library->runs["b"] = scripted_run("b", 4, 6, 2);
    dock.model().refresh();
    QTRY_VERIFY(says("2 runs"));
  }
};

KV_TEST_MAIN(LooksTest)

}  // namespace looks_test

#include "looks_test.moc"
