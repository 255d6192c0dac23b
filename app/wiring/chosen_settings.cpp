#include "app/wiring/chosen_settings.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "app/wiring/last_settings.h"
#include "app/wiring/method_files.h"
#include "app/wiring/option_errors.h"
#include "app/wiring/resources.h"
#include "app/wiring/session_tiers.h"
#include "core/base/files.h"
#include "core/base/folders.h"
#include "core/base/json.h"
#include "core/engine/settings_check.h"
#include "core/workload/own_text.h"
#include "tiers/kinds/tier_place.h"

namespace kvantage::inline wiring {
namespace {

// Candidates where nobody gives any. Tiers of a default size are small: a codec lets the longest context fit.
std::vector<std::string> default_methods(const std::filesystem::path& workload, bool has_default_tiers) {
  if (has_default_tiers || is_own_text(workload))
    return {"kivi4", "keydiff", "keydiff+kivi4", "streaming_llm+kivi4"};  // as the quick start
  return {"knorm", "keydiff", "snapkv", "streaming_llm"};
}

constexpr const char* profile_grid_field = "profile_grid";

// With the included models whole curves of the samples are stored, and what is measured stays comparable.
// On a text of one's own, or with another model, a first curve is what is waited for.
ProfileGridKind default_grid(const SessionOptions& options) {
  const bool known = !is_own_text(options.workload) && shipped_model_at(options.model) != nullptr;
  return known || options.whole_curves_by_default ? ProfileGridKind::full : ProfileGridKind::racing;
}

Expected<SessionSettings> settings_with_options(SessionSettings settings, const SessionOptions& options,
                                                bool has_default_tiers) {
  if (options.last && !options.repeats && options.imported_settings.is_null())
    take_over(settings, without_unloaded_files(*options.last));
  if (settings.methods.empty()) settings.methods = default_methods(options.workload, has_default_tiers);
  if (settings.removed_fractions.empty()) settings.removed_fractions = {0.2, 0.4, 0.5, 0.6, 0.8, 0.9};
  if (options.policy) settings.policy = *options.policy;
  if (options.alpha) settings.alpha = *options.alpha;
  if (!options.methods.empty()) settings.methods = options.methods;
  for (const std::string& method : options.added_methods)
    if (std::ranges::find(settings.methods, method) == settings.methods.end()) settings.methods.push_back(method);
  if (!options.removed_fractions.empty()) settings.removed_fractions = options.removed_fractions;
  if (options.requests_per_second) settings.requests_per_second = *options.requests_per_second;
  if (options.request_limit) settings.request_limit = *options.request_limit;
  if (options.max_batch) settings.max_batch = *options.max_batch;
  if (options.prefill_batch_tokens) settings.prefill_batch_tokens = *options.prefill_batch_tokens;
  if (options.reprofile) settings.reprofile = *options.reprofile;
  if (options.compute_or_load) settings.compute_or_load = *options.compute_or_load;
  if (options.attend_quantized) settings.attend_quantized = true;
  if (options.decode_eviction) settings.decode_eviction = *options.decode_eviction;
  if (options.decode_options) settings.decode_options = *options.decode_options;
  if (options.decode_offload) settings.decode_offload = *options.decode_offload;
  if (options.speculation) settings.speculation = *options.speculation;
  if (options.products) settings.products = *options.products;
  if (options.reprofile_when) settings.reprofile_when = *options.reprofile_when;
  if (options.assume_loss) settings.assume_loss = *options.assume_loss;
  if (options.reprofile_share) settings.reprofile_share = *options.reprofile_share;
  if (options.quality_metric) settings.quality_metric = *options.quality_metric;
  if (options.quality_bound) settings.quality_bound = *options.quality_bound;
  if (options.profile_grid) settings.profile_grid = *options.profile_grid;
  if (options.good_enough) settings.good_enough = *options.good_enough;
  KV_ASSIGN(const auto chosen, choose_tiers(options.tiers, settings));
  settings.tiers.clear();
  for (const TierConfig& config : chosen.tiers) settings.tiers.push_back(recorded_form(config));
  settings.archive = recorded_form(chosen.archive);
  auto checked = checked_settings(std::move(settings));
  if (!checked) return tl::unexpected(named_by_option(std::move(checked).error(), options));
  return checked;
}

// None of the options: a file may leave tiers unspecified, and then any tiers are valid.
SessionOptions file_alone(const SessionOptions& options, const SessionSettings& file) {
  SessionOptions alone;
  alone.workload = options.workload;
  if (file.tiers.empty()) alone.tiers = {"dram=1MiB"};
  return alone;
}

}  // namespace

Expected<SessionSettings> settings_of_session(const SessionOptions& options, bool has_default_tiers) {
  if (options.repeats) return settings_with_options(options.repeats->settings, options, has_default_tiers);
  std::filesystem::path file = options.workload / "session.json";
  const bool has_file = is_there(file), imports = !options.imported_settings.is_null();
  SessionSettings start;
  start.profile_grid = default_grid(options);
  if (!has_file && !imports) return settings_with_options(std::move(start), options, has_default_tiers);
  Json json = Json::object();
  if (has_file) {
    KV_ASSIGN(json, read_json_file(file));
    KV_TRY(open_method_files_of(json, options.workload, file));
  }
  if (imports && json.is_object()) {
    json.update(options.imported_settings);
    file = options.imported_from;
  }
  KV_ASSIGN(auto read, session_settings_from_json(json, file.string()));
  if (!json.contains(profile_grid_field)) read.profile_grid = start.profile_grid;
  auto settings = settings_with_options(read, options, has_default_tiers);
  if (settings) return settings;
  // Only what is wrong without any option is the file's fault, and is reported as such.
  const auto of_file = settings_with_options(read, file_alone(options, read), false);
  if (of_file || of_file.error().message != settings.error().message) return settings;
  return fail(ErrorCode::rejected_input, file.string() + ": " + settings.error().message);
}

Expected<SessionSettings> session_settings(const SessionOptions& options) {
  return settings_of_session(options, false);
}

}  // namespace kvantage::inline wiring
