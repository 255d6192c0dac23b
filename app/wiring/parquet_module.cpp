#include "app/wiring/parquet_module.h"

#include <dlfcn.h>

#include <array>
#include <cstdlib>

#include "core/base/folders.h"
#include "core/base/json.h"
#include "core/ports/parquet_module.h"

namespace kvantage::inline wiring {
namespace {

constexpr const char* parquet_file_name = "libkvantage_parquet.so";
constexpr const char* parquet_variable = "KVANTAGE_PARQUET_MODULE";

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

}  // namespace

std::vector<std::filesystem::path> parquet_module_places() {
  if (const char* named = std::getenv(parquet_variable); named != nullptr && *named != '\0') return {named};
  std::error_code ignored;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  const std::filesystem::path name = parquet_file_name;
  return {program / name, program / "lib" / name, program.parent_path() / "lib" / "kvantage" / name,
          program.parent_path() / "app" / name};  // in a build tree, for its tests
}

std::optional<std::filesystem::path> find_parquet_module(const std::vector<std::filesystem::path>& places) {
  for (const std::filesystem::path& place : places)
    if (std::error_code ignored; std::filesystem::exists(place, ignored)) return place;
  return {};
}

Expected<EncodeTable> open_parquet_module(const std::vector<std::filesystem::path>& places) {
  const auto file = find_parquet_module(places);
  if (!file) {
    if (places.size() == 1)
      return fail(ErrorCode::usage, "Parquet: there is no file " + places.front().string() + "; name the module in " +
                                        parquet_variable + ", or unset it");
    return fail(ErrorCode::usage, std::string("Parquet: there is no module ") + parquet_file_name +
                                      " next to the program; './run --parquet' builds it, or name it in " +
                                      parquet_variable);
  }
  const auto refuse = [&file](ErrorCode code, const std::string& why) {
    return fail(code, file->string() + ": " + why);
  };
  // Never closed: libarrow has threads and destructors of its own. RTLD_LOCAL, as libparquet exports an OpenSSL of its
  // own beside the program's: nothing that is loaded later may find it. Not RTLD_DEEPBIND, with which the module would
  // call libc's allocator where another one is preloaded, and which the address sanitizer refuses. It would only change
  // which OpenSSL libparquet calls, and writing calls none: that needs encrypted files.
  void* const module = ::dlopen(absolute_or_given(*file).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) {
    const char* why = ::dlerror();
    return refuse(ErrorCode::rejected_input, std::string("cannot be loaded: ") +
                                                 (why != nullptr ? why : "no reason given") +
                                                 "; './run --parquet' rebuilds the module");
  }
  const auto entry = reinterpret_cast<ParquetEntry>(::dlsym(module, parquet_entry));
  if (entry == nullptr)
    return refuse(ErrorCode::rejected_input, "is not a module of this program; './run --parquet' builds one");
  Reason reason{};
  if (entry(parquet_abi, nullptr, nullptr, reason.data(), reason.size()) != 0)
    return refuse(ErrorCode::usage, text_of(reason) + "; './run --parquet' rebuilds the module");
  return EncodeTable([entry](const ColumnTable& table) { return parquet_file(entry, table); });
}

EncodeTable parquet_on_demand() {
  if (!find_parquet_module()) return {};
  return [](const ColumnTable& table) -> Expected<std::string> {
    KV_ASSIGN(const auto encode, open_parquet_module());
    return encode(table);
  };
}

}  // namespace kvantage::inline wiring
