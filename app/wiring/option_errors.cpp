#include "app/wiring/option_errors.h"

#include <array>
#include <string>
#include <string_view>
#include <tuple>

namespace kvantage::inline wiring {

Error named_by_option(Error error, const SessionOptions& options) {
  const std::array<std::tuple<std::string_view, std::string_view, bool>, 17> given{
      {{"alpha", "--alpha", options.alpha.has_value()},
       {"methods", "--methods", !options.methods.empty()},
       {"removed_fractions", "--removed", !options.removed_fractions.empty()},
       {"quality_metric", "--quality-metric", options.quality_metric.has_value()},
       {"decode_eviction", "--decode-eviction", options.decode_eviction.has_value()},
       {"decode_options", "--decode-options", options.decode_options.has_value()},
       {"decode_offload", "--decode-offload", options.decode_offload.has_value()},
       {"speculation", "--speculation", options.speculation.has_value()},
       {"products", "--products", options.products.has_value()},
       {"max_batch", "--max-batch", options.max_batch.has_value()},
       {"prefill_batch_tokens", "--prefill-batch-tokens", options.prefill_batch_tokens.has_value()},
       {"requests_per_second", "--rate", options.requests_per_second.has_value()},
       {"request_limit", "--limit", options.request_limit.has_value()},
       {"compute_or_load", "--compute-or-load", options.compute_or_load.has_value()},
       {"reprofile_when", "--reprofile-when", options.reprofile_when.has_value()},
       {"reprofile_share", "--reprofile-share", options.reprofile_share.has_value()},
       {"good_enough", "--good-enough", options.good_enough.has_value()}}};
  for (const auto& [setting, option, is_given] : given)
    if (const std::string start = std::string(setting) + ":"; is_given && error.message.starts_with(start))
      error.message.replace(0, setting.size(), option);
  return error;
}

}  // namespace kvantage::inline wiring
