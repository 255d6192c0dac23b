#include "app/wiring/data_import.h"

#include "app/wiring/parquet_module.h"
#include "app/wiring/samples.h"
#include "app/wiring/session_file.h"
#include "app/wiring/workload_opening.h"
#include "core/base/files.h"
#include "core/base/names.h"
#include "core/text/tokenizer.h"
#include "core/workload/probes.h"

namespace kvantage::inline wiring {
namespace {

Expected<std::filesystem::path> import_with_model(const std::filesystem::path& file, const FieldMap& map,
                                                  LongContextAction action, const std::filesystem::path& model) {
  KV_ASSIGN(const auto reading, read_model_reading(model));
  ImportOptions options;
  options.name = as_name(file.stem().string(), "imported");
  options.source = {map, parquet_rows_on_demand()};
  options.long_contexts = {
      .count_tokens = reading.count_tokens, .served_tokens = reading.served_tokens, .action = action};
  ImportReport report;
  KV_ASSIGN(auto workload, import_workload({file}, "auto", options, &report));
  KV_TRY(add_missing_probes(workload, {.wording = reading.wording}));
  workload.made_by = "kvantage-cli workload import " + file.filename().string() +
                     (map.empty() ? "" : " --map '" + map.text() + "'") + length_options(options.long_contexts);
  constexpr std::size_t digits = 8;
  std::filesystem::path folder = made_workload_folder(options.name + "-" + workload.digest().hex().substr(0, digits));
  KV_TRY(check_cache_path(folder));
  KV_TRY(write_workload(workload, folder));
  KV_TRY(write_quality_metric(report.metric, folder));
  return folder;
}

}  // namespace

Expected<DataPreview> preview_data_file(const std::filesystem::path& file) {
  return preview_data(file, parquet_rows_on_demand());
}

Expected<std::filesystem::path> import_data_file(const std::filesystem::path& file, const FieldMap& map,
                                                 LongContextAction action, const std::filesystem::path& model) {
  try {
    return import_with_model(file, map, action, model);
  } catch (const EncodingError& error) {  // counting tokens returns no error
    return tl::unexpected(error.error());
  }
}

}  // namespace kvantage::inline wiring
