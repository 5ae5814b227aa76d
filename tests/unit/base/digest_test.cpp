// SPDX-License-Identifier: Apache-2.0
#include "base/digest.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crc32c.hpp"

namespace nettune::inline base {
namespace {

TEST(BaseDigest, KnowsPublishedVectors) {
  // FIPS 180-4 and RFC 3720, appendix B.4.
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAU);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62A8AB43U);
  EXPECT_EQ(crc32c("123456789"), 0xE3069283U);
  EXPECT_EQ(crc32c("6789", crc32c("12345")), 0xE3069283U);
}

}  // namespace
}  // namespace nettune::inline base
