// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/messages.hpp"
#include "cli/print_json.hpp"
#include "cli/print_text.hpp"

namespace nettune::cli::commands {

namespace {

std::vector<std::string> message_ids(const std::vector<Message>& all) {
  std::vector<std::string> ids;
  for (const Message& message : all) ids.push_back(message.id);
  return ids;
}

struct ExplainCommand : GlobalOptions {
  std::vector<std::string> words;  ///< ids; a person types "not permitted"

  Options options() {
    return {{"id", "", "An exit code, a flag, a word of plan or check, an id in brackets", &words}};
  }

  static std::vector<std::string> candidates(node::Context& context,
                                             std::span<const std::string> before) {
    std::string gap;
    const auto all = all_messages(context.disk(), gap);
    return before.size() == 1 && all ? message_ids(*all) : std::vector<std::string>();
  }

  Result<node::Exit> run(node::Context& context, Output& output) const;
};

/// Names what is close, or where the answer may be.
Failure unknown_message(const std::vector<Message>& all, const std::string& typed,
                        const std::string& gap) {
  std::vector<std::string> known = message_ids(all);
  for (const Message& message : all)
    known.insert(known.end(), message.also.begin(), message.also.end());
  const auto near = nearest(message_id(typed), known);
  const bool is_file = typed.find_first_of("./") != std::string::npos;
  return fail(Errc::invalid,
              cat("there is no message '", printable(typed), "'",
                  near ? cat(" (did you mean '", *near, "'?)") : "",
                  is_file ? "; for a log of NCCL: nettune nccl explain FILE" : "",
                  "; nettune explain lists all", gap.empty() ? "" : cat(", without rules: ", gap)));
}

/// The words as one id, "not permitted", or as several.
std::vector<Message> messages_of(const std::vector<Message>& all,
                                 const std::vector<std::string>& asked) {
  std::vector<Message> found = find_messages(all, message_id(join(asked, " ")));
  if (!found.empty()) return found;
  for (const std::string& word : asked) {
    const std::vector<Message> of_word = find_messages(all, message_id(word));
    if (of_word.empty()) return {};
    found.insert(found.end(), of_word.begin(), of_word.end());
  }
  return found;
}

Result<node::Exit> ExplainCommand::run(node::Context& context, Output& output) const {
  std::string gap;
  TRY_ASSIGN(const std::vector<Message> all, all_messages(context.disk(), gap));
  const std::vector<Message> found = words.empty() ? all : messages_of(all, words);
  if (found.empty()) return unknown_message(all, join(words, " "), gap);
  if (json) {
    output.print(json::messages(found));
    return node::Exit::done;
  }
  if (words.empty()) {
    output.print(text::messages(found, output.style()));
    if (!gap.empty()) output.print("\n" + text::notes({gap}, output.style()));
    return node::Exit::done;
  }
  for (const Message& message : found)
    output.print(
        cat(&message == &found.front() ? "" : "\n", text::message(message, output.style())));
  return node::Exit::done;
}

}  // namespace

Command explain_command() { return make_command<ExplainCommand>(); }

}  // namespace nettune::cli::commands
