#include "core/kv/codecs/codecs.h"

namespace kvantage::inline codecs {
namespace {

/// Marks entries whose front is stored as layer inputs (core/kv/serial_inputs.h). Rows themselves are plain: those that
/// are recomputed have the bits of the stored ones.
class LayerInputsCodec final : public Codec {
 public:
  LayerInputsCodec(std::string text, double share, std::shared_ptr<const Codec> plain)
      : text_(std::move(text)), share_(share), plain_(std::move(plain)) {}

  std::string text() const override { return text_; }
  bool is_lossless() const override { return true; }
  double layer_input_share() const override { return share_; }
  /// Depends on the model's hidden size, which rows do not have: inputs_entry_bytes().
  std::optional<std::uint64_t> encoded_bytes(const CodecRows&) const override { return std::nullopt; }
  std::uint64_t max_bytes(const CodecRows& rows) const override { return plain_->max_bytes(rows); }
  Status encode(const CodecRows& rows, std::span<const std::byte> data, std::vector<std::byte>& out) const override {
    return plain_->encode(rows, data, out);
  }
  Status decode(const CodecRows& rows, std::span<const std::byte> bytes, std::span<std::byte> data) const override {
    return plain_->decode(rows, bytes, data);
  }

 private:
  std::string text_;
  double share_;
  std::shared_ptr<const Codec> plain_;
};

}  // namespace

Expected<std::shared_ptr<const Codec>> make_layer_inputs(const Parameters& parameters) {
  KV_ASSIGN(const double share, parameters.real("share", 0.05, 1));
  KV_ASSIGN(auto plain, make_bf16(parameters));
  return std::make_shared<LayerInputsCodec>(parameters.canonical_text(), share, std::move(plain));
}

}  // namespace kvantage::inline codecs
