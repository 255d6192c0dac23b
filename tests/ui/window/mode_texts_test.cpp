// links: kv_ui
// Every mode on a small and a large screen, in both themes and any size of text: what is written there is whole, or a
// hover away.
#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QVBoxLayout>
#include <memory>

#include "tests/support/test_program.h"
#include "tests/ui/window/cut_texts.h"
#include "tests/ui/window/filled_window.h"
#include "ui/look/font_scale.h"
#include "ui/papers/figures_page.h"

namespace mode_texts_test {

using namespace kvantage;

class ModeTextsTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;
  QTemporaryDir folder_;

  /// Of a page, with every page of its tabs in turn.
  static void look_at(const QString& mode, const QWidget& page, CutTexts& texts) {
    test::settle(60);
    add_cut_page_texts(mode, page, texts);
    for (QTabWidget* tabs : page.findChildren<QTabWidget*>()) {
      const int before = tabs->currentIndex();
      for (int tab = 0; tabs->isVisible() && tab < tabs->count(); ++tab) {
        if (tab == before || !tabs->isTabEnabled(tab)) continue;
        tabs->setCurrentIndex(tab);
        test::settle(60);
        if (const QWidget* shown = tabs->currentWidget(); shown != nullptr)
          add_cut_page_texts(mode + ", " + tabs->tabText(tab), *shown, texts);
      }
      tabs->setCurrentIndex(before);
    }
  }

 private slots:
  void cleanup() { set_font_percent(100); }

  // Whoever looks for cut texts finds them.
  void cutTextsAreFound() {
    apply_theme(*static_cast<QApplication*>(QApplication::instance()), ThemeKind::light);  // boxes say what they cut
    QWidget page;
    page.resize(400, 300);
    auto* whole = new QLabel("a text", &page);
    auto* narrow = new QLabel("a text that is longer than its label", &page);
    auto* told = new QLabel("a text that its tool tip has as well", &page);
    auto* low = new QLabel("a text that needs three lines or four of this width", &page);
    auto* beyond = new QPushButton("Beyond", &page);
    whole->setGeometry(10, 10, 200, 30);
    narrow->setGeometry(10, 50, 60, 30);
    told->setGeometry(10, 90, 60, 30);
    told->setToolTip(told->text());
    low->setWordWrap(true);
    low->setGeometry(10, 130, 120, whole->fontMetrics().height());
    beyond->setGeometry(350, 200, 200, 40);
    auto* box = new QComboBox(&page);
    box->addItem("a value that is longer than its box");
    box->setGeometry(10, 180, 90, 26);
    auto* slim = new QComboBox(&page);
    slim->addItem("another value that nothing is seen of");
    slim->setGeometry(10, 210, 34, 26);
    auto* field = new QLineEdit(&page);
    field->setPlaceholderText("whole");
    field->setGeometry(10, 240, 90, 26);
    page.show();
    CutTexts texts;
    add_cut_page_texts("page", page, texts);
    QCOMPARE(texts.cut, (QStringList{"page: value another value that nothing is seen of",
                                     "page: label a text that is longer than its label",
                                     "page: label a text that needs three lines or four of this width",
                                     "page: beyond its frame: button Beyond"}));
    QCOMPARE(texts.values, 3);
    QCOMPARE(texts.labels, 4);
    QCOMPARE(texts.buttons, 1);
  }

