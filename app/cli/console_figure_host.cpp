#include "app/cli/console_figure_host.h"

#include <cstdio>

#include "app/cli/base/interrupts.h"
#include "app/cli/base/progress_line.h"
#include "app/cli/served_run.h"
#include "app/wiring/resources.h"
#include "app/wiring/samples.h"
#include "tiers/buffer_pool.h"
#include "tiers/kinds/tier_place.h"

namespace kvantage::cli {
namespace {

class ConsoleFigureSession final : public FigureSession {
 public:
  /// quiet: stdout is for JSON. The figure has the progress line.
  explicit ConsoleFigureSession(bool quiet) : console_(quiet, false) {}

  Status open(const FigureArguments& arguments, const SessionOptions& options) {
    KV_ASSIGN(session_, open_session(options, {&console_, arguments.lines.get()}));
    KV_TRY(wait_until_idle(engine()));
    engine().profile_all();
    KV_TRY(wait_until_idle(engine()));
    if (cli::interrupted())
      return fail(ErrorCode::cancelled,
                  "interrupted while profiling; the curves measured so far are kept, but there is no figure");
    return {};
  }

  Engine& engine() override { return *session_.engine; }
  std::uint64_t warmup_requests() const override { return session_.warmup_requests; }
  std::uint64_t workload_requests() const override { return session_.workload_requests; }
  Expected<RecordedRun> serve(const SessionSettings& settings,
                              const std::function<void(SessionSettings&)>& midway) override {
    return serve_run(session_, console_, settings, midway);
  }

 private:
  ConsoleSink console_;
  LiveSession session_;  // goes first
};

Expected<SessionOptions> options_of(const FigureArguments& arguments, std::uint64_t seed,
                                    const std::vector<std::string>& methods) {
  SessionArguments session;
  SessionOptions& options = session.options;
  options.model = arguments.model.empty() ? default_model_directory() : std::filesystem::path(arguments.model);
  options.workload = named_workload(arguments.workload.empty() ? "sensitivity-mix" : arguments.workload);
  options.store = arguments.store;
  options.database = arguments.database;
  options.seed = seed;
  options.gpu = arguments.gpu;
  options.warm_every_context = true;
  options.cold_start = true;
  options.profile_questions = arguments.profile_questions;
  if (!arguments.removed.empty()) session.removed_fractions = arguments.removed;
  KV_TRY(finish_session_options(session));
  if (!methods.empty()) options.methods = methods;
  options.policy = "evicpress";
  options.environment["command"] = arguments.command;
  options.group = "reproduce-" + arguments.figure + "-" + std::to_string(SystemClock().utc_ns());
  if (!arguments.metric.empty()) options.quality_metric = arguments.metric;
  if (arguments.requests > 0) options.request_limit = arguments.requests;
  return std::move(options);
}

}  // namespace

bool ConsoleFigureHost::interrupted() const { return cli::interrupted(); }

std::filesystem::path ConsoleFigureHost::default_model() const { return default_model_directory(); }

Expected<std::unique_ptr<FigureSession>> ConsoleFigureHost::open_session(const FigureArguments& arguments,
                                                                         std::uint64_t seed,
                                                                         const std::vector<std::string>& methods) {
  KV_ASSIGN(const auto options, options_of(arguments, seed, methods));
  auto session = std::make_unique<ConsoleFigureSession>(arguments.json || arguments.progress == "none");
  KV_TRY(session->open(arguments, options));
  return session;
}

Expected<std::unique_ptr<StorageTier>> ConsoleFigureHost::open_memory_tier(double bytes_per_second) {
  return open_tier({.name = "dram", .throttle = {.bytes_per_second = bytes_per_second}},
                   {.executor = system_executor()});
}

std::unique_ptr<BufferLender> ConsoleFigureHost::make_buffers(std::size_t bytes) {
  return std::make_unique<BufferPool>(bytes);
}

void ConsoleFigureHost::write(const std::string& text) {
  stderr_progress().clear();
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

}  // namespace kvantage::cli
