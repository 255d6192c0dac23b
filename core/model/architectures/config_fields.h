// Reading of config.json: fields with a range, and what several architectures have in common.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/model/architectures/model_config.h"

namespace kvantage::inline model_architectures {

/// Reads fields of one JSON object and names its file in every error. The object must outlive it.
class ConfigFields {
 public:
  ConfigFields(const Json& json, std::string name) : json_(json), name_(std::move(name)) {}

  /// Whole numbers from 1 to 1e9.
  Expected<int> size(const char* key) const { return bounded(json_field<double>(json_, key, name_), key); }
  Expected<int> size_or(const char* key, int fallback) const {
    return bounded(json_field_or<double>(json_, key, name_, fallback), key);
  }
  /// null counts as absent.
  template <class T>
  Expected<T> value_or(const char* key, T fallback) const {
    return json_field_or<T>(json_, key, name_, std::move(fallback));
  }
  /// A number from 1e-12 to 1e12.
  Expected<double> positive_or(const char* key, double fallback) const;
  /// A soft cap or factor whose absence (or null) is 0.
  Expected<double> cap_or(const char* key, double fallback) const;
  tl::unexpected<Error> reject(const std::string& reason) const {
    return fail(ErrorCode::rejected_input, name_ + ": " + reason);
  }
  bool has(const char* key) const { return json_.contains(key) && !json_.at(key).is_null(); }
  /// Also where it is null.
  bool names(const char* key) const { return json_.contains(key); }
  const Json& json() const { return json_; }
  const std::string& name() const { return name_; }

 private:
  Expected<int> bounded(Expected<double> value, const char* key) const;

  const Json& json_;
  std::string name_;
};

/// What differs between architectures in how RoPE is described.
struct RopeDefaults {
  double theta = 10000;
  double partial = 1;             // where the file does not name partial_rotary_factor
  bool partly = false;            // whether transformers rotates only a part of a head
  bool yarn_is_longrope = false;  // "su" and "yarn" are older names of longrope (Phi-3)
  double original_positions = 0;  // of longrope where the file does not say; 0: max_position_embeddings
  const char* theta_key = "rope_theta";
};

/// rope_parameters {rope_type, rope_theta, factor, ...}, or the older rope_theta and rope_scaling {type|rope_type} of
/// `fields`, into config.rope. Scaling that depends on the length of a text is left to serve_positions().
Status read_rope(const ConfigFields& fields, const RopeDefaults& defaults, ModelConfig& config);
/// The same from an object of its own, for one of several kinds of layers. `scaling` may be of other layers' names.
Status read_rope_of(const ConfigFields& fields, const Json& scaling, const RopeDefaults& defaults, ModelConfig& config);

/// Once a config is read: of longrope, the short divisors and their positions, or where max_model_len (LoadOptions) is
/// beyond them, the long ones, for texts of any length. Of dynamic scaling, the plain base and its positions, or the
/// base of a text of max_model_len tokens, for texts of up to so many. rejected_input: more than the model's positions;
/// `file` is for the message.
Status serve_positions(int max_model_len, const std::string& file, ModelConfig& config);

/// max_position_embeddings.
Status read_positions(const ConfigFields& fields, int fallback, ModelConfig& config);
/// layer_types, where the file has them: those that are sliding_attention get `window`.
Status read_layer_types(const ConfigFields& fields, int window, ModelConfig& config);
/// Every layer has the window of `key`; 0: none. Absent: fallback; null: none.
Expected<int> read_window(const ConfigFields& fields, int fallback);
/// All layers get `window`, if not 0.
void set_windows(int window, ModelConfig& config);

/// rms_norm_eps.
Status read_norm_eps(const ConfigFields& fields, const char* key, double fallback, ModelConfig& config);
/// hidden_act (or `key`): refuses all but `wanted`, whose names in files are given.
Status check_activation(const ConfigFields& fields, const char* key, const char* fallback,
                        std::initializer_list<const char*> wanted);
/// attention_bias, mlp_bias, tie_word_embeddings, as far as the architecture has them.
struct FlagKeys {
  bool attention_bias = false, mlp_bias = false;
  bool tied = false;  // where the file does not say
};
Status read_flags(const ConfigFields& fields, const FlagKeys& keys, ModelConfig& config);
/// Refuses more experts per token than there are, and sizes of no supported model.
Status check_experts(const ConfigFields& fields, const ExpertForm& experts);
/// use_bidirectional_attention is refused.
Status check_causal(const ConfigFields& fields);

}  // namespace kvantage::inline model_architectures
