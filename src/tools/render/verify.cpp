// SPDX-License-Identifier: Apache-2.0
#include "tools/render/verify.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace nettune::tools::render {
namespace {

bool is_loopback(std::string_view address) {
  return address.starts_with("127.") || address == "::1";
}

class Judge {
 public:
  Judge(const Meeting& meeting, const std::vector<NodeAnswer>& answers)
      : meeting_(meeting), answers_(answers), labels_(own_labels(meeting.nodes)) {}

  std::vector<Check> run() {
    for (std::size_t rank = 0; rank < meeting_.nodes.size(); ++rank) {
      node_ = meeting_.nodes[rank].name;
      const NodeAnswer& answer = answers_[rank];
      if (!answer.no_answer.empty()) {
        unknown("answer", answer.no_answer, cat("try by hand: ssh ", node_, " nettune --version"));
        continue;
      }
      name(answer, rank);
      profile(answer);
      if (rank == 0) {
        port(answer);
      } else {
        address(answer);
      }
      if (answer.was_asked_to_connect) rendezvous(answer);
    }
    return std::move(checks_);
  }

 private:
  void good(const char* what, std::string text) {
    checks_.push_back({Check::Verdict::good, node_, what, std::move(text), {}});
  }
  void fault(const char* what, std::string text, std::string remedy) {
    checks_.push_back({Check::Verdict::fault, node_, what, std::move(text), std::move(remedy)});
  }
  void unknown(const char* what, std::string text, std::string remedy) {
    checks_.push_back({Check::Verdict::unknown, node_, what, std::move(text), std::move(remedy)});
  }

  /// As templates/parts/rank.tmpl decides it: the name, without its domain or with any.
  bool is_known_as(std::string_view host, const std::string& label) const {
    if (host == node_) return true;
    return !label.empty() && (label == node_ ? host.starts_with(label + ".") : host == label);
  }

  void name(const NodeAnswer& answer, std::size_t rank) {
    if (!meeting_.rank_by_name) return;
    if (is_known_as(answer.hostname, labels_[rank]))
      return good("name", cat("its host name is ", answer.hostname));
    fault("name",
          cat("its host name is ", answer.hostname, ", so the script does not find its rank"),
          cat("use that name in --nodes, with its address after =, or start it there with: bash "
              "FILE ",
              rank));
  }

  void profile(const NodeAnswer& answer) {
    if (answer.profile_error.empty()) return good("profile", "its variables are known there");
    fault("profile", answer.profile_error,
          "install the same nettune, profiles and site values as here");
  }

  void port(const NodeAnswer& answer) {
    if (answer.listen_error.empty()) return good("port", cat("port ", meeting_.port, " is free"));
    fault("port", answer.listen_error,
          cat("stop what holds it (ss -ltnp sport = :", meeting_.port,
              "), or choose another: --port"));
  }

  /// Every other node must resolve the name of the first node to its address, and not to its own.
  void address(const NodeAnswer& answer) {
    const std::string by_address =
        cat("give its address: --nodes ", meeting_.nodes.front().name,
            "=ADDRESS,...; nettune render hosts generates lines for /etc/hosts");
    if (!answer.address_error.empty()) return fault("address", answer.address_error, by_address);
    if (is_loopback(answer.address))
      return fault(
          "address",
          cat(meeting_.master, " is ", answer.address, " there, which is ", node_, " itself"),
          by_address);
    good("address", cat(meeting_.master, " is ", answer.address));
  }

  void rendezvous(const NodeAnswer& answer) {
    if (answer.connect_error.empty())
      return good("rendezvous",
                  cat("reaches ", meeting_.master, ":", meeting_.port, " in ",
                      static_cast<int>(std::clamp(answer.connect_ms, 0.0, 1e5)) + 1, " ms"));
    fault("rendezvous", answer.connect_error,
          cat("allow TCP port ", meeting_.port,
              " on the first node for the job's nodes, with [firewall] in the profile"));
  }

  const Meeting& meeting_;
  const std::vector<NodeAnswer>& answers_;
  std::string node_;
  std::vector<std::string> labels_;  ///< of the nodes
  std::vector<Check> checks_;
};

}  // namespace

std::vector<Check> verify(const Meeting& meeting, const std::vector<NodeAnswer>& answers) {
  return Judge(meeting, answers).run();
}

}  // namespace nettune::tools::render
