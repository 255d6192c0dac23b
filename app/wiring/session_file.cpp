#include "app/wiring/session_file.h"

#include "core/base/files.h"
#include "core/base/folders.h"
#include "core/engine/settings_check.h"
#include "tiers/kinds/tier_place.h"
#include "tiers/kinds/tier_text.h"

namespace kvantage::inline wiring {
namespace {

Status fits_any_machine(const TierConfig& config) {
  if (const std::string part = local_part(config); !part.empty())
    return fail(ErrorCode::usage, "--tier " + config.name +
                                      ": a workload must not name files or folders of this machine; leave " + part +
                                      " out");
  if (const std::string home = password_home(config); !home.empty())
    return fail(ErrorCode::usage, "--tier " + config.name +
                                      ": a workload must not hold a password; on the machine that runs it, put it in " +
                                      home);
  return {};
}

// The file form of a tier, without fields at their default.
OrderedJson tier_of_file(const TierConfig& config) {
  TierConfig recorded = recorded_form(config);
  if (config.is_archive() && recorded.budget.is_unlimited()) recorded.budget = {};
  const Json whole = to_json(recorded);
  OrderedJson tier{{"name", config.name}};
  for (const char* field : {"budget", "budget_bytes", "bandwidth", "shaped_bytes_per_second", "shaped_latency_seconds",
                            "url", "prefix", "faults", "connect_seconds", "timeout_seconds", "kind", "options"}) {
    if (!whole.contains(field)) continue;
    const Json& value = whole.at(field);
    const bool says_nothing = value == Json(0) || value == Json(0.0) || value == Json("");
    const bool of_throttle = std::string_view(field).starts_with("shaped_") &&
                             (config.throttle.bytes_per_second > 0 || config.throttle.latency_seconds > 0);
    if (!says_nothing || of_throttle) tier[field] = OrderedJson::parse(dump_json(value));
  }
  return tier;
}

}  // namespace

Expected<OrderedJson> session_file(const SessionStart& start) {
  OrderedJson tiers = OrderedJson::array();
  OrderedJson archive;
  KV_ASSIGN(const auto written, parse_tiers(start.tiers));
  for (const TierConfig& config : written) {
    KV_TRY(fits_any_machine(config));
    (config.is_archive() ? archive : tiers.emplace_back()) = tier_of_file(config);
  }
  if (tiers.empty()) return OrderedJson();
  OrderedJson session{{"policy", start.policy},
                      {"alpha", start.alpha},
                      {"tiers", tiers},
                      {"methods", start.methods},
                      {"removed_fractions", start.removed_fractions}};
  if (!start.reprofile) session["reprofile"] = false;
  if (!start.compute_or_load.empty()) session["compute_or_load"] = start.compute_or_load;
  if (!archive.is_null()) session["archive"] = archive;
  KV_ASSIGN(const auto settings, session_settings_from_json(Json::parse(dump_json(session)), "session.json"));
  KV_TRY(checked_settings(settings));
  return session;
}

Status write_quality_metric(const std::string& metric, const std::filesystem::path& folder) {
  if (metric.empty() || metric == SessionSettings{}.quality_metric) return {};
  const std::filesystem::path file = folder / "session.json";
  Json session = Json::object();
  if (is_there(file)) {
    KV_ASSIGN(session, read_json_file(file));
    if (!session.is_object()) session = Json::object();
  }
  session["quality_metric"] = metric;
  return write_text_file(file, dump_json(session, 2) + "\n");
}

Status write_session_file(const OrderedJson& session, const std::filesystem::path& folder) {
  return write_text_file(folder / "session.json", dump_json(session, 2) + "\n");
}

}  // namespace kvantage::inline wiring
