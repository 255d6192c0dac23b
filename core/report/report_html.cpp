#include <algorithm>

#include "core/base/units.h"
#include "core/report/markup.h"
#include "core/report/svg_chart.h"
#include "core/report/table.h"

namespace kvantage {
namespace {

// Colours after Okabe and Ito (told apart with any colour vision), lighter where the page is dark.
constexpr const char* style = R"css(
:root { --page: #ffffff; --ink: #1b1f24; --soft: #57606a; --rule: #d0d7de; --shade: #f6f8fa;
  --c0: #0072b2; --c1: #d55e00; --c2: #009e73; --c3: #b0508f; --c4: #a07a00; --c5: #3a9bd0; --c6: #6b6b6b; --c7: #7b3294; }
@media (prefers-color-scheme: dark) {
  :root { --page: #0d1117; --ink: #e6edf3; --soft: #9aa5b1; --rule: #30363d; --shade: #161b22;
    --c0: #56b4e9; --c1: #f28e4b; --c2: #35c99c; --c3: #d98fc0; --c4: #e0b83c; --c5: #9ad0f5; --c6: #a8a8a8; --c7: #c2a5cf; } }
body { margin: 0 auto; max-width: 72rem; padding: 1.5rem; background: var(--page); color: var(--ink);
  font: 15px/1.5 "DejaVu Sans", system-ui, sans-serif; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
.claim { font-size: 1.05rem; } .note, caption, figcaption { color: var(--soft); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding-bottom: .3rem; }
th, td { padding: .25rem .7rem; border-bottom: 1px solid var(--rule); text-align: right; white-space: nowrap; }
th.name, td.name { text-align: left; } thead th { background: var(--shade); }
td.long { white-space: normal; text-align: left; }
td.shaped { font-style: italic; } td.modelled { border-bottom-style: dashed; } td.predicted { font-style: italic; color: var(--soft); }
pre { background: var(--shade); padding: .7rem; overflow-x: auto; } figure { margin: 1rem 0; }
svg { width: 100%; height: auto; max-width: 60rem; font-size: 12px; } svg text { fill: var(--ink); paint-order: stroke; stroke: var(--page); stroke-width: 3px; }
.grid { stroke: var(--rule); } .bar { stroke-width: 1.5; }
.c0 { fill: var(--c0); stroke: var(--c0); } .c1 { fill: var(--c1); stroke: var(--c1); } .c2 { fill: var(--c2); stroke: var(--c2); }
.c3 { fill: var(--c3); stroke: var(--c3); } .c4 { fill: var(--c4); stroke: var(--c4); } .c5 { fill: var(--c5); stroke: var(--c5); }
.c6 { fill: var(--c6); stroke: var(--c6); } .c7 { fill: var(--c7); stroke: var(--c7); }
rect { stroke: var(--page) !important; }
)css";

std::string element(const char* name, const std::string& text, const std::string& attributes = "") {
  return joined({"<", name, attributes.empty() ? "" : " ", attributes, ">", escape_markup(text), "</", name, ">"});
}

std::string html_of(const Table& table) {
  std::string out = element("h2", table.title) + "\n<div class=\"scroll\"><table>\n";
  if (!table.note.empty()) out += element("caption", table.note) + "\n";
  out += "<thead><tr>";
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    out += element("th", table.columns[i], table.rows.front()[i].left ? "scope=\"col\" class=\"name\"" : "scope=\"col\"");
  out += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (const Cell& cell : row) {
      if (!cell.figure)
        out += element("td", cell.text, cell.left ? "class=\"name\"" : "");
      else
        out += element("td", cell.text,
                       joined({"class=\"", to_string(cell.provenance), "\" title=\"", to_string(cell.provenance), "\""}));
    }
    out += "</tr>\n";
  }
  return out + "</tbody>\n</table></div>\n";
}

std::string figure_of(const std::string& title, const std::string& svg, const std::string& note) {
  if (svg.empty()) return {};
  return element("h2", title) + "\n<figure>\n" + svg + element("figcaption", note) + "\n</figure>\n";
}

std::string frontier_chart(const RunReport& report) {
  const std::string metric = chosen_quality_metric(report);
  std::vector<ScatterPoint> points;
  for (const PolicyRow& row : report.rows) {
    const auto quality = row.quality.find(metric);
    if (row.requests == 0 || quality == row.quality.end()) continue;
    const Distribution& x = row.ttft_service_seconds;
    const Distribution& y = quality->second;
    ScatterPoint point{row.policy, x.mean * 1e3, y.mean, x.mean * 1e3, x.mean * 1e3, y.mean, y.mean, {}};
    if (x.interval) {
      point.x_low = x.interval->low * 1e3;
      point.x_high = x.interval->high * 1e3;
    }
    if (y.interval) {
      point.y_low = y.interval->low;
      point.y_high = y.interval->high;
    }
    point.title = row.policy + ": " + format_fixed(point.x, 1) + " ms (" + to_string(x.provenance) + "), " + metric + " " +
                  format_fixed(point.y, 3) + " (" + to_string(y.provenance) + "), n = " + std::to_string(y.n);
    points.push_back(std::move(point));
  }
  return figure_of("Time to first token against quality", scatter_svg("mean ttft_service, ms", metric, points),
                   "Means with 95 % intervals (bootstrap over contexts). Up and to the left is better.");
}

std::string split_chart(const RunReport& report) {
  std::vector<StackedBar> bars;
  for (const PolicyRow& row : report.rows) {
    if (row.requests == 0) continue;
    const TtftSplit& split = row.split;
    StackedBar bar{row.policy, {}, {}};
    for (const Figure* part : {&split.lookup, &split.load, &split.decode, &split.context_prefill, &split.question_prefill,
                               &split.other})
      bar.parts.push_back(part->value * 1e3);
    bar.total = format_fixed(row.ttft_service_seconds.mean * 1e3, 1) + " ms" + mark_of(row.ttft_service_seconds.provenance);
    bars.push_back(std::move(bar));
  }
  return figure_of("Where service time goes",
                   stacked_bars_svg({"lookup", "load", "decode", "context prefill", "question prefill", "other"}, bars, "ms"),
                   "Mean parts of ttft_service.");
}

std::string hit_chart(const RunReport& report) {
  std::vector<std::string> series;
  for (const PolicyRow& row : report.rows)
    for (const SourceShare& share : row.sources)
      if (share.source != "prefill" && std::ranges::find(series, share.source) == series.end()) series.push_back(share.source);
  series.push_back("prefill");
  std::vector<StackedBar> bars;
  for (const PolicyRow& row : report.rows) {
    if (row.requests == 0) continue;
    StackedBar bar{row.policy, std::vector<double>(series.size()), std::to_string(row.requests) + " requests"};
    for (const SourceShare& share : row.sources)
      bar.parts[static_cast<std::size_t>(std::ranges::find(series, share.source) - series.begin())] = share.request_rate * 100;
    bars.push_back(std::move(bar));
  }
  return figure_of("Where requests were served from", stacked_bars_svg(series, bars, "%"),
                   "Share of requests by source; prefill means that the context was computed.");
}

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string key_table(const std::string& title, const Json& object, const std::string& left_out) {
  if (!object.is_object() || object.empty()) return {};
  std::string out = element("h2", title) + "\n<div class=\"scroll\"><table>\n<tbody>\n";
  for (const auto& [key, value] : object.items())
    if (key != left_out)
      out += joined({"<tr>", element("th", key, "scope=\"row\" class=\"name\""),
                     element("td", text_of(value), "class=\"long\""), "</tr>\n"});
  return out + "</tbody>\n</table></div>\n";
}

std::string definitions_table() {
  std::string out = element("h2", "What the figures mean") +
                    "\n<div class=\"scroll\"><table>\n<thead><tr><th scope=\"col\" class=\"name\">name</th><th scope=\"col\" "
                    "class=\"name\">unit</th><th scope=\"col\" class=\"name\">formula</th><th scope=\"col\" "
                    "class=\"name\">meaning</th></tr></thead>\n<tbody>\n";
  for (const MetricDefinition& metric : metric_definitions())
    out += joined({"<tr>", element("th", metric.name, "scope=\"row\" class=\"name\""),
                   element("td", metric.unit, "class=\"name\""), element("td", metric.formula, "class=\"long\""),
                   element("td", metric.meaning, "class=\"long\""), "</tr>\n"});
  return out + "</tbody>\n</table></div>\n";
}

std::string command_block(const RunReport& report) {
  const auto command = report.environment.is_object() ? report.environment.find("command") : report.environment.end();
  if (command == report.environment.end()) return {};
  std::string commands;
  if (command->is_array())
    for (const Json& one : *command) commands += joined({commands.empty() ? "" : "\n", text_of(one)});
  else
    commands = text_of(*command);
  return element("h2", "To repeat this") + "\n" + element("pre", commands) + "\n";
}

}  // namespace

std::string to_html(const RunReport& report) {
  std::string out = "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n";
  out += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n";
  out += "<meta name=\"color-scheme\" content=\"light dark\"/>\n";
  out += element("title", report.title) + "\n<style>" + style + "</style>\n</head>\n<body>\n";
  out += element("h1", report.title) + "\n" + element("p", report.claim, "class=\"claim\"") + "\n";
  out += element("p", mark_legend(), "class=\"note\"") + "\n";
  out += frontier_chart(report) + split_chart(report) + hit_chart(report);
  for (const Table& table : tables_of(report)) out += html_of(table);
  out += command_block(report);
  out += key_table("Settings", report.settings, "");
  out += key_table("Where it ran", report.environment, "command");
  out += definitions_table();
  return out + "</body>\n</html>\n";
}

}  // namespace kvantage
