// kvantage-cli man: manual pages of the program and of every command, in roff, generated from the commands; with --out
// also a short one of the window's program.
#include <array>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/base/json_output.h"
#include "app/cli/base/value_type.h"
#include "app/cli/commands.h"
#include "app/cli/describe/command_list.h"
#include "app/cli/describe/examples.h"
#include "app/cli/session_options.h"
#include "app/wiring/build_date.h"
#include "app/wiring/program_facts.h"
#include "core/base/files.h"
#include "core/base/folders.h"

namespace kvantage::cli {
namespace {

/// Text as roff takes it: hyphens that can be copied, no line that begins a request.
std::string roff(const std::string& text) {
  std::string escaped;
  bool at_start = true;
  for (const char letter : text) {
    if (at_start && (letter == '.' || letter == '\'')) escaped += "\\&";
    if (letter == '-')
      escaped += "\\-";
    else if (letter == '\\')
      escaped += "\\e";
    else if (letter == '~')
      escaped += "\\(ti";
    else if (letter == '^')
      escaped += "\\(ha";
    else if (letter != '`')  // what docs/cli.md sets as code
      escaped += letter;
    at_start = letter == '\n';
  }
  return escaped;
}

/// "[file formats](file-formats.md)" -> "file formats".
std::string without_links(std::string text) {
  for (std::size_t end = 0; (end = text.find("](")) != std::string::npos;) {
    const std::size_t begin = text.rfind('[', end), close = text.find(')', end);
    if (begin == std::string::npos || close == std::string::npos) break;
    text.replace(begin, close + 1 - begin, text.substr(begin + 1, end - begin - 1));
  }
  return text;
}

std::string bold(const std::string& text) { return "\\fB" + roff(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + roff(text) + "\\fR"; }

std::string page_name(const std::string& path) {
  std::string name = "kvantage-cli" + (path.empty() ? "" : "-" + path);
  for (char& letter : name)
    if (letter == ' ') letter = '-';
  return name;
}

std::string head(const std::string& name, const std::string& description) {
  const std::string version = program_version();
  std::string title = name;
  for (char& letter : title) letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  std::string text = ".\\\" Printed by kvantage-cli man.\n.TH " + roff(title) + " 1 \"" + build_date() + "\" \"" +
                     roff(version.substr(0, version.find(','))) + "\" \"KVantage\"\n.nh\n.ad l\n";
  return text + ".SH NAME\n" + roff(name) + " \\- " + roff(description) + "\n.SH SYNOPSIS\n";
}

std::string item(const std::string& name, const std::string& description) {
  return ".TP\n" + name + "\n" + roff(without_links(description)) + "\n";
}

std::string option_item(const CLI::Option& option) {
  const ValueType type = value_type(option);
  std::string name = option.get_positional() ? italic(option_names(option)) : bold(option_names(option));
  if (!option.get_positional() && takes_value(option)) name += " " + italic(type.name);
  if (takes_several(option)) name += " ...";
  std::string description = option.get_description() + ".";
  if (!type.choices.empty()) description += " One of " + choices_text(type) + ".";
  if (!type.range.empty()) description += " Range: " + type.range + ".";
  if (const std::string value = default_text(option); !value.empty()) description += " Default: " + value + ".";
  return item(name, description);
}

std::string environment_items() {
  return item(bold("KVANTAGE_CACHE"), "Folder of stores, of the database and of what is fetched (~/.cache/kvantage).") +
         item(bold("NO_COLOR"), "If set, errors and progress have no colors.");
}

constexpr const char* window_name = "kvantage";

std::string tail(const CLI::App& program, const std::string& path) {
  const std::string text = ".SH EXIT STATUS\n" + roff(exit_codes) + ".\n.SH ENVIRONMENT\n" + environment_items();
  std::string others = bold(window_name) + "(1)";
  if (!path.empty()) others += ",\n" + bold("kvantage-cli") + "(1)";
  for (const ListedCommand& other : listed_commands(program))
    if (other.path != path) others += ",\n" + bold(page_name(other.path)) + "(1)";
  return text + ".SH SEE ALSO\n" + others + "\n";
}

std::string program_page(const CLI::App& program) {
  std::string text = head(page_name(""), program.get_description()) + bold("kvantage-cli") + " " + italic("COMMAND") +
                     " [" + italic("OPTIONS") + "]\n";
  text +=
      ".SH DESCRIPTION\nServes a workload with a real local language model over a tiered KV cache, and measures what "
      "compression and eviction cost.\nEach command has a manual page of its own, " +
      bold("kvantage-cli-run") + "(1) and so on, and prints its options with " + bold("--help") + ".\n.SH COMMANDS\n";
  for (const ListedCommand& command : listed_commands(program))
    text += item(bold(command.path), command.app->get_description() + ".");
  return text + tail(program, "");
}

std::string command_page(const CLI::App& program, const ListedCommand& command) {
  const std::string usage = usage_text(command);
  const std::string called = "kvantage-cli " + command.path;
  std::string text = head(page_name(command.path), command.app->get_description()) + bold(called) +
                     roff(usage.substr(called.size())) + "\n";
  text += ".SH DESCRIPTION\n" + roff(command.app->get_description()) + ".\n";
  if (const std::string footer = command.app->get_footer(); !footer.empty())
    text += ".PP\n.nf\n" + roff(footer) + "\n.fi\n";
  std::string arguments, options;
  for (const CLI::Option* option : shown_options(*command.app))
    (option->get_positional() ? arguments : options) += option_item(*option);
  if (!arguments.empty()) text += ".SH ARGUMENTS\n" + arguments;
  text += ".SH OPTIONS\n" + options + item(bold("--help") + ", " + bold("--help-all"), "Print help and exit.");
  if (const JsonOutput* json = json_output(command.path))
    text += ".SH JSON OUTPUT\n" + roff(without_links(json_text(*json, ""))) + "\n";
  std::string examples;
  for (const std::string& line : examples_of(command.path)) examples += roff(line) + "\n";
  if (!examples.empty()) text += ".SH EXAMPLES\n.nf\n" + examples + ".fi\n";
  return text + tail(program, command.path);
}

struct WindowOption {
  const char *name, *value, *description;  // value empty: a flag
};

/// Of the window's program, which declares them itself; in short, as its --help-all has the rest.
constexpr std::array window_options{
    WindowOption{"--model", "TEXT",
                 "Hugging Face folder or GGUF file of the model, or reference-mha (default: the last one used)."},
    WindowOption{"--prompt-form", "TEXT", "Form of prompts, instead of the one that the model's chat template makes."},
    WindowOption{"--max-model-len", "INT",
                 "Tokens of the longest text with its answer that the model is to serve; chooses longrope's factors "
                 "and dynamic scaling."},
    WindowOption{
        "--products", "TEXT",
        "Matrix products of the model on the CPU, library or batch_invariant; as of kvantage-cli run (default: "
        "as last chosen with the model)."},
    WindowOption{"--tier", "TEXT",
                 "NAME=BUDGET[,OPTION=VALUE]..[,NAME=BUDGET..], fastest first; repeatable; as of kvantage-cli run."},
    WindowOption{"--store", "TEXT", "Folder of the stores."},
    WindowOption{"--db", "TEXT", "Database of profiles and runs."},
    WindowOption{"--context-tokens", "INT", "Maximum length of contexts from your own texts."},
    WindowOption{"--probes", "INT",
                 "Questions generated for each context without any: this many for profiling and this many for "
                 "requests."},
    WindowOption{"--threads", "INT",
                 "Compute threads; 0: one per core, but with three or more cores one stays free for the window."},
    WindowOption{"--gpu", "", "Prefill and answer on the first GPU, in bf16."},
    WindowOption{
        "--method-file", "TEXT",
        "TorchScript file whose scorer becomes a method of its name and a candidate; it runs confined, without "
        "files and network; repeatable."},
    WindowOption{
        "--allow-remote", "TEXT",
        "HOST or HOST:PORT of a Redis server or bucket, HOST of a cluster or Sentinel, that a session.json names: "
        "connect to it without asking; repeatable."},
    WindowOption{"--lesson", "TEXT", "Open with this lesson, or at a step of it: NAME or NAME#STEP."},
    WindowOption{"--wait", "", "Open paused: press Start to serve."},
    WindowOption{"--listen", "TEXT",
                 "Socket to make, a path: programs of this user ask and change the session through it."},
    WindowOption{"--startup-timing", "TEXT",
                 "Write into this JSON file what of the start was reached when, once a curve is painted."},
    WindowOption{"--language", "TEXT", "Language of the window (default: as in View > Language)."},
    WindowOption{"--screenshots", "TEXT",
                 "Write screenshots of every dock and dialog into this folder, light and dark, then exit."},
    WindowOption{"--scenes", "TEXT", "With --screenshots: only those whose names match one of these wildcards."},
    WindowOption{"--docs", "", "With --screenshots: the pictures of README.md and docs/guide.md."},
    WindowOption{"--screenshot-theme", "TEXT", "With --screenshots: only in this theme, light or dark."},
    WindowOption{"--screenshot-size", "TEXT", "With --screenshots: only in this size, such as 1280x800."},
    WindowOption{"--screenshot-text", "INT", "With --screenshots: size of the text in percent, 80 to 200."},
    WindowOption{"--version", "", "Print the version and exit."}};

std::string window_page() {
  const std::string workload = italic("WORKLOAD");
  std::string text = head(window_name, "explore KV-cache compression and eviction, live, in a window") +
                     bold(window_name) + " [" + italic("OPTIONS") + "] [" + workload + "]\n";
  text +=
      ".SH DESCRIPTION\nServes a workload with a real local language model over a tiered KV cache, and shows what "
      "compression and eviction cost while you change them.\nPress F1 for a tour. Without a display use " +
      bold("kvantage-cli-run") + "(1).\n.SH ARGUMENTS\n" +
      item(workload,
           "Folder of the workload, or a text file or folder of texts (default: the last one used, initially the quick "
           "start).") +
      ".SH OPTIONS\n";
  for (const WindowOption& option : window_options)
    text += item(bold(option.name) + (*option.value == '\0' ? "" : " " + italic(option.value)), option.description);
  text += item(bold("--help") + ", " + bold("--help-all"), "Print help and exit.");
  text += ".SH EXIT STATUS\n" + roff("0 success, 1 failure, 2 usage error, 3 rejected input, 130 interrupted.") +
          "\n.SH ENVIRONMENT\n" + environment_items();
  return text + ".SH SEE ALSO\n" + bold("kvantage-cli") + "(1),\n" + bold("kvantage-cli-run") + "(1)\n";
}

Expected<std::string> page_of(const CLI::App& program, const std::vector<std::string>& words) {
  if (words.empty()) return program_page(program);
  KV_ASSIGN(const auto command, find_command(listed_commands(program), words));
  return command_page(program, command);
}

/// The files it wrote, by name.
Expected<std::vector<std::string>> write_pages(const CLI::App& program, const std::filesystem::path& folder) {
  KV_TRY(make_writable_folder(folder));
  std::vector<std::string> files;
  const auto write = [&](const std::string& page, const std::string& text) -> Status {
    files.push_back(page + ".1");
    return write_text_file(folder / files.back(), text);
  };
  KV_TRY(write(window_name, window_page()));
  KV_TRY(write(page_name(""), program_page(program)));
  for (const ListedCommand& command : listed_commands(program))
    KV_TRY(write(page_name(command.path), command_page(program, command)));
  return files;
}

Status print_page(const CLI::App& program, const std::vector<std::string>& command, bool json) {
  KV_ASSIGN(const std::string page, page_of(program, command));
  if (json)
    print_json(OrderedJson{{"page", page}, {"folder", nullptr}, {"files", nullptr}});
  else
    std::fputs(page.c_str(), stdout);
  return {};
}

Status print_pages(const CLI::App& program, const std::filesystem::path& folder, bool json) {
  KV_ASSIGN(const auto files, write_pages(program, folder));
  if (json) print_json(OrderedJson{{"page", nullptr}, {"folder", folder.string()}, {"files", files}});
  return {};
}

}  // namespace

void add_man(CLI::App& program, CommandResult& result) {
  struct Arguments {
    std::vector<std::string> command;
    std::filesystem::path out;
    bool json = false;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App& command = *program.add_subcommand("man", "Print the manual page of the program or of a command");
  command.add_option("COMMAND", arguments->command, "Command, such as run or workload make (default: the program)");
  command.add_option("--out", arguments->out, "Folder to write every page to; created if missing");
  add_json_option(command, arguments->json);
  command.callback([arguments, &program, &result] {
    const auto printed = arguments->out.empty() ? print_page(program, arguments->command, arguments->json)
                                                : print_pages(program, arguments->out, arguments->json);
    result.exit_code = printed ? 0 : report_error(printed.error());
  });
}

}  // namespace kvantage::cli
