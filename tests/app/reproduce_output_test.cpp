// links: kv_experiments
// `reproduce FIGURE` on several models, and its pictures for a paper: on figures of arithmetic, which load no model.
#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include "core/base/files.h"
#include "core/experiments/figures/model_comparison.h"
#include "core/report/figure.h"
#include "tests/support/command_line.h"
#include "tests/support/test_model.h"
#include "tests/support/test_program.h"

namespace reproduce_output_test {

using namespace kvantage;
using namespace kvantage::test;

class ReproduceOutputTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  QString text(const char* name) const { return folder_.filePath(name); }
  static QString refusal(const QStringList& words, int code) {
    const Answer answer = call(QStringList{"reproduce"} + words);
    if (answer.exit_code != code || answer.error_lines().size() != 1 || !answer.out.isEmpty())
      return "not refused so: " + answer.text();
    return answer.error_lines().front();
  }

 private slots:
  void severalModelsAreOneList() {
    if (model_directory().empty()) QSKIP("the models in resources are not there");
    const QString own = text("my model");
    QVERIFY(QDir().mkpath(own));
    const Answer answer =
        call({"reproduce", "evicpress/examples", "--models", "default, reference-mha," + own, "--json"});
    QVERIFY2(answer.exit_code == 0, answer.text());
    QVERIFY(answer.out.startsWith('['));
    const auto results = figure_results_of(answer.out.toStdString(), "out");
    QVERIFY2(results && results->size() == 4, answer.text());
    for (const auto& [index, name] : {std::pair{0, "default"}, {1, "reference-mha"}, {2, "my model"}}) {
      const FigureResult& result = (*results)[static_cast<std::size_t>(index)];
      QVERIFY2(result.title.ends_with(" (" + std::string(name) + ")"), result.title.c_str());
      QCOMPARE(result.settings.at("model name").get<std::string>(), std::string(name));
    }
    // Arithmetic knows no model: the verdicts are the same on each.
    const FigureResult& compared = results->back();
    QCOMPARE(compared.tables.size(), std::size_t{1});
    QCOMPARE(compared.tables.front().title, std::string(model_claims_title));
    QVERIFY(!compared.tables.front().rows.empty() && compared.tables.front().rows.size() % 3 == 0);
    QVERIFY2(compared.findings.front().starts_with("models: the verdicts differ on 0 of "),
             compared.findings.front().c_str());
  }

  void severalModelsAsText() {
    if (model_directory().empty()) QSKIP("the models in resources are not there");
    const Answer one = call({"reproduce", "evicpress/examples"});
    const Answer answer = call({"reproduce", "evicpress/examples", "--models", "default,reference-mha"});
    QVERIFY2(answer.exit_code == 0 && one.exit_code == 0, answer.text());
    const qsizetype first = answer.out.indexOf("(default) ("), second = answer.out.indexOf("(reference-mha) ("),
                    last = answer.out.indexOf(model_claims_title);
    QVERIFY2(first >= 0 && first < second && second < last, answer.text());
    QCOMPARE(answer.out.count("The paper: "), 3 * one.out.count("The paper: "));
  }

