#include "core/policy/ranked_order.h"

namespace kvantage {

namespace {

/// IMPRESS scores a chunk by (important tokens in it) * (access frequency). Entries are whole here, so the tokens that
/// a chunk of a fixed number of bytes holds are the kept tokens per byte of the entry.
class ImportanceOrder final : public RankedOrder {
 public:
  std::unique_ptr<EvictionOrder> clone() const override { return std::make_unique<ImportanceOrder>(*this); }
  bool newcomers_compete() const override { return true; }

 private:
  double rank(const EntryFacts& facts) const override {
    return facts.frequency * facts.kept_tokens / std::max(static_cast<double>(facts.bytes), 1.0);
  }
};

}  // namespace

std::unique_ptr<EvictionOrder> make_importance_order() { return std::make_unique<ImportanceOrder>(); }

}  // namespace kvantage
