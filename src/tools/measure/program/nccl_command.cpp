// SPDX-License-Identifier: Apache-2.0
#include "tools/measure/program/nccl_command.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "base/scratch_directory.hpp"
#include "base/text.hpp"
#include "base/utc.hpp"
#include "cli/programs.hpp"
#include "node/signals.hpp"
#include "tools/measure/json_fields.hpp"
#include "tools/measure/program/all_reduce.hpp"
#include "tools/measure/program/peer_session.hpp"
#include "tools/measure/program/print_measurement.hpp"
#include "tools/measure/program/test_command.hpp"
#include "tools/nccl/log/tests_table.hpp"

namespace nettune::tools::measure::program {
namespace {

using node::Exit;

constexpr const char* kNoCeiling = "what NCCL or Gloo could reach here is not known";

/// Where NCCL writes its log; it goes with this object.
class LogDirectory {
 public:
  static Result<LogDirectory> make() {
    TRY_ASSIGN(auto made, ScratchDirectory::make_temporary("nettune-nccl."));
    return LogDirectory(std::move(made));
  }
  std::vector<std::string> files() const {
    std::vector<std::string> out;
    std::error_code error;
    for (const auto& one : std::filesystem::directory_iterator(directory_.name(), error))
      out.push_back(one.path().string());
    std::ranges::sort(out);
    return out;
  }
  /// As nettune render has it: what the user set stays, but for the file.
  void add_to(Environment& env) const {
    if (std::getenv("NCCL_DEBUG") == nullptr) env.try_emplace("NCCL_DEBUG", "INFO");
    if (std::getenv("NCCL_DEBUG_SUBSYS") == nullptr)
      env.try_emplace("NCCL_DEBUG_SUBSYS", "INIT,ENV,NET,GRAPH");
    env["NCCL_DEBUG_FILE"] = directory_.name() + "/nccl.%h.%p";
  }

 private:
  explicit LogDirectory(ScratchDirectory directory) : directory_(std::move(directory)) {}
  ScratchDirectory directory_;
};

/// NVIDIA's GPUs that a job may use here.
std::size_t visible_gpus(const facts::Facts& facts) {
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  const auto count = static_cast<std::size_t>(
      std::ranges::count(facts.gpus, std::string("nvidia"), &facts::Gpu::driver));
  if (visible == nullptr) return count;
  // A negative number ends the list (CUDA C++ Programming Guide, CUDA Environment Variables).
  std::size_t named = 0;
  for (const std::string_view one : split(visible, ',')) {
    if (trim(one).empty() || trim(one).starts_with('-')) break;
    ++named;
  }
  return std::min(named, count);
}

/// The first failure that nccl-tests names, as behind it there is only where it was; else the last
/// line.
std::string reason_in(const std::string& output) {
  for (const std::string_view line : split(output, '\n'))
    for (const std::string_view what : {"Test CUDA failure", "Test NCCL failure"})
      if (line.find(what) != line.npos) return printable(trim(line)).substr(0, 300);
  return last_line(output);
}

struct PeerNode {
  PeerSession session;
  Path path;
  PeerRanks ranks;
  Torch torch = {};
};

class NcclTest {
 public:
  NcclTest(node::Context& context, const TestOptions& options, const NcclRequest& request,
           cli::Output& output)
      : context_(context), options_(options), request_(request), output_(output) {}

  Result<Exit> run() {
    TRY(open_peers());
    std::vector<const NodeView*> views = {&ours_};
    for (const PeerNode& node : nodes_)
      if (!node.session.is_this_node()) views.push_back(&node.session.theirs);
    if (const auto refused = refuse_busy(views, options_.share, options_.json, output_))
      return *refused;
    TRY_ASSIGN(const facts::Facts* const facts, context_.facts());
    const std::size_t gpus = visible_gpus(*facts);
    TRY_ASSIGN(const LogDirectory log, LogDirectory::make());
    auto specs = plan(gpus);
    if (stopped()) return say_stopped();
    if (!specs) return fail(specs.error());
    if (what_.ranks == 1)
      note(request_.is_all_reduce_alone() ? "an all-reduce of one rank sends nothing; name a peer"
                                          : "a collective of one rank sends nothing");
    Exit exit = Exit::done;
    for (std::size_t i = 0; i < specs->size(); ++i) {
      ChildSpec& spec = (*specs)[i];
      if (what_.backend == "nccl") log.add_to(spec.env);
      what_.name = request_.collectives[i].name;
      if (!is_torch_) what_.program = spec.words[0];
      TRY_ASSIGN(const Exit one, measure(spec));
      if (stopped()) return say_stopped();
      exit = node::worse(exit, one);
    }
    if (has_curve_ && !options_.json)
      output_.print(cat("  no verdict: ", kNoCeiling, "; compare with nettune ab\n"));
    output_.flush();
    if (what_.backend == "nccl") explain(log);
    return exit;
  }

