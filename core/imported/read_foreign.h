// Reads quality curves in the files of others: tables, kvpress evaluation folders and LongBench result files.
//
// kvpress (evaluation/evaluate.py) writes a folder DATASET__DATA_DIR__MODEL__PRESS__RATIO[__MORE] for each evaluation,
// with metrics.json, config.yaml and predictions.csv; a repeated one is in a numbered folder inside. LongBench writes
// pred/MODEL/result.json, the score of each data set from 0 to 100.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/imported/imported_profile.h"
#include "core/imported/text_table.h"

namespace kvantage::inline imported {

/// What the files leave open.
struct ForeignOptions {
  ColumnMap columns;                           // of a table
  std::string dataset, method, model, metric;  // empty: as the file has it; metric: of kvpress, where it has several
  std::optional<double> removed_fraction = {};
  double scale = 0;  // quality is divided by this; 0: by 100 where a value is above 1
  std::string date;  // of the import
  bool operator==(const ForeignOptions&) const = default;
};

/// Keys of a column map, with the names that are taken for them.
std::vector<WantedColumn> profile_columns();

/// What a table has, before it is imported: for a preview. Empty for folders and files that are no tables.
Expected<TextTable> foreign_table(const std::filesystem::path& path);

/// A file of one of these kinds, or a folder with kvpress evaluations in it, also deeper; or what this makes of one.
/// rejected_input names all columns and values that are missing, and what could not be read.
Expected<ImportedProfile> read_foreign(const std::filesystem::path& path, const ForeignOptions& options);

}  // namespace kvantage::inline imported
