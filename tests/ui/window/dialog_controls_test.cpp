// links: kv_ui
// Every dialog, with the keyboard, a screen reader and large text: whatever takes the keyboard has a name and a tip of
// at most three lines, and what is written there is whole.
#include <QTest>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "tests/support/test_program.h"
#include "tests/ui/window/cut_texts.h"
#include "tests/ui/window/keyboard_controls.h"
#include "tests/ui/window/opened_dialogs.h"
#include "ui/look/font_scale.h"

namespace dialog_controls_test {

using namespace kvantage;
using namespace kvantage::keyboard_controls;

class DialogControlsTest : public QObject {
  Q_OBJECT

 private slots:
  void cleanup() { set_font_percent(100); }

  // A source that makes a dialog has a row here: whoever adds one adds it to what is walked through.
  void everyDialogOfTheSourcesIsWalked() {
    namespace fs = std::filesystem;
    static const std::regex makes(
        R"(: public QDialog\b|\bnew Q(Dialog|MessageBox|InputDialog|ProgressDialog)\(|\bQMessageBox box\()");
    std::set<std::string> found, walked;
    const fs::path root = fs::path(KVANTAGE_SOURCE_DIR) / "ui";
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
      if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
      std::ostringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      if (std::regex_search(text.str(), makes)) found.insert(fs::relative(entry.path(), root).generic_string());
    }
    for (const DialogRow& row : dialog_rows()) walked.insert(row.source);
    for (const std::string& source : found) QVERIFY2(walked.contains(source), source.c_str());
    for (const std::string& source : walked) QVERIFY2(found.contains(source), source.c_str());
  }

  void whatTakesTheKeyboardHasANameAndATip() {
    DialogBench bench;
    QStringList nameless, tipless, long_tips;
    int walked = 0;
    for (const DialogRow& row : dialog_rows()) {
      const int before = walked;
      const bool opened = look_at_dialog(bench, row, [&](QDialog& dialog) {
        for (QWidget* widget : dialog.findChildren<QWidget*>()) {
          if (!takes_keyboard(*widget)) continue;
          ++walked;
          const QString place = QStringLiteral("%1: %2 %3").arg(row.source, where(*widget), name_of(*widget));
          if (name_of(*widget).trimmed().isEmpty()) nameless << place;
          if (widget->toolTip().trimmed().isEmpty()) tipless << place;
          if (widget->toolTip().count('\n') > 2) long_tips << place;
        }
      });
      QVERIFY2(opened, row.source);
      QVERIFY2(walked > before, row.source);
    }
    QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join('\n')));
    QVERIFY2(tipless.isEmpty(), qPrintable(tipless.join('\n')));
    QVERIFY2(long_tips.isEmpty(), qPrintable(long_tips.join('\n')));
    QVERIFY2(walked > 50, qPrintable(QString::number(walked)));
  }

  void textsAreWhole_data() {
    QTest::addColumn<int>("percent");
    for (const int percent : {100, 140, 200}) QTest::addRow("%d", percent) << percent;
  }
  void textsAreWhole() {
    QFETCH(int, percent);
    DialogBench bench;
    bench.window->set_font_size(percent);
    CutTexts texts;
    QStringList large;
    for (const DialogRow& row : dialog_rows()) {
      const bool opened = look_at_dialog(bench, row, [&](QDialog& dialog) {
        add_cut_page_texts(QString::fromLatin1(row.source), dialog, texts);
        const QSize least = dialog.minimumSizeHint();
        if (least.width() > 1280 || least.height() > 800)
          large << QStringLiteral("%1 asks for %2 x %3").arg(row.source).arg(least.width()).arg(least.height());
      });
      QVERIFY2(opened, row.source);
    }
    QVERIFY2(texts.cut.isEmpty(), qPrintable(texts.cut.join('\n')));
    QVERIFY2(large.isEmpty(), qPrintable(large.join('\n')));
    QVERIFY2(texts.labels > 15 && texts.buttons > 20,
             qPrintable(QStringLiteral("%1 %2").arg(texts.labels).arg(texts.buttons)));
  }
};

KV_TEST_MAIN(DialogControlsTest)

}  // namespace dialog_controls_test

#include "dialog_controls_test.moc"
