// links: kv_ui
// Help without a network: pages of the documentation, links within and between them, all shortcuts of a window.
#include <QLineEdit>
#include <QScrollBar>
#include <QTextBlock>
#include <QtTest>

#include "tests/support/test_program.h"
#include "tests/ui/window/scripted_window.h"
#include "ui/learn/help_window.h"

namespace help_window_test {

using namespace kvantage;

class HelpWindowTest : public QObject {
  Q_OBJECT
  ScriptedWindow scripted_;
  const QString docs_ = QStringLiteral(KVANTAGE_SOURCE_DIR) + QStringLiteral("/docs");

 private slots:
  void everyPageIsThereAndReadable() {
    QWidget window;
    HelpWindow help(docs_, &window);
    QVERIFY(help.pages().size() >= 10);
    for (const HelpPage& page : help.pages()) {
      QVERIFY(help.show_page(page.file));
      const QString text = help.browser().toPlainText();
      QVERIFY2(page.file.isEmpty() || text.size() > 800, qPrintable(page.file));
      QVERIFY2(!text.contains("](") && !text.contains("\n## "), qPrintable(page.file));  // Markdown was read
    }
    QVERIFY(!help.show_page("nosuch.md"));
  }

  void aLinkLeadsToItsHeadingOnAnotherPage() {
    QWidget window;
    HelpWindow help(docs_, &window);
    help.show();
    QVERIFY(help.show_page("guide.md"));
    auto* browser = help.findChild<HelpBrowser*>();
    emit browser->anchorClicked(QUrl("concepts.md#compression"));
    QVERIFY(browser->source().fileName() == "concepts.md");
    QCOMPARE(browser->textCursor().block().text(), QString("Compression"));
    QVERIFY(browser->isBackwardAvailable());
    QVERIFY(!browser->scroll_to_heading("nosuch"));
  }

  void picturesFitTheView() {
    QWidget window;
    HelpWindow help(docs_, &window);
    help.resize(700, 500);
    help.show();
    QVERIFY(help.show_page("guide.md"));
    QTest::qWait(0);
    QCOMPARE(help.browser().horizontalScrollBar()->maximum(), 0);
  }

  void everyShortcutIsListed() {
    ScriptedSession session;
    WindowOptions wanted = scripted_.options();
    wanted.help_folder = docs_;
    auto window = scripted_.loaded(session, wanted);
    for (QAction* action : window->findChildren<QAction*>())
      if (QString(action->text()).remove('&') == "Keyboard shortcuts") action->trigger();
    auto* help = window->findChild<HelpWindow*>();
    QVERIFY(help != nullptr && help->isVisible());
    const QString text = help->browser().toPlainText();
    for (const char* part : {"Guided tour", "F1", "Find command", "Ctrl+K", "Export all charts"})
      QVERIFY2(text.contains(part), part);
    QVERIFY(!text.contains('&'));
    help->close();
  }

  void aWordIsFoundFromTheTopAgain() {
    QWidget window;
    HelpWindow help(docs_, &window);
    help.show();
    QVERIFY(help.show_page("concepts.md"));
    auto* search = help.findChild<QLineEdit*>();
    auto* browser = help.findChild<HelpBrowser*>();
    search->setText("Compulsory miss");
    QTest::keyClick(search, Qt::Key_Return);
    const int first = browser->textCursor().position();
    QCOMPARE(browser->textCursor().selectedText(), QString("Compulsory miss"));
    browser->moveCursor(QTextCursor::End);
    QTest::keyClick(search, Qt::Key_Return);
    QCOMPARE(browser->textCursor().position(), first);
    search->setText("zzz not there");
    QTest::keyClick(search, Qt::Key_Return);
    QVERIFY2(search->toolTip().contains("Not found"), qPrintable(search->toolTip()));
    search->setText("Compulsory miss");
    QTest::keyClick(search, Qt::Key_Return);
    QVERIFY2(search->toolTip().contains("Shift+Enter"), qPrintable(search->toolTip()));
  }

  void withoutDocumentationThereAreShortcuts() {
    ScriptedSession session;
    auto window = scripted_.loaded(session);
    HelpWindow help(QString(), window.get());
    QCOMPARE(help.pages().size(), std::size_t{1});
    QVERIFY(help.browser().toPlainText().contains("Ctrl+K"));
  }
};

KV_TEST_MAIN(HelpWindowTest)

}  // namespace help_window_test

#include "help_window_test.moc"
