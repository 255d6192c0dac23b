// Quality curves that others measured, for what-if planning: not of a workload here, so they enter no database. They
// are labeled `imported` with their source wherever they are shown.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace kvantage::inline imported {

/// Where a profile or a table comes from.
struct ImportedSource {
  std::string file;    // as it was named
  std::string digest;  // of its content, 32 hexadecimal digits
  std::string date;    // of the import, "2026-11-29"
  std::string kind;    // "table", "kvpress" or "longbench"
  double scale = 1;    // qualities of the file are divided by it
  bool operator==(const ImportedSource&) const = default;
};

/// Mean quality of a data set under one method and removed fraction.
struct ImportedPoint {
  std::string dataset, method = "none";
  double removed_fraction = 0;                                                 // of tokens
  double quality = 0;                                                          // 0..1
  std::optional<double> quality_low = {}, quality_high = {}, kept_bytes = {};  // 95 % interval; of the whole cache
  std::optional<int> n = {};                                                   // questions
  bool operator==(const ImportedPoint&) const = default;
};

struct ImportedProfile {
  ImportedSource source;
  std::string model;                  // empty: not known
  std::vector<ImportedPoint> points;  // ascending by data set, method and removed fraction
  bool operator==(const ImportedProfile&) const = default;
};

inline constexpr std::size_t max_imported_points = 100'000;

/// Sorts the points. rejected_input for a value out of range, for a form that is given twice and for too many points.
Status check_imported(ImportedProfile& profile, const std::string& name);

/// One point a line, numbers in their shortest form. Ends with a newline.
std::string imported_to_text(const ImportedProfile& profile);
/// Whether a JSON text says that it is such a file; it may be wrong all the same.
bool is_imported_text(const std::string& text);
/// Strict, as profile_from_text().
Expected<ImportedProfile> imported_from_text(const std::string& text, const std::string& name);

/// "imported from scores.csv (digest 1a2b3c4d, 2026-11-29)", with "; quality divided by 100" where it is.
std::string source_text(const ImportedSource& source);

}  // namespace kvantage::inline imported
