#include "core/quality/compressed_forms.h"

#include <utility>

#include "core/compress/rerotate.h"
#include "core/kv/recode.h"
#include "core/kv/serial.h"
#include "core/runtime/teacher_forcing.h"
#include "core/runtime/windowed_rows.h"

namespace kvantage::inline quality {

CompressedForms::CompressedForms(ModelRuntime& runtime, const KvCache& original, std::span<const std::int32_t> tokens,
                                 Observation observed, ObservationNeeds needs)
    : runtime_(runtime), original_(original), tokens_(tokens), observed_(std::move(observed)), needs_(needs) {}

void CompressedForms::enter(Stage stage) {
  stage_ = stage;
  layer_ = 0;
}

Status CompressedForms::begin_without_context(const std::function<bool()>& stop) {
  KV_ASSIGN(auto cache, cache_without_context(runtime_, stop));
  form_ = std::make_unique<KvCache>(std::move(cache));
  enter(Stage::done);
  return {};
}

Status CompressedForms::begin(const std::string& method, double removed_fraction, const std::function<bool()>& stop) {
  if (method == "none") {
    form_ = std::make_unique<KvCache>(original_.share());
    kept_tokens_ = static_cast<int>(tokens_.size());
    KV_ASSIGN(const auto plain, parse_codec("bf16"));
    KV_ASSIGN(bytes_, entry_bytes(original_, method.size(), *plain));
    enter(Stage::done);
    return {};
  }
  KV_ASSIGN(method_, parse_method(method));
  method_text_ = method;
  removed_fraction_ = removed_fraction;
  if (scored_method_ == method) {
    enter(Stage::cut);
    return {};
  }
  if (Status all = complete_observation(runtime_, original_, tokens_, needs_, observed_, stop); !all) {
    if (all.error().code == ErrorCode::no_space || all.error().code == ErrorCode::cancelled) return all;
    // Another method needs what cannot be had, such as hidden states where a GPU computes.
    KV_TRY(complete_observation(runtime_, original_, tokens_, method_->info().needs, observed_, stop));
  }
  scored_method_.clear();  // until all layers are scored
  scores_ = {};
  enter(Stage::score);
  return {};
}

Status CompressedForms::step() {
  switch (stage_) {
    case Stage::score:
      return score_layer();
    case Stage::cut:
      return cut_layer();
    case Stage::code:
      return code_layer();
    case Stage::rerotate:
      return rerotate();
    case Stage::done:
      return {};
  }
  return {};
}

Status CompressedForms::score_layer() {
  KV_TRY(method_->score_layer(original_, observed_, scores_));
  if (++layer_ < original_.shape().layers) return {};
  scored_method_ = method_text_;
  ++scorings_;
  sorts_ += scores_.sorts;
  enter(Stage::cut);
  return {};
}

// As compressed_copy(), one layer.
Status CompressedForms::cut_layer() {
  if (layer_ == 0) {
    kept_ = method_->keep_for(scores_, removed_fraction_);
    form_ = std::make_unique<KvCache>(original_.share());
  }
  KV_TRY(method_->cut_layer(*form_, layer_, scores_, kept_[static_cast<std::size_t>(layer_)]));
  if (++layer_ < original_.shape().layers) return {};
  // Rows that no later token sees count as kept where nothing is removed.
  kept_tokens_ = removed_fraction_ == 0 ? static_cast<int>(tokens_.size()) : form_->kept_mean();
  encoded_.clear();
  enter(Stage::code);
  return {};
}

// As as_read(), one layer.
Status CompressedForms::code_layer() {
  const std::size_t name_bytes = method_text_.size();
  if (const Codec* codec = method_->codec()) {
    KV_ASSIGN(const auto bytes, recode_layer(*form_, layer_, *codec));
    encoded_.push_back(bytes);
    if (++layer_ < original_.shape().layers) return {};
    bytes_ = codec->layer_input_share() > 0
                 ? runtime_.bytes_with_inputs(*codec, tokens_.size())
                 : recoded_entry_bytes(original_.shape(), tokens_.size(), name_bytes, *codec, encoded_);
  } else {
    KV_ASSIGN(bytes_, entry_bytes(*form_, name_bytes, *parse_codec("bf16").value()));
  }
  enter(Stage::rerotate);
  return rerotate();
}

Status CompressedForms::rerotate() {
  if (method_->info().rerotates) {
    KV_ASSIGN(auto turned, rerotated(*form_, observed_.frequencies));
    form_ = std::make_unique<KvCache>(std::move(turned));
  }
  enter(Stage::done);
  return {};
}

}  // namespace kvantage::inline quality
