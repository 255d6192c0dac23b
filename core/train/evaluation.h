// Reading accuracy of a network: exact match of greedy answers to held-out questions, with and without the text.
#pragma once

#include <string>
#include <vector>

#include "core/train/examples.h"
#include "core/train/network.h"
#include "core/train/trainer.h"
#include "core/train/workers.h"

namespace kvantage::inline training {

struct TrainDevice {
  at::Device type;
  Network::Steps steps;
  std::size_t shards;  // parts of a batch that are computed side by side
};
/// "auto", "cpu", "cuda"; usage for another name or an absent device.
Expected<TrainDevice> train_device(const std::string& name);

/// Makes the allocator keep freed memory: returning activations and faulting them in again at each step takes a third
/// of the time.
void keep_freed_memory();

/// Every family at each length, `questions` per cell, the same ones for the same seed. cancelled: when the hook
/// requests it.
Expected<std::vector<FamilyScore>> evaluate_network(const Network& network, const ExampleMaker& examples,
                                                    const std::vector<std::size_t>& lengths, std::size_t questions,
                                                    std::uint64_t seed, Workers& workers,
                                                    const EvaluationHooks& hooks = {});

}  // namespace kvantage::inline training
