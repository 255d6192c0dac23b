// kvantage: the window. Opens at once on the quick-start workload with the default model; everything slow happens on the
// engine's thread behind it.
#include <QApplication>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "app/wiring/openmp.h"
#include "app/wiring/resources.h"
#include "app/wiring/session_setup.h"
#include "ui/main_window.h"

int main(int argc, char** argv) {
  kvantage::restart_with_passive_openmp(argv);
  using namespace kvantage;
  QApplication application(argc, argv);
  QApplication::setApplicationName("KVantage");
  QApplication::setOrganizationName("KVantage");

  SessionOptions options;
  options.model = default_model_directory();
  options.workload = quickstart_directory();
  options.endless = true;
  bool wait = false;
  CLI::App command_line{"KVantage: KV-cache compression and eviction, live", "kvantage"};
  command_line.add_option("workload", options.workload, "Folder of the workload (default: quick start)");
  command_line.add_option("--model", options.model, "Hugging Face folder of the model");
  command_line.add_option("--tier", options.tiers, "NAME=BYTES[,path=DIR][,bandwidth=BYTES/s][,latency=TIME], fastest first");
  command_line.add_option("--store", options.store, "Folder of the stores");
  command_line.add_option("--db", options.database, "Database of profiles and runs");
  command_line.add_option("--threads", options.threads, "Threads that compute");
  command_line.add_flag("--wait", wait, "Open paused: press Start to serve");
  CLI11_PARSE(command_line, argc, argv);
  options.environment = environment_of_this_machine();
  options.environment["command"] = "kvantage";

  auto session = open_session(options, {});
  if (!session) {
    std::fprintf(stderr, "error: %s\n", session.error().message.c_str());
    return exit_code(session.error());
  }
  MainWindow window(*session->engine);
  window.show();
  if (!wait) session->engine->start();
  return QApplication::exec();
}
