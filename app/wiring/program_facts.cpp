#include "app/wiring/program_facts.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <thread>

#include "commit.h"
#include "core/base/machine_memory.h"
#include "core/base/units.h"

namespace kvantage::inline wiring {

Json environment_of_this_machine() {
  Json environment = Json::object();
  struct utsname system {};
  ::uname(&system);
  std::ifstream cpu_info("/proc/cpuinfo");
  std::string line, processor = system.machine;
  while (std::getline(cpu_info, line)) {
    if (line.rfind("model name", 0) != 0) continue;
    processor = line.substr(line.find(':') + 2);
    break;
  }
  environment["hardware"] = processor + ", " + std::to_string(std::thread::hardware_concurrency()) + " cores, " +
                            format_bytes(machine_memory_bytes()) + ", " + system.sysname + " " + system.release;
  environment["commit"] = build_commit;
  environment["dirty"] = build_dirty;
  environment["version"] = KVANTAGE_VERSION;
  return environment;
}

std::string program_version() {
  return std::string("KVantage ") + KVANTAGE_VERSION + ", commit " + build_commit +
         (build_dirty ? " with changes" : "");
}

}  // namespace kvantage::inline wiring
