#include "core/report/report_files.h"

#include <algorithm>
#include <array>

#include "core/base/files.h"
#include "core/base/folders.h"

namespace kvantage {
namespace {

struct Format {
  std::string_view name;
  std::string (*write)(const RunReport&);
};

std::string json_text(const RunReport& report) { return to_report_json(report).dump(2) + "\n"; }

constexpr std::array<Format, 5> formats{{{"html", to_html}, {"json", json_text}, {"csv", to_csv}, {"latex", to_latex}, {"pdf", to_pdf}}};

// What programs that read it look for.
std::string ending_of(const std::string& format) { return format == "latex" ? "tex" : format; }

}  // namespace

Expected<std::vector<std::string>> parse_report_formats(std::string_view text) {
  std::vector<std::string> asked;
  std::string known;
  for (const Format& format : formats) known += (known.empty() ? "" : ", ") + std::string(format.name);
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string name(text.substr(begin, end - begin));
    if (std::ranges::find(formats, name, &Format::name) == formats.end())
      return fail(ErrorCode::usage, "report format '" + name + "': not known; the formats are " + known);
    if (std::ranges::find(asked, name) == asked.end()) asked.push_back(name);
    begin = end + 1;
  }
  return asked;
}

Expected<std::vector<std::filesystem::path>> write_report_files(const RunReport& report,
                                                                const std::filesystem::path& folder,
                                                                const std::vector<std::string>& asked) {
  KV_TRY(make_writable_folder(folder));
  std::vector<std::filesystem::path> written;
  for (const std::string& name : asked) {
    const auto format = std::ranges::find(formats, name, &Format::name);
    if (format == formats.end()) return fail(ErrorCode::usage, "report format '" + name + "': not known");
    const std::filesystem::path path = folder / ("report." + ending_of(name));
    KV_TRY(write_text_file(path, format->write(report)));
    written.push_back(path);
    if (name != "csv" || report.plots.empty()) continue;
    const std::filesystem::path charts = folder / "report_charts.csv";
    KV_TRY(write_text_file(charts, to_charts_csv(report)));
    written.push_back(charts);
  }
  return written;
}

}  // namespace kvantage
