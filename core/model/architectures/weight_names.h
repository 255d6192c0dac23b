// Names of a model's tensors in Hugging Face files.
#pragma once

#include <string>
#include <vector>

#include "core/model/architectures/model_config.h"

namespace kvantage::inline model_architectures {

/// Which rows of a tensor a matrix is: row r is at first + r / run * stride + r % run.
struct FusedRows {
  int of = 0;  // rows of the tensor; 0: the matrix is the tensor
  int first = 0;
  int run = 0;  // 0: contiguous
  int stride = 0;
  std::int64_t at(std::int64_t row) const { return run == 0 ? first + row : first + row / run * stride + row % run; }
};

/// A matrix [rows, columns]: the tensor NAME.weight with the bias NAME.bias, or one of a quantized format.
struct MatrixName {
  std::string name;
  FusedRows fused;
  /// Not -1: this one of the stack NAME [experts, columns, rows], with its bias in NAME_bias [experts, rows].
  int expert = -1;
  int experts = 0;
};

struct NormNames {
  std::string input, attention;              // before attention and MLP
  std::string attention_output, mlp_output;  // NormForm::outputs
  std::string query, key;                    // ModelConfig::qk_norm
};

/// ModelForm::latent; AttentionNames::query then multiplies what query_norm made of query_down, if there is one.
struct LatentNames {
  MatrixName query_down;
  std::string query_norm;
  MatrixName down;
  std::string norm;
  MatrixName pair;  // keys and values of all heads
};

struct AttentionNames {
  MatrixName query, key, value, output;
  std::string sinks;  // ModelForm::sinks
  LatentNames latent = {};
};

struct MlpNames {
  MatrixName gate, up, down;  // gate only where the MLP is gated
};

/// Of the whole model; of matrices and norms without ".weight".
struct ModelNames {
  std::string embeddings = "model.embed_tokens";
  std::string positions;  // where they are learned
  std::string final_norm = "model.norm";
  std::string head = "lm_head";
};

/// Of one layer.
struct WeightNames {
  ModelNames model;
  NormNames norms;
  AttentionNames attention;
  MlpNames mlp;        // where the layer has one
  std::string router;  // where it has experts
  bool router_bias = false;
  std::string router_correction;  // ExpertScores::sigmoid
  std::vector<MlpNames> experts;  // [ExpertForm::count]
  MlpNames shared;                // ExpertForm::shared
};

}  // namespace kvantage::inline model_architectures
