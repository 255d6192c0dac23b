// The quick start, under its first session file, served by a real engine, for tests that compare the simulator with it.
#pragma once

#include <QTemporaryDir>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

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

/// Whether no cache is on its way any more: one counts as placed from when its write begins.
inline bool all_is_written(const Snapshot& snapshot, const CollectingSink& sink) {
  std::map<std::string, Configuration> written;
  for (const auto& placed : sink.all<events::PlacementCommitted>()) written[placed.context_id] = placed.action.to;
  return std::ranges::all_of(snapshot.contexts, [&](const ContextState& context) {
    return !context.placement.stored() || written[context.id] == context.placement;
  });
}

/// Serves a whole run, each request when the one before it is answered and what it moved is written, as the simulator
/// does. At a rate, a machine that is slow for a moment has the next one wait, and its cache is read ahead: found
/// before the one before it moves any, and kept where it is meanwhile.
inline Status serve_one_by_one(Engine& engine, const CollectingSink& sink) {
  using namespace std::chrono_literals;
  const auto give_up = std::chrono::steady_clock::now() + 600s;
  for (std::size_t asked = 1;; ++asked) {
    engine.step();
    const auto is_over = [&] {  // the answer first: until the engine has taken the command, it says that it is paused
      return sink.records().size() == asked && engine.state() == RunState::paused &&
             all_is_written(*engine.snapshot(), sink);
    };
    while (!is_over()) {
      std::this_thread::sleep_for(1ms);
      if (engine.wait_while_busy(1) == RunState::finished) return {};
      if (std::chrono::steady_clock::now() > give_up) return fail(ErrorCode::internal, "the run did not finish");
    }
  }
}

/// The first `limit` requests from a cold start under `policy`. Frozen: by the fits of the start, so that what is
/// decided and predicted does not hang on how busy the machine is.
inline Expected<Served> serve_quickstart(const std::filesystem::path& store, const std::string& policy,
                                         std::uint64_t limit, bool frozen = false) {
  CollectingSink sink;
  SessionOptions options;
  options.model = model_directory();
  const QTemporaryDir folder;
  options.workload = old_quickstart(folder.path().toStdString());
  options.store = store;
  options.policy = policy;
  options.request_limit = limit;
  options.cold_start = true;
  options.frozen = frozen;
  options.compute_or_load = "off";  // as the simulator, which loads what is stored
  auto session = open_session(options, {&sink});
  if (!session) return tl::unexpected(session.error());
  Engine& engine = *session->engine;
  while (engine.state() == RunState::loading) (void)engine.wait_while_busy(1);
  if (engine.state() == RunState::failed) return tl::unexpected(engine.failure());
  sink.clear();
  KV_TRY(serve_one_by_one(engine, sink));
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
