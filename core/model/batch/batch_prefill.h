// One layer of several prefills in one pass. With batch-invariant products (LoadOptions::batch_invariant) a row has the
// same bits alone and among others, so matrices are multiplied by the rows of all tasks at once and weights are read
// once; attention uses each task's own cache. Each task gets the numbers of PrefillTask::step() alone, bit for bit.
#pragma once

#include <span>
#include <vector>

#include "core/base/error.h"
#include "core/model/transformer.h"

namespace kvantage::inline model_batch {

/// Whether prefills of this model gain from being stepped together: batch-invariant products on the CPU.
bool prefills_together(const Transformer& model);

/// One step() of each task. All must be of one model, at the same next_layer(), not done, and of different caches.
/// Without prefills_together(), and with a single task, each is stepped alone, in order. A status a task: one that
/// failed (as step()) did not advance and can be stepped again; the others are not affected.
std::vector<Status> step_together(std::span<PrefillTask* const> tasks);

}  // namespace kvantage::inline model_batch
