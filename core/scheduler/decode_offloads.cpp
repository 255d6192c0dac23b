#include "core/scheduler/decode_offloads.h"

#include <algorithm>

namespace kvantage::inline scheduler {
namespace {

std::string refusal_of(const Error& error) {
  switch (error.code) {
    case ErrorCode::no_space:
      return "the tier has no space for the model's matrices";
    case ErrorCode::usage:
      return "packed matrices of the model cannot be streamed";
    default:
      return "the model's matrices could not be written to the tier";
  }
}

}  // namespace

void DecodeOffloads::use(const std::string& setting, bool frozen) {
  const auto parsed = parse_decode_offload(setting);
  refusal_.clear();
  if (!parsed || *parsed != setting_) forget_weights();
  setting_ = parsed ? *parsed : std::nullopt;
  codec_ = setting_ ? offload_codec(*setting_).value_or(nullptr) : nullptr;
  frozen_ = frozen;
}

void DecodeOffloads::forget_weights() {
  weights_.reset();
  column_.reset();
  refusal_.clear();
}

std::shared_ptr<OffloadedColumn> DecodeOffloads::column(StorageTier& tier) {
  if (setting_->batch == OffloadBatch::separate) return nullptr;
  if (column_ == nullptr)
    column_ =
        std::make_shared<OffloadedColumn>(tier, weights_, setting_->weights, services_.runtime.model->config().layers);
  return column_;
}

std::string DecodeOffloads::write_weights(StorageTier& tier) {
  if (setting_->weights == WeightLoading::resident || weights_ != nullptr || !refusal_.empty()) return refusal_;
  auto written = OffloadedWeights::write(*services_.runtime.model, tier, "weights " + std::to_string(next_ticket()),
                                         LentWeights::Own::beside);
  if (written)
    weights_ = std::move(*written);
  else
    refusal_ = refusal_of(written.error());
  return refusal_;
}

// The context is prefilled, to record the layer inputs of all its tokens: a stored entry holds those of its front at
// most. So what is predicted for a stored one does not apply.
void DecodeOffloads::apply(bool again, RequestInput& input) {
  if (!setting_) return;
  const auto not_applied = [&](const std::string& reason) {
    input.start.offload = OffloadRecord{.setting = setting_->text(), .not_applied = reason};
  };
  if (services_.runtime.model->device() != nullptr) return not_applied("the model runs on a device");
  const Snapshot& known = services_.catalog.snapshot();
  const auto tier = std::ranges::find(known.tiers, setting_->tier, &TierState::name);
  if (again || tier == known.tiers.end()) return not_applied("the tier failed while decoding");
  StorageTier& storage = services_.store.tiers()[static_cast<std::size_t>(tier - known.tiers.begin())];
  if (const std::string refusal = write_weights(storage); !refusal.empty()) return not_applied(refusal);
  input.decode_offload = std::make_shared<const DecodeOffload>(
      DecodeOffload{.setting = *setting_,
                    .codec = codec_,
                    .tier = &storage,
                    .profile = offload_profile(*services_.runtime.model, tier->model, known.prefill, known.question,
                                               input.context_tokens.size()),
                    .weights = weights_,
                    .column = column(storage),
                    .peers = peers_,
                    .frozen = frozen_});
  if (input.start.miss_reason.empty()) input.start.miss_reason = decode_offload_reason;
  input.start.predicted_quality = input.start.predicted_ttft_seconds = -1;
}

}  // namespace kvantage::inline scheduler
