#include "core/inspect/text_asker.h"

#include <utility>

#include "core/base/units.h"

namespace kvantage::inline inspection {

bool TextAsker::free_memory() {
  if (task_ == nullptr) return false;
  task_.reset();
  lacks_room_ = true;
  return true;
}

bool TextAsker::take_news() {
  AskMailbox::News news = mailbox_.take();
  if (news.dropped || news.asked) task_.reset();
  if (news.dropped) {
    wanted_ = false;
    mailbox_.publish_idle();
  }
  if (!news.asked) return wanted_;
  asked_ = std::move(*news.asked);
  seconds_ = 0;
  return wanted_ = true;
}

bool TextAsker::step(const RequestsNow& requests) {
  if (!requests.any) lacks_room_ = false;
  if (!take_news() || lacks_room_ || requests.await_bytes) return false;
  // Beside requests a turn ends where only a tier has work.
  const InspectionTurn turn = inspection_turn(
      services_, serving_clock_, requests, [&] { return work(requests); },
      [&] { return wanted_ && !mailbox_.has_news() && !(requests.any && task_ != nullptr && task_->awaits_bytes()); });
  seconds_ += turn.seconds;
  const Status& status = turn.status;
  if (!status && status.error().code == ErrorCode::no_space && requests.any) {
    task_.reset();
    lacks_room_ = true;
  } else if (!status && status.error().code != ErrorCode::cancelled) {
    publish_error(status.error().message);
    return true;
  }
  publish();
  return true;
}

Status TextAsker::work(const RequestsNow& requests) {
  if (task_ == nullptr) {
    KV_TRY(begin(requests));
    publish();
    return {};
  }
  KV_TRY(task_->step(requests.any ? 0 : 0.001, [this] { return services_.interrupted() || mailbox_.has_news(); }));
  if (task_->done())
    wanted_ = false;
  else if (task_->revision() != shown_revision_)
    publish();  // token by token
  return {};
}

// Requires space besides what requests, placement and profiling may use.
Status TextAsker::begin(const RequestsNow& requests) {
  KV_ASSIGN(auto checked, checked_ask(asked_.request, services_));
  const ModelRuntime& runtime = services_.runtime;
  const Catalog& catalog = services_.catalog;
  const std::size_t taken = requests.reserved_blocks +
                            2 * runtime.blocks_for(catalog.details(catalog.longest()).tokens.size()) +
                            AskTask::blocks_for(checked, services_, max_answer_tokens_);
  const BlockPool& pool = *runtime.pool;
  if (taken > pool.capacity_blocks())
    return fail(ErrorCode::no_space, "ask: the text needs " + format_bytes(taken * pool.block_bytes()) +
                                         " of KV blocks besides those for serving, but there are " +
                                         format_bytes(pool.capacity_blocks() * pool.block_bytes()) +
                                         "; choose a shorter text");
  task_ = std::make_unique<AskTask>(services_, std::move(checked), max_answer_tokens_);
  shown_revision_ = -1;
  return {};
}

std::string TextAsker::work_text() const {
  if (!wanted_) return {};
  if (lacks_room_) return "Waiting for space in the block pool";
  return task_ == nullptr ? "Beginning" : task_->work();
}

void TextAsker::publish() {
  std::shared_ptr<AskResult> result;
  if (task_ != nullptr && task_->revision() != std::exchange(shown_revision_, task_->revision())) {
    result = std::make_shared<AskResult>();
    task_->fill_in(*result);
    result->ticket = asked_.ticket;
    result->request = asked_.request;
    result->seconds = seconds_;
  }
  mailbox_.publish(work_text(), std::move(result));
  if (!wanted_) task_.reset();
}

void TextAsker::publish_error(const std::string& error) {
  auto result = std::make_shared<AskResult>();
  if (task_ != nullptr) task_->fill_in(*result);  // with what had been answered
  result->ticket = asked_.ticket;
  result->request = asked_.request;
  result->seconds = seconds_;
  result->complete = true;
  result->error = error;
  wanted_ = false;
  task_.reset();
  mailbox_.publish({}, std::move(result));
}

}  // namespace kvantage::inline inspection
