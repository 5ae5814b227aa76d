// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/secrets.hpp"

#include <gtest/gtest.h>

namespace nettune::tools::doctor {
namespace {

TEST(DoctorSecrets, ANameSaysWhetherItsValueIsOne) {
  for (const char* const name : {"API_TOKEN", "wandb-api-key", "password", "AWS_SECRET_ACCESS_KEY",
                                 "HF_TOKEN", "db.passwd", "OS_AUTH", "Credentials"})
    EXPECT_TRUE(is_secret_name(name)) << name;
  for (const char* const name :
       {"NCCL_IB_PKEY", "keyboard", "NCCL_SOCKET_IFNAME", "author", "passages", "monkey", ""})
    EXPECT_FALSE(is_secret_name(name)) << name;
}

TEST(DoctorSecrets, TheyGoFromATextAndTheRestStays) {
  EXPECT_EQ(without_secrets("export HF_TOKEN=hf_abc123 NCCL_DEBUG=INFO\n"),
            "export HF_TOKEN=(left out) NCCL_DEBUG=INFO\n");
  EXPECT_EQ(without_secrets("API_KEY=\"a b c\"\nX=1"), "API_KEY=(left out)\nX=1");
  EXPECT_EQ(without_secrets("password: hunter2, user: bob"), "password: (left out), user: bob");
  EXPECT_EQ(without_secrets("https_proxy=http://bob:hunter2@proxy:3128/"),
            "https_proxy=http://(left out)@proxy:3128/");
  EXPECT_EQ(without_secrets("see https://example.org/a@b and ssh://git@host/x"),
            "see https://example.org/a@b and ssh://git@host/x");
  EXPECT_EQ(without_secrets("TOKEN="), "TOKEN=");
  EXPECT_EQ(without_secrets("KEY='no end"), "KEY=(left out)");
  EXPECT_EQ(without_secrets("the key is under the mat"), "the key is under the mat");
}

TEST(DoctorSecrets, TheyGoFromADocumentByTheNameOfWhatItIsAbout) {
  const std::string text = without_secrets_json(R"({"items": [
    {"address": "nccl.conf:WANDB_API_KEY", "want": "abc", "now": {"text": "def"}, "writes": true},
    {"address": "nccl.conf:NCCL_DEBUG", "want": "INFO"}],
    "vars": {"token": "xyz", "mtu": "9000"}, "notes": ["HF_TOKEN=hf_1 is set"]})");
  for (const char* const secret : {"abc", "def", "xyz", "hf_1"})
    EXPECT_EQ(text.find(secret), std::string::npos) << text;
  for (const char* const kept : {"nccl.conf:WANDB_API_KEY", "INFO", "9000", "\"writes\": true"})
    EXPECT_NE(text.find(kept), std::string::npos) << text;
}

TEST(DoctorSecrets, NothingOfWhatIsNoDocumentStays) {
  const std::string document = R"({"address": "nccl.conf:API_KEY", "want": "abc"})";
  for (const std::string& text :
       {document + "\nwarning: x\n", document.substr(1), document.substr(0, 46)}) {
    ASSERT_NE(text.find("abc"), std::string::npos) << text;
    EXPECT_EQ(without_secrets_json(text).find("abc"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace nettune::tools::doctor
