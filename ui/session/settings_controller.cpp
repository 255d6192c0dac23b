#include "ui/session/settings_controller.h"

#include <QUndoCommand>

#include "ui/text/core_text.h"
#include "ui/text/words.h"

namespace kvantage {

class SettingsCommand : public QUndoCommand {
 public:
  SettingsCommand(SettingsController& controller, SessionSettings before, SessionSettings after, const QString& text,
                  QString control)
      : QUndoCommand(text),
        controller_(controller),
        before_(std::move(before)),
        after_(std::move(after)),
        control_(std::move(control)) {
    age_.start();
  }
  void undo() override { controller_.set_committed(before_); }
  void redo() override { controller_.set_committed(after_); }
  int id() const override { return control_.isEmpty() ? -1 : 1; }
  bool mergeWith(const QUndoCommand* other) override {
    constexpr int merge_window_ms = 700;
    const auto* next = static_cast<const SettingsCommand*>(other);
    if (next->control_ != control_ || age_.elapsed() > merge_window_ms) return false;
    after_ = next->after_;
    age_.restart();
    setText(next->text());
    setObsolete(after_ == before_);
    return true;
  }

 private:
  SettingsController& controller_;
  SessionSettings before_, after_;
  QString control_;
  QElapsedTimer age_;
};

SettingsController::SettingsController(Session& session, QObject* parent)
    : QObject(parent), session_(session), committed_(session.settings()) {
  undo_stack_.setUndoLimit(max_undo_steps);
  post_timer_.setSingleShot(true);
  connect(&post_timer_, &QTimer::timeout, this, &SettingsController::post);
}

void SettingsController::preview(const SessionSettings& settings) {
  preview_ = settings;
  previewing_ = true;
  emit shownChanged(shown());
}

void SettingsController::cancel_preview() {
  if (!previewing_) return;
  previewing_ = false;
  emit shownChanged(shown());
}

bool SettingsController::commit(const SessionSettings& settings, const QString& text, const QString& control) {
  previewing_ = false;
  if (fixed()) {
    emit rejected(fixed_);
    emit shownChanged(shown());
    return false;
  }
  if (const Status status = validate(settings); !status) {
    emit rejected(core_text(status.error().message));
    emit shownChanged(shown());
    return false;
  }
  if (settings == committed_) {
    emit shownChanged(shown());
    return true;
  }
  undo_stack_.push(new SettingsCommand(*this, committed_, settings, text, control));
  return true;
}

void SettingsController::set_committed(const SessionSettings& settings) {
  previewing_ = false;
  committed_ = settings;
  waiting_ = true;
  if (!since_post_.isValid() || since_post_.elapsed() >= commit_interval_ms)
    post();
  else if (!post_timer_.isActive())
    post_timer_.start(commit_interval_ms - static_cast<int>(since_post_.elapsed()));
  emit committedChanged(committed_);
  emit shownChanged(shown());
}

void SettingsController::post() {
  if (!waiting_) return;
  waiting_ = false;
  since_post_.start();
  if (const Status status = session_.apply(committed_); !status) {
    // The engine keeps what it had, and so does the window.
    committed_ = session_.settings();
    undo_stack_.clear();
    emit rejected(core_text(status.error().message));
    emit committedChanged(committed_);
    emit shownChanged(shown());
  }
}

void SettingsController::flush() {
  post_timer_.stop();
  post();
}

void SettingsController::adopt(const SessionSettings& settings) {
  // While a commit of ours waits or a control moves, the engine's echo is older than what the user wants.
  if (waiting_ || settings == committed_) return;
  committed_ = settings;
  emit committedChanged(committed_);
  if (!previewing_) emit shownChanged(shown());
}

}  // namespace kvantage
