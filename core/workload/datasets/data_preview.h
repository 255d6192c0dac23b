// What a file of a data set holds, for a user who says which field is what before it is imported.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/workload/datasets/import_generic.h"

namespace kvantage::inline datasets {

struct DataPreview {
  std::string format;  // that reads the file; "generic" where its fields are to be named
  std::size_t entries = 0;
  std::vector<std::pair<std::string, std::string>>
      first;     // fields of the first entry, and the beginnings of their texts
  FieldMap map;  // by known names

  bool has_fields_of_its_own() const { return format != "generic"; }
};

/// rejected_input as read_documents(), and for a file without objects.
Expected<DataPreview> preview_data(const std::filesystem::path& file, const ReadRows& read_rows = {});

}  // namespace kvantage::inline datasets
