#include "core/report/formats/report_files.h"

#include <algorithm>
#include <array>

#include "core/base/did_you_mean.h"
#include "core/base/files.h"
#include "core/base/folders.h"
#include "core/report/formats/report_columns.h"

namespace kvantage::inline formats {
namespace {

std::string json_file_text(const RunReport& report) { return dump_json(to_report_json(report), 2) + "\n"; }

constexpr std::string_view html_format = "html", pdf_format = "pdf", parquet_format = "parquet";

// A format may have several files. Without `write` the program draws or encodes it: of Parquet the table that `table`
// makes, or else the requests.
struct File {
  std::string_view format, name;
  std::string (*write)(const RunReport&) = nullptr;
  ColumnTable (*table)(const RunReport&) = nullptr;
};
constexpr std::array<File, 11> files{{{html_format, "report.html"},
                                      {"json", "report.json", json_file_text},
                                      {"csv", "report.csv", to_csv},
                                      {"csv", "report_charts.csv", to_charts_csv},
                                      {"csv", "report_facts.csv", to_facts_csv},
                                      {"latex", "report.tex", to_latex},
                                      {pdf_format, "report.pdf"},
                                      {parquet_format, "report.parquet", nullptr, metric_columns},
                                      {parquet_format, "report_charts.parquet", nullptr, chart_columns},
                                      {parquet_format, "report_facts.parquet", nullptr, fact_columns},
                                      {parquet_format, "report_requests.parquet"}}};

std::vector<std::string_view> format_names() {
  std::vector<std::string_view> names;
  for (const File& file : files)
    if (std::ranges::find(names, file.format) == names.end()) names.push_back(file.format);
  return names;
}

Status write_report_file(const RunReport& report, const File& file, const std::filesystem::path& path,
                         const ReportDrawing& drawing, const ParquetReport& parquet) {
  if (file.write != nullptr) return write_text_file(path, file.write(report));
  if (file.format == pdf_format) return drawing.pdf(report, path);
  if (file.format == html_format) {
    KV_ASSIGN(const auto charts, drawing.charts(report));
    return write_text_file(path, to_html(report, charts));
  }
  const auto bytes = file.table != nullptr ? parquet.encode(file.table(report)) : parquet.encode(parquet.requests);
  return bytes ? write_text_file(path, *bytes) : Status(tl::unexpected(bytes.error()));
}

}  // namespace

std::vector<std::string> report_format_names() {
  const std::vector<std::string_view> names = format_names();
  return {names.begin(), names.end()};
}

std::vector<std::string> report_file_names() {
  std::vector<std::string> names(std::size(files));
  std::ranges::transform(files, names.begin(), [](const File& file) { return std::string(file.name); });
  return names;
}

Expected<std::vector<std::string>> parse_report_formats(std::string_view text) {
  std::vector<std::string> asked;
  const std::vector<std::string_view> formats = format_names();
  std::string known = "the formats are ";
  for (const std::string_view format : formats) known += (format == formats.front() ? "" : ", ") + std::string(format);
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string name(text.substr(begin, end - begin));
    if (std::ranges::find(formats, name) == formats.end())
      return fail(ErrorCode::usage, "unknown report format '" + name + "'; " + did_you_mean(name, formats, known));
    if (std::ranges::find(asked, name) == asked.end()) asked.push_back(name);
    begin = end + 1;
  }
  return asked;
}

Expected<std::vector<std::filesystem::path>> write_report_files(const RunReport& report,
                                                                const std::filesystem::path& folder,
                                                                const std::vector<std::string>& asked,
                                                                const ReportDrawing& drawing,
                                                                const ParquetReport& parquet) {
  const auto asks = [&](std::string_view format) { return std::ranges::find(asked, format) != asked.end(); };
  if ((!drawing.charts && asks(html_format)) || (!drawing.pdf && asks(pdf_format)))
    return fail(ErrorCode::usage,
                "report: this build has no window and so no HTML or PDF; use --format json, csv or latex");
  if (!parquet.encode && asks(parquet_format))
    return fail(ErrorCode::usage, "report: no module for Parquet is loaded; use --format html, latex, csv or json");
  KV_TRY(make_writable_folder(folder));
  std::vector<std::filesystem::path> written;
  for (const std::string& name : asked) {
    const std::size_t before = written.size();
    for (const File& file : files) {
      if (file.format != name) continue;
      const std::filesystem::path path = folder / file.name;
      KV_TRY(write_report_file(report, file, path, drawing, parquet));
      written.push_back(path);
    }
    if (written.size() == before)
      return fail(ErrorCode::usage,
                  "report format '" + name + "': not known; give one that parse_report_formats accepts");
  }
  return written;
}

}  // namespace kvantage::inline formats
