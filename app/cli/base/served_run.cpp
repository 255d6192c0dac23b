#include "app/cli/base/served_run.h"

#include <chrono>
#include <thread>

#include "app/cli/base/recorded_runs.h"

namespace kvantage::cli {

namespace {

/// Waits for half of a run's requests; true when they finished before its end.
bool half_served(const Engine& engine, const RequestCounter& counter, std::uint64_t half,
                 const std::function<bool()>& stop) {
  while (engine.state() == RunState::running && !stop()) {
    if (counter.finished() >= half) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

}  // namespace

Expected<RecordedRun> serve_run(LiveSession& session, RequestCounter& counter, const SessionSettings& settings,
                                const std::function<void(SessionSettings&)>& midway,
                                const std::function<bool()>& stop) {
  Engine& engine = *session.engine;
  KV_TRY(engine.apply(settings));
  const std::uint64_t counted = settings.request_limit > 0 ? settings.request_limit : session.workload_requests;
  counter.expect_requests(session.warmup_requests + counted, settings.policy);
  engine.start();
  if (midway && half_served(engine, counter, session.warmup_requests + counted / 2, stop)) {
    SessionSettings changed = settings;
    midway(changed);
    KV_TRY(engine.apply(changed));
  }
  KV_TRY(wait_until_idle(engine, stop));
  if (stop()) return fail(ErrorCode::cancelled, "interrupted; the runs so far are kept in the database");
  return read_own_run(session.stores->runs(), engine.info().run_id);
}

}  // namespace kvantage::cli
