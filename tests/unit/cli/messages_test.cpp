// SPDX-License-Identifier: Apache-2.0
#include "cli/messages.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "cli/print_text.hpp"

namespace nettune::cli {
namespace {

std::vector<Message> built_in() {
  auto all = built_in_messages();
  EXPECT_TRUE(all) << all.error().text;
  return all ? *all : std::vector<Message>();
}

TEST(CliMessages, AnIdIsWhatAPersonTypesOrCopies) {
  EXPECT_EQ(message_id("--allow-busy"), "allow-busy");
  EXPECT_EQ(message_id("[ib-retry-exceeded]"), "ib-retry-exceeded");
  EXPECT_EQ(message_id("NOT PERMITTED:"), "not-permitted");
  EXPECT_EQ(message_id("not_in_version"), "not-in-version");
  EXPECT_EQ(message_id("kept, changed  by others"), "kept-changed-by-others");
  EXPECT_EQ(message_id(" -- "), "");
  EXPECT_EQ(message_id(""), "");
}

TEST(CliMessages, ANumberIsAnExitCodeOrElseAnXid) {
  const auto all = built_in();
  const auto ids = [&](const std::string& id) {
    std::vector<std::string> found;
    for (const Message& message : find_messages(all, id)) found.push_back(message.id);
    return join(found, " ");
  };
  EXPECT_EQ(ids("8"), "exit-8");
  EXPECT_EQ(ids("79"), "xid-79");
  EXPECT_EQ(ids("xid-8"), "xid-8");
  EXPECT_EQ(ids("on-hold"), "held");
  EXPECT_EQ(ids("conflict"), "conflict nccl-conflict");
  EXPECT_EQ(ids("3000"), "");
  EXPECT_EQ(ids(""), "");
}

TEST(CliMessages, AMistakeInTheCatalogueIsNamedWithItsLine) {
  const auto text_of = [](std::string_view text) {
    const auto all = parse_messages(text);
    return all ? std::string("none") : cat(all.error().line, ": ", all.error().text);
  };
  const std::string good =
      "[[message]]\nid = \"a\"\ngroup = \"flag\"\nmeans = \"m\"\nmore = \"p.md\"\n";
  EXPECT_EQ(text_of(good + "do = [\"d\"]\n"), "none");
  EXPECT_EQ(text_of(good), "1: a message needs do = [\"...\"]");
  EXPECT_NE(
      text_of("[[message]]\nid = \"a\"\ngroup = \"flags\"\n").find("use one of exit code, flag"),
      std::string::npos);
  EXPECT_NE(text_of("[[message]]\n").find("needs id"), std::string::npos);
  EXPECT_NE(text_of("x = 1\n").find("only [[message]]"), std::string::npos);
}

TEST(CliMessages, AMessageIsPrintedWithWhatToDo) {
  const Message message{"allow-x",        MessageGroup::flag, {}, "First sentence. Second.",
                        {"One.", "Two."}, "plan.md"};
  EXPECT_EQ(text::message(message, {}),
            "allow-x (flag --allow-x)\n"
            "  means  First sentence. Second.\n"
            "  do     One.\n"
            "         Two.\n"
            "  more   docs/plan.md\n");
  EXPECT_EQ(text::messages({message}, {}),
            "Flags that messages name\n  allow-x  First sentence.\n");
  Style narrow;
  narrow.width = 40;
  const std::string list = text::messages(built_in(), narrow);
  for (const std::string_view line : split(list, '\n')) EXPECT_LE(line.size(), 72U) << line;
}

}  // namespace
}  // namespace nettune::cli
