// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/nccl/log/judge/verdict.hpp"

namespace nettune::tools::nccl::log::judge {

using Texts = std::vector<std::string>;

std::set<std::string> hosts_of(const Log& log);

/// More than one node takes part, as far as the log says.
bool is_of_several_nodes(const Log& log, const Verdict& verdict);

/// Adds "NCCL_IB_DISABLE is 1", with how many say so where not all do. Where `telling` values are
/// given, no other one is a reason.
void add_variable(const Log& log, std::string_view name, Texts& into,
                  const std::set<std::string_view>& telling = {});

/// "n0, n1": the first four, and how many more.
std::string names(const std::set<std::string>& all);

/// ": one; two", or that the log has none, with `hint` behind it.
std::string reasons(const Texts& texts, const char* hint);

/// What an interface is that other nodes do not reach, or seldom should use, by its name, else by
/// `address`, where that is given: inside a container docker's bridge is an eth0. "" for others.
std::string_view kind_of(std::string_view interface, std::string_view address = {});

/// Interface and address of "[0]eth0:10.0.0.1<0>".
std::pair<std::string_view, std::string_view> parts_of(std::string_view text);

}  // namespace nettune::tools::nccl::log::judge
