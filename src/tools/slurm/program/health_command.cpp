// SPDX-License-Identifier: Apache-2.0
#include "tools/slurm/program/health_command.hpp"

#include <array>
#include <climits>
#include <cstdlib>
#include <ctime>
#include <unistd.h>

#include "base/text.hpp"
#include "cli/options.hpp"
#include "cli/print_text.hpp"
#include "cli/programs.hpp"
#include "kernel/command.hpp"
#include "kernel/journald.hpp"
#include "node/lock.hpp"
#include "node/output_file.hpp"
#include "tools/slurm/program/report.hpp"
#include "tools/slurm/program/scontrol.hpp"
#include "tools/slurm/program/slurm_site.hpp"

namespace nettune::tools::slurm::program {

namespace {

/// As long as a Prolog waits for it.
constexpr int kDoctor_ms = 30'000;
constexpr std::size_t kMostMemory = 65'536;

Result<Answer> ask_doctor(const node::Context& context, const Deadline& deadline) {
  TRY_ASSIGN(const std::string doctor, cli::program_path(*cli::find_program("doctor")));
  kernel::CommandLine command;
  command.words = {doctor, "--prolog", "--json"};
  if (context.locations().site_given)
    command.words.insert(command.words.end(), {"--site", context.locations().site_file});
  command.timeout_ms = deadline.left_ms(kDoctor_ms);
  command.most_output = std::size_t{1} << 20U;
  const auto said = kernel::run_and_listen(command);
  if (!said) return fail_in("nettune doctor", said.error());
  return parse_answer(said->said);
}

/// The node as Slurm knows it: slurmd names it to its HealthCheckProgram.
Result<std::string> node_name(const HealthOptions& options) {
  std::string name = options.node;
  const char* const given = std::getenv("SLURMD_NODENAME");
  if (name.empty() && given != nullptr) name = given;
  if (name.empty()) {
    std::array<char, HOST_NAME_MAX + 1> host{};
    if (::gethostname(host.data(), host.size() - 1) == 0) name = host.data();
    name = name.substr(0, name.find('.'));
  }
  if (is_node_name(name)) return name;
  return fail(Errc::invalid, cat("'", printable(name),
                                 "' is not the name of one node; name it "
                                 "with --node"));
}

/// What is remembered of a node, in a directory of its own with a lock.
class Remembered {
 public:
  Remembered(node::Context& context, const std::string& name)
      : disk_(context.disk()),
        state_(context.locations().state_directory),
        directory_(cat(state_, "/slurm/", name)) {}

  Result<Memory> read() const {
    TRY_ASSIGN(const auto text, disk_.read(file(), kMostMemory));
    auto memory = parse_memory(text.value_or(""));
    if (memory) return memory;
    return fail(Errc::corrupt, cat(file(), " is damaged (", memory.error().text,
                                   "); remove it: nettune then leaves a drain as it is"));
  }

  /// Until this ends, no other check of this node writes or drains.
  Result<node::Lock> lock() const {
    for (const std::string& each : {state_, cat(state_, "/slurm"), directory_})
      TRY(disk_.make_directory(each, 0700));
    return node::Lock::take(directory_);
  }

  Result<> write(const Memory& memory) const {
    const std::string made = cat(file(), ".new");
    TRY(disk_.remove(made));
    TRY(write_new_file(disk_, made, memory_text(memory), 0600, ::geteuid(), ::getegid()));
    TRY(disk_.rename(made, file()));
    return disk_.sync_directory(directory_);
  }

 private:
  std::string file() const { return cat(directory_, "/health"); }

  Disk& disk_;
  std::string state_;
  std::string directory_;
};

HealthResult result_of(const Result<Answer>& answer) {
  if (!answer) return HealthResult::error;
  if (answer->drain) return HealthResult::fault;
  return answer->notes.empty() ? HealthResult::pass : HealthResult::undecided;
}

/// One check: what was asked, decided and done.
class Check {
 public:
  Check(const HealthSite& site, const Scontrol& scontrol, const Remembered& remembered,
        Health& health)
      : site_(site), scontrol_(scontrol), remembered_(remembered), health_(health) {}

  Result<> decide_and_do(const Result<Answer>& answer, bool dry_run) {
    TRY_ASSIGN(const Memory memory, remembered_.read());
    TRY_ASSIGN(const Node node, scontrol_.show(health_.node));
    Decision& decision = health_.decision;
    const auto decide_with = [&](const std::optional<Others>& others) {
      decision = decide(answer, memory, node, others, site_.rules);
    };
    decide_with(std::nullopt);
    if (decision.step == Step::count) {
      TRY_ASSIGN(const Others others, count());
      decide_with(others);
    }
    health_.drained = is_own_drain(decision.memory, node);
    if (dry_run) return {};
    if (decision.memory != memory) TRY(remembered_.write(decision.memory));
    claimed_ = node.extra.starts_with(kMark);  // by a check that was ended halfway
    if (decision.step == Step::drain) {
      TRY(claim());
      auto others = count();
      if (others) decide_with(*others);
      if (others && decision.step == Step::drain) return drain();
      // Another node was faster, or nobody could be counted.
      if (others) health_.warnings.emplace_back("other nodes began to be drained meanwhile");
      TRY(update_rest());
      if (!others) return fail(others.error());
      return {};
    }
    if (decision.step == Step::undrain) return undrain(node);
    return update_rest();
  }

