// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "conf/environment.hpp"
#include "tools/render/inputs.hpp"

namespace nettune::tools::render {
namespace {

constexpr std::int64_t kDay_s = 86400;
constexpr std::int64_t kLongest_s = 365 * kDay_s;
constexpr std::int64_t kMostMemory_mib = std::int64_t{1} << 30;  // 1 PiB

// A value of the command line for one of these would not reach the job.

/// What the files set or unset for each process, or for ab and tune.
constexpr std::string_view kProcessNames =
    "MASTER_ADDR MASTER_PORT RANK LOCAL_RANK NODE_RANK WORLD_SIZE LOCAL_WORLD_SIZE GROUP_RANK "
    "TORCHELASTIC_RUN_ID NCCL_DEBUG_FILE OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM";
/// What the templates use themselves.
constexpr std::string_view kTemplateNames =
    "arm_name arm_value first gpu gpus here hostfile hosts inside interface left local_rank logs "
    "master mounts mpi name names near nettune_teller node node_values nodes options passed ports "
    "program rank ranks rendezvous said status threads value visible";
/// What bash sets at its start.
constexpr std::string_view kBashNames =
    "BASH BASHPID COMP_WORDBREAKS DIRSTACK EPOCHREALTIME EPOCHSECONDS FUNCNAME GROUPS HISTCMD "
    "HOSTNAME HOSTTYPE LINENO MACHTYPE OPTERR OSTYPE PIPESTATUS RANDOM SECONDS SHLVL SRANDOM TERM "
    "_";

bool is_own_name(std::string_view name) {
  return name == conf::kArmMark ||
         std::ranges::any_of(std::array{kProcessNames, kTemplateNames, kBashNames},
                             [&](std::string_view names) {
                               const auto words = split(names, ' ');
                               return std::ranges::find(words, name) != words.end();
                             });
}

Failure bad_option(std::string_view option, std::string_view text, std::string_view why) {
  return fail(Errc::invalid, cat(option, ": \"", printable(text), "\" ", why));
}

/// Nothing unless it is a number without a sign.
std::optional<std::int64_t> count_of(std::string_view text) {
  const auto number = parse_int(text);
  return number && *number >= 0 ? number : std::nullopt;
}

/// "12:00:00" or "1-12:00:00".
std::optional<std::int64_t> clock_of(std::string_view text) {
  const std::size_t dash = text.find('-');
  const auto days = dash == text.npos ? 0 : count_of(text.substr(0, dash));
  const auto fields = split(dash == text.npos ? text : text.substr(dash + 1), ':');
  if (fields.size() != 3 || !days || *days > 365) return {};
  std::int64_t seconds = 0;
  for (const std::string_view field : fields) {
    const auto number = count_of(field);
    if (!number || *number > 8760) return {};
    seconds = seconds * 60 + *number;
  }
  return *days * kDay_s + seconds;
}

}  // namespace

Result<std::int64_t> parse_time(std::string_view text) {
  std::optional<std::int64_t> seconds;
  if (text.find(':') != text.npos) {
    seconds = clock_of(text);
  } else if (!text.empty()) {
    const std::string_view unit = text.substr(text.size() - 1);
    const std::int64_t factor = unit == "d" ? kDay_s : unit == "h" ? 3600 : unit == "m" ? 60 : 0;
    const auto number = count_of(text.substr(0, text.size() - 1));
    if (factor > 0 && number && *number <= kLongest_s / factor) seconds = *number * factor;
  }
  if (seconds && *seconds >= 60 && *seconds <= kLongest_s) return *seconds;
  return bad_option("--time", text,
                    "is not a time from a minute to a year: write 90m, 12h, 2d or 1-12:00:00");
}

Result<std::int64_t> parse_memory(std::string_view text) {
  if (!text.empty()) {
    const char unit = text.back();
    const std::int64_t factor = unit == 'T'   ? std::int64_t{1} << 20
                                : unit == 'G' ? 1024
                                : unit == 'M' ? 1
                                              : 0;
    const auto number = count_of(text.substr(0, text.size() - 1));
    if (factor > 0 && number && *number > 0 && *number <= kMostMemory_mib / factor)
      return *number * factor;
  }
  return bad_option("--mem", text,
                    "is not the memory of a node: write 512G, 1T or 65536M (at most 1024T)");
}

Result<Mount> parse_mount(std::string_view text) {
  const auto fields = split(text, ':');
  const auto is_bad = [](std::string_view path) {
    return path.empty() || path.starts_with('-') || has_control_characters(path) ||
           path.find(',') != path.npos;
  };
  if (fields.size() < 2 || fields.size() > 3 || (fields.size() == 3 && fields[2] != "ro"))
    return bad_option("--mount", text, "is not SOURCE:TARGET or SOURCE:TARGET:ro");
  if (is_bad(fields[0]) || is_bad(fields[1]) || !fields[1].starts_with('/'))
    return bad_option("--mount", text,
                      "needs a SOURCE, and an absolute path as TARGET; neither may have commas or "
                      "control characters");
  Mount out{std::string(fields[0]), std::string(fields[1]), fields.size() == 3};
  if (out.is_volume() &&
      (out.source.find('/') != out.source.npos || out.source == "." || out.source == ".."))
    return bad_option("--mount", text, "has a relative path as SOURCE: give it from / on");
  return out;
}

Result<GivenVariable> parse_variable(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == text.npos) return bad_option("--env", text, "is not NAME=VALUE");
  GivenVariable out{std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
  if (const auto checked = conf::check_variable_name(out.name); !checked)
    return bad_option("--env", text, cat("cannot be set for a job: ", checked.error().text));
  if (is_own_name(out.name))
    return bad_option(
        "--env", text,
        "is a variable of the file itself, or of its bash, and would not reach the job; "
        "set it in the program");
  return out;
}

Result<std::string> parse_option(std::string_view text) {
  if (text.size() < 2 || text[0] != '-' || text == "--" || has_control_characters(text))
    return bad_option("--option", text, "is not an option in one word: --option=--constraint=h100");
  return std::string(text);
}

}  // namespace nettune::tools::render
