// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "cli/commands/option_groups.hpp"
#include "cli/commands/written_profile.hpp"
#include "profile/merge.hpp"

namespace nettune::cli::commands {

namespace {

struct NewCommand : GlobalOptions {
  std::string name;
  std::string extends = "base";
  ProfileOutput to;

  Options options() {
    return joined({{{"name", "", "Name of the profile", &name, true},
                    {"--extends", "PROFILE", "Its parent (base), or none", &extends}},
                   profile_output_options(to)});
  }

  Result<node::Exit> run(node::Context& context, Output& output) const {
    TRY_ASSIGN(const std::string of_output, name_of_output(context, to, name, ""));
    TRY(check_not_itself(of_output, extends));
    if (extends != "none")
      TRY(profile::load_merged(context.disk(), context.profile_sources(), extends));
    WrittenProfile profile{of_output, intake::profile_toml(text_of(of_output)), {}, {}};
    if (json) profile.document = new_json(of_output, profile.text);
    return hand_over(context, output, to, json, profile);
  }

 private:
  intake::ProfileText text_of(const std::string& of_output) const {
    intake::ProfileText text;
    text.name = of_output;
    text.heading = {"A profile of this site. nettune-profile(5) describes the format;",
                    cat("nettune plan ", of_output, " shows what it would change.")};
    text.summary =
        extends == "none" ? "What this site sets" : cat(extends, ", and what this site adds");
    if (extends != "none") text.extends = {extends};
    text.closing = {"Examples. Take away the # of a heading and of the lines that you need.",
                    "",
                    "Inherited settings that this site does not want:",
                    "remove = [\"sysctl:kernel.numa_balancing\"]      above the first heading",
                    "",
                    "Devices are chosen by what they are:",
                    "[devices.fabric]",
                    "match = { rdma = true, link_layer = \"Ethernet\", max_speed_gbps = 200 }",
                    "require = \">= 1\"",
                    "",
                    "[link.fabric]",
                    "mtu = 9000",
                    "",
                    "A value, a bound (a larger value stays), and one for every device of a set:",
                    "[sysctl]",
                    "\"vm.swappiness\" = 10",
                    "\"net.core.rmem_max\" = \">= 134217728\"",
                    "\"net.ipv4.conf.${fabric.each}.arp_ignore\" = 1",
                    "",
                    "Variables of jobs:",
                    "[env]",
                    "NCCL_IB_HCA = \"=${fabric.hcas}\""};
    return text;
  }
};

}  // namespace

Command new_command() { return make_command<NewCommand>(); }

}  // namespace nettune::cli::commands
