#include "app/cli/figures/figure_models.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "app/cli/figures/figure_request.h"
#include "app/wiring/resources.h"
#include "core/base/form_text.h"
#include "core/base/json.h"
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
      const std::filesystem::path path = wiring::model_path(item);
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
    const std::filesystem::path path =
        one.path.empty() ? wiring::default_model_directory() : std::filesystem::path(one.path);
    const auto config = read_model_config(path, max_model_len);
    if (!config) return fail(config.error().code, "--models: " + config.error().message);
  }
  return {};
}

/// The options as parsed. usage for words that cannot be.
struct AskedFigure {
  FigureArguments arguments;
  std::vector<GivenOption> given;
};
Expected<AskedFigure> asked_figure(const std::vector<std::string>& words) {
  AskedFigure asked;
  CLI::App command;
  add_figure_options(command, asked.arguments);
  try {
    command.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& error) {
    return fail(ErrorCode::usage, error.what());
  }
  asked.given = given_figure_options(command);
  return asked;
}

Status check_models_are_read(const PaperFigure& figure, std::vector<GivenOption> given) {
  if (std::ranges::find(given, "--model", &GivenOption::option) != given.end())
    return fail(ErrorCode::usage, "--models: replaces --model; leave one of them out");
  given.push_back({"--model", 1});
  Status status = check_figure_options(figure, given);
  if (status || status.error().message.find("--model") == std::string::npos) return status;
  return fail(status.error().code, "--models: " + status.error().message);
}

}  // namespace

Expected<MadeOnModels> make_figure_on_models(const std::vector<std::string>& words, const std::string& models,
                                             const ModelHosts& hosts) {
  KV_ASSIGN(const auto asked, asked_figure(words));
  KV_TRY(check_figure_name(asked.arguments.figure));
  const PaperFigure& figure = *find_paper_figure(asked.arguments.figure);
  KV_TRY(check_models_are_read(figure, asked.given));
  KV_ASSIGN(const auto named, named_models(models));
  KV_TRY(check_models(named, figure, asked.arguments.model.max_model_len));
  MadeOnModels result;
  result.made.reserve(named.size());
  for (const NamedModel& model : named) {
    const std::unique_ptr<ProgramFigureHost> host = hosts.make();
    FigureArguments one;
    std::vector<std::string> with_model = words;
    if (!model.path.empty()) with_model.push_back("--model=" + model.path);
    const Status made = make_figure_of_words(with_model, one, *host, hosts.progress);
    if (!made) {
      result.status = fail(made.error().code, model.name + ": " + made.error().message);
      break;
    }
    ModelResults& results = result.made.emplace_back(ModelResults{model.name, host->take_shown()});
    for (FigureResult& shown : results.results) {
      name_model(shown, model.name);
      if (hosts.made) hosts.made(shown);
    }
  }
  return result;
}

OrderedJson figure_json(const FigureResult& result) {
  OrderedJson json = to_json(result);
  if (!result.more.empty()) json.update(result.more);
  return json;
}

OrderedJson models_json(const std::string& figure, const std::vector<ModelResults>& made) {
  OrderedJson list = OrderedJson::array();
  for (const ModelResults& one : made)
    for (const FigureResult& result : one.results) list.push_back(figure_json(result));
  if (made.size() > 1)
    list.push_back(figure_json(compare_models(figure, made)));  // one has nothing to be compared with
  return list;
}

}  // namespace kvantage::cli
