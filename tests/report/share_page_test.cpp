// links: kv_reports
// The page of a shared run is one file that loads nothing and permits its own script alone, whatever the names in it
// are. Digests are computed by Qt, markup is read by a rule that is not ours.
#include <QCryptographicHash>
#include <QFile>
#include <QRegularExpression>
#include <QtTest>

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "core/report/series_colors.h"
#include "core/report/share/share_page.h"
#include "tests/report/share_sample.h"
#include "tests/support/test_program.h"

namespace share_page_test {

using namespace kvantage;

namespace {

const SharedNames& hostile_names() {
  static const SharedNames names{.context = "</script><img src=x onerror=alert(1)>",
                                 .tier = "<!--<script>'\"\xe2\x80\xa8&",
                                 .policy = "lru\"><svg onload=alert(2)>",
                                 .run = "]]></title><b>\xe2\x80\xa9"};
  return names;
}

QString text_of(const std::string& page, const char* before, const char* behind) {
  const QString whole = QString::fromStdString(page);
  const qsizetype begin = whole.indexOf(before) + QString(before).size();
  return whole.mid(begin, whole.indexOf(behind, begin) - begin);
}

QString source_of(const QString& text) {
  return "'sha256-" + QCryptographicHash::hash(text.toUtf8(), QCryptographicHash::Sha256).toBase64() + "'";
}

std::string page_of(const SharedNames& names, bool texts) {
  return share_page(shared_sample(names), {.texts = texts}).value_or("");
}

}  // namespace

class SharePageTest : public QObject {
  Q_OBJECT

 private slots:
  void itsPolicyPermitsItsOwnStyleAndScriptAlone() {
    const std::string page = page_of({}, false);
    const QString policy = text_of(page, "Content-Security-Policy\" content=\"", "\">");
    const QString style = source_of(text_of(page, "<style>", "</style>"));
    const QString script = source_of(text_of(page, "<script>", "</script>"));
    QCOMPARE(policy, QString("default-src 'none'; style-src %1; script-src %2; base-uri 'none'; form-action 'none'")
                         .arg(style, script));
    QCOMPARE(QString::fromStdString(page).count("<script"), qsizetype{2});
    QCOMPARE(QString::fromStdString(page).count("<style"), qsizetype{1});
  }

  void itNamesNothingToLoad() {
    const QString page = QString::fromStdString(page_of({}, true));
    static const QRegularExpression address(
        "(src|href|action|data|poster)\\s*=\\s*[\"']|url\\((?!#)|@import|import\\(");
    QVERIFY2(!address.match(page).hasMatch(), qPrintable(address.match(page).captured()));
    QCOMPARE(page.count("://"), qsizetype{1});  // the namespace of SVG, which names a kind of element
    QVERIFY(page.contains("\"http://www.w3.org/2000/svg\""));
    for (const char* word : {"fetch(", "XMLHttpRequest", "WebSocket", "sendBeacon", "Worker(", "eval(", "innerHTML",
                             "outerHTML", "insertAdjacentHTML", "document.write"})
      QVERIFY2(!page.contains(word), word);
  }

  // Names end up as data: no tag of theirs is in the file, and JSON reads back what they were.
  void namesAreNeverMarkup() {
    const SharedNames& names = hostile_names();
    RecordedRun run = shared_sample(names);
    const std::string answer = "one\xe2\x80\xa8two</script>";
    for (Event& event : run.events)
      if (auto* finished = std::get_if<events::RequestFinished>(&event.payload)) finished->record.answer = answer;
    const std::string page = share_page(std::move(run), {.texts = true}).value_or(""), plain = page_of({}, true);
    const QString text = QString::fromStdString(page);
    for (const char* tag : {"<img", "<svg", "<b>", "<!--", "\xe2\x80\xa8", "\xe2\x80\xa9"})
      QVERIFY2(!text.contains(QString::fromUtf8(tag)), tag);
    static const QRegularExpression tag("<[a-zA-Z!/]");
    QCOMPARE(text.count(tag), QString::fromStdString(plain).count(tag));
    const Json data = data_of_page(page);
    QVERIFY(!data.is_null());
    const auto contexts = data.at("requests").at("names").at("context").get<std::vector<std::string>>();
    QVERIFY(std::ranges::all_of(contexts, [&](const std::string& name) { return name.starts_with(names.context); }));
    QCOMPARE(data.at("texts").at("answer").at(0).get<std::string>(), answer);
    QVERIFY(data.at("segments").at(0).at("name").get<std::string>().starts_with(names.policy));
    // Line separators in names are shown as a mark, as everywhere.
    QCOMPARE(data.at("tiers").at(1).at("name").get<std::string>(), std::string("<!--<script>'\"\xef\xbf\xbd&"));
  }

  void bytesThatAreNoTextAreReplaced() {
    SharedNames names;
    names.context = "caf\xe9";
    const Json data = data_of_page(page_of(names, true));
    QVERIFY(!data.is_null());
    QVERIFY(data.at("requests").at("names").at("context").at(0).get<std::string>().starts_with("caf\xef\xbf\xbd"));
    QVERIFY(data.at("texts").at("answer").at(0).get<std::string>().ends_with("caf\xef\xbf\xbd"));
  }

  void textsAreInItOnlyIfTheyWereChosen() {
    const QString without = QString::fromStdString(page_of({}, false)),
                  with = QString::fromStdString(page_of({}, true));
    QVERIFY(!without.contains("answer 0 of c") && !without.contains("question 3"));
    QVERIFY(with.contains("answer 0 of c") && with.contains("question 3"));
    QVERIFY(data_of_page(without.toStdString()).at("texts").is_null());
  }

  void theSameRunIsTheSamePage() { QCOMPARE(page_of({}, true), page_of({}, true)); }

  // A template that lost a mark would lose a part of the page.
  void everyPartIsInThePage() {
    const std::string page = page_of({}, false);
    QCOMPARE(page.find("{{"), std::string::npos);
    QVERIFY(page.find("<title>KVantage run</title>") != std::string::npos);
    for (const char* name : {"page.css", "format.js", "charts.js", "frontier.js", "page.js"}) {
      QFile file(QStringLiteral(KVANTAGE_SOURCE_DIR "/resources/share/") + name);
      QVERIFY2(file.open(QIODevice::ReadOnly), name);
      const QByteArray text = file.readAll();
      QVERIFY2(page.find(text.toStdString()) != std::string::npos, name);
      QVERIFY2(!text.contains("</") && !text.contains("<!--"), name);
      for (const QByteArray& line : text.split('\n')) QVERIFY2(line.size() <= 120, line.constData());
    }
  }

  void colorsAreThoseOfReports() {
    const QString style = text_of(page_of({}, false), "<style>", "</style>");
    for (std::size_t i = 0; i < series_colors.size(); ++i) {
      const auto rule = [i](std::uint32_t color) {
        return QStringLiteral("--c%1: #%2;").arg(i).arg(color, 6, 16, QLatin1Char('0'));
      };
      QCOMPARE(style.count(rule(series_colors[i].light)), qsizetype{2});  // on a light page, and on paper
      QCOMPARE(style.count(rule(series_colors[i].dark)), qsizetype{1});
    }
  }
};

KV_TEST_APPLESS_MAIN(SharePageTest)

}  // namespace share_page_test

#include "share_page_test.moc"
