// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "tools/nccl/log/log.hpp"
#include "tools/nccl/log/position.hpp"

namespace nettune::tools::nccl::log::job {

/// Reads where a program reports that its run was a success, and where another one begins: lines of
/// MLPerf's log (mlcommons/logging, mlperf_logging/mllog),
///
///     :::MLLOG {..., "event_type": "INTERVAL_END", "key": "run_stop", "value": null, "metadata":
///     {..., "status": "success"}}
///
/// of SageMaker, once for all hosts (aws/sagemaker-python-sdk, logs_for_job()),
///
///     2026-01-02 03:04:05 Completed - Training job completed
///
/// and of DeepSpeed's launcher, which says it of each rank (deepspeedai/DeepSpeed,
/// deepspeed/launcher/launch.py).
///
///     [INFO] [launch.py:319:main] Process 4711 exits successfully.
void take_run(Log& log, Position& position, std::string_view line);

}  // namespace nettune::tools::nccl::log::job
