// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// One HTML file about many nodes, from what they printed as JSON.
namespace nettune::tools::report {

/// What something costs a job. Of a node: its worst finding; good: none, by a document that says
/// so; unknown: no document says.
enum class Level : std::uint8_t { fails, slows, may, good, unknown };
inline constexpr std::size_t kLevels = 5;
std::string_view level_word(Level level);

/// Indices into Page::nodes, ascending.
using Nodes = std::vector<std::uint32_t>;

/// Something to do, and the part of the page that shows it ("#mesh").
struct Step {
  Level level = Level::may;
  bool is_fault = true;  ///< sorted before what is only advised
  std::string text;
  std::string remedy;
  Nodes nodes;
  std::string link;
  std::string why = {};
};

/// A rule of doctor that found something, with the texts that all its findings share.
struct Rule {
  std::string id;
  Level level = Level::may;
  std::string why;
  std::string remedy;  ///< of its first finding: it may name a device
  std::string source;
  Nodes nodes;
};

/// A finding about one node.
struct Item {
  Level level = Level::may;
  int rule = -1;  ///< index into Page::rules; -1: `what` says all
  std::string what;
  std::string device;
  std::string seen;
  std::string remedy;
  std::string because;  ///< the rule that explains it
};

struct PageNode {
  std::string name;
  Level level = Level::unknown;
  int group = -1;
  std::vector<Item> items;  ///< the worst first
  /// What else names it: "differs from the others", "drift". Each is a text.
  std::vector<std::string> also;
  std::vector<std::string> lines;    ///< plain facts: release, kernel, documents
  std::vector<std::string> history;  ///< the newest first
  std::vector<std::string> unknown;  ///< what its documents could not say
};

/// Nodes that were compared with each other.
struct PageGroup {
  std::string name;  ///< "A"; "" for the only one
  std::string what;
  Nodes nodes;
};

/// A difference that compare found.
struct Difference {
  std::string word;  ///< fails, slows, may, mixed
  Level level = Level::may;
  std::string group;
  std::string where;
  std::vector<std::pair<std::string, Nodes>> others;
  std::string majority;  ///< "28.39.1002 on 1,012"
  std::string why;
  std::string also;
};

struct MeshPair {
  std::uint32_t a = 0;  ///< indices into Mesh::names
  std::uint32_t b = 0;
  std::string rail;
  std::optional<double> gbps;
  std::optional<double> expected;
  std::string state;  ///< good, bad, missing, unjudged
};

struct Mesh {
  std::string file;
  std::string time;
  std::vector<std::string> names;
  std::vector<std::pair<std::string, std::vector<std::string>>> leaves;  ///< empty: not known
  std::vector<MeshPair> pairs;
  double median = 0;
  std::string undecided;
  std::vector<std::string> missing;
  struct Finding {
    std::string where;
    std::vector<std::string> nodes;
    std::string rail;
    std::string leaf;
  };
  std::vector<Finding> findings;
};
std::string finding_text(const Mesh::Finding& finding);

/// A result of `nettune ab`, in per cent; above 0, B is better.
struct Judged {
  std::string name;  ///< of a stratum; "" for the whole
  std::string verdict;
  std::optional<double> estimate;
  std::optional<double> low;
  std::optional<double> high;
  std::string blocks;
};
struct Experiment {
  std::string file;
  std::string time;
  std::string host;
  std::string a;
  std::string b;
  std::string metric;
  std::string confidence;  ///< "95"
  double delta = 0;        ///< in per cent
  std::vector<Judged> judged;
  std::vector<std::string> notes;
};

/// An event of one node. `seconds` are since 1970; 0: its time is not known.
struct Event {
  enum class Kind : std::uint8_t { applied, undone, unfinished, reboot, hold, drift, seen };
  Kind kind = Kind::applied;
  long long seconds = 0;
  std::string text;
};
struct Timeline {
  std::uint32_t node = 0;
  bool has_trouble = false;  ///< drift, a hold, or a change that is not finished
  std::string now;           ///< "generation 3, rocev2-200g: drift in 2 settings"
  std::vector<Event> events;
};

struct Version {
  std::string what;
  std::vector<std::pair<std::string, Nodes>> values;  ///< the most frequent first
};

/// What is missing or not known.
struct Gap {
  std::string what;
  std::string why;
  Nodes nodes;
  std::string next;  ///< the command that would show it
};

struct Page {
  std::string title;
  std::string told;                  ///< what the colours mean here
  std::vector<std::string> sources;  ///< "10,000 facts", "8 doctor"
  std::string newest;
  std::string oldest;
  std::vector<PageNode> nodes;
  std::vector<PageGroup> groups;
  std::vector<Step> steps;
  std::vector<Rule> rules;
  bool was_compared = false;
  std::vector<Difference> differences;
  std::vector<std::string> alone;
  std::vector<Mesh> meshes;
  std::vector<Experiment> experiments;
  std::vector<Timeline> timelines;
  std::vector<Version> versions;
  std::vector<Gap> missing;  ///< documents
  std::vector<Gap> unknown;  ///< what documents say that they do not know
  std::vector<std::pair<std::string, std::string>> not_read;  ///< file and why
  std::vector<std::pair<std::string, std::string>> left_out;  ///< older documents
};

/// The whole file. Above kMostBytes the articles of nodes are cut, and say so.
inline constexpr std::size_t kMostBytes = 7'500'000;
std::string write_page(const Page& page);

/// How many nodes have each level.
std::array<std::size_t, kLevels> count_levels(const Page& page);

}  // namespace nettune::tools::report
