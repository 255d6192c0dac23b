// kvantage-method-worker: runs the scorer of a method file for kvantage and kvantage-cli, which start it.
#include "app/method_worker/program/worker_loop.h"

int main(int argc, char** argv) { return kvantage::run_method_worker(argc, argv); }
