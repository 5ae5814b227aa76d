// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tools/compare/fleet.hpp"
#include "tools/report/page.hpp"

namespace nettune::tools::report {

struct DoctorFinding {
  std::string rule;
  std::string verdict;
  std::string device;
  std::string seen;
  std::string costs;
  std::string why;  ///< this and the next two only of what is bad
  std::string remedy;
  std::string source;
  std::string because;
};
/// Of doctor's findings those that are bad and count, or that it could not decide.
struct DoctorSeen {
  std::string verdict;
  std::vector<DoctorFinding> bad;
  std::vector<DoctorFinding> open;
};

struct FactsSeen {
  std::string machine;
  std::string boot;
  std::vector<std::pair<std::string, std::string>> versions;
};

/// What check, history and status say of the state directory.
struct StateSeen {
  std::string generation;  ///< "" for none
  std::string profile;
  std::string journal;
  std::string unreadable;
  std::size_t debts = 0;
  std::string hold_who;  ///< "" for no hold
  std::string hold_since;
  std::string hold_why;
};

struct Drifted {
  std::string address;
  std::string want;
  std::string now;
  std::string verdict;
  std::string origin;
  std::string why;
};
struct CheckSeen {
  std::string verdict;
  std::string settings;
  std::string skipped;
  std::vector<Drifted> apart;
  /// Name and reason: required traffic that is dropped, and what is not known.
  std::vector<std::pair<std::string, std::string>> dropped;
  std::vector<std::pair<std::string, std::string>> unknown;
  StateSeen state;
};

struct Change {
  std::string number;
  std::string action;
  std::string profile;
  std::string time;
  std::string who;
  std::string boot;
  std::string result;
  std::string reason;
  std::size_t changes = 0;
};
struct HistorySeen {
  std::vector<Change> changes;
  StateSeen state;
};
struct StatusSeen {
  std::vector<std::string> reboot_owed;
  StateSeen state;
};

/// One document about a node.
struct Seen {
  std::string kind;
  std::string node;
  std::string file;
  std::string time;           ///< UTC; "" if it is not known
  bool is_file_time = false;  ///< the document has none: that of its file
  int in_fleet = -1;          ///< its place in compare's fleet, before finish()
  std::variant<std::monostate, DoctorSeen, FactsSeen, CheckSeen, HistorySeen, StatusSeen> what;
};

/// All documents that a reader, or several, took.
struct Documents {
  std::vector<Seen> seen;
  std::vector<Mesh> meshes;
  std::vector<Experiment> experiments;
};

/// Takes documents for the page, and for compare those that it compares.
class Reader : public compare::Gatherer {
 public:
  explicit Reader(const compare::Rules& rules) : Gatherer(rules) {}
  void begin_file(std::string file) override;
  void take(const compare::Document& document) override;
  Documents& documents() { return documents_; }

 private:
  std::string file_time_;
  Documents documents_;
};

}  // namespace nettune::tools::report
