// The window's sessions, one after the other. A window serves one workload; opening another ends the session and starts
// the next.
#pragma once

#include <QCoreApplication>
#include <QString>

#include <functional>
#include <memory>
#include <optional>

#include "app/session_socket/session_socket.h"
#include "app/startup_timing.h"
#include "app/window_arguments.h"
#include "app/wiring/next_model.h"
#include "core/experiments/simulated_session.h"
#include "ui/files/path_kind.h"
#include "ui/session/failed_session.h"
#include "ui/window/main_window.h"
#include "ui/window/window_frame.h"

namespace kvantage {

/// As the window has paths.
QString text_of(const std::filesystem::path& path);

class WindowProgram {
  Q_DECLARE_TR_FUNCTIONS(WindowProgram)
 public:
  /// Requires a QApplication. timing: of this start; the file is the arguments'.
  explicit WindowProgram(WindowArguments arguments, StartupTiming timing = {});
  WindowProgram(const WindowProgram&) = delete;
  WindowProgram& operator=(const WindowProgram&) = delete;
  /// Runs until the user closes the window for good, or until cli::interrupted(); returns the exit code. A session that
  /// fails to open ends it only before a window was shown, and where somebody reads the error.
  int run();

 private:
  /// One of them is there.
  struct Opened {
    std::unique_ptr<SimulatedSession> simulated;  // a worked example: no engine, nothing is recorded
    LiveSession live;
    std::unique_ptr<FailedSession> failed;  // nothing could be opened
    Session& session() const;
  };
  /// The window's request when it closed.
  struct Next {
    QString workload, model, serving;
    QString products;  // of the model; empty: as before
    bool retry = false, separate_store = false;
    bool wanted() const { return retry || !workload.isEmpty() || !model.isEmpty() || !serving.isEmpty(); }
  };

  /// Takes what the engine says when it opened another store than the shared one to the window's thread.
  struct StoreNote {
    QObject thread;
    int session = 0;
    std::function<void(const std::string& note)> tell = {};
  };

  void take_clicked();
  void continue_last_session();
  void ask_for_servers();
  Expected<Opened> open();
  Expected<LiveSession> open_live();
  Status listen(const Opened& opened);
  int report(const Error& error) const;
  bool shows_failures() const;
  Opened failed(const Error& error);
  int show_session(Opened& opened, Next& next);
  void take_next(const Opened& opened, const Next& next);
  void end_interrupted();
  void use_separate_store(const Opened& opened);
  WindowOptions window_options(Opened& opened);
  void add_checks(WindowOptions& options) const;
  void add_services(WindowOptions& options, Opened& opened) const;
  void connect(MainWindow& window, Next& next);
  void leave(MainWindow& window, const QString& what, Next& next);
  void show(MainWindow& window);
  void await_store_note();
  void offer_store(MainWindow& window, Next& next);
  void show_notes(MainWindow& window, const Opened& opened);
  void take_pictures(MainWindow& window, const WindowOptions& options) const;
  void note(const QString& more);
  bool for_a_user() const { return arguments_.screenshots.empty(); }

  WindowArguments arguments_;
  StartupTiming timing_;  // before every window, which it watches
  SessionOptions& options_ = arguments_.options;
  QString clicked_;                  // path from a file manager
  PathKind kind_{};                  // of that path
  bool shown_with_default_ = false;  // show it next to the default workload
  bool handed_over_ = false;         // already shown
  QString notes_;                    // why something is not served as requested
  WindowBeginning beginning_;        // for the next window
  NextModel next_session_model_;
  std::filesystem::path retried_model_;  // that of the session shown, also where the next one would use another
  StoreNote store_note_;
  DecisionLog decisions_;                    // of all sessions, for programs at the socket
  std::unique_ptr<SessionSocket> socket_;    // of the session shown; null: none
  std::function<void()> close_window_ = {};  // the one shown
  std::unique_ptr<WindowFrame> frame_;       // null: each window is one of its own, so that pictures can size it
};

}  // namespace kvantage
