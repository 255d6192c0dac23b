// libkvantage_parquet.so: writes a table as a Parquet file, and reads the rows of one, with libarrow and libparquet of
// pyarrow's wheel. The only source that knows them; what it is handed is in core/ports/parquet_module.h.
#include <arrow/array/array_base.h>
#include <arrow/array/array_binary.h>
#include <arrow/array/array_dict.h>
#include <arrow/array/array_nested.h>
#include <arrow/array/array_primitive.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/io/memory.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/result.h>
#include <arrow/scalar.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>
#include <arrow/util/utf8.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/writer.h>
#include <parquet/properties.h>

#include <algorithm>
#include <charconv>
#include <cmath>
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

/// Deeper ones are null: a file chooses how deep it nests.
constexpr int deepest_json = 32;

void append_text(std::string_view words, std::string& json) {
  if (!arrow::util::ValidateUTF8(words)) {
    json += "null";
    return;
  }
  json += '"';
  for (const char c : words) {
    if (c == '"' || c == '\\') {
      json += '\\';
      json += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(static_cast<unsigned char>(c)));
      json += escaped;
    } else {
      json += c;
    }
  }
  json += '"';
}

template <class Number>
void append_number(Number number, std::string& json) {
  if constexpr (std::is_floating_point_v<Number>) {
    if (!std::isfinite(number)) {
      json += "null";
      return;
    }
  }
  char digits[64];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  json.append(digits, end);
}

arrow::Status append_json(const arrow::Array& array, std::int64_t row, int depth, std::string& json);

arrow::Status append_items(const arrow::Array& values, std::int64_t begin, std::int64_t end, int depth,
                           std::string& json) {
  json += '[';
  for (std::int64_t i = begin; i < end; ++i) {
    if (i > begin) json += ',';
    ARROW_RETURN_NOT_OK(append_json(values, i, depth, json));
  }
  json += ']';
  return arrow::Status::OK();
}

template <class List>
arrow::Status append_list(const arrow::Array& array, std::int64_t row, int depth, std::string& json) {
  const auto& list = static_cast<const List&>(array);
  return append_items(*list.values(), list.value_offset(row), list.value_offset(row) + list.value_length(row), depth,
                      json);
}

arrow::Status append_fields(const arrow::StructArray& array, std::int64_t row, int depth, std::string& json) {
  json += '{';
  for (int i = 0; i < array.num_fields(); ++i) {
    if (i > 0) json += ',';
    append_text(array.struct_type()->field(i)->name(), json);
    json += ':';
    ARROW_RETURN_NOT_OK(append_json(*array.field(i), row, depth, json));
  }
  json += '}';
  return arrow::Status::OK();
}

/// As JSON. What has no form there is the text that libarrow shows of it: dates, decimals, durations.
arrow::Status append_json(const arrow::Array& array, std::int64_t row, int depth, std::string& json) {
  if (array.IsNull(row) || depth > deepest_json) {
    json += "null";
    return arrow::Status::OK();
  }
  const auto number = [&](const auto& typed) { append_number(typed.Value(row), json); };
  switch (array.type_id()) {
    case arrow::Type::BOOL:
      json += static_cast<const arrow::BooleanArray&>(array).Value(row) ? "true" : "false";
      break;
    case arrow::Type::INT8:
      append_number(static_cast<int>(static_cast<const arrow::Int8Array&>(array).Value(row)), json);
      break;
    case arrow::Type::UINT8:
      append_number(static_cast<int>(static_cast<const arrow::UInt8Array&>(array).Value(row)), json);
      break;
    case arrow::Type::INT16:
      number(static_cast<const arrow::Int16Array&>(array));
      break;
    case arrow::Type::UINT16:
      number(static_cast<const arrow::UInt16Array&>(array));
      break;
    case arrow::Type::INT32:
      number(static_cast<const arrow::Int32Array&>(array));
      break;
    case arrow::Type::UINT32:
      number(static_cast<const arrow::UInt32Array&>(array));
      break;
    case arrow::Type::INT64:
      number(static_cast<const arrow::Int64Array&>(array));
      break;
    case arrow::Type::UINT64:
      number(static_cast<const arrow::UInt64Array&>(array));
      break;
    case arrow::Type::FLOAT:
      number(static_cast<const arrow::FloatArray&>(array));
      break;
    case arrow::Type::DOUBLE:
      number(static_cast<const arrow::DoubleArray&>(array));
      break;
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      append_text(static_cast<const arrow::BinaryArray&>(array).GetView(row), json);
      break;
    case arrow::Type::LARGE_STRING:
    case arrow::Type::LARGE_BINARY:
      append_text(static_cast<const arrow::LargeBinaryArray&>(array).GetView(row), json);
      break;
    case arrow::Type::DICTIONARY: {
      const auto& coded = static_cast<const arrow::DictionaryArray&>(array);
      return append_json(*coded.dictionary(), coded.GetValueIndex(row), depth + 1, json);
    }
    case arrow::Type::LIST:
    case arrow::Type::MAP:
      return append_list<arrow::ListArray>(array, row, depth + 1, json);
    case arrow::Type::LARGE_LIST:
      return append_list<arrow::LargeListArray>(array, row, depth + 1, json);
    case arrow::Type::FIXED_SIZE_LIST:
      return append_list<arrow::FixedSizeListArray>(array, row, depth + 1, json);
    case arrow::Type::STRUCT:
      return append_fields(static_cast<const arrow::StructArray&>(array), row, depth + 1, json);
    default: {
      ARROW_ASSIGN_OR_RAISE(const auto scalar, array.GetScalar(row));
      append_text(scalar->ToString(), json);
    }
  }
  return arrow::Status::OK();
}

