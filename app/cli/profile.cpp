// kvantage-cli profile: measures the quality curves of a workload's contexts into the database.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "app/cli/base/help_text.h"
#include "app/cli/base/interrupts.h"
#include "app/cli/base/json_output.h"
#include "app/cli/base/progress_line.h"
#include "app/cli/report_output.h"
#include "app/cli/session_options.h"
#include "core/base/clock.h"
#include "core/base/duration.h"
#include "core/base/folders.h"
#include "core/base/units.h"
#include "core/compress/method.h"
#include "core/policy/utility.h"
#include "core/report/sensitivity_table.h"
#include "profiles/profile_file.h"

namespace kvantage::cli {
namespace {

struct ProfileArguments : SessionArguments {
  std::filesystem::path export_file;
  bool by_family = false, anytime = false;
  std::optional<std::string> grid, time_limit, good_enough;  // full or racing; a duration; a share
};

/// "1%" or "0.01". usage error for one that is not from 0 to 1.
Expected<double> share_of(const std::string& text, const std::string& option) {
  const bool percent = text.ends_with('%');
  const std::string digits = text.substr(0, text.size() - (percent ? 1 : 0));
  char* end = nullptr;
  const double value = std::strtod(digits.c_str(), &end) / (percent ? 100 : 1);
  if (digits.empty() || end == digits.c_str() || *end != '\0' || !(value >= 0 && value <= 1))
    return fail(ErrorCode::usage, option + ": '" + one_line(text) + "' is not a share from 0 to 1; write it like 1%");
  return value;
}

/// Puts --anytime, --grid and --good-enough into the session's options.
Status finish_grid_options(ProfileArguments& arguments) {
  const bool full = arguments.grid == "full";
  const bool needs_racing = arguments.anytime || arguments.good_enough;
  if (full && needs_racing)
    return fail(ErrorCode::usage, "--grid full: measures every cell; leave --anytime and --good-enough out");
  if (full) arguments.options.profile_grid = ProfileGridKind::full;
  if (arguments.grid == "racing" || needs_racing) arguments.options.profile_grid = ProfileGridKind::racing;
  if (!arguments.good_enough) return {};
  KV_ASSIGN(arguments.options.good_enough, share_of(*arguments.good_enough, "--good-enough"));
  return {};
}

/// Seconds of --time-limit; nothing: no limit. usage error for no duration above 0.
Expected<std::optional<double>> time_limit_of(const ProfileArguments& arguments) {
  if (!arguments.time_limit) return std::nullopt;
  const auto seconds = parse_duration(*arguments.time_limit);
  if (!seconds) return fail(ErrorCode::usage, "--time-limit: " + seconds.error().message);
  if (!(*seconds > 0)) return fail(ErrorCode::usage, "--time-limit: is no time; write it like 60s");
  return *seconds;
}

/// Measures until nothing is left that is worth it, or for so many seconds. What is measured by then is kept.
Status measure(Engine& engine, std::optional<double> seconds) {
  const auto clock = machine_clock();
  const std::int64_t start = clock->monotonic_ns();
  engine.profile_all();
  return wait_until_idle(engine, [&] {
    const double passed = static_cast<double>(clock->monotonic_ns() - start) * 1e-9;
    return interrupted() || (seconds && passed >= *seconds);
  });
}

std::string percent(double share) { return format_fixed(100 * share, 1) + " %"; }

/// What anytime profiling has reached; also prints it where wanted. Null for whole curves.
Json profiling_json(const Engine& engine, bool prints) {
  const auto gauge = engine.gauges().profiling;
  if (!gauge) return nullptr;
  if (prints) {
    const std::string state = gauge->is_good_enough ? "good enough: " : gauge->has_coarse ? "" : "not coarse yet: ";
    const std::string left = gauge->answers_left == 0 && gauge->has_coarse
                                 ? "nothing is left to measure"
                                 : "some " + std::to_string(gauge->answers_left) + " answers left" +
                                       (gauge->has_coarse ? "" : " until the first curves") +
                                       (gauge->seconds_left >= 0 ? ", " + format_seconds(gauge->seconds_left) : "");
    std::printf("%s\n",
                wrapped("Measured " + std::to_string(gauge->answers) + " of " + std::to_string(gauge->full_answers) +
                            " answers of the full grid; " + state + "more could raise the plan's utility by at most " +
                            percent(gauge->may_rise) + " (95 % confidence); half of the median interval " +
                            format_fixed(gauge->half_width, 3) + "; " + left +
                            ". Points with n=0 are pooled "
                            "from similar contexts.",
                        "", output_columns)
                    .c_str());
  }
  return {{"answers", gauge->answers},
          {"full_answers", gauge->full_answers},
          {"answers_left", gauge->answers_left},
          {"seconds_left", gauge->seconds_left >= 0 ? Json(gauge->seconds_left) : Json()},
          {"may_rise", gauge->may_rise},
          {"half_width", gauge->half_width},
          {"has_coarse", gauge->has_coarse},
          {"good_enough", gauge->is_good_enough}};
}

/// Mean KL in nats of every cell, by context, method and removed fraction: from each question's exp(-KL), because the
/// KL of a mean is not the mean of KLs. Empty for other metrics.
using CellKey = std::tuple<std::string, std::string, double>;
Expected<std::map<CellKey, double>> mean_kl(ProfileStore& profiles, const ProfileScope& scope) {
  std::map<CellKey, double> means;
  if (scope.quality_metric != "logit_kl") return means;
  KV_ASSIGN(const auto cells, profiles.load_profiles(scope));
  for (const ProfileCell& cell : cells) {
    double sum = 0;
    for (const double score : cell.scores) sum -= std::log(score);
    if (!cell.scores.empty())
      means[{cell.context_id, cell.point.method, cell.point.removed_fraction}] =
          sum / static_cast<double>(cell.scores.size());
  }
  return means;
}

/// Also prints its line where wanted.
Json decode_option_json(const ContextState& context, const DecodeOption& option, bool prints) {
  if (prints)
    std::printf("%-16s %-10s decode %s  %s [%s, %s] n=%d  %s per token, %s per answer\n", one_line(context.id).c_str(),
                one_line(context.family).c_str(), option.option.c_str(), format_fixed(option.quality, 3).c_str(),
                format_fixed(option.quality_low, 3).c_str(), format_fixed(option.quality_high, 3).c_str(), option.n,
                format_seconds(option.inter_token_seconds).c_str(), format_seconds(option.decode_seconds()).c_str());
  return {{"context", context.id},
          {"family", context.family},
          {"option", option.option},
          {"quality", option.quality},
          {"quality_low", option.quality_low},
          {"quality_high", option.quality_high},
          {"n", option.n},
          {"inter_token_seconds", option.inter_token_seconds},
          {"gaps_per_answer", option.gaps_per_answer}};
}

/// Also prints a line for each where wanted.
Json tier_fits_json(const Snapshot& snapshot, bool prints) {
  Json fits = Json::array();
  for (const TierState& tier : snapshot.tiers) {
    fits.push_back({{"tier", tier.name},
                    {"latency_seconds", tier.model.latency_seconds},
                    {"bytes_per_second", tier.model.bytes_per_second},
                    {"decode_seconds_per_token", tier.model.decode_seconds_per_token},
                    {"shaped", tier.throttled}});
    if (prints)
      std::printf("tier %s: %s + bytes / %s/s + %s per kept token%s\n", one_line(tier.name).c_str(),
                  format_seconds(tier.model.latency_seconds).c_str(),
                  format_bytes(static_cast<std::uint64_t>(tier.model.bytes_per_second)).c_str(),
                  format_seconds(tier.model.decode_seconds_per_token).c_str(), tier.throttled ? " (throttled)" : "");
  }
  return fits;
}

/// Also prints its line where wanted.
Json chance_json(const ContextState& context, bool prints) {
  const ProfileChance& chance = context.profile->chance;
  if (prints)
    std::printf("%-16s %-10s %-16s       %s [%s, %s] n=%d\n", one_line(context.id).c_str(),
                one_line(context.family).c_str(), "by chance", format_fixed(chance.mean, 3).c_str(),
                format_fixed(chance.low, 3).c_str(), format_fixed(chance.high, 3).c_str(), chance.n);
  return {{"context", context.id},     {"family", context.family},    {"quality", chance.mean},
          {"quality_low", chance.low}, {"quality_high", chance.high}, {"n", chance.n}};
}

/// The database may have more: other methods and fractions that were profiled before.
void keep_asked(std::vector<ProfileCell>& cells, const SessionSettings& asked) {
  std::set<std::string> methods{"none"};
  for (const std::string& text : asked.methods) {
    const auto method = parse_method(text);
    methods.insert(method ? (*method)->text() : text);
  }
  std::erase_if(cells, [&](const ProfileCell& cell) {
    const auto is_its = [&](double fraction) { return same_fraction(fraction, cell.point.removed_fraction); };
    return !methods.contains(cell.point.method) ||
           (!is_its(0) && std::ranges::none_of(asked.removed_fractions, is_its));
  });
}

Status profile(ProfileArguments& arguments) {
  KV_TRY(finish_session_options(arguments));
  KV_TRY(finish_grid_options(arguments));
  KV_ASSIGN(const auto time_limit, time_limit_of(arguments));
  if (arguments.export_file.has_parent_path()) KV_TRY(make_writable_folder(arguments.export_file.parent_path()));
  ConsoleSink console(arguments.quiet);
  KV_ASSIGN(auto session, open_session(arguments.options, {&console}));
  say_notes(session, arguments.quiet);
  Engine& engine = *session.engine;
  KV_TRY(wait_until_idle(engine));
  KV_TRY(measure(engine, time_limit));
  const auto snapshot = engine.snapshot();
  const std::string note = engine.info().model_note;
  if (!note.empty() && !arguments.json)
    std::printf("%s\n", wrapped("Note: " + one_line(note) + ".", "", output_columns).c_str());
  if (arguments.by_family && !arguments.json) {
    KV_ASSIGN(auto cells, session.stores->profiles().load_profiles(engine.profile_scope()));
    keep_asked(cells, engine.settings());
    std::printf("%s", sensitivity_text(cells).c_str());
  }
  KV_ASSIGN(const auto kl, mean_kl(session.stores->profiles(), engine.profile_scope()));
  Json contexts = Json::array(), chances = Json::array(), options = Json::array();
  for (const ContextState& context : snapshot->contexts) {
    if (context.profile == nullptr) continue;
    const std::string id = one_line(context.id), family = one_line(context.family);
    for (const ProfilePoint& point : context.profile->points) {
      const auto known_kl = kl.find({context.id, point.method, point.removed_fraction});
      const std::string nats = known_kl == kl.end() ? "" : "  KL " + format_fixed(known_kl->second, 4);
      if (!arguments.json && !arguments.by_family) {
        std::printf("%-16s %-10s %-16s %4.2f  %s [%s, %s] n=%d%s%s  %s\n", id.c_str(), family.c_str(),
                    point.method.c_str(), point.removed_fraction, format_fixed(point.quality, 3).c_str(),
                    format_fixed(point.quality_low, 3).c_str(), format_fixed(point.quality_high, 3).c_str(), point.n,
                    point.pooled() ? " pooled" : "", nats.c_str(), format_bytes(point.bytes).c_str());
      }
      contexts.push_back({{"context", context.id},
                          {"family", context.family},
                          {"method", point.method},
                          {"removed_fraction", point.removed_fraction},
                          {"quality", point.quality},
                          {"quality_low", point.quality_low},
                          {"quality_high", point.quality_high},
                          {"n", point.n},
                          {"bytes", point.bytes},
                          {"kept_tokens", point.kept_tokens}});
      if (point.pooled()) contexts.back()["pooled"] = true;
      if (known_kl != kl.end()) contexts.back()["kl_nats"] = known_kl->second;
    }
    for (const DecodeOption& option : context.profile->decode_options)
      options.push_back(decode_option_json(context, option, !arguments.json && !arguments.by_family));
    if (context.profile->chance.n > 0) chances.push_back(chance_json(context, !arguments.json && !arguments.by_family));
  }
  const Json fits = tier_fits_json(*snapshot, !arguments.json);
  const Json profiling = profiling_json(engine, !arguments.json);
  if (arguments.json) {
    Json all{{"cells", contexts}, {"chance", chances}, {"tiers", fits}};
    if (!options.empty()) all["decode_options"] = options;
    if (!note.empty()) all["model_note"] = note;
    if (!profiling.is_null()) all["profiling"] = profiling;
    print_json(all, 2);
  }
  if (!arguments.export_file.empty()) {
    KV_ASSIGN(const auto exported,
              export_profile(session.stores->profiles(), engine.profile_scope(), arguments.export_file));
    std::fflush(stdout);  // the table first, also when both streams go into one file
    if (!arguments.quiet) stderr_progress().say(std::to_string(exported) + " cells: " + arguments.export_file.string());
  }
  if (interrupted())
    return fail(ErrorCode::cancelled, "interrupted while profiling; the curves measured so far are kept");
  if (console.errors() > 0) return fail(ErrorCode::internal, "some contexts could not be profiled; see above");
  return {};
}

}  // namespace

void add_profile(CLI::App& parent, CommandResult& result) {
  auto arguments = std::make_shared<ProfileArguments>();
  CLI::App& command =
      *parent.add_subcommand("profile", "Measure quality curves and tier costs and store them in the database");
  add_session_options(command, *arguments);
  command.add_flag("--anytime", arguments->anytime,
                   "A coarse curve of every context first, then the cells that plans depend on: --grid racing");
  command
      .add_option(
          "--grid", arguments->grid,
          "Every cell on every question (full), or anytime (racing); if not given: the session's, else full for "
          "workloads with the default model or reference-mha, racing for own texts and other models")
      ->check(one_of({"full", "racing"}));
  command.add_option("--time-limit", arguments->time_limit,
                     "Stop after so long, e.g. 60s; what is measured is kept, and the next call resumes from there");
  command.add_option("--good-enough", arguments->good_enough,
                     "Share of the plan's utility: racing ends when more measuring could raise it by no more than this "
                     "(default: 1%)");
  command.add_option("--export", arguments->export_file, "Also export the curves as a profile file");
  command
      .add_flag("--by-family", arguments->by_family,
                "One table: families by method and removed fraction, with spreads and best methods; not with --json")
      ->excludes("--json");
  command.callback([arguments, &result] {
    note_interrupts();
    const Status status = profile(*arguments);
    result.exit_code = status ? 0 : report_error(status.error());
  });
}

}  // namespace kvantage::cli
