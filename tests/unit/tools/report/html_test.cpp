// SPDX-License-Identifier: Apache-2.0
#include "tools/report/html.hpp"

#include <gtest/gtest.h>

namespace nettune::tools::report {
namespace {

TEST(ReportHtml, NothingOfATextIsMarkup) {
  EXPECT_EQ(escaped("<b a='1' c=\"2\">&amp;"), "&lt;b a=&#39;1&#39; c=&quot;2&quot;&gt;&amp;amp;");
  EXPECT_EQ(escaped("gpu003 (rack \xC3\xA4)"), "gpu003 (rack \xC3\xA4)");
}

TEST(ReportHtml, WhatCannotBeSeenIsMadeVisible) {
  EXPECT_EQ(escaped("a\nb"), "a\\nb");
  EXPECT_EQ(escaped(std::string("a\0b", 3)).find('\0'), std::string::npos);
  const std::string turned = "x\xE2\x80\xAEgpj";  // right-to-left override
  EXPECT_EQ(escaped(turned).find("\xE2\x80\xAE"), std::string::npos);
  EXPECT_EQ(escaped("\xFFz").find('\xFF'), std::string::npos);
}

TEST(ReportHtml, Base64) {
  EXPECT_EQ(base64_of_hex(""), "");
  EXPECT_EQ(base64_of_hex("61"), "YQ==");
  EXPECT_EQ(base64_of_hex("6162"), "YWI=");
  EXPECT_EQ(base64_of_hex("616263"), "YWJj");
  EXPECT_EQ(base64_of_hex("61626364"), "YWJjZA==");
  EXPECT_EQ(base64_of_hex("fbff"), "+/8=");
}

TEST(ReportHtml, TimesAreSecondsOrUnknown) {
  EXPECT_EQ(seconds_of("1970-01-02T00:00:01Z"), 86401);
  EXPECT_EQ(seconds_of("2026-08-21T06:18:00Z"), 1787293080);
  for (const char* const wrong : {"", "yesterday", "2026-13-01T00:00:00Z", "2026-08-21 06:18:00Z",
                                  "2026-08-21T06:18:00+02:00", "2026-08-xxT06:18:00Z"})
    EXPECT_EQ(seconds_of(wrong), 0) << wrong;
}

}  // namespace
}  // namespace nettune::tools::report
