#include "app/cli/fleet/fleet_output.h"

#include <cmath>
#include <cstdio>

#include "app/cli/base/help_text.h"
#include "app/cli/report_output.h"
#include "core/base/counted.h"
#include "core/base/units.h"
#include "core/ports/request_record.h"

namespace kvantage::cli {
namespace {

std::string budget_text(double bytes) {
  return bytes >= 1.8e19 ? "unlimited" : format_bytes(static_cast<std::uint64_t>(bytes));
}

/// Small gaps need digits, not decimals.
std::string percent_text(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", 100 * share);
  return text;
}

std::string seconds_text(double seconds) { return format_fixed(seconds, 1); }

OrderedJson round_json(const FleetEpoch& epoch, std::size_t index, std::size_t store) {
  const ExchangeRound& round = epoch.exchange.rounds[index];
  return {{"price", round.prices.held[store]},
          {"load_price", round.prices.loaded},
          {"held_bytes", round.use.held[store]},
          {"loaded_bytes_per_request", round.use.loaded},
          {"answered", round.answered}};
}

OrderedJson epoch_json(const FleetEpoch& epoch, std::size_t store) {
  const FleetUtility& utility = epoch.utility;
  const PriceExchange& exchange = epoch.exchange;
  OrderedJson rounds = OrderedJson::array();
  for (std::size_t i = 0; i < exchange.rounds.size(); ++i) rounds.push_back(round_json(epoch, i, store));
  const auto plan = [&](const char* name, double achieved) {
    return OrderedJson{{"plan", name},
                       {"utility", achieved},
                       {"gap", fleet_gap(utility, achieved)},
                       {"gain_gap", fleet_gain_gap(utility, achieved)}};
  };
  return {{"epoch", epoch.epoch + 1},
          {"contexts", epoch.contexts},
          {"groups", epoch.groups},
          {"group_bytes", epoch.group_bytes},
          {"bound", utility.bound},
          {"sketch", utility.sketch},
          {"prefill", utility.prefill},
          {"plans", OrderedJson::array({plan("prices", utility.prices), plan("equal", utility.equal),
                                        plan("greedy", utility.greedy)})},
          {"met", exchange.met},
          {"fell_back", exchange.fell_back},
          {"stale_leases", exchange.stale},
          {"store_used", epoch.store_used},
          {"messages", exchange.messages.sent},
          {"messages_lost", exchange.messages.lost},
          {"message_bytes", exchange.messages.bytes},
          {"seconds",
           {{"streaming", epoch.seconds.streaming},
            {"exchanging", epoch.seconds.exchanging},
            {"planning", epoch.seconds.planning}}},
          {"rounds", std::move(rounds)}};
}

std::string note_of(const FleetEpoch& epoch) {
  const std::string name = "epoch " + std::to_string(epoch.epoch + 1) + ": ";
  if (epoch.exchange.fell_back)
    return name + "no engine ever answered: every lease stays as it was, an equal share of the store at first";
  std::string note;
  if (!epoch.exchange.met) note = "the store's demand did not meet its budget within the rounds";
  if (epoch.exchange.stale > 0)
    note += (note.empty() ? "" : "; ") + counted(epoch.exchange.stale, "lease") + " unchanged after a lost message";
  return note.empty() ? note : name + note;
}

}  // namespace

void print_fleet(const FleetArguments& arguments, const PreparedFleet& fleet, const std::vector<FleetEpoch>& epochs) {
  const FleetWorkload& workload = arguments.workload;
  std::printf("%s, %s of %s on average, simulated with %s\n", counted(workload.shards, "engine").c_str(),
              counted(workload.contexts, "context").c_str(), budget_text(fleet.context_bytes).c_str(),
              fleet.preset.c_str());
  std::string tiers = "each engine:";
  for (std::size_t t = 0; t + 1 < fleet.tiers.size(); ++t)
    tiers += (t > 0 ? ", " : " ") + fleet.tiers[t] + " " + budget_text(fleet.budgets[t]);
  std::printf("%s; shared store: %s", tiers.c_str(), budget_text(fleet.budgets.back()).c_str());
  if (std::isfinite(fleet.setup.store.loaded))
    std::printf(", %s/s loaded at %g requests per second",
                format_bytes(static_cast<std::uint64_t>(fleet.setup.store.loaded * arguments.rate)).c_str(),
                arguments.rate);
  std::printf("\n");
  std::vector<std::vector<std::string>> rows, others;
  for (const FleetEpoch& epoch : epochs) {
    const FleetUtility& u = epoch.utility;
    const FleetMessages& messages = epoch.exchange.messages;
    const std::string number = std::to_string(epoch.epoch + 1);
    rows.push_back({number, std::to_string(epoch.exchange.rounds.size()), percent_text(fleet_gap(u, u.prices)),
                    percent_text(fleet_gain_gap(u, u.prices)), std::to_string(messages.sent),
                    format_bytes(messages.bytes), seconds_text(epoch.seconds.streaming),
                    seconds_text(epoch.seconds.exchanging), seconds_text(epoch.seconds.planning)});
    const auto gain = [&](double achieved) { return percent_text(fleet_gain_gap(u, achieved)); };
    others.push_back({number, format_fixed(u.bound, 6), format_fixed(u.prices, 6), format_fixed(u.equal, 6),
                      gain(u.equal), format_fixed(u.greedy, 6), gain(u.greedy), format_fixed(u.prefill, 6)});
  }
  std::printf("%s", list_text({{"epoch", true},
                               {"rounds", true},
                               {"gap %", true},
                               {"of gain %", true},
                               {"messages", true},
                               {"sent", true},
                               {"stream s", true},
                               {"prices s", true},
                               {"plan s", true}},
                              rows)
                        .c_str());
  std::printf("utility per request\n%s", list_text({{"epoch", true},
                                                    {"bound", true},
                                                    {"prices", true},
                                                    {"equal split", true},
                                                    {"of gain %", true},
                                                    {"pooled greedy", true},
                                                    {"of gain %", true},
                                                    {"prefill", true}},
                                                   others)
                                             .c_str());
  for (const FleetEpoch& epoch : epochs)
    if (const std::string note = note_of(epoch); !note.empty()) std::printf("%s\n", note.c_str());
  const std::string source = "curves of " + printable(fleet.curves) + ", all utilities are simulated; " + fleet.source;
  std::printf("%s\n", wrapped(source, "  ", output_columns).c_str());
}

OrderedJson fleet_json(const FleetArguments& arguments, const PreparedFleet& fleet,
                       const std::vector<FleetEpoch>& epochs) {
  const FleetWorkload& workload = arguments.workload;
  OrderedJson tiers = OrderedJson::array(), rows = OrderedJson::array();
  for (std::size_t t = 0; t + 1 < fleet.tiers.size(); ++t)
    tiers.push_back({{"tier", fleet.tiers[t]}, {"budget_bytes", fleet.budgets[t]}});
  for (const FleetEpoch& epoch : epochs) rows.push_back(epoch_json(epoch, fleet.tiers.size() - 1));
  return {{"provenance", to_string(Provenance::simulated)},
          {"preset", fleet.preset},
          {"source", fleet.source},
          {"curves", fleet.curves},
          {"engines", workload.shards},
          {"contexts", workload.contexts},
          {"context_bytes", fleet.context_bytes},
          {"classes", fleet.setup.classes.size()},
          {"forms", fleet.forms},
          {"priced_forms", fleet.priced_forms},
          {"tiers", tiers},
          {"store",
           {{"budget_bytes", fleet.budgets.back()},
            {"loaded_bytes_per_request",
             std::isfinite(fleet.setup.store.loaded) ? OrderedJson(fleet.setup.store.loaded) : OrderedJson(nullptr)}}},
          {"alpha", arguments.alpha},
          {"zipf", workload.zipf_exponent},
          {"engine_zipf", workload.shard_exponent},
          {"drift", workload.drift},
          {"loss", arguments.loss},
          {"seed", workload.seed},
          {"epochs", rows}};
}

}  // namespace kvantage::cli
