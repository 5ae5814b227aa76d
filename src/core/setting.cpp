// SPDX-License-Identifier: Apache-2.0
#include "core/setting.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace nettune::inline core {

std::string_view kind_of(std::string_view address) { return address.substr(0, address.find(':')); }

std::string_view rest_of(std::string_view address) {
  const auto colon = address.find(':');
  return colon == std::string_view::npos ? std::string_view() : address.substr(colon + 1);
}

std::string_view Address::body() const {
  const std::string_view all = rest();
  return all.substr(0, all.find('#'));
}

std::string_view Address::object() const {
  const std::string_view all = body();
  return all.starts_with('/') ? all : all.substr(0, all.find(':'));
}

std::string_view Address::key() const {
  const std::string_view all = body();
  const std::size_t length = object().size();
  return length == all.size() ? std::string_view() : all.substr(length + 1);
}

std::string_view Address::element() const {
  const std::string_view all = rest();
  const auto hash = all.find('#');
  return hash == std::string_view::npos ? std::string_view() : all.substr(hash + 1);
}

std::string_view relation_text(Relation relation) {
  switch (relation) {
    case Relation::exact:
      return "";
    case Relation::at_least:
      return ">= ";
    case Relation::at_most:
      return "<= ";
  }
  return "";
}

namespace {

/// Both texts as lists of integers of the same length; nothing if they are not.
struct NumberLists {
  std::vector<std::string_view> want;
  std::vector<std::string_view> now;
};

std::optional<NumberLists> as_numbers(const Value& want, const Value& now) {
  if (!want || !now) return {};
  NumberLists lists{words(*want), words(*now)};
  if (lists.want.size() != lists.now.size()) return {};
  const bool integers = std::all_of(lists.want.begin(), lists.want.end(), is_integer) &&
                        std::all_of(lists.now.begin(), lists.now.end(), is_integer);
  if (!integers) return {};
  return lists;
}

bool member_holds(Relation relation, std::string_view want, std::string_view now) {
  const int order = compare_integers(now, want);
  return relation == Relation::at_least ? order >= 0 : order <= 0;
}

}  // namespace

bool satisfies(Relation relation, const Value& want, const Value& now) {
  if (want == now) return true;
  if (relation == Relation::exact) return false;
  const auto lists = as_numbers(want, now);
  if (!lists) return false;
  for (std::size_t i = 0; i < lists->want.size(); ++i)
    if (!member_holds(relation, lists->want[i], lists->now[i])) return false;
  return true;
}

Value value_to_write(Relation relation, const Value& want, const Value& now) {
  if (relation == Relation::exact) return want;
  const auto lists = as_numbers(want, now);
  if (!lists) return want;
  std::vector<std::string> members;
  for (std::size_t i = 0; i < lists->want.size(); ++i)
    members.emplace_back(member_holds(relation, lists->want[i], lists->now[i]) ? lists->now[i]
                                                                               : lists->want[i]);
  return join(members, " ");
}

}  // namespace nettune::inline core