 private:
  static bool stopped() { return node::DeferredSignals::arrived(); }
  void note(const std::string& text) { output_.complain(cat("note: ", text, "\n")); }
  Exit say_stopped() {
    output_.complain("stopped; nothing was left behind\n");
    return Exit::failed;
  }

  /// What measures each collective: nccl-tests on this node, or for an all-reduce PyTorch.
  Result<std::vector<ChildSpec>> plan(std::size_t gpus) {
    std::vector<ChildSpec> out;
    std::string missing;
    for (const CollectiveKind& one : request_.collectives) {
      const std::string program = cat(one.word, "_perf");
      if (const auto file = find_nccl_tests(program))
        out.push_back(nccl_tests(*file, gpus, ours_.jobs));
      else
        missing += cat(missing.empty() ? "" : ", ", program);
    }
    if (gpus > 0 && nodes_.empty() && missing.empty()) {
      what_.backend = "nccl";
      what_.ranks = gpus;
      return out;
    }
    if (!request_.is_all_reduce_alone())
      return fail(Errc::io,
                  gpus == 0 ? "--collective needs a GPU, and NVIDIA's driver shows none on this "
                              "node; without one, only all_reduce is measured, by Gloo"
                            : cat("--collective needs ", missing,
                                  " of nccl-tests, in PATH, /usr/local/bin or "
                                  "/opt/nccl-tests/build; PyTorch measures all_reduce alone"));
    is_torch_ = true;
    TRY_ASSIGN(ChildSpec torch, plan_torch(gpus, missing.empty()));
    out.clear();
    out.push_back(std::move(torch));
    return out;
  }

  Result<> open_peers() {
    std::vector<std::string> peers = options_.others;
    if (!options_.peer.empty()) peers.insert(peers.begin(), options_.peer);
    for (const std::string& peer : peers) {
      TRY_ASSIGN(PeerSession session,
                 open_peer_session(context_, peer, options_.command, options_.ports));
      for (const std::string& one : session.notes) note(one);
      TRY_ASSIGN(const std::vector<Path> paths, paths_to(session, peer, options_.address));
      // An InfiniBand port without an address is no way to meet.
      const auto with_address = std::ranges::find_if(
          paths, [](const Path& path) { return !path.ends.ours.address.empty(); });
      if (with_address == paths.end())
        return fail(Errc::not_found, cat("no address of this node is known for ", printable(peer),
                                         "; name one of the peer's with --address"));
      ours_ = session.ours;
      nodes_.push_back({std::move(session), *with_address, PeerRanks(printable(peer), UniqueFd())});
    }
    if (peers.empty()) {
      TRY_ASSIGN(ours_, view_of_this_node(context_, in_slurm_job()));
    }
    what_.hosts = {ours_.host};
    for (const PeerNode& node : nodes_) what_.hosts.push_back(node.session.theirs.host);
    return {};
  }

  /// Asks all nodes what PyTorch they have, and starts the ranks of the peers.
  Result<ChildSpec> plan_torch(std::size_t gpus, bool has_tests) {
    Progress progress(!options_.json && ::isatty(STDERR_FILENO) == 1);
    progress.show("loading PyTorch");
    for (PeerNode& node : nodes_) {
      TRY_ASSIGN(UniqueFd socket,
                 net::call(node.path.target, nlohmann::json{{"do", "nccl"}}.dump() + "\n"));
      node.ranks = PeerRanks(node.ranks.host(), std::move(socket));
    }
    const auto torch = torch_here(stopped);
    progress.clear();
    if (!torch) return fail(what_is_missing(torch.error(), gpus));
    for (PeerNode& node : nodes_) {
      TRY_ASSIGN(node.torch, node.ranks.torch(stopped));
    }
    TRY(choose_backend(*torch, gpus));
    if (has_tests && nodes_.empty() && gpus == 0)
      note("all_reduce_perf is not used: NVIDIA's driver shows no GPU on this node");

    RankPlan plan;
    plan.backend = what_.backend;
    plan.seconds = request_.seconds;
    plan.common = variables_of_all_nodes();
    plan.local = ranks_of(*torch);
    plan.world = plan.local;
    for (const PeerNode& node : nodes_) plan.world += ranks_of(node.torch);
    what_.program = cat("PyTorch ", printable(torch->version));
    what_.ranks = plan.world;
    net::PortRange ports = ours_.ports;
    if (!options_.ports.empty()) {
      TRY_ASSIGN(ports, net::parse_port_range(options_.ports));
    }
    {
      TRY_ASSIGN(const UniqueFd free, net::listen_tcp(ports));
      plan.port = net::local_address(free.get()).port();
    }
    std::size_t first = plan.local;
    for (PeerNode& node : nodes_) {
      RankPlan theirs = plan;
      theirs.local = ranks_of(node.torch);
      theirs.first = first;
      theirs.master = without_prefix(node.path.ends.ours.address);
      theirs.interface = node.path.ends.theirs.interface;
      TRY(node.ranks.start(theirs));
      first += theirs.local;
    }
    plan.master = nodes_.empty() ? "127.0.0.1" : without_prefix(nodes_[0].path.ends.ours.address);
    plan.interface = nodes_.empty() ? "lo" : nodes_[0].path.ends.ours.interface;
    return torch_ranks(plan, ours_.jobs);
  }

