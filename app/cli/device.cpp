#include <cstdio>
#include <memory>

#include "app/cli/base/help_text.h"
#include "app/cli/base/json_output.h"
#include "app/cli/commands.h"
#include "app/cli/report_output.h"
#include "app/wiring/gpu_module.h"
#include "core/base/json.h"
#include "core/base/units.h"

namespace kvantage::cli {
namespace {

std::string rate(double bytes_per_second) { return format_fixed(bytes_per_second / 1e9, 2) + " GB/s"; }

void print_line(const std::string& text) { std::printf("%s\n", wrapped(one_line(text), "  ", output_columns).c_str()); }

// From the timing at opening: nothing else has been copied yet.
void show(const Accelerator& accelerator, const std::string& line) {
  const AcceleratorInfo info = accelerator.info();
  const DeviceGauges gauges = accelerator.gauges();
  print_line(line);
  print_line(info.driver);
  print_line("copies of pinned memory, measured: to the device " + rate(gauges.to_device.peak_bytes_per_second) +
             ", from it " + rate(gauges.from_device.peak_bytes_per_second));
}

OrderedJson device_json(const Expected<std::unique_ptr<Accelerator>>& accelerator) {
  OrderedJson json;
  json["present"] = accelerator.has_value();
  if (!accelerator) {
    json["reason"] = accelerator.error().message;
    return json;
  }
  const AcceleratorInfo info = (*accelerator)->info();
  const DeviceGauges gauges = (*accelerator)->gauges();
  json["name"] = info.name;
  json["driver"] = info.driver;
  json["memory_bytes"] = info.memory_bytes;
  json["free_bytes"] = gauges.free_bytes;
  json["peak_bytes_per_second"] = {{"to_device", gauges.to_device.peak_bytes_per_second},
                                   {"from_device", gauges.from_device.peak_bytes_per_second}};
  return json;
}

}  // namespace

void add_device(CLI::App& parent, CommandResult& result) {
  auto json = std::make_shared<bool>(false);
  CLI::App& command = *parent.add_subcommand(
      "device", "Show the GPU behind the device tier: memory and copy rates, or why it is unavailable");
  add_json_option(command, *json);
  command.callback([json, &result] {
    const auto accelerator = open_accelerator();
    if (*json)
      print_json(device_json(accelerator));
    else if (accelerator)
      show(**accelerator, device_line(accelerator));
    else
      print_line(device_line(accelerator));
    result.exit_code = 0;  // no device is not an error
  });
}

}  // namespace kvantage::cli
