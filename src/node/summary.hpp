// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "node/awaited.hpp"
#include "node/check/checking.hpp"
#include "node/context.hpp"
#include "node/state_view.hpp"

namespace nettune::node {

/// A transaction in one line of history.
struct Past {
  std::uint64_t number = 0;
  std::int64_t time_s = 0;
  std::string who;
  std::string action;
  std::string profile;  ///< "" for the baseline
  std::size_t settings = 0;
  std::size_t changed = 0;
  std::string result;  ///< "committed", "reverted", "aborted", "expired", "ended", "damaged", ...
  std::string reason;
  std::map<std::string, std::string> vars = {};  ///< not in the file
  bool operator==(const Past&) const = default;
};
Past past_of(const Transaction& transaction);

/// What anybody on this node may know of its state: no values, contents or variables.
struct Summary {
  struct Pending {
    std::string what;     ///< "apply", "rollback", ...
    std::string profile;  ///< "" for the baseline
    std::size_t settings = 0;
    std::string who;
    std::int64_t until_s = 0;  ///< the end of its confirm window; 0: it was interrupted
    bool temporary = false;    ///< it cannot be confirmed
    bool operator==(const Pending&) const = default;
  };
  struct Apart {
    std::string setting;
    std::string origin;
    std::int64_t since_s = 0;  ///< when a check first saw it
    bool operator==(const Apart&) const = default;
  };
  /// A value that is written and not in effect.
  struct Waits {
    std::string setting;
    Awaited::State state = Awaited::State::pending;
    std::string when;  ///< as Awaited::when
    bool operator==(const Waits&) const = default;
  };
  struct Check {
    std::int64_t time_s = 0;
    int exit = 0;
    check::Standing standing = check::Standing::in_sync;
    std::vector<Apart> apart = {};
    std::size_t traffic_blocked = 0;
    std::size_t traffic_unknown = 0;
    std::vector<Waits> waits = {};
    bool operator==(const Check&) const = default;
  };
  /// What does not change while nobody does anything.
  struct Lasting {
    std::string boot_id;
    bool known = true;             ///< of what is applied
    std::uint64_t generation = 0;  ///< 0: none
    std::string profile;           ///< "": nothing is applied
    std::size_t settings = 0;
    std::int64_t since_s = 0;
    std::string who;
    std::optional<Pending> pending = {};
    std::size_t owed = 0;
    std::size_t unrecorded = 0;
    std::size_t refused = 0;
    bool lost = false;  ///< StateView::is_lost()
    std::optional<Hold> hold = {};
    std::vector<Past> history = {};  ///< the last ones, ascending
    int exit = 0;                    ///< of status
    bool operator==(const Lasting&) const = default;
  };
  std::int64_t time_s = 0;  ///< CLOCK_REALTIME
  Lasting lasting = {};
  std::optional<Check> check = {};  ///< of what `lasting` names, if there was one since
};

/// A summary is good for the time until the next check of nettune-check.timer, and some more.
inline constexpr std::int64_t kSummaryFresh_s = 7200;
inline constexpr std::string_view kSummaryFile = "/run/nettune/summary.json";
/// Empty. There while the last check found everything as applied; its time is that of the check.
inline constexpr std::string_view kSyncFile = "/run/nettune/in-sync";

/// Those that are not in effect; what nothing shows is left out.
std::vector<Summary::Waits> waits_of(const std::vector<Awaited>& awaited);

/// What is in `state`; without history.
Summary summarize(const StateView& state, const std::string& boot_id);

/// JSON (docs/schema/summary.schema.json), and back. Parsing takes nothing on trust: Errc::corrupt
/// for anything that summary_text() does not write.
std::string summary_text(const Summary& summary);
Result<Summary> parse_summary(std::string_view text);

/// The summary of this node. Errc::not_found if there is none, Errc::corrupt if anybody but root
/// could have written it or it cannot be parsed.
Result<Summary> read_summary(Context& context);

/// Why it says nothing of now: another boot, too old, from the future; "" if it does.
std::string stale_reason(const Summary& summary, const std::string& boot_id, std::int64_t now_s);

/// As root: brings the file up to date after a change, or a check. Where nothing but the time would
/// change, a check only touches kSyncFile, or writes. Does nothing
/// for an image, a recorded node or another state directory. Returns what is there then; nothing if
/// that is not this node's business.
std::optional<Summary> update_summary(Context& context, const check::Checked* checked);

}  // namespace nettune::node
