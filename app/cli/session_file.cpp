#include "app/cli/session_file.h"

#include "core/base/files.h"
#include "core/engine/settings_check.h"
#include "tiers/tier_spec.h"

namespace kvantage::cli {

Expected<OrderedJson> session_file(const SessionStart& start) {
  OrderedJson tiers = OrderedJson::array();
  OrderedJson archive;
  for (const std::string& text : start.tiers) {
    KV_ASSIGN(const auto spec, parse_tier_option(text));
    if (!spec.path.empty())
      return fail(ErrorCode::usage,
                  "--tier " + spec.name + ": a workload names no folders of one machine; leave path= out");
    if (spec.url && !spec.url->password.empty())
      return fail(ErrorCode::usage, "--tier " + spec.name +
                                        ": a workload holds no password; where it runs, put it in " +
                                        credentials_help(*spec.url));
    const bool archive_wanted = spec.name == "archive";
    OrderedJson tier{{"name", spec.name}};
    if (!archive_wanted || spec.capacity_bytes != 0) tier["budget_bytes"] = spec.capacity_bytes;
    if (spec.shaped()) {
      tier["shaped_bytes_per_second"] = spec.bandwidth_bytes_per_second;
      tier["shaped_latency_seconds"] = spec.latency_seconds;
    }
    if (spec.url) tier["url"] = spec.url->shown();
    if (!spec.prefix.empty()) tier["prefix"] = spec.prefix;
    if (spec.faults.plan.any()) tier["faults"] = to_string(spec.faults);
    if (spec.connect_seconds > 0) tier["connect_seconds"] = spec.connect_seconds;
    if (spec.timeout_seconds > 0) tier["timeout_seconds"] = spec.timeout_seconds;
    if (archive_wanted)
      archive = std::move(tier);
    else
      tiers.push_back(std::move(tier));
  }
  if (tiers.empty()) return OrderedJson();
  OrderedJson session{{"policy", start.policy},
                      {"alpha", start.alpha},
                      {"tiers", tiers},
                      {"methods", start.methods},
                      {"removed_fractions", start.removed_fractions}};
  if (!start.reprofile) session["reprofile"] = false;
  if (!archive.is_null()) session["archive"] = archive;
  KV_ASSIGN(const auto settings, session_settings_from_json(Json::parse(session.dump()), "session.json"));
  KV_TRY(checked_settings(settings));
  return session;
}

Status write_session_file(const OrderedJson& session, const std::filesystem::path& folder) {
  return write_text_file(folder / "session.json", session.dump(2) + "\n");
}

}  // namespace kvantage::cli
