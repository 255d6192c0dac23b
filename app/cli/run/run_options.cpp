#include "app/cli/run/run_options.h"

#include "app/cli/report_output.h"
#include "app/cli/run/run_from.h"
#include "core/ports/reprofile_rule.h"
#include "core/ports/session.h"
#include "core/report/report_bounds.h"

namespace kvantage::cli {
namespace {

void add_reprofile_options(CLI::App& command, RunArguments& arguments) {
  const auto check = [](const std::string& text) -> std::string {
    const auto rule = parse_reprofile_rule(text);
    return rule ? std::string() : rule.error().message;
  };
  CLI::Option* when = command
                          .add_option("--reprofile-when", arguments.reprofile_when,
                                      "Re-profile a context when the quality of its answers is below a quality, as "
                                      "below(0.7); below its profile by a share of it, as relative(0.3); or by a "
                                      "difference, as absolute(0.3) (default: the session's)")
                          ->check(CLI::Validator(check, "", "re-profiling rule"));
  command.add_option("--reprofile-threshold", arguments.former_threshold, "The same as --reprofile-when 'relative(X)'")
      ->check(CLI::NonNegativeNumber)
      ->excludes(when);
  command
      .add_option("--assume-loss", arguments.assume_loss,
                  "Until a drifted context is re-profiled, assume that its compressed forms lost the share of quality "
                  "that its answers lost: on or off (default: the session's)")
      ->check(one_of({"on", "off"}));
  command
      .add_option("--reprofile-share", arguments.reprofile_share,
                  "Maximum share of the busy time that re-profiling takes, 0 to 1; 0: drift is found, but not "
                  "re-profiled; 1: no limit (default: the session's)")
      ->check(CLI::Range(0.0, 1.0));
  command.add_flag("--no-reprofile", arguments.no_reprofile, "Do not re-profile when questions drift");
}

void add_decoding_options(CLI::App& command, RunArguments& arguments) {
  command.add_flag(
      "--attend-quantized", arguments.attend_quantized,
      "Attend on quantized KV (KIVI) without dequantizing on load: less memory, slower steps, the same tokens");
  command.add_option("--decode-eviction", arguments.decode_eviction,
                     "Evict KV entries while answers are decoded, e.g. paged_eviction(budget=25%), or read selected "
                     "pages: quest(budget=25%); none; planned: for each context the one of --decode-options with the "
                     "highest utility (default: the session's)");
  command.add_option("--decode-offload", arguments.decode_offload,
                     "Keep the context's KV and layer inputs on this tier while answers are decoded, and recompute the "
                     "front of each layer while the rest loads (KVPR), e.g. ssd, ssd(split=load_only) or "
                     "ssd(weights=kv_first,batch=column); none (default: the session's)");
  command.add_option("--speculation", arguments.speculation,
                     "Draft tokens of answers that quote their prompt and verify several in a pass, the same tokens: "
                     "lookup, lookup(n=3,k=8): n-grams of up to n tokens, up to k drafts; auto: only where measured "
                     "times say that it pays off; off (default: the session's)");
}

}  // namespace

void add_run_options(CLI::App& command, RunArguments& arguments) {
  add_session_options(command, arguments);
  command.get_option("WORKLOAD")->required(false);  // a recorded run has its own
  command.add_option("--from", arguments.from,
                     "Repeat this recorded run (id, a unique prefix or suffix, or last); other options override its "
                     "settings");
  add_from_serving_option(command, arguments.from_serving);
  command.add_flag("--freeze", arguments.freeze, "Make decisions deterministic: use no measured times");
  command.add_option("--policy", arguments.policies,
                     "Policies, e.g. lru,fixed(snapkv,0.5),evicpress (default: the session's, else evicpress)");
  command
      .add_option(
          "--repeat", arguments.repeats,
          "Serve every policy so many times; every serving is a recorded run, and compare joins them to know the noise "
          "between runs")
      ->capture_default_str()
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{max_report_runs}));
  CLI::Option* turns = command.add_flag(
      "--interleave", arguments.interleave,
      "Serve the policies in turns (the default): every block has each of them once, in an order drawn from the seed, "
      "so that a change of the machine meets all of them");
  command.add_flag("--no-interleave", arguments.one_by_one, "Serve all repetitions of a policy before the next policy")
      ->excludes(turns);
  command.add_option("--alpha", arguments.alpha_value,
                     "Seconds that one unit of quality is worth (default: the session's)");
  command.add_option("--rate", arguments.rate_value, "Requests per second (Poisson); 0: closed loop");
  command.add_option("--max-batch", arguments.max_batch_value, "Maximum concurrent requests (1)")
      ->check(CLI::Range(1, max_batch));
  command
      .add_option("--prefill-batch-tokens", arguments.prefill_batch_tokens,
                  "With --products batch_invariant, maximum tokens of several requests that prefill together, the same "
                  "tokens; 0: one request at a time (default: the session's)")
      ->check(CLI::Range(0, max_prefill_batch_tokens));
  add_reprofile_options(command, arguments);
  command
      .add_option("--compute-or-load", arguments.compute_or_load,
                  "Where that is predicted to be faster, hybrid: compute the front of a stored context while its back "
                  "loads; prefill: compute all of it; auto: either; off: always load (default: the session's)")
      ->check(one_of({"auto", "hybrid", "prefill", "off"}));
  add_decoding_options(command, arguments);
  command.add_option("--limit", arguments.limit_value, "Requests per policy (default: the workload's)")
      ->check(CLI::Range(std::uint64_t{1}, max_requests));
  command.add_flag("--no-warmup", arguments.no_warmup, "Skip the warm-up request of every context");
  command.add_flag("--keep-store", arguments.keep_store, "Keep the tiers' entries instead of starting empty");
  add_details_option(command, arguments.details);
  command.add_option("--out", arguments.report_directory, "Folder for report.html and report.json; created if missing");
  command.add_option("--listen", arguments.listen,
                     "Socket to make, a path: programs of this user ask and change the session through it while it "
                     "runs (docs/python.md)");
}

}  // namespace kvantage::cli
