#include "app/cli/figures/program_figure_host.h"

#include <string>
#include <utility>

#include "app/cli/base/recorded_runs.h"
#include "app/cli/base/served_run.h"
#include "app/wiring/program_facts.h"
#include "app/wiring/resources.h"
#include "app/wiring/session_setup.h"
#include "core/base/form_text.h"
#include "core/experiments/figures/experiments.h"
#include "tiers/buffer_pool.h"
#include "tiers/kinds/tier_place.h"

namespace kvantage::cli {
namespace {

class ProgramFigureSession final : public FigureSession {
 public:
  ProgramFigureSession(std::unique_ptr<RequestCounter> sink, std::function<bool()> stop)
      : sink_(std::move(sink)), stop_(std::move(stop)) {}

  Status open(const FigureArguments& arguments, const SessionOptions& options) {
    KV_ASSIGN(session_, wiring::open_session(options, {sink_.get(), arguments.lines.get()}));
    KV_TRY(wait_until_idle(engine(), stop_));
    engine().profile_all();
    KV_TRY(wait_until_idle(engine(), stop_));
    if (stop_())
      return fail(ErrorCode::cancelled,
                  "interrupted while profiling; the curves measured so far are kept, but there is no figure");
    return {};
  }

  Engine& engine() override { return *session_.engine; }
  std::uint64_t warmup_requests() const override { return session_.warmup_requests; }
  std::uint64_t workload_requests() const override { return session_.workload_requests; }
  Expected<RecordedRun> serve(const SessionSettings& settings,
                              const std::function<void(SessionSettings&)>& midway) override {
    return serve_run(session_, *sink_, settings, midway, stop_);
  }
  Expected<RecordedRun> recorded(const std::string& run_id) override {
    return read_own_run(session_.stores->runs(), run_id);
  }

 private:
  std::unique_ptr<RequestCounter> sink_;
  std::function<bool()> stop_;
  LiveSession session_;  // goes first
};

Expected<SessionOptions> options_of(const FigureArguments& arguments, std::uint64_t seed,
                                    const std::vector<std::string>& methods) {
  SessionOptions options;
  options.model =
      arguments.model.path.empty() ? default_model_directory() : std::filesystem::path(arguments.model.path);
  options.workload = arguments.workload.empty() ? "sensitivity-mix" : arguments.workload;
  options.store = arguments.store;
  options.database = arguments.database;
  options.seed = seed;
  options.gpu = arguments.gpu;
  if (!arguments.model.prompt_form.empty()) options.prompt_form = arguments.model.prompt_form;
  options.max_model_len = arguments.model.max_model_len;
  options.warm_every_context = true;
  options.whole_curves_by_default = true;  // figures show them
  options.cold_start = true;
  const Experiment* const experiment = find_experiment(arguments.figure);
  options.leave_out_idle = experiment != nullptr && experiment->leaves_out_idle();
  options.profile_questions = arguments.profile_questions;
  if (!arguments.removed.empty()) {
    KV_ASSIGN(options.removed_fractions, study_numbers(arguments.removed, "--removed"));
  }
  options.methods = methods;
  options.policy = "evicpress";
  options.environment = environment_of_this_machine();
  options.environment["command"] = arguments.command;
  options.group = "reproduce-" + arguments.figure + "-" + std::to_string(arguments.host->clock().utc_ns());
  if (!arguments.metric.empty()) options.quality_metric = arguments.metric;
  if (arguments.requests > 0) options.request_limit = arguments.requests;
  return options;
}

}  // namespace

const Clock& ProgramFigureHost::clock() const { return system_executor().clock(); }

std::filesystem::path ProgramFigureHost::default_model() const { return default_model_directory(); }

Expected<std::unique_ptr<FigureSession>> ProgramFigureHost::open_session(const FigureArguments& arguments,
                                                                         std::uint64_t seed,
                                                                         const std::vector<std::string>& methods) {
  KV_ASSIGN(const auto options, options_of(arguments, seed, methods));
  auto session = std::make_unique<ProgramFigureSession>(make_sink(arguments), stop_);
  KV_TRY(session->open(arguments, options));
  return session;
}

Expected<std::unique_ptr<StorageTier>> ProgramFigureHost::open_memory_tier(double bytes_per_second) {
  return open_tier({.name = "dram", .throttle = {.bytes_per_second = bytes_per_second}},
                   {.executor = system_executor()});
}

std::unique_ptr<BufferLender> ProgramFigureHost::make_buffers(std::size_t bytes) {
  return std::make_unique<BufferPool>(bytes);
}

}  // namespace kvantage::cli
