// `reproduce FIGURE --models A,B`: one figure on several models.
#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "app/cli/console_figure_host.h"
#include "app/cli/figures/figure_request.h"
#include "app/cli/reproduce_command.h"
#include "app/wiring/resources.h"
#include "core/base/form_text.h"
#include "core/base/json.h"
#include "core/experiments/figures/model_comparison.h"
#include "core/experiments/paper_figures.h"
#include "core/model/config.h"

namespace kvantage::cli {
namespace {

constexpr const char* default_word = "default";  // a figure's own model

struct NamedModel {
  std::string name;  // in results
  std::string path;  // for --model; empty: the figure's own
};

/// The last part of a path, which is enough to tell most models apart.
std::string short_name(const std::string& path) {
  const std::filesystem::path whole = std::filesystem::path(path).lexically_normal();
  const std::filesystem::path last = whole.has_filename() ? whole.filename() : whole.parent_path().filename();
  return printable(last.empty() ? path : last.string());
}

Expected<std::vector<NamedModel>> named_models(const std::string& list) {
  std::vector<NamedModel> models;
  std::set<std::string> paths, names;
  for (const std::string_view part : split_outside_parentheses(list, ',')) {
    const std::string item(trimmed(part));
    if (item.empty()) continue;
    NamedModel model{item, {}};
    if (item != default_word) {
      const std::filesystem::path path = model_path(item);
      model = {path == item ? short_name(item) : item, path.string()};
    }
    if (!paths.insert(model.path).second)
      return fail(ErrorCode::usage, "--models: " + printable(item) + " is named twice; leave one out");
    if (!names.insert(model.name).second) model.name = printable(item);
    models.push_back(std::move(model));
  }
  if (models.empty()) return fail(ErrorCode::usage, "--models: no model is named; give some, comma-separated");
  return models;
}

/// What opening them would refuse first, before a figure is made for hours: reads config.json, or a GGUF file's keys.
Status check_models(const std::vector<NamedModel>& models, const PaperFigure& figure, int max_model_len) {
  for (const NamedModel& one : models) {
    if (one.path.empty() && !uses_model(figure)) continue;  // its random weights
    const std::filesystem::path path = one.path.empty() ? default_model_directory() : std::filesystem::path(one.path);
    const auto config = read_model_config(path, max_model_len);
    if (!config) return fail(config.error().code, "--models: " + config.error().message);
  }
  return {};
}

/// Those of the command line, with this model.
std::vector<std::string> words_with(const CLI::App& command, const FigureArguments& asked, const NamedModel& model) {
  std::vector<std::string> words{asked.figure};
  if (!model.path.empty()) words.push_back("--model=" + model.path);
  for (const CLI::Option* option : command.parse_order()) {
    const std::string name = option->get_name();
    if (option->get_positional() || name == "--models" || name.starts_with("--picture")) continue;
    if (option->get_expected_min() == 0)  // a flag
      words.push_back(name);
    else
      for (const std::string& value : option->results()) words.push_back(std::string(name).append("=").append(value));
  }
  return words;
}

Status check_models_are_read(const CLI::App& command, const PaperFigure& figure) {
  std::vector<GivenOption> given = given_figure_options(command);
  given.push_back({"--model", 1});
  Status status = check_figure_options(figure, given);
  if (status || status.error().message.find("--model") == std::string::npos) return status;
  return fail(status.error().code, "--models: " + status.error().message);
}

/// With the members that a single figure's JSON has.
OrderedJson figure_json(const FigureResult& result) {
  OrderedJson json = to_json(result);
  if (!result.more.empty()) json.update(result.more);
  return json;
}

}  // namespace

Expected<std::vector<FigureResult>> reproduce_models(const CLI::App& command, const FigureArguments& arguments,
                                                     const std::string& models) {
  const PaperFigure* figure = find_paper_figure(arguments.figure);
  KV_TRY(check_models_are_read(command, *figure));
  KV_ASSIGN(const auto named, named_models(models));
  KV_TRY(check_models(named, *figure, arguments.model.max_model_len));
  ConsoleFigureHost console;
  std::vector<ModelResults> made;
  made.reserve(named.size());
  Status status;
  for (const NamedModel& model : named) {
    KeepingFigureHost host;
    FigureArguments one;
    one.figure = arguments.figure;
    one.progress = arguments.progress;
    status = make_figure_of_words(words_with(command, arguments, model), one, host, progress_writer(arguments));
    if (!status) {
      status = fail(status.error().code, model.name + ": " + status.error().message);
      break;
    }
    ModelResults& results = made.emplace_back(ModelResults{model.name, host.take_shown()});
    for (FigureResult& result : results.results) {
      name_model(result, model.name);
      if (!arguments.json) console.write(to_text(result) + "\n");
    }
  }
  std::vector<FigureResult> all;
  for (const ModelResults& one : made) all.insert(all.end(), one.results.begin(), one.results.end());
  const bool several = made.size() > 1;  // one has nothing to be compared with
  if (arguments.json && !made.empty()) {
    OrderedJson list = OrderedJson::array();
    for (const FigureResult& result : all) list.push_back(figure_json(result));
    if (several) list.push_back(figure_json(compare_models(figure->name, made)));
    console.write(dump_json(list, 2) + "\n");
  } else if (several) {
    console.write(to_text(compare_models(figure->name, made)) + "\n");
  }
  if (!status) return tl::unexpected(status.error());
  return all;
}

}  // namespace kvantage::cli