  Error what_is_missing(const Error& error, std::size_t gpus) const {
    if (error.code != Errc::not_found) return error;
    return {
        Errc::io,
        cat("nettune test --nccl needs ",
            nodes_.empty() ? "nccl-tests or PyTorch: " : "PyTorch on every node: ", error.text,
            gpus > 0 && nodes_.empty()
                ? "; build all_reduce_perf (github.com/NVIDIA/nccl-tests) into PATH or "
                  "/opt/nccl-tests/build, or install PyTorch with NCCL for python3: pip install "
                  "torch"
                : "; for Gloo on CPUs: apt install python3-torch; with NCCL: pip install torch"),
        0,
        {},
        0};
  }

  /// NCCL where every node has a GPU and a PyTorch with NCCL; else Gloo, and it says why.
  Result<> choose_backend(const Torch& ours, std::size_t gpus) {
    std::vector<std::string> without;
    std::vector<std::string> without_gloo;
    const auto look = [&](const std::string& host, const Torch& torch) {
      if (torch.gpus == 0) without.push_back(host);
      if (!torch.gloo) without_gloo.push_back(host);
    };
    look(ours_.host, ours);
    for (const PeerNode& node : nodes_) look(node.session.theirs.host, node.torch);
    what_.backend = without.empty() ? "nccl" : "gloo";
    if (without.empty()) return {};
    if (!without_gloo.empty())
      return fail(Errc::io, cat("PyTorch of ", printable(join(without, ", ")),
                                " cannot use a GPU with NCCL, and that of ",
                                printable(join(without_gloo, ", ")),
                                " has no Gloo; install another PyTorch"));
    note(cat("Gloo on CPUs, not NCCL: PyTorch of ", printable(join(without, ", ")),
             " cannot use a GPU with NCCL",
             gpus > 0 ? cat("; this node has ", gpus, ", see nettune doctor") : ""));
    return {};
  }
  std::size_t ranks_of(const Torch& torch) const {
    if (what_.backend == "nccl") return torch.gpus;
    return nodes_.empty() ? 2 : 1;
  }

  Result<Exit> measure(const ChildSpec& spec) {
    Measurement one;
    one.what = Measurement::What::collective;
    one.collective = what_;
    one.why_no_ceiling = kNoCeiling;
    End here;
    here.host = ours_.host;
    const EndPair ends = nodes_.empty() ? EndPair{here, here} : nodes_[0].path.ends;
    one.from = side_of(ends.ours, ours_);
    one.to = side_of(ends.theirs, nodes_.empty() ? ours_ : nodes_[0].session.theirs);
    one.time = utc_text(std::time(nullptr));
    count(one, &Side::before);
    if (!options_.json)
      output_.print(cat(output_.style().bold(printable(join(what_.hosts, " <-> "))), ": ",
                        what_.name, ", ", what_.ranks, what_.ranks == 1 ? " rank, " : " ranks, ",
                        what_.backend, " (", what_.program, ")\n"));
    output_.flush();
    Progress progress(!options_.json && ::isatty(STDERR_FILENO) == 1);
    progress.show(what_.name);
    std::string peer_error;
    const auto end =
        run_child(spec, [&] { return stopped() || !find_peer_error(peer_error, 0).empty(); });
    // Where a rank here fails because one of a peer did, the peer says so soon.
    if (!stopped() && end) (void)find_peer_error(peer_error, end->succeeded() ? 15 : 2);
    progress.clear();
    if (stopped()) return Exit::failed;
    if (!end) return fail(end.error());
    count(one, &Side::after);
    return print(one, *end, peer_error);
  }

  void count(Measurement& one, Counters Side::*when) const {
    one.from.*when = read_counters(one.from.end);
    one.to.*when = nodes_.empty() ? one.from.*when : counters_of_peer(nodes_[0].path);
  }

