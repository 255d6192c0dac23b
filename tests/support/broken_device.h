// A device that computes nothing: every token is an error.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/model/model_device.h"

namespace kvantage::test {

class BrokenDevice final : public ModelDevice {
 public:
  std::string description() const override { return "broken"; }
  int numerics_version() const override { return 1; }
  std::unique_ptr<Prefill> prefill(KvCache&, std::vector<std::int32_t>, std::int32_t, const PrefillOptions&) override {
    return nullptr;
  }
  Expected<std::vector<float>> decode(std::span<const DecodeSequence>) override {
    return fail(ErrorCode::internal, "the device is broken");
  }
  ModelDeviceGauges gauges() const override { return {}; }
};

}  // namespace kvantage::test
