#include "core/runtime/observing.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/compress/layer_forms.h"
#include "core/workload/families/families.h"

namespace kvantage::inline runtime {
namespace {

constexpr int calibration_tokens = 2048;

/// Text of every family, the same for every model and machine.
std::string calibration_text() {
  std::string text;
  Random random(20'260'404);
  for (const Family& family : families()) {
    FamilyParams params;
    params.target_tokens = calibration_tokens / families().size();
    text += (text.empty() ? "" : " ") + family.generate(params, random).text;
  }
  return text;
}

ObserveTexts observe_texts(const ModelRuntime& runtime) {
  ObserveTexts texts;
  // The prompts of KVzip's authors (and of kvpress).
  const Tokenizer& tokenizer = *runtime.tokenizer;
  texts.repeat_first = tokenizer.encode("\n\nRepeat the previous context exactly.");
  texts.repeat_next = tokenizer.encode("\n\nRepeat the part of the previous context exactly, starting with");
  texts.repeat_mark = tokenizer.encode("\n");
  texts.calibration = tokenizer.encode(calibration_text());
  texts.calibration.resize(std::min<std::size_t>(texts.calibration.size(), calibration_tokens));
  return texts;
}

/// Means of another model's queries would score keys without an error, and wrongly.
Status check_calibration(const QueryMeans& calibration, const ModelRuntime& runtime) {
  const Digest128 own = runtime.digest();
  if (calibration.empty() || calibration.model == own) return {};
  return fail(ErrorCode::rejected_input, "calibration: its mean queries are of another model, " +
                                             calibration.model.hex() + ", and this one is " + own.hex() +
                                             "; calibrate with the model that uses them");
}

}  // namespace

Status complete_observation(ModelRuntime& runtime, const KvCache& original, std::span<const std::int32_t> tokens,
                            const ObservationNeeds& needs, Observation& observed, const std::function<bool()>& stop) {
  if (needs.calibration)
    for (const QueryMeans* means : {&std::as_const(observed.calibration), &std::as_const(runtime.calibration)})
      KV_TRY(check_calibration(*means, runtime));
  if (observed.meets(needs, static_cast<int>(tokens.size()))) return {};
  const auto lacks = [&](ObservationNeeds part) { return !observed.meets(part, static_cast<int>(tokens.size())); };
  ObservationNeeds missing;
  if (lacks({.window_queries = needs.window_queries})) missing.window_queries = needs.window_queries;
  missing.hidden_states = needs.hidden_states && observed.hidden_states.empty();
  missing.output_norms = needs.output_norms && observed.output_norms.empty();
  missing.repeat_pass = needs.repeat_pass && observed.repeat.empty();
  if (needs.calibration && observed.calibration.empty()) {
    observed.calibration = runtime.calibration;
    missing.calibration = observed.calibration.empty();
  }
  KV_ASSIGN(auto more,
            observe(*runtime.model, original, tokens, missing, observe_texts(runtime), runtime.chunk_tokens(), stop));
  observed.frequencies = std::move(more.frequencies);
  observed.forms = std::move(more.forms);
  if (missing.window_queries > 0) observed.queries = std::move(more.queries);
  if (missing.hidden_states) observed.hidden_states = std::move(more.hidden_states);
  if (missing.output_norms) observed.output_norms = std::move(more.output_norms);
  if (missing.repeat_pass) observed.repeat = std::move(more.repeat);
  if (missing.calibration) {
    more.calibration.model = runtime.digest();
    observed.calibration = runtime.calibration = std::move(more.calibration);
  }
  return {};
}

Observation observation_of(const ModelRuntime& runtime, WindowQueries queries) {
  Observation observed;
  observed.queries = std::move(queries);
  observed.frequencies.assign(runtime.model->rope().begin(), runtime.model->rope().end());
  observed.forms = layer_forms_of(runtime.model->config());
  return observed;
}

}  // namespace kvantage::inline runtime
