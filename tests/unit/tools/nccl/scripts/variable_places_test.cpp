// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "tools/nccl/scripts/effective_value.hpp"
#include "unit/support/provider_fixture.hpp"

namespace nettune::tools::nccl::scripts {
namespace {

using namespace test;

using Texts = std::vector<std::string>;

/// A node as its files say. What it is asked for is the variable A.
class NcclScriptsVariablePlaces : public testing::Test {
 protected:
  NcclScriptsVariablePlaces() {
    around.home = around.conf_home = "/home/ann";
    root.make("etc");
  }

  NodePlaces collect() { return collect_variable_places(*disk, root.path(), around); }

  /// "VALUE FILE:LINE", then "| VALUE FILE:LINE: why" for each that may win instead; "+" in front
  /// where something that cannot be seen comes first.
  std::string gets(Start start, const std::string& name = "A") {
    const NodePlaces places = collect();
    const EffectiveValue outcome = effective_value(places, start, name);
    const auto text = [&](std::size_t i) {
      const nettune::nccl::Assignment& set = places.all[i].set;
      return cat(set.value, " ", set.file, ":", set.line);
    };
    std::string out = outcome.open ? "+" : "";
    out += outcome.winner ? text(*outcome.winner) : "unset";
    for (const Possibility& one : outcome.maybe) out += cat(" | ", text(one.place), ": ", one.why);
    return out;
  }

