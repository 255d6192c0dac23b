// Two recorded runs of a live window, compared, gone through again and written in every format: all say what their
// journals say.
#pragma once

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QMap>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "core/base/statistics.h"
#include "core/report/recorded_run.h"
#include "tests/support/live_window.h"
#include "ui/runs/runs_dock.h"

namespace end_to_end_test {

using namespace kvantage;
using namespace kvantage::test;

inline constexpr int patience_ms = 60'000;  // ends at once when the condition holds

inline QByteArray bytes_of(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

inline RunsDock& runs_of(MainWindow& window) { return *window.body<RunsDock>("runs"); }

/// What differs is the policy, and loading is faster than computing.
inline void compare_runs(LiveWindow& live, const QStringList& ids) {
  RunsDock& runs = runs_of(*live.window);
  runs.choose(ids);
  runs.compare_chosen();
  QTRY_COMPARE_WITH_TIMEOUT(runs.comparison().sides(), 2, patience_ms);
  const RunComparison& comparison = runs.comparison().comparison();
  QVERIFY(std::ranges::any_of(comparison.settings,
                              [](const DifferingSetting& setting) { return setting.name == "policy"; }));
  const auto metric = [&](const char* name) {
    return std::ranges::find(comparison.metrics, name, &ComparedMetric::name)->values;
  };
  // Each side's mean is that of its journal. What loading saves is seen in the fastest request of a side: a mean of
  // sixteen also includes what else the machine did meanwhile.
  std::array<double, 2> fastest{};
  for (std::size_t side = 0; side < 2; ++side) {
    const auto journal = live.library->read(ids[static_cast<qsizetype>(side)].toStdString());
    QVERIFY(journal.has_value());
    std::vector<double> ttft;  // ms
    for (const Event& event : journal->events)
      if (const auto* done = std::get_if<events::RequestFinished>(&event.payload);
          done != nullptr && !done->record.cancelled)
        ttft.push_back(1e3 * done->record.timing.ttft_service_seconds);
    const auto compared = metric("TTFT, service")[side];
    QCOMPARE(compared->n, ttft.size());
    QVERIFY(std::abs(compared->value - mean_of(ttft)) <= 1e-9 * mean_of(ttft));
    fastest[side] = *std::ranges::min_element(ttft);
  }
  QVERIFY2(fastest[1] < fastest[0],
           qPrintable(QStringLiteral("%1 ms loaded, %2 ms computed").arg(fastest[1]).arg(fastest[0])));
  QCOMPARE(metric("served from tiers")[0]->value, 0.0);
  QVERIFY(metric("served from tiers")[1]->value > 0 && metric("served from tiers")[1]->n >= 16);
}

/// At the end of a replay the models hold what the journal of the run holds.
inline void replay_run(LiveWindow& live, const QString& id) {
  MainWindow& window = *live.window;
  ReplayController& replay = replay_of(window);
  const std::uint64_t live_served = run_of(window).served();
  replay.open(id);
  QTRY_VERIFY_WITH_TIMEOUT(replay.active(), patience_ms);
  replay.seek(replay.size());
  const auto journal = live.library->read(id.toStdString());
  QVERIFY(journal.has_value());
  const auto finished = std::ranges::count_if(journal->events, [](const Event& event) {
    const auto* done = std::get_if<events::RequestFinished>(&event.payload);
    return done != nullptr && !done->record.cancelled;
  });
  QTRY_COMPARE_WITH_TIMEOUT(run_of(window).served(), static_cast<std::uint64_t>(finished), patience_ms);
  replay.seek(0);
  QTRY_COMPARE_WITH_TIMEOUT(run_of(window).served(), std::uint64_t{0}, patience_ms);
  replay.close();
  QTRY_VERIFY(!replay.active());
  QCOMPARE(run_of(window).served(), live_served);
}

/// Every format of the report, and a run file.
inline void write_files(LiveWindow& live, const QStringList& ids, const QTemporaryDir& folder) {
  RunsDock& runs = runs_of(*live.window);
  QSignalSpy written(&runs.files(), &RunFiles::finished);
  runs.files().write_report(ids, folder.filePath("report"));
  QTRY_COMPARE_WITH_TIMEOUT(written.count(), 1, patience_ms);
  const QMap<QString, QByteArray> beginnings{{"html", "<!DOCTYPE html>"},
                                             {"json", "{"},
                                             {"csv", "policy,figure,"},
                                             {"tex", "% KVantage run"},
                                             {"pdf", "%PDF-1.4"}};
  for (auto it = beginnings.begin(); it != beginnings.end(); ++it) {
    const QByteArray text = bytes_of(folder.filePath("report/report." + it.key()));
    QVERIFY2(text.startsWith(it.value()) && text.size() > 2000, qPrintable(it.key()));
  }
  QVERIFY(runs.model().setData(runs.model().index(runs.model().row_of(ids[1]), RunsModel::tags), "first, week 3",
                               Qt::EditRole));
  QTRY_VERIFY(runs.model().worker().idle());
  runs.files().export_run(ids[1], folder.filePath("b.kvrun"));
  QTRY_COMPARE_WITH_TIMEOUT(written.count(), 2, patience_ms);
  const auto library = open_run_library(folder.filePath("other.db").toStdString(), machine_clock());
  QVERIFY(library && (*library)->import_file(folder.filePath("b.kvrun").toStdString()));
  const auto imported = (*library)->list(0);
  const std::vector<std::string> tags{"first", "week 3"};
  QCOMPARE(imported->front().notes.tags, tags);
  QCOMPARE((*library)->read(ids[1].toStdString())->events.size(),
           live.library->read(ids[1].toStdString())->events.size());
}

inline void write_charts(MainWindow& window, const QTemporaryDir& folder) {
  QSignalSpy charts(&charts_export_of(window), &ChartsExport::finished);
  charts_export_of(window).start(folder.filePath("charts"));
  QTRY_COMPARE_WITH_TIMEOUT(charts.count(), 1, patience_ms);
  for (const char* kind : {"png", "svg", "pdf", "csv", "tex"})
    QVERIFY2(!QDir(folder.filePath("charts")).entryList({QString("*.") + kind}).isEmpty(), kind);
  for (const QString& file : charts_export_of(window).written()) QVERIFY2(QFileInfo(file).size() > 0, qPrintable(file));
}

}  // namespace end_to_end_test
