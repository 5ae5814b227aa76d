// SPDX-License-Identifier: Apache-2.0
#include "tools/slurm/answer.hpp"

#include <gtest/gtest.h>

#include "tools/doctor/program/prolog.hpp"

namespace nettune::tools::slurm {
namespace {

namespace doctor = tools::doctor::program;

TEST(SlurmAnswer, IsWhatDoctorPrints) {
  const doctor::Drain drain{"pci-gone: 0000:19:00.0: it is gone", {}, "pci-gone", "0000:19:00.0"};
  const auto answer = parse_answer("libnvidia: a warning\n" +
                                   doctor::prolog_json(drain,
                                                       {{"gpu-xid", "0000:1a:00.0", "good"},
                                                        {"rdma-port", "mlx5_0/1", "ignored"},
                                                        {"gpu-ecc", "", "unknown"},
                                                        {"pci-gone", "0000:19:00.0", "fault"}},
                                                       ""));
  ASSERT_TRUE(answer) << answer.error().text;
  EXPECT_TRUE(answer->drain);
  EXPECT_EQ(answer->fault, (Subject{"pci-gone", "0000:19:00.0"}));
  EXPECT_EQ(answer->text, "pci-gone: 0000:19:00.0: it is gone");
  EXPECT_EQ(answer->good,
            (std::vector<Subject>{{"gpu-xid", "0000:1a:00.0"}, {"rdma-port", "mlx5_0/1"}}));
}

TEST(SlurmAnswer, NotesAndErrorsAreNoPass) {
  const auto notes = parse_answer(doctor::prolog_json({"", {"gpu-nvlink: later"}}, {}, ""));
  ASSERT_TRUE(notes);
  EXPECT_FALSE(notes->drain);
  EXPECT_EQ(notes->notes, std::vector<std::string>{"gpu-nvlink: later"});
  const auto error = parse_answer(doctor::prolog_json({}, {}, "no rules"));
  ASSERT_FALSE(error);
  EXPECT_EQ(error.error().text, "no rules");
}

TEST(SlurmAnswer, AnythingElseIsAnError) {
  for (
      const char* const bad :
      {"", "{", "[]", "nettune doctor: no fault that drains the node\n", "{\"kind\":\"doctor\"}",
       R"({"kind":"doctor-prolog","drain":"no","rules":[],"notes":[],"error":null})",
       R"({"kind":"doctor-prolog","drain":true,"finding":null,"rules":[],"notes":[],"error":null})"})
    EXPECT_FALSE(parse_answer(bad)) << bad;
}

}  // namespace
}  // namespace nettune::tools::slurm
