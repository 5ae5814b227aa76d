// SPDX-License-Identifier: Apache-2.0
#include "tools/nccl/scripts/shell_conditions.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "tools/nccl/scripts/assignments.hpp"

namespace nettune::tools::nccl::scripts {
namespace {

using Words = std::span<const ShellWord>;

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

constexpr std::array<std::string_view, 6> kOpen = {"if", "while", "until", "for", "case", "select"};
constexpr std::array<std::string_view, 4> kClose = {"fi", "done", "esac", "}"};
/// The text after these words is not a command.
constexpr std::array<std::string_view, 3> kHeads = {"for", "case", "select"};
constexpr std::array<std::string_view, 4> kSucceed = {"export", "true", ":", "set"};

/// NAME of [ -z "${NAME+word}" ], or of -n; "" for any other command. With a colon, the test
/// would also be true for an empty variable.
std::string tested_by(std::string_view test_option, Words words) {
  const bool bracket = words.size() == 4 && ((words[0].text == "[" && words[3].text == "]") ||
                                             (words[0].text == "[[" && words[3].text == "]]"));
  const bool test = words.size() == 3 && words[0].text == "test";
  if ((!bracket && !test) || words[1].text != test_option) return {};
  std::string_view text = words[2].text;
  if (!text.starts_with("${") || !text.ends_with('}')) return {};
  text = text.substr(2, text.find('+') - 2);
  return is_variable_name(text) ? std::string(text) : std::string();
}

bool always_succeeds(Words words) {
  const auto assigns = [](const ShellWord& word) {
    return !word.computed && is_variable_name(word.text.substr(0, word.text.find('='))) &&
           word.text.find('=') != std::string::npos;
  };
  return !words.empty() &&
         (is_one_of(kSucceed, words[0].text) || std::ranges::all_of(words, assigns));
}

}  // namespace

void ShellConditions::follow_chain(const ShellCommand& command) {
  if (command.behind == '\0') {
    chain_.reset();
  } else if (command.behind == '&' && !chain_ && succeeded_) {
    return;
  } else {
    chain_ = chain_ ? "" : command.behind == '&' ? test_of_ : set_test_of_;
  }
}

void ShellConditions::open(std::string_view word) {
  if (word == "{") {
    blocks_.push_back({names_function_ ? Condition("") : chain_, names_function_});
    blocks_.back().repeats = names_function_;
  } else {
    const bool is_if = word == "if";
    blocks_.push_back({"", false, is_if, !chain_, is_if ? ++ifs_ : 0});
    blocks_.back().repeats = !is_if && word != "case";
  }
}

void ShellConditions::enter(const ShellCommand& command) {
  follow_chain(command);
  parentheses_ = command.parentheses;
  Words words(command.words);
  bool negated = false;
  for (; !words.empty() && !words[0].quoted; words = words.subspan(1)) {
    const std::string_view word = words[0].text;
    if (is_one_of(kOpen, word) || word == "{") {
      open(word);
    } else if (is_one_of(kClose, word)) {
      if (!blocks_.empty()) blocks_.pop_back();
    } else if (word == "then" || word == "else" || word == "elif") {
      if (blocks_.empty()) continue;
      blocks_.back().awaits_then = false;
      if (word == "then") continue;
      blocks_.back().condition = "";
      ++blocks_.back().branch;
    } else if (word == "!" || word == "time") {
      negated = true;
    } else if (word != "do") {
      break;
    }
    if (is_one_of(kHeads, word)) words = words.last(1);
  }
  test_of_ = negated || command.piped ? "" : tested_by("-z", words);
  set_test_of_ = negated || command.piped ? "" : tested_by("-n", words);
  succeeded_ = !negated && always_succeeds(words);
  if (!blocks_.empty() && blocks_.back().awaits_then) {
    Block& block = blocks_.back();
    block.condition = block.fresh ? test_of_ : "";
    block.fresh = false;
  }
  names_function_ = !words.empty() &&
                    ((words.size() == 1 && command.before == '(') || words[0].text == "function");
  if (names_function_ && words.size() > 1 && words.back().text == "{") open("{");
  const bool leaves = !words.empty() && (words[0].text == "return" || words[0].text == "exit");
  ended_ = ended_ || (leaves && std::ranges::none_of(blocks_, &Block::function));
}

bool ShellConditions::certain(std::string_view name) const {
  const auto holds = [&](const Condition& condition) { return !condition || *condition == name; };
  return !ended_ && parentheses_ == 0 && holds(chain_) &&
         std::ranges::all_of(blocks_, holds, &Block::condition);
}

bool ShellConditions::only_if_unset(std::string_view name) const {
  const auto tests = [](const Condition& condition) { return condition.has_value(); };
  return certain(name) && (tests(chain_) || std::ranges::any_of(blocks_, tests, &Block::condition));
}

std::vector<std::pair<int, int>> ShellConditions::branches() const {
  constexpr std::size_t kMost = 8;
  constexpr std::size_t kMostOpen = 64;  // of csh nothing closes them
  std::vector<std::pair<int, int>> found;
  if (blocks_.size() > kMostOpen || std::ranges::any_of(blocks_, &Block::repeats)) return found;
  for (std::size_t i = blocks_.size(); i-- > 0 && found.size() < kMost;)
    if (blocks_[i].number != 0) found.emplace_back(blocks_[i].number, blocks_[i].branch);
  return found;
}

}  // namespace nettune::tools::nccl::scripts