 private:
  Result<Others> count() const {
    TRY_ASSIGN(const std::vector<Node> nodes, scontrol_.show_all());
    return count_others(nodes, health_.node);
  }

  /// All that are about to drain announce it before they count: of any that do this at the same
  /// time, the last to count sees all others.
  Result<> claim() {
    claimed_ = true;
    return scontrol_.update(health_.node, {cat("Extra=", kMark, "about to drain")});
  }

  std::vector<std::string> rest() const {
    std::vector<std::string> fields;
    if (claimed_) fields.emplace_back("Extra=");
    if (health_.decision.comment) fields.push_back(cat("Comment=", *health_.decision.comment));
    return fields;
  }
  Result<> update_rest() const {
    const auto fields = rest();
    return fields.empty() ? Result<>() : scontrol_.update(health_.node, fields);
  }

  Result<> drain() {
    std::vector<std::string> fields = {"State=DRAIN", cat("Reason=", health_.decision.reason)};
    for (std::string& field : rest()) fields.push_back(std::move(field));
    TRY(scontrol_.update(health_.node, fields));
    health_.drained = true;
    // Who set it, and when, is a part of what an undrain compares.
    TRY_ASSIGN(const Node now, scontrol_.show(health_.node));
    if (!is_own_drain(health_.decision.memory, now)) return {};
    health_.decision.memory.drain->by = now.reason_by;
    return remembered_.write(health_.decision.memory);
  }

  /// UNDRAIN, not RESUME: it removes the drain alone, and a node that is down stays down.
  Result<> undrain(const Node& seen) {
    TRY_ASSIGN(const Node now, scontrol_.show(health_.node));
    if (!is_own_drain(health_.decision.memory, now) || now.flags != seen.flags)
      return fail(Errc::busy, "the state of the node changed in this moment, so it stays as it is");
    std::vector<std::string> fields = {"State=UNDRAIN"};
    for (std::string& field : rest()) fields.push_back(std::move(field));
    TRY(scontrol_.update(health_.node, fields));
    health_.drained = false;
    return {};
  }

  const HealthSite& site_;
  const Scontrol& scontrol_;
  const Remembered& remembered_;
  Health& health_;
  bool claimed_ = false;
};

/// Whatever fails here is a warning, and changes no node.
void check_node(node::Context& context, const HealthOptions& options, const HealthSite& site,
                Health& health) {
  const Deadline deadline;
  const Remembered remembered(context, health.node);
  const auto failed = [&](const Error& error) { health.warnings.push_back(error.text); };
  std::optional<node::Lock> lock;
  if (!options.dry_run) {
    auto taken = remembered.lock();
    if (!taken) {
      health.decision.why = "not checked";
      return failed(taken.error());
    }
    lock.emplace(std::move(*taken));
  }
  const auto answer = ask_doctor(context, deadline);
  health.result = result_of(answer);
  if (answer) health.fault = answer->fault;
  const Scontrol scontrol(site.scontrol, deadline);
  Check check(site, scontrol, remembered, health);
  if (const auto done = check.decide_and_do(answer, options.dry_run); !done) {
    if (health.decision.why.empty())
      health.decision.why = answer ? answer->drain ? printable(answer->text) : "no fault was found"
                                   : printable(answer.error().text);
    failed(done.error());
  }
}

void send(const HealthOptions& options, const HealthSite& site, Health& health,
          cli::Output& output) {
  if (!options.dry_run) {
    if (const auto entry = journal_entry(health); !entry.empty())
      if (const auto done = kernel::write_to_journald(entry); !done)
        health.warnings.push_back(done.error().text);
    if (!site.metrics.empty())
      if (const auto done = node::write_output_file(
              site.metrics, health_metrics(health, std::time(nullptr)), 0644);
          !done)
        health.warnings.push_back(done.error().text);
  }
  output.print(options.json ? health_json(health) : health_text(health));
}

Result<node::Exit> run_health(node::Context& context, const HealthOptions& options,
                              cli::Output& output) {
  // The time of a reason is compared with itself.
  ::setenv("SLURM_TIME_FORMAT", "standard", 1);
  Health health;
  TRY_ASSIGN(health.node, node_name(options));
  HealthSite site;
  if (auto read = read_health_site(context)) {
    site = std::move(*read);
    check_node(context, options, site, health);
  } else {
    health.decision.why = cat("not checked: ", printable(cli::text::located(read.error())));
  }
  send(options, site, health, output);
  return health.result == HealthResult::error || !health.warnings.empty() ? node::Exit::failed
                                                                          : node::Exit::done;
}

}  // namespace

cli::Command health_program(HealthOptions& into) {
  return {
      "slurm-health",
      &into,
      {
          {"--node", "NAME", "The node's name in Slurm, if it is not its host name", &into.node},
          {"--dry-run", "", "Say what would be done; change and report nothing", &into.dry_run},
      },
      [&into](node::Context& context, cli::Output& output) {
        return run_health(context, into, output);
      },
  };
}

}  // namespace nettune::tools::slurm::program
