// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/scripts/assignments.hpp"

#include <random>

#include "base/text.hpp"
#include "unit/nccl/fixture.hpp"

namespace nettune::tools::nccl::scripts {
namespace {

/// "3:NCCL_DEBUG=INFO", one for each assignment; '?' behind a value that only a shell knows, '!'
/// behind one that is not exported.
std::vector<std::string> lines(const std::vector<nettune::nccl::Assignment>& found) {
  std::vector<std::string> out;
  for (const nettune::nccl::Assignment& one : found)
    out.push_back(cat(one.line, ":", one.name, "=", one.value, one.computed ? "?" : "",
                      one.exported ? "" : "!"));
  return out;
}

std::vector<std::string> shell(const std::string& text) { return lines(read_shell(text, "f")); }

using Lines = std::vector<std::string>;

TEST(NcclScriptsAssignments, TheFormsOfAShell) {
  EXPECT_EQ(shell("export NCCL_DEBUG=INFO\n"), (Lines{"1:NCCL_DEBUG=INFO"}));
  EXPECT_EQ(shell("export A=1 B='x y' C=\"z\"\n"), (Lines{"1:A=1", "1:B=x y", "1:C=z"}));
  EXPECT_EQ(shell("A=1; B=2\nexport B\n"), (Lines{"1:A=1!", "1:B=2"}));
  EXPECT_EQ(shell("A=1 B=2 torchrun train.py C=3\n"), (Lines{"1:A=1", "1:B=2", "1:C=3"}));
  EXPECT_EQ(shell("env A=1 python x\n"), (Lines{"1:A=1"}));
  EXPECT_EQ(shell("mpirun -np 2 \\\n  -x A=1 \\\n  -x B -x C=2 \\\n  ./a\n"),
            (Lines{"2:A=1", "3:C=2"}));
  EXPECT_EQ(shell("mpiexec -genv A 1 -env B 2 ./a\n"), (Lines{"1:A=1", "1:B=2"}));
  EXPECT_EQ(shell("docker run -e A=1 --env=B=2 --env C=3 image\n"),
            (Lines{"1:A=1", "1:B=2", "1:C=3"}));
  EXPECT_EQ(shell("srun --export=ALL,A=1,B=x,y ./a\n"), (Lines{"1:A=1", "1:B=x"}))
      << "a comma ends the value";
  EXPECT_EQ(shell("#!/bin/sh\n#SBATCH --export=ALL,A=1\n# export B=2\n"), (Lines{"2:A=1"}));
  EXPECT_EQ(shell("declare -x A=1\ndeclare B=2\nlocal C=3\n"),
            (Lines{"1:A=1", "2:B=2!", "3:C=3!"}));
  EXPECT_EQ(shell("set -a\nA=1\nset +a\nB=2\n"), (Lines{"2:A=1", "4:B=2!"}));
  EXPECT_EQ(shell("if true; then export A=1; fi && { export B=2; }\n"), (Lines{"1:A=1", "1:B=2"}));
  EXPECT_EQ(shell("export A=$X B='$X' C=`x` D=\"\\$X\" E=${X:-1}\n"),
            (Lines{"1:A=$X?", "1:B=$X", "1:C=`x`?", "1:D=$X", "1:E=${X:-1}?"}));
  EXPECT_EQ(shell("export A=1 # B=2\nexport C=a#b\n"), (Lines{"1:A=1", "2:C=a#b"}));
  EXPECT_EQ(shell("export A=1\r\n"), (Lines{"1:A=1\r"})) << "as in a shell";
  EXPECT_EQ(shell("setenv A 1\nENV B 2\n"), (Lines{"1:A=1", "2:B=2"}));
  EXPECT_EQ(shell("bash -c 'export NCCL_A=1; run'\n"), (Lines{"1:NCCL_A=1"}));
  EXPECT_EQ(shell("echo A=1\necho A=1 >> /etc/nccl.conf\n"), (Lines{"2:A=1"}));
  EXPECT_EQ(shell("A='1\n2'\nexport B=3 A\n"), (Lines{"1:A=1\n2", "3:B=3"}));
  EXPECT_EQ(shell("export A=1 2>&1 > /dev/null\nB=2 x\n"), (Lines{"1:A=1", "2:B=2"}));
}

TEST(NcclScriptsAssignments, WhatAShellExpandsEndsNoCommand) {
  EXPECT_EQ(shell("export A=$(hostname | head -1) B=1\n"),
            (Lines{"1:A=$(hostname | head -1)?", "1:B=1"}));
  EXPECT_EQ(shell("export A=`ip a; x` B=${X:-a b} C=\"$(echo \"x y\")\"\n"),
            (Lines{"1:A=`ip a; x`?", "1:B=${X:-a b}?", "1:C=$(echo \"x y\")?"}));
  EXPECT_EQ(shell("X=$(A=1\n A=2 probe) run\nexport B=3\n"),
            (Lines{"1:A=1!", "1:X=$(A=1\n A=2 probe)?", "2:A=2", "3:B=3"}));
  EXPECT_EQ(shell("export A=$(x\nexport B=1\n"), (Lines{"1:A=$(x?", "2:B=1"})) << "without an end";
  EXPECT_EQ(shell("set -o allexport\nA=1\nset +o allexport\nB=2\n"), (Lines{"2:A=1", "4:B=2!"}));
}

TEST(NcclScriptsAssignments, ScriptsInAWord) {
  EXPECT_EQ(shell("bash -c \"A=1 cmd\"\n"), (Lines{"1:A=1"}));
  EXPECT_EQ(shell("ssh host \"A=100 ./x\"\n"), (Lines{"1:A=100"}));
  EXPECT_EQ(shell("docker run image bash -lc 'A=1 python x'\n"), (Lines{"1:A=1"}));
  EXPECT_EQ(shell("docker run -e 'A=x y' image\n"), (Lines{"1:A=x y"}));
}

TEST(NcclScriptsAssignments, WhatSetsAndWhatOnlyLooks) {
  EXPECT_EQ(shell("#SBATCH --export ALL,A=1\nsrun --export ALL,B=2 ./a\n"),
            (Lines{"1:A=1", "2:B=2"}));
  EXPECT_EQ(shell("export A+=,x\n"), (Lines{"1:A=,x?"}));
  EXPECT_EQ(shell("grep A=1 f\n[[ $X == A=1 ]]\n"), (Lines{}));
  EXPECT_EQ(shell("[Service]\nEnvironment=A=1 \"B=$x\"\n"), (Lines{"2:A=1", "2:B=$x"}));
  EXPECT_TRUE(read_shell("export A=1\nunset A\n", "f")[0].unset_later);
  EXPECT_FALSE(read_shell("unset A\nexport A=1\n", "f")[0].unset_later);
}

TEST(NcclScriptsAssignments, WhatGoesIntoNcclConf) {
  EXPECT_EQ(shell("echo \"A=$X\" >> /etc/nccl.conf\n"), (Lines{"1:A=$X?"}));
  EXPECT_EQ(shell("echo 'A=$X' | sudo tee -a /etc/nccl.conf\n"), (Lines{"1:A=$X"}));
  EXPECT_EQ(shell("echo A=1 || tee /etc/nccl.conf\n"), (Lines{}));
  EXPECT_EQ(shell("printf 'A=1\\nB=2\\n' > /etc/nccl.conf\n"), (Lines{"1:A=1", "1:B=2"}));
  EXPECT_EQ(shell("cat <<EOF > /etc/nccl.conf\nA=${T:-22}\nB=\\$x\nEOF\n"),
            (Lines{"2:A=${T:-22}?", "3:B=$x"}));
  EXPECT_EQ(shell("cat <<'EOF' > /etc/nccl.conf\nA=${T:-22}\nEOF\n"), (Lines{"2:A=${T:-22}"}));
}

TEST(NcclScriptsAssignments, HereDocuments) {
  const std::string conf =
      "cat <<EOF | sudo tee /etc/nccl.conf\nNCCL_DEBUG=\"INFO\"\n# x\n A=1\nEOF\nexport B=2\n";
  EXPECT_EQ(shell(conf), (Lines{"2:NCCL_DEBUG=\"INFO\"", "4: A=1", "6:B=2"}));
  EXPECT_EQ(read_shell(conf, "f")[0].kind, nettune::nccl::Kind::conf);
  EXPECT_EQ(shell("cat > job.sh <<'END'\nexport A=1\nEND\n"), (Lines{"2:A=1"}));
  EXPECT_EQ(shell("cat > e <<-X\n\tA=1\n\tX\nexport C=3\n"), (Lines{"2:A=1", "4:C=3"}));
  EXPECT_EQ(shell("cat <<EOF\nexport A=1\n"), (Lines{"2:A=1"})) << "without its end";
}

/// "3: why", one for each line that may set variables and is not understood.
Lines unread(nettune::nccl::Kind kind, const std::string& text) {
  std::vector<UnreadLine> found;
  EXPECT_TRUE(read_assignments(kind, text, "f", &found));
  Lines out;
  for (const UnreadLine& one : found) {
    EXPECT_EQ(one.file, "f");
    EXPECT_NE(one.text, "") << text;
    out.push_back(cat(one.line, ": ", one.why));
  }
  return out;
}

TEST(NcclScriptsAssignments, NamesThatNobodyFollowsAreListed) {
  const std::string why = "it names a variable; what becomes of it is not followed";
  EXPECT_EQ(unread(nettune::nccl::Kind::yaml,
                   "env_vars:\n  - NCCL_IB_HCA\n  - NCCL_SOCKET_IFNAME=eth0\n"
                   "  - name: NCCL_DEBUG\n    value: INFO\n  # - NCCL_X\n"
                   "forward: [NCCL_IB_TC, 'NCCL_IB_SL']\n"),
            (Lines{"2: " + why, "7: " + why}));
  EXPECT_EQ(unread(nettune::nccl::Kind::shell,
                   "#!/usr/bin/env python3\nimport os\nNAMES = ['NCCL_IB_TC', 'A']\n"
                   "x = os.environ.get('NCCL_DEBUG')\n# 'NCCL_X'\n\"\"\"\n'NCCL_Y'\n\"\"\"\n"
                   "os.environ['NCCL_IB_SL'] = '3'\n"),
            (Lines{"4: this does not look like shell, and is not read", "3: " + why}));
}

TEST(NcclScriptsAssignments, LinesThatLeadElsewhereAreNamed) {
  const std::string file = "another file, which is not read";
  const std::string names = "its names are known only when it runs";
  const auto one = [](const std::string& text) {
    const Lines found = unread(nettune::nccl::Kind::shell, text);
    return found.size() == 1 ? found[0] : cat(found.size(), " lines of ", text);
  };
  EXPECT_EQ(one("\nsource env.sh\n"), "2: " + file);
  EXPECT_EQ(one("set -a && . ./env.sh; set +a\n"), "1: " + file);
  EXPECT_EQ(one("source <(ssh head cat env.sh)\n"), "1: " + file);
  EXPECT_EQ(one("f() {\n  source env.sh\n}\n"), "2: " + file);
  EXPECT_EQ(one("srun bash -c 'source env.sh && python x'\n"), "1: " + file);
  EXPECT_EQ(one("docker run \\\n  --env-file job.env image\n"), "1: " + file);
  EXPECT_EQ(one("srun --export-file=job.env ./a\n"), "1: " + file);
  EXPECT_EQ(one("[Service]\nEnvironmentFile=/etc/default/job\n"), "2: " + file);
  EXPECT_EQ(one("export $(grep -v '^#' .env | xargs)\n"), "1: " + names);
  EXPECT_EQ(one("export \"$name=$value\"\n"), "1: " + names);
  EXPECT_EQ(one("declare -x $VARIABLES\n"), "1: " + names);
  EXPECT_EQ(one("env $VARIABLES python x\n"), "1: " + names);
  EXPECT_EQ(one("eval \"$(cat env.sh)\"\n"), "1: what eval runs is known only then");
  EXPECT_EQ(one("module load nccl/2.21\n"), "1: what a module sets is not read");
  EXPECT_EQ(one("python - <<'EOF'\nimport os\nos.environ.update(NCCL_DEBUG='INFO')\nEOF\n"),
            "3: this does not look like shell, and is not read");
  EXPECT_EQ(one("import os; os.environ.setdefault(\"NCCL_DEBUG\", str('INFO'))\n"),
            "1: this does not look like shell, and is not read");
  EXPECT_EQ(one("env = {\n  \"NCCL_DEBUG\": \"INFO\",\n}\n"),
            "2: this does not look like shell, and is not read");
  // A configuration that a here document writes (GoogleCloudPlatform/cluster-toolkit, ramble.yaml).
  EXPECT_EQ(one("cat <<EOF > x.yaml\nconfig:\n  env:\n    set:\n      NCCL_NET: gIB\nEOF\n"),
            "5: this does not look like shell, and is not read");
  EXPECT_EQ(one("export A=1\necho \"it is\nexport NCCL_DEBUG=INFO\n"),
            "2: an unterminated quote: everything after it is taken as one word");
}

TEST(NcclScriptsAssignments, LinesThatAreUnderstoodAreNotNamed) {
  for (const char* const text :
       {"", "# source x\n", "source /dev/stdin <<EOF\nexport A=1\nEOF\n", "export A=$X B\n",
        "env A=$X python train.py $ARGS\n", "eval 'export A=1'\n", "module list\n", "module\n",
        "f() { export A=1; }\nf\n", "ENVS=(-x NCCL_DEBUG=INFO -x A=1)\nmpirun \"${ENVS[@]}\" ./a\n",
        "cat > env.sh <<EOF\nexport NCCL_DEBUG=INFO\nEOF\n", "local x=$1\nexport -n A\n",
        "echo \"NCCL_DEBUG: $NCCL_DEBUG\"\nunset NCCL_DEBUG\n", "export A='x y' B=\"z\"\n",
        "docker run -e A=1 image\nsrun --export=ALL,A=1 ./a\n", "python train.py\n"})
    EXPECT_EQ(unread(nettune::nccl::Kind::shell, text), Lines{}) << text;
  EXPECT_EQ(lines(read_shell("ENVS=(-x NCCL_DEBUG=INFO -x A=1)\n", "f")),
            (Lines{"1:ENVS=!", "1:NCCL_DEBUG=INFO", "1:A=1"}));
}

TEST(NcclScriptsAssignments, OtherKindsNameWhatTheyPassOver) {
  EXPECT_EQ(unread(nettune::nccl::Kind::conf, "# c\n\nNCCL_DEBUG INFO\nA=1\n"),
            (Lines{"3: NCCL skips a line without '='"}));
  const Lines passed = unread(nettune::nccl::Kind::env_file, "# c\nNCCL_DEBUG\nA=1\n");
  ASSERT_EQ(passed.size(), 1U);
  EXPECT_TRUE(passed[0].starts_with("2: a line without '=': docker and podman take")) << passed[0];
  EXPECT_EQ(unread(nettune::nccl::Kind::yaml,
                   "envFrom:\n- configMapRef:\n    name: x\nenv_file: job.env\n"),
            (Lines{"1: the variables of another object, which is not read",
                   "4: another file, which is not read"}));
  EXPECT_EQ(
      unread(nettune::nccl::Kind::yaml, "data:\n  run.sh: |\n    export A=1\n    source env.sh\n"),
      (Lines{"4: another file, which is not read"}));
  EXPECT_EQ(unread(nettune::nccl::Kind::yaml, "env:\n- name: NCCL_DEBUG\n  value: INFO\n"),
            Lines{});
}

TEST(NcclScriptsAssignments, EnvFilesAreLiteral) {
  EXPECT_EQ(lines(read_env_file("# c\nA=1\n  B=\"x\"\nC=a b # c\nD\n", "job.env")),
            (Lines{"2:A=1", "3:B=\"x\"", "4:C=a b # c"}));
  EXPECT_EQ(lines(read_env_file("A=\"x\"\n", "/etc/environment")), (Lines{"1:A=x"}));
  EXPECT_EQ(lines(read_env_file("export A=\"x\" # c\n", "/etc/environment")), (Lines{"1:A=x"}))
      << "as PAM does";
  EXPECT_EQ(lines(read_env_file("export A=1\n", "job.env")), (Lines{"1:export A=1"}));
}

TEST(NcclScriptsAssignments, Yaml) {
  const std::string pod =
      "env:\n"
      "- name: NCCL_DEBUG\n"
      "  value: \"INFO\"\n"
      "- name: NCCL_IB_HCA\n"
      "  value: '=mlx5_0'   # the first\n"
      "- name: SECRET\n"
      "  valueFrom:\n"
      "- {name: NCCL_IB_TC, value: \"136\"}\n"
      "- name: NCCL_X\n"
      "  value: {{ .Values.x }}\n"
      "data:\n"
      "  NCCL_IB_SL: \"3\"\n"
      "environment:\n"
      "  - NCCL_ALGO=Tree\n"
      "command: [\"sh\", \"-c\", \"export NCCL_PROTO=LL && run\"]\n";
  EXPECT_EQ(lines(read_yaml(pod, "pod.yaml")),
            (Lines{"3:NCCL_DEBUG=INFO", "5:NCCL_IB_HCA==mlx5_0", "7:SECRET=?", "8:NCCL_IB_TC=136",
                   "10:NCCL_X={{ .Values.x }}?", "12:NCCL_IB_SL=3", "14:NCCL_ALGO=Tree",
                   "15:NCCL_PROTO=LL"}));
}

TEST(NcclScriptsAssignments, BlocksOfYamlAreFilesOfTheirOwn) {
  const auto found = read_yaml(
      "data:\n"
      "  nccl.conf: |\n"
      "    NCCL_DEBUG=\"INFO\"\n"
      "    NCCL_IB_TC = 106\n"
      "\n"
      "    export NCCL_IB_SL=1\n"
      "  run: |-\n"
      "    set -a\n"
      "    NCCL_A=1\n"
      "    x -x NCCL_B=2 \\\n"
      "      -x NCCL_C=3\n"
      "args:\n"
      "- |\n"
      "  NCCL_D=4\n"
      "  export NCCL_D\n"
      "- name: NCCL_E\n"
      "  value: >-\n"
      "    5\n"
      "- name: NCCL_F\n"
      "  value: \"6\"\n",
      "f");
  EXPECT_EQ(lines(found), (Lines{"3:NCCL_DEBUG=\"INFO\"", "4:NCCL_IB_TC = 106",
                                 "6:export NCCL_IB_SL=1", "9:NCCL_A=1", "10:NCCL_B=2",
                                 "11:NCCL_C=3", "14:NCCL_D=4", "17:NCCL_E=5", "20:NCCL_F=6"}));
  EXPECT_EQ(found[0].kind, nettune::nccl::Kind::conf);
}

/// flashinfer-ai/flashinfer benchmarks: a function of the script gets them in one argument.
TEST(NcclScriptsAssignments, PairsInOneArgument) {
  const auto lines_of = [](const std::string& text) { return lines(read_shell(text, "f")); };
  EXPECT_EQ(lines_of("run 4 name \"NCCL_A=3 NCCL_B=1\" --x 1\n"),
            (Lines{"1:NCCL_A=3", "1:NCCL_B=1"}));
  // For these it is one value.
  EXPECT_EQ(lines_of("docker run -e \"NCCL_A=3 NCCL_B=1\" i\n"), (Lines{"1:NCCL_A=3 NCCL_B=1"}));
  EXPECT_EQ(lines_of("run \"NCCL_A=3 b\"\n"), (Lines{"1:NCCL_A=3 b"}));
  EXPECT_EQ(lines_of("env \"NCCL_A=3 NCCL_B=1\" ./p\n"), (Lines{"1:NCCL_A=3 NCCL_B=1"}));
  EXPECT_EQ(lines_of("./p NCCL_A=\"a=1 b=2\"\n"), (Lines{"1:NCCL_A=a=1 b=2"}));
  EXPECT_EQ(lines_of("mpirun --mca list \"NCCL_A=1 NCCL_B=2\" ./p\n"),
            (Lines{"1:NCCL_A=1 NCCL_B=2"}));
}

/// The shape of NVIDIA/JAX-Toolbox .github/workflows: its action splits the text at ';'.
TEST(NcclScriptsAssignments, AListThatAnActionSplits) {
  const std::string list =
      "        ENVS: |\n          MODEL=${{ matrix.model }};\n          # c\n"
      "          NCCL_DEBUG_SUBSYS=INIT,NET;\n          XLA_FLAGS=--a=b --c;\n";
  const auto read_list = [](const std::string& text) { return read_yaml(text, "f.yml"); };
  const auto found = read_list(list);
  EXPECT_EQ(lines(found), (Lines{"2:MODEL=${{ matrix.model }}?", "4:NCCL_DEBUG_SUBSYS=INIT,NET",
                                 "5:XLA_FLAGS=--a=b --c"}));
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[1].kind,
            nettune::nccl::Kind::env_file);  // no variable of a shell, which no program gets
  // A file is read as it is.
  const std::string file = "data:\n  job.env: |\n    NCCL_DEBUG=INFO;\n";
  EXPECT_EQ(lines(read_list(file)), (Lines{"3:NCCL_DEBUG=INFO;"}));
  // A script, and a list of which another reader may take ';' for a part of the value.
  for (const std::string& other :
       {list + "          echo done\n", list + "          A=1\n", list + "          A=1 train;\n"})
    EXPECT_EQ(read_list(other)[1].kind, nettune::nccl::Kind::shell) << other;
}

/// facebookresearch/vissl vissl/config/defaults.yaml: a setting of the program has that name.
TEST(NcclScriptsAssignments, BooleansOfAProgram) {
  const auto lines_of = [](const std::string& text) { return lines(read_yaml(text, "f.yml")); };
  EXPECT_EQ(lines_of("config:\n  DISTRIBUTED:\n    # c\n    NCCL_DEBUG: True\n    NCCL_A: \"x\"\n"),
            (Lines{"5:NCCL_A=x"}));
  EXPECT_EQ(lines_of("DISTRIBUTED:\n  A: 1\nenv_vars:\n  NCCL_DEBUG: True\n"),
            (Lines{"2:A=1", "4:NCCL_DEBUG=True"}));
  EXPECT_EQ(lines_of("x:\n  NCCL_DEBUG: \"True\"\n"), (Lines{"2:NCCL_DEBUG=True"}));
  EXPECT_EQ(lines_of("NCCL_DEBUG: false\n"), (Lines{"1:NCCL_DEBUG=false"}));
  EXPECT_EQ(lines_of("b:\n  environment: &common # c\n    NCCL_DEBUG: True\n"),
            (Lines{"3:NCCL_DEBUG=True"}));
  EXPECT_EQ(lines_of("env:\n  common:\n    NCCL_DEBUG: True\n"), (Lines{"3:NCCL_DEBUG=True"}));
  EXPECT_EQ(unread(nettune::nccl::Kind::yaml, "train:\n  NCCL_DEBUG: True\n"),
            (Lines{"2: true or false without quotes: a setting that the program has itself?"}));
}

/// The forms of issues of NVIDIA/nccl.
TEST(NcclScriptsAssignments, ProseOfYamlSetsNothing) {
  EXPECT_EQ(lines(read_yaml("- attributes:\n    description: |\n\n      Set these:\n"
                            "      * `NCCL_DEBUG=INFO` for a log\n",
                            "f.yml")),
            Lines{});
  EXPECT_EQ(lines(read_yaml("description: run it with NCCL_DEBUG=INFO\n", "f.yml")), Lines{});
  EXPECT_EQ(lines(read_yaml("- description: run it with NCCL_DEBUG=INFO\n", "f.yml")), Lines{});
  EXPECT_EQ(
      lines(read_yaml("\"label\": \"x\", \"env\": [{\"name\": \"NCCL_A\", \"value\": \"1\"}]\n",
                      "f.json")),
      (Lines{"1:NCCL_A=1"}));
  EXPECT_EQ(lines(read_yaml("run: env NCCL_DEBUG=INFO ./a\n", "f.yml")),
            (Lines{"1:NCCL_DEBUG=INFO"}));
}

TEST(NcclScriptsAssignments, ManifestsOfJson) {
  const std::string pod =
      "{ \"apiVersion\": \"v1\", \"env\": [\n"
      "  { \"name\": \"NCCL_A\", \"value\": \"1,2\" }, {\"value\": \"3\", \"name\": \"NCCL_B\"},\n"
      "  {\n"
      "    \"value\": \"4\",\n"
      "    \"name\": \"NCCL_C\"\n"
      "  }\n"
      "]}\n";
  EXPECT_EQ(lines(read_yaml("{\"env\":[{\"name\":\"NCCL_A\",\"value\":\"1\"}]}\n", "f")),
            (Lines{"1:NCCL_A=1"}));
  EXPECT_EQ(lines(read_yaml("- {name: NCCL_A, value: {{ .Values.x }}}\n", "f")),
            (Lines{"1:NCCL_A={{ .Values.x }}?"}));
  EXPECT_EQ(guess_kind("x", pod), nettune::nccl::Kind::yaml);
  EXPECT_EQ(guess_kind("pod.json", ""), nettune::nccl::Kind::yaml);
  EXPECT_EQ(lines(read_yaml(pod, "f")), (Lines{"2:NCCL_A=1,2", "2:NCCL_B=3", "5:NCCL_C=4"}));
  EXPECT_EQ(lines(read_yaml("- value: '1'\n  name: NCCL_A\n- value: '2'\n- name: NCCL_B\n", "f")),
            (Lines{"2:NCCL_A=1"}));
}

TEST(NcclScriptsAssignments, Profiles) {
  const auto found = read_assignments(
      nettune::nccl::Kind::profile,
      "schema = 1\n[env]\nNCCL_IB_TC = 136\nNCCL_IB_HCA = \"=${fabric.rdma}\"\n"
      "NCCL_DEBUG = { value = \"WARN\", optional = true }\noutputs = [\"nccl.conf\"]\n",
      "p.toml");
  ASSERT_TRUE(found.has_value()) << found.error().text;
  EXPECT_EQ(lines(*found),
            (Lines{"3:NCCL_IB_TC=136", "4:NCCL_IB_HCA==${fabric.rdma}?", "5:NCCL_DEBUG=WARN"}));
  EXPECT_FALSE(read_assignments(nettune::nccl::Kind::profile, "[env\n", "p.toml"));
}

TEST(NcclScriptsAssignments, TheKindIsGuessed) {
  EXPECT_EQ(guess_kind("/etc/nccl.conf", ""), nettune::nccl::Kind::conf);
  EXPECT_EQ(guess_kind("/root/.nccl.conf", ""), nettune::nccl::Kind::conf);
  EXPECT_EQ(guess_kind("p.toml", ""), nettune::nccl::Kind::profile);
  EXPECT_EQ(guess_kind("pod.yml", ""), nettune::nccl::Kind::yaml);
  EXPECT_EQ(guess_kind("job.env", ""), nettune::nccl::Kind::env_file);
  EXPECT_EQ(guess_kind("job", "#!/bin/bash\nA=1\n"), nettune::nccl::Kind::shell);
  EXPECT_EQ(guess_kind("x", "apiVersion: v1\n"), nettune::nccl::Kind::yaml);
  EXPECT_EQ(guess_kind("x", "A=1\n# c\nB=2\n"), nettune::nccl::Kind::env_file);
  EXPECT_EQ(guess_kind("x", "export A=1\n"), nettune::nccl::Kind::shell);
  EXPECT_EQ(guess_kind("x", "A=1; B=2\n"), nettune::nccl::Kind::shell);
  EXPECT_EQ(guess_kind("-", "A=1 B=1 python train.py\n"), nettune::nccl::Kind::shell);
  EXPECT_EQ(guess_kind("-", "A='1 B=1' # c\nB=-a -b\n"), nettune::nccl::Kind::env_file);
  EXPECT_EQ(guess_kind("x", ""), nettune::nccl::Kind::shell);
  for (const nettune::nccl::Kind kind :
       {nettune::nccl::Kind::shell, nettune::nccl::Kind::conf, nettune::nccl::Kind::env_file,
        nettune::nccl::Kind::yaml, nettune::nccl::Kind::profile})
    EXPECT_EQ(nettune::nccl::parse_kind(nettune::nccl::kind_word(kind)), kind);
  EXPECT_FALSE(nettune::nccl::parse_kind("toml"));
}

/// As in slurm jobs that source an env.env, and in those of docker compose.
TEST(NcclScriptsAssignments, AnEnvFileMayBeAScript) {
  EXPECT_EQ(guess_kind("job.env", "#!/bin/sh\nNCCL_DEBUG=INFO\n"), nettune::nccl::Kind::shell);
  EXPECT_EQ(guess_kind("job.env", "# c\nexport NCCL_DEBUG=INFO\nexport A=1\n"),
            nettune::nccl::Kind::shell);
  EXPECT_EQ(guess_kind("job.env", "source /x\nA=1\n"), nettune::nccl::Kind::shell);
  EXPECT_EQ(guess_kind("job.env", "A=1\nif [ x ]; then\nB=1\nfi\n"), nettune::nccl::Kind::shell);
  EXPECT_EQ(guess_kind("job.env", "A=1\nexport NCCL_DEBUG=INFO\n"), nettune::nccl::Kind::env_file)
      << "docker refuses such a file";
}

/// Programs that hand a line to a shell: nemo_run's --cmd, srun's --wrap.
TEST(NcclScriptsAssignments, AnOptionMayTakeAScript) {
  EXPECT_EQ(lines(read_shell("run.py --cmd \"NCCL_DEBUG=INFO NCCL_IB_TC=136 python x.py\"\n", "j")),
            (Lines{"1:NCCL_DEBUG=INFO", "1:NCCL_IB_TC=136"}));
  EXPECT_EQ(lines(read_shell("run.py --cmd=\"NCCL_DEBUG=INFO python x.py\"\n", "j")),
            (Lines{"1:NCCL_DEBUG=INFO"}));
  EXPECT_EQ(lines(read_shell("docker run --env \"NCCL_IB_HCA=a, b\" x\n", "j")),
            (Lines{"1:NCCL_IB_HCA=a, b"}));
  EXPECT_EQ(lines(read_shell("mpirun -x \"NCCL_IB_HCA=a, b\" x\n", "j")),
            (Lines{"1:NCCL_IB_HCA=a, b"}));
}

TEST(NcclScriptsAssignments, ABlankCutsAList) {
  const auto cut = [](const std::string& text) {
    const auto found = read_shell(text, "j");
    return found.size() == 1 && found[0].cut;
  };
  EXPECT_TRUE(cut("export NCCL_IB_HCA=mlx5_0, mlx5_1\n"));
  EXPECT_TRUE(cut("mpirun -x NCCL_IB_HCA=mlx5_0, mlx5_1 x\n"));
  EXPECT_FALSE(cut("export NCCL_IB_HCA=mlx5_0,mlx5_1\n"));
  EXPECT_FALSE(cut("export NCCL_IB_HCA='mlx5_0, mlx5_1'\n"));
  EXPECT_FALSE(cut("export NCCL_IB_HCA=mlx5_0, # one\n"));
  EXPECT_FALSE(cut("mpirun -x NCCL_IB_HCA=mlx5_0, \\\n x\n"));
  EXPECT_EQ(lines(read_shell("ENV NCCL_IB_HCA mlx5_0, mlx5_1\n", "Dockerfile")),
            (Lines{"1:NCCL_IB_HCA=mlx5_0, mlx5_1"}));
  EXPECT_TRUE(read_shell("ARG NCCL_DEBUG=INFO\n", "Dockerfile").empty());
}

/// As in AMD-AGI/Primus: a Dockerfile from Windows. Docker removes the carriage returns, a shell
/// does not.
TEST(NcclScriptsAssignments, DockerRemovesCarriageReturns) {
  const std::string text = "FROM x\r\nENV NCCL_DEBUG=VERSION\r\nENV A=1 \\\r\n  NCCL_ALGO=Ring\r\n";
  const auto found = read_shell(text, "x/Dockerfile.jax-v26.4");
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].value, "VERSION");
  EXPECT_EQ(found[2].value, "Ring");
  EXPECT_EQ(read_shell("export NCCL_DEBUG=VERSION\r\n", "run.sh")[0].value, "VERSION\r");
}

