#include "core/experiments/figures/reproduction.h"

#include <algorithm>
#include <array>
#include <system_error>

#include "core/base/files.h"
#include "core/base/folders.h"
#include "core/base/shown_text.h"
#include "core/experiments/figures/result_markdown.h"

namespace kvantage::inline figures {
namespace {

constexpr const char* about_file = "reproduction.json";

std::filesystem::path place_of(const std::filesystem::path& folder, const std::string& figure) {
  return folder / place_of_figure(figure);
}

Status make_folder(const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed)
    return fail(ErrorCode::rejected_input, folder.string() + ": " + failed.message() + "; give another folder");
  return {};
}

/// Whether the figures have the same settings. Folders of before that was recorded do not say whether a GPU was used.
bool same_kind(const Json& a, const Json& b) {
  return a.value("gpu", false) == b.value("gpu", false) &&
         std::ranges::all_of(std::array{"quick", "brief", "model", "prompt_form", "max_model_len"},
                             [&](const char* key) { return a.value(key, Json()) == b.value(key, Json()); });
}

/// Whether one program may continue what another began, as each figure names its own: on the same machine.
bool differ_in_program(Json a, Json b) {
  for (Json* one : {&a, &b})
    for (const char* key : {"program", "commit", "dirty", "version"}) one->erase(key);
  return a == b;
}

Json to_json(const MadeFigure& made) {
  Json results = Json::array();
  for (const FigureResult& result : made.results) results.push_back(report::to_json(result));
  return {{"figure", made.name},          {"command", made.command}, {"begun", made.begun},
          {"program", made.program},      {"seconds", made.seconds}, {"trouble", made.trouble},
          {"results", std::move(results)}};
}

Expected<MadeFigure> made_from_json(const Json& json, const std::string& name) {
  MadeFigure made;
  KV_ASSIGN(made.name, json_field<std::string>(json, "figure", name));
  KV_ASSIGN(made.command, json_field<std::string>(json, "command", name));
  KV_ASSIGN(made.begun, json_field<std::string>(json, "begun", name));
  KV_ASSIGN(made.program, json_field_or<std::string>(json, "program", name, ""));
  KV_ASSIGN(made.seconds, json_field<double>(json, "seconds", name));
  KV_ASSIGN(made.trouble, json_field<std::string>(json, "trouble", name));
  KV_ASSIGN(const auto results, json_field<std::vector<Json>>(json, "results", name));
  for (const Json& one : results) {
    KV_ASSIGN(auto result, figure_result_from_json(one, name));
    made.results.push_back(std::move(result));
  }
  return made;
}

}  // namespace

// Text, CSV and pictures of a result, beside each other.
Status Reproduction::write_result(const FigureResult& result) const {
  const std::filesystem::path place = place_of(folder_, result.figure);
  KV_TRY(make_folder(place.parent_path()));
  KV_TRY(write_text_file(place.string() + ".txt", to_text(result)));
  KV_TRY(write_text_file(place.string() + ".csv", to_csv(result)));
  for (std::size_t t = 0; t < result.tables.size(); ++t) {
    const std::filesystem::path picture = picture_of_table(place.string(), t);
    std::error_code ignored;
    std::filesystem::remove(picture, ignored);  // of a result that was there before
    if (draw_ && result.tables[t].plot && !result.tables[t].rows.empty()) KV_TRY(draw_(result, t, picture));
  }
  return {};
}

Expected<Reproduction> Reproduction::open(const std::filesystem::path& folder, const Json& about, DrawFigure draw,
                                          bool any_program) {
  KV_TRY(make_folder(folder));
  const std::filesystem::path file = folder / about_file;
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored)) {
    KV_ASSIGN(const auto before, read_json_file(file));
    Reproduction there(folder, before, std::move(draw));
    KV_ASSIGN(there.made_, made_figures(folder));
    // A whole one needs no figure: then only its pages are written, whatever program and machine made it.
    if (before == about || (same_kind(before, about) && there.left().empty())) return there;
    const bool other_program = differ_in_program(before, about);
    if (other_program && any_program) return there;
    return fail(ErrorCode::rejected_input, printable(folder.string()) +
                                               ": holds figures that another program, machine or kind of "
                                               "reproduction made; give another folder, or remove it" +
                                               (other_program ? ", or continue it with --any-program" : ""));
  }
  if (!std::filesystem::is_empty(folder, ignored))
    return fail(ErrorCode::rejected_input,
                printable(folder.string()) + ": is not empty and no reproduction; give a new folder");
  KV_TRY(write_text_file(file, dump_json(about, 2) + "\n"));
  return Reproduction(folder, about, std::move(draw));
}

Expected<std::vector<MadeFigure>> made_figures(const std::filesystem::path& folder) {
  if (!is_there(folder / about_file))
    return fail(ErrorCode::rejected_input, printable(folder.string()) + ": is no folder of reproduce all; give one");
  std::vector<MadeFigure> all;
  for (const std::string& name : reproduced_figures()) {
    const std::filesystem::path file = place_of(folder, name).string() + ".json";
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) continue;
    KV_ASSIGN(const auto json, read_json_file(file));
    KV_ASSIGN(auto made, made_from_json(json, printable(file.string())));
    all.push_back(std::move(made));
  }
  return all;
}

std::vector<std::string> Reproduction::left() const {
  std::vector<std::string> names;
  for (const std::string& name : reproduced_figures())
    if (const auto found = std::ranges::find(made_, name, &MadeFigure::name);
        found == made_.end() || found->results.empty())
      names.push_back(name);
  return names;
}

Status Reproduction::keep(MadeFigure made) {
  const std::filesystem::path place = place_of(folder_, made.name);
  KV_TRY(make_folder(place.parent_path()));
  for (const FigureResult& result : made.results) KV_TRY(write_result(result));
  KV_TRY(write_text_file(place.string() + ".json", dump_json(to_json(made), 2) + "\n"));
  std::erase_if(made_, [&](const MadeFigure& one) { return one.name == made.name; });
  made_.push_back(std::move(made));
  const auto names = reproduced_figures();
  std::ranges::sort(made_, {},
                    [&](const MadeFigure& one) { return std::ranges::find(names, one.name) - names.begin(); });
  return {};
}

}  // namespace kvantage::inline figures
