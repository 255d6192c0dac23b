#include "core/sweep/sweep_table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <tuple>

#include "core/base/column_csv.h"
#include "core/base/shown_text.h"
#include "core/base/units.h"

namespace kvantage::inline sweep {
namespace {

double cell_number(const Json& result, std::string_view name) {
  const auto found = result.find(std::string(name));
  return found != result.end() && found->is_number() ? found->get<double>() : 0;
}

/// Results come from other machines: a count may be anything.
std::uint64_t cell_count(const Json& result, std::string_view name) {
  const double number = cell_number(result, name);
  return number >= 0 && number < 1e18 ? static_cast<std::uint64_t>(number) : 0;
}

/// A row is on the frontier of its budget and rate where no other is as fast and as good, and one of both better.
void mark_frontier(std::vector<SweepRow>& rows) {
  struct Point {
    std::string budget;
    double rate, ttft, quality;
    SweepRow* row;
  };
  std::vector<Point> points;
  for (SweepRow& row : rows) {
    row.on_frontier = false;
    if (row.requests == 0) continue;  // without answers there is neither a time nor a quality
    points.push_back({row.cell.budget.text(), row.cell.requests_per_second, row.metrics["ttft_service_seconds"].mean,
                      row.metrics["quality"].mean, &row});
  }
  // Of each group the fastest first, and of equally fast ones the best.
  std::ranges::sort(points, {}, [](const Point& p) { return std::tuple(p.budget, p.rate, p.ttft, -p.quality); });
  for (std::size_t i = 0, best = 0; i < points.size(); ++i) {
    const bool begins =
        i == 0 || std::tie(points[i].budget, points[i].rate) != std::tie(points[i - 1].budget, points[i - 1].rate);
    const bool equals = !begins && points[i].ttft == points[best].ttft && points[i].quality == points[best].quality;
    points[i].row->on_frontier = begins || equals || points[i].quality > points[best].quality;
    if (points[i].row->on_frontier) best = i;
  }
}

std::string with_spread(const SweepMetric& metric, std::size_t seeds, double unit, int digits) {
  std::string text = format_fixed(metric.mean * unit, digits);
  if (metric.interval)
    text += " [" + format_fixed(metric.interval->low * unit, digits) + ", " +
            format_fixed(metric.interval->high * unit, digits) + "]";
  else if (seeds > 1)
    text += " (" + format_fixed(metric.min * unit, digits) + "-" + format_fixed(metric.max * unit, digits) + ")";
  return text;
}

std::string cell_text(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

void count_machine(const Json& result, std::vector<SweepMachine>& machines,
                   std::map<std::pair<std::string, std::string>, std::size_t>& places) {
  const std::string host = cell_text(result, "host"), hardware = cell_text(result, "hardware");
  if (host.empty() && hardware.empty()) return;
  const auto [place, is_new] = places.try_emplace({host, hardware}, machines.size());
  if (is_new) machines.push_back({host, hardware, 0});
  ++machines[place->second].cells;
}

/// When cells were served, by host.
using ServedSpans = std::map<std::string, std::vector<std::pair<double, double>>>;

/// Cells that shared their host with another one for a second or more.
std::size_t cells_beside_others(ServedSpans& hosts) {
  constexpr double second = 1e9;
  std::size_t count = 0;
  for (auto& [host, spans] : hosts) {
    std::ranges::sort(spans);
    std::vector<bool> beside(spans.size(), false);
    std::size_t latest = 0;  // of those that began before, the one that ended last
    for (std::size_t i = 1; i < spans.size(); ++i) {
      if (std::min(spans[latest].second, spans[i].second) - spans[i].first >= second) beside[i] = beside[latest] = true;
      if (spans[i].second > spans[latest].second) latest = i;
    }
    count += static_cast<std::size_t>(std::ranges::count(beside, true));
  }
  return count;
}

}  // namespace

SweepTable make_sweep_table(const SweepPlan& plan, const std::map<std::string, Json>& results) {
  SweepTable table;
  table.plan = plan;
  std::map<std::string, std::size_t> places;  // by all of a cell but its seed
  std::vector<std::vector<const Json*>> seeds;
  const CellIds ids(plan);
  std::map<std::pair<std::string, std::string>, std::size_t> machines;  // places by host and hardware
  ServedSpans spans;
  for (const SweepCell& cell : plan.cells) {
    const auto found = results.find(ids.of(cell));
    if (found == results.end() || !found->second.is_object()) continue;
    if (found->second.contains("failed")) {
      table.failed.push_back({cell, cell_text(found->second, "failed"), cell_text(found->second, "worker"),
                              cell_count(found->second, "attempts")});
      continue;
    }
    ++table.done;
    count_machine(found->second, table.machines, machines);
    if (const double began = cell_number(found->second, "began_utc_ns"); began > 0)
      spans[cell_text(found->second, "host")].emplace_back(began, cell_number(found->second, "ended_utc_ns"));
    if (std::string note = cell_text(found->second, "model_note");
        !note.empty() && std::ranges::find(table.notes, note) == table.notes.end())
      table.notes.push_back(std::move(note));
    OrderedJson key = to_json(cell);
    key.erase("seed");
    const auto [place, fresh] = places.try_emplace(dump_json(key), table.rows.size());
    if (fresh) {
      table.rows.emplace_back().cell = cell;
      seeds.emplace_back();
    }
    seeds[place->second].push_back(&found->second);
  }
  table.beside_others = cells_beside_others(spans);
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    SweepRow& row = table.rows[i];
    row.n = seeds[i].size();
    for (const Json* result : seeds[i]) {
      row.requests += cell_count(*result, "requests");
      if (std::string id = cell_text(*result, "run_id"); !id.empty()) row.run_ids.push_back(std::move(id));
      const std::string provenance = cell_text(*result, "provenance"), metric = cell_text(*result, "quality_metric");
      if (row.provenance.empty() || (!provenance.empty() && provenance != "measured"))
        row.provenance = provenance.empty() ? "measured" : provenance;
      if (!metric.empty()) table.quality_metric = metric;
    }
    for (const std::string_view name : sweep_metrics) {
      std::vector<double> values;
      for (const Json* result : seeds[i]) values.push_back(cell_number(*result, name));
      const auto [least, most] = std::ranges::minmax(values);
      row.metrics[std::string(name)] = {
          mean_of(values), least, most,
          values.size() < min_seeds_for_interval ? std::nullopt : bootstrap_interval(values)};
    }
  }
  mark_frontier(table.rows);
  return table;
}

std::string alpha_text(const SweepCell& cell) {
  return cell.uses_alpha ? dump_json(Json(round_to_digits(cell.alpha, 3))) : "-";
}

std::string methods_text(const SweepCell& cell) {
  std::string text;
  for (const std::string& method : cell.methods) text += (text.empty() ? "" : ",") + method;
  return text.empty() ? "-" : text;
}

std::string policy_text(const SweepCell& cell) {
  return cell.policy + (cell.methods.empty() ? "" : " [" + methods_text(cell) + "]") +
         (cell.decode_eviction.empty() ? "" : ", decode " + cell.decode_eviction);
}

std::string headline(const SweepTable& table) {
  return std::to_string(table.done) + " of " + std::to_string(table.plan.cells.size()) + " cells done" +
         (table.failed.empty() ? "" : ", " + std::to_string(table.failed.size()) + " failed") +
         ". *: on the frontier for its budget and rate. (...): range over seeds; [...]: 95 % interval, with " +
         std::to_string(min_seeds_for_interval) + " or more seeds.";
}

std::string to_text(const SweepTable& table) {
  std::string text = headline(table) + "\n";
  char line[512];
  std::snprintf(line, sizeof line, "%-30s %-10s %-8s %-7s %2s %-27s %-27s %-22s %8s %9s\n", "policy", "alpha", "budget",
                "rate", "n", "service TTFT (ms)", "TTFT (ms)", ("quality " + table.quality_metric).c_str(), "hits", "");
  text += line;
  for (const SweepRow& row : table.rows) {
    std::snprintf(line, sizeof line, "%-30s %-10s %-8s %-7s %2zu %-27s %-27s %-22s %8s %9s%s\n",
                  policy_text(row.cell).c_str(), alpha_text(row.cell).c_str(), row.cell.budget.text().c_str(),
                  dump_json(Json(row.cell.requests_per_second)).c_str(), row.n,
                  with_spread(row.metrics.at("ttft_service_seconds"), row.n, 1e3, 2).c_str(),
                  with_spread(row.metrics.at("ttft_seconds"), row.n, 1e3, 2).c_str(),
                  with_spread(row.metrics.at("quality"), row.n, 1, 3).c_str(),
                  format_fixed(row.metrics.at("hit_rate").mean, 3).c_str(), row.provenance.c_str(),
                  row.on_frontier ? " *" : "");
    text += line;
  }
  return text + notes_text(table);
}

std::string notes_text(const SweepTable& table) {
  std::string text;
  for (const std::string& note : table.notes) text += "Note: " + shown_line(note) + ".\n";
  for (const SweepFailure& failure : table.failed) {
    text += "failed: " + dump_json(to_json(failure.cell));
    if (!failure.worker.empty())
      text += " on " + failure.worker + " (attempt " + std::to_string(failure.attempts) + ")";
    text += ": " + failure.why + "\n";
  }
  if (table.beside_others > 0)
    text += std::to_string(table.beside_others) +
            " cells were served at the same time as another one on the same host: their times include its load\n";
  if (table.machines.size() > 1) {
    text += "served on " + std::to_string(table.machines.size()) + " machines, whose times are not comparable:";
    for (const SweepMachine& machine : table.machines)
      text +=
          "\n  " + std::to_string(machine.cells) + " cells on " + shown_line(machine.host + ": " + machine.hardware);
    text += "\n";
  }
  return text;
}

std::string to_csv(const SweepTable& table) { return csv_of(to_columns(table)); }

OrderedJson to_json(const SweepTable& table) {
  OrderedJson rows = OrderedJson::array();
  for (const SweepRow& row : table.rows) {
    OrderedJson json = to_json(row.cell);
    json.erase("seed");
    json["seeds"] = row.n;
    json["requests"] = row.requests;
    json["provenance"] = row.provenance;
    json["on_frontier"] = row.on_frontier;
    for (const std::string_view name : sweep_metrics) {
      const SweepMetric& metric = row.metrics.at(std::string(name));
      json[std::string(name)] = {{"mean", metric.mean},
                                 {"low", metric.interval ? OrderedJson(metric.interval->low) : OrderedJson(nullptr)},
                                 {"high", metric.interval ? OrderedJson(metric.interval->high) : OrderedJson(nullptr)},
                                 {"least", metric.min},
                                 {"most", metric.max}};
    }
    json["run_ids"] = row.run_ids;
    rows.push_back(std::move(json));
  }
  OrderedJson failed = OrderedJson::array(), machines = OrderedJson::array();
  for (const SweepFailure& failure : table.failed)
    failed.push_back({{"cell", to_json(failure.cell)},
                      {"why", failure.why},
                      {"worker", failure.worker},
                      {"attempts", failure.attempts}});
  for (const SweepMachine& machine : table.machines)
    machines.push_back({{"host", machine.host}, {"hardware", machine.hardware}, {"cells", machine.cells}});
  OrderedJson plan = to_json(table.plan);
  plan.erase("cells");
  OrderedJson json{{"format", "kvantage-sweep"},
                   {"version", 1},
                   {"plan", plan},
                   {"quality_metric", table.quality_metric},
                   {"cells", table.plan.cells.size()},
                   {"done", table.done},
                   {"rows", rows},
                   {"failed", failed},
                   {"machines", machines}};
  if (!table.notes.empty()) json["notes"] = table.notes;
  if (table.beside_others > 0) json["cells_beside_others"] = table.beside_others;
  return json;
}

}  // namespace kvantage::inline sweep
