// The quick start, under its first session file, served by a real engine, for tests that hold the simulator against it.
#pragma once

#include <QTemporaryDir>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "core/base/files.h"
#include "core/base/statistics.h"
#include "tests/support/engine_harness.h"
#include "tests/support/old_quickstart.h"

namespace kvantage::test {

struct Served {
  Snapshot snapshot;  // with the run's own fits
  std::vector<RequestRecord> records;
  std::filesystem::path database;
  std::string run_id;
};

/// Time for a request to be answered and for what it moves to be written before the next one comes: twice the longest
/// prefill that this machine was timed with, when `options` were first opened.
inline Expected<double> request_gap_seconds(SessionOptions options) {
  static double gap = 0;
  if (gap > 0) return gap;
  const QTemporaryDir store;
  options.store = store.path().toStdString();
  options.cold_start = true;
  KV_ASSIGN(const auto session, open_session(options, {}));
  Engine& engine = *session.engine;
  while (engine.state() == RunState::loading) (void)engine.wait_while_busy(1);
  if (engine.state() == RunState::failed) return tl::unexpected(engine.failure());
  const auto snapshot = engine.snapshot();
  double longest = 0;
  for (const ContextState& context : snapshot->contexts)
    longest = std::max(longest, snapshot->prefill.seconds(context.tokens) + snapshot->question.seconds(context.tokens));
  return gap = std::clamp(2 * longest, 0.15, 0.4);
}

/// The requests as they are drawn, one each `gap` seconds.
inline Status space_evenly(const std::filesystem::path& workload, std::uint64_t requests, double gap) {
  std::string lines;
  for (std::uint64_t i = 0; i < requests; ++i)
    lines += "{\"arrival_seconds\": " + std::to_string(gap * static_cast<double>(i)) + "}\n";
  return write_text_file(workload / "schedule.jsonl", lines);
}

/// The first `limit` requests from a cold start under `policy`. They come with a gap, as the simulator says where a
/// context is and not that it is still on its way there. Frozen: one after the other by the fits of the start, so that
/// what is decided and predicted does not hang on how busy the machine is.
inline Expected<Served> serve_quickstart(const std::filesystem::path& store, const std::string& policy,
                                         std::uint64_t limit, bool frozen = false) {
  CollectingSink sink;
  SessionOptions options;
  options.model = model_directory();
  const QTemporaryDir folder;
  options.workload = old_quickstart(folder.path().toStdString());
  if (!frozen) {
    KV_ASSIGN(const double gap, request_gap_seconds(options));
    KV_TRY(space_evenly(options.workload, limit, gap));
    options.requests_per_second = 1 / gap;
  }
  options.store = store;
  options.policy = policy;
  options.request_limit = limit;
  options.cold_start = true;
  options.frozen = frozen;
  options.compute_or_load = "off";  // as the simulator, which loads what is stored
  auto session = open_session(options, {&sink});
  if (!session) return tl::unexpected(session.error());
  Engine& engine = *session->engine;
  const auto wait = [&] {
    for (int i = 0; i < 600; ++i)
      if (const RunState state = engine.wait_while_busy(1); state != RunState::loading && state != RunState::running)
        return state;
    return engine.state();
  };
  if (wait() == RunState::failed) return tl::unexpected(engine.failure());
  sink.clear();
  engine.start();
  if (wait() != RunState::finished) return fail(ErrorCode::internal, "the run did not finish");
  Served served{*engine.snapshot(), sink.records(), session->database, {}};
  for (const auto& started : sink.all<events::RunStarted>()) served.run_id = started.run_id;
  return served;
}

inline double measured_mean(const std::vector<RequestRecord>& records) {
  std::vector<double> values;
  for (const RequestRecord& record : records) values.push_back(record.timing.ttft_service_seconds);
  return mean_of(values);
}

/// What the engine predicted for where it then found each context.
inline double predicted_mean(const std::vector<RequestRecord>& records) {
  std::vector<double> values;
  for (const RequestRecord& record : records) values.push_back(record.predicted_ttft_seconds);
  return mean_of(values);
}

/// How steady the machine was, by the run's measurements alone, whatever was predicted: nine in ten times that the
/// model did some work again it took at most this many times as long as the fastest time. The same work: prefilling a
/// context, or a question of as many tokens over as many kept tokens of a context.
inline double unsteadiness(const std::vector<RequestRecord>& records) {
  std::map<std::tuple<std::string, int, int>, std::vector<double>> same_work;
  for (const RequestRecord& record : records) {
    same_work[{record.context_id, record.kept_tokens, record.question_tokens}].push_back(
        record.timing.question_prefill_seconds);
    if (record.source == "prefill" && record.prefix_hit_tokens == 0)
      same_work[{record.context_id, -1, 0}].push_back(record.timing.context_prefill_seconds);
  }
  std::vector<double> times_as_long;
  for (const auto& [work, seconds] : same_work)
    if (const double least = *std::ranges::min_element(seconds); seconds.size() > 1 && least > 0)
      for (const double one : seconds) times_as_long.push_back(one / least);
  return times_as_long.empty() ? 1 : percentile(times_as_long, 0.9);
}

/// Above this the machine was doing other things meanwhile.
inline constexpr double disturbed = 1.5;

}  // namespace kvantage::test
