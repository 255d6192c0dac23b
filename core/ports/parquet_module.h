// What the program hands to the module that writes and reads Parquet files: app/parquet_module.cpp, loaded at run time
// by app/wiring/parquet_module.h, so that machines without libarrow need none of it.
//
// Plain C, as the module is linked with the libarrow of another compiler: no C++ object, exception or memory of one
// side reaches the other.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kvantage::inline ports {

/// A column of ParquetTable::rows values. `type` is a ColumnType (core/base/column_table.h), `values` its numbers:
/// int64 for whole, double for real, one byte for flag. Of text it is the bytes of all texts; text i is [starts[i],
/// starts[i + 1]). `present` has a byte per row: 1 for a value, 0 for none.
struct ParquetColumn {
  const char* name;
  std::int32_t type;
  const void* values;
  const std::int64_t* starts;  // null for all but text
  const std::uint8_t* present;
};

/// A text about the table; both end with a 0.
struct ParquetFact {
  const char *key, *value;
};

struct ParquetTable {
  const ParquetColumn* columns;
  std::size_t column_count;
  std::int64_t rows;
  const ParquetFact* facts;
  std::size_t fact_count;
};

/// Takes the bytes of the file in order, valid until it returns; 0: taken.
struct ParquetSink {
  void* owner;
  int (*take)(void* owner, const void* bytes, std::size_t count);
};

/// An interface version, then the sizes of the structs that cross it: changing either changes the value.
inline constexpr int parquet_abi = 2 * 100'000 + static_cast<int>(sizeof(ParquetColumn) + sizeof(ParquetFact) +
                                                                  sizeof(ParquetTable) + sizeof(ParquetSink));

/// The module's entry points. This one writes: 0 when the whole file went to `sink`, else the reason, one line of at
/// most `reason_bytes` including the terminator. With a null table it only compares `abi`. Any thread may call it.
inline constexpr const char* parquet_entry = "kvantage_parquet_write";
using ParquetEntry = int (*)(int abi, const ParquetTable* table, const ParquetSink* sink, char* reason,
                             std::size_t reason_bytes);

/// Reads the file `path`: each call of `sink` takes one row, a JSON object of the columns in their order as UTF-8, with
/// lists and objects for nested ones. Texts that are no UTF-8, and numbers that JSON does not have, are null. 0 when
/// all rows went to `sink`, else as above; 1 of `sink` ends it with an empty reason. Files are read in pieces: memory
/// does not grow with rows.
inline constexpr const char* parquet_read_entry = "kvantage_parquet_read";
using ParquetReadEntry = int (*)(int abi, const char* path, const ParquetSink* sink, char* reason,
                                 std::size_t reason_bytes);

}  // namespace kvantage::inline ports
