#include <array>
#include <cstdio>

#include "core/report/formats/report_formats.h"
#include "core/report/markup.h"
#include "core/report/report_content.h"
#include "core/report/series_colors.h"

namespace kvantage::inline formats {
namespace {

constexpr const char* style = R"css(
:root { --page: #ffffff; --ink: #1b1f24; --soft: #57606a; --rule: #d0d7de; --shade: #f6f8fa; }
@media (prefers-color-scheme: dark) {
  :root { --page: #0d1117; --ink: #e6edf3; --soft: #9aa5b1; --rule: #30363d; --shade: #161b22; } }
body { margin: 0 auto; max-width: 72rem; padding: 1.5rem; background: var(--page); color: var(--ink);
  font: 15px/1.5 "DejaVu Sans", system-ui, sans-serif; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
.claim { font-size: 1.05rem; } .note, caption, figcaption { color: var(--soft); } figcaption { margin-top: .5rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding-bottom: .3rem; }
th, td { padding: .25rem .7rem; border-bottom: 1px solid var(--rule); text-align: right; white-space: nowrap; }
th.name, td.name { text-align: left; } thead th { background: var(--shade); }
td.long { white-space: normal; text-align: left; }
td.throttled { font-style: italic; } td.simulated { border-bottom-style: dashed; }
td.predicted { font-style: italic; color: var(--soft); }
pre { background: var(--shade); padding: .7rem; overflow-x: auto; } figure { margin: 1rem 0; }
svg { display: block; width: 100%; height: auto; max-width: 60rem; }
)css";

// Paper does not scroll: wide tables use a landscape page, in smaller letters, and wrap.
constexpr const char* print_style = R"css(
@media print {
  @page { size: A4 landscape; margin: 10mm; }
  :root { --page: #ffffff; --ink: #1b1f24; --soft: #57606a; --rule: #d0d7de; --shade: #f6f8fa; }
  body { max-width: none; padding: 0; font-size: 10px; }
  .scroll, pre { overflow: visible; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; }
  table { width: 100%; font-size: 8.5px; line-height: 1.3; } thead { break-after: avoid; }
  th, td { padding: .1rem .2rem; white-space: normal; overflow-wrap: break-word; }
  tr, figure { break-inside: avoid; } h2 { break-after: avoid; }
  svg { max-width: 200mm; } }
)css";

// --c0, --c1, ...: the colors of the charts' series, and --t0, --t1, ... of pale areas, on light and dark pages.
std::string series_style() {
  std::string light, dark;
  for (std::size_t i = 0; i < series_colors.size(); ++i) {
    const auto rules = [&](std::uint32_t page, std::uint32_t color) {
      std::array<char, 64> text{};
      std::snprintf(text.data(), text.size(), " --c%zu: #%06x; --t%zu: #%06x;", i, static_cast<unsigned>(color), i,
                    static_cast<unsigned>(color_on(page, color, pale_share)));
      return std::string(text.data());
    };
    light += rules(0xffffff, series_colors[i].light);
    dark += rules(0x0d1117, series_colors[i].dark);
  }
  return ":root {" + light + " }\n@media (prefers-color-scheme: dark) { :root {" + dark +
         " } }\n@media print { :root {" + light + " } }\n";
}

std::string element(const char* name, const std::string& text, const std::string& attributes = "") {
  return joined({"<", name, attributes.empty() ? "" : " ", attributes, ">", escape_markup(text), "</", name, ">"});
}

std::string html_of(const Table& table) {
  std::string out = element("h2", table.title) + "\n<div class=\"scroll\"><table>\n";
  if (!table.note.empty()) out += element("caption", table.note) + "\n";
  out += "<thead><tr>";
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    out +=
        element("th", table.columns[i], table.rows.front()[i].left ? "scope=\"col\" class=\"name\"" : "scope=\"col\"");
  out += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (const Cell& cell : row) {
      if (!cell.metric)
        out += element("td", cell.text, cell.left ? "class=\"name\"" : "");
      else
        out += element(
            "td", cell.text,
            joined({"class=\"", display_name(cell.provenance), "\" title=\"", display_name(cell.provenance), "\""}));
    }
    out += "</tr>\n";
  }
  return out + "</tbody>\n</table></div>\n";
}

std::string html_of(const ReportPlot& plot, const std::string& drawn) {
  return element("h2", plot.title) + "\n<figure>\n" + drawn + element("figcaption", plot.note) + "\n</figure>\n";
}

std::string key_table(const std::string& title, const std::vector<ReportField>& fields) {
  if (fields.empty()) return {};
  std::string out = element("h2", title) + "\n<div class=\"scroll\"><table>\n<tbody>\n";
  for (const ReportField& field : fields)
    out += joined({"<tr>", element("th", field.name, "scope=\"row\" class=\"name\""),
                   element("td", field.value, "class=\"long\""), "</tr>\n"});
  return out + "</tbody>\n</table></div>\n";
}

std::string definitions_table(const std::vector<MetricDefinition>& definitions) {
  std::string out =
      element("h2", "Metric definitions") +
      "\n<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\" class=\"name\">name</th><th scope=\"col\" "
      "class=\"name\">unit</th><th scope=\"col\" class=\"name\">formula</th><th scope=\"col\" "
      "class=\"name\">meaning</th></tr></thead>\n<tbody>\n";
  for (const MetricDefinition& metric : definitions)
    out += joined({"<tr>", element("th", metric.name, "scope=\"row\" class=\"name\""),
                   element("td", metric.unit, "class=\"name\""), element("td", metric.formula, "class=\"long\""),
                   element("td", metric.meaning, "class=\"long\""), "</tr>\n"});
  return out + "</tbody>\n</table></div>\n";
}

std::string command_block(const std::vector<std::string>& commands) {
  if (commands.empty()) return {};
  std::string lines;
  for (const std::string& command : commands) lines += joined({lines.empty() ? "" : "\n", command});
  return element("h2", "Reproduce this report") + "\n" + element("pre", lines) + "\n";
}

}  // namespace

std::string to_html(const RunReport& report, const std::vector<std::string>& charts) {
  const ReportContent content = content_of(report);
  std::string out =
      "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n";
  // Texts of a run are escaped; should one slip through, the page still loads and runs nothing.
  out +=
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src "
      "data:\"/>\n";
  out += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n";
  out += "<meta name=\"color-scheme\" content=\"light dark\"/>\n";
  out += element("title", content.title) + "\n<style>" + style + print_style + series_style() +
         "</style>\n</head>\n<body>\n";
  out += element("h1", content.title) + "\n" + element("p", content.claim, "class=\"claim\"") + "\n";
  for (const std::string& note : content.notes) out += element("p", note, "class=\"note\"") + "\n";
  out += element("p", content.marks, "class=\"note\"") + "\n";
  for (std::size_t i = 0; i < content.charts.size(); ++i)
    out += html_of(content.charts[i], i < charts.size() ? charts[i] : std::string());
  for (const Table& table : content.tables) out += html_of(table);
  out += command_block(content.commands);
  out += key_table("Settings", content.settings);
  out += key_table("System", content.environment);
  for (const Table& table : content.metric_tables) out += html_of(table);
  out += definitions_table(content.definitions);
  return out + "</body>\n</html>\n";
}

}  // namespace kvantage::inline formats
