// The text form of tiers, for --tier:
//   dram=64MiB    ssd=1GiB,path=DIR    ssd=256MiB,bandwidth=200MB/s,latency=1ms    archive=unlimited,path=DIR
//   dram=40%,ssd=400%,scratch=unlimited    (several, fastest first)
//   ssd=20%,bandwidth=prefill/0.45    (loading a token takes 0.45 of prefilling it)
//   ssd=1GiB,faults=flip_on_read:0.01+delay:20ms@0.1+seed:7    (core/ports/fault_plan.h)
//   device=1GiB    (memory of a GPU, docs/gpu.md)
//   remote=4GiB,url=redis://host:6379    pool=4GiB,url=redis://user:password@host:6379/2,prefix=team
//   remote=4GiB,url=rediss://host:6379,ca=authority.pem    fast=64MiB,kind=dram
//   s3=unlimited,url=s3://bucket/prefix?endpoint=https://host:9000&region=eu-1    (a bucket)
//   remote=4GiB,url=redis-cluster://a:6379,b:6379,prefix=team    remote=4GiB,url=redis-sentinel://a,b/mymaster
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/ports/tier_config.h"

namespace kvantage::inline kinds {

/// Parses "NAME=BUDGET[,OPTION=VALUE].."; BUDGET is bytes, a percentage or "unlimited" (core/ports/tier_config.h).
/// Options of all tiers are bandwidth=BYTES/s or prefill/RATIO, latency=TIME, faults=FAULTS and kind=KIND; the others
/// belong to a kind (core/ports/tier_kinds.inl). Without kind= a url makes it a remote store, else its name may imply
/// the kind (dram, device), else it is a folder. A usage error names the option, the reason and the right form, and no
/// password.
Expected<TierConfig> parse_tier_option(std::string_view text);

/// As above, for one or more tiers. After a comma, an unknown option with a budget (a unit, a percentage or
/// "unlimited") starts the next tier: "dram=40%,ssd=400%,path=DIR". A path cannot contain a comma.
Expected<std::vector<TierConfig>> parse_tiers(std::string_view text);
/// The tiers of several texts, concatenated.
Expected<std::vector<TierConfig>> parse_tiers(const std::vector<std::string>& texts);

/// A valid tier name for --tier; it names folders. The usage error holds only the reason.
Status check_tier_name(std::string_view name);

}  // namespace kvantage::inline kinds
