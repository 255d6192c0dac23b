// A tier as a user writes it, and the tier made from it. The text form is that of `--tier`:
//   dram=64MiB    ssd=1GiB,path=DIR    ssd=256MiB,bandwidth=200MB/s,latency=1ms    archive=unlimited,path=DIR
//   ssd=1GiB,faults=flip_on_read:0.01+delay:20ms@0.1+seed:7    (core/ports/fault_plan.h)
//   device=1GiB    (memory of a GPU, docs/gpu.md)
//   remote=4GiB,url=redis://host:6379    pool=4GiB,url=redis://user:password@host:6379/2,prefix=team
//   remote=4GiB,url=rediss://host:6379,ca=authority.pem
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/ports/accelerator.h"
#include "core/ports/fault_plan.h"
#include "core/ports/file_device.h"
#include "core/ports/storage_tier.h"
#include "tiers/redis_credentials.h"
#include "tiers/redis_socket.h"

namespace kvantage {

struct TierSpec {
  std::string name;  // without a url, "device" is a GPU's memory, "dram" host memory and every other name a folder
  std::uint64_t capacity_bytes = 0;        // 0 = unlimited
  std::filesystem::path path;              // empty: a folder of that name under OpenTierOptions::store_directory
  double bandwidth_bytes_per_second = 0;   // 0 = as fast as it is
  double latency_seconds = 0;              // added to every read and write
  std::optional<RedisUrl> url{};           // the tier is a store on that server
  UrlSource url_source = UrlSource::user;  // which passwords it may have, and whether the host was asked for
  std::string prefix{};                    // of the server's keys; empty: "kvantage"
  double connect_seconds = 0, timeout_seconds = 0;  // limits of waiting for the server; 0 = RedisTimeouts
  InjectedFaults faults{};                          // of a tier in a folder; its files fail so on purpose

  bool remote() const { return url.has_value(); }
  bool in_memory() const { return name == "dram" && !remote(); }
  bool in_device() const { return name == "device" && !remote(); }
  bool in_folder() const { return !in_memory() && !in_device() && !remote(); }
  bool shaped() const { return bandwidth_bytes_per_second > 0 || latency_seconds > 0; }
};

/// Reads "NAME=BYTES[,path=DIR][,bandwidth=BYTES/s][,latency=TIME][,faults=FAULTS]"; BYTES may be "unlimited". With
/// "url=redis://[user:password@]host:port[/db]" it is a remote store, and "prefix=NAME", "connect=TIME", "timeout=TIME"
/// and, after rediss://, "ca=FILE" are known too. A usage error names the option, the reason and the right form, and no
/// password. A path cannot contain a comma.
Expected<TierSpec> parse_tier_option(std::string_view text);
/// What parse_tier_option reads back, without the password.
std::string to_string(const TierSpec& spec);

struct OpenTierOptions {
  std::filesystem::path store_directory;  // for tiers in folders without a path of their own
  std::string scope = "common";           // in a remote store: entries of other scopes are never seen
  std::shared_ptr<FileDevice> device;     // null: make_file_device()
  std::shared_ptr<Accelerator> accelerator =
      nullptr;                   // whose memory a tier named "device" lies in; null: there is none
  double scrub_seconds = 1.0;    // pause between two entries of memory checked in the background; 0 = none
  GiveUp give_up{};              // asked while a server is waited for
  Executor* executor = nullptr;  // null: system_executor(); outlives the tier
};

/// The tier, shaped if the spec says so, with the entries its folder or server already holds. Faults begin to strike
/// once it is open. A server that does not answer is no error; a password that the url leaves out comes from where
/// with_credentials() looks. Errors: busy, io, cancelled, rejected_input; one line that names the tier and its place.
Expected<std::unique_ptr<StorageTier>> open_tier(const TierSpec& spec, const OpenTierOptions& options = {});

}  // namespace kvantage
