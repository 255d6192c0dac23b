// kvantage: the window. Opens at once on the quick-start workload with the default model; everything slow happens on
// the engine's thread behind it.
#include <QApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QMessageBox>
#include <QTimer>

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include "app/wiring/going_on.h"
#include "app/wiring/gpu_module.h"
#include "app/wiring/next_model.h"
#include "app/wiring/openmp.h"
#include "app/wiring/resources.h"
#include "app/wiring/samples.h"
#include "app/wiring/session_setup.h"
#include "app/wiring/usual_database.h"
#include "app/wiring/workload_opening.h"
#include "core/base/files.h"
#include "core/base/thread_rank.h"
#include "core/engine/pool_walk.h"
#include "core/study/modelled_session.h"
#include "profiles/run_library.h"
#include "ui/last_session.h"
#include "ui/main_window.h"
#include "ui/models/figure_command.h"
#include "ui/path_kind.h"
#include "ui/remote_question.h"
#include "ui/screenshots.h"
#include "ui/settings_file.h"

int main(int argc, char** argv) {
  kvantage::restart_with_passive_openmp(argv);
  using namespace kvantage;
  SessionOptions options;
  options.model = default_model_directory();
  options.workload = quickstart_directory();
  options.endless = true;
  options.leave_core = true;
  bool wait = false;
  CLI::App command_line{"KVantage: KV-cache compression and eviction, live", "kvantage"};
  CLI::Option* given_workload = command_line.add_option(
      "workload", options.workload,
      "Folder of the workload, or a text file or folder of texts (default: the last one, at first the quick start)");
  CLI::Option* given_model = command_line.add_option(
      "--model", options.model,
      "Hugging Face folder or GGUF file of the model (default: the last one, at first the one that ships)");
  command_line.add_option(
      "--tier", options.tiers,
      "NAME=BYTES[,path=DIR or url=redis://HOST:PORT][,bandwidth=BYTES/s][,latency=TIME], fastest first");
  command_line.add_option("--store", options.store, "Folder of the stores");
  CLI::Option* given_database = command_line.add_option("--db", options.database, "Database of profiles and runs");
  command_line.add_option(
      "--context-tokens", options.context_tokens,
      "Longest context of own texts (default: half of the model's positions; 2560 for the model that ships)");
  command_line.add_option("--probes", options.probes, "Questions made per context and split where there are none");
  command_line.add_option(
      "--threads", options.threads,
      "Threads that compute (default: all cores; where there are three or more, all but one, which the window keeps)");
  command_line.add_flag("--gpu", options.gpu, "Prefill and answer on the first GPU, in bf16 (docs/gpu-model.md)");
  command_line.add_option("--allow-remote", options.remotes.allowed,
                          "HOST or HOST:PORT of a Redis server that a session.json names: it is not asked for");
  std::string screenshots;
  CLI::Option* pictured =
      command_line.add_option("--screenshots", screenshots,
                              "Write pictures of every dock and dialog into this folder, light and dark, then end");
  std::string scenes;
  command_line
      .add_option("--scenes", scenes, "Of these the ones whose name this wildcard matches, such as \"lesson*\"")
      ->needs(pictured);
  std::string screenshot_theme, screenshot_size;
  command_line.add_option("--screenshot-theme", screenshot_theme, "Take them in this theme alone")
      ->needs(pictured)
      ->check(CLI::IsMember({"light", "dark"}));
  command_line.add_option("--screenshot-size", screenshot_size, "Take them in this size alone, such as 1280x800")
      ->needs(pictured)
      ->check([](const std::string& text) {
        return parse_picture_size(QString::fromStdString(text)) ? std::string()
                                                                : "write it as WIDTHxHEIGHT, such as 1280x800";
      });
  command_line.add_flag("--wait", wait, "Open paused: press Start to serve");
  command_line.set_version_flag("--version", program_version());
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  const auto given = [&words](std::string_view word) { return std::ranges::find(words, word) != words.end(); };
  if (given("--help") || given("-h") || given("--version")) CLI11_PARSE(command_line, argc, argv);  // needs no display
  const auto set = [](const char* name) { return std::getenv(name) != nullptr && *std::getenv(name) != '\0'; };
  if (given("--screenshots") && !set("QT_QPA_PLATFORM"))
    setenv("QT_QPA_PLATFORM", "offscreen", 0);  // any size, any machine
  if (!set("DISPLAY") && !set("WAYLAND_DISPLAY") && !set("QT_QPA_PLATFORM") && !given("-platform")) {
    std::fprintf(stderr,
                 "error: no display: neither DISPLAY nor WAYLAND_DISPLAY is set; without one use kvantage-cli run\n");
    return exit_code(Error{ErrorCode::usage, {}});
  }
  QApplication application(argc, argv);  // takes its own options out of argv
  QApplication::setApplicationName("KVantage");
  QApplication::setOrganizationName("KVantage");
  try {
    command_line.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return command_line.exit(error) == 0 ? 0 : exit_code(Error{ErrorCode::usage, {}});
  }
  options.environment = environment_of_this_machine();
  options.environment["command"] = "kvantage";

  // A file manager hands over what was clicked on: a run is shown beside the usual workload, a workload.json is its
  // folder.
  const QString clicked = QString::fromStdString(options.workload.string());
  const PathKind kind = kind_of_path(clicked);
  const bool shown_beside = kind == PathKind::run || kind == PathKind::layout;
  if (shown_beside) options.workload = quickstart_directory();
  if (options.workload.filename() == "workload.json") options.workload = options.workload.parent_path();
  std::error_code no_such;
  if (std::filesystem::exists(options.workload, no_such))
    options.workload =
        std::filesystem::absolute(options.workload).lexically_normal();  // the next start may be elsewhere

  // The next start goes on from the last session, also after a kill; what the command line says comes first.
  const LastSession last =
      screenshots.empty() ? read_last_session(QSettings(default_settings_file(), QSettings::IniFormat)) : LastSession{};
  const auto text_of = [](const std::filesystem::path& path) { return QString::fromStdString(path.string()); };
  const auto unless_given = [](const CLI::Option* option, const QString& kept) {
    return option->empty() ? kept.toStdString() : std::string();
  };
  // Why the last workload or model is not served, if it is not.
  QString gone_on = QString::fromStdString(
      go_on(options, unless_given(given_model, last.model), unless_given(given_workload, last.workload)));
  if (text_of(named_workload(options.workload)) == last.workload) options.last = last.settings;

  // A window serves one workload; opening another from it ends the session and begins the next.
  WindowBeginning begin;
  bool handed_over = false;  // what was clicked on
  NextModel next_session_model(default_model_directory());
  for (;;) {
    if (const auto remotes = remotes_to_ask(options); !remotes.empty()) {
      QStringList addresses;
      for (const std::string& address : remotes) addresses << QString::fromStdString(address);
      const QString name = text_of(named_workload(options.workload).filename());
      if (screenshots.empty() && ask_for_remotes(nullptr, name, addresses)) {
        options.remotes.allowed.insert(options.remotes.allowed.end(), remotes.begin(), remotes.end());
      } else {
        gone_on += (gone_on.isEmpty() ? QString() : QStringLiteral("; ")) +
                   QStringLiteral("%1 names the server %2, which was not allowed; the quick start is served instead")
                       .arg(name, addresses.join(QStringLiteral(", ")));
        options.workload = quickstart_directory();
        options.last.reset();
      }
    }
    // A worked example is modelled: there is no engine behind it, and nothing of it is recorded.
    std::unique_ptr<ModelledSession> modelled;
    if (options.workload == worked_example_name)
      modelled = worked_example_session([clock = QElapsedTimer(), began = false]() mutable {
        if (!std::exchange(began, true)) clock.start();
        return static_cast<double>(clock.nsecsElapsed()) / 1e9;
      });
    auto session = modelled ? Expected<LiveSession>(LiveSession{}) : open_session(options, {});
    if (!session && given_database->empty() && options.database.empty()) {
      const DatabaseBeside beside = usable_database(options);
      if (!beside.why.empty()) {
        options.database = beside.path;
        session = open_session(options, {});
        gone_on += (gone_on.isEmpty() ? QString() : QStringLiteral("; ")) +
                   QString::fromStdString(beside.why).section(QStringLiteral("; "), 0, 0) +
                   QStringLiteral("; it is left as it is, and runs are recorded in %1").arg(text_of(beside.path));
      }
    }
    if (!session && std::exchange(options.last, std::nullopt))
      session = open_session(options, {});  // a tier that cannot be as it was
    if (!session) {
      std::fprintf(stderr, "error: %s\n", session.error().message.c_str());
      if (::isatty(STDERR_FILENO) == 0 &&
          QApplication::platformName() != QLatin1String("offscreen"))  // started from a menu: nobody reads that
        QMessageBox::critical(nullptr, QStringLiteral("KVantage"), QString::fromStdString(session.error().message));
      return exit_code(session.error());
    }
    WindowOptions window_options;
    window_options.check_workload = [options](const QString& path) {
      SessionOptions other = options;
      other.workload = path.toStdString();
      const Status openable = check_openable(other);
      return openable ? QString() : QString::fromStdString(openable.error().message);
    };
    window_options.check_model = [options](const QString& path) {
      SessionOptions other = options;
      other.model = path.toStdString();
      const Status loadable = check_loadable(other);
      return loadable ? QString() : QString::fromStdString(loadable.error().message);
    };
    window_options.tour_at_first_start = screenshots.empty();
    if (!screenshots.empty())
      window_options.settings_file = QString::fromStdString(screenshots) + QStringLiteral("/window.ini");
    window_options.workload_path = QString::fromStdString(named_workload(options.workload).string());
    if (!modelled)
      window_options.model_path = options.model == default_model_directory() ? QString() : text_of(options.model);
    window_options.lessons_folder = QString::fromStdString((home_directory() / "resources" / "lessons").string());
    window_options.begin = std::exchange(begin, {});
    if (kind == PathKind::run && !handed_over) window_options.run_without_engine = clicked;
    window_options.start_at_once = modelled && !wait;
    const auto fact = [&options](const char* name) {
      const auto found = options.environment.find(name);
      return found != options.environment.end() && found->is_string()
                 ? QString::fromStdString(found->get<std::string>())
                 : QString();
    };
    window_options.program = {fact("version"), fact("commit"), options.environment.value("dirty", false),
                              fact("hardware"), [] { return QString::fromStdString(device_line(open_accelerator())); }};
    if (!modelled) {
      if (auto library = open_run_library(session->database))
        window_options.runs = std::move(*library);
      else
        session->notes.push_back("saved runs cannot be shown: " + library.error().message);
    }
    for (const SampleWorkload& sample : sample_workloads())
      window_options.samples.push_back({QString::fromStdString(sample.name),
                                        QString::fromStdString(sample.folder.string()),
                                        QString::fromStdString(sample.description)});
    window_options.inspector = session->engine.get();  // none where there is no engine
    window_options.spans = session->engine.get();
    window_options.walk_pool = walk_pool;
    const QString program = QDir(QApplication::applicationDirPath()).filePath(QStringLiteral("kvantage-cli"));
    const auto text = [](const std::filesystem::path& path) { return QString::fromStdString(path.string()); };
    if (QFileInfo(program).isExecutable())
      window_options.figures = std::make_shared<FigureCommand>(
          FigureCommand::Setup{program, text(options.model), text(session->database),
                               text(options.store.empty() ? cache_directory() / "stores" : options.store)});
    window_options.figure_results = text(session->database.parent_path() / "figures");
    Session& shown = modelled ? static_cast<Session&>(*modelled) : *session->engine;
    MainWindow window(shown, window_options);
    QString next, next_model;
    QObject::connect(&window, &MainWindow::openRequested, &window, [&window, &next](const QString& path) {
      next = path;
      window.close();
    });
    QObject::connect(&window, &MainWindow::modelRequested, &window, [&window, &next_model](const QString& path) {
      next_model = path;
      window.close();
    });
    QObject::connect(&window, &MainWindow::reopenRequested, &window,
                     [&](const QString& workload, const WindowBeginning& beginning) {
                       const std::filesystem::path path = named_workload(workload.toStdString());
                       std::error_code ignored;
                       if (path != worked_example_name && !std::filesystem::exists(path, ignored)) {
                         window.banner().show_message(
                             QStringLiteral("warning"),
                             QStringLiteral("%1: the sample workload of this lesson is not here; put it below %2")
                                 .arg(workload, QString::fromStdString(samples_directory().string())));
                         return;
                       }
                       next = QString::fromStdString(path.string());
                       begin = beginning;
                       window.close();
                     });
    QString notes;
    for (const std::string& note : session->notes)
      notes += (notes.isEmpty() ? "" : "; ") + QString::fromStdString(note);
    if (!gone_on.isEmpty()) window.banner().show_message(QStringLiteral("warning"), std::exchange(gone_on, QString()));
    if (!notes.isEmpty()) window.banner().show_message(QStringLiteral("info"), notes);
    window.show();
    if (!wait && !modelled) session->engine->start();
    if (shown_beside && !std::exchange(handed_over, true)) {
      QTimer::singleShot(0, &window, [&window, clicked] { window.files().open(clicked); });
    }
    if (!screenshots.empty()) {
      ScreenshotOptions wanted{.folder = QString::fromStdString(screenshots), .scenes = QString::fromStdString(scenes)};
      if (wait) wanted.requests = 0;  // of a window that nothing was served in yet
      if (!screenshot_theme.empty()) wanted.themes = {screenshot_theme == "dark" ? ThemeKind::dark : ThemeKind::light};
      if (const auto size = parse_picture_size(QString::fromStdString(screenshot_size))) wanted.sizes = {*size};
      auto* pictures = new Screenshots(window, wanted);
      QObject::connect(pictures, &Screenshots::finished, &application, [](const QStringList& written) {
        std::printf("%lld pictures\n", static_cast<long long>(written.size()));
        QApplication::exit(0);
      });
      QObject::connect(pictures, &Screenshots::failed, &application, [](const QString& reason) {
        std::fprintf(stderr, "error: %s\n", qPrintable(reason));
        QApplication::exit(1);
      });
      QTimer::singleShot(0, pictures, &Screenshots::start);
    }
    rank_this_thread(ThreadRank::window);
    const int code = QApplication::exec();
    if (next.isEmpty() && next_model.isEmpty()) return code;
    options.last.reset();
    if (!modelled)
      options.model = next_session_model.after(options.model, session->engine->info(), session->engine->state());
    if (!next.isEmpty()) options.workload = next.toStdString();
    if (!next_model.isEmpty()) options.model = next_model.toStdString();
  }
}
