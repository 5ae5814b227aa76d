// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "cli/probe.hpp"

namespace nettune::cli {

enum class Command {
  list,
  show,
  schema,
  facts,
  nccl,
  env,
  run,
  plan,
  diff,
  apply,
  reapply,
  confirm,
  check,
  watch,
  qualify,
  recover,
  rollback,
  history,
  status,
  hold,
  release,
  complete,
};

/// The command line, checked for form. Nothing in it comes from the environment: a tool that runs
/// as root must not be redirected by what a caller exported.
struct Arguments {
  Command command = Command::list;

  bool json = false;
  bool no_color = false;
  std::vector<std::string> profile_directories;
  std::string site_file = "/etc/nettune/site.toml";
  bool site_given = false;  ///< --site was there: the file then has to be
  std::string state_directory = "/var/lib/nettune";
  std::map<std::string, std::string> set;

  std::string
      root;  ///< --root: an image, which is prepared in the place of this machine; "" for none

  std::string subject;      ///< a profile's name, or the path of a saved plan; qualify: a device
  std::string profile;      ///< qualify, nccl lint, run --profile: what is tried, judged, used
  std::string output_file;  ///< qualify: where the evidence goes; "" for the usual place
  std::string expect;       ///< nccl explain: what the job should have used
  bool origin = false;
  std::string save_file;
  std::string facts_file;
  std::string format;       ///< env: whose syntax; "" for sh
  std::string values_file;  ///< --state FILE: the values of the recorded node
  bool allow_management = false;
  bool allow_busy = false;
  bool accept_no_undo = false;
  bool accept_cautions = false;
  bool accept_owners = false;
  bool force = false;
  bool unattended = false;
  bool abandon = false;
  std::optional<std::uint64_t> to;   ///< rollback: a generation, 0 for the baseline
  std::vector<std::string> without;  ///< apply, plan: devices to leave out
  bool dry_run = false;              ///< rollback: only show it
  std::int64_t confirm_s = 0;        ///< --confirm: undo it after so long; 0: it is to stay
  bool temporary = false;            ///< --for: it ends after confirm_s, and nobody confirms it
  std::vector<Probe> probes;         ///< --probe: confirm it when all of them succeed
  std::int64_t at_s = 0;             ///< recover --at: when, by CLOCK_BOOTTIME; 0: now
  bool any_connection = false;
  bool strict = false;        ///< check: what is not known is no success
  std::string textfile;       ///< check, watch: metrics for node_exporter go there
  std::int64_t listen_s = 0;  ///< check: how long to listen for LLDP of the switches; 0: not
  std::vector<std::string> on_drift;  ///< check, watch: a program to call; its words
  std::int64_t every_s = 60;          ///< watch: how often to look without being told
  std::string only;                   ///< reapply: the one interface
  std::string only_kind;              ///< reapply: the one kind of settings
  std::string why;
  std::vector<std::string> files;     ///< nccl: what is read; run: what misses a -- in front of it
  std::string kind;                   ///< nccl lint --as: what the files are; "" to guess
  std::string nccl;                   ///< nccl lint --nccl: a version, or the path of a library
  std::string catalog_file;           ///< nccl lint --catalog; "" for the one that is installed
  std::string rootfs;                 ///< nccl lint --root: another system, of which files are read
  bool environment = false;           ///< nccl lint --env
  bool any_node = false;              ///< nccl lint --any-node: nothing is said of this node
  std::string explain;                ///< env --explain: the variable
  std::string near_gpu;               ///< run --numa-of-gpu: an index or PCI address
  bool override_environment = false;  ///< run --override
  /// complete: the line so far, its last word unfinished; run: the command
  std::vector<std::string> words;
};

/// What --help and --version asked for: text for standard output.
struct Information {
  std::string text;
};

/// Reads the command line. Every mistake is Errc::invalid with a text that names it and says where
/// help is. Only the options of the command that is called are ever built.
Result<std::variant<Arguments, Information>> parse_arguments(int argc, const char* const* argv);

std::vector<std::string> command_names();
/// The options that a command takes: "--json". None for a word that is no command.
std::vector<std::string> options_of(const std::string& command);

/// The word on the command line: "plan".
std::string command_name(Command command);

}  // namespace nettune::cli
