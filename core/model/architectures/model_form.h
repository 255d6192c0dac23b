// How the layers of an architecture differ from those of Llama, as data: the forward pass knows features, not names.
#pragma once

#include <string>
#include <vector>

#include "core/model/kernels/activation.h"

namespace kvantage::inline model_architectures {

/// Where norms are.
struct NormForm {
  bool after = false;        // on the residual stream after attention and MLP, and none before the output head (OPT)
  bool inputs = true;        // of the inputs of attention and MLP
  bool outputs = false;      // of their outputs, before these are added (Gemma 2 and 3, OLMo 2)
  bool unit_offset = false;  // RMSNorm multiplies by 1 + weight (Gemma)
  bool whole_heads = false;  // those of q and k are over all heads of a token together (OLMo 2)
};

/// Factors and soft caps: a cap c turns x into c * tanh(x / c).
struct ScaleForm {
  double embedding = 1;
  double attention = 0;      // of the products of q and k; 0: 1 / sqrt(head_dim)
  double residual = 1;       // of what attention and MLP add
  double logits = 1;         // divides them
  double attention_cap = 0;  // of scores; 0: none
  double logits_cap = 0;     // 0: none
};

/// What a router's logits become. Of sigmoids, the choice goes by the sum with a correction of each expert.
enum class ExpertScores { softmax, sigmoid };

/// A router chooses some of the MLPs for each token; their outputs are added, weighted by their scores.
struct ExpertForm {
  int count = 0;           // 0: one MLP
  int chosen = 0;          // per token
  int intermediate = 0;    // width of one of them
  bool normalized = true;  // weights of the chosen ones sum to 1; else those of all do
  ExpertScores scores = ExpertScores::softmax;
  int groups = 0;         // the chosen ones are of the best `groups_chosen` of so many groups; 0: of all
  int groups_chosen = 0;  // a group is as good as its best expert, of sigmoids as the sum of its best two
  double scale = 1;       // multiplies the weights
  int shared = 0;         // width of an MLP beside them, for all tokens; 0: none
};

/// Multi-head latent attention (DeepSeek): keys and values of all heads are products of one short vector a token.
struct LatentForm {
  int rank = 0;             // numbers of it, besides the rotated channels; 0: the layers have none
  int query_rank = 0;       // queries are products of another one; 0: of the layer's input
  int plain = 0;            // channels of a key that are not rotated
  int rotated = 0;          // the others, which all heads share
  int value = 0;            // channels of a value
  bool interleaved = true;  // the two channels of a rotated pair are side by side in files
  int head_dim() const { return plain + rotated; }
};

/// One layer.
struct LayerForm {
  int window = 0;           // tokens that a query sees, itself included; 0: all before it
  bool rotates = true;      // false: no positions at all (SmolLM3)
  bool local_rope = false;  // rotates by RopeConfig::local_theta, unscaled (Gemma 3)
  bool dense = false;       // one MLP although other layers have experts
};

/// The files that a model is read from.
struct FileForm {
  std::string positions_of;  // the file and key that end the positions, for messages
  bool gguf = false;         // experts and q, k and v are laid out as converters to GGUF write them
};

struct ModelForm {
  NormForm norms;
  ScaleForm scales;
  ExpertForm experts;
  std::vector<LayerForm> layers;  // [layers]; empty: all alike, as LayerForm's defaults
  Activation activation = Activation::silu;
  bool gated = true;      // the MLP is down(activation(gate(x)) * up(x)), else down(activation(up(x)))
  bool parallel = false;  // attention and MLP get the same residual stream (GPT-NeoX)
  bool sinks = false;     // one more score per query head, without a value (gpt-oss)
  LatentForm latent;
  FileForm file;
};

}  // namespace kvantage::inline model_architectures
