// links: kv_reports
// The page of a shared run in a headless Chromium, with hostile names: it loads alone and silently, and its slider,
// keys and buttons show what was recorded, to the byte.
#include <QCryptographicHash>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QSet>
#include <QUrl>
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/report/replay_source.h"
#include "core/report/share/share_page.h"
#include "tests/report/share_probe.h"
#include "tests/report/share_sample.h"
#include "tests/support/headless_browser.h"
#include "tests/support/test_program.h"

namespace share_browser_test {

using namespace kvantage;
using namespace kvantage::test;

namespace {

const SharedNames& hostile_names() {
  static const SharedNames names{.context = "</script><img src=x onerror=\"console.error('context')\">",
                                 .tier = "<img src=http://example.com/tier.png>",
                                 .policy = "lru'\"><svg onload=\"console.error('policy')\">",
                                 .run = "<b>\xe2\x80\xa8{{script}}"};
  return names;
}

std::string hostile_page(bool texts) {
  return share_page(shared_sample(hostile_names()), {.texts = texts}).value_or("");
}

/// The page with a script of the test behind its own, which its policy permits as well.
std::string driven(std::string page, const std::string& steps) {
  const std::string script = probe_script + steps + probe_tail;
  const std::string digest =
      QCryptographicHash::hash(QByteArray::fromStdString(script), QCryptographicHash::Sha256).toBase64().toStdString();
  const std::string before = "script-src ";
  page.insert(page.find(before) + before.size(), "'sha256-" + digest + "' ");
  page.insert(page.rfind("</body>"), "<script>" + script + "</script>");
  return page;
}

/// What the steps noted, by name.
QJsonObject probed(const PageVisit& seen) {
  static const QRegularExpression form("<pre id=\"probe\">([^<]*)</pre>");
  const auto found = form.match(seen.page);
  return QJsonDocument::fromJson(QUrl::fromPercentEncoding(found.captured(1).toLatin1()).toUtf8()).object();
}

std::string seconds_text(double seconds) { return dump_json(Json(seconds)); }

}  // namespace

class ShareBrowserTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    if (headless_browser().isEmpty()) QSKIP(no_browser);
  }

  void thePageLoadsAloneAndSilently_data() {
    QTest::addColumn<bool>("texts");
    QTest::newRow("without texts") << false;
    QTest::newRow("with texts") << true;
  }
  void thePageLoadsAloneAndSilently() {
    QFETCH(bool, texts);
    const QTemporaryDir folder;
    const PageVisit seen = visit_page(folder, hostile_page(texts));
    QVERIFY2(seen.page.contains("data-ready=\"true\""), "the page's script did not end");
    QVERIFY2(seen.console.isEmpty(), qPrintable(seen.console.join('\n')));
    QVERIFY2(seen.requests.isEmpty(), qPrintable(seen.requests.join('\n')));
    QCOMPARE(seen.page.contains("<bdi>Questions and answers are not in this file"), !texts);
    QCOMPARE(seen.page.contains("<summary>Answer</summary>"), texts);
    QVERIFY(seen.page.contains("&lt;img src=http://example.com/tier.png&gt;"));  // its name, as a text
  }

  // At any time the page shows what a replay has then: bytes in use and the budget.
  void theSliderShowsTheRecordedOccupancy() {
    const auto replay = ReplaySource::open(shared_sample(hostile_names()));
    QVERIFY(replay.has_value());
    const std::vector<double> times{0.025, 0.125, 1.025, 2.975, 3.125, 4.525, 5.975, 100};
    std::string steps;
    for (const double seconds : times)
      steps += "move(" + seconds_text(seconds) + "); note(\"" + seconds_text(seconds) + "\");\n";
    const QTemporaryDir folder;
    const PageVisit seen = visit_page(folder, driven(hostile_page(false), steps));
    QVERIFY2(seen.console.isEmpty(), qPrintable(seen.console.join('\n')));
    const QJsonObject notes = probed(seen);
    QCOMPARE(notes.size(), static_cast<qsizetype>(times.size()));
    QSet<QString> different;
    for (const double seconds : times) {
      const QJsonObject note = notes[QString::fromStdString(seconds_text(seconds))].toObject();
      const ReplayState& state = (*replay)->seek((*replay)->moment_at(seconds));
      const double shown = std::min(seconds, (*replay)->duration());
      QVERIFY(std::fabs(note["time"].toString().toDouble() - shown) < 1e-6);
      QVERIFY(std::fabs(note["slider"].toString().toDouble() - shown) < 1e-6);
      const QJsonArray tiers = note["tiers"].toArray();
      QCOMPARE(tiers.size(), qsizetype{2});
      for (const QJsonValue one : tiers) {
        const QJsonObject tier = one.toObject();
        const auto known = state.occupancy.find(tier["tier"].toString().toStdString());
        const bool is_known = known != state.occupancy.end();
        QCOMPARE(tier["used"].toString(), is_known ? QString::number(known->second.used_bytes) : QString());
        QCOMPARE(tier["budget"].toString(), is_known ? QString::number(known->second.budget_bytes) : QString());
        different << tier["used"].toString();
      }
    }
    QVERIFY(different.size() > 8);
  }

  // Everything else that moves with it: answers, hit rates, means of the frontier, annotations.
  void theSliderMovesEverything() {
    const RunReport report = report_of_runs({shared_sample(hostile_names())});
    const QTemporaryDir folder;
    const PageVisit seen = visit_page(
        folder, driven(hostile_page(false), "note('end'); move(2.525); note('middle'); move(0); note('start');"));
    QVERIFY2(seen.console.isEmpty(), qPrintable(seen.console.join('\n')));
    const QJsonObject notes = probed(seen);
    const QJsonObject end = notes["end"].toObject(), middle = notes["middle"].toObject(),
                      start = notes["start"].toObject();
    QCOMPARE(end["charts"].toInt(), 1 + 2 + 1);  // frontier, two tiers, hit rates
    QCOMPARE(end["foreign"].toInt(), 0);         // elements that names would make
    QCOMPARE(start["answered"].toString(), QString("0"));
    QCOMPARE(middle["answered"].toString(), QString("25"));
    QCOMPARE(end["answered"].toString(), QString("60"));
    QCOMPARE(start["rows"].toInt(), 0);
    QCOMPARE(middle["rows"].toInt(), 25);
    QCOMPARE(end["rows"].toInt(), 50);  // of a page of the table
    QCOMPARE(start["marks"].toString(), QString("0"));
    QCOMPARE(middle["marks"].toString(), QString("3"));
    QCOMPARE(end["marks"].toString(), QString("5"));
    const QJsonArray segments = end["segments"].toArray();
    QCOMPARE(segments.size(), static_cast<qsizetype>(report.rows.size()));
    for (qsizetype i = 0; i < segments.size(); ++i) {
      const PolicyRow& row = report.rows[static_cast<std::size_t>(i)];
      const QJsonObject segment = segments[i].toObject();
      QCOMPARE(segment["segment"].toString(), QString::fromStdString(row.policy));
      QCOMPARE(segment["complete"].toString(), QString("true"));
      QCOMPARE(segment["n"].toString().toULongLong(), static_cast<qulonglong>(row.requests));
      QCOMPARE(segment["ttft"].toString().toDouble(), row.ttft_service_seconds.mean);
      QCOMPARE(segment["quality"].toString().toDouble(), row.quality.at("token_f1").mean);
    }
    const QJsonObject first = middle["segments"].toArray()[0].toObject(),
                      second = middle["segments"].toArray()[1].toObject();
    QCOMPARE(first["complete"].toString(), QString("false"));
    QVERIFY(first["n"].toString().toInt() > 10 && first["n"].toString().toInt() <= 20);
    QCOMPARE(second["n"].toString(), QString("0"));
    QCOMPARE(second["ttft"].toString(), QString());
    QCOMPARE(start["hits"].toArray()[0].toObject()["recent"].toString(), QString());
    const PlotSeries& hits = std::ranges::find(report.plots, "hit_rate", &ReportPlot::name)->series.front();
    QCOMPARE(end["hits"].toArray()[0].toObject()["recent"].toString().toDouble(), hits.points.back().y);
  }

  void keysAndButtonsMoveTheSlider() {
    const QTemporaryDir folder;
    const PageVisit seen = visit_page(folder, driven(hostile_page(false), keyboard_steps));
    QVERIFY2(seen.console.isEmpty(), qPrintable(seen.console.join('\n')));
    const QJsonObject notes = probed(seen);
    const auto time = [&](const char* name) { return notes[name].toObject()["time"].toString().toDouble(); };
    // Answers are a tenth of a second apart; annotations are at 1 s and 3 s.
    QCOMPARE(time("right"), 2.6);
    QCOMPARE(time("right again"), 2.7);
    QCOMPARE(time("left"), 2.6);
    QCOMPARE(time("annotation"), 3.0);
    QCOMPARE(time("annotation before"), 1.0);
    QCOMPARE(time("next"), 1.1);
    QCOMPARE(time("back"), 1.0);
    QCOMPARE(notes["playing"].toObject()["play"].toString(), QString("Pause"));
    QCOMPARE(notes["paused"].toObject()["play"].toString(), QString("Play"));
    QCOMPARE(time("chosen"), 1.0);
    QCOMPARE(notes["filtered"].toObject()["rows"].toInt(), 0);
    QCOMPARE(notes["chosen"].toObject()["rows"].toInt(), 10);
  }

  void anAddressNamesAMoment() {
    const QTemporaryDir folder;
    const PageVisit seen = visit_page(folder, hostile_page(false), "#t=1.025");
    QVERIFY2(seen.console.isEmpty(), qPrintable(seen.console.join('\n')));
    QVERIFY(seen.page.contains("data-time=\"1.025\""));
    QVERIFY(seen.page.contains("data-answered=\"10\""));
  }

  // What the first test would notice: a script that is not the page's own does not run, and the browser says so.
  void anotherScriptIsRefused() {
    const QTemporaryDir folder;
    std::string page = hostile_page(false);
    page.insert(page.rfind("</body>"), "<script>document.body.dataset.foreign = 'ran'</script>");
    const PageVisit seen = visit_page(folder, page);
    QVERIFY(!seen.console.isEmpty());
    QVERIFY(!seen.page.contains("data-foreign"));
  }

  void aPageWithoutAnswersIsShown() {
    RecordedRun run = shared_sample(hostile_names());
    run.events.resize(1);
    const QTemporaryDir folder;
    const PageVisit seen = visit_page(folder, share_page(std::move(run)).value_or(""));
    QVERIFY2(seen.console.isEmpty(), qPrintable(seen.console.join('\n')));
    QVERIFY(seen.page.contains("data-ready=\"true\""));
  }
};

KV_TEST_GUILESS_MAIN(ShareBrowserTest)

}  // namespace share_browser_test

#include "share_browser_test.moc"