  void refusals_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("part");
    QTest::newRow("random weights") << QStringList{"kvpr/table1", "--models", "default"} << 2
                                    << "--models: figure kvpr/table1 takes no --model: it uses random weights";
    QTest::newRow("no such model") << QStringList{"evicpress/fig2", "--models", "default,/nonexistent"} << 3
                                   << "--models: /nonexistent is not there";
    QTest::newRow("twice") << QStringList{"evicpress/fig2", "--models", "default,default"} << 2
                           << "--models: default is named twice";
    QTest::newRow("none") << QStringList{"evicpress/fig2", "--models", ","} << 2 << "--models: no model is named";
    QTest::newRow("both") << QStringList{"evicpress/fig2", "--models", "default", "--model", "reference-mha"} << 2
                          << "--model";
    QTest::newRow("another option") << QStringList{"evicpress/fig2", "--models", "default", "--budgets", "0.5"} << 2
                                    << "figure evicpress/fig2 takes no --budgets; leave it out";
    QTest::newRow("an option of all") << QStringList{"evicpress/fig2", "--models", "default", "--only", "x"} << 2
                                      << "figure evicpress/fig2 takes no --only; leave it out";
    QTest::newRow("unknown figure") << QStringList{"evicpress/fig99", "--models", "default"} << 2 << "unknown figure";
    QTest::newRow("all, models") << QStringList{"all", "--out", "x", "--models", "default"} << 2
                                 << "--models: is for one figure, not for reproduce all";
    QTest::newRow("all, picture") << QStringList{"all", "--out", "x", "--picture", "x.svg"} << 2
                                  << "--picture: is for one figure, not for reproduce all";
    QTest::newRow("list") << QStringList{"list", "--models", "default"} << 2 << "--models: ";
    QTest::newRow("an ending") << QStringList{"evicpress/fig2", "--picture", "fig2.gif"} << 2
                               << "--picture: fig2.gif: no format of pictures";
    QTest::newRow("no folder") << QStringList{"evicpress/fig2", "--picture", "/nonexistent/fig2.svg"} << 3
                               << "--picture: /nonexistent is no folder";
    QTest::newRow("a width alone") << QStringList{"evicpress/fig2", "--picture-width", "page"} << 2
                                   << "--picture-width: needs --picture";
    QTest::newRow("a width") << QStringList{"evicpress/fig2", "--picture", "x.svg", "--picture-width", "poster"} << 2
                             << "--picture-width";
  }
  void refusals() {
    QFETCH(QStringList, words);
    QFETCH(int, code);
    QFETCH(QString, part);
    const QString line = refusal(words, code);
    QVERIFY2(line.contains(part), qPrintable(line));
  }

  void onlyFiguresWithAModelShowTheOption() {
    const Answer reads = call({"reproduce", "pagedeviction/fig2", "--help-all"}),
                 random = call({"reproduce", "kvpr/table1", "--help-all"});
    QVERIFY2(reads.out.contains("--models ") && reads.out.contains("--picture "), reads.text());
    QVERIFY2(!random.out.contains("--models ") && random.out.contains("--picture "), random.text());
  }

  // Qt starts for a picture, without a display and without a word of its own; stdout has the figure alone.
  void aPictureNeedsNoDisplay() {
    const QStringList wrapper{"env", "-u", "DISPLAY", "-u", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM=xcb", "LC_ALL=C"};
    for (const auto& [width, mm] : {std::pair{"column", "85mm"}, {"page", "178mm"}}) {
      const QString file = text((std::string(width) + ".svg").c_str());
      const Answer answer = call({"reproduce", "evicpress/fig2", "--picture", file, "--picture-width", width}, wrapper);
      QVERIFY2(answer.exit_code == 0, answer.text());
      QCOMPARE(answer.error_lines(), QStringList{"picture: " + file});
      QVERIFY2(answer.out.startsWith("evicpress/fig2: ") && answer.out.contains("all numbers match the paper's"),
               answer.text());
      const std::string svg = read_text_file(file.toStdString()).value_or("");
      QVERIFY2(svg.find(std::string("width=\"") + mm) != std::string::npos, svg.substr(0, 300).c_str());
      QVERIFY(svg.find("total TTFT, s") != std::string::npos);  // as text
    }
    const Answer pdf = call({"reproduce", "evicpress/fig2", "--picture", text("fig2.pdf"), "--quiet"}, wrapper);
    QVERIFY2(pdf.exit_code == 0 && pdf.error.isEmpty(), pdf.text());
    const std::string bytes = read_text_file(text("fig2.pdf").toStdString()).value_or("");
    QVERIFY(bytes.starts_with("%PDF-") && bytes.find("/FontFile2") != std::string::npos);
  }

  void severalPlotsAreNumbered() {
    const Answer answer = call({"reproduce", "evicpress/examples", "--picture", text("examples.png")});
    QVERIFY2(answer.exit_code == 0, answer.text());
    QVERIFY2(answer.error_lines().size() > 1, answer.text());
    for (qsizetype i = 1; i <= answer.error_lines().size(); ++i)
      QVERIFY2(QFile::exists(text("examples-") + QString::number(i) + ".png"), answer.text());
  }

  void aMachineWithoutFontsHasNoPicture() {
    QVERIFY(QDir().mkpath(text("no fonts")));
    QVERIFY(write_text_file(text("fonts.conf").toStdString(),
                            "<?xml version=\"1.0\"?><!DOCTYPE fontconfig SYSTEM \"fonts.dtd\"><fontconfig><dir>" +
                                text("no fonts").toStdString() + "</dir></fontconfig>"));
    const Answer answer = call({"reproduce", "evicpress/fig2", "--picture", text("fontless.svg")},
                               {"env", "FONTCONFIG_FILE=" + text("fonts.conf")});
    QVERIFY2(answer.exit_code == 1 && answer.error_lines().size() == 1, answer.text());
    QVERIFY2(answer.error.contains("no font") && answer.error.contains("fonts-dejavu-core"), answer.text());
    QVERIFY(!QFile::exists(text("fontless.svg")));
  }
};

KV_TEST_GUILESS_MAIN(ReproduceOutputTest)

}  // namespace reproduce_output_test

#include "reproduce_output_test.moc"