  void everyModeIsWhole_data() {
    QTest::addColumn<int>("percent");
    QTest::addColumn<bool>("dark");
    QTest::addColumn<QSize>("size");
    const QSize small(1280, 800), large(2560, 1440);
    for (const int percent : {100, 140, 200}) QTest::addRow("%d", percent) << percent << false << small;
    for (const int percent : {100, 200}) QTest::addRow("%d, dark", percent) << percent << true << small;
    for (const int percent : {100, 200}) QTest::addRow("%d, large screen", percent) << percent << false << large;
    QTest::addRow("200, dark, large screen") << 200 << true << large;
  }
  void everyModeIsWhole() {
    QFETCH(int, percent);
    QFETCH(bool, dark);
    QFETCH(QSize, size);
    ScriptedSession session;
    ScriptedInspector inspector(400);
    ScriptedAsker asker;
    auto window = scripted_.loaded(session, filled_options(scripted_, folder_, inspector, asker));
    session.serve(30);
    QTRY_COMPARE(run_of(*window).served(), 30u);
    fill_pages(*window, asker);
    if (QTest::currentTestFailed()) return;
    modes_of(*window).leave();
    if (dark) window->set_theme(ThemeKind::dark);
    window->set_font_size(percent);
    window->resize(size);
    CutTexts texts;
    QStringList grown, empty;
    for (const ModeEntry& mode : mode_registry()) {
      window->show_view(mode.id);
      test::settle(120);
      const QWidget* page = mode.id == live_mode ? &part_of<FrontierPage>(*window) : modes_of(*window).page(mode.id);
      QVERIFY2(page != nullptr && page->isVisible(), qPrintable(mode.id));
      const int seen = texts.buttons + texts.labels + texts.titles;
      look_at(mode.id, *page, texts);
      if (mode.id == "papers") {  // a paper has a tab that its figures lack
        QTreeView& tree = window->body<FiguresPage>("papers")->tree();
        tree.setCurrentIndex(tree.model()->index(0, 0));
        look_at(mode.id, *page, texts);
      }
      if (texts.buttons + texts.labels + texts.titles == seen) empty << mode.id;
      if (window->size() != size)
        grown << QStringLiteral("%1: %2 x %3").arg(mode.id).arg(window->width()).arg(window->height());
    }
    for (const QString& text : texts.cut) qWarning("cut: %s", qPrintable(text));
    QVERIFY2(texts.cut.isEmpty(), qPrintable(texts.cut.join('\n')));
    QVERIFY2(grown.isEmpty(), qPrintable(grown.join('\n')));
    QVERIFY2(empty.isEmpty(), qPrintable(empty.join(' ')));
    QVERIFY2(
        texts.labels > 30 && texts.buttons > 30 && texts.titles > 8 && texts.values > 20,
        qPrintable(
            QStringLiteral("%1 %2 %3 %4").arg(texts.labels).arg(texts.buttons).arg(texts.titles).arg(texts.values)));
  }

  // As at a start: no widget has had a style sheet when the size is read.
  void aRememberedSizeIsThatOfEveryMode() {
    constexpr double least_share = 1.6;  // of the system's size: names of modes, legends and axes are a bit smaller
    const double system = QApplication::font().pointSizeF();
    static_cast<QApplication*>(QApplication::instance())->setStyleSheet({});
    ScriptedSession session;
    ScriptedInspector inspector(400);
    ScriptedAsker asker;
    const WindowOptions options = filled_options(scripted_, folder_, inspector, asker);
    QSettings(options.settings_file, QSettings::IniFormat).setValue("window/font_percent", 200);
    auto window = scripted_.loaded(session, options);
    window->resize(1280, 800);
    QCOMPARE(font_percent(), 200);
    for (const ModeEntry& mode : mode_registry()) {
      window->show_view(mode.id);
      test::settle(120);
      QStringList small;
      int seen = 0;
      for (const QWidget* widget : window->findChildren<QWidget*>()) {
        if (!widget->isVisible()) continue;
        ++seen;
        if (widget->font().pointSizeF() < least_share * system)
          small << QStringLiteral("%1 %2: %3")
                       .arg(widget->metaObject()->className(), widget->accessibleName())
                       .arg(widget->font().pointSizeF());
      }
      QVERIFY2(small.isEmpty(), qPrintable(mode.id + ": " + small.join(", ")));
      QVERIFY2(seen > 30, qPrintable(mode.id));
    }
  }
};

KV_TEST_MAIN(ModeTextsTest)

}  // namespace mode_texts_test

#include "mode_texts_test.moc"