  /// Of the peers. Waits until all have ended, at most `patience_s`.
  const std::string& find_peer_error(std::string& error, double patience_s) {
    const auto deadline = net::in_seconds(patience_s);
    for (PeerNode& node : nodes_) {
      std::string why;
      if (node.ranks.ended(deadline, why) && error.empty()) error = why;
    }
    return error;
  }

  Exit print(Measurement& one, const ChildEnd& end, const std::string& peer_error) {
    const nccl::log::TestsTable table = nccl::log::read_tests_table(end.output);
    if (table.ranks > 0) one.collective.ranks = static_cast<std::size_t>(table.ranks);
    double best = 0;
    for (const nccl::log::TestsRow& row : table.rows) best = std::max(best, row.busbw);
    Exit exit = Exit::done;
    bool any = false;
    const Side from = one.from;
    const Side to = one.to;
    for (const nccl::log::TestsRow& row : table.rows) {
      if (row.bytes <= 0 || row.time_us <= 0) continue;
      any = true;
      Collective& here = one.collective;
      here.bytes = row.bytes;
      here.time_us = row.time_us;
      here.algbw = row.algbw;
      here.busbw = row.busbw;
      here.wrong = row.wrong;
      // The counters are of the whole run: for people, after its last size.
      const bool is_last = &row == &table.rows.back();
      if (!options_.json && !is_last) one.from.after = one.to.after = {};
      output_.print(options_.json ? measure::json_line(one) : line_of(one, output_.style(), best));
      one.from = from;
      one.to = to;
      if (one.verdict() == Grade::bad) exit = node::worse(exit, Exit::drift);
    }
    has_curve_ = has_curve_ || any;
    const std::string why = why_not_all(end, peer_error, any, table.beyond);
    // nccl-tests fails because of a wrong value, too, which is said already.
    const bool is_said = exit != Exit::done && end.how == ChildEnd::How::exited &&
                         peer_error.empty() && table.beyond.empty();
    if (!why.empty() && !is_said) {
      one.error = Error{Errc::io, why, 0, {}, 0};
      output_.print(options_.json ? measure::json_line(one) : line_of(one, output_.style(), 0));
      if (exit == Exit::done) exit = Exit::unknown;
    }
    output_.flush();
    return exit;
  }

  /// Why sizes are missing; "" where none is.
  std::string why_not_all(const ChildEnd& end, const std::string& peer_error, bool any,
                          const std::string& beyond) const {
    if (!peer_error.empty() && (end.succeeded() || end.how == ChildEnd::How::cancelled))
      return peer_error;
    if (!end.succeeded())
      return cat(what_.program, " failed (", end.text(), "): ", reason_in(end.output),
                 peer_error.empty() ? "" : "; ", peer_error);
    if (!beyond.empty())
      return cat(what_.program, " printed the number ", printable(beyond),
                 ", which no test measures; the size in that line is missing: run it again");
    if (!any)
      return cat(what_.program, " printed no table of results; ",
                 end.output.empty() ? "it printed nothing" : last_line(end.output));
    return "";
  }

  /// NCCL's log, by the program that nettune starts for `nettune nccl`.
  void explain(const LogDirectory& log) {
    const std::vector<std::string> files = log.files();
    if (files.empty()) return note("NCCL wrote no log; is NCCL_DEBUG set to less than INFO?");
    const auto program = cli::program_path(*cli::find_program("nccl"));
    if (!program) return note(program.error().text);
    ChildSpec spec{*program, {"nettune-nccl", "explain"}, {}, 60};
    if (options_.json) spec.words.emplace_back("--json");
    spec.words.insert(spec.words.end(), files.begin(), files.end());
    const auto end = run_child(spec, stopped);
    if (!end) return note(end.error().text);
    if (end->how != ChildEnd::How::exited || end->output.empty())
      return note(cat("nettune nccl explain printed nothing: ", end->text()));
    if (!options_.json) {
      output_.print(cat("\n", end->output));
    } else if (const auto json = fields::parse(end->output)) {
      output_.print(fields::line(*json));
    } else {
      note(cat("nettune nccl explain: ", last_line(end->output)));
    }
    output_.flush();
  }

  node::Context& context_;
  const TestOptions& options_;
  const NcclRequest& request_;
  cli::Output& output_;
  NodeView ours_;
  std::vector<PeerNode> nodes_;
  Collective what_;
  bool is_torch_ = false;   ///< not nccl-tests
  bool has_curve_ = false;  ///< at least one size of a collective
};

}  // namespace

Result<Exit> test_nccl(node::Context& context, const TestOptions& options,
                       const NcclRequest& request, cli::Output& output) {
  const node::DeferredSignals signals;
  return NcclTest(context, options, request, output).run();
}

}  // namespace nettune::tools::measure::program
