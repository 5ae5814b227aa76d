// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nettune::tools::nccl::log {

/// What nccl-tests says of the ranks that it lists above a table, of all tables together.
struct TestsRanks {
  /// GPUs of which several ranks are.
  struct Shared {
    std::vector<std::uint32_t> ranks;
    std::string place;        ///< "host n1, device 0 [0x1b]"
    bool is_certain = false;  ///< of one process; else hosts may have one name
    bool has_domain = false;  ///< of PCI, in its address
  };

  std::set<std::uint32_t> listed;  ///< of which the log has the line
  std::set<std::string> hosts;     ///< their names
  std::set<std::uint32_t> twice;   ///< that several processes are, before there are results
  std::uint32_t ranks = 0;         ///< of the largest list; 0: there is none
  std::set<std::uint32_t> whole;   ///< numbers of ranks of lists that have all, and their end
  std::size_t whole_hosts = 0;     ///< of the largest list, where it is whole
  /// Of each rank of the lists of that size without a gap, the hosts and process ids ("" for none);
  /// in the end empty where NCCL's lines are not of these processes.
  std::map<std::uint32_t, std::set<std::pair<std::string, std::string>>> places;
  std::vector<Shared> shared;  ///< the first few
  /// Runs of one file that came one after the other: the most of a file, how many of these were
  /// followed to the line "Out of bounds values", and how many began in all files.
  std::size_t runs = 0;
  std::size_t ended = 0;
  std::size_t begun = 0;
};

/// Follows such a list line by line.
class TestsListing {
 public:
  void take(std::string_view line, TestsRanks& into);
  /// The heading of a table ends it as well.
  void end(TestsRanks& into);
  /// Keeps where the ranks of a list without an end are. Such a list may be cut.
  void end_file(TestsRanks& into);
  /// Results were there, or somebody said that the run ended: what is listed from now on is of
  /// another one.
  void end_run(bool has_results);
  bool waits() const { return !ranks_.empty() && others_ < kMostOthers; }
  void begin_file();

 private:
  static constexpr int kMostOthers = 64;
  struct Place {
    std::string host;
    std::string device;
    std::string bus;  ///< "[0x1b]", "[0000:1b:00]"; "" for none, and of a part of a GPU
    std::string pid;
    bool operator==(const Place&) const = default;
  };
  void clear();
  void count_run(TestsRanks& into);
  bool has_all() const;  ///< up to the last of them
  bool take_rank(std::string_view line, TestsRanks& into);
  void keep_places(TestsRanks& into) const;
  void find_shared(TestsRanks& into) const;

  std::map<std::uint32_t, Place> ranks_;
  bool is_mixed_ = false;                           ///< of several programs at once
  int others_ = 0;                                  ///< lines since the last rank
  std::map<std::uint32_t, std::string> processes_;  ///< host and pid of each rank of this run
  std::size_t runs_ = 0;                            ///< of this file
  std::size_t ended_ = 0;                           ///< of them, with results
  bool is_over_ = true;                             ///< the last of them
};

}  // namespace nettune::tools::nccl::log