/// As in aws-samples/awsome-distributed-training: 0.nvcr-pytorch-aws.dockerfile.
TEST(NcclScriptsAssignments, CommentsWithinAnInstructionOfDocker) {
  const std::string text =
      "ENV OMPI_MCA_btl=tcp,self \\\n    # a comment\n  # another\n    NCCL_DEBUG=INFO\n";
  const auto found = read_shell(text, "x/0.pytorch.dockerfile");
  EXPECT_EQ(lines(found), (Lines{"1:OMPI_MCA_btl=tcp,self", "4:NCCL_DEBUG=INFO"}));
  EXPECT_TRUE(found.back().exported);
  EXPECT_FALSE(read_shell(text, "job.sh").back().exported) << "a shell ends there";
}

/// Whether such a variable is set says who reads the manifest: compose takes its own, Helm none.
TEST(NcclScriptsAssignments, NullOfYamlSetsNothing) {
  EXPECT_EQ(
      lines(read_yaml("env:\n- name: NCCL_DEBUG\n  value: null\n- name: NCCL_ALGO\n  value: ~\n"
                      "- name: NCCL_PROTO\n  value:\n- name: NCCL_IB_TC\n  value: \"\"\n",
                      "y")),
      (Lines{"9:NCCL_IB_TC="}));
  EXPECT_EQ(lines(read_yaml(
                "environment:\n  NCCL_DEBUG:\n  NCCL_ALGO: null\n  NCCL_PROTO: 'null'\n", "y")),
            (Lines{"4:NCCL_PROTO=null"}));
}

