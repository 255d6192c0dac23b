#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/base/interrupts.h"
#include "app/cli/base/json_output.h"
#include "app/cli/base/progress_line.h"
#include "app/cli/base/value_checks.h"
#include "app/cli/commands.h"
#include "app/cli/console_figure_host.h"
#include "app/cli/figures/figure_request.h"
#include "app/cli/report_output.h"
#include "app/cli/reproduce_command.h"
#include "app/cli/session_options.h"
#include "core/experiments/claims.h"
#include "core/experiments/figures/figure_times.h"
#include "core/experiments/paper_figures.h"

namespace kvantage::cli {
namespace {

constexpr const char* list_word = "list";      // instead of a figure: all of them
constexpr const char* claims_word = "claims";  // what the papers report
constexpr const char* all_word = "all";        // every figure, into a folder

std::string paper_name(const PaperFigure& figure) {
  const auto paper = std::ranges::find(papers(), figure.paper, &Paper::id);
  return paper == papers().end() ? figure.paper : paper->name;
}

/// Where figures were made before: `folder` of reproduce all, else the results that the window keeps beside its
/// database.
Expected<FigureTimes> known_times(const FigureArguments& arguments, const std::string& folder) {
  if (!folder.empty()) return times_of_reproduction(folder);
  SessionOptions session;
  session.store = arguments.store;
  session.database = arguments.database;
  return times_of_kept_results(database_of(session).parent_path() / "figures");
}

OrderedJson time_json(const std::string& figure, const FigureTimes& times) {
  const auto found = times.find(figure);
  if (found == times.end()) return {};
  const FigureTime& time = found->second;
  return {{"seconds", time.seconds}, {"made", time.made}, {"command", time.command}};
}

OrderedJson figures_json(const FigureTimes& times) {
  OrderedJson list = OrderedJson::array();
  for (const PaperFigure& known : paper_figures())
    list.push_back({{"id", known.name},
                    {"paper", paper_name(known)},
                    {"title", known.title},
                    {"aliases", known.also},
                    {"took", time_json(known.name, times)}});
  return list;
}

void print_figures(const FigureTimes& times) {
  std::vector<std::vector<std::string>> rows;
  for (const PaperFigure& known : paper_figures()) {
    std::string aliases;
    for (const std::string& other : known.also) aliases += (aliases.empty() ? " (also " : ", ") + other;
    if (!aliases.empty()) aliases += ")";
    rows.push_back({known.name, paper_name(known), known.title + aliases + "; " + time_text(known.name, times)});
  }
  std::printf("%s", list_text({{}, {}, {}}, rows).c_str());
}

Status show_claims(bool json) {
  KV_ASSIGN(const auto claims, shipped_claims());
  OrderedJson all = OrderedJson::array();
  std::string text;
  const auto number = [](const std::optional<double>& value) { return value ? OrderedJson(*value) : OrderedJson(); };
  for (const PaperClaim& claim : claims) {
    all.push_back({{"id", claim.id},
                   {"where", claim.where},
                   {"says", claim.says},
                   {"low", number(claim.span.low)},
                   {"high", number(claim.span.high)},
                   {"up_to", claim.up_to},
                   {"unit", claim.unit},
                   {"figure", claim.figure},
                   {"out_of_scope", claim.out_of_scope},
                   {"note", claim.note}});
    const std::string span = span_text(claim);
    text += claim.id + "\n" + labeled_text("says", claim.says) +
            (span.empty() ? std::string() : labeled_text("span", span + " (" + claim.unit + ")")) +
            labeled_text("where", claim.where) +
            labeled_text("here", claim.figure.empty() ? "out of scope: " + claim.out_of_scope : claim.figure);
  }
  if (json)
    print_json(all);
  else
    std::printf("%s", text.c_str());
  return {};
}

Status check_options_of_all(const std::vector<GivenOption>& given) {
  constexpr std::array<std::string_view, 9> read{"--out",         "--quick",         "--brief",
                                                 "--only",        "--skip",          "--model",
                                                 "--prompt-form", "--max-model-len", "--any-program"};
  for (const GivenOption& one : given)
    if (std::ranges::find(read, one.option) == read.end())
      return fail(ErrorCode::usage, one.option + ": reproduce all makes each figure with its own; leave it out");
  return {};
}

/// Of figures, with the times of those of `folder`, or of claims.
Status show_list(const FigureArguments& arguments, const std::vector<GivenOption>& given, const std::string& folder) {
  const bool of_figures = arguments.figure == list_word;
  for (const GivenOption& one : given)
    if (!of_figures || one.option != "--out")
      return fail(ErrorCode::usage,
                  one.option + ": reproduce " + arguments.figure + " reads no option of a figure; leave it out");
  if (!of_figures) return show_claims(arguments.json);
  KV_ASSIGN(const auto times, known_times(arguments, folder));
  if (arguments.json)
    print_json(figures_json(times));
  else
    print_figures(times);
  return {};
}

/// Options that the lists and `reproduce all` do not read.
Status check_output_options(const CLI::App& command, const std::string& word) {
  for (const char* name : {"--models", "--picture", "--picture-width"})
    if (command.get_option(name)->count() > 0)
      return fail(ErrorCode::usage, std::string(name) + ": is for one figure, not for reproduce " + word +
                                        "; leave it out, or name a figure");
  return {};
}

Status make_one_figure(CLI::App& command, FigureArguments& arguments, const FigureOutput& output) {
  KV_TRY(check_picture(output));
  std::vector<FigureResult> results;
  if (command.get_option("--models")->count() > 0 && find_paper_figure(arguments.figure) != nullptr) {
    KV_ASSIGN(results, reproduce_models(command, arguments, output.models));
  } else {
    ConsoleFigureHost host;
    KV_TRY(make_parsed_figure(command, arguments, host, progress_writer(arguments)));
    results = host.take_shown();
  }
  return output.picture.empty() ? Status() : write_pictures(results, output, arguments.progress == "none");
}

/// For whoever started the command; stdout has the figure.
void say_line(const std::string& line) {
  std::fprintf(stderr, "%s\n", line.c_str());
  std::fflush(stderr);
}

/// The same lines as a progress line: stages of a session that opens, else cells, the present one by its part.
void show_progress(const std::string& figure, const std::string& line) {
  const auto json = parse_json(line, "progress");
  if (!json) return;
  if (json->contains("stage")) {
    stderr_progress().show(json->value("stage", ""), json->value("done", 0.0), json->value("total", 0.0));
    return;
  }
  const double cells = json->value("cells", 0.0), done = json->value("cells_done", 0.0) + json->value("part", 0.0);
  if (cells > 0 && done < cells) stderr_progress().show("figure " + figure, done, cells);
}

/// Of the figure that the command line names beside --help; no figure: a word of its own, or none yet.
Status check_named_figure(const CLI::App& command) {
  const auto named = command.get_option("FIGURE")->results();
  if (named.empty() || std::ranges::count(std::array{list_word, claims_word, all_word}, named.front()) > 0) return {};
  return check_figure_name(named.front());
}

void add_output_options(CLI::App& command, FigureOutput& output) {
  command
      .add_option("--models", output.models,
                  "Models to compare, comma-separated (folders, GGUF files, reference-mha, default): one run each, "
                  "then verdicts side by side; replaces --model")
      ->excludes(command.get_option("--model"));
  CLI::Option* picture = command.add_option(
      "--picture", output.picture,
      "File for the figure's plot, for a paper: .svg (text stays text), .pdf (fonts embedded) or .png; "
      "several plots are numbered, FILE-1, FILE-2");
  command.add_option("--picture-width", output.picture_width, "Width of the picture: column (85 mm) or page (178 mm)")
      ->check(one_of({"column", "page"}))
      ->capture_default_str()
      ->needs(picture);
}

}  // namespace

std::function<void(const std::string&)> progress_writer(const FigureArguments& arguments, const std::string& behind) {
  if (arguments.progress == "json") return say_line;
  if (arguments.progress == "none" || !terminal_on_stderr()) return {};
  return [figure = arguments.figure + behind](const std::string& line) { show_progress(figure, line); };
}

void add_reproduce(CLI::App& parent, CommandResult& result) {
  auto arguments = std::make_shared<FigureArguments>();
  auto all = std::make_shared<ReproduceAll>();
  auto output = std::make_shared<FigureOutput>();
  CLI::App& command =
      *parent.add_subcommand("reproduce", "Reproduce figures and tables of papers; reproduce list shows them");
  add_figure_options(command, *arguments);
  command.add_option("--out", all->folder,
                     "all: folder for all figures; one that is there is continued. list: shows the times of its "
                     "figures, not of those that the window keeps");
  command.add_flag("--quick", all->quick,
                   "all: short texts and few contexts, to see in minutes that every figure works; "
                   "verdicts mean nothing");
  command.add_option("--only", all->only, "all: these figures, comma-separated; the others are left for later");
  command.add_option("--skip", all->skip, "all: every figure but these, comma-separated, which are left for later");
  command.add_flag("--any-program", all->any_program,
                   "all: continue a folder that another version of the program began; each figure names its own");
  command.add_flag("--brief", all->brief, "all: fewer budgets, questions and requests: wider intervals, less time")
      ->excludes("--quick");
  add_output_options(command, *output);
  result.refuse_help = [&command] {
    const Status known = check_named_figure(command);
    return known ? 0 : report_error(known.error());
  };
  command.callback([arguments, all, output, &command, &result] {
    note_interrupts();
    Status status;
    if (arguments->figure == all_word) {
      all->model = arguments->model;
      all->gpu = arguments->gpu;
      status = check_output_options(command, all_word);
      if (status) status = check_options_of_all(given_figure_options(command));
      if (status) status = reproduce_all(*all);
    } else if (arguments->figure == list_word || arguments->figure == claims_word) {
      status = check_output_options(command, arguments->figure);
      if (status) status = show_list(*arguments, given_figure_options(command), all->folder);
    } else {
      status = make_one_figure(command, *arguments, *output);
    }
    result.exit_code = status ? 0 : report_error(status.error());
  });
}

}  // namespace kvantage::cli
