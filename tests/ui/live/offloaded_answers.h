// A window on a model with multi-head attention: decode_offload with the solved split, chosen in Controls, recomputes
// tokens of the next answers, the Pipeline shows it, and undo ends it.
#pragma once

#include <QTest>
#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/live_window.h"
#include "tests/support/test_model.h"
#include "tests/ui/live/live_run_checks.h"
#include "ui/live/requests/pipeline_dock.h"

namespace live_run_test {

using namespace kvantage;
using namespace kvantage::test;

inline void choose_data(QComboBox& combo, const QString& data) {
  const int index = combo.findData(data);
  QVERIFY2(index >= 0, qPrintable(data));
  combo.setCurrentIndex(index);
  emit combo.activated(index);
}

/// The newest answer of more than one token; `offloaded`: decoded with its cache on a tier, or without.
inline std::optional<RequestRecord> newest_answer(const CollectingSink& sink, bool offloaded) {
  std::optional<RequestRecord> newest;
  for (const RequestRecord& record : sink.records()) {
    const auto& offload = record.decoding.offload;
    if (record.cancelled || record.answer_tokens < 2) continue;
    if (offloaded ? offload && offload->decoded() : !offload.has_value()) newest = record;
  }
  return newest;
}

/// The Pipeline of this request has spans of recomputation, each of one layer, and of reads.
inline void check_pipeline(MainWindow& window, const RequestRecord& record) {
  run_of(window).selection.choose_request(record.id, QString::fromStdString(record.context_id));
  docks_of(window).bring_up("pipeline");
  const PipelineModel& shown = window.body<PipelineDock>("pipeline")->model();
  QTRY_VERIFY_WITH_TIMEOUT(shown.spans() != nullptr && shown.record().id == record.id, patience_ms);
  const auto is = [](RequestSpan::Kind kind) { return [kind](const RequestSpan& span) { return span.kind == kind; }; };
  const std::vector<RequestSpan>& spans = shown.spans()->spans;
  QVERIFY(std::ranges::any_of(spans, is(RequestSpan::Kind::read)));
  QVERIFY(std::ranges::any_of(spans, is(RequestSpan::Kind::recompute)));
  for (const RequestSpan& span : spans)
    if (span.kind == RequestSpan::Kind::recompute)
      QVERIFY(span.layer >= 0 && span.layer < shown.spans()->layers && span.duration_ns >= 0);
  const auto rows = shown.table_rows();
  const QString name = QString::fromLatin1(to_string(RequestSpan::Kind::recompute));
  QVERIFY(std::ranges::any_of(rows, [&name](const QStringList& row) { return row.contains(name); }));
}

/// So slow an ssd that recomputing all is far faster than reading keys and values. folder: empty, of this session.
inline void check_offload(const std::filesystem::path& folder) {
  auto live = LiveWindow::open(folder, mixed_workload({"registry"}, 2, 300, 3),
                               {.tiers = {"dram=64MiB", "ssd=256MiB,bandwidth=30MB/s"},
                                .policy = "full_prefill",
                                .model = source_directory() / "resources" / "reference-mha"});
  QVERIFY2(live.has_value(), message(live));
  MainWindow& window = *(*live)->window;
  const auto setting = [&] { return (*live)->engine().settings().decode_offload; };
  QTRY_VERIFY_WITH_TIMEOUT(run_of(window).state() == RunState::ready, patience_ms);
  if (!(*live)->engine().info().split_refusal.empty()) QSKIP("without products of bf16, layer inputs are too long");
  (*live)->action("Start")->trigger();
  OffloadControls& offload = controls_of(window).offload();
  const int before = settings_of(window).undo_stack().index();
  choose_data(offload.split(), "solved");
  choose_data(offload.tier(), "ssd");
  if (QTest::currentTestFailed()) return;
  QTRY_COMPARE_WITH_TIMEOUT(setting(), std::string("ssd"), patience_ms);
  QCOMPARE(settings_of(window).undo_stack().index(), before + 1);
  const auto recomputes = [&] {
    const auto newest = newest_answer((*live)->sink, true);
    return newest && newest->decoding.offload->recomputed_tokens > 0;
  };
  QTRY_VERIFY_WITH_TIMEOUT(recomputes(), patience_ms);
  const RequestRecord answer = *newest_answer((*live)->sink, true);
  QCOMPARE(answer.decoding.offload->setting, std::string("ssd"));
  QVERIFY(answer.decoding.offload->recomputed_tokens <= answer.decoding.offload->streamed_tokens);
  QVERIFY(answer.decoding.offload->input_bytes > 0);
  QTRY_VERIFY_WITH_TIMEOUT(run_of(window).requests.find(answer.id) != nullptr, patience_ms);
  check_pipeline(window, answer);
  if (QTest::currentTestFailed()) return;

  settings_of(window).undo_stack().undo();
  QTRY_COMPARE_WITH_TIMEOUT(setting(), std::string("none"), patience_ms);
  QCOMPARE(offload.tier().currentIndex(), 0);
  const auto without = [&] {
    const auto newest = newest_answer((*live)->sink, false);
    return newest && newest->id > answer.id;
  };
  QTRY_VERIFY_WITH_TIMEOUT(without(), patience_ms);
}

}  // namespace live_run_test
