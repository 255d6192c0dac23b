#include "app/window_arguments.h"

#include <CLI/CLI.hpp>
#include <QUrl>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>
#include <vector>

#include "app/cli/base/help_text.h"
#include "app/cli/base/method_file_option.h"
#include "app/cli/base/model_options.h"
#include "app/cli/base/usage_error.h"
#include "app/cli/base/value_checks.h"
#include "app/wiring/program_facts.h"
#include "app/wiring/resources.h"
#include "app/wiring/samples.h"
#include "app/wiring/tier_notes.h"
#include "core/base/shown_text.h"
#include "ui/learn/model/lesson_link.h"
#include "ui/look/font_scale.h"
#include "ui/pictures/screenshots.h"
#include "ui/text/language.h"

namespace kvantage {
namespace {

struct GivenOptions {
  CLI::Option *workload, *model, *database;
};

GivenOptions add_session_options(CLI::App& app, SessionOptions& options) {
  GivenOptions given{};
  given.workload = app.add_option("WORKLOAD", options.workload,
                                  "Folder of the workload, or a text file or folder of texts (default: the last one "
                                  "used, initially the quick start)");
  given.model = app.add_option("--model", options.model,
                               "Hugging Face folder or GGUF file of the model, or reference-mha (default: the last one "
                               "used, initially the default model)")
                    ->transform(cli::shipped_model());
  cli::add_prompt_form_option(app, options.prompt_form);
  cli::add_max_model_len_option(app, options.max_model_len);
  cli::add_products_option(app, options.products);
  app.add_option("--tier", options.tiers, tier_option_help());
  cli::add_method_file_option(app, &options.added_methods);
  app.add_option("--store", options.store, "Folder of the stores");
  given.database = app.add_option("--db", options.database, "Database of profiles and runs");
  app.add_option("--context-tokens", options.context_tokens,
                 "Maximum length of contexts from your own texts (default: half of the model's positions; 2560 for the "
                 "default model, 7680 for reference-mha)");
  app.add_option("--probes", options.probes,
                 "Questions generated for each context without any: this many for profiling and this many for requests")
      ->check(cli::whole_number(cli::max_probes))
      ->capture_default_str();
  app.add_option("--threads", options.threads,
                 "Compute threads; 0: one per core, but with three or more cores one stays free for the window")
      ->check(CLI::Range(0, cli::max_threads))
      ->capture_default_str();
  app.add_flag("--gpu", options.gpu, "Prefill and answer on the first GPU, in bf16 (docs/gpu-model.md)");
  app.add_option(
      "--allow-remote", options.remotes.allowed,
      "HOST or HOST:PORT of a Redis server or bucket, HOST of a cluster or Sentinel, that a session.json names: "
      "connect to it without asking");
  return given;
}

void add_picture_options(CLI::App& app, WindowArguments& arguments) {
  CLI::Option* pictured =
      app.add_option("--screenshots", arguments.screenshots,
                     "Write screenshots of every dock and dialog into this folder, light and dark, then exit");
  app.add_option("--scenes", arguments.scenes,
                 "With --screenshots: only those whose names match one of these wildcards, such as \"lesson*|tour 1\"")
      ->needs(pictured);
  app.add_flag("--docs", arguments.documentation_pictures,
               "With --screenshots: the pictures of README.md and docs/guide.md, on the quick start")
      ->needs(pictured)
      ->excludes("--scenes");
  app.add_option("--screenshot-theme", arguments.screenshot_theme, "With --screenshots: only in this theme")
      ->needs(pictured)
      ->check(cli::one_of({"light", "dark"}));
  app.add_option("--screenshot-size", arguments.screenshot_size,
                 "With --screenshots: only in this size, such as 1280x800")
      ->needs(pictured)
      ->check([](const std::string& text) {
        return parse_picture_size(QString::fromStdString(text)) ? std::string()
                                                                : "write it as WIDTHxHEIGHT, such as 1280x800";
      });
  app.add_option("--screenshot-text", arguments.screenshot_text,
                 "With --screenshots: size of the text in percent (default: as in the window)")
      ->needs(pictured)
      ->check(CLI::Range(min_font_percent, max_font_percent));
}

/// Read once, and only where a lesson is named.
const std::vector<Lesson>& shipped_lessons() {
  static const std::vector<Lesson> lessons = [] {
    QStringList broken;  // the window says what is wrong with them
    return read_lessons(QString::fromStdString((program_home() / "resources" / "lessons").string()), broken);
  }();
  return lessons;
}

/// NAME, NAME#STEP, or a link.
Expected<LessonLink> named_lesson(const std::string& text) {
  const QString named = QString::fromStdString(text);
  const std::vector<KnownLesson> known = known_lessons(shipped_lessons());
  return is_lesson_url(named) ? parse_lesson_url(named, known) : parse_lesson_name(named, known);
}

/// For CLI::Option::check().
std::string lesson_fault(const std::string& text) {
  const auto named = named_lesson(text);
  return named ? std::string() : named.error().message;
}

/// For CLI::Option::check(), of a file to write.
std::string folder_fault(const std::string& text) {
  const std::filesystem::path folder = std::filesystem::path(text).parent_path();
  std::error_code ignored;
  return folder.empty() || std::filesystem::is_directory(folder, ignored)
             ? std::string()
             : folder.string() + " is not a folder; make it, or name another";
}

bool is_lesson_link(const std::string& text) { return is_lesson_url(QString::fromStdString(text)); }

void add_lesson_option(CLI::App& app, const GivenOptions& given, WindowArguments& arguments) {
  given.workload->check(
      [](const std::string& text) { return is_lesson_link(text) ? lesson_fault(text) : std::string(); });
  app.add_option("--lesson", arguments.lesson,
                 "Open with this lesson, or at a step of it: NAME or NAME#STEP, such as alpha#2")
      ->check([](const std::string& text) { return lesson_fault(text); })
      ->excludes(given.workload);
}

/// A lesson brings its workload, unless it plays on any.
void take_lesson(WindowArguments& arguments) {
  const auto named = named_lesson(arguments.lesson);
  if (!named) return;  // a check has refused it
  for (const Lesson& lesson : shipped_lessons()) {
    if (lesson_name(lesson.path) != named->name) continue;
    arguments.lesson = lesson_place({lesson.path, named->step}).toStdString();
    if (lesson.workload == QStringLiteral("any")) continue;
    arguments.options.workload = named_workload(lesson.workload.toStdString());
    arguments.workload_given = true;
  }
}

/// The workload as a desktop gives it: a link to a lesson, or to a file.
void take_link(WindowArguments& arguments) {
  const std::string given = arguments.options.workload.string();
  if (is_lesson_link(given)) {
    arguments.lesson = given;
    arguments.options.workload = quickstart_directory();
    arguments.workload_given = false;
  } else if (const QUrl url(QString::fromStdString(given)); url.isLocalFile()) {
    arguments.options.workload = url.toLocalFile().toStdString();
  }
}

/// The window's command line, parsed into `arguments`.
struct WindowCommandLine {
  explicit WindowCommandLine(WindowArguments& arguments) {
    app.formatter(std::make_shared<cli::HelpText>());
    app.set_help_flag("-h,--help", "Print this help and exit");
    app.set_help_all_flag("--help-all", "Print every option in full and exit");
    app.failure_message(
        [](const CLI::App* program, const CLI::Error& error) { return cli::usage_error_text(program, error); });
    arguments.options.model = default_model_directory();
    arguments.options.workload = quickstart_directory();
    arguments.options.endless = true;
    arguments.options.leave_core = true;
    arguments.options.separate_store_if_busy = true;
    given = add_session_options(app, arguments.options);
    add_picture_options(app, arguments);
    add_lesson_option(app, given, arguments);
    app.add_flag("--wait", arguments.wait, "Open paused: press Start to serve");
    app.add_option("--listen", arguments.listen,
                   "Socket to make, a path: programs of this user ask and change the session through it "
                   "(docs/python.md)");
    app.add_option("--startup-timing", arguments.startup_timing,
                   "Write into this JSON file what of the start was reached when, in seconds since the process began, "
                   "once a curve is painted (docs/performance-window.md)")
        ->check([](const std::string& text) { return folder_fault(text); });
    std::vector<std::string> codes;
    for (const Language& language : languages()) codes.push_back(language.code.toStdString());
    app.add_option("--language", arguments.language, "Language of the window (default: as in View > Language)")
        ->check(cli::one_of(codes));
    app.set_version_flag("--version", program_version());
    cli::refuse_flag_values(app);
  }
  CLI::App app{"KVantage: KV-cache compression and eviction, live", "kvantage"};
  GivenOptions given{};
};

bool is_set(const char* name) { return std::getenv(name) != nullptr && *std::getenv(name) != '\0'; }

}  // namespace

std::optional<int> answer_without_display(int argc, char** argv) {
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  const auto given = [&words](std::string_view word) { return std::ranges::find(words, word) != words.end(); };
  if (given("--help") || given("--help-all") || given("-h") || given("--version")) {
    WindowArguments arguments;
    WindowCommandLine command_line(arguments);
    try {
      command_line.app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      return command_line.app.exit(error);
    }
  }
  if (given("--screenshots") && !is_set("QT_QPA_PLATFORM"))
    setenv("QT_QPA_PLATFORM", "offscreen", 0);  // renders at any size, without a display
  if (is_set("DISPLAY") || is_set("WAYLAND_DISPLAY") || is_set("QT_QPA_PLATFORM") || given("-platform"))
    return std::nullopt;
  std::fprintf(stderr,
               "error: no display: neither DISPLAY nor WAYLAND_DISPLAY is set; without one use kvantage-cli run\n");
  return exit_code(Error{ErrorCode::usage, {}});
}

std::optional<int> read_window_arguments(int argc, char** argv, WindowArguments& arguments) {
  WindowCommandLine command_line(arguments);
  try {
    command_line.app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return command_line.app.exit(error) == 0 ? 0 : exit_code(Error{ErrorCode::usage, {}});
  }
  for (const std::string& note : tier_name_notes(arguments.options.tiers))
    std::fprintf(stderr, "%s\n", message_line(note).c_str());
  arguments.workload_given = !command_line.given.workload->empty();
  arguments.model_given = !command_line.given.model->empty();
  arguments.database_given = !command_line.given.database->empty();
  if (arguments.workload_given) take_link(arguments);
  if (!arguments.lesson.empty()) take_lesson(arguments);
  return std::nullopt;
}

}  // namespace kvantage
