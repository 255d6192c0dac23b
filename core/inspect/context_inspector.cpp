#include "core/inspect/context_inspector.h"

#include <utility>

#include "core/runtime/windowed_rows.h"

namespace kvantage::inline inspection {

void ContextInspector::forget() {
  inspected_.reset();
  begun_ = false;
}

bool ContextInspector::free_memory() {
  if (inspected_ == nullptr) return false;
  forget();
  lacks_room_ = true;
  return true;
}

bool ContextInspector::take_news() {
  InspectionMailbox::News news = mailbox_.take();
  if (news.dropped) {
    forget();
    wanted_ = false;
    mailbox_.publish_idle();
  }
  if (!news.asked) return wanted_;
  asked_ = std::move(*news.asked);
  seconds_ = 0;
  begun_ = false;
  return wanted_ = true;
}

bool ContextInspector::step(const RequestsNow& requests) {
  if (!requests.any) lacks_room_ = false;
  if (!take_news() || lacks_room_ || requests.await_bytes) return false;
  const InspectionTurn turn = inspection_turn(
      services_, serving_clock_, requests, [&] { return work(requests); },
      [this] { return wanted_ && !mailbox_.has_news(); });
  seconds_ += turn.seconds;
  switch (outcome_of(turn, requests)) {
    case TurnOutcome::failed:
      wanted_ = false;
      publish(turn.status.error().message);
      return true;
    case TurnOutcome::awaits_requests:
      forget();
      lacks_room_ = true;
      break;
    case TurnOutcome::next_turn:
      break;
  }
  publish({});
  return true;
}

Status ContextInspector::work(const RequestsNow& requests) {
  if (inspected_ == nullptr || services_.catalog.facts(inspected_->context).id != asked_.request.context)
    KV_TRY(begin(requests));
  if (inspected_->task == nullptr) return original_step(requests);
  if (!std::exchange(begun_, true)) KV_TRY(inspected_->task->ask(asked_.request));
  KV_TRY(inspected_->task->step([this] { return services_.interrupted() || mailbox_.has_news(); }));
  wanted_ = !inspected_->task->done();
  return {};
}

// Requires space for the original, one form and the answers, besides what requests, placement and profiling may use.
Status ContextInspector::begin(const RequestsNow& requests) {
  forget();
  const Catalog& catalog = services_.catalog;
  const ModelRuntime& runtime = services_.runtime;
  const std::string& id = asked_.request.context;
  const auto context = catalog.index_of_id(id);
  if (!context)
    return fail(ErrorCode::usage, "keep map: context '" + id + "' is not in this workload; choose one of its contexts");
  const std::size_t blocks =
      (2 + asked_.request.methods.size()) * runtime.blocks_for(catalog.details(*context).tokens.size());
  KV_TRY(check_room(services_, requests, blocks, "keep map: context '" + id + "'", "choose a shorter context"));
  inspected_ = std::make_unique<Inspected>(Inspected{*context, KvCache(*runtime.pool), nullptr, nullptr});
  if (const auto* original = services_.store.originals().cached(*context)) {
    inspected_->task =
        std::make_unique<KeepMapTask>(services_.runtime, catalog.facts(*context), catalog.details(*context),
                                      original->cache.share(), original->observed, max_answer_tokens_, services_.clock);
  } else if (const auto entry = catalog.residency(*context).archived
                                    ? services_.store.originals().archived_entry(*context)
                                    : std::nullopt) {
    inspected_->load =
        std::make_unique<LoadTask>(*services_.store.originals().tier(), *entry, nullptr, services_.lender, true);
  }
  return {};
}

Status ContextInspector::begin_task(WindowQueries queries) {
  Inspected& inspected = *inspected_;
  KV_TRY(evict_unseen_rows(services_.runtime, inspected.cache));
  const Catalog& catalog = services_.catalog;
  inspected.task = std::make_unique<KeepMapTask>(services_.runtime, catalog.facts(inspected.context),
                                                 catalog.details(inspected.context), std::move(inspected.cache),
                                                 observation_of(services_.runtime, std::move(queries)),
                                                 max_answer_tokens_, services_.clock);
  inspected.load.reset();
  inspected.prefill.reset();
  return {};
}

// One layer of the context, read from the archive or computed.
Status ContextInspector::original_step(const RequestsNow& requests) {
  Inspected& inspected = *inspected_;
  const ModelRuntime& runtime = services_.runtime;
  if (inspected.load != nullptr) {
    LoadTask& load = *inspected.load;
    const auto there = load.restore_in_turn(requests.any ? 0 : 0.001, inspected.cache);
    if (there && !*there) return {};
    if (!there && there.error().code == ErrorCode::no_space) return tl::unexpected(there.error());
    auto queries = there ? load.take_queries() : Expected<WindowQueries>(tl::unexpected(there.error()));
    if (queries) return begin_task(std::move(*queries));
    inspected.load.reset();  // falls back to computing it
    inspected.cache = KvCache(*runtime.pool);
  }
  if (inspected.prefill == nullptr)
    inspected.prefill = std::make_unique<PrefillTask>(*runtime.model, inspected.cache,
                                                      services_.catalog.details(inspected.context).tokens, 0,
                                                      PrefillOptions{.chunk_tokens = runtime.chunk_tokens(),
                                                                     .window_queries = runtime.window_queries,
                                                                     .logits = PrefillLogits::none});
  KV_TRY(inspected.prefill->step());
  return inspected.prefill->done() ? begin_task(inspected.prefill->take_window_queries()) : Status();
}

std::string ContextInspector::work_text() const {
  if (!wanted_) return {};
  if (lacks_room_) return "Waiting for space in the block pool";
  if (inspected_ == nullptr) return "Beginning";
  if (inspected_->task != nullptr && begun_) return inspected_->task->work();
  return inspected_->load != nullptr ? "Reading the context from the archive" : "Computing the context";
}

void ContextInspector::publish(const std::string& error) {
  std::shared_ptr<KeepMapResult> result;
  const bool more =
      inspected_ != nullptr && inspected_->task != nullptr && begun_ &&
      inspected_->task->revision() != std::exchange(inspected_->shown_revision, inspected_->task->revision());
  if (more || !error.empty()) {
    result = std::make_shared<KeepMapResult>(more ? inspected_->task->result() : KeepMapResult{});
    result->ticket = asked_.ticket;
    result->request = asked_.request;
    result->seconds = seconds_;
    result->complete = !wanted_;
    result->error = error;
  }
  mailbox_.publish(work_text(), std::move(result));
}

}  // namespace kvantage::inline inspection