TEST(NcclScriptsAssignments, TooLargeIsRefused) {
  EXPECT_FALSE(
      read_assignments(nettune::nccl::Kind::shell, std::string(kMaxInputBytes + 1, 'a'), "f"));
  EXPECT_TRUE(read_assignments(nettune::nccl::Kind::shell, std::string(kMaxInputBytes, '('), "f"));
}

/// Whatever stands in a file, lint comes to an end, and what it says is one clean line.
TEST(NcclScriptsAssignments, MutationsNeverCrash) {
  const std::vector<std::string> texts = {
      "#!/bin/bash\n#SBATCH --export=ALL,NCCL_DEBUG=INFO\nexport NCCL_IB_GID_INDEX=0,3,5,7 "
      "NCCL_IB_HCA='=mlx5_0:1,mlx5_1'\n"
      "cat <<EOF > /etc/nccl.conf\nNCCL_ALGO=Tree\nEOF\nmpirun -x NCCL_BUFFSIZE=8M -x "
      "NCCL_SOCKET_IFNAME=^lo bash -c \"NCCL_PROTO=LL x\"\n",
      "NCCL_NET_GDR_LEVEL=PIX\nNCCL_ALGO=allreduce:tree;broadcast:ring\nNCCL_IB_ADDR_RANGE=10.0.0."
      "0/8\nNCCL_SOCKET_MAGIC=0x1\n",
      "env:\n- name: NCCL_DEBUG\n  value: \"INFO\"\n- {name: NCCL_IB_TC, value: \"136\"}\n  "
      "NCCL_CTA_POLICY: 'ZERO|EFFICIENCY'\n",
      "[env]\nNCCL_TOPO_FILE = \"/x\"\nTORCH_NCCL_BLOCKING_WAIT = \"y\"\nNCCL_MIN_CTAS = "
      "4\nNCCL_MAX_CTAS = 2\n"};
  const std::vector<std::string> pieces = {"NCCL_",
                                           "export ",
                                           "<<",
                                           "EOF",
                                           "\"",
                                           "'",
                                           "\\",
                                           "$(",
                                           "${",
                                           "=",
                                           "^",
                                           ",",
                                           ":",
                                           ";",
                                           "\n",
                                           "\r\n",
                                           "{",
                                           "}",
                                           "\x01",
                                           "\xff",
                                           "- name: ",
                                           "--export=",
                                           std::string(1, '\0')};
  std::mt19937 random(20260101);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  facts::Facts node;
  node.rdma = {nettune::nccl::hca("mlx5_0", "Ethernet")};
  node.net = {nettune::nccl::interface("ens1")};
  const std::vector<nettune::nccl::Version>& releases = nettune::nccl::catalog().releases;
  for (int round = 0; round < 600; ++round) {
    std::string text = texts[below(texts.size())];
    for (std::size_t edits = 1 + below(5); edits > 0 && !text.empty(); --edits) {
      const std::size_t at = below(text.size());
      switch (below(4)) {
        case 0:
          text[at] = static_cast<char>(random() % 256);
          break;
        case 1:
          text.erase(at, 1 + below(20));
          break;
        case 2:
          text.insert(at, pieces[below(pieces.size())]);
          break;
        default:
          text.insert(at, text.substr(below(text.size()), below(60)));
      }
    }
    for (const nettune::nccl::Kind kind :
         {nettune::nccl::Kind::shell, nettune::nccl::Kind::conf, nettune::nccl::Kind::env_file,
          nettune::nccl::Kind::yaml, nettune::nccl::Kind::profile}) {
      const auto found = read_assignments(kind, text, "f");
      if (!found) continue;
      nettune::nccl::Job job{&nettune::nccl::catalog(), releases[below(releases.size())], &node};
      for (const nettune::nccl::Finding& finding : nettune::nccl::lint(job, *found)) {
        ASSERT_FALSE(has_control_characters(finding.judgement.why))
            << text << finding.judgement.why;
        ASSERT_FALSE(has_control_characters(finding.judgement.instead))
            << text << finding.judgement.instead;
      }
    }
  }
}

}  // namespace
}  // namespace nettune::tools::nccl::scripts
