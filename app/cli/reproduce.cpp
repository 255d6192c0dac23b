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
#include "app/cli/base/temporary_store.h"
#include "app/cli/base/value_checks.h"
#include "app/cli/commands.h"
#include "app/cli/console_figure_host.h"
#include "app/cli/report_output.h"
#include "app/cli/reproduce_command.h"
#include "app/cli/session_options.h"
#include "app/wiring/resources.h"
#include "core/base/did_you_mean.h"
#include "core/base/files.h"
#include "core/experiments/claims.h"
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

OrderedJson figures_json() {
  OrderedJson list = OrderedJson::array();
  for (const PaperFigure& known : paper_figures())
    list.push_back({{"id", known.name}, {"paper", paper_name(known)}, {"title", known.title}, {"aliases", known.also}});
  return list;
}

void print_figures() {
  std::vector<std::vector<std::string>> rows;
  for (const PaperFigure& known : paper_figures()) {
    std::string aliases;
    for (const std::string& other : known.also) aliases += (aliases.empty() ? " (also " : ", ") + other;
    if (!aliases.empty()) aliases += ")";
    rows.push_back({known.name, paper_name(known), known.title + aliases});
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

/// Where the paper is known, its figures are meant: pagedeviction/fig9 is nearer to pagedeviction/fig2 than to
/// evicpress/fig9.
std::string near_figures(const std::string& wanted) {
  std::vector<std::string> all, of_paper;
  for (const PaperFigure& known : paper_figures()) {
    all.push_back(known.name);
    all.insert(all.end(), known.also.begin(), known.also.end());
  }
  const std::string paper = wanted.substr(0, wanted.find('/') + 1);
  for (const std::string& name : all)
    if (!paper.empty() && name.starts_with(paper)) of_paper.push_back(name);
  return did_you_mean(wanted, of_paper.empty() ? all : of_paper, "kvantage-cli reproduce list shows them");
}

/// Storage and output options: common to all figures.
constexpr std::array of_the_command{"--store", "--db", "--temporary-store", "--gpu", "--json", "--quiet", "--progress"};

std::vector<GivenOption> given_options(const CLI::App& command) {
  std::vector<GivenOption> given;
  for (const CLI::Option* option : command.parse_order()) {
    if (option->get_positional() || std::ranges::find(of_the_command, option->get_name()) != of_the_command.end())
      continue;
    std::size_t items = 0;
    for (const std::string& value : option->results()) items += split_list(value).size();
    given.push_back({option->get_name(), items});
  }
  return given;
}

Status check_options_of_all(const std::vector<GivenOption>& given) {
  for (const GivenOption& one : given)
    if (one.option != "--out" && one.option != "--quick" && one.option != "--model")
      return fail(ErrorCode::usage, one.option + ": reproduce all makes each figure with its own; leave it out");
  return {};
}

/// Of figures, or of claims.
Status show_list(const FigureArguments& arguments, const std::vector<GivenOption>& given) {
  if (!given.empty())
    return fail(ErrorCode::usage, given.front().option + ": reproduce " + arguments.figure +
                                      " reads no option of a figure; leave it out");
  if (arguments.figure == claims_word) return show_claims(arguments.json);
  if (arguments.json)
    print_json(figures_json());
  else
    print_figures();
  return {};
}

Status reproduce(FigureArguments& arguments, const std::vector<GivenOption>& given) {
  if (arguments.figure == list_word || arguments.figure == claims_word) return show_list(arguments, given);
  const PaperFigure* known = find_paper_figure(arguments.figure);
  if (known == nullptr)
    return fail(ErrorCode::usage,
                "unknown figure '" + printable(arguments.figure) + "'; " + near_figures(arguments.figure));
  arguments.figure = known->name;
  if (arguments.gpu && !serves_sessions(known->name))
    return fail(ErrorCode::usage, "--gpu: " + known->name +
                                      " runs on the CPU only; leave --gpu out, or choose a figure of evicpress/fig7 to "
                                      "12, evicpress/runs or adaptcache/fig2");
  KV_TRY(check_figure_options(*known, given));
  KV_TRY(check_figure(arguments, *known));
  TemporaryStore temporary;
  if (arguments.temporary_store &&
      (known->paper == "evicpress" || known->paper == "adaptcache")) {  // the others have no store
    const std::filesystem::path base =
        arguments.store.empty() ? cache_directory() / "stores" : std::filesystem::path(arguments.store);
    if (arguments.database.empty()) arguments.database = (base / "kvantage.db").string();
    KV_TRY(temporary.make(base));
    arguments.store = temporary.path().string();
  }
  KV_ASSIGN(auto claims, shipped_claims());
  arguments.host->set_claims(std::move(claims));
  return make_figure(arguments);
}

// Options that were not given get the figure's default.
void take_standards(CLI::App& command, const std::string& figure) {
  const PaperFigure* known = find_paper_figure(figure);
  if (known == nullptr) return;
  for (const FigureSetting& setting : known->settings) {
    CLI::Option* option = command.get_option(setting.option);
    if (option->count() > 0 || setting.standard.empty()) continue;
    option->add_result(setting.standard);
    option->run_callback();
  }
}

std::string value_text(const CLI::Option& option, const std::string& value) {
  if (option.get_positional()) return " " + value;
  const ShippedModel* shipped = option.get_name() == "--model" ? shipped_model_at(value) : nullptr;
  return " '" + (shipped == nullptr ? value : std::string(shipped->name)) + "'";
}

/// The command line that repeats it, here or on another machine: where things are kept and how it is printed are left
/// out.
std::string command_text(const CLI::App& command) {
  std::string text = "kvantage-cli reproduce";
  for (const CLI::Option* option : command.parse_order()) {
    const std::string name = option->get_name();
    if (name != "--gpu" && std::ranges::find(of_the_command, name) != of_the_command.end()) continue;
    if (!option->get_positional()) text += " " + name;
    if (option->get_expected_min() == 0) continue;  // a flag
    for (const std::string& value : option->results()) text += value_text(*option, value);
  }
  return text;
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

/// What becomes of the lines of a figure's progress.
std::function<void(const std::string&)> progress_writer(const FigureArguments& arguments) {
  if (arguments.progress == "json") return say_line;
  if (arguments.progress == "none" || !terminal_on_stderr()) return {};
  return [figure = arguments.figure](const std::string& line) { show_progress(figure, line); };
}

}  // namespace

Expected<std::vector<PaperClaim>> shipped_claims() {
  return read_claims(home_directory() / "resources" / "claims.json");
}

Status make_parsed_figure(CLI::App& command, FigureArguments& arguments, ConsoleFigureHost& host) {
  arguments.command = command_text(command);
  const auto given = given_options(command);
  take_standards(command, arguments.figure);
  if (const ShippedModel* shipped = shipped_model_at(arguments.model);
      shipped != nullptr && !arguments.figure.starts_with("kvpr/"))  // which ranks no methods
    host.set_model_note(std::string(shipped->note));
  arguments.host = &host;
  arguments.lines = std::make_shared<FigureProgress>(host.clock(), progress_writer(arguments),
                                                     [&host] { host.calibration().time(); });
  return reproduce(arguments, given);
}

void add_reproduce(CLI::App& parent, CommandResult& result) {
  auto arguments = std::make_shared<FigureArguments>();
  auto all = std::make_shared<ReproduceAll>();
  CLI::App& command =
      *parent.add_subcommand("reproduce", "Reproduce figures and tables of papers; reproduce list shows them");
  add_figure_options(command, *arguments);
  command.add_option("--out", all->folder, "all: folder for all figures; one that is there is continued");
  command.add_flag("--quick", all->quick,
                   "all: short texts and few contexts, to see in minutes that every figure works; no verdicts");
  command.callback([arguments, all, &command, &result] {
    note_interrupts();
    Status status;
    if (arguments->figure == all_word) {
      all->model = arguments->model;
      all->gpu = arguments->gpu;
      status = check_options_of_all(given_options(command));
      if (status) status = reproduce_all(*all);
    } else {
      ConsoleFigureHost host;
      status = make_parsed_figure(command, *arguments, host);
    }
    result.exit_code = status ? 0 : report_error(status.error());
  });
}

}  // namespace kvantage::cli
