// SPDX-License-Identifier: Apache-2.0
//
// Most logs in issues are parts of logs: the begin or the end is missing, also within a line, lines
// are left out, or only one process's are there. Whatever is said of a part must be true of the
// whole log: these tests cut whole logs at every line and compare.
#include <algorithm>
#include <functional>
#include <set>

#include "base/text.hpp"
#include "tools/nccl/log/cursor.hpp"
#include "unit/tools/nccl/log/cases.hpp"
#include "unit/tools/nccl/log/fixture.hpp"

namespace nettune::tools::nccl::log {
namespace {

const std::map<std::string, std::string>& whole_logs() {
  static const std::map<std::string, std::string> all = [] {
    // parts-of-logs.cases has shapes of lines that the files in tests/nccl_logs do not have.
    std::map<std::string, std::string> both = logs();
    for (const Written& one : written_cases())
      if (one.subject() == "parts-of-logs") both[one.name] = one.log;
    return both;
  }();
  return all;
}

/// A log without the blank line at its end that the fixture's has: it may be cut.
struct Part {
  Log log;
  judge::Verdict verdict;
  explicit Part(const std::string& text) : log(read(text)), verdict(judge::judge(log, causes())) {}
};

/// What a part says and the whole log does not: the first of it, or "".
class Beyond {
 public:
  Beyond(const std::string& text, const Part& whole, const Part& part)
      : text_(text), whole_(whole), part_(part) {}

  std::string find() {
    processes();
    names();
    waits();
    edges();
    remarks();
    details();
    return found_;
  }

 private:
  void check(bool is_true, const std::string& what) {
    if (!is_true && found_.empty()) found_ = what;
  }
  bool stands(const std::string& text) const { return text_.find(text) != std::string::npos; }

  void texts(const char* what, const std::vector<std::uint32_t>& ids,
             const std::vector<std::uint32_t>& all) {
    for (const std::uint32_t id : ids) {
      const std::string& text = part_.log.names.text(id);
      const bool is_there = std::any_of(all.begin(), all.end(), [&](std::uint32_t other) {
        // The last address of several may be cut.
        return whole_.log.names.text(other) == text ||
               whole_.log.names.text(other).starts_with(text + " ");
      });
      check(is_there, cat(what, " '", text, "'"));
    }
  }

  /// Where only the first line names a process, and not exactly one other host ends like its own,
  /// nobody can know that the begin of the name is missing.
  const Process* same(const Process& process) const {
    const Process* like = nullptr;
    for (const Process& other : whole_.log.processes) {
      if (other.pid != process.pid) continue;
      if (other.host == process.host) return &other;
      if (other.host.ends_with(process.host) || process.host.ends_with(other.host)) like = &other;
    }
    return &process == &part_.log.processes.front() ? like : nullptr;
  }

  void processes() {
    for (const Process& process : part_.log.processes) {
      if (process.host.empty()) continue;
      const Process* const other = same(process);
      check(other != nullptr, cat("process ", process.host, ":", process.pid));
      if (other == nullptr) return;
      texts("version", process.versions, other->versions);
      texts("network", process.networks, other->networks);
      texts("reason", process.reasons, other->reasons);
      texts("devices", process.ib, other->ib);
      texts("oob", process.oob, other->oob);
      texts("sockets", process.sockets, other->sockets);
      texts("bootstrap", process.bootstrap, other->bootstrap);
      texts("GPUDirect", process.gdr, other->gdr);
      for (const std::string& gid : process.gids) check(other->gids.contains(gid), "GID " + gid);
      for (const auto& [name, value] : process.environment) {
        const auto known = other->environment.find(name);
        check(known != other->environment.end() && known->second == value, cat(name, "=", value));
      }
      for (const std::uint32_t device : process.devices)
        check(std::ranges::count(other->devices, device) != 0, cat("device ", device));
      for (const auto& said : process.said)
        check(std::ranges::count(other->said, said) != 0 || is_member(*other, said),
              cat("rank ", said.first, " of ", said.second));
      for (const Membership& one : process.memberships) member(*other, one);
    }
  }

