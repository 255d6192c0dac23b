// A sweep: the same workload under every combination of policy, alpha, candidate methods, budget, decode-time eviction,
// rate and seed. A combination is a cell.
// Cells are independent, so any number of workers may take them in any order; a cell is named by a digest of all its
// inputs. Results are stored under that name (sweep_results.h): a cell that runs twice counts once. Policies that do
// not use alpha run once for all alphas, and those that do not choose among methods once for all sets of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"

namespace kvantage::inline sweep {

/// Of one tier: "dram=0.5" or "dram=20%".
struct TierScale {
  std::string tier;
  double value = 1;
  bool of_uncompressed = false;
  bool operator==(const TierScale&) const = default;
};

/// Of all tiers together: a factor on the session's budgets ("1", "0.5"), or a share of the contexts' uncompressed
/// bytes ("20%"). Tiers keep their proportions. Or of single tiers ("dram=10%+ssd=40%"): others keep their budgets.
struct BudgetScale {
  double value = 1;
  bool of_uncompressed = false;
  std::vector<TierScale> tiers = {};  // not empty: these alone count
  std::string text() const;
  bool operator==(const BudgetScale&) const = default;
};
/// usage error for anything else.
Expected<BudgetScale> parse_budget_scale(std::string_view text);

struct SweepCell {
  std::string policy;
  double alpha = 1;
  BudgetScale budget;
  double requests_per_second = 0;
  std::uint64_t seed = 0;
  bool uses_alpha = true;                 // false: alpha is shown as none
  std::vector<std::string> methods = {};  // candidates of this cell, some of the plan's; empty: all of the plan's
  std::string decode_eviction = {};       // as in SessionSettings; empty: the session's
};
OrderedJson to_json(const SweepCell& cell);
Expected<SweepCell> sweep_cell_from_json(const Json& json, const std::string& name);

/// Common to all cells; all that a worker needs.
struct SweepPlan {
  std::string workload, workload_digest, model;  // paths as given; an empty model: the default one
  std::string prompt_form;                       // PromptForm; empty: the model's own
  int max_model_len = 0;                         // LoadOptions
  std::string products;                          // ServingSettings; empty: the session's
  std::string model_digest;                      // of model, tokenizer and form; a worker with another one refuses
  std::vector<std::string> tiers, methods;
  std::vector<double> removed_fractions;
  std::string quality_metric;  // empty: the session's
  std::uint64_t request_limit = 0;
  int max_batch = 0;  // maximum requests in flight; 0: the session's
  bool warm_every_context = true;
  std::string group;  // of the recorded runs of all its cells; does not affect results
  std::vector<SweepCell> cells;
};
OrderedJson to_json(const SweepPlan& plan);
Expected<SweepPlan> sweep_plan_from_json(const Json& json, const std::string& name);

/// rejected_input when the common settings differ, with the first such field; the lists of cells may differ. `where`
/// holds the sweep `there`.
Status check_same_sweep(const SweepPlan& there, const SweepPlan& here, const std::string& where);

/// Ids of the cells of a plan, 16 hexadecimal digits each. Paths are excluded: digests identify their contents. What
/// all cells share is written out once, at the start.
class CellIds {
 public:
  explicit CellIds(const SweepPlan& plan);
  std::string of(const SweepCell& cell) const;

 private:
  std::string shared_;
};
std::string cell_id(const SweepPlan& plan, const SweepCell& cell);

struct SweepGrid {
  struct PolicyChoice {
    std::string policy;
    bool uses_alpha = true;
    bool uses_methods = true;
  };
  std::vector<PolicyChoice> policies;
  std::vector<double> alphas;
  std::vector<BudgetScale> budgets;
  std::vector<double> rates;
  std::vector<std::uint64_t> seeds;
  std::vector<std::vector<std::string>> method_sets = {};  // fewer than two: cells have the plan's
  std::vector<std::string> decode_evictions = {};          // empty: the session's
};
inline constexpr std::size_t max_sweep_cells = 100'000;
/// All combinations, seed first: a worker rarely changes its seed. usage error for none or more than max_sweep_cells.
Expected<std::vector<SweepCell>> cells_of(const SweepGrid& grid);
/// "keydiff,snapkv | kivi4": sets of methods, without empty ones.
std::vector<std::vector<std::string>> parse_method_sets(std::string_view text);
/// All methods of the sets, each once, in order.
std::vector<std::string> all_methods_of(const std::vector<std::vector<std::string>>& sets);
/// "A:B:N", N geometrically spaced values from A to B. usage error otherwise.
Expected<std::vector<double>> parse_log_grid(std::string_view text);

}  // namespace kvantage::inline sweep
