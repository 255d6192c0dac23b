// vLLM 0.33.0: a file for `vllm serve --config`, with long option names as keys; tiers below the GPU use its
// OffloadingConnector.
#include "core/base/units.h"
#include "core/report/serving/serving_facts.h"

namespace kvantage::inline serving {

Expected<ExportedSettings> vllm_settings(const ServingFacts& facts, const ServingOptions& options) {
  std::vector<std::string> unsaid = facts.unsaid;
  std::string keys;
  const auto set = [&](const char* key, const std::string& value) { keys += std::string(key) + ": " + value + "\n"; };
  set("enable-prefix-caching", facts.stores ? "true" : "false");
  bool fp8 = false;
  for (const std::string& codec : facts.codecs) {
    if (is_codec_of(codec, "fp8")) {
      fp8 = true;
      unsaid.push_back("fp8 rows in the tiers only: vLLM also stores them as fp8 on the GPU and computes on them");
    } else {
      unsaid.push_back("codec " + codec + ": offloaded blocks are stored as on the GPU");
    }
  }
  set("kv-cache-dtype", yaml_text(fp8 ? "fp8" : "auto"));
  if (facts.settings.max_batch > 1) set("max-num-seqs", std::to_string(facts.settings.max_batch));
  if (!facts.stores)
    return ExportedSettings{
        yaml_head(facts,
                  "vllm serve MODEL --config this file; without a --kv-transfer-config nothing is kept below the GPU",
                  unsaid) +
            keys,
        unsaid};

  OrderedJson extra;
  if (facts.disk) extra["spec_name"] = "TieringOffloadingSpec";
  if (facts.memory) {
    extra["cpu_bytes_to_use"] = room_set_for(*facts.memory, unsaid);
  } else {
    if (facts.largest_context_bytes == 0)
      return fail(ErrorCode::rejected_input,
                  "run " + facts.run_id +
                      ": had no tier in host memory, which vLLM requires, and does not say how large " +
                      "a context is; choose a run with a tier dram");
    extra["cpu_bytes_to_use"] = facts.largest_context_bytes;
    unsaid.push_back(
        "there was no tier in host memory; vLLM passes everything through one: space for the largest context (" +
        format_bytes(facts.largest_context_bytes) + ") is set");
  }
  constexpr std::uint64_t gpu_block_tokens = 16;  // vLLM's default: offloaded blocks are multiples of it
  if (facts.chunk_tokens > 0 && facts.chunk_tokens % gpu_block_tokens == 0) extra["block_size"] = facts.chunk_tokens;
  // vLLM supports lru and arc; like the other orders, arc uses the frequency of blocks as well.
  const bool arc = !facts.eviction.empty() && facts.eviction != "lru";
  extra["eviction_policy"] = arc ? "arc" : "lru";
  if (facts.eviction != "lru" && facts.eviction != "arc")
    unsaid.push_back("eviction by " + (facts.eviction.empty() ? facts.settings.policy : facts.eviction) + "; " +
                     (arc ? "arc, which weighs age and use," : "lru") + " is the closest");
  if (facts.disk) {
    extra["secondary_tiers"] = OrderedJson::array({OrderedJson{{"type", "fs"}, {"root_dir", options.disk_directory}}});
    unsaid.push_back("the budget of tier '" + facts.disk->name + "' (" + room_of(*facts.disk) +
                     "): a tier of type fs has none; limit its file system");
  }
  if (facts.remote)
    unsaid.push_back("tier '" + facts.remote->name +
                     "' on a server: offloading has no such type; LMCache's settings have Redis servers");
  const OrderedJson transfer{
      {"kv_connector", "OffloadingConnector"}, {"kv_role", "kv_both"}, {"kv_connector_extra_config", extra}};
  set("kv-transfer-config", yaml_text(dump_json(transfer)));
  return ExportedSettings{
      yaml_head(facts, "vllm serve MODEL --config this file (its name must end with .yaml)", unsaid) +
          yaml_comment("cpu_bytes_to_use is in bytes, of all GPUs together.") + keys,
      unsaid};
}

}  // namespace kvantage::inline serving