  bool is_member(const Process& other, const std::pair<std::uint32_t, std::uint32_t>& said) const {
    return std::ranges::any_of(other.memberships, [&](const Membership& known) {
      return known.rank == said.first &&
             whole_.log.communicators[known.communicator].ranks == said.second;
    });
  }

  void member(const Process& other, const Membership& one) {
    const std::uint32_t ranks = part_.log.communicators[one.communicator].ranks;
    check(std::ranges::any_of(other.memberships,
                              [&](const Membership& known) {
                                return known.rank == one.rank &&
                                       whole_.log.communicators[known.communicator].ranks ==
                                           ranks &&
                                       (known.complete || !one.complete);
                              }),
          cat("rank ", one.rank, " of a communicator of ", ranks));
  }

  template <typename T>
  void within(const char* what, const std::set<T>& some, const std::set<T>& all) {
    for (const T& one : some) check(all.contains(one), cat(what, " ", one));
  }

  void names() {
    for (const std::string& version : part_.verdict.versions)
      check(std::ranges::any_of(whole_.verdict.versions,
                                [&](const std::string& known) {
                                  return known == version || known.starts_with(version + "+");
                                }),
            "version " + version);
    for (const std::string& network : part_.verdict.networks)
      check(std::ranges::count(whole_.verdict.networks, network) != 0, "network " + network);
    within("size", part_.log.sizes, whole_.log.sizes);
    within("listed rank", part_.log.tests.ranks.listed, whole_.log.tests.ranks.listed);
    for (const auto* const some : {&part_.log.heard, &part_.log.spoke})
      for (const std::uint32_t rank : *some)
        check(stands(cat("[rank", rank, "]")) || stands(cat("Rank ", rank, "]")) ||
                  stands(cat("[1,", rank, "]<")) || stands(cat(" ", rank, ": ")) ||
                  stands(cat("\n", rank, ": ")),
              cat("rank ", rank, " of a line"));
    for (const std::string& host : part_.log.tests.ranks.hosts)
      check(whole_.log.tests.ranks.hosts.contains(host), "listed host " + host);
    for (const Communicator& one : part_.log.communicators)
      check(std::ranges::any_of(whole_.log.communicators,
                                [&](const Communicator& known) {
                                  return known.id == one.id && known.ranks == one.ranks &&
                                         (one.nodes == 0 || one.nodes == known.nodes);
                                }),
            cat("communicator of ", one.ranks, " ranks on ", one.nodes, " nodes"));
    std::set<std::uint32_t> ranks(whole_.verdict.unseen.begin(), whole_.verdict.unseen.end());
    for (const judge::Rank& rank : whole_.verdict.seen) ranks.insert(rank.rank);
    ranks.insert(whole_.verdict.elsewhere.begin(), whole_.verdict.elsewhere.end());
    for (const judge::Rank& rank : part_.verdict.seen)
      check(ranks.contains(rank.rank), cat("rank ", rank.rank));
    check(part_.verdict.ranks <= whole_.verdict.ranks, cat(part_.verdict.ranks, " ranks"));
  }

  template <typename T>
  static bool is_part(const std::optional<T>& some, const std::optional<T>& all) {
    return !some || some == all;
  }

  void waits() {
    for (const auto& one : part_.log.waits) {
      const Wait& wait = one.second;
      const auto known = std::ranges::find_if(whole_.log.waits, [&](const auto& other) {
        // Without "[rank3]:" in front the rank is that in the group.
        return other.second.rank == wait.rank && other.second.sequence == wait.sequence;
      });
      const std::string what = cat("rank ", wait.rank, " at SeqNum ", wait.sequence);
      check(known != whole_.log.waits.end(), what);
      if (known == whole_.log.waits.end()) continue;
      const Wait& other = known->second;
      check(wait.operation.empty() || wait.operation == other.operation, what + wait.operation);
      check(wait.elements == 0 || wait.elements == other.elements, what + ", elements");
      check(wait.timeout_ms == 0 || wait.timeout_ms == other.timeout_ms, what + ", time");
      check(wait.group.empty() || wait.group == other.group, what + wait.group);
      check(is_part(wait.enqueued, other.enqueued), what + ", enqueued");
    }
    for (const auto& [rank, dump] : part_.log.dumps) {
      const auto known = whole_.log.dumps.find(rank);
      check(known != whole_.log.dumps.end(), cat("dump of rank ", rank));
      if (known == whole_.log.dumps.end()) continue;
      const Dump& other = known->second;
      check(dump.timed_out == kNone || dump.timed_out == other.timed_out, "who timed out");
      check(is_part(dump.enqueued, other.enqueued), "dump, enqueued");
      check(is_part(dump.completed, other.completed), "dump, completed");
      check(!dump.none_completed || other.none_completed, "dump, none completed");
    }
    for (const char* const word : {" behind: ", "do not make the same calls", "ever finished"})
      if (join(whole_.verdict.waits, "\n").find(word) == std::string::npos)
        check(join(part_.verdict.waits, "\n").find(word) == std::string::npos, word);
  }

