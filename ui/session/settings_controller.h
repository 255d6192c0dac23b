// Changes of settings by the user: previews while a control moves, one undo step when it is released, and a bounded
// rate of commits to the engine. Undo applies all previous settings.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <QUndoStack>

#include "core/ports/session.h"

namespace kvantage {

class SettingsController : public QObject {
  Q_OBJECT
 public:
  static constexpr int commit_interval_ms = 200;
  static constexpr int max_undo_steps = 500;  // older ones are forgotten

  explicit SettingsController(Session& session, QObject* parent = nullptr);

  /// What the controls show: the preview while one moves, else the committed settings.
  const SessionSettings& shown() const { return previewing_ ? preview_ : committed_; }
  const SessionSettings& committed() const { return committed_; }
  bool previewing() const { return previewing_; }
  QUndoStack& undo_stack() { return undo_stack_; }
  /// Why nothing can be changed now; empty: it can. Undo steps are kept until then.
  void set_fixed(const QString& reason) { fixed_ = reason; }
  bool fixed() const { return !fixed_.isEmpty(); }

  /// Not committed: only predictions follow.
  void preview(const SessionSettings& settings);
  void cancel_preview();
  /// Checks, makes one undo step and posts. `control` names what was moved: quick steps of one control (keys, wheel)
  /// merge into one undo step; a control that a mouse drags has another name at each press (LogSlider::hand). Returns
  /// false, after `rejected`, when the settings make no sense.
  bool commit(const SessionSettings& settings, const QString& text, const QString& control);
  /// The engine's settings changed from elsewhere; becomes the committed ones without an undo step.
  void adopt(const SessionSettings& settings);
  /// Posts what still waits for the rate limit.
  void flush();

 signals:
  void shownChanged(const kvantage::SessionSettings& settings);
  void committedChanged(const kvantage::SessionSettings& settings);
  void rejected(const QString& message);

 private:
  friend class SettingsCommand;
  void set_committed(const SessionSettings& settings);
  void post();

  Session& session_;
  SessionSettings committed_, preview_;
  bool previewing_ = false, waiting_ = false;
  QString fixed_;
  QUndoStack undo_stack_;
  QTimer post_timer_;
  QElapsedTimer since_post_;
};

}  // namespace kvantage
