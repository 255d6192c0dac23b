// The last session: its workload and settings, saved on every change. The next start resumes from there, also after a
// kill.
#pragma once

#include <QSettings>
#include <QTimer>
#include <functional>
#include <optional>

#include "ui/session/settings_controller.h"

namespace kvantage {

struct LastSession {
  QString workload;  // as WindowOptions::workload_path; empty: none is known
  QString model;     // as WindowOptions::model_path, the last that was loaded
  std::optional<SessionSettings> settings;
};

/// Nothing where the file has none, or none that make sense.
LastSession read_last_session(const QSettings& kept);
/// Empty: `text`, as it is kept, holds settings that make sense, or nothing. Else why not.
QString fault_of_kept_settings(const QString& text);

class SessionKeeper : public QObject {
  Q_OBJECT
 public:
  static constexpr int delay_ms = 400;

  /// `resting`: while it says so nothing is kept: what a lesson sets is not the user's.
  SessionKeeper(SettingsController& settings, QSettings& kept, const QString& workload, std::function<bool()> resting,
                QObject* parent);
  /// Writes now.
  void keep();
  /// It was loaded: the next start loads it, too.
  void keep_model(const QString& model);

 private:
  SettingsController& settings_;
  QSettings& kept_;
  std::function<bool()> resting_;
  QTimer timer_;
};

}  // namespace kvantage