  /// What follows from several lines. Which network is used, and whether GPUs have P2P, a
  /// connection in a later line can show to be otherwise.
  void details() {
    std::set<std::string> named;
    for (const Event& event : whole_.log.events)
      named.insert(event.details.begin(), event.details.end());
    for (const Event& event : part_.log.events) {
      for (const std::string& detail : event.details)
        check(named.contains(detail) ||
                  // The address of a worker may be left out.
                  named.lower_bound(cat(detail, " on ")) != named.lower_bound(cat(detail, " on~")),
              detail);
      for (const std::uint32_t rank : event.group_ranks)
        check(stands(cat("Rank ", rank, "]")), cat("rank ", rank, " of a group"));
    }
    for (const std::uint32_t ring : part_.log.rings)
      check(whole_.log.rings.contains(ring), cat("a ring of ", ring));
    std::set<std::uint32_t> drivers;
    for (const Process& process : whole_.log.processes) drivers.insert(process.cuda_driver);
    for (const Process& process : part_.log.processes)
      check(process.cuda_driver == 0 || drivers.contains(process.cuda_driver), "a driver");
  }

  void remarks() {
    for (const judge::Difference& one : part_.verdict.differences)
      check(std::ranges::any_of(
                whole_.verdict.differences,
                [&](const judge::Difference& known) { return known.what == one.what; }),
            "processes differ in " + one.what);
    const std::string all = join(whole_.verdict.remarks, "\n");
    for (const char* const word :
         {"more than one version", "more than one host", "share a name", "of both kinds",
          "one RDMA device", "RDMA in software", "the bootstrap uses", "SHARP"})
      if (all.find(word) == std::string::npos)
        check(join(part_.verdict.remarks, "\n").find(word) == std::string::npos, word);
  }

  /// A connection in words that do not depend on what else is in the log.
  static std::string name_of(const Log& log, const Edge& edge) {
    const Process& process = log.processes[edge.process];
    return cat(process.host.empty() ? "" : cat(process.host, ":", process.pid), " ", edge.own, " ",
               edge.peer, " ", edge.channel, " ", log.names.text(edge.detail), " ", edge.device,
               " ", edge.proxy, " ", static_cast<int>(edge.index), " ",
               static_cast<int>(edge.transport), static_cast<int>(edge.side), edge.gdr);
  }

  void edges() {
    std::set<std::string> all;
    for (const Edge& edge : whole_.log.edges.all()) {
      all.insert(name_of(whole_.log, edge));
      all.insert(name_of(whole_.log, edge).substr(name_of(whole_.log, edge).find(' ')));
    }
    for (const Edge& edge : part_.log.edges.all()) {
      const std::string name = name_of(part_.log, edge);  // without its host, of the first line
      check(all.contains(edge.process == 0 ? name.substr(name.find(' ')) : name),
            "connection " + name);
    }
    for (std::size_t i = 0; i < 4; ++i)
      check(part_.log.connections[i] <= whole_.log.connections[i], "number of connections");
    check(part_.log.messages <= whole_.log.messages + 1, "number of messages");
  }

