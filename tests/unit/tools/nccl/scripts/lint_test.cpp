// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "tools/nccl/scripts/assignments.hpp"
#include "tools/nccl/scripts/variable_places.hpp"
#include "unit/nccl/fixture.hpp"
#include "unit/support/steps.hpp"

namespace nettune::tools::nccl::scripts {
namespace {

using namespace nettune::nccl;
using nettune::nccl::Verdict;

/// What lint says of one line of a script, as its reader has it.
std::vector<Finding> judged(const std::string& text, const std::string& release,
                            const facts::Facts* node = nullptr) {
  return nettune::nccl::judged(read_shell(cat("export ", text, "\n"), "job.sh"), release, node);
}

/// Both of one node's ways off, and more sockets than NCCL opens (src/transport/net_socket.cc).
TEST(NcclScriptsLint, TwoThatAreWrongTogether) {
  const auto of = [](const std::string& text) {
    const auto findings = lint({&catalog(), version("2.21.5")}, read_shell(text, "job.sh"));
    const Finding* const finding = with(findings, Verdict::conflict);
    return finding ? finding->set.name + ": " + finding->judgement.why : "";
  };
  EXPECT_NE(
      of("export NCCL_P2P_DISABLE=1\nexport NCCL_SHM_DISABLE=1\n").find("only over the network"),
      std::string::npos);
  EXPECT_EQ(of("export NCCL_P2P_DISABLE=1\nexport NCCL_SHM_DISABLE=0\n"), "");
  EXPECT_NE(of("export NCCL_SOCKET_NTHREADS=16\nexport NCCL_NSOCKS_PERTHREAD=8\n").find("than 64"),
            std::string::npos);
  EXPECT_EQ(of("export NCCL_SOCKET_NTHREADS=8\nexport NCCL_NSOCKS_PERTHREAD=8\n"), "");
}

TEST(NcclScriptsLint, OtherNamesAreNoConcern) {
  EXPECT_TRUE(judged("nccl_dir=/x RCCL_DEBUG=1 PATH=/bin HOME=/x CUDA_VISIBLE_DEVICES=0", "2.21.5")
                  .empty());
  // Oracle's scripts, nvidia/cuda's images, AWS's Dockerfiles; what a script keeps for itself.
  EXPECT_TRUE(judged("var_NCCL_IB_HCA==mlx5_0 NV_LIBNCCL_PACKAGE=libnccl2=2.25.1 HCCL_BUFFSIZE=1 "
                     "AWS_OFI_NCCL_VERSION=1.14.2 TORCH_NCCL_SOMETHING=1 UCX_VFS_ENABLE=no",
                     "2.21.5")
                  .empty());
  EXPECT_TRUE(
      lint({&catalog(), version("2.21.5")}, read_shell("NCCL_TEST=1\nNCCL_IB_HCAS=a\n", "job.sh"))
          .empty());
}

TEST(NcclScriptsLint, ABlankThatEndsAListIsAnError) {
  const auto findings = judged("NCCL_IB_HCA=mlx5_0, mlx5_1", "2.21.5");
  const Finding* const finding = with(findings, Verdict::misread);
  ASSERT_TRUE(finding) << told(findings);
  EXPECT_NE(finding->judgement.why.find("only mlx5_0, is set"), std::string::npos);
}

TEST(NcclScriptsLint, PlaceIsNamed) {
  Job job{&catalog(), version("2.21.5")};
  const auto findings = lint(
      job, read_shell("#!/bin/sh\n\nexport NCCL_IB_GID_INDEX=0,3,5,7 NCCL_DEBUG=WARN\n", "a.sh"));
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].set.file, "a.sh");
  EXPECT_EQ(findings[0].set.line, 3);
  EXPECT_EQ(findings[1].judgement.verdict, Verdict::ok);
}

TEST(NcclScriptsLint, ConfFilesAreReadByteForByte) {
  const auto of = [](const std::string& text, const std::string& release) {
    return lint({&catalog(), version(release)}, read_conf(text, "/etc/nccl.conf"));
  };
  EXPECT_TRUE(with(of(" NCCL_DEBUG=WARN\n", "2.21.5"), Verdict::unknown_name));
  EXPECT_TRUE(with(of("NCCL_DEBUG = WARN\n", "2.21.5"), Verdict::unknown_name));
  EXPECT_TRUE(with(of("export NCCL_DEBUG=WARN\n", "2.21.5"), Verdict::unknown_name));
  EXPECT_TRUE(with(of("NCCL_DEBUG= WARN\n", "2.21.5"), Verdict::misread));
  EXPECT_TRUE(with(of("NCCL_DEBUG=\"WARN\"\n", "2.21.5"), Verdict::misread));
  EXPECT_TRUE(with(of("NCCL_IB_DISABLE=\"1\"\n", "2.21.5"), Verdict::misread));
  EXPECT_TRUE(with(of("NCCL_DEBUG=WARN\r\n", "2.21.5"), Verdict::misread));
  EXPECT_TRUE(with(of("NCCL_DEBUG=WARN\r\n", "2.30.3"), Verdict::ok));
  EXPECT_FALSE(with(of("NCCL_IB_TC=136\r\n", "2.21.5"), Verdict::misread));
  EXPECT_FALSE(with(of("NCCL_IB_TC=136 # class\n", "2.21.5"), Verdict::misread));
  EXPECT_TRUE(with(of("NCCL_SOCKET_IFNAME=eth0 # this\n", "2.21.5"), Verdict::misread));
  EXPECT_TRUE(with(of("NCCL_IB_HCA==mlx5_0#this\n", "2.21.5"), Verdict::misread));
  EXPECT_TRUE(with(of("NCCL_TOPO_FILE=/x # this\n", "2.21.5"), Verdict::misread));
  EXPECT_TRUE(with(of("NCCL_IB_HCA=$HCAS\n", "2.21.5"), Verdict::misread));
  EXPECT_EQ(with(of("NCCL_IB_DISABLE=true\r\n", "2.21.5"), Verdict::misread)->judgement.instead,
            "NCCL_IB_DISABLE=1");
  EXPECT_TRUE(with(of("NCCL_DEBUG=WARN # more\n", "2.21.5"), Verdict::misread));
  EXPECT_TRUE(of("# NCCL_DEBUG=INFO\nno assignment\n", "2.21.5").empty());
  EXPECT_TRUE(
      with(of("NCCL_TOPO_FILE=" + std::string(2000, 'x') + "\n", "2.21.5"), Verdict::misread));
  EXPECT_TRUE(with(of("NCCL_CONF_FILE=/x\n", "2.23.4"), Verdict::defeated));
  EXPECT_TRUE(with(of("TORCH_NCCL_BLOCKING_WAIT=1\n", "2.23.4"), Verdict::defeated));
  const auto twice = of("NCCL_IB_TC=136\nNCCL_IB_TC=104\n", "2.21.5");
  ASSERT_TRUE(with(twice, Verdict::defeated)) << told(twice);
  EXPECT_EQ(with(twice, Verdict::defeated)->set.line, 2);
}

