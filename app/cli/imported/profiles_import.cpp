#include "app/cli/imported/profiles_import.h"

#include <cstdio>
#include <filesystem>
#include <memory>

#include "app/cli/base/json_output.h"
#include "app/cli/report_output.h"
#include "app/cli/session_options.h"
#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/base/units.h"
#include "core/imported/imported_date.h"
#include "core/imported/read_foreign.h"
#include "core/ports/request_record.h"

namespace kvantage::cli {
namespace {

struct ProfilesImportArguments {
  std::filesystem::path file, out;
  std::string map;
  ForeignOptions options;
  double removed = -1;
  bool json = false, quiet = false;
};

OrderedJson point_json(const ImportedPoint& point) {
  OrderedJson json{{"dataset", point.dataset},
                   {"method", point.method},
                   {"removed_fraction", point.removed_fraction},
                   {"quality", point.quality}};
  if (point.quality_low) json["quality_low"] = *point.quality_low;
  if (point.quality_high) json["quality_high"] = *point.quality_high;
  if (point.n) json["n"] = *point.n;
  if (point.kept_bytes) json["kept_bytes"] = *point.kept_bytes;
  return json;
}

OrderedJson profile_json(const ImportedProfile& profile) {
  OrderedJson points = OrderedJson::array();
  for (const ImportedPoint& point : profile.points) points.push_back(point_json(point));
  return {{"provenance", to_string(Provenance::imported)},
          {"file", profile.source.file},
          {"digest", profile.source.digest},
          {"date", profile.source.date},
          {"kind", profile.source.kind},
          {"scale", profile.source.scale},
          {"model", profile.model.empty() ? OrderedJson(nullptr) : OrderedJson(profile.model)},
          {"points", points}};
}

void print_profile(const ImportedProfile& profile) {
  std::vector<std::vector<std::string>> rows;
  rows.reserve(profile.points.size());
  for (const ImportedPoint& point : profile.points)
    rows.push_back({printable(point.dataset), printable(point.method), format_fixed(point.removed_fraction, 2),
                    format_fixed(point.quality, 3),
                    point.quality_low
                        ? "[" + format_fixed(*point.quality_low, 3) + ", " + format_fixed(*point.quality_high, 3) + "]"
                        : "-",
                    point.n ? std::to_string(*point.n) : "-"});
  std::printf(
      "%s",
      list_text(
          {{"data set (imported)"}, {"method"}, {"removed", true}, {"quality", true}, {"95 % interval"}, {"n", true}},
          rows)
          .c_str());
  std::printf("%s%s\n", source_text(profile.source).c_str(),
              profile.model.empty() ? "" : (", model " + printable(profile.model)).c_str());
}

Status import_one_profile(ProfilesImportArguments& arguments) {
  KV_ASSIGN(arguments.options.columns, read_column_map(arguments.map, profile_columns()));
  if (arguments.removed >= 0) arguments.options.removed_fraction = arguments.removed;
  arguments.options.date = date_of(machine_clock()->utc_ns());
  KV_ASSIGN(const auto profile, read_foreign(arguments.file, arguments.options));
  if (!arguments.out.empty()) KV_TRY(write_text_file(arguments.out, imported_to_text(profile)));
  if (arguments.json)
    print_json(profile_json(profile), 2);
  else
    print_profile(profile);
  return {};
}

}  // namespace

void add_profiles_import(CLI::App& profiles, CommandResult& result) {
  auto arguments = std::make_shared<ProfilesImportArguments>();
  CLI::App& command = *profiles.add_subcommand("import", "Read quality curves that others measured, for simulate");
  command
      .add_option("FILE", arguments->file,
                  "Table (CSV, JSON), folder of kvpress evaluations, LongBench result.json, or an imported profile")
      ->required();
  std::string keys;
  for (const WantedColumn& one : profile_columns()) keys += (keys.empty() ? "" : ", ") + std::string(one.key);
  command.add_option("--map", arguments->map,
                     "Columns of a table by key, e.g. quality=score,method=press; keys: " + keys);
  command.add_option("--dataset", arguments->options.dataset, "Data set of all rows");
  command.add_option("--method", arguments->options.method, "Method of all rows, where the file has none");
  command.add_option("--removed", arguments->removed, "Removed fraction of all rows, where the file has none")
      ->check(CLI::Range(0.0, 0.999999));
  command.add_option("--model", arguments->options.model, "Model that was measured, where the file does not say");
  command.add_option("--metric", arguments->options.metric, "Metric of kvpress to take, where there are several");
  command
      .add_option("--quality-scale", arguments->options.scale,
                  "Quality is divided by this; 0: by 100 where a value is above 1, and of LongBench")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  command.add_option("--out", arguments->out, "Also write the curves as an imported profile, for simulate --profiles");
  add_json_option(command, arguments->json);
  command.callback([arguments, &result] {
    const Status status = import_one_profile(*arguments);
    result.exit_code = status ? 0 : report_error(status.error());
  });
}

}  // namespace kvantage::cli
