// Parquet files in tests: those of the module of this build, read by pyarrow, and those of a module that writes JSON.
#pragma once

#include <QProcess>
#include <QStringList>
#include <QtTest>

#include <filesystem>
#include <string>

#include "core/base/column_table.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "tests/support/report_readers.h"

namespace kvantage::test {

inline std::filesystem::path parquet_double(const std::string& name = "double") {
  return std::filesystem::path(KVANTAGE_BINARY_DIR) / "tests" / ("libtest_parquet_" + name + ".so");
}
/// That of this build; it may not be there.
inline std::filesystem::path parquet_module() {
  return std::filesystem::path(KVANTAGE_BINARY_DIR) / "app" / "libkvantage_parquet.so";
}

/// Of a build with the module: where pyarrow is.
inline QString parquet_folder() {
  for (const QByteArray& line : bytes_of(QStringLiteral(KVANTAGE_BINARY_DIR "/CMakeCache.txt")).split('\n'))
    if (line.startsWith("KVANTAGE_PARQUET_DIR:PATH=")) return QString::fromUtf8(line.mid(line.indexOf('=') + 1));
  return {};
}

/// {"facts", "compression", "groups", "columns": [{"name", "type", "cells"}]} by pyarrow; an error says why not.
inline Expected<Json> read_by_pyarrow(const std::filesystem::path& file) {
  QProcess process;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert(QStringLiteral("PYTHONPATH"), parquet_folder());
  process.setProcessEnvironment(environment);
  process.start(QStringLiteral("python3"), {QStringLiteral(KVANTAGE_SOURCE_DIR "/tests/support/read_parquet.py"),
                                            QString::fromStdString(file.string())});
  if (!process.waitForFinished(300000) || process.exitCode() != 0)
    return fail(ErrorCode::io, process.readAllStandardError().trimmed().split('\n').back().toStdString());
  return parse_json(process.readAllStandardOutput().toStdString(), file.string());
}
/// Why read_by_pyarrow() cannot be called; empty where it can.
inline QString no_pyarrow() {
  if (!std::filesystem::exists(parquet_module()))
    return QStringLiteral("built without the module for Parquet; ./run --parquet builds it");
  QProcess process;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert(QStringLiteral("PYTHONPATH"), parquet_folder());
  process.setProcessEnvironment(environment);
  process.start(QStringLiteral("python3"), {QStringLiteral("-c"), QStringLiteral("import pyarrow.parquet")});
  if (process.waitForFinished(120000) && process.exitCode() == 0) return {};
  return QStringLiteral("python3 has no pyarrow; cmake/fetch_pyarrow.sh DIR --python fetches it");
}

inline const char* name_of(ColumnType type) {
  constexpr const char* names[] = {"whole", "real", "flag", "text"};
  return names[static_cast<std::size_t>(type)];
}

inline Json json_of(const TableCell& cell) {
  if (const double* real = std::get_if<double>(&cell); real != nullptr && !std::isfinite(*real))
    return std::isnan(*real) ? "nan" : *real < 0 ? "-inf" : "inf";
  return std::visit(
      [](const auto& value) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::monostate>)
          return nullptr;
        else
          return value;
      },
      cell);
}

/// {"columns": [...]} of a table, as both readers give it back.
inline Json columns_json(const ColumnTable& table) {
  Json columns = Json::array();
  for (const TableColumn& column : table.columns) {
    Json cells = Json::array();
    for (std::size_t row = 0; row < column.rows(); ++row) cells.push_back(json_of(column.at(row)));
    columns.push_back({{"name", column.name()}, {"type", name_of(column.type())}, {"cells", cells}});
  }
  return columns;
}

/// Whether a cell of a typed column is what CSV has there: an apostrophe before a text keeps spreadsheets from taking
/// it for a formula.
inline bool is_of_csv(const Json& cell, const QString& csv) {
  if (cell.is_null()) return csv.isEmpty();
  if (cell.is_boolean()) return csv == QLatin1String(cell.get<bool>() ? "1" : "0");
  if (cell.is_number_integer()) return csv == QString::number(cell.get<qlonglong>());
  bool is_number = false;
  if (cell.is_number()) return csv.toDouble(&is_number) == cell.get<double>() && is_number;
  const QString text = QString::fromStdString(cell.get<std::string>());
  return csv == text || csv == '\'' + text;
}

/// What differs between typed columns ({"name", "cells"}) and the CSV of the same table, a line each; empty: nothing.
inline QStringList differences_to_csv(const Json& columns, const Rows& csv) {
  QStringList found;
  const QStringList header = csv.value(0);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const QString name = QString::fromStdString(columns[c].at("name").get<std::string>());
    if (header.value(static_cast<qsizetype>(c)) != name) found << "column " + name + " is not in its place";
    const Json& cells = columns[c].at("cells");
    if (static_cast<qsizetype>(cells.size()) + 1 != csv.size()) found << name + " has other rows";
    for (std::size_t row = 0; row < cells.size(); ++row) {
      const QString text = csv.value(static_cast<qsizetype>(row) + 1).value(static_cast<qsizetype>(c));
      if (!is_of_csv(cells[row], text))
        found << QStringLiteral("%1, row %2: %3, not %4")
                     .arg(name)
                     .arg(row)
                     .arg(QString::fromStdString(cells[row].dump()), text);
    }
  }
  if (header.size() != static_cast<qsizetype>(columns.size())) found << QStringLiteral("not as many columns");
  return found;
}

}  // namespace kvantage::test