  const std::string& text_;
  const Part& whole_;
  const Part& part_;
  std::string found_;
};

std::vector<std::size_t> begins_of_lines(const std::string& text) {
  std::vector<std::size_t> begins = {0};
  for (std::size_t at = text.find('\n'); at != text.npos; at = text.find('\n', at + 1))
    begins.push_back(at + 1);
  return begins;
}

/// Columns within a line: within numbers, at the ends of words, and some more.
std::vector<std::size_t> columns_of(std::string_view line) {
  std::vector<std::size_t> columns;
  for (std::size_t i = 1; i < line.size(); ++i) {
    const bool is_digit = line[i] >= '0' && line[i] <= '9' && line[i - 1] >= '0';
    if (is_digit || line[i] == ' ' || line[i] == '/' || i % 16 == 0) columns.push_back(i);
  }
  return columns;
}

using Check =
    std::function<void(const std::string& name, const std::string& text, const Part& whole)>;

void each_log(const Check& check) {
  for (const auto& [name, text] : whole_logs()) check(name, text, Part(text + "\n"));
}

std::string id_of(std::uint32_t cause) {
  return cause == kNone ? std::string("uncatalogued") : causes()[cause].id;
}

/// The first line, from 1, that says that something went wrong.
std::uint64_t first_error_line(const std::string& text, const Log& log) {
  std::uint64_t first = UINT64_MAX;
  for (const Event& event : log.events) first = std::min(first, event.line);
  // A block of PyTorch counts from the line behind "Last error:".
  std::uint64_t line = 1;
  for (const std::string_view one : split(text, '\n')) {
    for (const char* const word : {"Error: System call", "NCCL error in: ", "==== backtrace"})
      if (one.find(word) != one.npos) first = std::min(first, line);
    ++line;
  }
  return first;
}

TEST(NcclLogPartsOfLogs, NothingIsSaidThatTheWholeLogDoesNotSay) {
  each_log([](const std::string& name, const std::string& text, const Part& whole) {
    const auto begins = begins_of_lines(text);
    const auto expect = [&](const std::string& cut, const std::string& what) {
      const Part part(cut);
      EXPECT_EQ(Beyond(text, whole, part).find(), "") << name << ", " << what << ":\n"
                                                      << cut.substr(0, 600);
    };
    for (std::size_t i = 0; i < begins.size(); ++i) {
      expect(text.substr(0, begins[i]), "begin");
      expect(text.substr(begins[i]), "end");
      for (const std::size_t left_out : {std::size_t{1}, std::size_t{3}, std::size_t{11}}) {
        const std::size_t end = std::min(i + left_out, begins.size() - 1);
        expect(text.substr(0, begins[i]) + text.substr(begins[end]), "lines left out");
      }
    }
    for (const Process& process : whole.log.processes) {
      std::string own;
      for (const std::string_view line : split(text, '\n'))
        if (line.find(cat(process.host, ":", process.pid, ":")) != line.npos)
          own += cat(line, "\n");
      expect(own, "lines of one process");
    }
    for (std::uint32_t rank = 0; rank < 16; ++rank) {
      std::string own;
      for (const std::string_view line : split(text, '\n'))
        if (line.find(cat("[rank", rank, "]")) != line.npos) own += cat(line, "\n");
      expect(own, "lines of one rank");
    }
  });
}

TEST(NcclLogPartsOfLogs, ALineThatIsCutSaysNothingNew) {
  each_log([](const std::string& name, const std::string& text, const Part& whole) {
    const auto begins = begins_of_lines(text);
    for (std::size_t i = 0; i + 1 < begins.size(); ++i) {
      const std::string_view line =
          std::string_view(text).substr(begins[i], begins[i + 1] - begins[i] - 1);
      // What is before the line matters little to it: a few lines are enough.
      const std::size_t before = begins[i < 6 ? 0 : i - 6];
      const std::size_t behind = begins[std::min(i + 6, begins.size() - 1)];
      for (const std::size_t column : columns_of(line)) {
        const std::string begin = text.substr(before, begins[i] + column - before);
        const std::string end = text.substr(begins[i] + column, behind - begins[i] - column);
        // With the newline that an editor adds, and without it in turn.
        for (const std::string& cut : {column % 2 == 0 ? begin : begin + "\n", end}) {
          const Part part(cut);
          EXPECT_EQ(Beyond(text, whole, part).find(), "") << name << ":\n" << cut;
        }
      }
    }
  });
}

TEST(NcclLogPartsOfLogs, BeforeTheFirstErrorThereIsNone) {
  each_log([](const std::string& name, const std::string& text, const Part& whole) {
    const auto begins = begins_of_lines(text);
    const std::uint64_t first = first_error_line(text, whole.log);
    for (std::size_t i = 0; i < begins.size() && i < first; ++i) {
      const Part part(text.substr(0, begins[i]));
      EXPECT_FALSE(part.verdict.first) << name << ", " << i << " lines";
      EXPECT_TRUE(part.log.events.empty() && part.verdict.waits.empty()) << name;
      EXPECT_FALSE(part.verdict.failed) << name;
    }
  });
}

/// Of a begin that contains the line of the first cause, that is the first cause, or something in a
/// line before it that a later line would explain away.
TEST(NcclLogPartsOfLogs, TheFirstCauseStaysTheFirst) {
  each_log([](const std::string& name, const std::string& text, const Part& whole) {
    if (!whole.verdict.first) return;
    const Event& first = whole.log.events[*whole.verdict.first];
    const auto begins = begins_of_lines(text);
    for (std::size_t i = first.line; i < begins.size(); ++i) {
      for (const bool is_within : {false, true}) {
        const std::size_t end =
            i + 1 < begins.size() && is_within ? (begins[i] + begins[i + 1]) / 2 : begins[i];
        const Part part(text.substr(0, end));
        ASSERT_TRUE(part.verdict.first) << name << ", " << i << " lines";
        const Event& event = part.log.events[*part.verdict.first];
        EXPECT_LE(event.line, first.line) << name << ", " << i << " lines: " << event.text;
        // The end of the last line may be missing there, and a trace below it.
        if (event.line == first.line && i > first.line + 6) {
          EXPECT_EQ(id_of(event.cause), id_of(first.cause)) << name << ", " << i << " lines";
        }
      }
    }
  });
}

/// Lines that are left out do not make others into a cause that the whole log does not know.
TEST(NcclLogPartsOfLogs, CausesAreThoseOfTheWholeLog) {
  each_log([](const std::string& name, const std::string& text, const Part& whole) {
    std::set<std::string> known;
    for (const Event& event : whole.log.events) known.insert(id_of(event.cause));
    const auto begins = begins_of_lines(text);
    const auto expect = [&](const std::string& cut) {
      const Part part(cut);
      for (const Event& event : part.log.events) {
        const bool is_weaker =
            event.cause != kNone &&
            (causes()[event.cause].tier == Cause::Tier::echo || causes()[event.cause].ends);
        EXPECT_TRUE(is_weaker || known.contains(id_of(event.cause)))
            << name << ": " << id_of(event.cause) << ": " << event.text << "\n"
            << cut.substr(0, 600);
      }
    };
    for (std::size_t i = 0; i < begins.size(); ++i) {
      expect(text.substr(begins[i]));
      for (std::size_t end = i; end < std::min(i + 12, begins.size()); ++end)
        expect(text.substr(0, begins[i]) + text.substr(begins[end]));
    }
  });
}

/// What an expectation says of a part holds for the whole log: "no" always, "yes" of what each
/// process says once. Of connections a part may lack what is against it.
TEST(NcclLogPartsOfLogs, AnExpectationIsNotContradicted) {
  each_log([](const std::string& name, const std::string& text, const Part& whole) {
    const auto begins = begins_of_lines(text);
    const auto expectations = judge::parse_expectations("ib,net:IB,net:Socket,nvls,gdr,p2p");
    ASSERT_TRUE(expectations.has_value());
    for (std::size_t i = 0; i < begins.size(); ++i)
      for (const std::string& cut : {text.substr(0, begins[i]), text.substr(begins[i])}) {
        const Part part(cut);
        for (const judge::Expectation& one : *expectations) {
          const Answer all = judge::compare(one, whole.log, whole.verdict).met;
          const Answer some = judge::compare(one, part.log, part.verdict).met;
          if (some == Answer::no) {
            EXPECT_EQ(all, Answer::no) << name << ", " << one.word << ":\n" << cut;
          }
          if (some == Answer::yes) {
            EXPECT_NE(all, Answer::no) << name << ", " << one.word << ":\n" << cut;
          }
        }
      }
  });
}

}  // namespace
}  // namespace nettune::tools::nccl::log
