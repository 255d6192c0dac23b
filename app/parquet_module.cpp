// libkvantage_parquet.so: writes a table as a Parquet file with libarrow and libparquet of pyarrow's wheel. The only
// source that knows them; what it is handed is in core/ports/parquet_module.h.
#include <arrow/array/array_base.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/io/memory.h>
#include <arrow/memory_pool.h>
#include <arrow/result.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/arrow/writer.h>
#include <parquet/properties.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/ports/parquet_module.h"

namespace {

using kvantage::ParquetColumn;
using kvantage::ParquetSink;
using kvantage::ParquetTable;

/// Rows of a row group. Only one of them is in memory as Arrow's arrays.
constexpr std::int64_t group_rows = 131'072;

// The numbers of ColumnType.
constexpr std::int32_t whole = 0, real = 1, flag = 2, text = 3;

arrow::Result<std::shared_ptr<arrow::DataType>> type_of(const ParquetColumn& column) {
  switch (column.type) {
    case whole:
      return arrow::int64();
    case real:
      return arrow::float64();
    case flag:
      return arrow::boolean();
    case text:
      return arrow::utf8();
    default:
      return arrow::Status::TypeError("column ", column.name, " has the unknown type ", column.type);
  }
}

template <class Builder, class Value>
arrow::Result<std::shared_ptr<arrow::Array>> numbers(const ParquetColumn& column, std::int64_t begin,
                                                     std::int64_t count, arrow::MemoryPool* pool) {
  Builder builder(pool);
  ARROW_RETURN_NOT_OK(
      builder.AppendValues(static_cast<const Value*>(column.values) + begin, count, column.present + begin));
  return builder.Finish();
}

arrow::Result<std::shared_ptr<arrow::Array>> texts(const ParquetColumn& column, std::int64_t begin, std::int64_t count,
                                                   arrow::MemoryPool* pool) {
  arrow::StringBuilder builder(pool);
  ARROW_RETURN_NOT_OK(builder.Reserve(count));
  ARROW_RETURN_NOT_OK(builder.ReserveData(column.starts[begin + count] - column.starts[begin]));
  const char* bytes = static_cast<const char*>(column.values);
  for (std::int64_t row = begin; row < begin + count; ++row) {
    const std::int64_t start = column.starts[row], length = column.starts[row + 1] - start;
    if (column.present[row] != 0)
      builder.UnsafeAppend(bytes + start, static_cast<std::int32_t>(length));
    else
      builder.UnsafeAppendNull();
  }
  return builder.Finish();
}

arrow::Result<std::shared_ptr<arrow::Array>> array_of(const ParquetColumn& column, std::int64_t begin,
                                                      std::int64_t count, arrow::MemoryPool* pool) {
  switch (column.type) {
    case whole:
      return numbers<arrow::Int64Builder, std::int64_t>(column, begin, count, pool);
    case real:
      return numbers<arrow::DoubleBuilder, double>(column, begin, count, pool);
    case flag:
      return numbers<arrow::BooleanBuilder, std::uint8_t>(column, begin, count, pool);
    default:
      return texts(column, begin, count, pool);
  }
}

arrow::Status write(const ParquetTable& table, const ParquetSink& sink) {
  // The program's allocator: its memory checks see these blocks, too.
  arrow::MemoryPool* const pool = arrow::system_memory_pool();
  arrow::FieldVector fields;
  fields.reserve(table.column_count);
  for (std::size_t i = 0; i < table.column_count; ++i) {
    ARROW_ASSIGN_OR_RAISE(auto type, type_of(table.columns[i]));
    fields.push_back(arrow::field(table.columns[i].name, std::move(type)));
  }
  const auto schema = arrow::schema(std::move(fields));
  ARROW_ASSIGN_OR_RAISE(const auto file, arrow::io::BufferOutputStream::Create(1 << 16, pool));
  const auto properties = parquet::WriterProperties::Builder()
                              .memory_pool(pool)
                              ->compression(arrow::Compression::ZSTD)
                              ->max_row_group_length(group_rows)
                              ->build();
  ARROW_ASSIGN_OR_RAISE(auto writer, parquet::arrow::FileWriter::Open(*schema, pool, file, properties));
  for (std::int64_t begin = 0; begin < table.rows; begin += group_rows) {
    const std::int64_t count = std::min(group_rows, table.rows - begin);
    arrow::ArrayVector arrays;
    arrays.reserve(table.column_count);
    for (std::size_t i = 0; i < table.column_count; ++i) {
      ARROW_ASSIGN_OR_RAISE(auto array, array_of(table.columns[i], begin, count, pool));
      arrays.push_back(std::move(array));
    }
    ARROW_RETURN_NOT_OK(writer->WriteTable(*arrow::Table::Make(schema, std::move(arrays), count), group_rows));
  }
  std::vector<std::string> keys, values;
  keys.reserve(table.fact_count);
  values.reserve(table.fact_count);
  for (std::size_t i = 0; i < table.fact_count; ++i) {
    keys.emplace_back(table.facts[i].key);
    values.emplace_back(table.facts[i].value);
  }
  ARROW_RETURN_NOT_OK(writer->AddKeyValueMetadata(arrow::key_value_metadata(std::move(keys), std::move(values))));
  ARROW_RETURN_NOT_OK(writer->Close());
  ARROW_ASSIGN_OR_RAISE(const auto bytes, file->Finish());
  if (sink.take(sink.owner, bytes->data(), static_cast<std::size_t>(bytes->size())) != 0)
    return arrow::Status::OutOfMemory("the program has no memory for the ", bytes->size(), " bytes of the file");
  return arrow::Status::OK();
}

/// One line: libarrow may add lines with places in its source.
int refuse(const std::string& why, char* reason, std::size_t reason_bytes) {
  std::snprintf(reason, reason_bytes, "%s", why.substr(0, why.find('\n')).c_str());
  return 1;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int kvantage_parquet_write(int abi, const ParquetTable* table,
                                                                             const ParquetSink* sink, char* reason,
                                                                             std::size_t reason_bytes) {
  try {
    if (abi != kvantage::parquet_abi)
      return refuse("the module was built for interface " + std::to_string(kvantage::parquet_abi) +
                        " and the program has " + std::to_string(abi),
                    reason, reason_bytes);
    if (table == nullptr) return 0;
    const arrow::Status written = write(*table, *sink);
    return written.ok() ? 0 : refuse(written.message(), reason, reason_bytes);
  } catch (const std::exception& error) {  // of libparquet, or no memory
    return refuse(error.what(), reason, reason_bytes);
  } catch (...) {
    return refuse("an unknown exception", reason, reason_bytes);
  }
}