/// `taken`: false where the sink wants no more.
arrow::Status read_rows(const char* path, const ParquetSink& sink, bool& taken) {
  constexpr std::int64_t rows_at_once = 64;
  parquet::ReaderProperties properties(arrow::system_memory_pool());
  properties.enable_buffered_stream();  // not a whole row group at once
  auto arrow_properties = parquet::ArrowReaderProperties(false);
  arrow_properties.set_batch_size(rows_at_once);
  arrow_properties.set_pre_buffer(false);
  parquet::arrow::FileReaderBuilder builder;
  ARROW_RETURN_NOT_OK(builder.OpenFile(path, false, properties));
  builder.memory_pool(arrow::system_memory_pool());
  builder.properties(arrow_properties);
  ARROW_ASSIGN_OR_RAISE(const auto file, builder.Build());
  ARROW_ASSIGN_OR_RAISE(const auto batches, file->GetRecordBatchReader());
  std::string json;
  for (;;) {
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(batches->ReadNext(&batch));
    if (batch == nullptr) return arrow::Status::OK();
    for (std::int64_t row = 0; row < batch->num_rows(); ++row) {
      json = "{";
      for (int column = 0; column < batch->num_columns(); ++column) {
        if (column > 0) json += ',';
        append_text(batch->column_name(column), json);
        json += ':';
        ARROW_RETURN_NOT_OK(append_json(*batch->column(column), row, 0, json));
      }
      json += '}';
      taken = sink.take(sink.owner, json.data(), json.size()) == 0;
      if (!taken) return arrow::Status::OK();
    }
  }
}

/// One line: libarrow may add lines with places in its source.
int refuse(const std::string& why, char* reason, std::size_t reason_bytes) {
  std::snprintf(reason, reason_bytes, "%s", why.substr(0, why.find('\n')).c_str());
  return 1;
}

}  // namespace

namespace {

/// What an entry does, with the answers for another build and for exceptions.
template <class Work>
int answered(int abi, char* reason, std::size_t reason_bytes, Work work) {
  try {
    if (abi != kvantage::parquet_abi)
      return refuse("the module was built for interface " + std::to_string(kvantage::parquet_abi) +
                        " and the program has " + std::to_string(abi),
                    reason, reason_bytes);
    const arrow::Status done = work();
    return done.ok() ? 0 : refuse(done.message(), reason, reason_bytes);
  } catch (const std::exception& error) {  // of libparquet, or no memory
    return refuse(error.what(), reason, reason_bytes);
  } catch (...) {
    return refuse("an unknown exception", reason, reason_bytes);
  }
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int kvantage_parquet_write(int abi, const ParquetTable* table,
                                                                             const ParquetSink* sink, char* reason,
                                                                             std::size_t reason_bytes) {
  return answered(abi, reason, reason_bytes,
                  [&] { return table == nullptr ? arrow::Status::OK() : write(*table, *sink); });
}

extern "C" __attribute__((visibility("default"))) int kvantage_parquet_read(int abi, const char* path,
                                                                            const ParquetSink* sink, char* reason,
                                                                            std::size_t reason_bytes) {
  bool taken = true;
  const int refused = answered(abi, reason, reason_bytes, [&] { return read_rows(path, *sink, taken); });
  if (taken) return refused;
  if (reason_bytes > 0) reason[0] = '\0';
  return 1;
}
