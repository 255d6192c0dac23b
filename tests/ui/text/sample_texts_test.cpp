// links: kv_ui app_wiring
// What the menu says of the samples that ship is there in each language of the window.
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>

#include <fstream>

#include "app/wiring/resources.h"
#include "app/wiring/samples.h"
#include "tests/support/test_program.h"
#include "ui/text/translated_texts.h"
#include "ui/welcome/sample_menu.h"

namespace sample_texts_test {

using namespace kvantage;

class SampleTextsTest : public QObject {
  Q_OBJECT

  static QString folder() { return QString::fromStdString(samples_directory().string()); }
  static std::vector<SampleEntry> samples() {
    std::vector<SampleEntry> entries;
    for (const SampleWorkload& sample : sample_workloads())
      entries.push_back({QString::fromStdString(sample.name), {}, QString::fromStdString(sample.description)});
    return entries;
  }

 private slots:
  void everySampleIsDescribedInChinese() {
    static const QRegularExpression chinese("\\p{Han}");
    const std::vector<SampleEntry> english = samples();
    std::vector<SampleEntry> shown = english;
    QVERIFY(english.size() >= 7);
    const Status translated = translate_samples(shown, folder(), "zh_CN");
    QVERIFY2(translated, translated ? "" : translated.error().message.c_str());
    for (std::size_t i = 0; i < english.size(); ++i) {
      QCOMPARE(shown[i].name, english[i].name);
      QVERIFY2(shown[i].description.contains(chinese), qPrintable(shown[i].name + " has no translation"));
    }
    const auto texts = read_translated_texts(folder() + "/zh_CN.texts", "zh_CN");
    QVERIFY(texts && texts->size() == english.size());  // none is left of a sample that is gone
  }

  void withoutTranslationsTheyAreEnglish() {
    std::vector<SampleEntry> shown = samples();
    const QString description = shown.front().description;
    QVERIFY(translate_samples(shown, folder(), "en"));
    QCOMPARE(shown.front().description, description);
    QTemporaryDir own;
    std::ofstream(own.filePath("zh_CN.texts").toStdString()) << "en: " << description.toStdString() << "\n";
    const Status broken = translate_samples(shown, own.path(), "zh_CN");
    QVERIFY(!broken && broken.error().message.find("zh_CN.texts:1: ") != std::string::npos);
    QCOMPARE(shown.front().description, description);
  }
};

KV_TEST_GUILESS_MAIN(SampleTextsTest)

}  // namespace sample_texts_test

#include "sample_texts_test.moc"
