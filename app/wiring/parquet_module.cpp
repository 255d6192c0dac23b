#include "app/wiring/parquet_module.h"

#include <array>
#include <functional>

#include "app/wiring/program_module.h"
#include "core/base/json.h"
#include "core/ports/parquet_module.h"

namespace kvantage::inline wiring {
namespace {

constexpr ProgramModule parquet_module{"libkvantage_parquet.so", "KVANTAGE_PARQUET_MODULE", "--parquet", parquet_entry};
constexpr ProgramModule parquet_reader{parquet_module.file, parquet_module.variable, parquet_module.option,
                                       parquet_read_entry};

using Reason = std::array<char, 512>;

std::string text_of(Reason& reason) {
  reason.back() = '\0';
  return reason.data();
}

// No exception may reach the module.
int append_bytes(void* owner, const void* bytes, std::size_t count) noexcept {
  try {
    static_cast<std::string*>(owner)->append(static_cast<const char*>(bytes), count);
    return 0;
  } catch (...) {
    return 1;
  }
}

const void* values_of(const TableColumn& column) {
  switch (column.type()) {
    case ColumnType::whole:
      return column.wholes().data();
    case ColumnType::real:
      return column.reals().data();
    case ColumnType::flag:
      return column.flags().data();
    case ColumnType::text:
      return column.texts().data();
  }
  return nullptr;
}

/// Those of the table, and what every file has: which table it is, who wrote it, and the units of its columns.
std::vector<std::pair<std::string, std::string>> facts_of(const ColumnTable& table) {
  OrderedJson units = OrderedJson::object();
  for (const TableColumn& column : table.columns)
    if (!column.unit().empty()) units[column.name()] = column.unit();
  std::vector<std::pair<std::string, std::string>> facts{{"kvantage.table", table.name},
                                                         {"kvantage.table_version", "1"},
                                                         {"kvantage.version", KVANTAGE_VERSION},
                                                         {"kvantage.units", dump_json(units)}};
  facts.reserve(facts.size() + table.facts.size());
  for (const auto& [key, value] : table.facts) facts.emplace_back("kvantage." + key, value);
  return facts;
}

Expected<std::string> parquet_file(ParquetEntry entry, const ColumnTable& table) {
  std::vector<ParquetColumn> columns;
  columns.reserve(table.columns.size());
  for (const TableColumn& column : table.columns)
    columns.push_back({column.name().c_str(), static_cast<std::int32_t>(column.type()), values_of(column),
                       column.type() == ColumnType::text ? column.starts().data() : nullptr, column.present().data()});
  const auto facts = facts_of(table);
  std::vector<ParquetFact> texts;
  texts.reserve(facts.size());
  for (const auto& [key, value] : facts) texts.push_back({key.c_str(), value.c_str()});
  const ParquetTable passed{columns.data(), columns.size(), static_cast<std::int64_t>(table.rows()), texts.data(),
                            texts.size()};
  std::string bytes;
  const ParquetSink sink{&bytes, append_bytes};
  Reason reason{};
  if (entry(parquet_abi, &passed, &sink, reason.data(), reason.size()) == 0) return bytes;
  return fail(ErrorCode::io,
              table.name + ": cannot be written as Parquet: " + text_of(reason) + "; write it as CSV instead");
}

/// Takes the rows of a file, until one is refused.
struct TakenRows {
  const std::function<Status(std::string_view json)>& take;
  Status status = {};
};

// No exception may reach the module.
int take_row(void* owner, const void* bytes, std::size_t count) noexcept {
  TakenRows& rows = *static_cast<TakenRows*>(owner);
  try {
    rows.status = rows.take(std::string_view(static_cast<const char*>(bytes), count));
  } catch (...) {
    rows.status = fail(ErrorCode::rejected_input, "no memory for the rows; give a smaller file");
  }
  return rows.status ? 0 : 1;
}

}  // namespace

std::vector<std::filesystem::path> parquet_module_places() { return module_places(parquet_module); }

Expected<EncodeTable> open_parquet_module(const std::vector<std::filesystem::path>& places) {
  const auto file = find_module(places);
  if (!file) return fail(ErrorCode::usage, "Parquet: " + missing_module_text(parquet_module, places));
  // Never closed: libarrow has threads and destructors of its own. Nothing else may find its symbols, as libparquet
  // exports an OpenSSL of its own beside the program's. Without RTLD_DEEPBIND, with which the module would call libc's
  // allocator where another one is preloaded, and which the address sanitizer refuses; it would only change which
  // OpenSSL libparquet calls, and writing calls none: that needs encrypted files.
  KV_ASSIGN(void* const loaded, load_module(parquet_module, *file));
  const auto entry = reinterpret_cast<ParquetEntry>(loaded);
  Reason reason{};
  if (entry(parquet_abi, nullptr, nullptr, reason.data(), reason.size()) != 0)
    return fail(ErrorCode::usage, file->string() + ": " + text_of(reason) + "; './run --parquet' rebuilds the module");
  return EncodeTable([entry](const ColumnTable& table) { return parquet_file(entry, table); });
}

Expected<ReadRows> open_parquet_reader(const std::vector<std::filesystem::path>& places) {
  KV_TRY(open_parquet_module(places));  // compares the interface
  KV_ASSIGN(void* const loaded, load_module(parquet_reader, *find_module(places)));
  const auto entry = reinterpret_cast<ParquetReadEntry>(loaded);
  return ReadRows(
      [entry](const std::filesystem::path& file, const std::function<Status(std::string_view json)>& take) -> Status {
        TakenRows rows{take};
        const ParquetSink sink{&rows, take_row};
        Reason reason{};
        if (entry(parquet_abi, file.c_str(), &sink, reason.data(), reason.size()) == 0) return {};
        if (!rows.status) return rows.status;
        return fail(ErrorCode::rejected_input,
                    file.string() + ": cannot be read as Parquet: " + text_of(reason) + "; save it again");
      });
}

ReadRows parquet_rows_on_demand() {
  if (!find_module(parquet_module_places())) return {};
  return [](const std::filesystem::path& file, const std::function<Status(std::string_view json)>& take) -> Status {
    KV_ASSIGN(const auto read, open_parquet_reader());
    return read(file, take);
  };
}

EncodeTable parquet_on_demand() {
  if (!find_module(parquet_module_places())) return {};
  return [](const ColumnTable& table) -> Expected<std::string> {
    KV_ASSIGN(const auto encode, open_parquet_module());
    return encode(table);
  };
}

}  // namespace kvantage::inline wiring
