#include "core/inspect/text_asker.h"

#include <utility>

namespace kvantage::inline inspection {

void TextAsker::end_task() {
  task_.reset();
  texts_.leave_device();
  kept_beside_.reset();
}

bool TextAsker::free_memory() {
  if (task_ == nullptr && texts_.empty()) return false;
  task_.reset();
  texts_.clear();
  lacks_room_ = true;
  return true;
}

bool TextAsker::take_news() {
  AskMailbox::News news = mailbox_.take();
  if (news.dropped || news.asked) end_task();
  if (news.dropped) {
    texts_.clear();
    wanted_ = false;
    mailbox_.publish_idle();
  }
  if (!news.asked) return wanted_;
  ticket_ = news.asked->ticket;
  request_ = std::move(news.asked->request);
  seconds_ = 0;
  keeps_ = true;
  return wanted_ = true;
}

void TextAsker::keep_within(const RequestsNow& requests) {
  if (texts_.empty() || kept_beside_ == requests.reserved_blocks) return;
  kept_beside_ = requests.reserved_blocks;
  const BlockPool& pool = *services_.runtime.pool;
  const std::size_t beside = blocks_beside_serving(services_, requests), task = task_ != nullptr ? task_blocks_ : 0;
  const Catalog& catalog = services_.catalog;  // a profile turns a form's positions beside it
  const std::size_t turned = services_.runtime.blocks_for(catalog.details(catalog.longest()).tokens.size());
  const std::size_t needed = task + turned;
  const std::size_t left = keeps_ && beside > needed ? beside - needed : 0;
  texts_.shrink(std::min(left, pool.capacity_blocks() / kept_part) * pool.block_bytes(),
                task_ != nullptr ? &task_->computed() : nullptr);
}

bool TextAsker::step(const RequestsNow& requests) {
  if (!requests.any) lacks_room_ = false;
  keep_within(requests);  // of a request that was admitted meanwhile
  if (!take_news() || lacks_room_ || requests.await_bytes) return false;
  // Beside requests a turn ends where only a tier has work.
  const InspectionTurn turn = inspection_turn(
      services_, serving_clock_, requests, [&] { return work(requests); },
      [&] { return wanted_ && !mailbox_.has_news() && !(requests.any && task_ != nullptr && task_->awaits_bytes()); });
  seconds_ += turn.seconds;
  switch (outcome_of(turn, requests)) {
    case TurnOutcome::failed:
      if (!begin_without_kept(turn.status)) publish_error(turn.status.error().message);
      return true;
    case TurnOutcome::awaits_requests:
      free_memory();
      lacks_room_ = true;
      break;
    case TurnOutcome::next_turn:
      break;
  }
  publish();
  return true;
}

// The question's needs are within what was checked, so what is kept beside it is in its way, or others took more.
bool TextAsker::begin_without_kept(const Status& status) {
  if (status.error().code != ErrorCode::no_space || task_ == nullptr || !std::exchange(keeps_, false)) return false;
  task_.reset();
  texts_.clear();
  return true;
}

Status TextAsker::work(const RequestsNow& requests) {
  if (task_ == nullptr) {
    KV_TRY(begin(requests));
    publish();
    return {};
  }
  KV_TRY(task_->step(requests.any ? 0 : 0.001, [this] { return services_.interrupted() || mailbox_.has_news(); }));
  if (task_->revision() == shown_revision_) return {};
  kept_beside_.reset();  // there may be another form
  keep_within(requests);
  if (task_->done())
    wanted_ = false;
  else
    publish();  // token by token
  return {};
}

// Requires space besides what requests, placement and profiling may use.
Status TextAsker::begin(const RequestsNow& requests) {
  KV_ASSIGN(auto checked, checked_ask(*request_, services_));
  task_blocks_ = AskTask::blocks_for(checked, services_, max_answer_tokens_);
  KV_TRY(check_room(services_, requests, task_blocks_, "ask: the text", "choose a shorter text"));
  auto computed = texts_.use(checked.catalog(services_).facts(checked.context).key);
  task_ = std::make_unique<AskTask>(services_, std::move(checked), std::move(computed), max_answer_tokens_);
  kept_beside_.reset();
  keep_within(requests);
  shown_revision_ = -1;
  begins_ = true;
  return {};
}

std::string TextAsker::work_text() const {
  if (!wanted_) return {};
  if (lacks_room_) return "Waiting for space in the block pool";
  return task_ == nullptr ? "Beginning" : task_->work();
}

void TextAsker::publish() {
  if (task_ != nullptr && task_->revision() != std::exchange(shown_revision_, task_->revision())) {
    AskResult changes = task_->take_changes();
    changes.ticket = ticket_;
    changes.request = request_;
    changes.seconds = seconds_;
    mailbox_.publish(work_text(), std::move(changes), std::exchange(begins_, false));
  } else {
    mailbox_.publish_work(work_text());
  }
  if (!wanted_) end_task();
}

void TextAsker::publish_error(const std::string& error) {
  AskResult result;
  const bool begins = task_ == nullptr || begins_;
  if (task_ != nullptr) result = task_->take_changes();  // with what had been answered
  result.ticket = ticket_;
  result.request = request_;
  result.seconds = seconds_;
  result.complete = true;
  result.error = error;
  wanted_ = begins_ = false;
  end_task();
  mailbox_.publish({}, std::move(result), begins);
}

}  // namespace kvantage::inline inspection
