#include "core/train/shape_file.h"

#include "core/base/files.h"
#include "core/base/json.h"
#include "core/train/options_check.h"

namespace kvantage::inline training {

OrderedJson shape_fields(const TrainShape& shape) {
  OrderedJson fields = {{"hidden_size", shape.hidden},
                        {"intermediate_size", shape.intermediate},
                        {"num_hidden_layers", shape.layers},
                        {"num_attention_heads", shape.query_heads},
                        {"num_key_value_heads", shape.kv_heads}};
  // The default of readers where it is absent.
  if (shape.head_dim * shape.query_heads != shape.hidden) fields["head_dim"] = shape.head_dim;
  fields["rms_norm_eps"] = shape.norm_epsilon;
  fields["rope_theta"] = shape.rope_theta;
  fields["max_position_embeddings"] = shape.max_positions;
  return fields;
}

Expected<TrainShape> read_shape(const std::filesystem::path& folder) {
  const std::string name = (folder / "config.json").string();
  KV_ASSIGN(const auto config, read_json_file(name));
  KV_ASSIGN(const auto type, json_field<std::string>(config, "model_type", name));
  if (type != "qwen2")
    return fail(ErrorCode::rejected_input, name + ": model_type '" + printable(type) +
                                               "' is not supported for training; name a folder that " +
                                               "kvantage-cli model train wrote");
  TrainShape shape;
  for (const auto& [key, target] :
       {std::pair{"hidden_size", &shape.hidden}, std::pair{"intermediate_size", &shape.intermediate},
        std::pair{"num_hidden_layers", &shape.layers}, std::pair{"num_attention_heads", &shape.query_heads},
        std::pair{"num_key_value_heads", &shape.kv_heads},
        std::pair{"max_position_embeddings", &shape.max_positions}}) {
    KV_ASSIGN(const auto value, json_field<std::int64_t>(config, key, name));
    *target = value;
  }
  const std::int64_t default_head_dim = shape.query_heads > 0 ? shape.hidden / shape.query_heads : 0;
  KV_ASSIGN(const auto head_dim, json_field_or<std::int64_t>(config, "head_dim", name, default_head_dim));
  KV_ASSIGN(const auto rope_theta, json_field<double>(config, "rope_theta", name));
  KV_ASSIGN(const auto norm_epsilon, json_field<double>(config, "rms_norm_eps", name));
  shape.head_dim = head_dim;
  shape.rope_theta = rope_theta;
  shape.norm_epsilon = norm_epsilon;
  if (const Status good = check_shape(shape, name); !good) return fail(ErrorCode::rejected_input, good.error().message);
  return shape;
}

}  // namespace kvantage::inline training
