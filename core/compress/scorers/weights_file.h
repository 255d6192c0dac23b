// Weights that a scorer reads from a safetensors file: its own, or those that its authors publish in that format.
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/text_form.h"
#include "core/compress/scorers/scorer.h"

namespace kvantage::inline scorers {

class WeightsFile {
 public:
  /// The file that the parameter `key` names: PATH.safetensors, or a folder with model.safetensors. If the parameter
  /// `digest` is not `any`, it must be that of the file's bytes. A file that did not change is read once per process,
  /// whole, up to 1 GiB. usage: another digest; rejected_input: anything else, with the reason, also for pickle files.
  static Expected<std::shared_ptr<const WeightsFile>> open(const Parameters& parameters, std::string_view key);

  const std::string& path() const { return path_; }
  const std::string& digest() const { return digest_; }  // 32 hexadecimal digits
  bool holds(const std::string& name) const { return tensors_.contains(name); }
  /// As fp32. rejected_input: missing, another type than F32, F16 or BF16, or another shape; -1 there: any size.
  Expected<at::Tensor> tensor(const std::string& name, const std::vector<std::int64_t>& shape) const;
  /// Numbers whose last size (or, of matrices, whose last two) are the channels of a head as transformers has them: as
  /// the view has them. rejected_input, naming `method` and the model: its heads have no such order.
  static Expected<at::Tensor> in_order_of(const LayerView& view, const char* method, const at::Tensor& numbers,
                                          bool matrices = false);
  /// rejected_input with the file's name.
  tl::unexpected<Error> rejected(const std::string& reason) const;

 private:
  static Expected<std::shared_ptr<const WeightsFile>> read(const std::string& path);

  std::string path_, digest_;
  std::map<std::string, at::Tensor> tensors_;  // in the stored type
};

}  // namespace kvantage::inline scorers
