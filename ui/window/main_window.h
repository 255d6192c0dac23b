// The window: in Live the Frontier in the middle and docks around it, in other modes a page in their place, one 33 ms
// timer that drains the session's events into the models. It opens at once and shows progress while the engine loads;
// it never waits for the engine and closes at any moment. The session must outlive the window. This class makes the
// parts (window/parts), gives each what it needs, and closes; docs/architecture/window.md lists them.
#pragma once

#include <QMainWindow>
#include <QTimer>
#include <memory>

#include "core/ports/session.h"
#include "ui/live/view_links.h"
#include "ui/look/theme.h"
#include "ui/session/window_models.h"
#include "ui/widgets/banner.h"
#include "ui/window/parts/window_pages.h"
#include "ui/window/parts/window_preferences.h"
#include "ui/window/parts/window_views.h"
#include "ui/window/window_options.h"

namespace kvantage {

class Presenter;
class SessionKeeper;
class WindowActions;
class WindowGuides;
class WindowLooks;
class WindowOpening;
class WindowState;

class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  static constexpr int frame_ms = 33;

  explicit MainWindow(Session& session, WindowOptions options = {}, QWidget* parent = nullptr);
  ~MainWindow() override;

  WindowModels& models() { return models_; }
  Banner& banner() { return pages_->banner(); }
  /// A dock to the front, or a mode.
  void show_view(const QString& id) { views_->show(id); }
  /// What is in a dock of the registry, or the page of a mode; null when it is something else.
  template <typename Body>
  Body* body(const QString& id) {
    return views_->body<Body>(id);
  }
  /// A workload, text, model, run file or layout, as if it were dropped on the window.
  void open(const QString& path);
  /// Matrix products that were chosen with the model of modelRequested(); empty: those of this session.
  QString chosen_products() const;
  /// Closes without a question, even if a figure is lost: nobody answers.
  void close_now();

  ThemeKind theme_kind() const;
  void set_theme(ThemeKind kind);
  /// Text size in percent of the system's, 80 to 200; remembered.
  void set_font_size(int percent);

 signals:
  /// The user wants this workload (or model) instead: whoever made the window closes it and opens another.
  void openRequested(const QString& path);
  void modelRequested(const QString& path);
  /// The same workload and model with the settings of this file, of LMCache or vLLM.
  void servingRequested(const QString& path);
  /// The same, by itself: a lesson needs another workload, or gives back the one of before. A path, or a sample's name.
  void reopenRequested(const QString& workload, const kvantage::WindowBeginning& begin);
  /// Loading failed: the same again, or with a store of its own.
  void retryRequested(bool separate_store);

 protected:
  void closeEvent(QCloseEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void make_parts();
  void connect_parts();
  void restore();
  void frame();

  const WindowOptions options_;
  WindowPreferences preferences_;
  WindowModels models_;
  ViewLinks links_;
  std::unique_ptr<WindowPages> pages_;
  WindowViews* views_ = nullptr;
  Presenter* presenter_ = nullptr;
  WindowLooks* looks_ = nullptr;
  WindowOpening* opening_ = nullptr;
  WindowGuides* guides_ = nullptr;
  WindowActions* actions_ = nullptr;
  WindowState* state_ = nullptr;
  SessionKeeper* session_keeper_ = nullptr;  // null: it is not known what is served
  QTimer frame_timer_;
};

}  // namespace kvantage
