// How well a network reads: exact match of greedy answers to held-out questions, with the text and without it.
#pragma once

#include <string>
#include <vector>

#include "core/train/examples.h"
#include "core/train/network.h"
#include "core/train/trainer.h"
#include "core/train/workers.h"

namespace kvantage {

struct TrainDevice {
  at::Device type;
  Network::Steps steps;
};
/// "auto", "cpu", "cuda"; usage for another name or where there is no such device.
Expected<TrainDevice> train_device(const std::string& name);

/// Asks the allocator to keep what is freed: given back and faulted in again at each step, activations cost a third of
/// the time.
void keep_freed_memory();

/// Every family at each length, `questions` a cell, the same ones for the same seed. cancelled: when the hook says so.
Expected<std::vector<FamilyScore>> evaluate_network(const Network& network, const ExampleMaker& examples,
                                                    const std::vector<std::size_t>& lengths, std::size_t questions,
                                                    std::uint64_t seed, Workers& workers,
                                                    const EvaluationHooks& hooks = {});

}  // namespace kvantage
