#include "app/window_program.h"

#include <QApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QTimer>

#include <unistd.h>

#include <cstdio>
#include <utility>
#include <vector>

#include "app/cli/base/interrupts.h"
#include "app/interrupt_notifier.h"
#include "app/wiring/default_database.h"
#include "app/wiring/program_facts.h"
#include "app/wiring/resources.h"
#include "app/wiring/resume_last.h"
#include "app/wiring/samples.h"
#include "app/wiring/serving_import.h"
#include "app/wiring/workload_opening.h"
#include "core/base/executor.h"
#include "core/base/files.h"
#include "core/base/folders.h"
#include "core/base/last_line.h"
#include "core/base/shown_text.h"
#include "core/base/thread_priority.h"
#include "ui/files/remote_question.h"
#include "ui/files/settings_file.h"
#include "ui/pictures/screenshots.h"
#include "ui/text/core_text.h"
#include "ui/window/last_session.h"

namespace kvantage {
namespace {

void say_error(std::string_view text) {
  const std::string line = message_line(text, max_message_characters - error_prefix.size());
  std::fprintf(stderr, "%s%s\n", error_prefix.data(), line.c_str());
}

/// A simulation with the real policies, in real time.
std::unique_ptr<SimulatedSession> worked_example_now() {
  return worked_example_session([clock = QElapsedTimer(), began = false]() mutable {
    if (!std::exchange(began, true)) clock.start();
    return static_cast<double>(clock.nsecsElapsed()) / 1e9;
  });
}

}  // namespace

QString text_of(const std::filesystem::path& path) { return QString::fromStdString(path.string()); }

WindowProgram::WindowProgram(WindowArguments arguments, StartupTiming timing)
    : arguments_(std::move(arguments)), timing_(std::move(timing)), next_session_model_(default_model_directory()) {
  options_.environment = environment_of_this_machine();
  options_.environment["command"] = "kvantage";
  options_.displayed = true;
  options_.calibrate_runs = true;
  beginning_.lesson = QString::fromStdString(arguments_.lesson);
  take_clicked();
  continue_last_session();
}

// A path from a file manager: a run opens next to the default workload, a workload.json stands for its folder.
void WindowProgram::take_clicked() {
  clicked_ = text_of(options_.workload);
  kind_ = kind_of_path(clicked_);
  shown_with_default_ =
      kind_ == PathKind::run || kind_ == PathKind::layout || kind_ == PathKind::method || kind_ == PathKind::serving;
  if (shown_with_default_) options_.workload = quickstart_directory();
  if (options_.workload.filename() == "workload.json") options_.workload = options_.workload.parent_path();
  std::error_code no_such;
  if (std::filesystem::exists(options_.workload, no_such))  // the next start may use another working directory
    options_.workload = absolute_or_given(options_.workload).lexically_normal();
}

// Resumes the last session, even after a kill; the command line takes precedence.
void WindowProgram::continue_last_session() {
  const LastSession last =
      for_a_user() ? read_last_session(QSettings(openable_settings_file(default_settings_file()), QSettings::IniFormat))
                   : LastSession{};
  const auto unless = [](bool given, const QString& kept) { return given ? std::string() : kept.toStdString(); };
  notes_ = core_text(resume_last(options_, unless(arguments_.model_given, last.model),
                                 unless(arguments_.workload_given, last.workload)));
  if (text_of(named_workload(options_.workload)) == last.workload) options_.last = last.settings;
  // They were chosen with the model. The workload's own file may ask for others than the default ones.
  if (last.settings && !options_.products && !arguments_.model_given &&
      (options_.last || last.settings->products != library_products))
    options_.products = last.settings->products;
}

void WindowProgram::note(const QString& more) {
  notes_ += (notes_.isEmpty() ? QString() : QStringLiteral("; ")) + more;
}

void WindowProgram::ask_for_servers() {
  const auto remotes = remotes_to_ask(options_);
  if (remotes.empty()) return;
  QStringList addresses;
  for (const std::string& address : remotes) addresses << QString::fromStdString(address);
  const bool imports = options_.imported_settings.contains("tiers");
  const QString name = text_of((imports ? options_.imported_from : named_workload(options_.workload)).filename());
  if (for_a_user() && ask_for_remotes(nullptr, name, addresses)) {
    options_.remotes.allowed.insert(options_.remotes.allowed.end(), remotes.begin(), remotes.end());
    return;
  }
  if (imports) {
    note(tr("%1 names the server %2, which was not allowed. The workload's own settings are used instead.")
             .arg(name, addresses.join(QStringLiteral(", "))));
    forget_serving(options_);
    return ask_for_servers();  // the workload may name one, too
  }
  note(tr("%1 names the server %2, which was not allowed. The quick start is served instead.")
           .arg(name, addresses.join(QStringLiteral(", "))));
  options_.workload = quickstart_directory();
  options_.last.reset();
}

Expected<LiveSession> WindowProgram::open_live() {
  const std::vector<EventSink*> sinks =
      arguments_.listen.empty() ? std::vector<EventSink*>{} : std::vector<EventSink*>{&decisions_};
  auto session = open_session(options_, sinks);
  if (!session && !arguments_.database_given && options_.database.empty()) {
    const DatabaseBeside beside = usable_database(options_);
    if (!beside.why.empty()) {
      options_.database = beside.path;
      session = open_session(options_, sinks);
      note(tr("%1. The file is left unchanged, and runs are recorded in %2.")
               .arg(QString::fromStdString(beside.why).section(QStringLiteral("; "), 0, 0), text_of(beside.path)));
    }
  }
  if (!session && std::exchange(options_.last, std::nullopt))
    session = open_session(options_, sinks);  // a tier could not be opened as before
  return session;
}

// Each session has a socket of its own: a program that was connected to the last one connects again.
Status WindowProgram::listen(const Opened& opened) {
  socket_.reset();
  if (arguments_.listen.empty() || !opened.live.engine) return {};
  Engine& engine = *opened.live.engine;
  KV_ASSIGN(socket_, SessionSocket::listen(
                         arguments_.listen,
                         ServedSession{engine, &engine, decisions_, [&engine] { engine.stop(); }, program_version()},
                         system_executor()));
  return {};
}

Expected<WindowProgram::Opened> WindowProgram::open() {
  if (options_.workload == worked_example_name) return Opened{worked_example_now(), {}, nullptr};
  KV_ASSIGN(auto live, open_live());
  return Opened{nullptr, std::move(live), nullptr};
}

Session& WindowProgram::Opened::session() const {
  if (simulated) return *simulated;
  return failed ? static_cast<Session&>(*failed) : *live.engine;
}

// Started from a menu, nobody reads stderr; and a window that is there stays.
bool WindowProgram::shows_failures() const {
  if (!for_a_user()) return false;
  return frame_ != nullptr ||
         (::isatty(STDERR_FILENO) == 0 && QApplication::platformName() != QLatin1String("offscreen"));
}

// The next workload is not to fail for a model that cannot be read.
WindowProgram::Opened WindowProgram::failed(const Error& error) {
  say_error(error.message);
  if (!read_model_reading(options_.model))
    options_.model = next_session_model_.after(options_.model, {}, RunState::failed);
  return Opened{nullptr, {}, std::make_unique<FailedSession>(error)};
}

int WindowProgram::report(const Error& error) const {
  say_error(error.message);
  return exit_code(error);
}

void WindowProgram::connect(MainWindow& window, Next& next) {
  QObject::connect(&window, &MainWindow::openRequested, &window, [this, &window, &next](const QString& path) {
    next.workload = path;
    leave(window, path, next);
  });
  QObject::connect(&window, &MainWindow::modelRequested, &window, [this, &window, &next](const QString& path) {
    next.model = path;
    next.products = window.chosen_products();
    leave(window, path, next);
  });
  QObject::connect(&window, &MainWindow::servingRequested, &window, [this, &window, &next](const QString& path) {
    next.serving = path;
    leave(window, path, next);
  });
  QObject::connect(&window, &MainWindow::retryRequested, &window, [this, &window, &next](bool separate_store) {
    next.retry = true;
    next.separate_store = separate_store;
    leave(window, text_of(options_.workload), next);
  });
  QObject::connect(&window, &MainWindow::reopenRequested, &window,
                   [this, &window, &next](const QString& workload, const WindowBeginning& beginning) {
                     const std::filesystem::path path = named_workload(workload.toStdString());
                     std::error_code ignored;
                     if (path != worked_example_name && !std::filesystem::exists(path, ignored)) {
                       window.banner().show_message(
                           QStringLiteral("warning"),
                           tr("%1, the sample workload of this lesson, was not found. Copy it into %2.")
                               .arg(workload, text_of(samples_directory())));
                       return;
                     }
                     next.workload = text_of(path);
                     beginning_ = beginning;
                     leave(window, next.workload, next);
                   });
}

// The frame stays; only its content closes. Where it does not, nothing comes next.
void WindowProgram::leave(MainWindow& window, const QString& what, Next& next) {
  if (frame_) frame_->cover(tr("Opening %1…").arg(QFileInfo(what).fileName()));
  if (!window.close()) {
    next = {};
    if (frame_) frame_->uncover();
  } else if (frame_) {
    QCoreApplication::exit(0);
  }
}

void WindowProgram::show(MainWindow& window) {
  if (!for_a_user()) return window.show();
  if (!frame_) frame_ = std::make_unique<WindowFrame>();
  frame_->take(window);
}

// The engine's thread may report it at any moment, even for a session that has ended by then.
void WindowProgram::await_store_note() {
  options_.on_separate_store = [this, session = ++store_note_.session](const std::string& note) {
    QMetaObject::invokeMethod(
        &store_note_.thread,
        [this, session, note] {
          if (session == store_note_.session && store_note_.tell) store_note_.tell(note);
        },
        Qt::QueuedConnection);
  };
}

// The engine took a store of its own: the user may free the shared one and try it again.
void WindowProgram::offer_store(MainWindow& window, Next& next) {
  store_note_.tell = [this, &window, &next](const std::string& note) {
    window.banner().offer(
        QStringLiteral("info"), tr("Another process uses this store; this session uses a separate one."),
        {tr("Retry"), tr("Reopen this session with the shared store, once it is free"),
         [this, &window, &next] {
           next.workload = text_of(options_.workload);
           beginning_ = WindowBeginning{.lesson = {}, .settings = window.models().settings.committed()};
           leave(window, next.workload, next);
         },
         core_text(note)});
  };
}

void WindowProgram::show_notes(MainWindow& window, const Opened& opened) {
  QString notes;
  for (const std::string& note : opened.live.notes) notes += (notes.isEmpty() ? "" : "; ") + core_text(note);
  if (!notes_.isEmpty()) window.banner().show_message(QStringLiteral("warning"), std::exchange(notes_, QString()));
  if (!notes.isEmpty()) window.banner().show_message(QStringLiteral("info"), notes);
}

void WindowProgram::take_pictures(MainWindow& window, const WindowOptions& options) const {
  ScreenshotOptions wanted{.folder = QString::fromStdString(arguments_.screenshots),
                           .scenes = QString::fromStdString(arguments_.scenes)};
  wanted.documentation = arguments_.documentation_pictures;
  if (wanted.documentation) {
    wanted.sizes = {{1280, 800}};
    wanted.themes = {ThemeKind::dark, ThemeKind::light};  // the last scene changes what the dark one shows
  }
  if (arguments_.wait) wanted.requests = 0;  // shows the window before its first request
  if (!arguments_.screenshot_theme.empty())
    wanted.themes = {arguments_.screenshot_theme == "dark" ? ThemeKind::dark : ThemeKind::light};
  if (const auto size = parse_picture_size(QString::fromStdString(arguments_.screenshot_size))) wanted.sizes = {*size};
  wanted.text_percent = arguments_.screenshot_text;
  auto* pictures = new Screenshots(picture_stage(window, options), wanted);
  QObject::connect(pictures, &Screenshots::finished, qApp, [](const QStringList& written) {
    std::printf("%lld pictures\n", static_cast<long long>(written.size()));
    QApplication::exit(0);
  });
  QObject::connect(pictures, &Screenshots::failed, qApp, [](const QString& reason) {
    say_error(reason.toStdString());
    QApplication::exit(1);
  });
  QTimer::singleShot(0, pictures, &Screenshots::start);
}

int WindowProgram::show_session(Opened& opened, Next& next) {
  const WindowOptions window_settings = window_options(opened);
  MainWindow window(opened.session(), window_settings);
  timing_.note("window_made");
  if (!arguments_.startup_timing.empty()) timing_.watch(window, std::exchange(arguments_.startup_timing, {}));
  connect(window, next);
  offer_store(window, next);
  show_notes(window, opened);
  show(window);
  timing_.note("window_shown");
  if (!arguments_.wait && opened.live.engine) opened.live.engine->start();
  if (shown_with_default_ && !std::exchange(handed_over_, true))
    QTimer::singleShot(0, &window, [this, &window] { window.open(clicked_); });
  if (!for_a_user()) take_pictures(window, window_settings);
  rank_this_thread(ThreadPriority::window);
  close_window_ = [&window] { window.close_now(); };
  const int code = QApplication::exec();
  close_window_ = {};
  store_note_.tell = {};
  return code;
}

void WindowProgram::take_next(const Opened& opened, const Next& next) {
  if (next.retry) {
    options_.model = retried_model_;
    if (next.separate_store) use_separate_store(opened);
    return;
  }
  options_.last.reset();
  std::filesystem::path model = options_.model;
  if (opened.live.engine)
    model = next_session_model_.after(options_.model, opened.live.engine->info(), opened.live.engine->state());
  if (!next.workload.isEmpty()) options_.workload = next.workload.toStdString();
  if (!next.model.isEmpty()) model = next.model.toStdString();
  if (!next.model.isEmpty() && !next.products.isEmpty()) options_.products = next.products.toStdString();
  if (model != options_.model) {
    options_.model = std::move(model);
    options_.prompt_form.reset();  // of the model before
    options_.max_model_len = 0;
  }
  if (!next.workload.isEmpty()) forget_serving(options_);
  if (next.serving.isEmpty()) return;
  if (const auto replaced = replace_by_serving(options_, next.serving.toStdString()); !replaced)
    note(core_text(replaced.error().message));
}

// A store that another process has still keeps the runs and curves.
void WindowProgram::use_separate_store(const Opened& opened) {
  const auto folder = fresh_store(options_);
  if (!folder) {
    note(core_text(folder.error().message));
    return;
  }
  const ErrorCode code = opened.failed ? opened.failed->error().code : opened.live.engine->failure().code;
  if (code == ErrorCode::busy && options_.database.empty()) options_.database = default_database(options_);
  options_.store = *folder;
  note(tr("This session uses a separate store: %1").arg(text_of(*folder)));
}

// As Ctrl-C on the command line: the session stops and its record gets an end. A dialog returns as if it were canceled.
void WindowProgram::end_interrupted() {
  if (close_window_) close_window_();
  QCoreApplication::exit(cli::interrupted_exit_code);
}

int WindowProgram::run() {
  const InterruptNotifier notifier([this] { end_interrupted(); });
  for (;;) {
    ask_for_servers();
    if (cli::interrupted()) return cli::interrupted_exit_code;
    await_store_note();
    retried_model_ = options_.model;
    auto opened = open();
    if (!opened) {
      if (!shows_failures()) return report(opened.error());
      opened = failed(opened.error());
    }
    timing_.note("session_opened");
    if (cli::interrupted()) return cli::interrupted_exit_code;
    if (const Status listens = listen(*opened); !listens) {
      if (!frame_) return report(listens.error());  // nobody saw a window yet
      note(core_text(listens.error().message));
    }
    Next next;
    const int code = show_session(*opened, next);
    socket_.reset();  // before its engine
    if (cli::interrupted()) return cli::interrupted_exit_code;
    if (!next.wanted()) return code;
    take_next(*opened, next);
  }
}

}  // namespace kvantage
