// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/disk.hpp"
#include "base/result.hpp"
#include "base/word_table.hpp"
#include "checks/advice.hpp"

/// What nettune prints, by an id: what it means, and what to do.
namespace nettune::cli {

/// In the order of the list.
enum class MessageGroup { exit_code, flag, answer, rule, lint, cause, xid };
inline constexpr auto kMessageGroups = word_table<MessageGroup>({
    {MessageGroup::exit_code, "exit code"},
    {MessageGroup::flag, "flag"},
    {MessageGroup::answer, "answer"},
    {MessageGroup::rule, "rule"},
    {MessageGroup::lint, "lint"},
    {MessageGroup::cause, "cause"},
    {MessageGroup::xid, "xid"},
});
/// "What plan, check, status and doctor say"
std::string_view heading_of(MessageGroup group);

struct Message {
  std::string id;  ///< "exit-3", "allow-busy", "xid-79"
  MessageGroup group = MessageGroup::answer;
  std::vector<std::string> also;  ///< other ids under which it is found
  std::string means;
  std::vector<std::string> act;  ///< what to do, the first thing first
  std::string more;              ///< a page of docs: "confirm.md"
};

/// The text of catalog/messages.toml. Errors name the line.
Result<std::vector<Message>> parse_messages(std::string_view text);
/// The messages that are part of the program: all but the rules.
Result<std::vector<Message>> built_in_messages();
Message message_of(const checks::Rule& rule);
/// All, by group. Without rules where their files cannot be read; `gap` then says why.
Result<std::vector<Message>> all_messages(Disk& disk, std::string& gap);

/// What a person types or copies as an id: "--allow-busy", "[gpu-ecc]", "NOT PERMITTED", "Xid 79".
std::string message_id(std::string_view typed);
/// The messages of an id, mostly one. "3" is the exit code, "79" the Xid.
std::vector<Message> find_messages(const std::vector<Message>& all, const std::string& id);
/// The first sentence of what it means.
std::string in_short(const Message& message);

}  // namespace nettune::cli
