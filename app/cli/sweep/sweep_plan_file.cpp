#include "app/cli/sweep/sweep_plan_file.h"

#include "app/wiring/ready_workload.h"
#include "app/wiring/resources.h"
#include "app/wiring/session_setup.h"
#include "app/wiring/tier_notes.h"
#include "app/wiring/workload_opening.h"
#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/engine/settings_check.h"
#include "core/runtime/model_runtime.h"

namespace kvantage::cli {
namespace {

/// rejected_input where the plan has another digest than what is here.
Status take_digest(std::string& planned, const std::string& here, const std::string& what, const char* fix) {
  if (!planned.empty() && planned != here)
    return fail(ErrorCode::rejected_input,
                what + " here (" + here.substr(0, 8) + ") than in the plan (" + planned.substr(0, 8) + "); " + fix);
  planned = here;
  return {};
}

}  // namespace

Status complete_plan(SweepPlan& plan, const PlanCheck& check) {
  for (const SweepCell& cell : plan.cells) KV_TRY(make_servable_policy(cell.policy));
  const std::filesystem::path model =
      plan.model.empty() ? default_model_directory() : std::filesystem::path(plan.model);
  KV_ASSIGN(const auto workload, ready_workload(plan.workload));
  SessionOptions options;
  options.model = model;
  options.workload = workload;
  options.tiers = plan.tiers;
  options.remotes = check.remotes;
  if (check.say)
    for (const std::string& note : tier_name_notes(plan.tiers)) check.say(note);
  options.methods = plan.methods;
  options.removed_fractions = plan.removed_fractions;
  if (!plan.quality_metric.empty()) options.quality_metric = plan.quality_metric;
  if (plan.max_batch > 0) options.max_batch = plan.max_batch;
  options.max_model_len = plan.max_model_len;
  if (!plan.products.empty()) options.products = plan.products;
  KV_TRY(check_openable(options));  // before anything is written or published
  KV_ASSIGN(const auto opened, open_workload(workload, {model, 0, options.probes, plan.max_model_len}));
  KV_TRY(take_digest(plan.workload_digest, opened.workload.digest().hex(), plan.workload + ": is another workload",
                     "copy the same files here"));
  KV_TRY(check_model_is_there(model));
  ModelRuntimeOptions form;
  form.load.max_model_len = plan.max_model_len;
  if (!plan.prompt_form.empty()) {
    form.prompt.form = prompt_form_of(plan.prompt_form);
    if (!form.prompt.form)
      return fail(ErrorCode::rejected_input,
                  "prompt_form: '" + printable(plan.prompt_form) + "' is not known; give one that --prompt-form has");
  }
  KV_ASSIGN(const auto runtime, ModelRuntime::load(model, form));
  KV_TRY(take_digest(plan.model_digest, runtime->digest().hex(), model.string() + ": is another model",
                     "give the same model with --model"));
  if (plan.group.empty()) plan.group = "sweep-" + std::to_string(SystemClock().utc_ns());
  return {};
}

Expected<SweepPlan> read_plan_file(const std::filesystem::path& file, const PlanCheck& check) {
  KV_ASSIGN(const auto json, read_json_file(file));
  KV_ASSIGN(auto plan, sweep_plan_from_json(json, file.string()));
  if (plan.cells.empty())
    return fail(ErrorCode::rejected_input, file.string() + ": has no cells; give the plan.json of a sweep");
  const bool is_complete = !plan.workload_digest.empty() && !plan.model_digest.empty() && !plan.group.empty();
  if (!check.model.empty()) plan.model = check.model;
  KV_TRY(complete_plan(plan, check));
  if (!is_complete) KV_TRY(write_text_file(file, dump_json(to_json(plan), 1) + "\n"));
  return plan;
}

}  // namespace kvantage::cli
