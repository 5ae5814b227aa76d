// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/print_json.hpp"

/// The parts of the documents of print_json.hpp: a setting, a plan, a report, a state.
namespace nettune::cli::json {

using Json = nlohmann::ordered_json;

Json envelope(std::string_view kind);
std::string text(const Json& document);
std::string line(const Json& document);
Json value(const Value& value);
Json text_or_null(const std::string& text);
Json origin_json(const Origin& origin);
Json setting_json(const Setting& setting);
Json item_json(const PlanItem& item);
Json passages_json(const std::vector<firewall::RequiredTraffic>& passages);
Json warnings_json(const Plan& plan, const std::vector<node::Warning>& others = {});
Json plan_json(const node::Planned& planned, const std::map<std::string, std::string>& set);
Json error_json(const Error& error);
Json report_json(const std::optional<Report>& report);
Json transaction_json(const Transaction& transaction);
Json hold_json(const std::optional<Hold>& hold);
Json state_json(const node::StateView& state);

}  // namespace nettune::cli::json