  test::Scratch root;
  Surroundings around;
  std::unique_ptr<Disk> disk = posix_disk();
};

TEST_F(NcclScriptsVariablePlaces, NothingIsSet) {
  for (const Start start : kStarts)
    EXPECT_EQ(gets(start), start >= Start::slurm_task ? "+unset" : "unset");
  EXPECT_TRUE(collect().notes.empty());
}

TEST_F(NcclScriptsVariablePlaces, TheEnvironmentWinsOverTheUsersFileAndThatOverTheNodes) {
  root.put("etc/nccl.conf", "A=node\nA=second\n");
  EXPECT_EQ(gets(Start::here), "node /etc/nccl.conf:1") << "the first line of a file holds";
  root.put("home/ann/.nccl.conf", "B=1\nA=user\n");
  EXPECT_EQ(gets(Start::here), "user /home/ann/.nccl.conf:2");
  EXPECT_EQ(gets(Start::login), "user /home/ann/.nccl.conf:2");
  EXPECT_EQ(gets(Start::service),
            "node /etc/nccl.conf:1 | user /home/ann/.nccl.conf:2: where it runs as this user");
  around.environment = {"A=mine", "B=2"};
  EXPECT_EQ(gets(Start::here), "mine environment:0");
  EXPECT_EQ(gets(Start::login), "user /home/ann/.nccl.conf:2") << "a new login begins anew";
  around.environment = {"A="};
  EXPECT_EQ(gets(Start::here), " environment:0") << "setenv() finds an empty one set";
}

TEST_F(NcclScriptsVariablePlaces, AFileThatIsNamedTakesThePlaceOfTheUsers) {
  root.put("home/ann/.nccl.conf", "A=user\n");
  root.put("opt/nccl.conf", "A=named\n");
  around.environment = {"NCCL_CONF_FILE=/opt/nccl.conf"};
  EXPECT_EQ(gets(Start::here), "named /opt/nccl.conf:1");
  EXPECT_EQ(gets(Start::login), "user /home/ann/.nccl.conf:1") << "not set for a login";
  around.environment = {"NCCL_CONF_FILE=/not/there"};
  EXPECT_EQ(gets(Start::here), "unset") << "~/.nccl.conf is not read then";
  around.environment = {"NCCL_CONF_FILE="};
  EXPECT_EQ(gets(Start::here), "user /home/ann/.nccl.conf:1");
  around.environment = {"NCCL_CONF_FILE=/opt/nccl.conf"};
  around.reads_conf_file = false;
  EXPECT_EQ(gets(Start::here), "user /home/ann/.nccl.conf:1") << "before 2.23.4";
  around.reads_conf_file = true;
  around.environment = {"NCCL_CONF_FILE=nccl.conf"};
  ASSERT_EQ(collect().notes.size(), 1U);
  around.environment.clear();
  root.put("etc/environment", "NCCL_CONF_FILE=/opt/nccl.conf\n");
  EXPECT_EQ(gets(Start::login), "named /opt/nccl.conf:1");
  EXPECT_EQ(gets(Start::here), "user /home/ann/.nccl.conf:1");
}

TEST_F(NcclScriptsVariablePlaces, ALoginReadsInThisOrder) {
  const std::vector<std::pair<std::string, std::string>> files = {
      {"etc/security/pam_env.conf", "A DEFAULT=%\n"},
      {"etc/environment", "A=\"%\"\n"},
      {"etc/profile", "export A=%\n"},
      {"etc/profile.d/10-a.sh", "A=% ; export A\n"},
      {"etc/profile.d/20-a.sh", "export A=%\n"},
      {"home/ann/.profile", "export A=%\n"}};
  std::string expected;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto& [file, text] = files[i];
    std::string content = text;
    content.replace(content.find('%'), 1, cat("v", i));
    root.put(file, content);
    EXPECT_EQ(gets(Start::login), cat("v", i, " /", file, ":1"));
  }
  root.put("home/ann/.bash_profile", "true\n");
  EXPECT_EQ(gets(Start::login), "v4 /etc/profile.d/20-a.sh:1") << "it is read in place of .profile";
  EXPECT_EQ(gets(Start::ssh_command), "v1 /etc/environment:1") << "no login shell, no profile";
  root.put("home/ann/.bashrc", "export A=rc\n");
  EXPECT_EQ(gets(Start::ssh_command), "rc /home/ann/.bashrc:1");
  EXPECT_EQ(gets(Start::login),
            "v4 /etc/profile.d/20-a.sh:1 | rc /home/ann/.bashrc:1: read by an interactive bash, or "
            "if a profile reads it");
  EXPECT_EQ(gets(Start::service), "unset");
}

TEST_F(NcclScriptsVariablePlaces, WhatHangsOnAConditionIsNeverCertain) {
  root.put("etc/environment", "A=first\n");
  const std::string still = "first /etc/environment:1 | x /etc/profile.d/a.sh:";
  const std::string why = ": depends on a shell condition";
  const std::vector<std::pair<std::string, int>> scripts = {
      {"if [ -d /x ]; then\nexport A=x\nfi\n", 2},
      {"[ -d /x ] && export A=x\n", 1},
      {"[ -d /x ] || export A=x\n", 1},
      {"true && [ -d /x ] && export A=x\n", 1},
      {"case $- in\n*i*) ;;\n*) return ;;\nesac\nexport A=x\n", 5},
      {"[ -z \"$PS1\" ] && return\nexport A=x\n", 2},
      {"for i in 1 2; do\n  export A=x\ndone\n", 2},
      {"f() {\n  export A=x\n}\n", 2},
      {"function f {\n  export A=x\n}\n", 2},
      {"(export A=x)\n", 1},
      {"if true; then :; elif false; then :; else export A=x; fi\n", 1},
      {"A=x\nif [ -d /x ]; then export A; fi\n", 1},
      {"while read l; do export A=x; done < /f\n", 1},
      {"[ -d /x ] || { echo no; export A=x; }\n", 1},
      {"if [ -z \"${B+set}\" ]; then export A=x; fi\n", 1},
      {"if [ -z \"${A+set}\" ] && [ -d /x ]; then export A=x; fi\n", 1},
      {"if ! [ -z \"${A+set}\" ]; then export A=x; fi\n", 1},
      {"if [ -z \"${A+set}\" ]; then :; else export A=x; fi\n", 1},
      {"if [ -z \"${A:-}\" ]; then export A=x; fi\n", 1}};
  for (const auto& [script, line] : scripts) {
    root.put("etc/profile.d/a.sh", script);
    EXPECT_EQ(gets(Start::login), cat(still, line, why)) << script;
  }
  const std::vector<std::string> certain = {"export A=x\n",
                                            "if [ -d /x ]; then :; fi\nexport A=x\n",
                                            "f() {\n  return 1\n}\nexport A=x\n",
                                            "export B=1 && export A=x\n",
                                            "{ export A=x; }\n",
                                            "case $- in *i*) B=1 ;; esac\nexport A=x\n",
                                            "(cd /x)\nexport A=x\n",
                                            "A=x\n",
                                            "unset A\nexport A=x\n"};
  for (const std::string& script : certain) {
    root.put("etc/profile.d/a.sh", script);
    EXPECT_TRUE(gets(Start::login).starts_with("x /etc/profile.d/a.sh:"))
        << script << gets(Start::login);
    EXPECT_EQ(gets(Start::login).find('|'), std::string::npos) << script;
  }
  for (const std::string script : {"export A=${A:-x}\n", "export A=`x`\n", "A=$B\n"}) {
    root.put("etc/profile.d/a.sh", script);
    EXPECT_NE(gets(Start::login).find(": its value is known only when it runs"), std::string::npos)
        << script;
  }
  root.put("etc/profile.d/a.sh", "export A=x\nunset A\n");
  EXPECT_EQ(gets(Start::login), "unset");
  root.put("etc/profile.d/a.sh", "[ -d /x ] && unset A\n");
  EXPECT_EQ(gets(Start::login),
            "first /etc/environment:1 |  /etc/profile.d/a.sh:1: unset there, depending on a shell "
            "condition");
}

TEST_F(NcclScriptsVariablePlaces, WhatNoOtherProgramGetsIsNone) {
  for (const std::string script :
       {"A=1\n", "A=1 true\n", "env A=1 true\n", "bash -c 'export A=1; x'\n", "x=$(export A=1)\n",
        "# export A=1\n", "mpirun -x A=1 ./x\n", "cat > /etc/nccl.conf <<END\nA=1\nEND\n"}) {
    root.put("etc/profile.d/a.sh", script);
    EXPECT_EQ(gets(Start::login), "unset") << script;
  }
}

TEST_F(NcclScriptsVariablePlaces, ADefaultYieldsToWhatIsSet) {
  root.put("etc/profile.d/nettune.sh", "if [ -z \"${A+set}\" ]; then A='x'; export A; fi\n");
  EXPECT_EQ(gets(Start::login), "x /etc/profile.d/nettune.sh:1");
  root.put("etc/profile.d/nettune.sh", "[ -z \"${A+set}\" ] && export A=x\n");
  EXPECT_EQ(gets(Start::login), "x /etc/profile.d/nettune.sh:1");
  root.put("etc/environment", "A=first\n");
  EXPECT_EQ(gets(Start::login), "first /etc/environment:1");
  root.put("etc/environment", "");
  root.put("etc/profile", "[ -d /x ] && export A=y\n");
  EXPECT_EQ(gets(Start::login),
            "x /etc/profile.d/nettune.sh:1 | y /etc/profile:1: depends on a shell condition");
  root.put("home/ann/.profile", "export A=z\n");
  EXPECT_EQ(gets(Start::login), "z /home/ann/.profile:1");
}

TEST_F(NcclScriptsVariablePlaces, SystemdsManagersAndUnits) {
  root.put("etc/systemd/system.conf",
           "[Manager]\n; DefaultEnvironment=A=no\nDefaultEnvironment=\"A=a b\" B=2\n");
  EXPECT_EQ(gets(Start::service), "a b /etc/systemd/system.conf:3");
  EXPECT_EQ(gets(Start::user_service), "a b /etc/systemd/system.conf:3");
  EXPECT_EQ(gets(Start::login), "unset");
  root.put("usr/lib/systemd/system.conf.d/10-x.conf", "[Manager]\nDefaultEnvironment=A=100%%\n");
  EXPECT_EQ(gets(Start::service), "100% /usr/lib/systemd/system.conf.d/10-x.conf:2");
  root.put("etc/systemd/system.conf.d/10-x.conf", "[Manager]\nDefaultEnvironment=\n");
  EXPECT_EQ(gets(Start::service), "unset") << "it masks the other, and takes back the first";
  root.put("usr/lib/systemd/system/slurmd.service",
           "[Service]\nEnvironment=A=unit\nEnvironmentFile=-/etc/default/slurmd\n");
  EXPECT_EQ(gets(Start::service),
            "unset | unit /usr/lib/systemd/system/slurmd.service:2: for slurmd.service alone");
  root.put("etc/default/slurmd", "A='file'\n");
  root.put("etc/systemd/system/slurmd.service.d/nettune.conf",
           "[Service]\nEnvironment=\"A=drop-in\"\n");
  EXPECT_EQ(gets(Start::service),
            "unset | file /etc/default/slurmd:1: for slurmd.service alone"
            " | drop-in /etc/systemd/system/slurmd.service.d/nettune.conf:2: for slurmd.service "
            "alone | unit /usr/lib/systemd/system/slurmd.service:2: for slurmd.service alone");
  root.put("etc/systemd/system/slurmd.service.d/zz-plain.conf",
           "[Service]\nUnsetEnvironment=B \"A=unit\" A=other\n");
  EXPECT_EQ(gets(Start::service),
            "unset | file /etc/default/slurmd:1: for slurmd.service alone"
            " | drop-in /etc/systemd/system/slurmd.service.d/nettune.conf:2: for slurmd.service "
            "alone");
  root.put("etc/systemd/system/slurmd.service.d/zz-plain.conf", "[Service]\nUnsetEnvironment=A\n");
  EXPECT_EQ(gets(Start::service), "unset");
  root.put("etc/systemd/system.conf", "[Manager]\nDefaultEnvironment=A=all\n");
  root.put("etc/systemd/system.conf.d/10-x.conf", "[Manager]\n");
  EXPECT_EQ(gets(Start::service),
            "all /etc/systemd/system.conf:2 |  "
            "/etc/systemd/system/slurmd.service.d/zz-plain.conf:2: unset for slurmd.service alone");
  root.put("etc/systemd/user.conf", "[Manager]\nDefaultEnvironment=A=user\n");
  EXPECT_EQ(gets(Start::user_service), "user /etc/systemd/user.conf:2");
  root.put("etc/environment", "A=pam\n");
  root.make("usr/lib/environment.d");
  std::filesystem::create_symlink("../../../etc/environment",
                                  root / "usr/lib/environment.d/99-environment.conf");
  EXPECT_EQ(gets(Start::user_service), "pam /usr/lib/environment.d/99-environment.conf:1");
  root.put("home/ann/.config/environment.d/99-z.conf", "A=${B}x\n");
  EXPECT_EQ(gets(Start::user_service),
            "pam /usr/lib/environment.d/99-environment.conf:1 | ${B}x "
            "/home/ann/.config/environment.d/99-z.conf:1: its value is known only when it runs");
}

TEST_F(NcclScriptsVariablePlaces, PamTakesAnOverrideThatIsNotEmpty) {
  root.put("etc/security/pam_env.conf", "# A DEFAULT=no\nA DEFAULT=\"one two\"\n");
  EXPECT_EQ(gets(Start::login), "one two /etc/security/pam_env.conf:2");
  root.put("etc/security/pam_env.conf", "A DEFAULT=one \\\n  OVERRIDE=two\n");
  EXPECT_EQ(gets(Start::login), "two /etc/security/pam_env.conf:2");
  root.put("etc/security/pam_env.conf", "A DEFAULT=one OVERRIDE=@{PAM_RHOST}\n");
  EXPECT_EQ(gets(Start::login),
            "one /etc/security/pam_env.conf:1 | @{PAM_RHOST} /etc/security/pam_env.conf:1: its "
            "value is known only when it runs");
}

TEST_F(NcclScriptsVariablePlaces, TasksOfSlurmGetWhatTheTaskPrologPrints) {
  root.put("etc/nccl.conf", "A=node\n");
  EXPECT_FALSE(collect().has_slurm);
  root.put("etc/slurm/slurm.conf", "ClusterName=x\ntaskprolog = /etc/slurm/prolog # here\n");
  EXPECT_TRUE(collect().has_slurm);
  EXPECT_EQ(collect().notes.size(), 1U) << "it is not there";
  EXPECT_EQ(gets(Start::slurm_task), "+node /etc/nccl.conf:1");
  const std::vector<std::pair<std::string, std::string>> scripts = {
      {"export A=own\necho \"export A=x\"\n", "x /etc/slurm/prolog:2"},
      {"echo export A=x y\n", "x y /etc/slurm/prolog:1"},
      {"printf '%s\\n' 'export A=x'\n", "x /etc/slurm/prolog:1"},
      {"printf 'export B=1\\nexport A=x\\n'\n", "x /etc/slurm/prolog:1"},
      {"cat <<END\nexport B=1\nexport A=x\nEND\n", "x /etc/slurm/prolog:3"},
      {"export A=own\n", "+node /etc/nccl.conf:1"},
      {"echo \"print export A=x\"\n", "+node /etc/nccl.conf:1"},
      {"if [ -z \"${A+set}\" ]; then printf '%s\\n' 'export A=x'; fi\n", "+x /etc/slurm/prolog:1"},
      {"echo \"export A=$B\"\n",
       "+node /etc/nccl.conf:1 | $B /etc/slurm/prolog:1: its value is known only when it runs"}};
  for (const auto& [script, expected] : scripts) {
    root.put("etc/slurm/prolog", "#!/bin/sh\n" + script);
    std::string shifted = expected;  // by the first line
    for (const char* line : {"3", "2", "1"})
      if (const auto at = shifted.find(cat("prolog:", line)); at != shifted.npos) {
        shifted.replace(at, 8, cat("prolog:", static_cast<char>(line[0] + 1)));
        break;
      }
    EXPECT_EQ(gets(Start::slurm_task), shifted) << script;
  }
  root.put("etc/slurm/slurm.conf", "INCLUDE more.conf\n");
  root.put("etc/slurm/more.conf", "TaskProlog=/etc/slurm/other\nInclude /etc/slurm/slurm.conf\n");
  root.put("etc/slurm/other", "echo export A=y\n");
  EXPECT_EQ(gets(Start::slurm_task), "y /etc/slurm/other:1");
}

TEST_F(NcclScriptsVariablePlaces, AContainerSeesNothingOfTheNodeByItself) {
  root.put("etc/nccl.conf", "A=node\n");
  root.put("etc/nettune/nccl.env", "A=file\n");
  root.put("etc/environment", "A=pam\n");
  around.environment = {"A=mine"};
  EXPECT_EQ(gets(Start::container),
            "+unset | file /etc/nettune/nccl.env:1: where --env-file names it | node "
            "/etc/nccl.conf:1: where it is mounted");
}

TEST_F(NcclScriptsVariablePlaces, WhatCannotBeReadIsSaid) {
  root.make("etc/nccl.conf");
  const Texts notes = collect().notes;
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("/etc/nccl.conf"), std::string::npos);
}

}  // namespace
}  // namespace nettune::tools::nccl::scripts
