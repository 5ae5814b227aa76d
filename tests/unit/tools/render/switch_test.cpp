// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <linux/dcbnl.h>
#include <sstream>

#include "base/text.hpp"
#include "checks/switch_half.hpp"
#include "tools/render/inputs.hpp"
#include "tools/render/render.hpp"
#include "unit/support/profile_fixture.hpp"

// A switch that does what its template says, beside a node that has what the profile says: what
// `check --listen-lldp` then compares has to agree.

namespace nettune::tools::render {
namespace {

using namespace test;

std::string contents(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class RenderSwitch : public test::ProfileTest {
 protected:
  RenderSwitch() {
    auto& port = device("fab0");
    port.driver = "mlx5_core";
    port.link_layer = "Ethernet";
  }

  void with(const std::string& lossless) {
    profile("x",
            "[devices.fabric]\nmatch = { name = \"fab*\" }\n[link.fabric]\nmtu = 9000\n"
            "[lossless.fabric]\n" +
                lossless);
  }

  std::string text_of(const std::string& kind) {
    const std::string path = cat(NETTUNE_SOURCE_DIR, "/templates/", kind, ".tmpl");
    const auto form = render::parse_template({path, contents(path)}, [](const std::string&) {
      return Result<TemplateFile>(fail(Errc::not_found, "no parts here"));
    });
    EXPECT_TRUE(form) << form.error().line << ": " << form.error().text;
    const auto said = render::from_profile(disk, sources, "x");
    EXPECT_TRUE(said) << said.error().text;
    Request request;
    request.kind = kind;
    request.ports = {"swp1"};
    Inputs inputs = *render::inputs_of(request, &*said);
    inputs.values["digest"] = {"0", "", false};
    const auto made = render::render(*form, inputs);
    EXPECT_TRUE(made) << made.error().line << ": " << made.error().text;
    return made ? made->text : "";
  }

  /// What the node has once the profile is applied.
  std::map<Address, Reading> node() {
    std::map<Address, Reading> readings;
    for (const Setting& setting : good_profile("x").desired.settings)
      readings[setting.address] = {Presence::present, *setting.want, "", {}};
    return readings;
  }

  std::string judged(const checks::LldpNeighbour& neighbour) {
    const auto half = checks::judge_switch("fab0", {neighbour, 35, ""}, node());
    std::string out = half.text.substr(half.text.find(')') + 2);
    for (const checks::Finding& finding : half.findings) out += cat(" / ", finding.problem);
    return out;
  }
};

/// Words of a command: "nv set qos pfc ..."; none of a comment.
std::vector<std::vector<std::string>> commands(const std::string& text) {
  std::vector<std::vector<std::string>> out;
  for (const std::string_view line : split(text, '\n')) {
    if (line.starts_with('#') || line.starts_with('!') || line.empty()) continue;
    std::vector<std::string>& last = out.emplace_back();
    for (const std::string_view word : words(line)) last.emplace_back(unquoted(word));
  }
  return out;
}

int number(const std::string& text) { return static_cast<int>(parse_int(text).value_or(-1)); }

checks::LldpNeighbour neighbour() {
  checks::LldpNeighbour out;
  out.system = "leaf";
  out.port = "swp1";
  return out;
}

void add_app(checks::LldpNeighbour& to, const std::string& dscp, const std::string& priority) {
  if (!to.apps) to.apps.emplace();
  to.apps->push_back({{IEEE_8021QAZ_APP_SEL_DSCP, static_cast<std::uint16_t>(number(dscp))},
                      static_cast<std::uint8_t>(number(priority))});
}

/// What Cumulus Linux would say by LLDP.
checks::LldpNeighbour cumulus(const std::string& text) {
  checks::LldpNeighbour out = neighbour();
  checks::LldpEts ets;
  bool shares = false;
  for (const auto& command : commands(text)) {
    const auto is = [&](std::string_view words) {
      return join(command, " ").starts_with(cat("nv set qos ", words));
    };
    if (is("mapping default-global dscp"))
      for (const std::string_view dscp : split(command[6], ','))
        add_app(out, std::string(dscp), command[8]);
    if (is("pfc default-global switch-priority"))
      out.pfc = static_cast<std::uint8_t>(1U << static_cast<unsigned>(number(command[6])));
    if (is("egress-queue-mapping"))
      ets.class_of.at(static_cast<std::size_t>(number(command[6]))) =
          static_cast<std::uint8_t>(number(command[8]));
    if (is("egress-scheduler")) {
      const auto which = static_cast<std::size_t>(number(command[6]));
      if (command[7] == "mode")
        ets.algorithm_of.at(which) =
            command[8] == "dwrr" ? IEEE_8021QAZ_TSA_ETS : IEEE_8021QAZ_TSA_STRICT;
      if (command[7] == "bw-percent")
        ets.share_of.at(which) = static_cast<std::uint8_t>(number(command[8]));
      shares = shares || command[7] == "bw-percent";
    }
  }
  if (shares) out.ets = ets;
  return out;
}

/// What SONiC would do: it says nothing itself.
checks::LldpNeighbour sonic(const std::string& text) {
  checks::LldpNeighbour out = neighbour();
  for (const auto& command : commands(text)) {
    if (command.size() > 5 && command[3] == "DSCP_TO_TC_MAP|nettune")
      add_app(out, command[4], command[5]);
    for (std::size_t i = 0; i + 1 < command.size(); ++i)
      if (command[i] == "pfc_enable")
        out.pfc = static_cast<std::uint8_t>(1U << static_cast<unsigned>(number(command[i + 1])));
  }
  return out;
}

/// What EOS would say by DCBX.
checks::LldpNeighbour eos(const std::string& text) {
  checks::LldpNeighbour out = neighbour();
  for (const auto& command : commands(text)) {
    if (command[0] == "qos" && command[1] == "map") add_app(out, command[3], command[6]);
    if (command[0] == "priority-flow-control" && command.size() == 4)
      out.pfc = static_cast<std::uint8_t>(1U << static_cast<unsigned>(number(command[2])));
  }
  return out;
}

/// What NX-OS would do: the DSCPs of a class go into its group, and a group is a priority.
checks::LldpNeighbour nxos(const std::string& text) {
  checks::LldpNeighbour out = neighbour();
  std::map<std::string, std::string> dscps_of;
  std::string name;
  for (const auto& command : commands(text)) {
    if (command[0] == "class-map" || command[0] == "class") name = command.back();
    if (command[0] == "match") dscps_of[name] = command[2];
    if (command[0] == "set")
      for (const std::string_view dscp : split(dscps_of.at(name), ','))
        add_app(out, std::string(dscp), command[2]);
    if (command[0] == "pause")
      out.pfc = static_cast<std::uint8_t>(1U << static_cast<unsigned>(number(command[2])));
  }
  return out;
}

TEST_F(RenderSwitch, AgreesWithTheNode) {
  for (const char* const lossless :
       {"dscp = 26\npriority = 3\n", "dscp = 34\npriority = 3\ncnp_dscp = 26\ncnp_priority = 6\n",
        "dscp = 26\npriority = 3\ncnp_dscp = 48\ncnp_priority = 6\ncable_m = 40\n",
        "dscp = 0\npriority = 7\ncnp_dscp = 63\ncnp_priority = 0\n"}) {
    with(lossless);
    EXPECT_EQ(judged(cumulus(text_of("switch-nvue"))), "agrees in PFC, APP; does not advertise ETS")
        << lossless;
    EXPECT_EQ(judged(eos(text_of("switch-eos"))), "agrees in PFC, APP; does not advertise ETS")
        << lossless;
    EXPECT_EQ(judged(nxos(text_of("switch-nxos"))), "agrees in PFC, APP; does not advertise ETS")
        << lossless;
    EXPECT_EQ(judged(sonic(text_of("switch-sonic"))), "agrees in PFC, APP; does not advertise ETS")
        << lossless;
  }
}

TEST_F(RenderSwitch, AgreesInTheSharesOfTheLine) {
  for (const char* const lossless :
       {"dscp = 26\npriority = 3\nbandwidth_pct = 60\n",
        "dscp = 26\npriority = 3\ncnp_dscp = 48\ncnp_priority = 6\nbandwidth_pct = 50\n",
        "dscp = 1\npriority = 0\ncnp_dscp = 48\ncnp_priority = 6\nbandwidth_pct = 1\n"}) {
    with(lossless);
    EXPECT_EQ(judged(cumulus(text_of("switch-nvue"))), "agrees in PFC, ETS, APP") << lossless;
  }
}

TEST_F(RenderSwitch, WouldNotAgreeWithAnotherProfile) {
  with("dscp = 26\npriority = 3\n");
  const checks::LldpNeighbour other = cumulus(text_of("switch-nvue"));
  with("dscp = 26\npriority = 4\n");
  EXPECT_NE(judged(other).find("differs in PFC, APP"), std::string::npos) << judged(other);
}

TEST_F(RenderSwitch, EachValueHasItsSource) {
  site("[vars]\ncable = 30\n");
  profile("x",
          "[vars]\ncable = { default = 7 }\n[devices.fabric]\nmatch = { name = \"fab*\" }\n"
          "[link.fabric]\nmtu = 4200\n[lossless.fabric]\ndscp = 26\npriority = 3\n"
          "cable_m = \"${cable}\"\n");
  const std::string text = text_of("switch-nvue");
  EXPECT_NE(text.find("26 has 3 (/p/x.toml:11; /p/x.toml:12)"), std::string::npos) << text;
  EXPECT_NE(text.find("(cable of /etc/nettune/site.toml:2)"), std::string::npos) << text;
  EXPECT_NE(text.find("cable-length 30\n"), std::string::npos);
  EXPECT_NE(text.find("swp1 link mtu 4300\n"), std::string::npos);
}

TEST_F(RenderSwitch, OneSwitchHasOneClass) {
  with(
      "dscp = 26\npriority = 3\n[devices.other]\nmatch = { name = \"o\" }\n[lossless.other]\ndscp "
      "= 27\npriority = 4\n");
  const auto said = render::from_profile(disk, sources, "x");
  ASSERT_FALSE(said);
  EXPECT_NE(said.error().text.find("several [lossless.SET]"), std::string::npos)
      << said.error().text;
}

}  // namespace
}  // namespace nettune::tools::render
