#include "app/cli/figures/figure_request.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "app/cli/base/temporary_store.h"
#include "app/wiring/resources.h"
#include "core/base/did_you_mean.h"
#include "core/base/files.h"
#include "core/base/form_text.h"
#include "core/base/shown_text.h"
#include "core/experiments/figures/out_of_scope.h"
#include "core/experiments/paper_figures.h"

namespace kvantage::cli {
namespace {

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

Status make_checked(FigureArguments& arguments, const std::vector<GivenOption>& given) {
  KV_TRY(check_figure_name(arguments.figure));
  const PaperFigure* known = find_paper_figure(arguments.figure);
  arguments.figure = known->name;
  if (arguments.gpu && !serves_sessions(known->name))
    return fail(ErrorCode::usage, "--gpu: " + known->name +
                                      " runs on the CPU only; leave --gpu out, or choose a figure of evicpress/fig7 to "
                                      "12, evicpress/runs, adaptcache/fig2 or adaptcache/coding");
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
    if (name != "--gpu" && is_of_the_command(name)) continue;
    if (!option->get_positional()) text += " " + name;
    if (option->get_expected_min() == 0) continue;  // a flag
    for (const std::string& value : option->results()) text += value_text(*option, value);
  }
  return text;
}

}  // namespace

Status check_figure_name(const std::string& figure) {
  if (find_paper_figure(figure) != nullptr) return {};
  if (const std::string_view reason = out_of_scope_reason(figure); !reason.empty())
    return fail(ErrorCode::usage, "figure " + current_figure_id(figure) + " is out of scope: " + std::string(reason));
  return fail(ErrorCode::usage, "unknown figure '" + printable(figure) + "'; " + near_figures(figure));
}

std::vector<GivenOption> given_figure_options(const CLI::App& command) {
  std::vector<GivenOption> given;
  for (const CLI::Option* option : command.parse_order()) {
    if (option->get_positional() || is_of_the_command(option->get_name())) continue;
    std::size_t items = 0;
    for (const std::string& value : option->results()) items += split_list(value).size();
    given.push_back({option->get_name(), items});
  }
  return given;
}

Expected<std::vector<PaperClaim>> shipped_claims() { return read_claims(program_home() / "resources" / "claims.json"); }

Status make_parsed_figure(CLI::App& command, FigureArguments& arguments, ProgramFigureHost& host,
                          std::function<void(const std::string& line)> progress) {
  arguments.command = command_text(command);
  const auto given = given_figure_options(command);
  take_standards(command, arguments.figure);
  if (const ShippedModel* shipped = shipped_model_at(arguments.model.path);
      shipped != nullptr && !arguments.figure.starts_with("kvpr/"))  // which ranks no methods
    host.set_model_note(std::string(shipped->note));
  arguments.host = &host;
  arguments.lines = std::make_shared<FigureProgress>(host.clock(), std::move(progress));
  return make_checked(arguments, given);
}

Status make_figure_of_words(const std::vector<std::string>& words, FigureArguments& arguments, ProgramFigureHost& host,
                            std::function<void(const std::string& line)> progress) {
  CLI::App command;
  add_figure_options(command, arguments);
  try {
    command.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& error) {
    return fail(ErrorCode::usage, error.what());
  }
  return make_parsed_figure(command, arguments, host, std::move(progress));
}

}  // namespace kvantage::cli
