// links: kv_ui
// The format of a picture for a paper: what is proposed, what the dialog gives, and that it is kept for the next time.
#include "ui/papers/charts/paper_format.h"

#include <QDialogButtonBox>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "tests/support/test_program.h"
#include "ui/papers/charts/paper_format_dialog.h"

namespace paper_format_test {

using namespace kvantage;

class PaperFormatTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  static PaperFormatDialog* open_dialog() {
    for (QWidget* top : QApplication::topLevelWidgets())
      if (auto* dialog = qobject_cast<PaperFormatDialog*>(top); dialog != nullptr && dialog->isVisible()) return dialog;
    return nullptr;
  }
  static QPushButton* accepting(const QDialog& dialog) {
    const auto* buttons = dialog.findChild<QDialogButtonBox*>();
    for (QAbstractButton* button : buttons->buttons())
      if (buttons->buttonRole(button) == QDialogButtonBox::AcceptRole) return qobject_cast<QPushButton*>(button);
    return nullptr;
  }

 private slots:
  void cleanup() { set_last_paper_format({}); }

  void theKindIsThatOfThePath() {
    QCOMPARE(paper_kind_of("a/plot.SVG"), QString("svg"));
    QCOMPARE(paper_kind_of("plot.png"), QString("png"));
    QCOMPARE(paper_kind_of("plot.pdf"), QString("pdf"));
    QCOMPARE(paper_kind_of("plot"), QString("pdf"));
  }

  void familiesAreListedOnce() {
    QStringList families = paper_font_families();
    const auto count = families.size();
    QVERIFY(count > 0);
    QCOMPARE(families.removeDuplicates(), 0);
    QVERIFY(!families.contains(QString()));
  }

  void theDialogGivesWhatWasChosen() {
    QWidget window;
    window.show();
    std::vector<PaperFormat> chosen;
    ask_paper_format(&window, [&](const PaperFormat& format) { chosen.push_back(format); });
    PaperFormatDialog* dialog = open_dialog();
    QVERIFY(dialog != nullptr);
    QCOMPARE(dialog->format(), PaperFormat());
    dialog->width_choice().setCurrentIndex(1);
    dialog->font_choice().setCurrentIndex(1);
    dialog->size_choice().setCurrentIndex(dialog->size_choice().findData(9.0));
    const PaperFormat wanted{PaperWidth::two_columns, {paper_font_families().front(), 9}};
    QCOMPARE(dialog->format(), wanted);
    accepting(*dialog)->click();
    QCOMPARE(chosen.size(), std::size_t{1});
    QCOMPARE(chosen.front(), wanted);
    QTRY_VERIFY(open_dialog() == nullptr);
    // It is proposed again; canceled, nothing is told and nothing changes.
    ask_paper_format(&window, [&](const PaperFormat& format) { chosen.push_back(format); });
    dialog = open_dialog();
    QVERIFY(dialog != nullptr);
    QCOMPARE(dialog->format(), wanted);
    dialog->width_choice().setCurrentIndex(0);
    dialog->reject();
    QCOMPARE(chosen.size(), std::size_t{1});
    QCOMPARE(last_paper_format(), wanted);
  }

  void theLastFormatIsKept() {
    for (const QString& family : {QStringLiteral("Liberation Serif"), QString()}) {
      const QString file = folder_.filePath("window" + QString::number(family.size()) + ".ini");
      const PaperFormat format{PaperWidth::two_columns, {family, 8}};
      {
        QSettings settings(file, QSettings::IniFormat);
        keep_paper_format_in(settings, "export/paper");
        set_last_paper_format(format);
      }
      set_last_paper_format({});  // of another window, whose settings are gone
      QSettings again(file, QSettings::IniFormat);
      keep_paper_format_in(again, "export/paper");
      QCOMPARE(last_paper_format(), format);
    }
  }

  void whatIsNoFormatIsIgnored() {
    const QString file = folder_.filePath("damaged.ini");
    const PaperFormat format{PaperWidth::two_columns, {"Arial", 10}};
    for (const QStringList& kept : {QStringList{}, QStringList{"3", "8", "Arial"}, QStringList{"1", "8.5", "Arial"},
                                    QStringList{"1", "nan", "Arial"}, QStringList{"1", "8"}}) {
      set_last_paper_format(format);
      QSettings settings(file, QSettings::IniFormat);
      settings.setValue("export/paper", kept);
      keep_paper_format_in(settings, "export/paper");
      QCOMPARE(last_paper_format(), format);
    }
  }
};

KV_TEST_MAIN(PaperFormatTest)

}  // namespace paper_format_test

#include "paper_format_test.moc"
