// A closer look at one context, while the run goes on. The clock of serving stands still meanwhile, as it does when
// answers are scored, so no figure of a request holds any of it. What it computes on is a cache of its own: it takes no
// original from the store's hands and leaves none there, so nothing is placed otherwise than without it.
#include <algorithm>

#include "core/base/units.h"
#include "core/engine/engine_worker.h"

namespace kvantage {
namespace {

constexpr double slice_seconds = 0.05;  // of a turn while nobody is under way
constexpr double slice_beside_requests_seconds = 0.01;

}  // namespace

std::uint64_t Engine::request_keep_map(const KeepMapRequest& request) {
  const std::lock_guard lock(mutex_);
  ++inspection_.ticket;
  if (state_ == RunState::failed || state_ == RunState::closed) {  // nobody is there to compute it
    auto refused = std::make_shared<KeepMapResult>();
    refused->ticket = inspection_.ticket;
    refused->request = request;
    refused->complete = true;
    refused->error = "keep map: the engine has ended" +
                     (failure_.message.empty() ? std::string() : " (" + failure_.message + ")") +
                     "; open the workload again";
    inspection_.result = std::move(refused);
    return inspection_.ticket;
  }
  inspection_.wanted = request;
  inspection_.fresh = true;
  inspection_.drop = false;
  changed_.notify_all();
  return inspection_.ticket;
}

void Engine::drop_keep_map() {
  const std::lock_guard lock(mutex_);
  inspection_.fresh = false;
  inspection_.drop = true;
  changed_.notify_all();
}

std::shared_ptr<const KeepMapResult> Engine::keep_map() const {
  const std::lock_guard lock(mutex_);
  return inspection_.result;
}

std::string Engine::keep_map_work() const {
  const std::lock_guard lock(mutex_);
  return inspection_.work;
}

std::vector<std::string> Engine::methods() const {
  std::vector<std::string> texts;
  for (const MethodInfo& info : known_methods())
    if (info.removes_tokens) texts.push_back(info.text);
  return texts;
}

bool Engine::Worker::newer_inspection() const {
  const std::lock_guard lock(engine_.mutex_);
  return engine_.inspection_.fresh || engine_.inspection_.drop;
}

void Engine::Worker::forget_inspected() {
  inspected_.reset();
  inspection_begun_ = false;
}

bool Engine::Worker::take_inspection() {
  const std::lock_guard lock(engine_.mutex_);
  Engine::Inspection& box = engine_.inspection_;
  if (std::exchange(box.drop, false)) {
    forget_inspected();
    inspecting_ = false;
    box.work.clear();
  }
  if (!std::exchange(box.fresh, false)) return inspecting_;
  inspection_ = box.wanted;
  inspection_ticket_ = box.ticket;
  inspection_seconds_ = 0;
  inspection_begun_ = false;
  return inspecting_ = true;
}

// What a request waits for from a device would seem to take no time while the clock stands still: then it is not the
// time.
bool Engine::Worker::inspect() {
  if (running_.empty()) inspection_lacks_room_ = false;
  if (!take_inspection() || inspection_lacks_room_ || anybody(RequestTask::Need::bytes)) return false;
  const double slice = running_.empty() ? slice_seconds : slice_beside_requests_seconds;
  const std::int64_t start = clock_.monotonic_ns();
  double took = 0;
  Status status;
  do {
    status = inspect_step();
    took = static_cast<double>(clock_.monotonic_ns() - start) * 1e-9;
  } while (status && inspecting_ && took < slice && !interrupted() && !newer_inspection());
  serving_clock_.leave_out(clock_.monotonic_ns() - start);
  inspection_seconds_ += took;
  const bool lacks_room = !status && status.error().code == ErrorCode::no_space && !running_.empty();
  if (lacks_room) {
    forget_inspected();
    inspection_lacks_room_ = true;
  } else if (!status && status.error().code != ErrorCode::cancelled) {
    inspecting_ = false;
    publish_inspection(status.error().message);
    return true;
  }
  publish_inspection({});
  return true;
}

Status Engine::Worker::inspect_step() {
  if (inspected_ == nullptr || catalogue_->state(inspected_->context).id != inspection_.context)
    KV_TRY(begin_inspection());
  if (inspected_->task == nullptr) return inspected_original_step();
  if (!std::exchange(inspection_begun_, true)) KV_TRY(inspected_->task->ask(inspection_));
  KV_TRY(inspected_->task->step([this] { return interrupted() || newer_inspection(); }));
  inspecting_ = !inspected_->task->done();
  return {};
}

// Beside what requests, placement and profiling may take there is to be room for the original, a form of it and what is
// asked.
Status Engine::Worker::begin_inspection() {
  forget_inspected();
  const auto context = catalogue_->index_of_id(inspection_.context);
  if (!context)
    return fail(ErrorCode::usage,
                "keep map: context '" + inspection_.context + "' is not in this workload; choose one of its contexts");
  std::size_t taken = 2 * blocks_for(catalogue_->details(longest_context()).tokens.size()) +
                      (2 + inspection_.methods.size()) * blocks_for(catalogue_->details(*context).tokens.size());
  for (const Running& request : running_) taken += request.reserved_blocks;
  if (taken > runtime_->pool->capacity_blocks())
    return fail(ErrorCode::no_space,
                "keep map: context '" + inspection_.context + "' needs " +
                    format_bytes(taken * runtime_->pool->block_bytes()) +
                    " of KV blocks beside what serving takes, and there are " +
                    format_bytes(runtime_->pool->capacity_blocks() * runtime_->pool->block_bytes()) +
                    "; choose a shorter context");
  inspected_ = std::make_unique<Inspected>(Inspected{*context, KvCache(*runtime_->pool), nullptr, nullptr});
  if (const auto* original = store_->original_at_hand(*context)) {
    inspected_->task =
        std::make_unique<KeepMapTask>(*runtime_, catalogue_->state(*context), catalogue_->details(*context),
                                      original->cache.share(), original->observed, engine_.config_.max_answer_tokens);
  } else if (const auto entry =
                 catalogue_->state(*context).archived ? store_->archived_entry(*context) : std::nullopt) {
    inspected_->load = std::make_unique<LoadTask>(*store_->archive(), *entry, nullptr, *opened_.lender, true);
  }
  return {};
}

// A layer of the context at a time, read from the archive or computed.
Status Engine::Worker::inspected_original_step() {
  Inspected& looked_at = *inspected_;
  const std::size_t context = looked_at.context;
  const ContextDetails& details = catalogue_->details(context);
  const auto begin_task = [&](WindowQueries queries) {
    looked_at.task =
        std::make_unique<KeepMapTask>(*runtime_, catalogue_->state(context), details, std::move(looked_at.cache),
                                      observation_of(*runtime_, std::move(queries)), engine_.config_.max_answer_tokens);
    looked_at.load.reset();
    looked_at.prefill.reset();
  };
  if (looked_at.load != nullptr) {
    LoadTask& load = *looked_at.load;
    const auto there = load.restore_in_turn(running_.empty() ? 0.001 : 0, looked_at.cache);
    if (there && !*there) return {};
    if (!there && there.error().code == ErrorCode::no_space) return tl::unexpected(there.error());
    auto queries = there ? load.take_queries() : Expected<WindowQueries>(tl::unexpected(there.error()));
    if (queries) {
      begin_task(std::move(*queries));
      return {};
    }
    looked_at.load.reset();  // it is computed instead
    looked_at.cache = KvCache(*runtime_->pool);
  }
  if (looked_at.prefill == nullptr)
    looked_at.prefill = std::make_unique<PrefillTask>(*runtime_->model, looked_at.cache, details.tokens, 0,
                                                      PrefillOptions{.chunk_tokens = runtime_->chunk_tokens(),
                                                                     .window_queries = runtime_->window_queries,
                                                                     .logits = PrefillLogits::none});
  KV_TRY(looked_at.prefill->step());
  if (looked_at.prefill->done()) begin_task(looked_at.prefill->take_window_queries());
  return {};
}

void Engine::Worker::publish_inspection(const std::string& error) {
  std::string work;
  if (inspecting_)
    work = inspection_lacks_room_                             ? "Waiting for room in the block pool"
           : inspected_ == nullptr                            ? "Beginning"
           : inspected_->task != nullptr && inspection_begun_ ? inspected_->task->work()
           : inspected_->load != nullptr                      ? "Reading the context from the archive"
                                                              : "Computing the context";
  std::shared_ptr<KeepMapResult> result;
  const bool more =
      inspected_ != nullptr && inspected_->task != nullptr && inspection_begun_ &&
      inspected_->task->revision() != std::exchange(inspected_->shown_revision, inspected_->task->revision());
  if (more || !error.empty()) {
    result = std::make_shared<KeepMapResult>(more ? inspected_->task->result() : KeepMapResult{});
    result->ticket = inspection_ticket_;
    result->request = inspection_;
    result->seconds = inspection_seconds_;
    result->complete = !inspecting_;
    result->error = error;
  }
  const std::lock_guard lock(engine_.mutex_);
  engine_.inspection_.work = std::move(work);
  if (result != nullptr) engine_.inspection_.result = std::move(result);
}

}  // namespace kvantage