TEST(NcclScriptsLint, TheEnvironmentWinsOverTheUserWhoWinsOverTheNode) {
  std::vector<Assignment> all = read_conf("NCCL_IB_TC=136\n", "/etc/nccl.conf");
  const auto add = [&](std::vector<Assignment> more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  add(read_conf("NCCL_IB_TC=104\n", "/root/.nccl.conf"));
  add(read_shell("export NCCL_IB_TC=96\n", "job.sh"));
  const auto findings = lint({&catalog(), version("2.21.5")}, all);
  std::vector<std::string> defeated;
  for (const Finding& finding : findings)
    if (finding.judgement.verdict == Verdict::defeated)
      defeated.push_back(finding.set.file + " by " + finding.judgement.why.substr(0, 6));
  EXPECT_EQ(defeated,
            (std::vector<std::string>{"/etc/nccl.conf by /root/", "/root/.nccl.conf by job.sh"}))
      << told(findings);
  // What holds on this node, and was not given, is compared with as well.
  Job job{&catalog(), version("2.21.5")};
  job.elsewhere = read_shell("export NCCL_IB_TC=1\n", "/etc/profile.d/site.sh");
  EXPECT_TRUE(with(lint(job, read_conf("NCCL_IB_TC=136\n", "/etc/nccl.conf")), Verdict::defeated));
  EXPECT_FALSE(with(lint(job, read_conf("NCCL_IB_TC=1\n", "/etc/nccl.conf")), Verdict::defeated));
}

TEST(NcclScriptsLint, ConflictsNameTheOther) {
  const auto of = [](const std::string& text) {
    return lint({&catalog(), version("2.21.5")}, read_shell(text, "job.sh"));
  };
  const auto findings = of("export NCCL_IB_DISABLE=1\nexport NCCL_IB_HCA==mlx5_0\n");
  const Finding* const finding = with(findings, Verdict::conflict);
  ASSERT_TRUE(finding) << told(findings);
  EXPECT_EQ(finding->set.name, "NCCL_IB_HCA");
  EXPECT_NE(finding->judgement.why.find("job.sh:1"), std::string::npos);
  EXPECT_TRUE(with(of("export NCCL_NET=Socket NCCL_IB_TC=136\n"), Verdict::conflict));
  EXPECT_TRUE(with(of("export NCCL_NET=Socket NCCL_IB_DISABLE=0\n"), Verdict::conflict));
  EXPECT_FALSE(with(of("export NCCL_NET=Socket NCCL_IB_DISABLE=1\n"), Verdict::conflict));
  // Seen with NCCL 2.28.9: 4 channels with NCCL_MAX_NCHANNELS=1 NCCL_MIN_NCHANNELS=4.
  const auto bounds = of("export NCCL_MIN_NCHANNELS=8 NCCL_MAX_NCHANNELS=4\n");
  ASSERT_TRUE(with(bounds, Verdict::conflict)) << told(bounds);
  EXPECT_EQ(with(bounds, Verdict::conflict)->judgement.why,
            "it is above NCCL_MAX_NCHANNELS=4 in line 1: the minimum wins");
  const auto ctas = lint({&catalog(), version("2.21.5")},
                         read_environment({"NCCL_MIN_CTAS=8", "NCCL_MAX_CTAS=4"}));
  ASSERT_TRUE(with(ctas, Verdict::conflict)) << told(ctas);
  EXPECT_EQ(with(ctas, Verdict::conflict)->judgement.why,
            "it is above NCCL_MAX_CTAS=4: NCCL lowers it to that");
  // A maximum that NCCL ignores, or that is its "unset", is above nothing; -1 counts as 1.
  const auto at = [](const std::string& release, const std::vector<std::string>& variables) {
    return with(lint({&catalog(), version(release)}, read_environment(variables)),
                Verdict::conflict) != nullptr;
  };
  for (const char* const most : {"0", "-1"}) {
    EXPECT_FALSE(at("2.28.9", {"NCCL_MIN_CTAS=4", cat("NCCL_MAX_CTAS=", most)})) << most;
    EXPECT_TRUE(at("2.24.3", {"NCCL_MIN_CTAS=4", cat("NCCL_MAX_CTAS=", most)})) << most;
    EXPECT_TRUE(at("2.28.9", {"NCCL_MIN_NCHANNELS=4", cat("NCCL_MAX_NCHANNELS=", most)})) << most;
    EXPECT_FALSE(at("2.28.9", {"NCCL_MIN_NCHANNELS=1", cat("NCCL_MAX_NCHANNELS=", most)})) << most;
    EXPECT_FALSE(at("2.4.8", {"NCCL_MIN_NRINGS=4", cat("NCCL_MAX_NRINGS=", most)})) << most;
  }
  EXPECT_TRUE(at("2.28.9", {"NCCL_MIN_CTAS=4", "NCCL_MAX_CTAS=2"}));
  EXPECT_TRUE(at("2.4.8", {"NCCL_MIN_NRINGS=4", "NCCL_MAX_NRINGS=2"}));
  EXPECT_FALSE(at("2.28.9", {"NCCL_MIN_NCHANNELS=4", "NCCL_MAX_NCHANNELS=-2"}));
  EXPECT_FALSE(at("2.28.9", {"NCCL_MIN_NRINGS=4", "NCCL_MAX_NRINGS=-2"}));
  EXPECT_TRUE(with(of("export NCCL_P2P_DISABLE=1 NCCL_P2P_LEVEL=NVL\n"), Verdict::conflict));
  EXPECT_FALSE(
      with(of("export NCCL_IB_DISABLE=0\nexport NCCL_IB_HCA==mlx5_0\n"), Verdict::conflict));
  EXPECT_FALSE(
      with(of("export NCCL_IB_DISABLE=true\nexport NCCL_IB_HCA==mlx5_0\n"), Verdict::conflict))
      << "true is 0";
  // What loses is in nobody's way, and of what only may run there is a note.
  auto conf = read_shell("export NCCL_IB_DISABLE=0 NCCL_IB_HCA==mlx5_0\n", "job.sh");
  for (const Assignment& one : read_conf("NCCL_IB_DISABLE=1\n", "/etc/nccl.conf"))
    conf.push_back(one);
  EXPECT_FALSE(with(lint({&catalog(), version("2.21.5")}, conf), Verdict::conflict));
  const auto level = [&](const std::string& text) {
    const auto all = of(text + "export NCCL_IB_HCA==mlx5_0\n");
    const Finding* const one = with(all, Verdict::conflict);
    return one ? one->judgement.level : Level::ok;
  };
  EXPECT_EQ(level("export NCCL_IB_DISABLE=1\n"), Level::warning);
  EXPECT_EQ(level("if x; then export NCCL_IB_DISABLE=0\nelse export NCCL_IB_DISABLE=1; fi\n"),
            Level::note);
  EXPECT_EQ(level("export NCCL_IB_DISABLE=1\nunset NCCL_IB_DISABLE\n"), Level::note);
  // Of two profiles one is applied.
  const auto profiles = [](const std::string& file, const std::string& line) {
    return read_assignments(Kind::profile, "[env]\n" + line + "\n", file).value();
  };
  auto two = profiles("a.toml", "NCCL_IB_DISABLE = 1");
  two.push_back(profiles("b.toml", "NCCL_IB_TIMEOUT = 22")[0]);
  EXPECT_FALSE(with(lint({&catalog(), version("2.21.5")}, two), Verdict::conflict));
  // Two scripts are two jobs.
  auto both = read_shell("export NCCL_IB_DISABLE=1\n", "a.sh");
  for (const Assignment& one : read_shell("export NCCL_IB_HCA==mlx5_0\n", "b.sh"))
    both.push_back(one);
  EXPECT_FALSE(with(lint({&catalog(), version("2.21.5")}, both), Verdict::conflict));
}

/// As in health checks that try one transport after the other (aws-samples/awsome-distributed-
/// training: checks/5-nccl-allreduce.sh).
TEST(NcclScriptsLint, CommandsDoNotMeet) {
  const auto conflicts = [](const std::string& text) {
    std::string names;
    for (const Finding& one : lint({&catalog(), version("2.21.5")}, read_shell(text, "job.sh")))
      if (one.judgement.verdict == Verdict::conflict) names += one.set.name + " ";
    return names;
  };
  EXPECT_EQ(conflicts("NCCL_P2P_LEVEL=NVL x\nNCCL_P2P_DISABLE=1 y\n"), "");
  EXPECT_EQ(conflicts("NCCL_P2P_LEVEL=NVL NCCL_P2P_DISABLE=1 x\n"), "NCCL_P2P_LEVEL ");
  EXPECT_EQ(conflicts("export NCCL_P2P_DISABLE=1\nNCCL_P2P_LEVEL=NVL x\n"), "NCCL_P2P_LEVEL ");
  EXPECT_EQ(conflicts("export NCCL_P2P_LEVEL=NVL\nNCCL_P2P_DISABLE=1 x\n"), "NCCL_P2P_LEVEL ");
  EXPECT_EQ(conflicts("export NCCL_P2P_DISABLE=1\nNCCL_P2P_DISABLE=0 NCCL_P2P_LEVEL=NVL x\n"), "");
  EXPECT_EQ(conflicts("mpirun -x NCCL_IB_DISABLE=1 x\nmpirun -x NCCL_IB_HCA==mlx5_0 \\\n"
                      " -x NCCL_IB_TC=136 y\n"),
            "");
}

/// One run of a script has one of the branches.
TEST(NcclScriptsLint, BranchesDoNotMeet) {
  const auto verdicts = [](const std::string& text) {
    std::string found;
    for (const Finding& one : lint({&catalog(), version("2.21.5")}, read_shell(text, "job.sh")))
      if (one.judgement.verdict == Verdict::conflict || one.judgement.verdict == Verdict::defeated)
        found += cat(one.set.name, " ");
    return found;
  };
  const std::string off = "export NCCL_IB_DISABLE=1\n";
  const std::string tc = "export NCCL_IB_TC=136\n";
  EXPECT_EQ(verdicts("if a; then\n" + off + "elif b; then\n" + tc + "else\n" + tc + "fi\n"), "");
  EXPECT_EQ(verdicts("if a; then\n" + off + "fi\nif b; then\n" + tc + "fi\n"), "NCCL_IB_TC ");
  EXPECT_EQ(verdicts("if a; then\n" + off + "if b; then\n" + tc + "fi\nfi\n"), "NCCL_IB_TC ");
  EXPECT_EQ(verdicts(off + "if a; then\n" + tc + "fi\n"), "NCCL_IB_TC ");
  const auto level = [](int value) { return cat("export NCCL_IB_TC=", value, "\n"); };
  EXPECT_EQ(verdicts("if a; then\n" + level(1) + "else\n" + level(2) + "fi\n"), "");
  EXPECT_EQ(verdicts("if a; then\n" + level(1) + "fi\n" + level(2)), "NCCL_IB_TC ");
  const std::string bounds[] = {"export NCCL_MIN_NCHANNELS=8\n", "export NCCL_MAX_NCHANNELS=4\n"};
  EXPECT_EQ(verdicts("if a; then\n" + bounds[0] + "else\n" + bounds[1] + "fi\n"), "");
  EXPECT_EQ(verdicts(bounds[0] + "if a; then\n" + bounds[1] + "fi\n"), "NCCL_MIN_NCHANNELS ");
  EXPECT_EQ(
      verdicts("if a; then\n" + bounds[0] + bounds[1] + "else\nexport NCCL_MAX_NCHANNELS=2\nfi\n"),
      "NCCL_MIN_NCHANNELS ");
  EXPECT_EQ(verdicts("if a; then\n" + level(1) + "else\n" + level(2) + "fi\n" + level(3)),
            "NCCL_IB_TC NCCL_IB_TC ");
  // In a loop or a function both may run.
  const std::string either = "if a; then\n" + off + "else\n" + tc + "fi\n";
  EXPECT_EQ(verdicts("while b; do\n" + either + "done\n"), "NCCL_IB_TC ");
  EXPECT_EQ(verdicts("f() {\n" + either + "}\nf\nf\n"), "NCCL_IB_TC ");
  // Two files of a node are two; two parts of one are not.
  const auto conf = [](const std::string& text) {
    return "cat >> /etc/nccl.conf << E\n" + text + "E\n";
  };
  EXPECT_EQ(verdicts(conf("NCCL_MAX_NCHANNELS=2\n") + conf("NCCL_MIN_NCHANNELS=8\n")),
            "NCCL_MIN_NCHANNELS ");
  EXPECT_EQ(verdicts("if a; then\n" + conf("NCCL_IB_TC=1\n") + "else\n" + conf("NCCL_IB_TC=2\n") +
                     "fi\n"),
            "");
  // Two containers.
  EXPECT_EQ(verdicts("docker run -e NCCL_IB_TC=1 x\ndocker run -e NCCL_IB_TC=2 y\n"), "");
}

/// What sets a name to itself keeps what was set before.
TEST(NcclScriptsLint, ANameThatIsPassedOn) {
  const auto defeated = [](const std::string& text) {
    return with(lint({&catalog(), version("2.21.5")}, read_shell(text, "job.sh")),
                Verdict::defeated) != nullptr;
  };
  const std::string set = "export NCCL_IB_TC=136\n";
  for (const char* const again : {"$NCCL_IB_TC", "\"${NCCL_IB_TC}\"", "${NCCL_IB_TC:-106}"}) {
    EXPECT_FALSE(defeated(cat(set, "docker run -e NCCL_IB_TC=", again, " x\n"))) << again;
    EXPECT_FALSE(defeated(cat("NCCL_IB_TC=136\nexport NCCL_IB_TC=", again, "\n"))) << again;
  }
  EXPECT_TRUE(defeated(set + "docker run -e NCCL_IB_TC=106 x\n"));
  EXPECT_TRUE(defeated(set + "docker run -e NCCL_IB_TC=$NCCL_IB_TC -e NCCL_IB_TC=106 x\n"));
  EXPECT_TRUE(defeated(set + "export NCCL_IB_TC=$OTHER\n"));
  EXPECT_TRUE(defeated(set + "export NCCL_IB_TC=${NCCL_IB_TC:-106},2\n"));
}

/// OPTIONS="..." that mpirun gets later. What may be a message or a pattern sets nothing.
TEST(NcclScriptsLint, SettingsInAText) {
  const auto names = [](const std::string& text) {
    std::string found;
    for (const Assignment& one : read_shell(text, "job.sh"))
      if (one.name.starts_with("NCCL_")) found += cat(one.name, ":", one.line, " ");
    return found;
  };
  EXPECT_EQ(names("OPTIONS=\"--mca btl ^openib -x NCCL_IB_TC=136 \\\n -x NCCL_DEBUG=WARN\"\nmpirun "
                  "$OPTIONS x\n"),
            "NCCL_IB_TC:1 NCCL_DEBUG:1 ");
  EXPECT_EQ(
      names("O=\"-x NCCL_IB_TC=136\"\nO+=\" -x NCCL_ALGO=Ring\"\nO=\"$O -x NCCL_DEBUG=WARN\"\n"
            "export P=\"${MPI_OPTS} -x NCCL_PROTO=LL\"\n"),
      "NCCL_IB_TC:1 NCCL_ALGO:2 NCCL_DEBUG:3 NCCL_PROTO:4 ");
  EXPECT_EQ(names("O=\"-x NCCL_IB_TC=$((1 << 2)) -x NCCL_DEBUG=WARN\"\n"),
            "NCCL_IB_TC:1 NCCL_DEBUG:1 ");
  for (const char* const text :
       {"export HELP=\"$0 -x NCCL_DEBUG=TRAC shows more\"\n",
        "local U=\"$0 -v -x NCCL_ALGO=NAME\"\n", "export USAGE=\"$PROG -x NCCL_DEBUG=LEVEL\"\n",
        "RUN='NCCL_DEBUG=WARN python t.py'\n", "E='NCCL_IB_TC=106 NCCL_ALGO=Ring'\nenv $E x\n",
        "M='set NCCL_DEBUG=INFO to see more'\n", "HELP='NCCL_DEBUG=TRAC shows more'\n",
        "P='-e NCCL_IB_HCA=.*mlx5_[0-9]*'\n", "U='-x NCCL_DEBUG=LEVEL  the level of messages'\n"})
    EXPECT_EQ(names(text), "") << text;
}

/// A variable of the script that has one literal value may still have it.
TEST(NcclScriptsLint, ConstantsOfAScript) {
  const auto verdict = [](const std::string& text) {
    const auto found = lint({&catalog(), version("2.28.9")}, read_shell(text, "job.sh"));
    EXPECT_TRUE(std::ranges::all_of(found, [](const Finding& one) {
      return one.judgement.level <= Level::note;
    })) << told(found);
    const Finding* const misread = with(found, Verdict::misread);
    return misread ? misread->judgement.why.substr(0, misread->judgement.why.find(':'))
                   : std::string(with(found, Verdict::unsettled) ? "unsettled" : "settled");
  };
  const std::string use = "mpirun -x NCCL_ALGO=${ALGO} x\n";
  EXPECT_EQ(verdict("ALGO=-1\n" + use), "if it is still -1 (ALGO, line 1)");
  EXPECT_EQ(verdict("ALGO=Ring\n" + use), "unsettled");
  EXPECT_EQ(verdict("ALGO='-1'  # all\nexport NCCL_ALGO=$ALGO\necho \"$ALGO ${ALGO}\"\n"),
            "if it is still -1 (ALGO, line 1)");
  EXPECT_EQ(verdict("ALGO=-1\necho $MY_ALGO ALGOS\n" + use), "if it is still -1 (ALGO, line 1)");
  for (const char* const text :
       {"ALGO=${1:-Ring}\n", "if [ $# = 1 ]; then\n ALGO=-1\nfi\n", "ALGO=-1\nALGO=Ring\n",
        "ALGO=-1\nfor ALGO in Ring Tree; do :; done\n", "ALGO=-1\nread ALGO\n",
        "ALGO=-1\nexport ALGO\n", "f() { ALGO=-1; }\n", "ALGO=-1 ./x\n",
        "ALGO=-1\n: ${ALGO:=Ring}\n", "ALGO+=-1\n", "ALGO=(-1 -2)\n", "ALGO=\n"})
    EXPECT_EQ(verdict(text + use), "unsettled") << text;
  EXPECT_EQ(verdict(use + "ALGO=-1\n"), "unsettled");
  EXPECT_EQ(verdict("ALGO=-1\nmpirun -x NCCL_ALGO=$ALGO,Ring x\n"), "unsettled");
}

/// The environment may have another value than the default that the script writes out.
TEST(NcclScriptsLint, DefaultsOfAScript) {
  const auto told_of = [](const std::string& text) {
    return told(lint({&catalog(), version("2.28.9")}, read_shell(text, "job.sh")));
  };
  const auto has = [&](const std::string& text, const std::string& part) {
    return told_of(text).find(part) != std::string::npos;
  };
  EXPECT_TRUE(has("export NCCL_IB_HCA=\"${NCCL_IB_HCA:-=mlx5_1,=mlx5_2}\"\n",
                  "if it is still =mlx5_1,=mlx5_2 (the default of NCCL_IB_HCA)"));
  EXPECT_TRUE(has("export NCCL_ALGO=${ALGO-Rong}\n", "if it is still Rong (the default of ALGO)"));
  EXPECT_TRUE(has("export NCCL_SOCKET_IFNAME=${IF:-eth0}\n",
                  "known only when it runs; eth0 (the default of IF) if nothing else sets it"));
  EXPECT_TRUE(has("export IF=eth0\nexport NCCL_SOCKET_IFNAME=$IF\n", "eth0 (IF, line 1)"));
  for (const char* const text :
       {"ALGO=Ring\nexport NCCL_ALGO=${ALGO:-Rong}\n",
        ": ${ALGO:=Ring}\nexport NCCL_ALGO=${ALGO:-Rong}\n",
        "for ALGO in Ring Tree; do\nexport NCCL_ALGO=${ALGO:-Rong}\ndone\n",
        "ALGO=Tree; export NCCL_ALGO=${ALGO:-Rong}\n",
        "ARG ALGO=Ring\nexport NCCL_ALGO=${ALGO:-Rong}\n", "export NCCL_ALGO=${ALGO:-$OTHER}\n",
        "export NCCL_ALGO=${ALGO:-}\n", "export NCCL_ALGO=${ALGO:-Rong},Ring\n"})
    EXPECT_FALSE(has(text, "the default of")) << text << told_of(text);
}

/// A command in a variable, which the script runs later.
TEST(NcclScriptsLint, ACommandInAVariable) {
  const auto names = [](const std::string& text) {
    std::string all;
    for (const Finding& one : lint({&catalog(), version("2.28.9")}, read_shell(text, "job.sh")))
      all += cat(one.set.name, ":", one.set.line, " ");
    return all;
  };
  const std::string cmd = "cmd=\"${MPI} -np 8 \\\n -x PATH \\\n -x NCCL_DEBUG=DEBUG \\\n ./a 4\"\n";
  EXPECT_EQ(names(cmd + "eval ${cmd}\n"), "NCCL_DEBUG:1 ");
  EXPECT_EQ(names(cmd + "$cmd\n"), "NCCL_DEBUG:1 ");
  EXPECT_EQ(names(cmd + "$cmd\neval $cmd\n"), "NCCL_DEBUG:1 ");
  for (const char* const use :
       {"", "echo $cmd\n", "eval $other\n", "eval $cmd $more\n", "cmd=\neval $cmd\n",
        "read cmd\neval $cmd\n", "for cmd in a b; do $cmd; done\n",
        "cmd=\"x -x NCCL_DEBUG=INFO a\"\n$cmd\n", "cmd+=\" NCCL_ALGO=Ring\"\n$cmd\n"})
    EXPECT_EQ(names(cmd + use), "") << use;
  // A shell assigns nothing there, and an eval of export is for what stands below.
  for (const char* const text :
       {"C=\"NCCL_IB_DISABLE=true ./a\"\n$C\n", "C=\"export NCCL_IB_DISABLE=0\"\neval $C\n",
        "if x; then\nC=\"mpirun -x NCCL_DEBUG=INFO ./a 4\"\nfi\neval $C\n"})
    EXPECT_EQ(names(text), "") << text;
}

TEST(NcclScriptsLint, WhatYieldsToAVariableThatIsSet) {
  const auto found = [](const std::string& text) {
    std::string all;
    for (const Assignment& one : read_shell(text + "export NCCL_DEBUG\n", "job.sh"))
      all += cat(one.name, "=", one.value, one.if_unset ? "?" : "", one.conditional ? "c" : "",
                 one.exported ? "" : " not exported");
    return all;
  };
  EXPECT_EQ(found("[ -n \"${NCCL_DEBUG+x}\" ] || NCCL_DEBUG=INFO\n"), "NCCL_DEBUG=INFO?");
  EXPECT_EQ(found("[ -z \"${NCCL_DEBUG+x}\" ] && NCCL_DEBUG=INFO\n"), "NCCL_DEBUG=INFO?");
  for (const char* const test :
       {"[ -n \"${NCCL_DEBUG+x}\" ] &&", "[ -z \"${NCCL_DEBUG+x}\" ] ||",
        "[ -n \"${NCCL_ALGO+x}\" ] ||", "[ -n \"${NCCL_DEBUG-}\" ] ||",
        "! [ -n \"${NCCL_DEBUG+x}\" ] ||", "a && [ -n \"${NCCL_DEBUG+x}\" ] ||"})
    EXPECT_EQ(found(cat(test, " NCCL_DEBUG=INFO\n")), "NCCL_DEBUG=INFOc") << test;
}

TEST(NcclScriptsLint, LinesOfPython) {
  const auto found = [](const std::string& text) {
    std::vector<UnreadLine> unread;
    std::string all;
    const char* const file = text.starts_with("python") ? "job.sh" : "serve.py";
    for (const Assignment& one : read_shell(text, file, &unread))
      if (one.name.starts_with("NCCL_"))
        all += cat(one.line, ":", one.name, "=", one.computed ? "!" : one.value,
                   one.if_unset ? "?" : "", one.conditional ? "c" : "", " ");
    return cat(all, unread.size());
  };
  EXPECT_EQ(found("import os\nos.environ[\"NCCL_IB_DISABLE\"] = \"True\"  # off\n"),
            "2:NCCL_IB_DISABLE=True 0");
  EXPECT_EQ(found("os.environ['NCCL_DEBUG']='INFO'\n"), "1:NCCL_DEBUG=INFO 0");
  EXPECT_EQ(found("    environ.setdefault(\"NCCL_DEBUG\", 'WARN')\n"), "1:NCCL_DEBUG=WARN?c 0");
  EXPECT_EQ(found("os.putenv('NCCL_MIN_CTAS', str(4));\n"), "1:NCCL_MIN_CTAS=4 0");
  EXPECT_EQ(found("os.environ['NCCL_DEBUG'] = level\n"), "1:NCCL_DEBUG=! 0");
  EXPECT_EQ(found("os.environ['NCCL_DEBUG'] = 'a' + b\n"), "1:NCCL_DEBUG=! 0");
  EXPECT_EQ(found("os.environ['NCCL_DEBUG'] = f'{level}'\n"), "1:NCCL_DEBUG=! 0");
  EXPECT_EQ(found("python - <<'EOF'\nimport os\nos.environ['NCCL_DEBUG'] = 'INFO'\nEOF\n"),
            "3:NCCL_DEBUG=INFO 0");
  for (const char* const text :
       {"os.environ['NCCL_DEBUG'] == 'INFO'\n", "x = os.environ['NCCL_DEBUG']\n",
        "os.environ[name] = 'NCCL_DEBUG'\n", "os.environ['NCCL_DEBUG', 1] = 'x'\n",
        "del os.environ['NCCL_DEBUG']\n"})
    EXPECT_EQ(found(text).find("NCCL_"), std::string::npos) << text << found(text);
  // Two statements, texts, and what a shell expands.
  EXPECT_EQ(found("os.environ['NCCL_DEBUG'] = 'INFO'; os.environ['NCCL_ALGO'] = 'Ring'\n"),
            "1:NCCL_DEBUG=INFO 1:NCCL_ALGO=Ring 0");
  EXPECT_EQ(found("os.environ['NCCL_DEBUG'] = 'INFO'; f(os.environ['NCCL_ALGO'])\n"),
            "1:NCCL_DEBUG=INFO 1");
  EXPECT_EQ(found("\"\"\"Usage:\nos.environ['NCCL_DEBUG'] = 'x'\n\"\"\"\n"), "0");
  EXPECT_EQ(found("os.putenv('NCCL_MIN_CTAS', str(4-2))\n"), "1:NCCL_MIN_CTAS=! 0");
  EXPECT_EQ(found("python3 - <<EOF\nos.environ['NCCL_DEBUG'] = '$LEVEL'\nEOF\n"),
            "2:NCCL_DEBUG=! 0");
  const auto of_script = read_shell(
      "cat <<'EOF' > x.py\nos.environ['NCCL_DEBUG'] = 'x'\nEOF\n"
      ": <<'EOF'\nos.environ['NCCL_DEBUG'] = 'x'\nEOF\n",
      "job.sh");
  EXPECT_TRUE(of_script.empty());
  const auto judged = lint({&catalog(), version("2.28.9")},
                           read_shell("os.environ['NCCL_IB_DISABLE'] = 'True'\n", "serve.py"));
  ASSERT_TRUE(with(judged, Verdict::misread)) << told(judged);
  EXPECT_EQ(with(judged, Verdict::misread)->judgement.level, Level::error);
}

TEST(NcclScriptsLint, NamesThatNothingHas) {
  const auto level = [](const std::string& text) {
    Level most = Level::ok;
    for (const Finding& one : lint({&catalog(), version("2.28.9")}, read_shell(text, "job.sh")))
      most = std::max(most, one.judgement.level);
    return most;
  };
  for (const char* const text : {"export NCCL_NET=TCP\n", "export NCCL_NET=rdma\n",
                                 "export NCCL_NET=RoCEv2\n", "export NCCL_IB_HCA=mx5_0,mlx5_2\n",
                                 "export NCCL_IB_HCA=mlx_0\n", "export NCCL_IB_HCA=ib0\n"})
    EXPECT_EQ(level(text), Level::warning) << text;
  for (const char* const text :
       {"export NCCL_NET=Socket\n", "export NCCL_NET=AWS\n", "export NCCL_IB_HCA=mlx5_0,mlx5\n",
        "export NCCL_IB_HCA=mlx4_0\n", "export NCCL_IB_HCA=ib7s400p\n", "export NCCL_IB_HCA=mlx\n",
        "export NCCL_DEBUG=NONE\n", "export NCCL_DEBUG=off\n"})
    EXPECT_LE(level(text), Level::note) << text;
  EXPECT_EQ(level("export NCCL_DEBUG=ERROR\n"), Level::error);
}

TEST(NcclScriptsLint, WhatIsNotExportedOrComputed) {
  const auto of = [](const std::string& text) {
    return lint({&catalog(), version("2.21.5")}, read_shell(text, "job.sh"));
  };
  EXPECT_TRUE(with(of("NCCL_DEBUG=WARN\n"), Verdict::defeated));
  // bigscience's and NVIDIA's launchers hand the port on as an argument, uccl's its protocol.
  const auto level = [&](const std::string& text) {
    return with(of(text), Verdict::defeated)->judgement.level;
  };
  EXPECT_EQ(level("NCCL_DEBUG=WARN\n"), Level::warning);
  EXPECT_EQ(level("MASTER_PORT=6000\n"), Level::note);  // launchers make it from their options
  // A pattern of sed in a text of Python is no assignment (GoogleCloudPlatform/PerfKitBenchmarker).
  const auto python = lint({&catalog(), version("2.21.5")},
                           read_shell("vm.run(\n    'sudo sed -i \"s|NCCL_IB_TC=0|'\n"
                                      "    'NCCL_IB_TC=106|g\" '\n    '/lib/env.sh')\n",
                                      "tcpxo.py"));
  EXPECT_FALSE(python.empty());
  EXPECT_TRUE(std::ranges::none_of(python, [](const Finding& one) {
    return one.judgement.level >= Level::warning;
  })) << told(python);
  EXPECT_EQ(level("MASTER_PORT=6000\ntorchrun --master_port $MASTER_PORT x\n"), Level::note);
  EXPECT_EQ(level("NCCL_DEBUG=WARN\necho $NCCL_DEBUGS\n"), Level::warning);
  EXPECT_EQ(level("NCCL_DEBUG=WARN\nmpirun -x NCCL_DEBUG=${NCCL_DEBUG:-INFO} x\n"), Level::note);
  EXPECT_TRUE(with(of("NCCL_PROTO=-1\nmpirun -x NCCL_PROTO=${NCCL_PROTO} x\n"), Verdict::misread));
  EXPECT_FALSE(with(of("NCCL_DEBUG=WARN\nexport NCCL_DEBUG\n"), Verdict::defeated));
  EXPECT_FALSE(with(of("set -a\nNCCL_DEBUG=WARN\n"), Verdict::defeated));
  EXPECT_FALSE(with(of("NCCL_DEBUG=WARN python train.py\n"), Verdict::defeated));
  EXPECT_TRUE(with(of("export NCCL_IB_HCA=$HCAS\n"), Verdict::unsettled));
  EXPECT_TRUE(with(of("export NCCL_IB_HCA='$HCAS'\n"), Verdict::advice)) << "a literal dollar";
  const auto written = of("echo \"NCCL_IB_HCA=$HCAS\" >> /etc/nccl.conf\n");
  ASSERT_TRUE(with(written, Verdict::unsettled)) << told(written);
  EXPECT_EQ(with(written, Verdict::unsettled)->judgement.why.find("literally"), std::string::npos);
  EXPECT_TRUE(with(of("echo 'NCCL_IB_HCA=$HCAS' >> /etc/nccl.conf\n"), Verdict::misread));
}

TEST(NcclScriptsLint, EachReaderOfEnvFilesHasItsOwnWord) {
  const auto findings =
      lint({&catalog(), version("2.21.5")}, read_env_file("export NCCL_DEBUG=WARN\n", "job.env"));
  ASSERT_TRUE(with(findings, Verdict::unknown_name)) << told(findings);
  EXPECT_NE(with(findings, Verdict::unknown_name)->judgement.why.find("docker and podman reject"),
            std::string::npos);
  EXPECT_TRUE(with(lint({&catalog(), version("2.21.5")},
                        read_env_file("export NCCL_DEBUG=WARN # c\n", "/etc/environment")),
                   Verdict::ok));
}

TEST(NcclScriptsLint, QuotesOfAConfFileArePartOfTheValue) {
  for (const char* const quoted : {"\"mlx5_0\"", "'mlx5_0'"}) {
    const auto findings = lint({&catalog(), version("2.21.5")},
                               read_conf(cat("NCCL_IB_HCA=", quoted, "\n"), "/etc/nccl.conf"));
    ASSERT_TRUE(with(findings, Verdict::misread)) << told(findings);
    EXPECT_EQ(with(findings, Verdict::misread)->judgement.why, "the quotes are part of the value");
    EXPECT_EQ(with(findings, Verdict::misread)->judgement.instead, "mlx5_0");
  }
}

/// Each of these is asked for its rivals among all others.
TEST(NcclScriptsLint, ManyLinesCostNoSquares) {
  const auto text_of = [](int lines) {
    std::string text;
    for (int i = 0; i < lines; ++i)
      text += cat("export NCCL_IB_TC=136\nexport NCCL_IB_DISABLE=", i % 2,
                  " NCCL_MIN_NCHANNELS=9 NCCL_MAX_NCHANNELS=8\nexport NCCL_NO_SUCH_NAME=1\n");
    return text;
  };
  test::expect_no_squares(200, 8, text_of, [](const std::string& text, int lines) {
    EXPECT_GE(lint({&catalog(), version("2.21.5")}, read_shell(text, "job.sh")).size(),
              static_cast<std::size_t>(5 * lines));
  });
  const auto commands_of = [](int lines) {
    std::string text;
    for (int i = 0; i < lines; ++i)
      text += cat("NCCL_IB_TC=136 x\nNCCL_IB_DISABLE=", i, " y\nexport NCCL_IB_DISABLE=", i, "\n");
    return text;
  };
  test::expect_no_squares(200, 8, commands_of, [](const std::string& text, int lines) {
    EXPECT_GE(lint({&catalog(), version("2.21.5")}, read_shell(text, "job.sh")).size(),
              static_cast<std::size_t>(3 * lines));
  });
  // The branches of bash, and of csh, which ends them with another word.
  for (const char* const end : {"fi", "endif"}) {
    const auto branches_of = [&](int lines) {
      std::string text;
      for (int i = 0; i < lines; ++i)
        text +=
            cat("if x; then\nexport NCCL_IB_TC=136\nelse\nexport NCCL_MIN_NCHANNELS=9 "
                "NCCL_MAX_NCHANNELS=8\n",
                end, "\nNCCL_IB_DISABLE=1 y\n");
      return text;
    };
    test::expect_no_squares(200, 8, branches_of, [](const std::string& text, int lines) {
      EXPECT_GE(lint({&catalog(), version("2.21.5")}, read_shell(text, "job.sh")).size(),
                static_cast<std::size_t>(3 * lines));
    });
  }
}

TEST(NcclScriptsLint, WhatTheNodeHasNot) {
  facts::Facts node;
  node.rdma = {hca("mlx5_0", "Ethernet"), hca("mlx5_1", "Ethernet"), hca("mlx5_10", "Ethernet")};
  node.net = {interface("ens1"), interface("docker0"), interface("lo")};
  const auto objection = [&](const std::string& text) -> std::string {
    const auto findings = judged(text, "2.21.5", &node);
    const Finding* const finding = with(findings, Verdict::not_on_this_node);
    return finding ? finding->judgement.why + " | " + finding->judgement.instead : "";
  };
  EXPECT_NE(objection("NCCL_SOCKET_IFNAME=eth0").find("no socket interface found"),
            std::string::npos);
  EXPECT_NE(objection("NCCL_SOCKET_IFNAME=eth0").find("ens1"), std::string::npos);
  // What a plugin reads does not keep NCCL from starting.
  EXPECT_NE(objection("NCCL_FASTRAK_IFNAME=eth0"), "");
  EXPECT_EQ(objection("NCCL_FASTRAK_IFNAME=eth0").find("init fails"), std::string::npos);
  EXPECT_EQ(objection("NCCL_SOCKET_IFNAME=ens"), "");
  EXPECT_NE(objection("NCCL_SOCKET_IFNAME==ens"), "");
  EXPECT_NE(objection("NCCL_SOCKET_IFNAME=ens1,ens9").find("ens9"), std::string::npos);
  EXPECT_EQ(objection("NCCL_SOCKET_IFNAME=^docker,lo"), "");
  EXPECT_NE(objection("NCCL_SOCKET_IFNAME=^ens,docker,lo"), "");
  EXPECT_EQ(objection("NCCL_IB_HCA=mlx5_0"), "");
  EXPECT_NE(objection("NCCL_IB_HCA=mlx5_1").find("mlx5_10"), std::string::npos);
  EXPECT_EQ(objection("NCCL_IB_HCA==mlx5_1"), "");
  EXPECT_EQ(objection("NCCL_IB_HCA==mlx5_1:1"), "");
  EXPECT_NE(objection("NCCL_IB_HCA==mlx5_1:2").find("sockets"), std::string::npos);
  EXPECT_NE(objection("NCCL_IB_HCA=mlx4_0").find("mlx5_0:1"), std::string::npos);
  EXPECT_EQ(objection("NCCL_IB_GID_INDEX=3"), "");
  EXPECT_NE(objection("NCCL_IB_GID_INDEX=0").find("v1"), std::string::npos);
  EXPECT_NE(objection("NCCL_IB_GID_INDEX=5").find("no GID 5"), std::string::npos);
  EXPECT_NE(objection("NCCL_IB_HCA=^mlx5_1").find("| ^=mlx5_1"), std::string::npos);
  // Of ports that NCCL_IB_HCA leaves out nothing is asked, and what is not recorded is not absent.
  node.rdma[1].ports[0].gids.clear();
  EXPECT_EQ(objection("NCCL_IB_HCA==mlx5_1 NCCL_IB_GID_INDEX=5"), "");
  EXPECT_NE(objection("NCCL_IB_HCA==mlx5_0 NCCL_IB_GID_INDEX=5").find("mlx5_0:1 has no GID 5"),
            std::string::npos);
  EXPECT_TRUE(
      with(judged("NCCL_IB_HCA==mlx5_1 NCCL_IB_GID_INDEX=5", "2.21.5", &node), Verdict::unsettled));
  EXPECT_TRUE(
      with(judged("NCCL_IB_HCA=$X NCCL_IB_GID_INDEX=5", "2.21.5", &node), Verdict::unsettled));
  EXPECT_EQ(objection("NCCL_IB_HCA=$X NCCL_IB_GID_INDEX=5"), "");
  node.rdma[0].ports[0].state = "DOWN";
  EXPECT_NE(objection("NCCL_IB_HCA==mlx5_0").find("ACTIVE"), std::string::npos);
  // A script may be for another node; nccl.conf is not.
  const auto level = [&](std::vector<Assignment> set) {
    const auto findings = lint({&catalog(), version("2.21.5"), &node}, set);
    return with(findings, Verdict::not_on_this_node)->judgement.level;
  };
  EXPECT_EQ(level(read_shell("export NCCL_SOCKET_IFNAME=eth0\n", "job.sh")), Level::warning);
  EXPECT_EQ(level(read_conf("NCCL_SOCKET_IFNAME=eth0\n", "/etc/nccl.conf")), Level::error);
  const std::string image = "echo NCCL_SOCKET_IFNAME=eth0 >> /etc/nccl.conf\n";
  EXPECT_EQ(level(read_shell(image, "image.sh")), Level::warning);
  // Where no job can run, a script is for others; a node that was recorded was meant.
  node.rdma.clear();
  EXPECT_EQ(level(read_shell("export NCCL_SOCKET_IFNAME=eth0\n", "job.sh")), Level::warning);
  const auto here = [&] {
    const auto findings = judged("NCCL_SOCKET_IFNAME=eth0", "2.21.5", &node);
    return with(findings, Verdict::not_on_this_node)->judgement.level;
  };
  EXPECT_EQ(here(), Level::note);
  EXPECT_EQ(level(read_conf("NCCL_SOCKET_IFNAME=eth0\n", "/etc/nccl.conf")), Level::error);
  node.gpus.resize(1);
  EXPECT_EQ(here(), Level::warning);
  // Of no node nothing is said.
  EXPECT_FALSE(with(judged("NCCL_SOCKET_IFNAME=eth0", "2.21.5"), Verdict::not_on_this_node));
}

}  // namespace
}  // namespace nettune::tools::nccl::scripts
