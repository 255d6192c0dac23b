// links: kv_ui
// Papers > Settings > More: options that a figure rarely needs, folded, with the values that are handed over.
#include "ui/papers/model/more_settings.h"

#include <QLabel>
#include <QSignalSpy>
#include <QTest>
#include <algorithm>

#include "tests/support/test_program.h"
#include "ui/papers/figure_settings_form.h"
#include "ui/papers/model/figure_job.h"

namespace more_settings_test {

using namespace kvantage;

class MoreSettingsTest : public QObject {
  Q_OBJECT

  static const PaperFigure& figure(const char* name) { return *find_paper_figure(name); }
  static QStringList options_of(const char* name) {
    QStringList options;
    for (const MoreSetting& setting : more_settings(figure(name))) options << setting.option;
    return options;
  }
  static QString value_of(const FigureOptions& options, const char* option) {
    for (const auto& [name, value] : options)
      if (name == QLatin1String(option)) return value;
    return {};
  }

 private slots:
  void eachFigureHasItsOwn() {
    QCOMPARE(options_of("evicpress/fig7"),
             (QStringList{"--max-batch", "--profile-questions", "--seed", "--model", "--models"}));
    QCOMPARE(options_of("compaction/decode"), (QStringList{"--cadence", "--shared-heads", "--model", "--models"}));
    QCOMPARE(options_of("kvpr/fig7"), (QStringList{"--model", "--models"}));  // else on random weights
    QVERIFY(options_of("evicpress/examples").isEmpty() && options_of("kvpr/fig12").isEmpty());
    // A setting is no further option.
    QVERIFY(!options_of("adaptcache/coding").contains("--model") &&
            options_of("adaptcache/coding").contains("--models"));
    QVERIFY(!options_of("evicpress/fig10").contains("--reprofile-threshold"));  // another spelling of a setting
    for (const PaperFigure& one : paper_figures())
      for (const MoreSetting& setting : more_settings(one)) {
        QVERIFY2(!setting.label.isEmpty() && !setting.tip.isEmpty(), qPrintable(setting.option));
        QVERIFY(setting.is_flag != !setting.otherwise.isEmpty());
        QVERIFY(std::ranges::none_of(one.settings, [&](const FigureSetting& known) {
          return setting.option == QString::fromStdString(known.option);
        }));
        QVERIFY2(reads_model_option(one, setting.option.toStdString()) || setting.option == "--models" ||
                     std::ranges::count(one.more, setting.option.toStdString()) == 1,
                 qPrintable(setting.option));
      }
  }

  // Every option that figures read beside their settings has texts, or is another spelling of one.
  void noneIsWithoutTexts() {
    for (const PaperFigure& one : paper_figures()) {
      const QStringList shown = options_of(one.name.c_str());
      for (const std::string& option : one.more)
        QVERIFY2(shown.contains(QString::fromStdString(option)) || option == "--reprofile-threshold",
                 (one.name + ": " + option).c_str());
    }
  }

  void theyAreFoldedUntilTheyAreAskedFor() {
    FigureSettingsForm form;
    form.resize(500, 900);
    form.show();
    form.show_figure(figure("evicpress/fig7"));
    QVERIFY(form.more_button() && !form.more_button()->toolTip().isEmpty());
    QLineEdit* batch = form.line("--max-batch");
    QVERIFY(batch && !batch->isVisible() && form.line("--budgets")->isVisible());
    form.more_button()->click();
    QVERIFY(batch->isVisible() && form.more_button()->arrowType() == Qt::DownArrow);
    QVERIFY(!batch->toolTip().isEmpty() && batch->accessibleName() == "Max concurrency" &&
            batch->placeholderText() == "as in the workload");
    const auto labels = form.findChildren<QLabel*>();
    QVERIFY(std::ranges::any_of(labels, [&](const QLabel* one) { return one->buddy() == batch && one->isVisible(); }));
    form.more_button()->click();
    QVERIFY(!batch->isVisible());
    form.show_figure(figure("evicpress/examples"));
    QVERIFY(form.more_button() == nullptr && !form.line("--max-batch"));
  }

  void theirValuesAreHandedOverAndKept() {
    FigureSettingsForm form;
    form.show_figure(figure("compaction/decode"));
    QSignalSpy edited(&form, &FigureSettingsForm::edited);
    QVERIFY(!form.changed() && value_of(form.options(), "--cadence").isEmpty());
    form.line("--cadence")->setText(" 4 ");
    form.line("--models")->setText("reference-mha,default");
    form.flag("--shared-heads")->click();
    QCOMPARE(edited.size(), 3);
    QVERIFY(form.changed());
    QCOMPARE(value_of(form.options(), "--cadence"), QString("4"));
    const QStringList words = FigureJob::arguments_of(figure("compaction/decode"), form.options());
    QCOMPARE(words.front(), QString("compaction/decode"));
    QCOMPARE(words.value(words.indexOf("--cadence") + 1), QString("4"));
    QCOMPARE(words.value(words.indexOf("--models") + 1), QString("reference-mha,default"));
    const qsizetype flag = words.indexOf("--shared-heads");  // without a value
    QVERIFY(flag > 0 && !words.contains(flag_on) && (flag + 1 == words.size() || words[flag + 1].startsWith("--")));
    form.show_figure(figure("evicpress/fig3"));
    form.show_figure(figure("compaction/decode"));
    QVERIFY(form.flag("--shared-heads")->isChecked() && form.line("--cadence")->text() == " 4 ");
    QVERIFY(form.more_button()->isChecked());  // what was changed is seen
    form.set_standards();
    QVERIFY(!form.changed() && !form.flag("--shared-heads")->isChecked() && form.line("--models")->text().isEmpty());
    QVERIFY(!FigureJob::arguments_of(figure("compaction/decode"), form.options()).contains("--shared-heads"));
  }
};

KV_TEST_MAIN(MoreSettingsTest)

}  // namespace more_settings_test

#include "more_settings_test.moc"
