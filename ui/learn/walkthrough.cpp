#include "ui/learn/walkthrough.h"

#include "ui/window/palette_entries.h"

namespace kvantage {

Walkthrough::Walkthrough(QWidget& window, const CardText& labels)
    : QObject(&window), card_(new TourCard(&window, labels)) {
  connect(&card_->next(), &QPushButton::clicked, this, [this] { show_step(at_ + 1); });
  connect(&card_->close_button(), &QPushButton::clicked, this, [this] { close(); });
  connect(&card_->show_me(), &QPushButton::clicked, this, [this] {
    if (!running()) return;
    const WalkStep& step = steps_[static_cast<std::size_t>(at_)];
    if (step.show_me && !(step.held && step.held())) step.show_me();
  });
  connect(card_, &TourCard::answered, this, &Walkthrough::answered);
  refresh_.setInterval(refresh_ms);
  connect(&refresh_, &QTimer::timeout, this, [this] {
    if (running()) card_->set_text(steps_[static_cast<std::size_t>(at_)].live_text());
  });
}

void Walkthrough::begin(std::vector<WalkStep> steps) {
  steps_ = std::move(steps);
  show_step(0);
}

void Walkthrough::close() {
  if (!running()) return;
  watched_.reset();
  refresh_.stop();
  at_ = -1;
  card_->dismiss();
  emit ended();
}

void Walkthrough::go_to(int step) {
  if (running() && step >= 0 && step < count()) show_step(step);
}

void Walkthrough::update_step() {
  if (!running()) return;
  const WalkStep& step = steps_[static_cast<std::size_t>(at_)];
  if (step.live_text) card_->set_text(step.live_text());
  card_->set_held(step.held && step.held());
}

void Walkthrough::show_step(int number) {
  if (running() && number != at_) emit aboutToLeave(at_, number);
  watched_.reset();
  refresh_.stop();
  if (number >= count()) {
    close();
    return;
  }
  at_ = number;
  ++shown_;
  done_ = false;
  const WalkStep& step = steps_[static_cast<std::size_t>(number)];
  QWidget* target = step.target ? step.target() : nullptr;
  if (target) bring_into_view(*target);
  card_->show_step({number + 1, count(), step.title, step.live_text ? step.live_text() : step.text, target,
                    step.in_view ? step.in_view() : nullptr, static_cast<bool>(step.show_me), step.answers,
                    step.extra ? step.extra() : nullptr});
  card_->set_held(step.held && step.held());
  if (step.live_text) refresh_.start();
  watched_ = std::make_unique<QObject>();
  if (step.is_done && step.is_done()) {
    done(false);  // already done without the user: Next continues
  } else if (step.watch) {
    step.watch(*watched_, [this, number] {
      if (at_ == number) done(!steps_[static_cast<std::size_t>(number)].stays);
    });
  }
  emit stepShown(number);
}

void Walkthrough::done(bool continues) {
  if (done_) return;
  done_ = true;
  card_->show_done();
  if (!continues) return;
  QTimer::singleShot(pause_ms, this, [this, step = at_, shown = shown_] {
    if (at_ != step || shown_ != shown) return;
    if (step + 1 < count())
      show_step(step + 1);
    else
      close();
  });
}

void Walkthrough::answered(int answer) {
  const WalkStep& step = steps_[static_cast<std::size_t>(at_)];
  if (step.answers[static_cast<std::size_t>(answer)].right) done(false);
}

}  // namespace kvantage
