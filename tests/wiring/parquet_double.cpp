// Modules as the loader of Parquet may meet them, without libarrow: one that writes a table as JSON and reads JSON
// lines behind a first line as rows, one of another build, and a library that is no module.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "core/ports/parquet_module.h"

#ifndef KVANTAGE_TEST_ENTRY
#define KVANTAGE_TEST_ENTRY kvantage_parquet_write
#endif
#ifndef KVANTAGE_TEST_ABI
#define KVANTAGE_TEST_ABI kvantage::parquet_abi
#endif

namespace {

using nlohmann::ordered_json;

constexpr const char* type_names[] = {"whole", "real", "flag", "text"};

ordered_json number_json(double value) {
  if (std::isnan(value)) return "nan";
  return std::isinf(value) ? ordered_json(value < 0 ? "-inf" : "inf") : ordered_json(value);
}

ordered_json cell_json(const kvantage::ParquetColumn& column, std::int64_t row) {
  if (column.present[row] == 0) return nullptr;
  switch (column.type) {
    case 0:
      return static_cast<const std::int64_t*>(column.values)[row];
    case 1:
      return number_json(static_cast<const double*>(column.values)[row]);
    case 2:
      return static_cast<const std::uint8_t*>(column.values)[row] != 0;
    default:
      return std::string(static_cast<const char*>(column.values) + column.starts[row],
                         static_cast<const char*>(column.values) + column.starts[row + 1]);
  }
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int KVANTAGE_TEST_ENTRY(int abi, const kvantage::ParquetTable* table,
                                                                          const kvantage::ParquetSink* sink,
                                                                          char* reason, std::size_t reason_bytes) {
  if (abi != KVANTAGE_TEST_ABI) {
    std::snprintf(reason, reason_bytes, "the module was built for interface %d and the program has %d",
                  KVANTAGE_TEST_ABI, abi);
    return 1;
  }
  if (table == nullptr) return 0;
  ordered_json facts = ordered_json::object(), columns = ordered_json::array();
  for (std::size_t i = 0; i < table->fact_count; ++i) {
    if (std::strcmp(table->facts[i].key, "kvantage.refuse") == 0) {
      std::snprintf(reason, reason_bytes, "%s", table->facts[i].value);
      return 1;
    }
    facts[table->facts[i].key] = table->facts[i].value;
  }
  for (std::size_t i = 0; i < table->column_count; ++i) {
    const kvantage::ParquetColumn& column = table->columns[i];
    ordered_json cells = ordered_json::array();
    for (std::int64_t row = 0; row < table->rows; ++row) cells.push_back(cell_json(column, row));
    columns.push_back({{"name", column.name}, {"type", type_names[column.type]}, {"cells", cells}});
  }
  // In two pieces, as a module may.
  const std::string text = ordered_json{{"facts", facts}, {"columns", columns}}.dump();
  const std::size_t half = text.size() / 2;
  return sink->take(sink->owner, text.data(), half) != 0 ||
                 sink->take(sink->owner, text.data() + half, text.size() - half) != 0
             ? 1
             : 0;
}

extern "C" __attribute__((visibility("default"))) int kvantage_parquet_read(int abi, const char* path,
                                                                            const kvantage::ParquetSink* sink,
                                                                            char* reason, std::size_t reason_bytes) {
  if (abi != KVANTAGE_TEST_ABI) {
    std::snprintf(reason, reason_bytes, "the module was built for interface %d and the program has %d",
                  KVANTAGE_TEST_ABI, abi);
    return 1;
  }
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);  // PAR1
  while (std::getline(file, line)) {
    if (line == "refuse") {
      std::snprintf(reason, reason_bytes, "the page is damaged");
      return 1;
    }
    if (sink->take(sink->owner, line.data(), line.size()) != 0) {
      reason[0] = '\0';
      return 1;
    }
  }
  return 0;
}
